/*
 * basis.c - memory bases: the system's handles for sets of ranges whose writes it wants to know
 * (nc-d3dkmddi-dxgkddi_creatememorybasis.md and its neighbours). dirty.c reads the bits.
 *
 * The GPU keeps one plane for all, and keeps it while any basis is started. A query beside the
 * first wins nothing, so calls take turns; engines go on. A basis that was not started has no bits:
 * what is asked of it is STATUS_INVALID_DEVICE_STATE, and what is no basis STATUS_INVALID_HANDLE.
 */
#include "driver/dirty.h"

/* ---- Building the plane's side of the adapter ------------------------------------------------ */

static bool plane_fits(const struct kmd_adapter *adapter) {
    for (UINT id = 1; id <= adapter->segments; id++) {
        const struct kmd_segment *segment = kmd_segment(adapter, id);
        if (kmd_segment_is_memory(adapter, id) &&
            ((segment->base - GPU_VRAM_BASE) % adapter->dirty.page != 0 ||
             segment->size % adapter->dirty.page != 0))
            return false;
    }
    return true;
}

NTSTATUS kmd_dirty_start(struct kmd_adapter *adapter, PHYSICAL_ADDRESS plane) {
    ULONGLONG pages = adapter->dirty.page != 0 ? adapter->vram_bytes / adapter->dirty.page : 0;
    ExInitializeFastMutex(&adapter->dirty.lock);
    if (pages == 0)
        return STATUS_SUCCESS;
    if (!plane_fits(adapter))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    adapter->dirty.bytes = (SIZE_T)gpu_dirty_bytes(pages);
    adapter->dirty.memory = MmMapIoSpace(plane, adapter->dirty.bytes, MmNonCached);
    if (!adapter->dirty.memory)
        return STATUS_NO_MEMORY;
    adapter->dirty.plane = (volatile LONG64 *)adapter->dirty.memory;
    adapter->dirty.summary =
        (volatile LONG64 *)((PUCHAR)adapter->dirty.memory + gpu_dirty_summary(pages));
    return STATUS_SUCCESS;
}

static void basis_drop(struct kmd_basis *basis) {
    if (basis->pending)
        kmd_free(basis->pending);
    kmd_free(basis);
}

/* The system destroys what it created; what it forgot goes with the adapter. */
void kmd_dirty_stop(struct kmd_adapter *adapter) {
    if (!adapter->dirty.memory)
        return;
    kmd_write(adapter, GPU_REG_DIRTY, GPU_DIRTY_OFF);
    while (adapter->dirty.bases) {
        struct kmd_basis *basis = adapter->dirty.bases;
        adapter->dirty.bases = basis->next;
        basis_drop(basis);
    }
    MmUnmapIoSpace(adapter->dirty.memory, adapter->dirty.bytes);
    adapter->dirty.memory = NULL;
}

/* ---- What the system is told ----------------------------------------------------------------- */

static bool basis_offered(const struct kmd_adapter *adapter) {
    return adapter->dirty.page != 0 && (kmd_segment_set(adapter, KMD_SEGMENT_VISIBLE) |
                                        kmd_segment_set(adapter, KMD_SEGMENT_INVISIBLE)) != 0;
}

