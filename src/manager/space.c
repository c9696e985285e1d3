/*
 * space.c - see space.h: the spaces' part in plans, and the paging process.
 *
 * The paging process's addresses, from the bottom: 64 KiB that lead nowhere; windows, through which
 * page tables and paging buffers are reached, and which stay; the scratch space, which is taken
 * piece by piece and from the start again. Its tables are pinned and written by the CPU at the
 * start and after a reset (system-paging-process.md).
 */
#include "space.h"

#include "allocation.h"
#include "process.h"
#include "space_change.h"
#include "table.h"

#define SCRATCH_BYTES (UINT64_C(1) << 30) /* the least that there should be (R263) */
#define WINDOW_SHARE  4u                  /* windows have so many times less */
#define EXTENT_LEAST  (UINT64_C(16) << 20)
#define CALL          "vidmm paging process"

/* ---- The paging process ---------------------------------------------------------------------- */

static enum vidmm_status check_table(struct vidmm_adapter *adapter) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    bool root = !mmu_root_grows(&adapter->facts.mmu) || ddi->DxgkDdiGetRootPageTableSize;
    const struct needed_function needed[] = {
        {"DxgkDdiCreateProcess", ddi->DxgkDdiCreateProcess != NULL},
        {"DxgkDdiDestroyProcess", ddi->DxgkDdiDestroyProcess != NULL},
        {"DxgkDdiCreateContext", adapter->contexts},
        {"DxgkDdiSetRootPageTable", ddi->DxgkDdiSetRootPageTable != NULL},
        {"DxgkDdiGetRootPageTableSize", root},
        {"DxgkDdiSubmitCommandVirtual", ddi->DxgkDdiSubmitCommandVirtual != NULL},
    };
    return adapter_needs(adapter, needed, sizeof needed / sizeof needed[0],
                         "a function, from a driver with GpuMmuSupported", "gpummu-model");
}

/*
 * Bytes of addresses: as many as there should be, unless their leaf tables then take more than a
 * quarter of the segment that they lie in.
 */
static uint64_t extent_of(const struct vidmm_adapter *adapter, uint64_t limit) {
    const struct vidmm_level_info *leaf = &adapter->facts.mmu.level[0];
    const struct segment *segment = query_segment(&adapter->facts, leaf->paging_segment);
    uint64_t scratch = adapter->facts.mmu.paging ? adapter->facts.mmu.paging : SCRATCH_BYTES;
    uint64_t all = scratch + scratch / WINDOW_SHARE;
    all = all > EXTENT_LEAST ? all : EXTENT_LEAST;
    all = all < limit ? all : limit;
    while (segment && all > EXTENT_LEAST &&
           (all >> (leaf->index_bits + PAGE_SHIFT)) * leaf->size > segment->size / 4)
        all /= 2;
    return all;
}

/* How the paging process's addresses are divided. False: no memory. */
static bool lay_out(struct vidmm_adapter *adapter, struct space *space) {
    struct spaces *spaces = &adapter->spaces;
    const struct va_use nothing = {.kind = VA_NOTHING};
    uint64_t all = extent_of(adapter, space->va.limit);
    space->va.limit = all;
    spaces->scratch_end = all;
    spaces->scratch_start = all / (WINDOW_SHARE + 1) & ~(uint64_t)(SPACE_RESERVE_UNIT - 1);
    spaces->scratch_next = spaces->scratch_start;
    return va_set(&space->va, 0, SPACE_RESERVE_UNIT, &nothing) &&
           va_set(&space->va, spaces->scratch_start, all, &nothing);
}

/* Runs the plan under construction, which the CPU carries out at once. */
static enum vidmm_status run_now(struct space *space, bool emitted) {
    enum vidmm_status status =
        emitted ? plan_execute(space->adapter) : fault_no_memory(space->adapter, CALL);
    space->now = false;
    return status;
}

