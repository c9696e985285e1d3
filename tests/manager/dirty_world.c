/*
 * dirty_world.c - see dirty_world.h.
 */
#include "dirty_world.h"

struct world_dirty *world_track(struct world *world, bool performant, uint32_t page) {
    struct world_dirty *dirty = calloc(1, sizeof(*dirty));
    dirty->supported = dirty->migration = true;
    dirty->performant = performant;
    dirty->page[0] = dirty->page[2] = page;
    dirty->data_size = DIRTY_DATA;
    world->version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
    world->dirty = dirty;
    return dirty;
}

NTSTATUS dirty_answer(struct world *world, const DXGKARG_QUERYADAPTERINFO *arg) {
    struct world_dirty *dirty = world->dirty;
    DXGK_DIRTY_BIT_TRACKING_CAPS *caps = arg->pOutputData;
    DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS *segment = arg->pOutputData;
    DXGK_GPUPCAPS *partition = arg->pOutputData;
    const DXGK_QUERYSEGMENTMEMORYSTATE *state = arg->pOutputData;
    if (!dirty)
        return STATUS_INVALID_PARAMETER;
    switch (arg->Type) {
    case DXGKQAITYPE_DIRTYBITTRACKINGCAPS:
        dirty->caps_asked++;
        caps->DirtyBitTrackingSupported = dirty->supported;
        caps->DirtyBitTrackingPerformant = dirty->performant;
        return STATUS_SUCCESS;
    case DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS:
        dirty->segment_caps_asked++;
        segment->PageSize = dirty->page[*(const UINT *)arg->pInputData - 1];
        return segment->PageSize ? STATUS_SUCCESS : STATUS_NOT_IMPLEMENTED;
    case DXGKQAITYPE_GPUPCAPS:
        partition->Caps.LiveMigration = dirty->migration;
        return STATUS_SUCCESS;
    case DXGKQAITYPE_SEGMENTMEMORYSTATE:
        state->pMemoryRanges[0] =
            (DXGK_MEMORYRANGE){.SegmentOffset = 0, .SizeInBytes = dirty->invalid_pages * PAGE};
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

/* ---- Tracking -------------------------------------------------------------------------------- */

static uint64_t page_of(const struct dirty_basis *basis) {
    return basis->world->dirty->page[basis->segment - 1];
}

static uint64_t pages_of(const struct dirty_basis *basis) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < basis->count; i++)
        bytes += basis->ranges[i].SizeInBytes;
    return bytes / page_of(basis);
}

/* The position of a byte of the segment in the basis, or its number of pages. */
static uint64_t position(const struct dirty_basis *basis, uint64_t offset) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < basis->count; i++) {
        const DXGK_MEMORYRANGE *range = &basis->ranges[i];
        if (offset >= range->SegmentOffset && offset - range->SegmentOffset < range->SizeInBytes)
            return at + (offset - range->SegmentOffset) / page_of(basis);
        at += range->SizeInBytes / page_of(basis);
    }
    return at;
}

/* What is at `offset` becomes `bit` in every basis of the segment. */
static void mark(struct world *world, uint32_t segment, uint64_t offset, uint8_t bit) {
    for (uint32_t i = 0; i < DIRTY_BASES; i++) {
        struct dirty_basis *basis = &world->dirty->bases[i];
        if (!basis->used || !basis->started || basis->segment != segment)
            continue;
        uint64_t at = position(basis, offset);
        if (at < pages_of(basis))
            basis->bits[at] = bit;
    }
}

void world_wrote(struct world *world, uint32_t segment, uint64_t offset) {
    if (world->dirty)
        mark(world, segment, offset, 1);
}

static HANDLE APIENTRY create_basis(HANDLE adapter, const DXGKARG_CREATEMEMORYBASIS *arg) {
    struct world *world = adapter;
    for (uint32_t i = 0; i < DIRTY_BASES; i++) {
        struct dirty_basis *basis = &world->dirty->bases[i];
        if (basis->used)
            continue;
        assert_true(arg->RangeCount > 0 && arg->RangeCount <= DIRTY_RANGES);
        *basis = (struct dirty_basis){.world = world,
                                      .used = true,
                                      .segment = arg->SegmentId,
                                      .count = (uint32_t)arg->RangeCount};
        memcpy(basis->ranges, arg->Ranges, basis->count * sizeof(*arg->Ranges));
        basis->bits = calloc(1, pages_of(basis));
        return basis;
    }
    return NULL;
}

static NTSTATUS APIENTRY destroy_basis(HANDLE adapter, HANDLE handle) {
    struct dirty_basis *basis = handle;
    (void)adapter;
    assert_true(basis->used && !basis->started); /* R320 */
    free(basis->bits);
    basis->used = false;
    return STATUS_SUCCESS;
}

/* One page of a basis is zero from now on, as the driver does it. */
static void clear(struct dirty_basis *basis, uint32_t range, uint64_t page) {
    uint64_t offset = basis->ranges[range].SegmentOffset + page * page_of(basis);
    if (basis->world->dirty->shared_plane)
        mark(basis->world, basis->segment, offset, 0);
    basis->bits[position(basis, offset)] = 0;
}

