/*
 * stage_engines.c - single engines that begin anew (tdr-changes-in-windows-8.md): the paging engine
 * with work queued by hand, which is submitted again; and, with GPU virtual addresses, the engine
 * of a process that uses an address that leads nowhere, while another process goes on
 * (access-to-non-resident-allocation.md).
 */
#include "hand.h"
#include "user.h"

#include <vidmm/umd.h>

static enum vidmm_stage_outcome cannot(struct exam *exam) {
    return exam_say(exam, VIDMM_STAGE_SKIPPED,
                    "the driver does not say SupportPerEngineTDR: not reached");
}

/* ---- Queued paging work -----------------------------------------------------------------------
 */

/* What is left undone comes again; what was lost, after a reset of the adapter, anew. */
static bool recover(struct hand *hand, bool *refused) {
    enum hand_engine engine = hand_reset_engine(hand);
    if (engine == HAND_ENGINE_RESET || engine == HAND_ENGINE_BROKEN)
        return engine == HAND_ENGINE_RESET && hand_resubmit(hand);
    *refused = *refused || engine == HAND_ENGINE_REFUSED;
    return hand_reset(hand) && hand_queue(hand, 0);
}

static bool round_trip(struct hand *hand, uint32_t ahead, bool preempted, bool *refused) {
    exam_step(hand->exam, "engines: a reset behind %u submissions%s", ahead,
              preempted ? " and a preemption" : "");
    hand_paint(hand, hand->source, 3 * ahead + preempted);
    hand_paint(hand, hand->target, 99);
    if (!hand_queue(hand, ahead) || (preempted && !hand_preempt(hand)) || !recover(hand, refused) ||
        !hand_flush(hand) || !hand_move(hand, false, HAND_PAGES))
        return false;
    hand_judge(hand, 281, hand_same(hand), "work that is done when it was submitted again",
               "other bytes after an engine was reset and its work submitted again");
    return true;
}

/* False: the driver refused, as it may. */
static bool resets(struct hand *hand) {
    bool refused = false;
    exam_step(hand->exam, "engines: a reset of an idle engine");
    if (hand_reset_engine(hand) == HAND_ENGINE_BROKEN)
        return true;
    for (uint32_t ahead = 0; ahead < HAND_PIECES; ahead += 2)
        if (!round_trip(hand, ahead, false, &refused) || !round_trip(hand, ahead, true, &refused))
            break;
    return !refused;
}

static enum vidmm_stage_outcome by_hand(struct exam *exam) {
    static const struct exam_world world = {.settings = {{"VramBytes", (uint64_t)1 << 20}}};
    struct hand hand;
    if (!exam_open(exam, &world))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = hand_open(&hand, exam);
    if (opened != VIDMM_STAGE_DONE)
        return opened;
    bool able = hand.info.caps.SupportPerEngineTDR &&
                hand.ddi->DxgkDdiQueryDependentEngineGroup != NULL &&
                hand.ddi->DxgkDdiQueryEngineStatus != NULL && hand.ddi->DxgkDdiResetEngine != NULL;
    bool completes = able && hand_settle_in(&hand);
    bool obeys = !completes || hand.ddi->DxgkDdiPreemptCommand == NULL || resets(&hand);
    enum vidmm_stage_outcome closed = hand_close(&hand);
    if (!able)
        return cannot(exam);
    return obeys || closed != VIDMM_STAGE_DONE
               ? closed
               : exam_say(exam, VIDMM_STAGE_SKIPPED, "DxgkDdiResetEngine refuses: not reached");
}

/* ---- An address that leads nowhere ------------------------------------------------------------
 */

#define NOWHERE_BYTES 65536u

static bool submit_nowhere(struct user *user, uint64_t *fence) {
    const struct vidmm_va_request nowhere = {.size = NOWHERE_BYTES};
    struct vidmm_virtual_submission submission = {.size = EXAM_PAGE};
    return exam_good(user->exam, vidmm_va_reserve(user->process, &nowhere, &submission.commands)) &&
           exam_good(user->exam, vidmm_submit_virtual(user->context, &submission, fence));
}

