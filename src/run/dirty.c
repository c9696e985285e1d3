/*
 * dirty.c - see dirty.h. The bits of a frame are counted at the driver's page size, then halved for
 * every larger one: a large page is dirty when a small one in it is.
 */
#include "dirty.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tracked {
    struct vidmm_memory_basis *basis;
    uint32_t page_bytes;
    uint64_t pages;
    unsigned char *bits;
    size_t size; /* bytes */
};

struct run_dirty {
    struct vidmm_harness *harness;
    const struct vidmm_workload *workload;
    struct vidmm_frames frames; /* that are measured */
    struct tracked *tracked;
    uint32_t count;
    pthread_mutex_t lock; /* over all members: several threads may end frames at the same time */
    struct vidmm_run_dirty *result;
    uint64_t chart[VIDMM_DIRTY_SIZES][VIDMM_PLAY_CHART]; /* sums */
    uint64_t chart_frames[VIDMM_PLAY_CHART];
    enum vidmm_status status;
};

/* ---- Bits ------------------------------------------------------------------------------------ */

static uint64_t count_bits(const unsigned char *bits, uint64_t count) {
    uint64_t set = 0;
    for (uint64_t i = 0; i < (count + 7) / 8; i++)
        set += (uint64_t)__builtin_popcount(bits[i]);
    return set;
}

/* Pairs of the bits of a byte: four bits. */
static unsigned halve_byte(unsigned byte) {
    unsigned pairs = (byte | byte >> 1) & 0x55u;
    pairs = (pairs | pairs >> 1) & 0x33u;
    return (pairs | pairs >> 2) & 0x0fu;
}

/* Merges pairs of bits in place; returns the new count. Bits behind `count` are zero. */
static uint64_t halve(unsigned char *bits, uint64_t count) {
    uint64_t bytes = (count + 7) / 8, halved = (count + 1) / 2;
    for (uint64_t i = 0; i < (halved + 7) / 8; i++) {
        unsigned high = 2 * i + 1 < bytes ? halve_byte(bits[2 * i + 1]) : 0;
        bits[i] = (unsigned char)(halve_byte(bits[2 * i]) | high << 4);
    }
    return halved;
}

/* ---- A frame --------------------------------------------------------------------------------- */

/* Adds one segment's dirty bytes for each page size. */
static void add_segment(const struct tracked *tracked, const struct vidmm_run_dirty *result,
                        uint64_t *bytes) {
    uint64_t count = tracked->pages, page = tracked->page_bytes;
    for (uint32_t size = 0; size < result->sizes; size++) {
        while (page < result->size[size].page_bytes) {
            count = halve(tracked->bits, count);
            page *= 2;
        }
        bytes[size] += count_bits(tracked->bits, count) * page;
    }
}

static void end_frame(struct run_dirty *dirty) {
    struct vidmm_run_dirty *result = dirty->result;
    const struct vidmm_dirty_query all = {.clear = true};
    uint64_t bytes[VIDMM_DIRTY_SIZES] = {0};
    for (uint32_t i = 0; i < dirty->count && dirty->status == VIDMM_OK; i++) {
        struct tracked *tracked = &dirty->tracked[i];
        dirty->status = vidmm_basis_query(tracked->basis, &all, tracked->bits, tracked->size);
        add_segment(tracked, result, bytes);
    }
    uint64_t bin = result->frames * VIDMM_PLAY_CHART / dirty->frames.count; /* this is one */
    bin = bin < VIDMM_PLAY_CHART ? bin : VIDMM_PLAY_CHART - 1;
    for (uint32_t i = 0; i < result->sizes; i++) {
        result->size[i].bytes += bytes[i];
        result->size[i].most = bytes[i] > result->size[i].most ? bytes[i] : result->size[i].most;
        dirty->chart[i][bin] += bytes[i];
    }
    dirty->chart_frames[bin]++;
    result->frames++;
}

