/*
 * host_aperture.c - see host_aperture.h.
 */
#include "object/host_aperture.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "object/host_window.h"

#define MAP_CALL "DxgkDdiMapCpuHostAperture"
#define MAP_PAGE "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture"

/* ---- Which are idle -------------------------------------------------------------------------- */

static void stop_idling(struct host_window *window) {
    struct host_aperture *aperture = window->aperture;
    if (!window->idle)
        return;
    *(window->previous ? &window->previous->next : &aperture->first) = window->next;
    *(window->next ? &window->next->previous : &aperture->last) = window->previous;
    window->idle = false;
}

void host_aperture_idle(struct vidmm_allocation *allocation) {
    struct host_window *window = allocation->window;
    if (!window || window->idle)
        return;
    struct host_aperture *aperture = window->aperture;
    window->idle = true;
    window->previous = aperture->last;
    window->next = NULL;
    *(aperture->last ? &aperture->last->next : &aperture->first) = window;
    aperture->last = window;
}

/* ---- Windows --------------------------------------------------------------------------------- */

static size_t window_bytes(uint32_t count) {
    return sizeof(struct host_window) + count * sizeof(UINT32);
}

static void host_aperture_drop(struct host_window *window) {
    struct host_aperture *aperture = window->aperture;
    stop_idling(window);
    if (window->block)
        placer_free(&aperture->placer, window->block);
    adapter_free(window->adapter, window, window_bytes(window->count));
}

static void host_aperture_unmap(struct host_window *window) {
    struct vidmm_adapter *adapter = window->adapter;
    const struct segment *segment = window->aperture->segment;
    DXGKARG_UNMAPCPUHOSTAPERTURE arg = {.NumberOfPages = window->count,
                                        .pCpuHostAperturePages = window->pages,
                                        .SegmentId = (WORD)segment->driver_id,
                                        .PhysicalAdapterIndex = (WORD)segment->physical};
    (void)adapter->ddi->DxgkDdiUnmapCpuHostAperture(adapter->hadapter, &arg);
    if (window->allocation)
        window->allocation->window = NULL;
    host_aperture_drop(window);
}

void host_aperture_release(struct vidmm_allocation *allocation) {
    if (allocation->window)
        host_aperture_unmap(allocation->window);
}

/* Pages of the aperture for `window`, at the cost of idle ones. */
static enum placer_result host_aperture_place(struct host_aperture *aperture,
                                              struct host_window *window) {
    uint32_t page = aperture->segment->page_size;
    const struct placer_request request = {.size = (uint64_t)window->count * page};
    enum placer_result result;
    while ((result = placer_alloc(&aperture->placer, &request, &window->block)) == PLACER_FULL &&
           aperture->first)
        host_aperture_unmap(aperture->first);
    if (result != PLACER_OK)
        return result;
    uint64_t first = placer_offset(&aperture->placer, window->block) / page;
    for (uint32_t i = 0; i < window->count; i++)
        window->pages[i] = (UINT32)(first + i);
    return PLACER_OK;
}

/* The driver maps them. VIDMM_NOT_LOCKABLE: it refused. */
static enum vidmm_status host_aperture_map(struct host_window *window,
                                           const struct placement *place) {
    const struct vidmm_allocation *allocation = window->allocation;
    struct vidmm_adapter *adapter = window->adapter;
    bool named = allocation && !allocation->dead;
    const struct segment *segment = window->aperture->segment;
    UINT64 *pages = adapter_alloc(adapter, window->count * sizeof(*pages));
    uint64_t run;
    if (!pages)
        return error_no_memory(adapter, MAP_CALL);
    for (uint32_t i = 0; i < window->count; i++)
        pages[i] = placement_at(place, (uint64_t)i * segment->page_size, &run) / segment->page_size;
    DXGKARG_MAPCPUHOSTAPERTURE arg = {.hAllocation = named ? allocation->handle : NULL,
                                      .SegmentId = (WORD)segment->driver_id,
                                      .PhysicalAdapterIndex = (WORD)segment->physical,
                                      .NumberOfPages = window->count,
                                      .pCpuHostAperturePages = window->pages,
                                      .pMemorySegmentPages = pages};
    NTSTATUS nt = adapter->ddi->DxgkDdiMapCpuHostAperture(adapter->hadapter, &arg);
    adapter_free(adapter, pages, window->count * sizeof(*pages));
    if (nt == STATUS_SUCCESS)
        return VIDMM_OK;
    (void)FAIL(adapter, .status = VIDMM_DRIVER_REFUSED, .call = MAP_CALL, .field = "return value",
               .expected = "STATUS_SUCCESS", .page = MAP_PAGE, .index = segment->driver_id,
               .value = (uint32_t)nt, .nt = nt);
    return VIDMM_NOT_LOCKABLE;
}

/* ---- The aperture of a segment --------------------------------------------------------------- */

static struct host_aperture *aperture_of(struct vidmm_adapter *adapter, struct segment *segment) {
    struct host_aperture *aperture = segment->host_aperture;
    if (aperture)
        return aperture;
    aperture = adapter_alloc(adapter, sizeof(*aperture));
    if (!aperture)
        return NULL;
    aperture->segment = segment;
    if (!placer_init(&aperture->placer, &adapter->os, segment->host_aperture_size,
                     segment->page_size)) {
        adapter_free(adapter, aperture, sizeof(*aperture));
        return NULL;
    }
    segment->host_aperture = aperture;
    return aperture;
}

