/*
 * store.c - stores received pages and writes them to memory.
 */
#include "store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POISON 0xdb

static uint8_t zeros,
    poison; /* markers of pages of one repeated byte; only their addresses count */

static void forget(uint8_t **page) {
    if (*page != &zeros && *page != &poison)
        free(*page);
    *page = NULL;
}

bool migrate_store_open(struct migrate_store *store, struct migrate_areas *areas) {
    store->areas = areas;
    store->batch = malloc(MIGRATE_BATCH_BYTES);
    store->page = calloc(areas->count + 1u, sizeof(*store->page));
    for (uint32_t i = 0; store->page && i < areas->count; i++) {
        store->page[i] = calloc((size_t)areas->area[i].due.pages + 1, sizeof(**store->page));
        if (!store->page[i])
            return false;
    }
    return store->page && store->batch;
}

void migrate_store_close(struct migrate_store *store) {
    for (uint32_t i = 0; store->page && i < store->areas->count; i++) {
        for (uint64_t k = 0; store->page[i] && k < store->areas->area[i].due.pages; k++)
            forget(&store->page[i][k]);
        free(store->page[i]);
    }
    free(store->page);
    free(store->batch);
    memset(store, 0, sizeof(*store));
}

/* ---- Coming ---------------------------------------------------------------------------------- */

static bool store_keep(uint8_t **page, const uint8_t *bytes, size_t size) {
    if (!bytes) {
        forget(page);
        *page = &zeros;
        return true;
    }
    if (!*page || *page == &zeros || *page == &poison)
        *page = malloc(size);
    if (*page)
        memcpy(*page, bytes, size);
    return *page;
}

static bool put_run(struct migrate_area *area, uint8_t **page, const struct migrate_run *run,
                    const uint8_t *raw, uint64_t zero_hash) {
    uint32_t bytes = area->segment.page_bytes;
    for (uint32_t k = 0; k < run->count; k++) {
        const uint8_t *content = run->zero ? NULL : raw + (size_t)k * bytes;
        uint64_t at = run->first + k;
        if (!store_keep(&page[at], content, bytes))
            return false;
        area->hash[at] = run->zero ? zero_hash : migrate_page_hash(content, bytes);
        page_set_add(&area->moved, at);
        page_set_add(&area->due, at);
    }
    return true;
}

bool migrate_store_put(struct migrate_store *store, const struct migrate_pages *pages, char *text,
                       size_t text_size) {
    struct migrate_area *area = migrate_areas_find(store->areas, pages->segment);
    const uint8_t *raw = pages->raw;
    if (!area || area->segment.page_bytes != pages->page_bytes) {
        snprintf(text, text_size,
                 "pages came for segment %" PRIu32 ", which this adapter does not have like that",
                 pages->segment);
        return false;
    }
    memset(store->batch, 0, pages->page_bytes);
    uint64_t zero_hash = migrate_page_hash(store->batch, pages->page_bytes);
    uint8_t **page = store->page[area - store->areas->area];
    for (uint32_t r = 0; r < pages->run_count; r++) {
        const struct migrate_run *run = &pages->run[r];
        if (run->first + run->count > area->due.pages) {
            snprintf(text, text_size, "pages came from behind the end of segment %" PRIu32,
                     pages->segment);
            return false;
        }
        if (!put_run(area, page, run, raw, zero_hash)) {
            snprintf(text, text_size, "out of memory for pages that came");
            return false;
        }
        raw += run->zero ? 0 : (size_t)run->count * pages->page_bytes;
    }
    return true;
}

/* ---- Going ----------------------------------------------------------------------------------- */

void migrate_store_poison(struct migrate_store *store) {
    for (uint32_t i = 0; i < store->areas->count; i++) {
        struct migrate_area *area = &store->areas->area[i];
        uint64_t page = page_set_next(&area->used, 0);
        for (; page < area->used.pages; page = page_set_next(&area->used, page + 1)) {
            if (page_set_has(&area->moved, page))
                continue;
            store->page[i][page] = &poison;
            page_set_add(&area->due, page);
        }
    }
}

static void fetch(const uint8_t *page, uint8_t *to, size_t size) {
    if (page == &zeros || page == &poison)
        memset(to, page == &zeros ? 0 : POISON, size);
    else
        memcpy(to, page, size);
}

static bool apply_area(struct migrate_store *store, const struct migrate_device *device,
                       struct migrate_area *area) {
    uint32_t bytes = area->segment.page_bytes;
    struct vidmm_memory_range ranges[MIGRATE_BATCH_RUNS];
    uint8_t **page = store->page[area - store->areas->area];
    size_t size = 0, at = 0;
    uint32_t count = migrate_area_take(area, ranges, MIGRATE_BATCH_RUNS, &size);
    for (uint32_t r = 0; r < count; r++) {
        uint64_t first = ranges[r].offset / bytes, pages = ranges[r].size / bytes;
        for (uint64_t k = 0; k < pages; k++, at += bytes)
            fetch(page[first + k], store->batch + at, bytes);
    }
    return device->write(device->ctx, area->segment.id, ranges, count, store->batch);
}

bool migrate_store_apply(struct migrate_store *store, const struct migrate_device *device,
                         bool *more) {
    *more = false;
    for (uint32_t i = 0; i < store->areas->count; i++) {
        struct migrate_area *area = &store->areas->area[i];
        size_t words = (size_t)((area->due.pages + 63) / 64);
        for (size_t w = 0; w < words; w++)
            area->due.word[w] &= area->used.word[w];
        if (page_set_next(&area->due, 0) == area->due.pages)
            continue;
        *more = true;
        return apply_area(store, device, area);
    }
    return true;
}

void migrate_store_again(struct migrate_store *store) {
    for (uint32_t i = 0; i < store->areas->count; i++) {
        struct migrate_area *area = &store->areas->area[i];
        size_t words = (size_t)((area->due.pages + 63) / 64);
        memcpy(area->due.word, area->moved.word, words * sizeof(*area->due.word));
        for (uint64_t page = 0; page < area->due.pages; page++)
            if (store->page[i][page] == &poison)
                store->page[i][page] = NULL;
    }
}

bool migrate_store_missing(const struct migrate_store *store, uint32_t *segment, uint64_t *page) {
    for (uint32_t i = 0; i < store->areas->count; i++) {
        const struct migrate_area *area = &store->areas->area[i];
        *page = page_set_next(&area->used, 0);
        for (; *page < area->used.pages; *page = page_set_next(&area->used, *page + 1)) {
            *segment = area->segment.id;
            if (!page_set_has(&area->moved, *page))
                return true;
        }
    }
    return false;
}