NTSTATUS kmd_query_dirty(const struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_DIRTY_BIT_TRACKING_CAPS caps = {0};
    DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS segment = {0};
    if (adapter->settings.version < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        return STATUS_INVALID_PARAMETER;
    if (args->Type == DXGKQAITYPE_DIRTYBITTRACKINGCAPS) {
        caps.DirtyBitTrackingSupported = basis_offered(adapter);
        caps.DirtyBitTrackingPerformant =
            basis_offered(adapter) && adapter->settings.dirty_performant;
        return kmd_answer(args, &caps, sizeof(caps), sizeof(caps));
    }
    const UINT *id = args->pInputData;
    if (!id || args->InputDataSize < sizeof(*id) || !kmd_segment(adapter, *id))
        return STATUS_INVALID_PARAMETER;
    if (!basis_offered(adapter) || !kmd_segment_is_memory(adapter, *id))
        return STATUS_NOT_IMPLEMENTED;
    segment.PageSize = adapter->dirty.page;
    return kmd_answer(args, &segment, sizeof(segment), sizeof(segment));
}

/* ---- Bases ----------------------------------------------------------------------------------- */

static void basis_swap(struct kmd_basis_range *a, struct kmd_basis_range *b) {
    struct kmd_basis_range c = *a;
    *a = *b;
    *b = c;
}

/* `at` goes down in a heap of `count` until nothing below it is larger. */
static void basis_sink(struct kmd_basis_range *heap, SIZE_T at, SIZE_T count) {
    for (;;) {
        SIZE_T child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1].first > heap[child].first)
            child++;
        if (heap[at].first >= heap[child].first)
            return;
        basis_swap(&heap[at], &heap[child]);
        at = child;
    }
}

static void basis_sort(struct kmd_basis_range *range, SIZE_T count) {
    for (SIZE_T i = count / 2; i != 0; i--)
        basis_sink(range, i - 1, count);
    for (SIZE_T left = count; left > 1; left--) {
        basis_swap(&range[0], &range[left - 1]);
        basis_sink(range, 0, left - 1);
    }
}

/* Takes over the system's ranges; false when they are not what it may give. */
static bool basis_fill(const struct kmd_adapter *adapter, struct kmd_basis *basis,
                       const DXGKARG_CREATEMEMORYBASIS *args) {
    const struct kmd_segment *segment = kmd_segment(adapter, args->SegmentId);
    ULONGLONG page = adapter->dirty.page, base = (segment->base - GPU_VRAM_BASE) / page;
    for (SIZE_T i = 0; i < basis->count; i++) {
        ULONGLONG offset = args->Ranges[i].SegmentOffset, size = args->Ranges[i].SizeInBytes;
        if (size == 0 || offset % page != 0 || size % page != 0 || offset > segment->size ||
            size > segment->size - offset)
            return false;
        basis->range[i] = (struct kmd_basis_range){base + offset / page, size / page, basis->pages};
        basis->sorted[i] = basis->range[i];
        basis->pages += size / page;
    }
    basis_sort(basis->sorted, basis->count);
    for (SIZE_T i = 1; i < basis->count; i++)
        if (basis->sorted[i - 1].first + basis->sorted[i - 1].pages > basis->sorted[i].first)
            return false;
    const struct kmd_basis_range *last = &basis->sorted[basis->count - 1];
    basis->low = basis->sorted[0].first;
    basis->high = last->first + last->pages;
    return true;
}

HANDLE APIENTRY kmd_create_memory_basis(const HANDLE hAdapter,
                                        const DXGKARG_CREATEMEMORYBASIS *args) {
    struct kmd_adapter *adapter = hAdapter;
    const struct kmd_segment *segment = kmd_segment(adapter, args->SegmentId);
    if (!adapter->dirty.memory || !kmd_segment_is_memory(adapter, args->SegmentId) ||
        args->RangeCount == 0 || args->RangeCount > segment->size / adapter->dirty.page)
        return NULL;
    SIZE_T count = (SIZE_T)args->RangeCount;
    struct kmd_basis *basis = kmd_alloc(sizeof(*basis) + 2 * count * sizeof(basis->range[0]));
    if (!basis)
        return NULL;
    basis->count = count;
    basis->sorted = basis->range + count;
    if (!basis_fill(adapter, basis, args)) {
        kmd_free(basis);
        return NULL;
    }
    ExAcquireFastMutex(&adapter->dirty.lock);
    basis->next = adapter->dirty.bases;
    adapter->dirty.bases = basis;
    ExReleaseFastMutex(&adapter->dirty.lock);
    return basis;
}

