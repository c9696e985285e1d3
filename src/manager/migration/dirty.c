/*
 * dirty.c - see dirty.h: one memory basis, and the driver's calls for it.
 */
#include "migration/dirty.h"

#include "base/adapter.h"
#include "base/assert.h"
#include "base/bitmap.h"

#define START_CALL "DxgkDdiStartDirtyTracking"
#define STOP_CALL  "DxgkDdiStopDirtyTracking"
#define QUERY_CALL "DxgkDdiQueryDirtyBitData"

void vidmm_dirty_info(struct vidmm_adapter *adapter, struct vidmm_dirty_info *info) {
    const struct dirty_facts *facts = &adapter->facts.dirty;
    *info = (struct vidmm_dirty_info){.tracking = facts->tracking,
                                      .performant = facts->performant,
                                      .migration = facts->migration,
                                      .tracks_always = facts->performant};
}

uint32_t vidmm_dirty_page(struct vidmm_adapter *adapter, uint32_t id) {
    return query_segment(&adapter->facts, id) ? adapter->facts.dirty.page[id - 1] : 0;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* Whole pages of the segment, none of them in `taken`, where they then are. */
static bool dirty_take(uint8_t *taken, uint64_t bytes, uint32_t page,
                       const struct vidmm_memory_range *range) {
    if (range->size == 0 || range->offset > bytes || range->size > bytes - range->offset ||
        (range->offset | range->size) % page)
        return false;
    uint64_t first = range->offset / page, end = first + range->size / page;
    if (bitmap_next(taken, first, end, true) < end)
        return false;
    bitmap_set(taken, first, end, true);
    return true;
}

/* R315 to R317 are the manager's: the caller may not make it break them. */
static enum vidmm_status check_ranges(struct vidmm_adapter *adapter, const struct segment *segment,
                                      uint32_t page, const struct vidmm_memory_range *ranges,
                                      uint32_t count) {
    size_t size = bitmap_bytes(segment->size / page + 1);
    uint8_t *taken = adapter_alloc(adapter, size);
    bool good = count != 0;
    if (!taken)
        return error_no_memory(adapter, "vidmm_basis_create");
    for (uint32_t i = 0; good && i < count; i++)
        good = dirty_take(taken, segment->size, page, &ranges[i]);
    adapter_free(adapter, taken, size);
    return good ? VIDMM_OK
                : error_argument(adapter, "vidmm_basis_create",
                                 "disjoint ranges of whole dirty pages inside the segment");
}

/* ---- The driver's calls ---------------------------------------------------------------------- */

static size_t arg_bytes(uint32_t count) {
    return offsetof(DXGKARG_CREATEMEMORYBASIS, Ranges) + count * sizeof(DXGK_MEMORYRANGE);
}

static enum vidmm_status dirty_driver_create(struct vidmm_memory_basis *basis) {
    struct vidmm_adapter *adapter = basis->adapter;
    DXGKARG_CREATEMEMORYBASIS *arg = adapter_alloc(adapter, arg_bytes(basis->count));
    if (!arg)
        return error_no_memory(adapter, "vidmm_basis_create");
    arg->SegmentId = basis->segment;
    arg->RangeCount = basis->count;
    for (uint32_t i = 0; i < basis->count; i++) {
        arg->Ranges[i].SegmentOffset = basis->ranges[i].offset;
        arg->Ranges[i].SizeInBytes = basis->ranges[i].size;
    }
    basis->handle = adapter->ddi->DxgkDdiCreateMemoryBasis(adapter->hadapter, arg);
    adapter_free(adapter, arg, arg_bytes(basis->count));
    if (basis->handle)
        return VIDMM_OK;
    return FAIL(adapter, .status = VIDMM_DRIVER_REFUSED, .call = "DxgkDdiCreateMemoryBasis",
                .field = "return value", .expected = "a handle",
                .page = "nc-d3dkmddi-dxgkddi_creatememorybasis", .index = basis->segment,
                .nt = STATUS_NO_MEMORY);
}

static size_t basis_bytes(uint32_t count) {
    return sizeof(struct vidmm_memory_basis) + count * sizeof(struct vidmm_memory_range);
}

static void dirty_list(struct vidmm_memory_basis *basis) {
    struct vidmm_memory_basis **first = &basis->adapter->dirty.bases;
    basis->next = *first;
    basis->link = first;
    if (basis->next)
        basis->next->link = &basis->next;
    *first = basis;
}

enum vidmm_status basis_make(struct vidmm_adapter *adapter, uint32_t segment,
                             const struct vidmm_memory_range *ranges, uint32_t count,
                             struct vidmm_memory_basis **out) {
    VIDMM_ASSERT_LOCKED(adapter);
    struct vidmm_memory_basis *basis = adapter_alloc(adapter, basis_bytes(count));
    if (!basis)
        return error_no_memory(adapter, "vidmm_basis_create");
    basis->adapter = adapter;
    basis->segment = segment;
    basis->page = adapter->facts.dirty.page[segment - 1];
    basis->count = count;
    memcpy(basis->ranges, ranges, count * sizeof(*ranges));
    enum vidmm_status status = dirty_driver_create(basis);
    if (status) {
        adapter_free(adapter, basis, basis_bytes(count));
        return status;
    }
    dirty_list(basis);
    *out = basis;
    return VIDMM_OK;
}

/* What the driver says of the destruction cannot be made good (nc-…_destroymemorybasis). */
void basis_end(struct vidmm_memory_basis *basis) {
    VIDMM_ASSERT_LOCKED(basis->adapter);
    struct vidmm_adapter *adapter = basis->adapter;
    if (basis->started)
        (void)basis_stop(basis);
    NTSTATUS nt = adapter->ddi->DxgkDdiDestroyMemoryBasis(adapter->hadapter, basis->handle);
    if (nt != STATUS_SUCCESS)
        (void)FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = "DxgkDdiDestroyMemoryBasis",
                    .field = "return value", .expected = "STATUS_SUCCESS", .rule = "R319",
                    .page = "nc-d3dkmddi-dxgkddi_destroymemorybasis", .index = basis->segment,
                    .value = (uint32_t)nt, .nt = nt);
    *basis->link = basis->next;
    if (basis->next)
        basis->next->link = basis->link;
    adapter_free(adapter, basis, basis_bytes(basis->count));
}

