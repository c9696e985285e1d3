/*
 * hand_work.c - filling the one paging buffer that a hand has, and its way to the GPU: several
 * submissions may be under way, each a range of the buffer; they come back from a preemption, and
 * are lost in a reset. The buffer is free again when all of them are done.
 */
#include "hand.h"

/* Answers INSUFFICIENT or BUSY to one operation before it is given up. */
#define PASSES_MOST 4096u

bool hand_refuse(struct hand *hand, const char *call, NTSTATUS status) {
    hand->refused = true;
    (void)exam_say(hand->exam, VIDMM_STAGE_STOPPED, "%s answered status 0x%08x", call,
                   (unsigned)status);
    return false;
}

/* Fence ids wrap. */
static bool beyond(uint32_t fence, uint32_t other) {
    return (int32_t)(fence - other) > 0;
}

/* ---- Submitting ------------------------------------------------------------------------------ */

/* In an aperture it has the last pages; operations that are looked at have the first ones. */
static uint64_t buffer_address(const struct hand *hand) {
    if (hand->mapped)
        return hand->place.base + (uint64_t)hand_buffer_page(hand) * EXAM_PAGE;
    return MmGetMdlPfnArray(hand->buffer)[0] * (uint64_t)EXAM_PAGE;
}

static void describe(const struct hand *hand, const struct hand_packet *packet,
                     DXGKARG_PATCH *patch, DXGKARG_SUBMITCOMMAND *submit) {
    *patch = (DXGKARG_PATCH){.hContext = hand->context,
                             .DmaBufferSegmentId = hand->mapped ? hand->place.id : 0,
                             .pDmaBuffer = hand->cpu,
                             .DmaBufferSize = hand->info.paging_size,
                             .DmaBufferSubmissionStartOffset = packet->start,
                             .DmaBufferSubmissionEndOffset = packet->end,
                             .pDmaBufferPrivateData = hand->private_data,
                             .DmaBufferPrivateDataSize = hand->info.paging_private,
                             .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
                             .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
                             .SubmissionFenceId = packet->fence};
    patch->DmaBufferPhysicalAddress.QuadPart = (LONGLONG)buffer_address(hand);
    patch->Flags.Paging = 1;
    *submit =
        (DXGKARG_SUBMITCOMMAND){.hContext = hand->context,
                                .DmaBufferSegmentId = patch->DmaBufferSegmentId,
                                .DmaBufferPhysicalAddress = patch->DmaBufferPhysicalAddress,
                                .DmaBufferSize = patch->DmaBufferSize,
                                .DmaBufferSubmissionStartOffset = packet->start,
                                .DmaBufferSubmissionEndOffset = packet->end,
                                .pDmaBufferPrivateData = hand->private_data,
                                .DmaBufferPrivateDataSize = hand->info.paging_private,
                                .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
                                .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
                                .SubmissionFenceId = packet->fence,
                                .NodeOrdinal = hand->info.paging_node};
    submit->Flags.Paging = 1;
}

static bool restart(struct hand *hand) {
    hand->held = false;
    NTSTATUS status = hand->ddi->DxgkDdiRestartFromTimeout(hand->adapter);
    return status == STATUS_SUCCESS || hand_refuse(hand, "DxgkDdiRestartFromTimeout", status);
}

