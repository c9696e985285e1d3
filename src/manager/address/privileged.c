/*
 * privileged.c - see privileged.h.
 */
#include "address/privileged.h"

#include "object/allocation.h"
#include "address/companion.h"
#include "life/process.h"
#include "address/table_eviction.h"

#define CALL "vidmm_va_update"

#define WINDOW_UNIT (UINT64_C(1) << PAGE_SHIFT_LARGE) /* R238 */

bool privileged_is(const struct space *space) {
    return space->process->owner;
}

struct space *privileged_of(const struct space *space) {
    const struct vidmm_process *process =
        privileged_is(space) ? space->process : space->process->privileged;
    return process ? process->space : NULL;
}

/* ---- What is shown --------------------------------------------------------------------------- */

/* Free addresses lead to what `use` says, from its start on. */
static enum vidmm_status show(struct space *space, uint64_t size, struct va_use use, uint64_t *va) {
    uint64_t at;
    if (!va_pick(&space->va, size, WINDOW_UNIT, SPACE_RESERVE_UNIT, space->va.limit, &at))
        return FAIL(space->adapter, .status = VIDMM_DOES_NOT_FIT, .call = CALL,
                    .expected = "as many free addresses beside those of the process",
                    .page = "tile-resources", .index = ERROR_NO_INDEX, .value = size);
    use.origin = at;
    enum vidmm_status status = space_change_once(space, at, at + size, &use);
    if (status == VIDMM_OK)
        *va = at;
    return status;
}

static enum vidmm_status show_table(struct space *space, struct table *table) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < 2; i++) {
        struct table_memory *memory = &table->memory[i];
        const struct va_use use = {
            .kind = VA_MEMORY, .memory = memory, .protection = VIDMM_VA_WRITE};
        if (memory->size && !memory->shown)
            status = show(space, page_round(memory->size), use, &memory->shown);
    }
    return status;
}

/* With the tables above the leaves, whose entries say what kind of pages these have. */
enum vidmm_status privileged_show(const struct companion *companion, struct space *space,
                                  uint64_t start, uint64_t end) {
    struct vidmm_process *privileged = companion->context->device->process;
    enum vidmm_status status = space_bring_back(privileged);
    struct table *table;
    for (uint64_t at = start; status == VIDMM_OK && (table = table_leaf(space, &at, end));
         at = table_end(table)) {
        status = show_table(privileged->space, table);
        if (status == VIDMM_OK && table->parent)
            status = show_table(privileged->space, table->parent);
    }
    return status;
}

static uint64_t find_view(const struct space *space, const struct va_use *use) {
    const struct mapping *mapping = use->allocation->mappings;
    while (mapping && (mapping->va != &space->va || mapping->use.protection != use->protection ||
                       mapping->use.driver_protection != use->driver_protection))
        mapping = mapping->next;
    return mapping ? mapping->start : 0;
}

enum vidmm_status privileged_view(const struct companion *companion, const struct va_use *use,
                                  uint64_t *va) {
    struct vidmm_process *privileged = companion->context->device->process;
    *va = 0;
    if (use->kind != VA_PAGES || !use->allocation->segment ||
        (use->driver_protection & VIDMM_DRIVER_PROTECTION_UNIQUE) ||
        privileged->adapter->facts.mmu.pages != MMU_PAGES_4K)
        return VIDMM_OK;
    const struct va_use all = {.kind = VA_PAGES,
                               .allocation = use->allocation,
                               .list = &use->allocation->mappings,
                               .protection = use->protection,
                               .driver_protection = use->driver_protection};
    enum vidmm_status status = space_bring_back(privileged);
    *va = find_view(privileged->space, use);
    if (status == VIDMM_OK && !*va)
        status = show(privileged->space, use->allocation->size, all, va);
    return status;
}

/* ---- The space ------------------------------------------------------------------------------- */

/* One behind the other, as struct paging_line has them. */
static enum vidmm_status show_buffers(struct vidmm_process *privileged) {
    struct vidmm_adapter *adapter = privileged->adapter;
    struct space *space = privileged->space;
    uint64_t size = page_round(adapter->facts.paging_size), at;
    uint32_t count = sizeof(adapter->paging.buffers) / sizeof(adapter->paging.buffers[0]);
    enum vidmm_status status = VIDMM_OK;
    if (!va_pick(&space->va, size * count, PAGE_BYTES, SPACE_RESERVE_UNIT, space->va.limit, &at))
        return error_no_memory(adapter, CALL);
    privileged->buffers = at;
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++, at += size) {
        const struct va_use use = {.kind = VA_MEMORY,
                                   .pages = adapter->paging.buffers[i].mdl,
                                   .origin = at,
                                   .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
        if (use.pages)
            status = space_change(space, at, at + size, &use);
    }
    return status;
}

static enum vidmm_status make(struct vidmm_process *process) {
    struct vidmm_process *privileged = NULL;
    enum vidmm_status status = process_make(process->adapter, process->number, &privileged);
    if (status)
        return status;
    privileged->owner = process;
    process->privileged = privileged;
    process_list(privileged); /* a reset writes its tables again */
    status = space_root(privileged->space);
    if (status == VIDMM_OK)
        status = device_create_own(privileged);
    if (status == VIDMM_OK)
        status = show_buffers(privileged);
    if (status)
        process_end(privileged);
    return status;
}

enum vidmm_status privileged_join(struct vidmm_context *context, struct companion *companion) {
    struct vidmm_process *process = context->device->process;
    struct vidmm_adapter *adapter = process->adapter;
    uint32_t node = context->companion_node;
    if (adapter->facts.mmu.caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        return VIDMM_OK;
    if (node >= adapter->facts.nodes)
        return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = "DxgkDdiCreateContext",
                    .field = "DXGK_CONTEXTINFO.PagingCompanionNodeId",
                    .expected = "a node that the adapter has", .rule = "R386",
                    .page = "ns-d3dkmddi-_dxgk_contextinfo", .index = ERROR_NO_INDEX,
                    .value = node);
    enum vidmm_status status = process->privileged ? VIDMM_OK : make(process);
    if (status == VIDMM_OK)
        status = context_make(process->privileged->device, node, &companion->context);
    if (status == VIDMM_OK)
        companion->line =
            (struct paging_line){companion->context->handle, node, process->privileged->buffers};
    return status;
}
