/*
 * stage_ranges.c - two surfaces at once through swizzling ranges: the CPU writes both, one is
 * destroyed, the CPU writes the other; and all of it again. Only for drivers that know vidmm/umd.h.
 */
#include "spoken.h"

#include <string.h>

#define PAGES    16u
#define SURFACES 2u
#define ROUNDS   3u /* what was not given back is missing in the second */

struct ranges {
    struct spoken spoken;
    struct check *check;
    struct vidmm_allocation *surface[SURFACES];
    void *cpu[SURFACES];
};

static bool ranges_make(struct ranges *ranges, uint32_t index) {
    return check_good(ranges->check, spoken_create(ranges->spoken.device,
                                                   VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE,
                                                   PAGES, &ranges->surface[index]));
}

/* All of them in GPU memory. */
static bool ranges_use(struct ranges *ranges) {
    struct vidmm_reference references[SURFACES];
    const struct vidmm_submission submission = {.references = references, .count = SURFACES};
    uint64_t fence = 0;
    for (uint32_t i = 0; i < SURFACES; i++)
        references[i] = (struct vidmm_reference){.allocation = ranges->surface[i], .write = true};
    return check_good(ranges->check, vidmm_submit(ranges->spoken.context, &submission, &fence)) &&
           check_good(ranges->check, vidmm_wait_idle(ranges->check->harness.adapter));
}

static void ranges_compare(struct ranges *ranges, uint32_t index, int letter) {
    if (ranges->cpu[index])
        memset(ranges->cpu[index], letter, PAGES * CHECK_PAGE);
}

static bool ranges_leave(struct ranges *ranges, uint32_t index) {
    if (ranges->cpu[index])
        vidmm_unlock(ranges->surface[index]);
    return check_good(ranges->check, vidmm_allocation_evict(ranges->surface[index], true));
}

/* A driver may refuse both. */
static bool hold(struct ranges *ranges, uint32_t index) {
    enum vidmm_status status =
        vidmm_lock(ranges->surface[index], VIDMM_LOCK_ACQUIRE_APERTURE, &ranges->cpu[index]);
    return status == VIDMM_NOT_LOCKABLE || check_good(ranges->check, status);
}

static bool ranges_play(struct ranges *ranges, uint32_t round) {
    check_step(ranges->check, "ranges: two at once, round %u", round + 1);
    if (!ranges_use(ranges) || !hold(ranges, 0) || !hold(ranges, 1))
        return false;
    ranges_compare(ranges, 0, 'a');
    ranges_compare(ranges, 1, 'b');
    if (!ranges_leave(ranges, 0))
        return false;
    ranges_compare(ranges, 1, 'c');
    return ranges_leave(ranges, 1) && ranges_use(ranges);
}

enum vidmm_stage_outcome stage_ranges(struct check *check, uint32_t number) {
    struct ranges ranges = {.check = check};
    enum vidmm_stage_outcome outcome = spoken_open(&ranges.spoken, check, "ranges");
    (void)number;
    if (outcome != VIDMM_STAGE_DONE)
        return outcome;
    bool good = ranges_make(&ranges, 0) && ranges_make(&ranges, 1);
    for (uint32_t round = 0; good && round < ROUNDS; round++)
        good = ranges_play(&ranges, round);
    return good ? VIDMM_STAGE_DONE : VIDMM_STAGE_STOPPED;
}
