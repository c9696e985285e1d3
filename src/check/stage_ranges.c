/*
 * stage_ranges.c - two surfaces at once through swizzling ranges: the CPU writes both, one is
 * destroyed, the CPU writes the other. Only for drivers that know vidmm/umd.h.
 */
#include "stage.h"

#include <string.h>

#include <vidmm/umd.h>

#define VRAM     ((uint64_t)1 << 20)
#define PAGES    16u
#define SURFACES 2u

struct ranges {
    struct check *check;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_allocation *surface[SURFACES];
    void *cpu[SURFACES];
};

static bool ranges_make(struct ranges *ranges, uint32_t index) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE,
                                        .size = PAGES * CHECK_PAGE};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data)};
    return check_good(ranges->check,
                      vidmm_allocation_create(ranges->device, &request, &ranges->surface[index]));
}

/* All of them in GPU memory. */
static bool ranges_use(struct ranges *ranges) {
    struct vidmm_reference references[SURFACES];
    const struct vidmm_submission submission = {.references = references, .count = SURFACES};
    uint64_t fence = 0;
    for (uint32_t i = 0; i < SURFACES; i++)
        references[i] = (struct vidmm_reference){.allocation = ranges->surface[i], .write = true};
    return check_good(ranges->check, vidmm_submit(ranges->context, &submission, &fence)) &&
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

static bool ranges_play(struct ranges *ranges) {
    check_step(ranges->check, "ranges: two at once");
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
    const struct check_setup setup = {.settings = {{"VramBytes", VRAM}}};
    struct ranges ranges = {.check = check};
    (void)number;
    check_step(check, "ranges: start");
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    if (!check_speaks(check))
        return check_say(
            check, VIDMM_STAGE_SKIPPED,
            "the driver does not use vidmm/umd.h, so its surfaces cannot be described");
    if (!check_good(check, vidmm_device_create(check->harness.adapter, &ranges.device)) ||
        !check_good(check, vidmm_context_create(ranges.device, 0, &ranges.context)) ||
        !ranges_make(&ranges, 0) || !ranges_make(&ranges, 1) || !ranges_play(&ranges))
        return VIDMM_STAGE_STOPPED;
    return VIDMM_STAGE_DONE;
}
