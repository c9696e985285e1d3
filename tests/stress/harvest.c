/*
 * harvest.c - see harvest.h.
 */
#include "harvest.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/migration.h>

#include "actor.h"

/* A segment: its pages in ranges of random lengths, in random order. */
struct harvested {
    struct vidmm_memory_basis *basis;
    struct vidmm_memory_range range[HARVEST_RANGES];
    uint32_t count;
    uint32_t page_bytes;
    unsigned char *bits;
    size_t size;
    atomic_ullong *seen; /* by page: the round that reported it last */
};

static void must(enum vidmm_status status, const char *what) {
    if (status != VIDMM_OK)
        stress_fail("a reader of dirty bits: %s: status %d", what, (int)status);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void note(struct harvest *harvest, struct harvested *segment, uint64_t offset, uint64_t size,
                 uint64_t round) {
    uint64_t page = offset / segment->page_bytes, reported = 0;
    for (uint64_t i = 0; i < size / segment->page_bytes; i++) {
        if (!(segment->bits[i / 8] >> i % 8 & 1u))
            continue;
        atomic_store(&segment->seen[page + i], round);
        reported++;
    }
    atomic_fetch_add(&harvest->reported, reported);
}

/* One range, in one query or two. */
static void ask_range(struct harvest *harvest, struct harvested *segment, uint32_t index,
                      uint64_t round) {
    const struct vidmm_memory_range *range = &segment->range[index];
    uint64_t pages = range->size / segment->page_bytes;
    uint64_t cut = stress_random(&harvest->random) % pages * segment->page_bytes;
    for (uint64_t at = 0; at < range->size;) {
        uint64_t end = at < cut ? cut : range->size;
        const struct vidmm_dirty_query query = {
            .index = index, .offset = at, .size = end - at, .clear = true};
        must(vidmm_basis_query(segment->basis, &query, segment->bits, segment->size), "a query");
        note(harvest, segment, range->offset + at, end - at, round);
        at = end;
    }
}

void harvest_once(struct harvest *harvest) {
    uint64_t round = atomic_fetch_add(&harvest->begun, 1) + 1;
    for (uint32_t id = 1; id <= HARVEST_SEGMENTS; id++) {
        struct harvested *segment = harvest->segment[id];
        for (uint32_t i = 0; segment && i < segment->count; i++)
            ask_range(harvest, segment, i, round);
    }
    atomic_store(&harvest->finished, round);
}

static void *ask_on(void *ctx) {
    struct harvest *harvest = ctx;
    while (!atomic_load(&harvest->over)) {
        harvest_once(harvest);
        sched_yield();
    }
    return NULL;
}

/* ---- Being asked ----------------------------------------------------------------------------- */

void harvest_settle(struct harvest *harvest) {
    uint64_t begun = atomic_load(&harvest->begun);
    if (!harvest->threaded)
        harvest_once(harvest);
    while (atomic_load(&harvest->finished) <= begun)
        sched_yield();
}

bool harvest_reported(const struct harvest *harvest, uint32_t segment, uint64_t offset,
                      uint64_t begin) {
    const struct harvested *harvested = segment <= HARVEST_SEGMENTS ? harvest->segment[segment] : 0;
    return !harvested || atomic_load(&harvested->seen[offset / harvested->page_bytes]) >= begin;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

/* Cuts `pages` pages at random places and shuffles the pieces. */
static void cut_ranges(struct harvest *harvest, struct harvested *segment, uint64_t pages) {
    uint64_t at = 0;
    while (at < pages) {
        bool last = segment->count == HARVEST_RANGES - 1;
        uint64_t part = last ? pages - at : stress_random(&harvest->random) % (pages - at) + 1;
        uint32_t place = (uint32_t)(stress_random(&harvest->random) % (segment->count + 1u));
        segment->range[segment->count++] = segment->range[place];
        segment->range[place] =
            (struct vidmm_memory_range){at * segment->page_bytes, part * segment->page_bytes};
        at += part;
    }
}

static void track(struct harvest *harvest, uint32_t id) {
    struct vidmm_segment_info info;
    uint32_t page = vidmm_dirty_page(harvest->adapter, id);
    if (page == 0 || !vidmm_segment_info(harvest->adapter, id, &info) || info.aperture)
        return;
    struct harvested *segment = calloc(1, sizeof(*segment));
    uint64_t pages = info.size / page;
    segment->page_bytes = page;
    segment->size = (size_t)(pages + 7) / 8;
    segment->bits = calloc(1, segment->size);
    segment->seen = calloc(pages, sizeof(*segment->seen));
    cut_ranges(harvest, segment, pages);
    must(vidmm_basis_create(harvest->adapter, id, segment->range, segment->count, &segment->basis),
         "a basis");
    must(vidmm_basis_start(segment->basis), "the start");
    harvest->segment[id] = segment;
}

void harvest_start(struct harvest *harvest, struct vidmm_adapter *adapter, uint64_t seed,
                   bool threaded) {
    memset(harvest, 0, sizeof(*harvest));
    harvest->adapter = adapter;
    harvest->random = seed;
    harvest->threaded = threaded;
    for (uint32_t id = 1; id <= HARVEST_SEGMENTS; id++)
        track(harvest, id);
    if (threaded && pthread_create(&harvest->thread, NULL, ask_on, harvest) != 0)
        stress_fail("no thread for a reader of dirty bits");
}

void harvest_stop(struct harvest *harvest) {
    atomic_store(&harvest->over, true);
    if (harvest->threaded)
        pthread_join(harvest->thread, NULL);
    for (uint32_t id = 1; id <= HARVEST_SEGMENTS; id++) {
        struct harvested *segment = harvest->segment[id];
        if (!segment)
            continue;
        vidmm_basis_destroy(segment->basis);
        free(segment->bits);
        free(segment->seen);
        free(segment);
    }
}
