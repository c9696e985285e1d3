/*
 * raw_work.c - fills the one paging buffer of a submitter and submits it: several submissions may
 * be under way, each a range of the buffer; they are submitted again after a preemption. The buffer is free again when all of them are done.
 */
#include "carry.h"
#include "raw.h"

#include <stdio.h>
#include <string.h>

/* Number of INSUFFICIENT or BUSY answers after which an operation fails: more than the referee takes (R157). */
#define PASSES_MOST (VIDMM_REPEATED_PASSES + 100u)
/* Those in a row that bring an operation no further, where R157 is broken already: it needs no thousands again. */
#define PASSES_STUCK 64u

bool raw_refuse(struct raw_submitter *raw, const char *call, NTSTATUS status) {
    raw->refused = true;
    (void)check_say(raw->check, VIDMM_STAGE_STOPPED, "%s answered status 0x%08x", call,
                    (unsigned)status);
    return false;
}

/* Fence ids wrap. */
bool raw_beyond(uint32_t fence, uint32_t other) {
    return (int32_t)(fence - other) > 0;
}

/* ---- Submitting ------------------------------------------------------------------------------ */

/* In an aperture it uses the last pages; tested operations use the first ones. */
static uint64_t buffer_address(const struct raw_submitter *raw) {
    if (raw->mapped)
        return raw->place.base + (uint64_t)raw_buffer_page(raw) * CHECK_PAGE;
    return MmGetMdlPfnArray(raw->buffer)[0] * (uint64_t)CHECK_PAGE;
}

static void raw_describe(const struct raw_submitter *raw, const struct raw_packet *packet,
                         DXGKARG_PATCH *patch, DXGKARG_SUBMITCOMMAND *submit) {
    *patch = (DXGKARG_PATCH){.hContext = raw->context,
                             .DmaBufferSegmentId = raw->mapped ? raw->place.id : 0,
                             .pDmaBuffer = raw->cpu,
                             .DmaBufferSize = raw->info.paging_size,
                             .DmaBufferSubmissionStartOffset = packet->start,
                             .DmaBufferSubmissionEndOffset = packet->end,
                             .pDmaBufferPrivateData = raw->private_data,
                             .DmaBufferPrivateDataSize = raw->info.paging_private,
                             .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
                             .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
                             .SubmissionFenceId = packet->fence,
                             .EngineOrdinal = raw->physical};
    patch->DmaBufferPhysicalAddress.QuadPart = (LONGLONG)buffer_address(raw);
    patch->Flags.Paging = 1;
    *submit =
        (DXGKARG_SUBMITCOMMAND){.hContext = raw->context,
                                .DmaBufferSegmentId = patch->DmaBufferSegmentId,
                                .DmaBufferPhysicalAddress = patch->DmaBufferPhysicalAddress,
                                .DmaBufferSize = patch->DmaBufferSize,
                                .DmaBufferSubmissionStartOffset = packet->start,
                                .DmaBufferSubmissionEndOffset = packet->end,
                                .pDmaBufferPrivateData = raw->private_data,
                                .DmaBufferPrivateDataSize = raw->info.paging_private,
                                .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
                                .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
                                .SubmissionFenceId = packet->fence,
                                .EngineOrdinal = raw->physical,
                                .NodeOrdinal = raw->node};
    submit->Flags.Paging = 1;
}

bool raw_restart(struct raw_submitter *raw) {
    raw->held = false;
    raw->restarted = true;
    NTSTATUS status = raw->ddi->DxgkDdiRestartFromTimeout(raw->adapter);
    return status == STATUS_SUCCESS || raw_refuse(raw, "DxgkDdiRestartFromTimeout", status);
}