bool run_dirty_gate(void *ctx, struct vidmm_harness *harness, uint64_t event) {
    struct run_dirty *dirty = ctx;
    if (event == 0 || dirty->workload->events[event - 1].kind != dirty->frames.end)
        return true;
    pthread_mutex_lock(&dirty->lock);
    vidmm_host_unhashed(harness->host, true);
    end_frame(dirty);
    vidmm_host_unhashed(harness->host, false);
    bool good = dirty->status == VIDMM_OK;
    pthread_mutex_unlock(&dirty->lock);
    return good;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* A basis over the whole of memory segment `id`, if the driver tracks it. */
static enum vidmm_status track(struct run_dirty *dirty, uint32_t id) {
    struct vidmm_segment_info segment;
    uint32_t page = vidmm_dirty_page(dirty->harness->adapter, id);
    if (!vidmm_segment_info(dirty->harness->adapter, id, &segment) || segment.aperture || page == 0)
        return VIDMM_OK;
    struct tracked *tracked = &dirty->tracked[dirty->count];
    const struct vidmm_memory_range all = {.size = segment.size / page * page};
    const struct vidmm_dirty_query query = {0};
    enum vidmm_status status =
        vidmm_basis_create(dirty->harness->adapter, id, &all, 1, &tracked->basis);
    if (status != VIDMM_OK)
        return status;
    dirty->count++;
    tracked->page_bytes = page;
    tracked->pages = all.size / page;
    tracked->size = vidmm_basis_query_bytes(tracked->basis, &query);
    tracked->bits = malloc(tracked->size);
    return !tracked->bits ? VIDMM_NO_MEMORY : vidmm_basis_start(tracked->basis);
}

static enum vidmm_status track_all(struct run_dirty *dirty) {
    struct vidmm_adapter_info info;
    enum vidmm_status status = VIDMM_OK;
    vidmm_adapter_info(dirty->harness->adapter, &info);
    dirty->tracked = calloc(info.segments + 1u, sizeof(*dirty->tracked));
    if (!dirty->tracked)
        return VIDMM_NO_MEMORY;
    for (uint32_t id = 1; id <= info.segments && status == VIDMM_OK; id++)
        status = track(dirty, id);
    return status;
}

/* The driver's page size and larger ones. */
static void choose_sizes(struct run_dirty *dirty) {
    static const uint64_t larger[VIDMM_DIRTY_SIZES - 1] = {32u << 10, 256u << 10, 2u << 20};
    struct vidmm_run_dirty *result = dirty->result;
    uint64_t page = 0;
    for (uint32_t i = 0; i < dirty->count; i++)
        page = dirty->tracked[i].page_bytes > page ? dirty->tracked[i].page_bytes : page;
    result->size[result->sizes++].page_bytes = page;
    for (uint32_t i = 0; i < VIDMM_DIRTY_SIZES - 1; i++)
        if (larger[i] > page)
            result->size[result->sizes++].page_bytes = larger[i];
}

static void dirty_release(struct run_dirty *dirty) {
    vidmm_host_unhashed(dirty->harness->host, true);
    for (uint32_t i = 0; i < dirty->count; i++) {
        vidmm_basis_destroy(dirty->tracked[i].basis);
        free(dirty->tracked[i].bits);
    }
    vidmm_host_unhashed(dirty->harness->host, false);
    pthread_mutex_destroy(&dirty->lock);
    free(dirty->tracked);
    free(dirty);
}

/* A sentence for the last error. */
static void say_error(const struct run_dirty *dirty, char *text, size_t text_size) {
    struct vidmm_error error;
    vidmm_last_error(dirty->harness->adapter, &error);
    if (dirty->status == VIDMM_NO_MEMORY)
        snprintf(text, text_size, "out of memory for dirty-bit tracking");
    else
        vidmm_error_text(&error, text, text_size);
}

struct run_dirty *run_dirty_start(struct vidmm_harness *harness,
                                  const struct vidmm_workload *workload, uint64_t frame_limit,
                                  struct vidmm_run_dirty *result, char *text, size_t text_size) {
    struct run_dirty *dirty = calloc(1, sizeof(*dirty));
    if (!dirty) {
        snprintf(text, text_size, "out of memory for dirty-bit tracking");
        return NULL;
    }
    *dirty = (struct run_dirty){.harness = harness,
                                .workload = workload,
                                .frames = vidmm_workload_frames(workload),
                                .result = result};
    pthread_mutex_init(&dirty->lock, NULL);
    if (frame_limit != 0 && frame_limit < dirty->frames.count)
        dirty->frames.count = frame_limit;
    memset(result, 0, sizeof(*result));
    vidmm_host_unhashed(harness->host, true);
    dirty->status = track_all(dirty);
    vidmm_host_unhashed(harness->host, false);
    if (dirty->status != VIDMM_OK) {
        say_error(dirty, text, text_size);
        dirty_release(dirty);
        return NULL;
    }
    if (dirty->count == 0) {
        snprintf(text, text_size,
                 "the driver tracks no dirty pages: DXGKQAITYPE_DIRTYBITTRACKINGCAPS "
                 "(WDDM 3.2) says so for every memory segment");
        dirty_release(dirty);
        return NULL;
    }
    choose_sizes(dirty);
    result->on = true;
    return dirty;
}

bool run_dirty_stop(struct run_dirty *dirty, char *text, size_t text_size) {
    if (!dirty)
        return true;
    struct vidmm_run_dirty *result = dirty->result;
    bool good = dirty->status == VIDMM_OK;
    for (uint32_t bin = 0; bin < VIDMM_PLAY_CHART; bin++) {
        if (dirty->chart_frames[bin] == 0)
            continue;
        for (uint32_t i = 0; i < result->sizes; i++)
            result->size[i].chart[result->samples] =
                dirty->chart[i][bin] / dirty->chart_frames[bin];
        result->samples++;
    }
    if (!good)
        say_error(dirty, text, text_size);
    dirty_release(dirty);
    return good;
}