static bool send(struct hand *hand, const struct hand_packet *packet, bool again) {
    DXGKARG_PATCH patch;
    DXGKARG_SUBMITCOMMAND submit;
    bool patches =
        hand->ddi->DxgkDdiPatch != NULL && hand->exam->options->readings.paging_patch == 0;
    if (hand->held && !restart(hand))
        return false;
    describe(hand, packet, &patch, &submit);
    if (again && hand->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        submit.Flags.Resubmission = 1;
    NTSTATUS status = patches ? hand->ddi->DxgkDdiPatch(hand->adapter, &patch) : STATUS_SUCCESS;
    if (status != STATUS_SUCCESS)
        return hand_refuse(hand, "DxgkDdiPatch", status);
    status = hand->ddi->DxgkDdiSubmitCommand(hand->adapter, &submit);
    return status == STATUS_SUCCESS || hand_refuse(hand, "DxgkDdiSubmitCommand", status);
}

/* All of the buffer is free. */
static void begin_buffer(struct hand *hand) {
    hand->packets = 0;
    hand->start = hand->used = 0;
    hand->end = hand->info.paging_size;
    hand->private_start = hand->private_used = 0;
}

/* Where nothing ever completes there may be no hardware; where something did it has to. */
static void give_up(struct hand *hand, uint32_t fence) {
    hand->unseen = hand->refused = true;
    if (!hand->works && hand->faulted == 0) {
        (void)exam_say(hand->exam, VIDMM_STAGE_SKIPPED,
                       "work does not complete, so effects were not observed");
        return;
    }
    vidmm_ledger_note(&hand->exam->shared->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                      "paging work with fence %u %s", fence,
                      hand->faulted != 0 ? "ended in a fault" : "was never reported complete");
    (void)exam_say(hand->exam, VIDMM_STAGE_STOPPED, "paging work did not complete");
}

/* The GPU does what is under way. */
static bool settle(struct hand *hand) {
    if (hand->packets != 0) {
        uint32_t last = hand->packet[hand->packets - 1].fence;
        vidmm_host_run(hand->exam->lab.host);
        if (hand->completed != last || hand->faulted != 0)
            give_up(hand, last);
        else
            hand->works = true;
    }
    if (!hand->unseen)
        begin_buffer(hand);
    return !hand->unseen;
}

bool hand_submit(struct hand *hand) {
    if (hand->refused || hand->used == hand->start)
        return !hand->refused;
    struct hand_packet *packet = &hand->packet[hand->packets++];
    *packet = (struct hand_packet){++hand->fence, hand->start, hand->used, hand->private_start,
                                   hand->private_used};
    hand->start = hand->used;
    hand->private_start = hand->private_used;
    return send(hand, packet, false) && (hand->packets < HAND_PACKETS || settle(hand));
}

bool hand_flush(struct hand *hand) {
    return hand_submit(hand) && settle(hand);
}

void hand_shorten(struct hand *hand, uint32_t room) {
    if (hand->used == 0 || hand->end - hand->used <= room)
        return;
    hand->end = hand->used + room;
    vidmm_referee_shorten(hand->exam->lab.referee, hand->cpu, hand->end);
}

/* ---- Building -------------------------------------------------------------------------------- */

static void aim(const struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args) {
    args->pDmaBuffer = hand->cpu + hand->used;
    args->DmaSize = hand->end - hand->used;
    args->pDmaBufferPrivateData =
        hand->private_data != NULL ? hand->private_data + hand->private_used : NULL;
    args->DmaBufferPrivateDataSize = hand->info.paging_private - hand->private_used;
    args->DmaBufferWriteOffset = hand->used;
}

/* Takes over how far the driver wrote; false: it points somewhere else. */
static bool advance(struct hand *hand, const DXGKARG_BUILDPAGINGBUFFER *args) {
    uintptr_t used = (uintptr_t)args->pDmaBuffer - (uintptr_t)hand->cpu;
    uintptr_t private_used = hand->private_data == NULL ? 0
                                                        : (uintptr_t)args->pDmaBufferPrivateData -
                                                              (uintptr_t)hand->private_data;
    if (used < hand->used || used > hand->end || private_used > hand->info.paging_private)
        return false;
    hand->used = (uint32_t)used;
    hand->private_used = (uint32_t)private_used;
    return true;
}

static void say_idle(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER)
        args->Transfer.Flags.AllocationIsIdle = 1;
    else if (args->Operation == DXGK_OPERATION_DISCARD_CONTENT)
        args->DiscardContent.Flags.AllocationIsIdle = 1;
}

/* A pass that did not end its operation, and where it began. */
struct pass {
    uint32_t used, private_used, multipass;
};

/* By the other reading it is not run, when it is not alone in its buffer, but starts over. */
static void drop(struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args, const struct pass *pass) {
    if (hand->exam->options->readings.insufficient == 0 || pass->used == 0)
        return;
    hand->used = pass->used;
    hand->private_used = pass->private_used;
    args->MultipassOffset = 0;
}

