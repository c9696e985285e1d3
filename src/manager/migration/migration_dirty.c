/*
 * migration_dirty.c - see migration.h: what of a segment has to be sent.
 *
 * A page is sent when it is in use and pending (dirty.h). One that comes into use after it was
 * looked at is sent as well, though it was not written since: allocations are filled before they are
 * mapped, but padding behind them is not, and what a driver leaves out of the content of
 * its own allocations is its affair. Memory is then the same on both sides to the last byte.
 */
#include "base/adapter.h"
#include "base/bitmap.h"
#include "migration/in_use.h"
#include "migration/migration.h"

struct dirty_plane *migration_plane(struct vidmm_adapter *adapter, uint32_t id, const char *call,
                                    enum vidmm_status *status) {
    struct dirty_plane *plane = dirty_plane_of(adapter, id);
    if (!plane)
        *status = error_argument(adapter, call, "a memory segment of an adapter that can migrate");
    return plane;
}

uint8_t *migration_map(struct vidmm_adapter *adapter, uint32_t id, const char *call) {
    const struct dirty_plane *plane = dirty_plane_of(adapter, id);
    uint8_t *map = adapter_alloc(adapter, bitmap_bytes(plane->pages));
    if (!map)
        (void)error_no_memory(adapter, call);
    else
        in_use_mark(adapter, query_segment(&adapter->facts, id), adapter->facts.dirty.page[id - 1],
                    map);
    return map;
}

/* The set bits as ranges of bytes. */
static enum vidmm_status list_ranges(struct vidmm_adapter *adapter, uint32_t id, const uint8_t *map,
                                     const char *call, struct vidmm_memory_range **ranges,
                                     uint32_t *count) {
    uint64_t pages = dirty_plane_of(adapter, id)->pages;
    uint64_t page = adapter->facts.dirty.page[id - 1], size = adapter->facts.segments[id - 1].size;
    uint32_t runs = 0, i = 0;
    for (struct bitmap_run run = bitmap_run(map, 0, pages); run.first < run.end;
         run = bitmap_run(map, run.end, pages))
        runs++;
    if (runs == 0)
        return VIDMM_OK;
    *ranges = adapter_alloc(adapter, runs * sizeof(**ranges));
    if (!*ranges)
        return error_no_memory(adapter, call);
    *count = runs;
    for (struct bitmap_run run = bitmap_run(map, 0, pages); run.first < run.end;
         run = bitmap_run(map, run.end, pages)) {
        uint64_t end = run.end * page < size ? run.end * page : size;
        (*ranges)[i++] = (struct vidmm_memory_range){run.first * page, end - run.first * page};
    }
    return VIDMM_OK;
}

/* Pending pages that are in use; they are pending no more once they are listed. */
static enum vidmm_status list_dirty(struct vidmm_adapter *adapter, uint32_t id, const char *call,
                                    struct vidmm_memory_range **ranges, uint32_t *count) {
    struct dirty_plane *plane = dirty_plane_of(adapter, id);
    enum vidmm_status status = dirty_gather(adapter, id);
    uint8_t *map = status == VIDMM_OK ? migration_map(adapter, id, call) : NULL;
    if (!map)
        return status ? status : VIDMM_NO_MEMORY;
    for (size_t i = 0; i < bitmap_bytes(plane->pages); i++)
        map[i] &= plane->pending[i];
    status = list_ranges(adapter, id, map, call, ranges, count);
    for (size_t i = 0; status == VIDMM_OK && i < bitmap_bytes(plane->pages); i++)
        plane->pending[i] &= (uint8_t)~map[i];
    adapter_free(adapter, map, bitmap_bytes(plane->pages));
    return status;
}

enum vidmm_status vidmm_migration_dirty(struct vidmm_adapter *adapter, uint32_t id,
                                        struct vidmm_memory_range **ranges, uint32_t *count) {
    static const char call[] = "vidmm_migration_dirty";
    *ranges = NULL;
    *count = 0;
    adapter_enter(adapter);
    enum vidmm_status status = migration_is(adapter, VIDMM_MIGRATION_SOURCE, call);
    if (status == VIDMM_OK && migration_plane(adapter, id, call, &status))
        status = list_dirty(adapter, id, call, ranges, count);
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_migration_used(struct vidmm_adapter *adapter, uint32_t id,
                                       struct vidmm_memory_range **ranges, uint32_t *count) {
    static const char call[] = "vidmm_migration_used";
    *ranges = NULL;
    *count = 0;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, call);
    const struct dirty_plane *plane =
        status == VIDMM_OK ? migration_plane(adapter, id, call, &status) : NULL;
    uint8_t *map = plane ? migration_map(adapter, id, call) : NULL;
    if (map) {
        status = list_ranges(adapter, id, map, call, ranges, count);
        adapter_free(adapter, map, bitmap_bytes(plane->pages));
    } else if (plane) {
        status = VIDMM_NO_MEMORY;
    }
    adapter_leave(adapter);
    return status;
}

void vidmm_migration_release_ranges(struct vidmm_adapter *adapter,
                                    struct vidmm_memory_range *ranges, uint32_t count) {
    adapter_free(adapter, ranges, count * sizeof(*ranges));
}
