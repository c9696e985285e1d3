/*
 * paging_process.c - see paging_process.h.
 */
#include "life/paging_process.h"

#include "paging/paging.h"
#include "reported/needed.h"
#include "residency/room.h"
#include "life/process.h"

#define SCRATCH_BYTES (UINT64_C(1) << 30) /* the least that there should be (R263) */
#define WINDOW_SHARE  4u                  /* windows have so many times less */
#define EXTENT_LEAST  (UINT64_C(16) << 20)
#define CALL          "vidmm paging process"

uint64_t paging_process_migration_bytes(const struct vidmm_adapter *adapter, uint32_t physical) {
    const struct adapter_facts *facts = &adapter->facts;
    uint64_t wanted = 2 * VIDMM_MIGRATION_STAGING;
    return facts->dirty.migration && wanted < facts->physical[physical].mmu.limit / 2 ? wanted : 0;
}

/* Paging buffers lie among the windows; large ones have addresses of their own, so that windows are left. */
static uint64_t paging_process_buffer_bytes(const struct vidmm_adapter *adapter,
                                            uint32_t physical) {
    const struct physical_facts *facts = &adapter->facts.physical[physical];
    const uint64_t unit = SPACE_RESERVE_UNIT, least = EXTENT_LEAST / (WINDOW_SHARE + 1);
    uint64_t all = (PAGING_BUFFERS + 1) * page_round(facts->paging_size);
    all = (all + unit - 1) / unit * unit;
    return all > least / 2 && all < facts->mmu.limit / 2 ? all : 0;
}

static enum vidmm_status paging_process_needs(struct vidmm_adapter *adapter, uint32_t physical) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    const struct mmu *mmu = &adapter->facts.physical[physical].mmu;
    bool root = !mmu_root_grows(mmu) || ddi->DxgkDdiGetRootPageTableSize;
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

/* Beside scratch and windows. */
static uint64_t paging_process_aside(const struct vidmm_adapter *adapter, uint32_t physical) {
    return paging_process_migration_bytes(adapter, physical) +
           paging_process_buffer_bytes(adapter, physical);
}

/*
 * Bytes of addresses: as many as there should be, unless their leaf tables then take more than a
 * quarter of the segment that they lie in.
 */
uint64_t paging_process_bytes(const struct vidmm_adapter *adapter, uint32_t physical) {
    const struct mmu *mmu = &adapter->facts.physical[physical].mmu;
    const struct vidmm_level_info *leaf = &mmu->level[0];
    const struct segment *segment = query_segment(&adapter->facts, leaf->paging_segment);
    uint64_t scratch = mmu->paging ? mmu->paging : SCRATCH_BYTES;
    uint64_t aside = paging_process_aside(adapter, physical), limit = mmu->limit - aside;
    uint64_t all = scratch + scratch / WINDOW_SHARE, page = segment ? segment->page_size : 1;
    uint64_t each = (leaf->size + page - 1) / page * page; /* a table has pages of its own */
    all = all > EXTENT_LEAST ? all : EXTENT_LEAST;
    all = all < limit ? all : limit;
    while (segment && all > EXTENT_LEAST &&
           (all >> (leaf->index_bits + PAGE_SHIFT)) * each > segment->size / 4)
        all /= 2;
    return all + aside;
}

/* Where they begin: a root that grows is no larger than it has to be, and what the driver reserved is its own. */
static uint64_t paging_process_from(const struct vidmm_adapter *adapter, struct space *space,
                                    uint64_t bytes) {
    uint64_t from = adapter->settings.paging_from;
    bool room = !mmu_root_grows(space->mmu) && bytes <= space->mmu->limit &&
                from <= space->mmu->limit - bytes;
    return room && va_is_free(space->va, from, from + bytes) ? from : 0;
}

/* How the paging process's addresses are divided. False: no memory. */
static bool paging_process_lay_out(struct vidmm_adapter *adapter, struct space *space) {
    struct spaces *spaces = spaces_of(space);
    const struct va_use nothing = {.kind = VA_NOTHING};
    const uint64_t bytes = paging_process_bytes(adapter, space->physical),
                   buffers = paging_process_buffer_bytes(adapter, space->physical),
                   all = bytes - paging_process_aside(adapter, space->physical),
                   windows = all / (WINDOW_SHARE + 1) & ~(uint64_t)(SPACE_RESERVE_UNIT - 1),
                   from = paging_process_from(adapter, space, bytes), end = from + bytes;
    space->va->from = from;
    space->va->limit = end;
    spaces->scratch_start = spaces->scratch_next = from + buffers + windows;
    spaces->scratch_end = from + buffers + all;
    uint64_t most = adapter->settings.scratch_most;
    if (most && most < all - windows)
        spaces->scratch_end = spaces->scratch_start + most;
    return va_set(space->va, 0, SPACE_RESERVE_UNIT, &nothing) &&
           va_set(space->va, spaces->scratch_start, end, &nothing);
}

static enum vidmm_status paging_process_make_tables(struct vidmm_adapter *adapter,
                                                    struct space *space) {
    struct spaces *spaces = spaces_of(space);
    spaces->paging = space;
    spaces->make_place = room_for_table;
    spaces->entries = adapter_alloc(adapter, 2 * TABLE_ENTRIES_MAX * sizeof(*spaces->entries));
    if (!spaces->entries || !paging_process_lay_out(adapter, space))
        return error_no_memory(adapter, CALL);
    uint64_t end = space->va->root->high; /* of what the driver reserved */
    struct tables_ready ready;
    struct plan plan;
    enum vidmm_status status =
        end > space->va->limit ? tables_prepare(space, end, end, &ready) : VIDMM_OK;
    if (status == VIDMM_OK)
        status = tables_prepare(space, space->va->from, space->va->limit, &ready);
    if (status)
        return status;
    space->now = true;
    status = space_run_now(&plan, space, tables_begin(&plan, &ready, VIDMM_PLAN_START));
    tables_keep(space);
    return status;
}

static enum vidmm_status paging_process_begin(struct vidmm_adapter *adapter, uint32_t physical) {
    struct vidmm_process **process = &adapter->physical[physical].process;
    enum vidmm_status status = paging_process_needs(adapter, physical);
    if (status == VIDMM_OK)
        status = process_make_paging(adapter, physical, process);
    return status == VIDMM_OK ? paging_process_make_tables(adapter, (*process)->space) : status;
}

enum vidmm_status paging_process_start(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = paging_process_begin(adapter, i);
    return status;
}

static void paging_process_finish(struct vidmm_adapter *adapter, uint32_t physical) {
    struct spaces *spaces = &adapter->physical[physical].spaces;
    struct vidmm_process *process = adapter->physical[physical].process;
    if (process && process->space->root && !adapter->stopped) {
        struct plan plan;
        plan_begin(&plan, adapter, VIDMM_PLAN_STOP);
        process->space->now = true;
        (void)space_run_now(&plan, process->space, tables_emit_leave(&plan, process->space));
    }
    if (process)
        process_end(process);
    adapter->physical[physical].process = NULL;
    adapter_free(adapter, spaces->entries, 2 * TABLE_ENTRIES_MAX * sizeof(*spaces->entries));
    adapter_free(adapter, spaces->kept, spaces->kept_capacity * sizeof(*spaces->kept));
    memset(spaces, 0, sizeof(*spaces));
}

void paging_process_stop(struct vidmm_adapter *adapter) {
    for (uint32_t i = adapter->facts.linked; i-- > 0;)
        paging_process_finish(adapter, i);
}
