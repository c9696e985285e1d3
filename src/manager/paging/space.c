/*
 * space.c - see space.h: the spaces' part in plans, and the paging process.
 *
 * The paging process's addresses, from the bottom: 64 KiB that lead nowhere; windows, through which
 * page tables and paging buffers are reached, and which stay; the scratch space, which is taken
 * piece by piece and from the start again; what migrations have for themselves. Its tables are
 * pinned and written by the CPU at the start and after a reset (system-paging-process.md).
 */
#include "paging/space.h"

#include "object/allocation.h"
#include "life/process.h"
#include "address/space_change.h"
#include "paging/table.h"

#define SCRATCH_BYTES (UINT64_C(1) << 30) /* the least that there should be (R263) */
#define WINDOW_SHARE  4u                  /* windows have so many times less */
#define EXTENT_LEAST  (UINT64_C(16) << 20)
#define CALL          "vidmm paging process"

/* ---- The paging process ---------------------------------------------------------------------- */

static enum vidmm_status check_table(struct vidmm_adapter *adapter) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    bool root = !mmu_root_grows(&adapter->facts.mmu) || ddi->DxgkDdiGetRootPageTableSize;
    const struct needed_function needed[] = {
        {"DxgkDdiCreateProcess", ddi->DxgkDdiCreateProcess},
        {"DxgkDdiDestroyProcess", ddi->DxgkDdiDestroyProcess},
        {"DxgkDdiCreateContext", adapter->contexts},
        {"DxgkDdiSetRootPageTable", ddi->DxgkDdiSetRootPageTable},
        {"DxgkDdiGetRootPageTableSize", root},
        {"DxgkDdiSubmitCommandVirtual", ddi->DxgkDdiSubmitCommandVirtual},
    };
    return adapter_needs(adapter, needed, sizeof(needed) / sizeof(needed[0]),
                         "a function, from a driver with GpuMmuSupported", "gpummu-model");
}

/*
 * Bytes of addresses: as many as there should be, unless their leaf tables then take more than a
 * quarter of the segment that they lie in.
 */
uint64_t space_paging_extent(const struct vidmm_adapter *adapter) {
    const struct vidmm_level_info *leaf = &adapter->facts.mmu.level[0];
    const struct segment *segment = query_segment(&adapter->facts, leaf->paging_segment);
    uint64_t scratch = adapter->facts.mmu.paging ? adapter->facts.mmu.paging : SCRATCH_BYTES;
    uint64_t aside = migration_addresses(adapter), limit = adapter->facts.mmu.limit - aside;
    uint64_t all = scratch + scratch / WINDOW_SHARE, page = segment ? segment->page_size : 1;
    uint64_t each = (leaf->size + page - 1) / page * page; /* a table has pages of its own */
    all = all > EXTENT_LEAST ? all : EXTENT_LEAST;
    all = all < limit ? all : limit;
    while (segment && all > EXTENT_LEAST &&
           (all >> (leaf->index_bits + PAGE_SHIFT)) * each > segment->size / 4)
        all /= 2;
    return all + aside;
}

/* How the paging process's addresses are divided. False: no memory. */
static bool lay_out(struct vidmm_adapter *adapter, struct space *space) {
    struct spaces *spaces = &adapter->spaces;
    const struct va_use nothing = {.kind = VA_NOTHING};
    uint64_t end = space_paging_extent(adapter), all = end - migration_addresses(adapter);
    space->va.limit = end;
    spaces->scratch_end = all;
    spaces->scratch_start = all / (WINDOW_SHARE + 1) & ~(uint64_t)(SPACE_RESERVE_UNIT - 1);
    spaces->scratch_next = spaces->scratch_start;
    return va_set(&space->va, 0, SPACE_RESERVE_UNIT, &nothing) &&
           va_set(&space->va, spaces->scratch_start, end, &nothing);
}

/* Runs the plan under construction, which the CPU carries out at once. */
static enum vidmm_status run_now(struct space *space, bool emitted) {
    enum vidmm_status status =
        emitted ? plan_execute(space->adapter) : error_no_memory(space->adapter, CALL);
    space->now = false;
    return status;
}

static enum vidmm_status make_paging(struct vidmm_adapter *adapter, struct space *space) {
    struct spaces *spaces = &adapter->spaces;
    spaces->paging = space;
    spaces->entries = adapter_alloc(adapter, 2 * TABLE_ENTRIES_MAX * sizeof(*spaces->entries));
    if (!spaces->entries || !lay_out(adapter, space))
        return error_no_memory(adapter, CALL);
    uint64_t end = space->va.root->high; /* of what the driver reserved */
    enum vidmm_status status = end > space->va.limit ? tables_prepare(space, end, end) : VIDMM_OK;
    if (status == VIDMM_OK)
        status = tables_prepare(space, 0, space->va.limit);
    if (status)
        return status;
    plan_begin(adapter);
    space->now = true;
    status = run_now(space, tables_emit(space));
    tables_keep(space);
    return status;
}

