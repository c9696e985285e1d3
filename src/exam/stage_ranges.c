/*
 * stage_ranges.c - two surfaces at once through swizzling ranges: the CPU writes both, one goes,
 * and it goes on writing the other. Only where the driver speaks vidmm/umd.h.
 */
#include "exam.h"

#include <string.h>

#include <vidmm/umd.h>

#define VRAM     ((uint64_t)1 << 20)
#define PAGES    16u
#define SURFACES 2u

struct ranges {
    struct exam *exam;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_allocation *surface[SURFACES];
    void *cpu[SURFACES];
};

static bool make(struct ranges *ranges, uint32_t index) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC,
                                        .flags = VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE,
                                        .size = PAGES * EXAM_PAGE};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data)};
    return exam_good(ranges->exam,
                     vidmm_allocation_create(ranges->device, &request, &ranges->surface[index]));
}

/* All of them in GPU memory. */
static bool use(struct ranges *ranges) {
    struct vidmm_reference references[SURFACES];
    const struct vidmm_submission submission = {.references = references, .count = SURFACES};
    uint64_t fence = 0;
    for (uint32_t i = 0; i < SURFACES; i++)
        references[i] = (struct vidmm_reference){.allocation = ranges->surface[i], .write = true};
    return exam_good(ranges->exam, vidmm_submit(ranges->context, &submission, &fence)) &&
           exam_good(ranges->exam, vidmm_wait_idle(ranges->exam->lab.adapter));
}

static void look(struct ranges *ranges, uint32_t index, int letter) {
    if (ranges->cpu[index] != NULL)
        memset(ranges->cpu[index], letter, PAGES * EXAM_PAGE);
}

static bool leave(struct ranges *ranges, uint32_t index) {
    if (ranges->cpu[index] != NULL)
        vidmm_unlock(ranges->surface[index]);
    return exam_good(ranges->exam, vidmm_allocation_evict(ranges->surface[index], true));
}

/* A driver may have a reason to show neither. */
static bool hold(struct ranges *ranges, uint32_t index) {
    enum vidmm_status status =
        vidmm_lock(ranges->surface[index], VIDMM_LOCK_ACQUIRE_APERTURE, &ranges->cpu[index]);
    return status == VIDMM_NOT_LOCKABLE || exam_good(ranges->exam, status);
}

static bool play(struct ranges *ranges) {
    exam_step(ranges->exam, "ranges: two at once");
    if (!use(ranges) || !hold(ranges, 0) || !hold(ranges, 1))
        return false;
    look(ranges, 0, 'a');
    look(ranges, 1, 'b');
    if (!leave(ranges, 0))
        return false;
    look(ranges, 1, 'c');
    return leave(ranges, 1) && use(ranges);
}

enum vidmm_stage_outcome stage_ranges(struct exam *exam, uint32_t number) {
    const struct exam_world world = {.settings = {{"VramBytes", VRAM}}};
    struct ranges ranges = {.exam = exam};
    (void)number;
    exam_step(exam, "ranges: start");
    if (!exam_open(exam, &world) || !exam_manage(exam, &world))
        return VIDMM_STAGE_STOPPED;
    if (!exam_speaks(exam))
        return exam_say(exam, VIDMM_STAGE_SKIPPED,
                        "the driver does not speak vidmm/umd.h, so nobody can name its surfaces");
    if (!exam_good(exam, vidmm_device_create(exam->lab.adapter, &ranges.device)) ||
        !exam_good(exam, vidmm_context_create(ranges.device, 0, &ranges.context)) ||
        !make(&ranges, 0) || !make(&ranges, 1) || !play(&ranges))
        return VIDMM_STAGE_STOPPED;
    return VIDMM_STAGE_DONE;
}
