/*
 * check_views.c - the CPU's views of memory that no BAR shows as it is: swizzling ranges, and the
 * windows of CPU host apertures.
 */
#include "object/allocation.h"
#include "object/host_window.h"
#include "object/swizzle.h"
#include "check/bookkeeping.h"

static void check_ranges(struct vidmm_adapter *adapter) {
    const struct swizzling *swizzling = &adapter->swizzling;
    for (uint32_t i = 0; i < swizzling->count; i++) {
        const struct swizzling_range *range = &swizzling->ranges[i];
        struct check_object object = check_object("swizzling range", i);
        if (!range->allocation)
            continue;
        CHECK(adapter, range->allocation->range == range, object, "its allocation has another one");
        CHECK(adapter, range->cpu, object, "in use without an address");
        CHECK(adapter, range->used <= swizzling->clock, object,
              "it was used at a time that is still to come");
        CHECK(adapter,
              segment_is_memory(range->allocation->segment) || range->allocation->alternate ||
                  range->outlived,
              object, "its allocation is in no memory segment");
    }
}

/* ---- CPU host apertures ---------------------------------------------------------------------- */

struct windows {
    struct vidmm_adapter *adapter;
    uint64_t bytes[SEGMENTS_TOTAL]; /* of windows */
    uint32_t idle[SEGMENTS_TOTAL];
};

static void check_window(void *ctx, struct vidmm_allocation *allocation) {
    struct windows *windows = ctx;
    const struct host_window *window = allocation->window;
    const struct segment *segment = allocation->segment;
    struct check_object object = check_allocation(allocation);
    if (!window)
        return;
    bool fits = segment && window->allocation == allocation &&
                window->aperture == segment->host_aperture &&
                (uint64_t)window->count * segment->page_size == allocation->place.size;
    CHECK(windows->adapter, fits, object, "its window shows another allocation, or a part of it");
    CHECK(windows->adapter, !window->idle == (allocation->lock_kind == LOCK_SEGMENT), object,
          "its window is idle under a lock, or not idle without one");
    if (!fits)
        return;
    windows->bytes[segment->id - 1] += (uint64_t)window->count * segment->page_size;
    windows->idle[segment->id - 1] += window->idle;
}

static void check_aperture(struct windows *windows, const struct host_aperture *aperture,
                           uint32_t index) {
    struct vidmm_adapter *adapter = windows->adapter;
    struct check_object object = check_object("CPU host aperture of segment", index + 1);
    const struct host_window *before = NULL;
    uint32_t idle = 0;
    check_placer(adapter, &aperture->placer, object);
    CHECK(adapter, aperture->placer.used == windows->bytes[index] + aperture->table_bytes, object,
          "the bytes used are not the sum of the windows");
    for (const struct host_window *one = aperture->first; one; before = one, one = one->next) {
        bool linked = one->idle && one->previous == before && idle < windows->idle[index];
        CHECK(adapter, linked, object, "the idle windows are not linked both ways");
        if (!linked)
            return;
        idle++;
    }
    CHECK(adapter, aperture->last == before && idle == windows->idle[index], object,
          "not all idle windows are linked");
}

void check_views(struct vidmm_adapter *adapter) {
    struct windows windows = {.adapter = adapter};
    check_ranges(adapter);
    allocation_each(adapter, check_window, &windows);
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct host_aperture *aperture = adapter->facts.segments[i].host_aperture;
        if (aperture)
            check_aperture(&windows, aperture, i);
    }
}
