/*
 * frames.c - finds the ends of the frames of a workload, for the player, for limits of frames, and
 * for checks between frames.
 */
#include <vidmm/workload.h>

struct vidmm_frames vidmm_workload_frames(const struct vidmm_workload *workload) {
    uint64_t presents = 0, submits = 0;
    for (size_t i = 0; i < workload->event_count; i++) {
        presents += workload->events[i].kind == VIDMM_EVENT_PRESENT;
        submits += workload->events[i].kind == VIDMM_EVENT_SUBMIT;
    }
    return presents != 0 ? (struct vidmm_frames){VIDMM_EVENT_PRESENT, presents}
                         : (struct vidmm_frames){VIDMM_EVENT_SUBMIT, submits};
}

uint64_t vidmm_play_last_event(const struct vidmm_workload *workload, uint64_t frame_limit) {
    enum vidmm_event_kind end = vidmm_workload_frames(workload).end;
    uint64_t frames = 0;
    for (size_t i = 0; i < workload->event_count && frame_limit != 0; i++) {
        frames += workload->events[i].kind == end;
        if (frames == frame_limit)
            return i;
    }
    return workload->event_count == 0 ? 0 : workload->event_count - 1;
}
