/*
 * oracle.c - versions of pages and comparisons with them; see oracle.h.
 */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>

bool oracle_init(struct oracle *oracle) {
    memset(oracle, 0, sizeof(*oracle));
    return pthread_mutex_init(&oracle->lock, NULL) == 0;
}

void oracle_destroy(struct oracle *oracle) {
    pthread_mutex_destroy(&oracle->lock);
}

void oracle_attach(struct oracle *oracle, struct vidmm_harness *harness) {
    struct vidmm_segment_info info;
    pthread_mutex_lock(&oracle->lock);
    oracle->host = harness->host;
    pthread_mutex_unlock(&oracle->lock);
    /* Outside of the lock: the getter takes the adapter's, which is taken before ours elsewhere. */
    for (uint32_t id = 1; id <= ORACLE_SEGMENTS && vidmm_segment_info(harness->adapter, id, &info);
         id++) {
        oracle->segment_base[id] = info.base;
        oracle->segment_aperture[id] = info.aperture;
        oracle->segment_physical[id] = info.physical;
    }
}

void oracle_set_event(struct oracle *oracle, uint64_t event) {
    pthread_mutex_lock(&oracle->lock);
    oracle_judge_kept(oracle);
    oracle->event = event;
    pthread_mutex_unlock(&oracle->lock);
}

void oracle_allocation_start(struct oracle_allocation *allocation, struct oracle *oracle,
                             uint32_t index, uint32_t pitch) {
    *allocation = (struct oracle_allocation){.oracle = oracle, .index = index, .pitch = pitch};
}

bool oracle_allocation_made(struct oracle_allocation *allocation, uint32_t pages, uint32_t pitch) {
    uint32_t *versions = calloc(pages, sizeof(*versions));
    pthread_mutex_lock(&allocation->oracle->lock);
    allocation->versions = versions;
    allocation->pages = !versions ? 0 : pages;
    allocation->pitch = pitch;
    pthread_mutex_unlock(&allocation->oracle->lock);
    return versions;
}

void oracle_allocation_leave(struct oracle_allocation *allocation) {
    pthread_mutex_lock(&allocation->oracle->lock);
    oracle_judge_kept(allocation->oracle);
    allocation->leaving = true;
    pthread_mutex_unlock(&allocation->oracle->lock);
}

void oracle_allocation_destroy(struct oracle_allocation *allocation) {
    free(allocation->versions);
    memset(allocation, 0, sizeof(*allocation));
}

/* ---- Writes ---------------------------------------------------------------------------------- */

static void set_versions(struct oracle_allocation *allocation, struct oracle_range range,
                         uint32_t version) {
    for (uint32_t i = 0; i < range.pages; i++)
        allocation->versions[range.first + i] = version;
}

static uint32_t next_version(struct oracle_allocation *allocation) {
    /* Neither 0 ("zero") nor ORACLE_UNKNOWN; an allocation has less than 2^32 writes. */
    return ++allocation->version;
}

uint32_t oracle_write_begin(struct oracle_allocation *allocation, struct oracle_range range) {
    pthread_mutex_lock(&allocation->oracle->lock);
    allocation->pending = range;
    allocation->pending_lost = allocation->lost;
    uint32_t version = next_version(allocation);
    pthread_mutex_unlock(&allocation->oracle->lock);
    return version;
}

void oracle_write_end(struct oracle_allocation *allocation, bool accepted) {
    pthread_mutex_lock(&allocation->oracle->lock);
    if (accepted) {
        /* Lost meanwhile; whether before or after the write is unknown. */
        uint32_t version =
            allocation->lost == allocation->pending_lost ? allocation->version : ORACLE_UNKNOWN;
        set_versions(allocation, allocation->pending, version);
        allocation->drawn = allocation->oracle->event;
        allocation->by_cpu = false;
    }
    allocation->pending.pages = 0;
    pthread_mutex_unlock(&allocation->oracle->lock);
}