void host_apertures_end(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        struct host_aperture *aperture = adapter->facts.segments[i].host_aperture;
        if (!aperture)
            continue;
        placer_destroy(&aperture->placer);
        adapter_free(adapter, aperture, sizeof(*aperture));
        adapter->facts.segments[i].host_aperture = NULL;
    }
}

/* Cached views only where the segment says that it has them (ns-d3dkmddi-_dxgk_segmentflags.md). */
bool host_aperture_serves(const struct vidmm_allocation *allocation) {
    const struct segment *segment = allocation->segment;
    const DRIVER_INITIALIZATION_DATA *ddi = allocation->adapter->ddi;
    return segment && segment->host_aperture_size && ddi->DxgkDdiMapCpuHostAperture &&
           ddi->DxgkDdiUnmapCpuHostAperture && !allocation_swizzled(allocation) &&
           (!allocation->info.Flags.Cached || segment->flags.SupportsCachedCpuHostAperture);
}

static enum vidmm_status host_aperture_open_window(struct host_window *window,
                                                   const struct placement *place) {
    struct host_aperture *aperture = window->aperture;
    struct vidmm_adapter *adapter = window->adapter;
    const struct vidmm_os *os = &adapter->os;
    enum placer_result result = host_aperture_place(aperture, window);
    if (result == PLACER_FULL)
        return VIDMM_DOES_NOT_FIT;
    if (result == PLACER_NO_MEMORY)
        return error_no_memory(adapter, MAP_CALL);
    uint64_t at = placer_offset(&aperture->placer, window->block);
    uint64_t size = (uint64_t)window->count * aperture->segment->page_size;
    window->cpu = os->io_map(os->ctx, aperture->segment->host_aperture_base + at, (size_t)size);
    return window->cpu ? host_aperture_map(window, place) : error_no_memory(adapter, MAP_CALL);
}

/* `count` pages of the segment from `place` on. `allocation` NULL: they are a page table's. */
static enum vidmm_status make_window(struct vidmm_adapter *adapter, struct segment *segment,
                                     const struct placement *place, uint32_t count,
                                     struct vidmm_allocation *allocation,
                                     struct host_window **out) {
    struct host_aperture *aperture = aperture_of(adapter, segment);
    struct host_window *window = aperture ? adapter_alloc(adapter, window_bytes(count)) : NULL;
    if (!window)
        return error_no_memory(adapter, MAP_CALL);
    window->adapter = adapter;
    window->aperture = aperture;
    window->allocation = allocation;
    window->count = count;
    enum vidmm_status status = host_aperture_open_window(window, place);
    if (status)
        host_aperture_drop(window);
    else
        *out = window;
    return status;
}

enum vidmm_status host_aperture_acquire(struct vidmm_allocation *allocation, void **cpu) {
    struct vidmm_adapter *adapter = allocation->adapter;
    struct segment *segment = allocation->segment;
    VIDMM_ASSERT(adapter, segment_is_memory(segment));
    if (!allocation->window) {
        uint32_t count = (uint32_t)(allocation->place.size / segment->page_size);
        enum vidmm_status status = make_window(adapter, segment, &allocation->place, count,
                                               allocation, &allocation->window);
        if (status)
            return status == VIDMM_DOES_NOT_FIT ? VIDMM_NOT_LOCKABLE : status;
    }
    stop_idling(allocation->window);
    *cpu = allocation->window->cpu;
    return VIDMM_OK;
}

/* ---- Page tables ----------------------------------------------------------------------------- */

enum vidmm_status host_aperture_open_table(struct vidmm_adapter *adapter, struct segment *segment,
                                           const struct placement *place, uint64_t size,
                                           struct host_window **window) {
    uint64_t page = segment->page_size, before = place->offset % page;
    uint32_t count = (uint32_t)((before + size + page - 1) / page);
    enum vidmm_status status = make_window(adapter, segment, place, count, NULL, window);
    if (status == VIDMM_OK)
        segment->host_aperture->table_bytes += count * page;
    if (status == VIDMM_NOT_LOCKABLE)
        return error_no_memory(adapter, MAP_CALL);
    if (status != VIDMM_DOES_NOT_FIT)
        return status;
    return FAIL(adapter, .status = VIDMM_DOES_NOT_FIT, .call = MAP_CALL,
                .field = "DXGK_SEGMENTDESCRIPTOR4.CpuHostAperture.SizeInPages",
                .expected =
                    "room for a view of each page table of the segment, beside those in use",
                .page = "ns-d3dkmddi-_dxgk_segmentdescriptor4", .index = segment->driver_id,
                .value = segment->host_aperture_size / page);
}

void *host_aperture_table(const struct host_window *window, const struct placement *place) {
    return (uint8_t *)window->cpu + place->offset % window->aperture->segment->page_size;
}

void host_aperture_close_table(struct host_window *window) {
    struct host_aperture *aperture = window->aperture;
    aperture->table_bytes -= (uint64_t)window->count * aperture->segment->page_size;
    host_aperture_unmap(window);
}