static enum vidmm_status make_paging(struct vidmm_adapter *adapter, struct space *space) {
    struct spaces *spaces = &adapter->spaces;
    spaces->paging = space;
    space->paging = true;
    spaces->entries = adapter_alloc(adapter, 2 * TABLE_ENTRIES_MAX * sizeof *spaces->entries);
    if (!spaces->entries || !lay_out(adapter, space))
        return fault_no_memory(adapter, CALL);
    enum vidmm_status status = tables_prepare(space, 0, space->va.limit);
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
        status = process_make(adapter, true, &adapter->system_process);
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
    adapter_free(adapter, spaces->entries, 2 * TABLE_ENTRIES_MAX * sizeof *spaces->entries);
    adapter_free(adapter, spaces->kept, spaces->kept_capacity * sizeof *spaces->kept);
    memset(spaces, 0, sizeof *spaces);
}

static bool emit_kept(struct space *space, const struct kept_pages *kept) {
    struct table_source source = {.mdl = kept->mdl};
    return table_scratch(space, kept->start, kept->start + kept->size, &source);
}

uint64_t space_keep_pages(struct vidmm_adapter *adapter, PMDL mdl, uint64_t size) {
    struct spaces *spaces = &adapter->spaces;
    struct space *space = spaces->paging;
    const struct va_use nothing = {.kind = VA_NOTHING};
    struct kept_pages kept = {.size = size, .mdl = mdl};
    if (!adapter_grow(adapter, (void **)&spaces->kept, &spaces->kept_capacity,
                      spaces->kept_count + 1, sizeof *spaces->kept) ||
        !va_pick(&space->va, size, PAGE_BYTES, 0, space->va.limit, &kept.start) ||
        !va_set(&space->va, kept.start, kept.start + size, &nothing))
        return 0;
    plan_begin(adapter);
    space->now = true;
    if (run_now(space, emit_kept(space, &kept)))
        return 0;
    spaces->kept[spaces->kept_count++] = kept;
    return kept.start;
}

/* ---- Roots ----------------------------------------------------------------------------------- */

enum vidmm_status space_enter(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    const struct space *space = context->device->process->space;
    if (space->away)
        return VIDMM_OK; /* with all others, when it is back */
    DXGKARG_SETROOTPAGETABLE arg = {.hContext = context->handle,
                                    .Address = table_address(&space->root->memory[0]),
                                    .NumEntries = space->root->entries};
    adapter->ddi->DxgkDdiSetRootPageTable(adapter->hadapter, &arg);
    return VIDMM_OK;
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

/* ---- Moving bytes ---------------------------------------------------------------------------- */

/* Scratch addresses that nothing built so far uses, unless `wrapped` says so. */
static uint64_t take_scratch(struct spaces *spaces, uint64_t size) {
    if (spaces->scratch_end - spaces->scratch_next < size) {
        spaces->scratch_next = spaces->scratch_start;
        spaces->wrapped = true;
    }
    uint64_t start = spaces->scratch_next;
    spaces->scratch_next += size;
    return start;
}

/* What one piece of an allocation may have in common: size, and protection while it is paged. */
struct piece {
    uint64_t at, size;
    uint64_t protection; /* 0, or the unique one of its mappings (driver-protection.md) */
};

/* The unique protection at `at`, and how far it is the same. */
static uint64_t protection_at(const struct vidmm_allocation *allocation, uint64_t at,
                              uint64_t *end) {
    uint64_t protection = 0;
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        const struct va_use *use = &mapping->use;
        if (!(use->driver_protection & VIDMM_DRIVER_PROTECTION_UNIQUE))
            continue;
        uint64_t start, stop;
        space_mapped_bytes(mapping, &start, &stop);
        if (at >= start && at < stop) {
            protection = use->driver_protection;
            *end = stop < *end ? stop : *end;
        } else if (start > at) {
            *end = start < *end ? start : *end;
        }
    }
    return protection;
}