static void note(struct exam *exam, const char *text) {
    vidmm_ledger_note(&exam->shared->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER, "%s", text);
}

static void judge_fault(struct exam *exam) {
    struct vidmm_fault fault;
    vidmm_last_fault(exam->lab.adapter, &fault);
    vidmm_ledger_judge(&exam->shared->ledger, 380, VIDMM_SIDE_DRIVER, fault.access.known,
                       "DmaPageFaulted where commands are at an address that leads nowhere",
                       "the work ended without one%s", "");
}

/* The reset of the adapter, which a driver may need, costs whoever has work under way. */
static bool adapter_was_reset(struct exam *exam) {
    struct vidmm_stats stats;
    vidmm_stats(exam->lab.adapter, &stats);
    return stats.resets != 0;
}

/* The others' work behind it is done all the same. */
static bool others_go_on(struct user *other, uint64_t behind, bool alone) {
    if (alone && vidmm_wait(other->exam->lab.adapter, behind) == VIDMM_DEVICE_LOST &&
        !adapter_was_reset(other->exam))
        note(other->exam, "a page fault of one process cost another one its device");
    if (vidmm_device_lost(other->device))
        return true;
    if (!user_submit(other, 0) || !user_rest(other))
        return false;
    if (user_lost(other, 0))
        note(other->exam, "a page fault of one process changed bytes of another");
    return true;
}

static bool fault_beside(struct user *user, struct user *other, bool alone) {
    struct exam *exam = user->exam;
    const uint32_t surface = 0;
    uint64_t fence = 0;
    if (!user_make(other, 0, VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE, 4) ||
        !user_write(other, 0, 'b') || !user_make_resident(other, NULL, &surface, 1, 0) ||
        !submit_nowhere(user, &fence))
        return false;
    const struct vidmm_virtual_submission nothing = {.commands = other->commands.va,
                                                     .written = &other->commands.allocation};
    if (alone && !exam_good(exam, vidmm_submit_virtual(other->context, &nothing, &other->fence)))
        return false;
    enum vidmm_status status = vidmm_wait(exam->lab.adapter, fence);
    if (status == VIDMM_OK) {
        (void)exam_say(exam, VIDMM_STAGE_SKIPPED, "commands at no address are no fault here");
        return true;
    }
    if (status != VIDMM_DEVICE_LOST)
        return exam_good(exam, status);
    judge_fault(exam);
    return others_go_on(other, other->fence, alone) && user_submit(user, 0);
}

static enum vidmm_stage_outcome by_fault(struct exam *exam) {
    static const struct exam_world world = {
        .settings = {{"VramBytes", (uint64_t)1 << 20}, {"MmuLevels", 4}}};
    struct vidmm_gpummu_info mmu;
    struct vidmm_adapter_info info;
    struct user user, other;
    if (!exam_open(exam, &world) || !exam_manage(exam, &world))
        return VIDMM_STAGE_STOPPED;
    vidmm_gpummu_info(exam->lab.adapter, &mmu);
    vidmm_adapter_info(exam->lab.adapter, &info);
    if (!mmu.on)
        return exam_say(exam, VIDMM_STAGE_SKIPPED, "the driver has no GpuMmu");
    if (!exam_speaks(exam))
        return exam_say(exam, VIDMM_STAGE_SKIPPED, "the driver does not speak vidmm/umd.h");
    if (!user_open(exam, &user) || !user_open(exam, &other) ||
        !fault_beside(&user, &other, info.caps.SupportPerEngineTDR))
        return VIDMM_STAGE_STOPPED;
    exam_step(exam, "engines: down");
    user_close(&other);
    user_close(&user);
    return VIDMM_STAGE_DONE;
}

enum vidmm_stage_outcome stage_engines(struct exam *exam, uint32_t number) {
    exam_step(exam, "engines: run %u", number + 1);
    return number == 0 ? by_hand(exam) : by_fault(exam);
}
