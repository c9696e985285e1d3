/*
 * dirty_plane.c - see dirty.h: a plane a tracked segment.
 */
#include "base/adapter.h"
#include "base/bitmap.h"
#include "migration/dirty.h"
#include "migration/in_use.h"

#define PART_BYTES 512u /* of a query when there is no memory for a larger one */

static struct segment *segment_of(struct vidmm_adapter *adapter, uint32_t id) {
    return query_segment(&adapter->facts, id);
}

/* ---- The basis of a segment ------------------------------------------------------------------ */

/* The whole dirty pages of a segment that do not lie in the driver's invalid ranges. */
static void mark_valid(const struct segment *segment, uint32_t page, uint8_t *map) {
    bitmap_set(map, 0, segment->size / page, true);
    for (uint32_t i = 0; i < segment->invalid_count; i++) {
        uint64_t start = segment->invalid[i].SegmentOffset;
        uint64_t first = (start + page - 1) / page;
        uint64_t end = (start + segment->invalid[i].SizeInBytes) / page;
        bitmap_set(map, first, end < first ? first : end, false);
    }
}

static uint32_t count_runs(const uint8_t *map, uint64_t pages) {
    uint32_t count = 0;
    for (struct bitmap_run run = bitmap_run(map, 0, pages); run.first < run.end;
         run = bitmap_run(map, run.end, pages))
        count++;
    return count;
}

static enum vidmm_status make_basis(struct vidmm_adapter *adapter, uint32_t id, const uint8_t *map,
                                    struct dirty_plane *plane) {
    uint32_t page = adapter->facts.dirty.page[id - 1], count = count_runs(map, plane->pages), i = 0;
    struct vidmm_memory_range *ranges;
    if (count == 0)
        return VIDMM_OK;
    ranges = adapter_alloc(adapter, count * sizeof(*ranges));
    if (!ranges)
        return error_no_memory(adapter, "vidmm_adapter_start");
    for (struct bitmap_run run = bitmap_run(map, 0, plane->pages); run.first < run.end;
         run = bitmap_run(map, run.end, plane->pages))
        ranges[i++] = (struct vidmm_memory_range){run.first * page, (run.end - run.first) * page};
    enum vidmm_status status = basis_make(adapter, id, ranges, count, &plane->basis);
    adapter_free(adapter, ranges, count * sizeof(*ranges));
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static enum vidmm_status make_plane(struct vidmm_adapter *adapter, uint32_t id) {
    struct dirty_plane *plane = &adapter->dirty.planes[id - 1];
    struct segment *segment = segment_of(adapter, id);
    uint32_t page = adapter->facts.dirty.page[id - 1];
    plane->pages = (segment->size + page - 1) / page;
    size_t bytes = bitmap_bytes(plane->pages);
    uint8_t *map = adapter_alloc(adapter, bytes);
    if (!map)
        return error_no_memory(adapter, "vidmm_adapter_start");
    mark_valid(segment, page, map);
    enum vidmm_status status = make_basis(adapter, id, map, plane);
    adapter_free(adapter, map, bytes);
    if (status || !adapter->migration.staging)
        return status;
    plane->pending = adapter_alloc(adapter, bytes);
    plane->written = adapter_alloc(adapter, bytes);
    if (!plane->pending || !plane->written)
        return error_no_memory(adapter, "vidmm_adapter_start");
    return in_use_separate(adapter, segment, page);
}

enum vidmm_status dirty_start(struct vidmm_adapter *adapter) {
    const struct dirty_facts *facts = &adapter->facts.dirty;
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t id = 1; status == VIDMM_OK && id <= adapter->facts.segment_count; id++) {
        if (facts->page[id - 1])
            status = make_plane(adapter, id);
    }
    if (status)
        return status;
    if (facts->performant)
        return dirty_track(adapter);
    dirty_lost(adapter); /* what was written before a migration begins is unknown */
    return VIDMM_OK;
}

void dirty_stop(struct vidmm_adapter *adapter) {
    while (adapter->dirty.bases)
        basis_end(adapter->dirty.bases);
    for (uint32_t i = 0; i < SEGMENTS_MAX; i++) {
        struct dirty_plane *plane = &adapter->dirty.planes[i];
        adapter_free(adapter, plane->pending, bitmap_bytes(plane->pages));
        adapter_free(adapter, plane->written, bitmap_bytes(plane->pages));
        *plane = (struct dirty_plane){0};
    }
}

struct dirty_plane *dirty_plane_of(struct vidmm_adapter *adapter, uint32_t id) {
    struct dirty_plane *plane = segment_of(adapter, id) ? &adapter->dirty.planes[id - 1] : NULL;
    return plane && plane->written ? plane : NULL;
}

enum vidmm_status dirty_track(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < SEGMENTS_MAX; i++) {
        struct vidmm_memory_basis *basis = adapter->dirty.planes[i].basis;
        if (basis && !basis->started)
            status = basis_begin(basis);
    }
    return status;
}

