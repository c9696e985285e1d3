/*
 * area.c - for each segment, sets of pages and hashes.
 */
#include "area.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wire.h"

static bool area_open(struct migrate_area *area) {
    const struct migrate_segment *segment = &area->segment;
    uint64_t pages = segment->bytes / segment->page_bytes;
    area->hash = calloc((size_t)pages + 1, sizeof(*area->hash));
    return area->hash && page_set_init(&area->used, pages) && page_set_init(&area->moved, pages) &&
           page_set_init(&area->due, pages);
}

static bool segment_good(const struct migrate_segment *segment) {
    uint32_t page = segment->page_bytes;
    return page >= MIGRATE_PAGE_LEAST && page <= MIGRATE_PAGE_MOST && (page & (page - 1)) == 0 &&
           segment->bytes % page == 0 && segment->bytes / page < MIGRATE_PAGE_INDEX;
}

bool migrate_areas_open(struct migrate_areas *areas, const struct migrate_device *device,
                        char *text, size_t text_size) {
    struct migrate_segment list[MIGRATE_SEGMENTS];
    uint32_t count = device->segments(device->ctx, list, MIGRATE_SEGMENTS);
    areas->count = 0;
    areas->area = calloc(count + 1u, sizeof(*areas->area));
    if (count == 0)
        snprintf(text, text_size, "%s", device->why(device->ctx));
    for (uint32_t i = 0; areas->area && i < count; i++) {
        areas->area[areas->count++].segment = list[i];
        if (!segment_good(&list[i])) {
            snprintf(text, text_size,
                     "segment %" PRIu32 " has dirty pages of %" PRIu32
                     " bytes; a migration moves pages of %" PRIu32 " to %" PRIu32 " bytes",
                     list[i].id, list[i].page_bytes, MIGRATE_PAGE_LEAST, MIGRATE_PAGE_MOST);
            return false;
        }
        if (!area_open(&areas->area[i])) {
            snprintf(text, text_size, "out of memory for the state of a migration");
            return false;
        }
    }
    return areas->area && count != 0;
}

void migrate_areas_close(struct migrate_areas *areas) {
    for (uint32_t i = 0; i < areas->count; i++) {
        page_set_free(&areas->area[i].used);
        page_set_free(&areas->area[i].moved);
        page_set_free(&areas->area[i].due);
        free(areas->area[i].hash);
    }
    free(areas->area);
    areas->area = NULL;
    areas->count = 0;
}

struct migrate_area *migrate_areas_find(struct migrate_areas *areas, uint32_t id) {
    for (uint32_t i = 0; i < areas->count; i++)
        if (areas->area[i].segment.id == id)
            return &areas->area[i];
    return NULL;
}

bool migrate_areas_used(struct migrate_areas *areas, const struct migrate_device *device) {
    for (uint32_t i = 0; i < areas->count; i++) {
        struct migrate_area *area = &areas->area[i];
        page_set_clear(&area->used);
        if (!device->used(device->ctx, area->segment.id, &area->used))
            return false;
    }
    return true;
}

uint64_t migrate_areas_used_bytes(const struct migrate_areas *areas) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < areas->count; i++)
        bytes += page_set_count(&areas->area[i].used) * areas->area[i].segment.page_bytes;
    return bytes;
}

uint64_t migrate_areas_due_bytes(const struct migrate_areas *areas) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < areas->count; i++)
        bytes += page_set_count(&areas->area[i].due) * areas->area[i].segment.page_bytes;
    return bytes;
}

uint64_t migrate_page_hash(const uint8_t *bytes, size_t size) {
    return XXH64(bytes, size, 0);
}

uint64_t migrate_areas_digest(const struct migrate_areas *areas) {
    uint64_t digest = 0;
    for (uint32_t i = 0; i < areas->count; i++) {
        const struct migrate_area *area = &areas->area[i];
        uint64_t page = page_set_next(&area->used, 0);
        for (; page < area->used.pages; page = page_set_next(&area->used, page + 1)) {
            uint8_t line[20];
            migrate_put(line, area->segment.id, 4);
            migrate_put(line + 4, page, 8);
            migrate_put(line + 12, area->hash[page], 8);
            digest = XXH64(line, sizeof(line), digest);
        }
    }
    return digest;
}

uint32_t migrate_area_take(struct migrate_area *area, struct vidmm_memory_range *ranges,
                           uint32_t most, size_t *bytes) {
    uint32_t page_bytes = area->segment.page_bytes, count = 0;
    uint64_t room = MIGRATE_BATCH_BYTES / page_bytes, page = 0;
    *bytes = 0;
    while (room != 0 && count < most &&
           (page = page_set_next(&area->due, page)) < area->due.pages) {
        uint64_t end = page_set_next_absent(&area->due, page);
        end = end - page > room ? page + room : end;
        ranges[count++] = (struct vidmm_memory_range){page * page_bytes, (end - page) * page_bytes};
        room -= end - page;
        *bytes += (size_t)(end - page) * page_bytes;
        for (; page < end; page++)
            page_set_remove(&area->due, page);
    }
    return count;
}
