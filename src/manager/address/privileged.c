/*
 * privileged.c - see privileged.h.
 */
#include "address/privileged.h"

#include "base/process.h"
#include "object/allocation.h"
#include "residency/table_eviction.h"
#include "address/companion.h"

#define CALL "vidmm_va_update"

#define WINDOW_UNIT (UINT64_C(1) << PAGE_SHIFT_LARGE) /* R238 */

/* ---- Mappings -------------------------------------------------------------------------------- */

/* Free addresses lead to what `use` says, from its start on. */
static enum vidmm_status privileged_map(struct space *space, uint64_t size, struct va_use use,
                                        uint64_t *va) {
    uint64_t at;
    if (!va_pick(space->va, size, WINDOW_UNIT, SPACE_RESERVE_UNIT, space->va->limit, &at))
        return FAIL(space->adapter, .status = VIDMM_DOES_NOT_FIT, .call = CALL,
                    .expected = "as many free addresses beside those of the process",
                    .page = "tile-resources", .index = ERROR_NO_INDEX, .value = size);
    use.origin = at;
    enum vidmm_status status = space_change_once(space, at, at + size, &use);
    if (status == VIDMM_OK)
        *va = at;
    return status;
}

static enum vidmm_status privileged_map_table(struct space *space, struct table *table) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < 2; i++) {
        struct table_memory *memory = &table->memory[i];
        const struct va_use use = {
            .kind = VA_MEMORY, .memory = memory, .protection = VIDMM_VA_WRITE};
        if (memory->size && !memory->privileged_va)
            status = privileged_map(space, page_round(memory->size), use, &memory->privileged_va);
    }
    return status;
}

/* With the tables above the leaves, whose entries say what kind of pages these have. */
enum vidmm_status privileged_map_tables(const struct companion *companion, struct space *space,
                                        uint64_t start, uint64_t end) {
    struct vidmm_process *privileged = companion->context->device->process;
    enum vidmm_status status = table_eviction_return(privileged);
    struct table *table;
    for (uint64_t at = start; status == VIDMM_OK && (table = table_leaf(space, &at, end));
         at = table_end(table)) {
        status = privileged_map_table(privileged->space, table);
        if (status == VIDMM_OK && table->parent)
            status = privileged_map_table(privileged->space, table->parent);
    }
    return status;
}

static uint64_t privileged_find_pool(const struct space *space, const struct va_use *use) {
    const struct mapping *mapping = use->allocation->mappings;
    while (mapping && (mapping->va != space->va || mapping->use.protection != use->protection ||
                       mapping->use.driver_protection != use->driver_protection))
        mapping = mapping->next;
    return mapping ? mapping->start : 0;
}

enum vidmm_status privileged_map_pool(const struct companion *companion, const struct va_use *use,
                                      uint64_t *va) {
    struct vidmm_process *privileged = companion->context->device->process;
    *va = 0;
    if (use->kind != VA_PAGES || !use->allocation->segment ||
        (use->driver_protection & VIDMM_DRIVER_PROTECTION_UNIQUE) ||
        privileged->space->mmu->pages != MMU_PAGES_4K)
        return VIDMM_OK;
    const struct va_use all = {.kind = VA_PAGES,
                               .allocation = use->allocation,
                               .list = &use->allocation->mappings,
                               .protection = use->protection,
                               .driver_protection = use->driver_protection};
    enum vidmm_status status = table_eviction_return(privileged);
    *va = privileged_find_pool(privileged->space, use);
    if (status == VIDMM_OK && !*va)
        status = privileged_map(privileged->space, use->allocation->size, all, va);
    return status;
}

/* ---- The space ------------------------------------------------------------------------------- */