static bool raw_send(struct raw_submitter *raw, const struct raw_packet *packet, bool again) {
    DXGKARG_PATCH patch;
    DXGKARG_SUBMITCOMMAND submit;
    bool patches = raw->ddi->DxgkDdiPatch && raw->check->options->readings.paging_patch == 0;
    if (raw->held && !raw_restart(raw))
        return false;
    raw_describe(raw, packet, &patch, &submit);
    if (again && raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        submit.Flags.Resubmission = 1;
    NTSTATUS status = patches ? raw->ddi->DxgkDdiPatch(raw->adapter, &patch) : STATUS_SUCCESS;
    if (status != STATUS_SUCCESS)
        return raw_refuse(raw, "DxgkDdiPatch", status);
    status = raw->ddi->DxgkDdiSubmitCommand(raw->adapter, &submit);
    return status == STATUS_SUCCESS || raw_refuse(raw, "DxgkDdiSubmitCommand", status);
}

/* All of the buffer is free. */
void raw_empty(struct raw_submitter *raw) {
    raw->packets = 0;
    raw->start = raw->used = 0;
    raw->end = raw->info.paging_size;
    raw->private_start = raw->private_used = 0;
}

/* Asked as the system asks before it resets the adapter: the interrupt may have been lost. */
static bool is_done(const struct raw_submitter *raw, uint32_t fence) {
    DXGKARG_QUERYCURRENTFENCE args = {.NodeOrdinal = raw->node, .EngineOrdinal = raw->physical};
    if (!raw->ddi->DxgkDdiQueryCurrentFence ||
        raw->ddi->DxgkDdiQueryCurrentFence(raw->adapter, &args) != STATUS_SUCCESS)
        return false;
    vidmm_host_run(raw->check->harness.host);
    return args.CurrentFence == fence || raw->completed == fence;
}

static void judge_unreported(struct raw_submitter *raw, uint32_t fence, bool explained) {
    bool wrapped = raw->check->options->readings.fence_ids != 0 && fence < RAW_FIRST_FENCE;
    char found[64];
    snprintf(found, sizeof(found), "paging work with fence %u was never reported complete", fence);
    check_unreported(raw->check, explained,
                     wrapped                        ? 646
                     : raw->works && raw->restarted ? 618
                                                    : 0,
                     found);
}

/* If no work ever completed there may be no hardware; if some did, or if the driver says that this is done, all
 * must complete. Where a rule was broken before, that is why, and what the driver says now follows from it; what
 * was wrong about its reports may be told only when it is asked. */
static void give_up(struct raw_submitter *raw, uint32_t fence) {
    bool explained = check_explained(raw->check);
    bool done = raw->faulted == 0 && !explained && is_done(raw, fence);
    raw->unseen = raw->refused = true;
    bool works = raw->works || (done && !check_explained(raw->check));
    if (!works && raw->faulted == 0) {
        (void)check_say(raw->check, VIDMM_STAGE_SKIPPED,
                        "work does not complete, so effects were not observed");
        return;
    }
    if (raw->faulted == 0)
        judge_unreported(raw, fence, explained);
    else
        vidmm_ledger_note(&raw->check->shared->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                          "paging work with fence %u ended in an error", fence);
    (void)check_say(raw->check, VIDMM_STAGE_STOPPED, "paging work did not complete%s",
                    done ? ", and DxgkDdiQueryCurrentFence says that it did" : "");
}

static bool is_settled(const void *ctx) {
    const struct raw_submitter *raw = ctx;
    return raw->completed == raw->packet[raw->packets - 1].fence || raw->faulted != 0;
}

/* Waits for all submissions; false: they do not complete. */
static bool await_all(struct raw_submitter *raw) {
    if (raw->packets != 0) {
        uint32_t last = raw->packet[raw->packets - 1].fence;
        if (!vidmm_host_run_until(raw->check->harness.host, is_settled, raw) || raw->faulted != 0)
            give_up(raw, last);
        raw->works = raw->works || !raw->unseen;
        raw->restarted = raw->restarted && raw->unseen;
    }
    return !raw->unseen;
}

static bool settle(struct raw_submitter *raw) {
    bool settled = await_all(raw);
    if (settled)
        raw_empty(raw);
    return settled;
}

bool raw_turn_to(struct raw_submitter *raw, uint32_t node) {
    if (raw->node == node)
        return true;
    if (!await_all(raw))
        return false;
    raw->packets = 0;
    raw->node = node;
    raw->completed = raw->fence;
    return true;
}

void raw_leave_to(struct raw_submitter *raw, uint32_t node) {
    raw->beside.node = raw->node;
    raw->beside.fence = raw->fence;
    raw->beside.completed = raw->completed;
    raw->packets = 0;
    raw->node = node;
    raw->completed = raw->fence;
}

void raw_count_from(struct raw_submitter *raw, uint32_t fence) {
    raw->packets = 0;
    raw->fence = raw->completed = fence;
}

bool raw_submit(struct raw_submitter *raw) {
    if (raw->refused || raw->used == raw->start)
        return !raw->refused;
    if (!raw_turn_to(raw, raw->info.paging_node))
        return false;
    struct raw_packet *packet = &raw->packet[raw->packets++];
    *packet = (struct raw_packet){++raw->fence, raw->start, raw->used, raw->private_start,
                                  raw->private_used};
    raw->start = raw->used;
    raw->private_start = raw->private_used;
    return raw_send(raw, packet, false) && (raw->packets < RAW_PACKETS || settle(raw));
}

bool raw_try(struct raw_submitter *raw) {
    if (!raw_submit(raw))
        return false;
    if (raw->packets != 0 &&
        (!vidmm_host_run_until(raw->check->harness.host, is_settled, raw) || raw->faulted != 0))
        return false;
    raw_empty(raw);
    return true;
}

bool raw_flush(struct raw_submitter *raw) {
    if (raw->carrier)
        return raw_carry_out(raw);
    return raw_submit(raw) && settle(raw);
}

void raw_shorten(struct raw_submitter *raw, uint32_t room) {
    if (raw->carrier) {
        carry_shorten(raw->check->harness.referee, room);
        return;
    }
    if (raw->used == 0 || raw->end - raw->used <= room)
        return;
    raw->end = raw->used + room;
    vidmm_referee_shorten(raw->check->harness.referee, raw->cpu + raw->end);
}

/* ---- Building -------------------------------------------------------------------------------- */

static void aim(const struct raw_submitter *raw, DXGKARG_BUILDPAGINGBUFFER *args) {
    args->pDmaBuffer = raw->cpu + raw->used;
    args->DmaSize = raw->end - raw->used;
    args->pDmaBufferPrivateData = raw->private_data ? raw->private_data + raw->private_used : NULL;
    args->DmaBufferPrivateDataSize = raw->info.paging_private - raw->private_used;
    args->DmaBufferWriteOffset = raw->used;
}

/* Stores how far the driver wrote; false: the pointer is out of the buffer. */
static bool advance(struct raw_submitter *raw, const DXGKARG_BUILDPAGINGBUFFER *args) {
    uintptr_t used = (uintptr_t)args->pDmaBuffer - (uintptr_t)raw->cpu;
    uintptr_t private_used =
        !raw->private_data ? 0
                           : (uintptr_t)args->pDmaBufferPrivateData - (uintptr_t)raw->private_data;
    if (used < raw->used || used > raw->end || private_used > raw->info.paging_private)
        return false;
    raw->used = (uint32_t)used;
    raw->private_used = (uint32_t)private_used;
    return true;
}

static void say_idle(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER)
        args->Transfer.Flags.AllocationIsIdle = 1;
    else if (args->Operation == DXGK_OPERATION_DISCARD_CONTENT)
        args->DiscardContent.Flags.AllocationIsIdle = 1;
}