/* The rest finds another buffer, a whole one. */
static bool next_buffer(struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args,
                        const struct pass *pass) {
    bool progress = hand->used != pass->used || args->MultipassOffset != pass->multipass;
    if (!progress && pass->used == 0)
        return hand_refuse(hand, "DxgkDdiBuildPagingBuffer",
                           STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    drop(hand, args, pass);
    return hand_flush(hand);
}

static bool go_on(struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args, NTSTATUS status,
                  const struct pass *pass) {
    if (status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
        say_idle(args); /* nothing else uses it */
        return hand_flush(hand);
    }
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        return next_buffer(hand, args, pass);
    return hand_refuse(hand, "DxgkDdiBuildPagingBuffer", status);
}

bool hand_build(struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args) {
    args->hSystemContext = hand->context;
    for (uint32_t i = 0; i < PASSES_MOST && !hand->refused; i++) {
        const struct pass pass = {hand->used, hand->private_used, args->MultipassOffset};
        DXGKARG_BUILDPAGINGBUFFER told = *args; /* a driver may spoil what it only reads */
        aim(hand, &told);
        NTSTATUS status = hand->ddi->DxgkDdiBuildPagingBuffer(hand->adapter, &told);
        args->MultipassOffset = told.MultipassOffset;
        if (!advance(hand, &told))
            return hand_refuse(hand, "DxgkDdiBuildPagingBuffer left the buffer and", status);
        if (status == STATUS_SUCCESS)
            return true;
        if (!go_on(hand, args, status, &pass))
            return false;
    }
    return hand->refused ? false : hand_refuse(hand, "DxgkDdiBuildPagingBuffer again and again", 0);
}

/* ---- Preemption ------------------------------------------------------------------------------ */

bool hand_preempt(struct hand *hand) {
    const DXGKARG_PREEMPTCOMMAND args = {.PreemptionFenceId = ++hand->fence,
                                         .NodeOrdinal = hand->info.paging_node};
    if (hand->refused)
        return false;
    NTSTATUS status = hand->ddi->DxgkDdiPreemptCommand(hand->adapter, &args);
    if (status != STATUS_SUCCESS)
        return hand_refuse(hand, "DxgkDdiPreemptCommand", status);
    vidmm_host_run(hand->exam->lab.host);
    if (hand->preempted == args.PreemptionFenceId)
        return true;
    hand->refused = true;
    (void)exam_say(hand->exam, VIDMM_STAGE_STOPPED, "a preemption was not reported");
    return false;
}

bool hand_resubmit(struct hand *hand) {
    uint32_t last = hand->completed;
    bool good = !hand->refused;
    for (uint32_t i = 0; good && i < hand->packets; i++)
        if (beyond(hand->packet[i].fence, last))
            good = send(hand, &hand->packet[i], true);
    return good;
}

/* ---- Resets ---------------------------------------------------------------------------------- */

/* The mapping of the paging buffer goes in the clean-up and comes back after the restart. */
bool hand_reset(struct hand *hand) {
    bool mapped = hand->mapped;
    NTSTATUS status = hand->ddi->DxgkDdiResetFromTimeout(hand->adapter);
    if (status != STATUS_SUCCESS)
        return hand_refuse(hand, "DxgkDdiResetFromTimeout", status);
    hand->held = true;
    begin_buffer(hand);
    bool good = hand_tell_lost(hand) && (!mapped || hand_unmap_buffer(hand)) &&
                (!hand->held || restart(hand)) && hand_flush(hand);
    return good && (!mapped || hand_map_buffer(hand));
}

static bool query_engine(struct hand *hand) {
    DXGKARG_QUERYDEPENDENTENGINEGROUP group = {.NodeOrdinal = hand->info.paging_node};
    DXGKARG_QUERYENGINESTATUS engine = {.NodeOrdinal = hand->info.paging_node};
    NTSTATUS status = hand->ddi->DxgkDdiQueryEngineStatus(hand->adapter, &engine);
    if (status != STATUS_SUCCESS)
        return hand_refuse(hand, "DxgkDdiQueryEngineStatus", status);
    status = hand->ddi->DxgkDdiQueryDependentEngineGroup(hand->adapter, &group);
    return status == STATUS_SUCCESS ||
           hand_refuse(hand, "DxgkDdiQueryDependentEngineGroup", status);
}

enum hand_engine hand_reset_engine(struct hand *hand) {
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = hand->info.paging_node};
    bool lost = false;
    if (hand->refused || !query_engine(hand))
        return HAND_ENGINE_BROKEN;
    if (hand->ddi->DxgkDdiResetEngine(hand->adapter, &reset) != STATUS_SUCCESS)
        return HAND_ENGINE_REFUSED;
    for (uint32_t i = 0; i < hand->packets; i++)
        lost = lost || (beyond(hand->packet[i].fence, hand->completed) &&
                        !beyond(hand->packet[i].fence, reset.LastAbortedFenceId));
    if (beyond(reset.LastAbortedFenceId, hand->completed))
        hand->completed = reset.LastAbortedFenceId;
    return lost ? HAND_ENGINE_LOST : HAND_ENGINE_RESET;
}