/* `sides`: how many pieces of scratch space it needs. False: all was done. */
static bool next_piece(struct vidmm_adapter *adapter, const struct vidmm_allocation *allocation,
                       uint32_t sides, struct piece *piece) {
    const struct spaces *spaces = &adapter->spaces;
    uint64_t most = (spaces->scratch_end - spaces->scratch_start) / sides & ~(PAGE_BYTES - 1ull);
    uint64_t end = allocation->size;
    piece->at += piece->size;
    if (piece->at >= end)
        return false;
    piece->protection = protection_at(allocation, piece->at, &end);
    if (adapter->transfer_chunk && adapter->transfer_chunk < most)
        most = adapter->transfer_chunk;
    piece->size = end - piece->at < most ? end - piece->at : most;
    return true;
}

/* A piece of an allocation as the paging process sees it from `va` on. */
static bool show_piece(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                       const struct piece *piece, struct view view, uint64_t va) {
    struct table_source source = {.allocation = allocation,
                                  .view = view,
                                  .mdl = allocation->mdl,
                                  .offset = piece->at,
                                  .driver_protection = piece->protection};
    return table_scratch(adapter->spaces.paging, va, va + piece->size, &source);
}

static struct vidmm_place place_of(const struct vidmm_allocation *allocation, struct view view,
                                   uint64_t at) {
    uint64_t row;
    if (!view.segment)
        return (struct vidmm_place){.mdl = allocation->mdl, .mdl_page = at / PAGE_BYTES};
    return (struct vidmm_place){.segment = view.segment->id,
                                .offset = placement_at(view.place, at, &row)};
}

bool space_transfer(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                    struct view from, struct view to) {
    struct piece piece = {0};
    while (next_piece(adapter, allocation, 2, &piece)) {
        uint64_t source = take_scratch(&adapter->spaces, 2 * piece.size);
        uint64_t target = source + piece.size;
        if (!show_piece(adapter, allocation, &piece, from, source) ||
            !show_piece(adapter, allocation, &piece, to, target) ||
            !table_flush(adapter->spaces.paging))
            return false;
        struct plan_op *op = plan_add(adapter, VIDMM_OP_VIRTUAL_TRANSFER, allocation);
        if (!op)
            return false;
        op->op.at = piece.at;
        op->op.size = piece.size;
        op->op.from = place_of(allocation, from, piece.at);
        op->op.to = place_of(allocation, to, piece.at);
        op->op.va_from = source;
        op->op.va_to = target;
    }
    return true;
}

bool space_fill(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation, struct view to,
                uint32_t pattern) {
    struct piece piece = {0};
    while (next_piece(adapter, allocation, 1, &piece)) {
        uint64_t target = take_scratch(&adapter->spaces, piece.size);
        if (!show_piece(adapter, allocation, &piece, to, target) ||
            !table_flush(adapter->spaces.paging))
            return false;
        struct plan_op *op = plan_add(adapter, VIDMM_OP_VIRTUAL_FILL, allocation);
        if (!op)
            return false;
        op->op.at = piece.at;
        op->op.size = piece.size;
        op->op.pattern = pattern;
        op->op.to = place_of(allocation, to, piece.at);
        op->op.va_to = target;
    }
    return true;
}

bool space_init(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                struct view to) {
    struct spaces *spaces = &adapter->spaces;
    const struct piece piece = {.size = allocation->size};
    bool fits = piece.size <= spaces->scratch_end - spaces->scratch_start;
    uint64_t target = fits ? take_scratch(spaces, piece.size) : 0;
    if (fits &&
        (!show_piece(adapter, allocation, &piece, to, target) || !table_flush(spaces->paging)))
        return false;
    struct plan_op *op = plan_add(adapter, VIDMM_OP_INIT_CONTEXT_RESOURCE, allocation);
    if (!op)
        return false;
    op->op.to = (struct vidmm_place){.segment = allocation->segment->id,
                                     .offset = allocation->place.offset};
    op->op.va_to = target;
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
    memset(&adapter->plan, 0, sizeof adapter->plan);
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
            return fault_no_memory(adapter, "vidmm reset");
    }
    return plan_execute(adapter);
}