void oracle_cpu_write(struct oracle_allocation *allocation, struct oracle_range range,
                      void *bytes) {
    unsigned char *page = bytes;
    pthread_mutex_lock(&allocation->oracle->lock);
    uint32_t version = next_version(allocation);
    allocation->by_cpu = true;
    for (uint32_t i = 0; i < range.pages && !allocation->oracle->blind; i++)
        vidmm_pattern_write(
            page + (size_t)i * VIDMM_PATTERN_PAGE,
            vidmm_pattern_key(allocation->index + UINT64_C(1), range.first + i, version));
    set_versions(allocation, range, version);
    pthread_mutex_unlock(&allocation->oracle->lock);
}

uint32_t oracle_same_version(struct oracle_allocation *allocation, struct oracle_range range,
                             uint32_t *version) {
    uint32_t length = 1;
    pthread_mutex_lock(&allocation->oracle->lock);
    const uint32_t *versions = allocation->versions + range.first;
    *version = versions[0];
    while (length < range.pages && versions[length] == versions[0])
        length++;
    pthread_mutex_unlock(&allocation->oracle->lock);
    return length;
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

/* How many of the eight bytes are not zero: the top bit of each that has any bit. */
static uint32_t bytes_set(uint64_t word) {
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return (uint32_t)__builtin_popcountll((((word & low) + low) | word) & ~low);
}

static uint32_t count_wrong(const unsigned char *bytes, uint64_t key, uint32_t *first) {
    *first = vidmm_pattern_check(bytes, key);
    uint32_t wrong = 0;
    for (uint32_t i = *first / 8; i < VIDMM_PATTERN_PAGE / 8; i++) {
        uint64_t word;
        memcpy(&word, bytes + (size_t)8 * i, sizeof(word));
        wrong += bytes_set(word ^ vidmm_pattern_word(key, i));
    }
    return wrong;
}

uint32_t oracle_wrong_bytes(const struct oracle_allocation *allocation, uint32_t page,
                            const void *bytes, uint32_t *first) {
    uint32_t version = allocation->versions[page];
    uint64_t id = allocation->index + UINT64_C(1);
    if (version == ORACLE_UNKNOWN)
        return 0;
    uint32_t wrong = count_wrong(bytes, vidmm_pattern_key(id, page, version), first);
    if (wrong == 0 || page - allocation->pending.first >= allocation->pending.pages)
        return wrong;
    /* The write may be done before its submission returns. */
    uint32_t later_first;
    uint32_t later =
        count_wrong(bytes, vidmm_pattern_key(id, page, allocation->version), &later_first);
    if (later >= wrong)
        return wrong;
    *first = later_first;
    return later;
}

/* The first wrong byte of all. */
static void oracle_tell(const struct oracle *oracle) {
    if (oracle->wrong && oracle->mismatched_bytes == 0)
        oracle->wrong(oracle->wrong_ctx, &oracle->first);
}

bool oracle_note(struct oracle_allocation *allocation, uint32_t page, uint32_t byte,
                 uint32_t wrong) {
    struct oracle *oracle = allocation->oracle;
    bool first = oracle->mismatched_bytes == 0;
    allocation->versions[page] = ORACLE_UNKNOWN;
    if (first)
        oracle->first = (struct vidmm_mismatch){
            .event = oracle->event, .allocation = allocation->index, .page = page, .byte = byte};
    oracle_tell(oracle);
    oracle->mismatched_bytes += wrong;
    return first;
}

/* One page, which the CPU sees at `bytes`; the lock is held. */
static void check_page(struct oracle_allocation *allocation, uint32_t page, const void *bytes) {
    struct oracle *oracle = allocation->oracle;
    uint32_t first;
    if (!bytes || allocation->versions[page] == ORACLE_UNKNOWN)
        return;
    oracle->verified_bytes += VIDMM_PATTERN_PAGE;
    uint32_t wrong = oracle_wrong_bytes(allocation, page, bytes, &first);
    if (wrong == 0 || !oracle_note(allocation, page, first, wrong))
        return;
    oracle->certain = true;
    snprintf(oracle->first.text, sizeof(oracle->first.text),
             "the CPU saw a wrong byte at %u of page %u of allocation %u, event %llu; "
             "no paging operation was seen to damage it",
             first, page, allocation->index, (unsigned long long)oracle->event);
}

void oracle_check(struct oracle_allocation *allocation, struct oracle_range range,
                  const void *bytes) {
    const unsigned char *at = bytes;
    if (allocation->oracle->blind)
        return;
    pthread_mutex_lock(&allocation->oracle->lock);
    for (uint32_t i = 0; i < range.pages; i++)
        check_page(allocation, range.first + i, at + (size_t)i * VIDMM_PATTERN_PAGE);
    pthread_mutex_unlock(&allocation->oracle->lock);
}

void oracle_check_backing(struct oracle_allocation *allocation, PMDL mdl) {
    if (allocation->oracle->blind)
        return;
    pthread_mutex_lock(&allocation->oracle->lock);
    for (uint32_t page = 0; page < allocation->pages; page++)
        check_page(allocation, page, oracle_system_page(allocation->oracle, mdl, page));
    pthread_mutex_unlock(&allocation->oracle->lock);
}

void oracle_discarded(struct oracle_allocation *allocation) {
    const struct oracle_range all = {0, allocation->pages};
    pthread_mutex_lock(&allocation->oracle->lock);
    set_versions(allocation, all, ORACLE_UNKNOWN);
    pthread_mutex_unlock(&allocation->oracle->lock);
}

uint64_t oracle_lost(struct oracle *oracle) {
    pthread_mutex_lock(&oracle->lock);
    uint64_t lost = oracle->lost;
    pthread_mutex_unlock(&oracle->lock);
    return lost;
}

/* The GPU found the page wrong before, or without, any paging operation. */
static void blame_gpu(struct oracle *oracle, const struct vidmm_umd_result *result) {
    oracle->certain = true;
    oracle->first = (struct vidmm_mismatch){.event = oracle->event,
                                            .allocation = (uint32_t)(result->first_oracle - 1),
                                            .page = result->first_page,
                                            .byte = result->first_byte};
    snprintf(
        oracle->first.text, sizeof(oracle->first.text),
        "the GPU read a wrong byte at %u of page %u of allocation %u, at or before event %llu; "
        "no paging operation was seen to damage it",
        result->first_byte, result->first_page, oracle->first.allocation,
        (unsigned long long)oracle->event);
}

/* The result has not arrived: it was written elsewhere, or lost. */
static void note_missing(struct oracle *oracle, uint64_t checked, uint64_t expected) {
    if (oracle->mismatched_bytes == 0) {
        oracle->certain = true;
        oracle->first = (struct vidmm_mismatch){.event = oracle->event};
        snprintf(oracle->first.text, sizeof(oracle->first.text),
                 "the GPU reports that it checked %llu bytes of the last frames, expected %llu, at "
                 "or before "
                 "event %llu: its results went elsewhere or were lost",
                 (unsigned long long)checked, (unsigned long long)expected,
                 (unsigned long long)oracle->event);
    }
    oracle_tell(oracle);
    oracle->mismatched_bytes += VIDMM_PATTERN_PAGE;
}

void oracle_gpu_result(struct oracle *oracle, const struct vidmm_umd_result *result,
                       uint64_t expected) {
    if (oracle->blind)
        return;
    pthread_mutex_lock(&oracle->lock);
    if (result->checked_bytes != expected)
        note_missing(oracle, result->checked_bytes, expected);
    oracle->verified_bytes += result->checked_bytes;
    if (result->wrong_pages != 0) {
        const struct vidmm_mismatch *first = &oracle->first;
        /* A page that the GPU found wrong right after writing it was not damaged by its transfer.
         */
        bool same = result->first_oracle == first->allocation + UINT64_C(1) &&
                    result->first_page == first->page;
        if (oracle->mismatched_bytes == 0 || (same && !oracle->certain))
            blame_gpu(oracle, result);
        oracle_tell(oracle);
        oracle->mismatched_bytes += result->wrong_pages * VIDMM_PATTERN_PAGE;
    }
    pthread_mutex_unlock(&oracle->lock);
}