static NTSTATUS APIENTRY start_tracking(HANDLE adapter, HANDLE handle) {
    struct dirty_basis *basis = handle;
    struct world *world = adapter;
    assert_true(basis->used && !basis->started);
    world->dirty->starts++;
    if (world->dirty->refuse_start)
        return world->dirty->refuse_start;
    basis->started = true;
    for (uint32_t i = 0; i < basis->count; i++) {
        for (uint64_t page = 0; page < basis->ranges[i].SizeInBytes / page_of(basis); page++)
            clear(basis, i, page);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY stop_tracking(HANDLE adapter, HANDLE handle) {
    struct dirty_basis *basis = handle;
    struct world *world = adapter;
    assert_true(basis->used && basis->started);
    world->dirty->stops++;
    basis->started = false;
    return STATUS_SUCCESS;
}

/* The bits of one part, from `bit` of the answer on; how many they are. */
static uint64_t answer_part(struct dirty_basis *basis, uint32_t range, uint64_t offset,
                            uint64_t size, uint8_t *out, uint64_t bit, bool clears) {
    uint64_t first = offset / page_of(basis), count = size / page_of(basis);
    for (uint64_t i = 0; i < count; i++, bit++) {
        uint64_t at = position(basis, basis->ranges[range].SegmentOffset + offset) + i;
        if (basis->bits[at])
            out[bit / 8] |= (uint8_t)(1u << (bit % 8));
        if (clears)
            clear(basis, range, first + i);
    }
    return count;
}

static NTSTATUS APIENTRY query_bits(HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *arg) {
    struct dirty_basis *basis = arg->MemoryBasis;
    struct world_dirty *dirty = ((struct world *)adapter)->dirty;
    bool clears = arg->Flags & DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA;
    uint64_t bit = 0;
    assert_true(basis->used);
    dirty->queries++;
    dirty->part_queries += arg->SubrangeSize != 0;
    if (arg->SubrangeSize) {
        const DXGK_MEMORYRANGE *range = &basis->ranges[arg->SubrangeIndex];
        assert_true(arg->SubrangeIndex < basis->count); /* R329 */
        assert_true(arg->SubrangeOffset + arg->SubrangeSize <= range->SizeInBytes);
        assert_int_equal((arg->SubrangeOffset | arg->SubrangeSize) % page_of(basis), 0);
        memset(arg->Buffer, 0, (arg->SubrangeSize / page_of(basis) + 7) / 8);
        answer_part(basis, (uint32_t)arg->SubrangeIndex, arg->SubrangeOffset, arg->SubrangeSize,
                    arg->Buffer, 0, clears);
        return STATUS_SUCCESS;
    }
    assert_true(arg->BufferSize >= (pages_of(basis) + 7) / 8); /* R328 */
    memset(arg->Buffer, 0, (pages_of(basis) + 7) / 8);
    for (uint32_t i = 0; i < basis->count; i++)
        bit += answer_part(basis, i, 0, basis->ranges[i].SizeInBytes, arg->Buffer, bit, clears);
    return STATUS_SUCCESS;
}

/* ---- Migration ------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY prepare(HANDLE adapter, const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *arg) {
    struct world_dirty *dirty = ((struct world *)adapter)->dirty;
    assert_int_equal(arg->vfIndex, 0);
    assert_int_equal(dirty->prepared, dirty->ended);
    dirty->prepared++;
    dirty->side = arg->MigrationType;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY end(HANDLE adapter, UINT vf) {
    struct world_dirty *dirty = ((struct world *)adapter)->dirty;
    assert_int_equal(vf, 0);
    dirty->ended++;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY save(HANDLE adapter, DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *arg) {
    struct world_dirty *dirty = ((struct world *)adapter)->dirty;
    dirty->saved++;
    if (!arg->Data) {
        assert_int_equal(*arg->DataSize, 0);
        *arg->DataSize = dirty->data_size;
        return STATUS_SUCCESS;
    }
    assert_int_equal(*arg->DataSize, DIRTY_DATA);
    memset(arg->Data, 0x5a, DIRTY_DATA);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY restore(HANDLE adapter,
                                 const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *arg) {
    struct world_dirty *dirty = ((struct world *)adapter)->dirty;
    if (dirty->refuse_restore)
        return dirty->refuse_restore;
    assert_int_equal(arg->DataSize, DIRTY_DATA);
    memcpy(dirty->received, arg->Data, DIRTY_DATA);
    dirty->restored++;
    return STATUS_SUCCESS;
}

void dirty_table(struct world *world) {
    DRIVER_INITIALIZATION_DATA *ddi = &world->ddi;
    if (!world->dirty)
        return;
    ddi->DxgkDdiCreateMemoryBasis = create_basis;
    ddi->DxgkDdiDestroyMemoryBasis = destroy_basis;
    ddi->DxgkDdiStartDirtyTracking = start_tracking;
    ddi->DxgkDdiStopDirtyTracking = stop_tracking;
    ddi->DxgkDdiQueryDirtyBitData = query_bits;
    ddi->DxgkDdiPrepareLiveMigration = prepare;
    ddi->DxgkDdiEndLiveMigration = end;
    ddi->DxgkDdiSaveImmutableMigrationData = save;
    ddi->DxgkDdiSaveMutableMigrationData = save;
    ddi->DxgkDdiRestoreImmutableMigrationData = restore;
    ddi->DxgkDdiRestoreMutableMigrationData = restore;
}