/* Start of a pass that did not end its operation. */
struct pass {
    uint32_t used, private_used, multipass;
};

/* By the other reading an operation that is not alone in its buffer starts again. */
static void raw_drop(struct raw_submitter *raw, DXGKARG_BUILDPAGINGBUFFER *args,
                     const struct pass *pass) {
    if (raw->check->options->readings.insufficient == 0 || pass->used == 0)
        return;
    raw->used = pass->used;
    raw->private_used = pass->private_used;
    args->MultipassOffset = 0;
}

/* The rest gets another, whole buffer. */
static bool next_buffer(struct raw_submitter *raw, DXGKARG_BUILDPAGINGBUFFER *args,
                        const struct pass *pass) {
    bool progress = raw->used != pass->used || args->MultipassOffset != pass->multipass;
    if (!progress && pass->used == 0)
        return raw_refuse(raw, "DxgkDdiBuildPagingBuffer", STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    raw_drop(raw, args, pass);
    raw->repeated++;
    return raw_flush(raw);
}

static bool go_on(struct raw_submitter *raw, DXGKARG_BUILDPAGINGBUFFER *args, NTSTATUS status,
                  const struct pass *pass) {
    if (status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
        say_idle(args); /* nothing else uses it */
        return raw_flush(raw);
    }
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        return next_buffer(raw, args, pass);
    return raw_refuse(raw, "DxgkDdiBuildPagingBuffer", status);
}

/* R157 is named, and this breaks it once more. */
static bool is_known(const struct raw_submitter *raw, uint32_t stuck) {
    return stuck > PASSES_STUCK && raw->check->shared->ledger.broken[157] != 0;
}

bool raw_build(struct raw_submitter *raw, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (raw->carrier)
        return raw_carry(raw, args);
    uint32_t stuck = 0;
    args->hSystemContext = raw->context;
    for (uint32_t i = 0; i < PASSES_MOST && !is_known(raw, stuck) && !raw->refused; i++) {
        const struct pass pass = {raw->used, raw->private_used, args->MultipassOffset};
        /* A copy, because a driver may write to members that it should only read. */
        DXGKARG_BUILDPAGINGBUFFER passed = *args;
        aim(raw, &passed);
        NTSTATUS status = raw->ddi->DxgkDdiBuildPagingBuffer(raw->adapter, &passed);
        args->MultipassOffset = passed.MultipassOffset;
        if (!advance(raw, &passed))
            return raw_refuse(raw, "DxgkDdiBuildPagingBuffer left the buffer and", status);
        if (status == STATUS_SUCCESS)
            return true;
        if (!go_on(raw, args, status, &pass))
            return false;
        stuck = args->MultipassOffset == pass.multipass ? stuck + 1 : 0;
    }
    return raw->refused ? false : raw_refuse(raw, "DxgkDdiBuildPagingBuffer again and again", 0);
}

/* ---- Preemption ------------------------------------------------------------------------------ */

/* The newest fence is the preemption's. */
static bool is_preempted(const void *ctx) {
    const struct raw_submitter *raw = ctx;
    return raw->preempted == raw->fence;
}

bool raw_ask_preempt(struct raw_submitter *raw) {
    const DXGKARG_PREEMPTCOMMAND args = {.PreemptionFenceId = ++raw->fence,
                                         .NodeOrdinal = raw->node,
                                         .EngineOrdinal = raw->physical};
    if (raw->refused)
        return false;
    NTSTATUS status = raw->ddi->DxgkDdiPreemptCommand(raw->adapter, &args);
    return status == STATUS_SUCCESS || raw_refuse(raw, "DxgkDdiPreemptCommand", status);
}

bool raw_await_preempted(struct raw_submitter *raw) {
    if (vidmm_host_run_until(raw->check->harness.host, is_preempted, raw))
        return true;
    raw->refused = true;
    (void)check_say(raw->check, VIDMM_STAGE_STOPPED, "a preemption was not reported");
    return false;
}

bool raw_preempt(struct raw_submitter *raw) {
    return raw_ask_preempt(raw) && raw_await_preempted(raw);
}

bool raw_resubmit(struct raw_submitter *raw) {
    uint32_t last = raw->completed;
    bool good = !raw->refused;
    for (uint32_t i = 0; good && i < raw->packets; i++)
        if (raw_beyond(raw->packet[i].fence, last))
            good = raw_send(raw, &raw->packet[i], true);
    return good;
}