enum vidmm_status basis_begin(struct vidmm_memory_basis *basis) {
    VIDMM_ASSERT_LOCKED(basis->adapter);
    struct vidmm_adapter *adapter = basis->adapter;
    enum vidmm_status status = error_unless_success(
        adapter, START_CALL, "nc-d3dkmddi-dxgkddi_startdirtytracking",
        adapter->ddi->DxgkDdiStartDirtyTracking(adapter->hadapter, basis->handle));
    basis->started = status == VIDMM_OK;
    return status;
}

enum vidmm_status basis_stop(struct vidmm_memory_basis *basis) {
    VIDMM_ASSERT_LOCKED(basis->adapter);
    struct vidmm_adapter *adapter = basis->adapter;
    basis->started = false;
    return error_unless_success(
        adapter, STOP_CALL, "nc-d3dkmddi-dxgkddi_stopdirtytracking",
        adapter->ddi->DxgkDdiStopDirtyTracking(adapter->hadapter, basis->handle));
}

enum vidmm_status basis_ask(struct vidmm_memory_basis *basis, const struct vidmm_dirty_query *query,
                            void *bits, size_t size) {
    VIDMM_ASSERT_LOCKED(basis->adapter);
    struct vidmm_adapter *adapter = basis->adapter;
    DXGKARG_QUERYDIRTYBITDATA arg = {
        .MemoryBasis = basis->handle,
        .SubrangeIndex = query->size ? query->index : 0,
        .SubrangeOffset = query->size ? query->offset : 0,
        .SubrangeSize = query->size,
        .Buffer = bits,
        .BufferSize = size,
        .Flags = query->clear ? DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA : 0};
    return error_unless_success(adapter, QUERY_CALL, "nc-d3dkmddi-dxgkddi_querydirtybitdata",
                                adapter->ddi->DxgkDdiQueryDirtyBitData(adapter->hadapter, &arg));
}