enum vidmm_status space_start(struct vidmm_adapter *adapter) {
    enum vidmm_status status = check_table(adapter);
    if (status == VIDMM_OK)
        status = process_make(adapter, 0, &adapter->system_process);
    return status == VIDMM_OK ? make_paging(adapter, adapter->system_process->space) : status;
}

void space_stop(struct vidmm_adapter *adapter) {
    struct spaces *spaces = &adapter->spaces;
    struct vidmm_process *process = adapter->system_process;
    if (process && process->space->root && !adapter->stopped) {
        plan_begin(adapter);
        process->space->now = true;
        (void)run_now(process->space, tables_emit_leave(process->space));
    }
    if (process)
        process_end(process);
    adapter->system_process = NULL;
    adapter_free(adapter, spaces->entries, 2 * TABLE_ENTRIES_MAX * sizeof(*spaces->entries));
    adapter_free(adapter, spaces->waiting, spaces->waiting_capacity * sizeof(*spaces->waiting));
    adapter_free(adapter, spaces->kept, spaces->kept_capacity * sizeof(*spaces->kept));
    memset(spaces, 0, sizeof(*spaces));
}

static bool emit_kept(struct space *space, const struct kept_pages *kept) {
    struct table_source source = {.mdl = kept->mdl};
    return table_scratch(space, kept->start, kept->start + kept->size, &source);
}

bool space_keep_pages_at(struct vidmm_adapter *adapter, PMDL mdl, uint64_t size, uint64_t start) {
    struct spaces *spaces = &adapter->spaces;
    struct space *space = spaces->paging;
    const struct kept_pages kept = {.start = start, .size = size, .mdl = mdl};
    if (!adapter_grow(adapter, (void **)&spaces->kept, &spaces->kept_capacity,
                      spaces->kept_count + 1, sizeof(*spaces->kept)))
        return false;
    plan_begin(adapter);
    space->now = true;
    if (run_now(space, emit_kept(space, &kept)))
        return false;
    spaces->kept[spaces->kept_count++] = kept;
    return true;
}

uint64_t space_keep_pages(struct vidmm_adapter *adapter, PMDL mdl, uint64_t size) {
    struct va *va = &adapter->spaces.paging->va;
    const struct va_use nothing = {.kind = VA_NOTHING};
    uint64_t start;
    if (!va_pick(va, size, PAGE_BYTES, 0, va->limit, &start) ||
        !va_set(va, start, start + size, &nothing))
        return 0;
    return space_keep_pages_at(adapter, mdl, size, start) ? start : 0;
}

/* ---- Roots ----------------------------------------------------------------------------------- */

enum vidmm_status space_enter(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    const struct space *space = context->device->process->space;
    if (space->away || !context->handle)
        return VIDMM_OK; /* with all others, when it is back; or when it is made */
    DXGKARG_SETROOTPAGETABLE arg = {.hContext = context->handle,
                                    .Address = table_address(&space->root->memory[0]),
                                    .NumEntries = space->root->entries};
    adapter_open(
        adapter); /* the driver may update context allocations that say where the root is */
    adapter->ddi->DxgkDdiSetRootPageTable(adapter->hadapter, &arg);
    adapter_return(adapter);
    return VIDMM_OK;
}

struct view space_view_of(const struct vidmm_allocation *allocation) {
    return segment_is_memory(allocation->segment)
               ? (struct view){.segment = allocation->segment, .place = &allocation->place}
               : (struct view){0};
}

/* ---- Mappings in plans ----------------------------------------------------------------------- */

bool space_hide(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    (void)adapter;
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        if (!table_show(mapping, NULL))
            return false;
    }
    return true;
}

bool space_show(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                struct view view) {
    (void)adapter;
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        if (!table_show(mapping, &view))
            return false;
    }
    return true;
}

/* ---- The end of an allocation; after a reset --------------------------------------------------
 */

enum vidmm_status space_forget(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    enum vidmm_status status = VIDMM_OK;
    (void)adapter;
    while (allocation->mappings) {
        enum vidmm_status one = space_unmap(allocation->mappings);
        status = status ? status : one;
    }
    return status;
}

/* With a plan of its own: the one that hung is still looked at. */
enum vidmm_status space_restore_paging(struct vidmm_adapter *adapter) {
    struct space *space = adapter->spaces.paging;
    struct plan kept = adapter->plan;
    memset(&adapter->plan, 0, sizeof(adapter->plan));
    space->now = true;
    bool emitted = tables_emit_again(space);
    for (uint32_t i = 0; emitted && i < adapter->spaces.kept_count; i++)
        emitted = emit_kept(space, &adapter->spaces.kept[i]);
    enum vidmm_status status = run_now(space, emitted);
    plan_destroy(adapter);
    adapter->plan = kept;
    return status;
}

enum vidmm_status space_restore(struct vidmm_adapter *adapter) {
    plan_begin(adapter);
    for (struct vidmm_process *process = adapter->processes; process; process = process->next) {
        if (process->space->root && !tables_emit_again(process->space))
            return error_no_memory(adapter, "vidmm reset");
    }
    return plan_execute(adapter);
}