/* With the lock held: NULL when there is no such basis. */
static struct kmd_basis *basis_of(const struct kmd_adapter *adapter, HANDLE handle) {
    struct kmd_basis *basis = adapter->dirty.bases;
    while (basis && basis != handle)
        basis = basis->next;
    return basis;
}

/* ---- Starting and stopping ------------------------------------------------------------------- */

static bool any_started(const struct kmd_adapter *adapter) {
    const struct kmd_basis *basis = adapter->dirty.bases;
    while (basis && !basis->started)
        basis = basis->next;
    return basis;
}

static bool share_pages(const struct kmd_basis *a, const struct kmd_basis *b) {
    for (SIZE_T i = 0, k = 0; i < a->count && k < b->count;) {
        const struct kmd_basis_range *first = &a->sorted[i], *second = &b->sorted[k];
        if (first->first + first->pages <= second->first)
            i++;
        else if (second->first + second->pages <= first->first)
            k++;
        else
            return true;
    }
    return false;
}

static bool make_pending(struct kmd_basis *basis) {
    if (!basis->pending)
        basis->pending = kmd_alloc(kmd_bit_bytes(basis->pages));
    return basis->pending;
}

/* Room for what each of two bases takes from the other. */
static bool get_ready(const struct kmd_adapter *adapter, struct kmd_basis *basis) {
    for (struct kmd_basis *other = adapter->dirty.bases; other; other = other->next)
        if (other != basis && other->started && share_pages(basis, other) &&
            (!make_pending(basis) || !make_pending(other)))
            return false;
    return true;
}

static void forget_pending(struct kmd_basis *basis) {
    if (basis->pending)
        kmd_free(basis->pending);
    basis->pending = NULL;
    basis->some_pending = false;
}

static struct kmd_harvest harvest_of(struct kmd_adapter *adapter, struct kmd_basis *basis) {
    return (struct kmd_harvest){.adapter = adapter, .basis = basis, .shared = basis->pending};
}

static NTSTATUS basis_start(struct kmd_adapter *adapter, struct kmd_basis *basis) {
    if (basis->started)
        return STATUS_INVALID_DEVICE_STATE;
    if (!get_ready(adapter, basis)) {
        forget_pending(basis);
        return STATUS_NO_MEMORY;
    }
    if (!any_started(adapter))
        kmd_write(adapter, GPU_REG_DIRTY, GPU_DIRTY_ON);
    struct kmd_harvest harvest = harvest_of(adapter, basis);
    harvest.clear = true;
    kmd_harvest_begin(&harvest);
    for (SIZE_T i = 0; i < basis->count; i++)
        kmd_harvest_range(&harvest, i, 0, basis->range[i].pages, 0);
    kmd_harvest_end(&harvest);
    basis->started = true;
    return STATUS_SUCCESS;
}

static NTSTATUS basis_stop(struct kmd_adapter *adapter, struct kmd_basis *basis) {
    if (!basis->started)
        return STATUS_INVALID_DEVICE_STATE;
    basis->started = false;
    forget_pending(basis);
    if (!any_started(adapter))
        kmd_write(adapter, GPU_REG_DIRTY, GPU_DIRTY_OFF);
    return STATUS_SUCCESS;
}

static NTSTATUS with_basis(struct kmd_adapter *adapter, HANDLE handle,
                           NTSTATUS (*act)(struct kmd_adapter *, struct kmd_basis *)) {
    NTSTATUS status = STATUS_INVALID_HANDLE;
    ExAcquireFastMutex(&adapter->dirty.lock);
    struct kmd_basis *basis = basis_of(adapter, handle);
    if (basis)
        status = act(adapter, basis);
    ExReleaseFastMutex(&adapter->dirty.lock);
    return status;
}

NTSTATUS APIENTRY kmd_start_dirty_tracking(const HANDLE hAdapter, const HANDLE hMemoryBasis) {
    return with_basis(hAdapter, hMemoryBasis, basis_start);
}