/* ---- The interface --------------------------------------------------------------------------- */

enum vidmm_status vidmm_basis_create(struct vidmm_adapter *adapter, uint32_t id,
                                     const struct vidmm_memory_range *ranges, uint32_t count,
                                     struct vidmm_memory_basis **out) {
    uint32_t page = vidmm_dirty_page(adapter, id);
    *out = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_basis_create");
    if (status == VIDMM_OK && !page)
        status = error_argument(adapter, "vidmm_basis_create", "a segment that the driver tracks");
    if (status == VIDMM_OK)
        status = check_ranges(adapter, query_segment(&adapter->facts, id), page, ranges, count);
    if (status == VIDMM_OK)
        status = basis_make(adapter, id, ranges, count, out);
    adapter_leave(adapter);
    return status;
}

void vidmm_basis_destroy(struct vidmm_memory_basis *basis) {
    if (!basis)
        return;
    struct vidmm_adapter *adapter = basis->adapter;
    adapter_enter(adapter);
    basis_end(basis);
    adapter_leave(adapter);
}

enum vidmm_status vidmm_basis_start(struct vidmm_memory_basis *basis) {
    struct vidmm_adapter *adapter = basis->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_basis_start");
    if (status == VIDMM_OK && basis->started)
        status = error_argument(adapter, "vidmm_basis_start", "a basis that is not started");
    if (status == VIDMM_OK)
        status = basis_begin(basis);
    if (status == VIDMM_OK)
        dirty_note_start(basis);
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_basis_stop(struct vidmm_memory_basis *basis) {
    struct vidmm_adapter *adapter = basis->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_basis_stop");
    if (status == VIDMM_OK && !basis->started)
        status = error_argument(adapter, "vidmm_basis_stop", "a basis that is started");
    if (status == VIDMM_OK)
        status = basis_stop(basis);
    adapter_leave(adapter);
    return status;
}

/* Pages of a query; 0: there is no such part. */
static uint64_t query_pages(const struct vidmm_memory_basis *basis,
                            const struct vidmm_dirty_query *query) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; query->size == 0 && i < basis->count; i++)
        bytes += basis->ranges[i].size;
    if (query->size == 0)
        return query->index == 0 && query->offset == 0 ? bytes / basis->page : 0;
    if (query->index >= basis->count || (query->offset | query->size) % basis->page ||
        query->offset > basis->ranges[query->index].size ||
        query->size > basis->ranges[query->index].size - query->offset)
        return 0;
    return query->size / basis->page;
}

size_t vidmm_basis_query_bytes(const struct vidmm_memory_basis *basis,
                               const struct vidmm_dirty_query *query) {
    return bitmap_bytes(query_pages(basis, query));
}

enum vidmm_status vidmm_basis_query(struct vidmm_memory_basis *basis,
                                    const struct vidmm_dirty_query *query, void *bits,
                                    size_t size) {
    struct vidmm_adapter *adapter = basis->adapter;
    size_t least = vidmm_basis_query_bytes(basis, query);
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_basis_query");
    if (status == VIDMM_OK && !basis->started)
        status = error_argument(adapter, "vidmm_basis_query", "a basis that is started");
    if (status == VIDMM_OK && (least == 0 || size < least))
        status = error_argument(adapter, "vidmm_basis_query",
                                "a part of the basis, and room for all of its bits");
    if (status == VIDMM_OK)
        status = basis_ask(basis, query, bits, size);
    if (status == VIDMM_OK && query->clear)
        dirty_note_answer(basis, query, bits);
    adapter_leave(adapter);
    return status;
}