void dirty_untrack(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; !adapter->facts.dirty.performant && i < SEGMENTS_MAX; i++) {
        struct vidmm_memory_basis *basis = adapter->dirty.planes[i].basis;
        if (basis && basis->started)
            (void)basis_stop(basis);
    }
}

/* ---- What is known --------------------------------------------------------------------------- */

static void dirty_plane_note(struct dirty_plane *plane, uint64_t first, uint64_t end) {
    bitmap_set(plane->pending, first, end, true);
    bitmap_set(plane->written, first, end, true);
}

void dirty_lost(struct vidmm_adapter *adapter) {
    for (uint32_t id = 1; id <= adapter->facts.segment_count; id++) {
        struct dirty_plane *plane = dirty_plane_of(adapter, id);
        if (plane)
            dirty_plane_note(plane, 0, plane->pages);
    }
}

void dirty_rewind(struct vidmm_adapter *adapter) {
    for (uint32_t id = 1; id <= adapter->facts.segment_count; id++) {
        struct dirty_plane *plane = dirty_plane_of(adapter, id);
        if (plane)
            memcpy(plane->pending, plane->written, bitmap_bytes(plane->pages));
    }
}

/* Bits of `count` pages of one range, from bit `from` of an answer on. */
static void dirty_plane_spread(struct dirty_plane *plane, uint64_t first, const uint8_t *bits,
                               uint64_t from, uint64_t count) {
    bitmap_merge(plane->pending, first, bits, from, count);
    bitmap_merge(plane->written, first, bits, from, count);
}

void dirty_note_answer(const struct vidmm_memory_basis *basis,
                       const struct vidmm_dirty_query *query, const uint8_t *bits) {
    struct dirty_plane *plane = dirty_plane_of(basis->adapter, basis->segment);
    uint64_t from = 0;
    if (!plane)
        return;
    if (query->size) {
        uint64_t start = basis->ranges[query->index].offset + query->offset;
        dirty_plane_spread(plane, start / basis->page, bits, 0, query->size / basis->page);
        return;
    }
    for (uint32_t i = 0; i < basis->count; i++) {
        uint64_t count = basis->ranges[i].size / basis->page;
        dirty_plane_spread(plane, basis->ranges[i].offset / basis->page, bits, from, count);
        from += count;
    }
}

/*
 * A driver may share one plane among bases, so that starting one clears it for all (R321,
 * R326). What was written and not gathered by then is no longer known.
 */
void dirty_note_start(const struct vidmm_memory_basis *basis) {
    struct dirty_plane *plane = dirty_plane_of(basis->adapter, basis->segment);
    for (uint32_t i = 0; plane && i < basis->count; i++) {
        uint64_t first = basis->ranges[i].offset / basis->page;
        dirty_plane_note(plane, first, first + basis->ranges[i].size / basis->page);
    }
}

/* In pieces that need no memory (dirty-bit-tracking.md: any part of a basis can be asked for). */
static enum vidmm_status gather_parts(struct vidmm_memory_basis *basis) {
    const uint64_t most = UINT64_C(8) * PART_BYTES * basis->page;
    uint8_t bits[PART_BYTES];
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; i < basis->count; i++) {
        struct vidmm_dirty_query query = {.index = i, .clear = true};
        for (; status == VIDMM_OK && query.offset < basis->ranges[i].size;
             query.offset += query.size) {
            uint64_t left = basis->ranges[i].size - query.offset;
            query.size = left < most ? left : most;
            status = basis_ask(basis, &query, bits, sizeof(bits));
            if (status == VIDMM_OK)
                dirty_note_answer(basis, &query, bits);
        }
    }
    return status;
}

static enum vidmm_status gather_whole(struct vidmm_memory_basis *basis, uint8_t *bits,
                                      size_t size) {
    const struct vidmm_dirty_query query = {.clear = true};
    enum vidmm_status status = basis_ask(basis, &query, bits, size);
    if (status == VIDMM_OK)
        dirty_note_answer(basis, &query, bits);
    return status;
}

enum vidmm_status dirty_gather(struct vidmm_adapter *adapter, uint32_t id) {
    const struct segment *segment = segment_of(adapter, id);
    struct dirty_plane *plane = dirty_plane_of(adapter, id);
    struct vidmm_memory_basis *basis = plane->basis;
    const struct vidmm_dirty_query whole = {.clear = true};
    if (!basis) { /* the whole segment is smaller than a dirty page */
        dirty_plane_note(plane, 0, plane->pages);
        return VIDMM_OK;
    }
    if (segment->size % basis->page) /* what is left over is in no basis (R316) */
        dirty_plane_note(plane, plane->pages - 1, plane->pages);
    size_t size = vidmm_basis_query_bytes(basis, &whole);
    uint8_t *bits = adapter_alloc(adapter, size);
    if (!bits)
        return gather_parts(basis);
    enum vidmm_status status = gather_whole(basis, bits, size);
    adapter_free(adapter, bits, size);
    return status;
}
