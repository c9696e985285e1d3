/*
 * stage_preempt.c - paging work that is queued when the system wants the GPU for something else:
 * it is preempted, submitted again with the fences that it had (gpu-preemption.md), preempted once
 * more, or lost in a reset. Whatever the hardware made of it, the bytes must be there at the end.
 */
#include "hand.h"

#define ROUNDS 3u

/* Preempted `times` times, each time before what came again has begun. */
static bool round_trip(struct hand *hand, uint32_t ahead, uint32_t times) {
    exam_step(hand->exam, "preempt: %u times behind %u submissions", times, ahead);
    hand_paint(hand, hand->source, 5 * ahead + times);
    hand_paint(hand, hand->target, 99);
    bool good = hand_queue(hand, ahead);
    for (uint32_t i = 0; good && i < times; i++)
        good = hand_preempt(hand) && hand_resubmit(hand);
    if (!good || !hand_flush(hand) || !hand_move(hand, false, HAND_PAGES))
        return false;
    hand_judge(hand, 281, hand_same(hand), "work that is done when it was submitted again",
               "other bytes after work was preempted and submitted again");
    return true;
}

static void preempts(struct hand *hand) {
    exam_step(hand->exam, "preempt: nothing queued");
    if (!hand_preempt(hand))
        return;
    for (uint32_t times = 1; times <= ROUNDS; times++)
        for (uint32_t ahead = 0; ahead < HAND_PIECES; ahead += 2)
            if (!round_trip(hand, ahead, times))
                return;
    exam_step(hand->exam, "preempt: nothing queued any more");
    (void)hand_preempt(hand);
}

/* Where there is no memory to move things to the source is mapped piece by piece. */
static void preempts_maps(struct hand *hand) {
    exam_step(hand->exam, "preempt: nothing queued");
    bool good = hand_preempt(hand);
    for (uint32_t ahead = 0; good && ahead < HAND_PIECES; ahead += 2) {
        exam_step(hand->exam, "preempt: maps behind %u submissions", ahead);
        good = hand_queue(hand, ahead) && hand_preempt(hand) && hand_resubmit(hand) &&
               hand_flush(hand) && hand_unmap(hand, &hand->aperture, 0, HAND_PAGES) &&
               hand_flush(hand);
    }
}

/* What is lost is built and submitted anew: its fences do not come again. */
static bool lose(struct hand *hand, uint32_t ahead, bool preempted) {
    exam_step(hand->exam, "preempt: a reset behind %u submissions", ahead);
    hand_paint(hand, hand->source, ahead + 50);
    hand_paint(hand, hand->target, 99);
    if (!hand_queue(hand, ahead) || (preempted && !hand_preempt(hand)) || !hand_reset(hand) ||
        !hand_queue(hand, 0) || !hand_flush(hand) || !hand_move(hand, false, HAND_PAGES))
        return false;
    hand_judge(hand, 161, hand_same(hand), "the bytes of the source pages",
               "other bytes in what was moved after a reset");
    return true;
}

static void resets(struct hand *hand) {
    for (uint32_t ahead = 0; ahead < HAND_PIECES; ahead += 2)
        if (!lose(hand, ahead, false) || !lose(hand, ahead, true))
            return;
}

enum vidmm_stage_outcome stage_preempt(struct exam *exam, uint32_t number) {
    static const struct exam_world worlds[] = {
        {.settings = {{"VramBytes", (uint64_t)1 << 20}}},
        {.settings = {{"VramBytes", (uint64_t)1 << 20}, {"PagingBufferSegment", 1}}},
    };
    struct hand hand;
    exam_step(exam, "preempt: run %u", number + 1);
    if (!exam_open(exam, &worlds[number]))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = hand_open_aperture(&hand, exam);
    if (opened != VIDMM_STAGE_DONE)
        return opened;
    if (hand.memory.id == 0) {
        if (hand.ddi->DxgkDdiPreemptCommand != NULL)
            preempts_maps(&hand);
        return hand_close(&hand);
    }
    bool completes = hand_settle_in(&hand);
    if (completes && hand.ddi->DxgkDdiPreemptCommand != NULL)
        preempts(&hand);
    if (!hand.refused && hand.ddi->DxgkDdiResetFromTimeout != NULL &&
        hand.ddi->DxgkDdiRestartFromTimeout != NULL)
        resets(&hand);
    return hand_close(&hand);
}