NTSTATUS APIENTRY kmd_stop_dirty_tracking(const HANDLE hAdapter, const HANDLE hMemoryBasis) {
    return with_basis(hAdapter, hMemoryBasis, basis_stop);
}

static NTSTATUS basis_destroy(struct kmd_adapter *adapter, struct kmd_basis *basis) {
    struct kmd_basis **link = &adapter->dirty.bases;
    (void)basis_stop(adapter, basis); /* nothing can be made of a failure */
    while (*link != basis)
        link = &(*link)->next;
    *link = basis->next;
    basis_drop(basis);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_destroy_memory_basis(const HANDLE hAdapter, const HANDLE hMemoryBasis) {
    return with_basis(hAdapter, hMemoryBasis, basis_destroy);
}

/* ---- Querying -------------------------------------------------------------------------------- */

static NTSTATUS query_all(struct kmd_harvest *harvest, const DXGKARG_QUERYDIRTYBITDATA *args) {
    struct kmd_basis *basis = harvest->basis;
    harvest->bytes = kmd_bit_bytes(basis->pages);
    if (args->BufferSize < harvest->bytes)
        return STATUS_BUFFER_TOO_SMALL;
    kmd_harvest_begin(harvest);
    for (SIZE_T i = 0; i < basis->count; i++)
        kmd_harvest_range(harvest, i, 0, basis->range[i].pages, basis->range[i].bit);
    if (harvest->clear)
        basis->some_pending = false;
    return STATUS_SUCCESS;
}

static NTSTATUS query_part(struct kmd_harvest *harvest, const DXGKARG_QUERYDIRTYBITDATA *args) {
    const struct kmd_basis *basis = harvest->basis;
    ULONGLONG page = harvest->adapter->dirty.page;
    if (args->SubrangeIndex >= basis->count || args->SubrangeOffset % page != 0 ||
        args->SubrangeSize % page != 0)
        return STATUS_INVALID_PARAMETER;
    ULONGLONG all = basis->range[args->SubrangeIndex].pages;
    ULONGLONG first = args->SubrangeOffset / page, pages = args->SubrangeSize / page;
    if (first > all || pages > all - first)
        return STATUS_INVALID_PARAMETER;
    harvest->bytes = kmd_bit_bytes(pages);
    if (args->BufferSize < harvest->bytes)
        return STATUS_BUFFER_TOO_SMALL;
    kmd_harvest_begin(harvest);
    kmd_harvest_range(harvest, (SIZE_T)args->SubrangeIndex, first, pages, 0);
    return STATUS_SUCCESS;
}

static NTSTATUS basis_query(struct kmd_adapter *adapter, const DXGKARG_QUERYDIRTYBITDATA *args) {
    struct kmd_basis *basis = basis_of(adapter, args->MemoryBasis);
    if (!basis)
        return STATUS_INVALID_HANDLE;
    if (!basis->started)
        return STATUS_INVALID_DEVICE_STATE;
    struct kmd_harvest harvest = harvest_of(adapter, basis);
    harvest.out = args->Buffer;
    harvest.clear = (args->Flags & DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA) != 0;
    NTSTATUS status =
        args->SubrangeSize == 0 ? query_all(&harvest, args) : query_part(&harvest, args);
    if (NT_SUCCESS(status))
        kmd_harvest_end(&harvest);
    return status;
}

NTSTATUS APIENTRY kmd_query_dirty_bit_data(const HANDLE hAdapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    struct kmd_adapter *adapter = hAdapter;
    if (!args->Buffer || (args->Flags & ~(UINT)DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA) != 0)
        return STATUS_INVALID_PARAMETER;
    ExAcquireFastMutex(&adapter->dirty.lock);
    NTSTATUS status = basis_query(adapter, args);
    ExReleaseFastMutex(&adapter->dirty.lock);
    return status;
}
