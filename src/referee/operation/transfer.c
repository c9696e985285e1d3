/*
 * transfer.c - TRANSFER as the manager asks for it: its two sides, and the protocol of
 * sub-transfers from TransferStart to TransferEnd. What the driver makes of it: operation/copy.c.
 */
#include "state/hash.h"
#include "operation/operation.h"

#define SAMPLE_PAGES 8u

/* ---- Sides ----------------------------------------------------------------------------------- */

static uint64_t transfer_pages_of(uint64_t bytes) {
    return (bytes + SHADOW_PAGE - 1) / SHADOW_PAGE;
}

static void transfer_judge_mdl(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *arg,
                               const MDL *mdl) {
    MANAGER_MUST(175, mdl, "an MDL where SegmentId is 0", "pMdl is NULL");
    if (!mdl)
        return;
    uint64_t have = operation_mdl_pages(mdl), size = transfer_pages_of(arg->Transfer.TransferSize);
    MANAGER_MUST(177, arg->Transfer.MdlOffset <= have && size <= have - arg->Transfer.MdlOffset,
                 "MdlOffset and the transfer inside the MDL",
                 "MdlOffset %u and %llu pages of an MDL that has %llu", arg->Transfer.MdlOffset,
                 LLU(size), LLU(have));
}

static void transfer_judge_source(struct vidmm_referee *referee,
                                  const DXGKARG_BUILDPAGINGBUFFER *arg) {
    uint64_t offset;
    if (arg->Transfer.Source.SegmentId == 0)
        transfer_judge_mdl(referee, arg, arg->Transfer.Source.pMdl);
    else
        (void)place_range(referee, arg->Transfer.Source.SegmentId,
                          arg->Transfer.Source.SegmentAddress, arg->Transfer.TransferOffset,
                          arg->Transfer.TransferSize, &offset);
}

/* Out of GPU memory into an aperture: only one that the driver named for it. */
static void transfer_judge_window(struct vidmm_referee *referee,
                                  const struct shadow_allocation *allocation,
                                  const struct shadow_segment *window) {
    bool supported =
        shadow_in_set(allocation, allocation->write_set | allocation->read_set, window);
    MANAGER_MUST(100, allocation->evict_set != 0 || supported,
                 "eviction straight to the MDL with EvictionSegmentSet 0",
                 "an eviction through segment %u", window->id);
    MANAGER_MUST(46, !window->flags.PitchAlignment, "an eviction aperture without PitchAlignment",
                 "an eviction through segment %u, which has PitchAlignment", window->id);
}

static void transfer_judge_destination(struct vidmm_referee *referee,
                                       const DXGKARG_BUILDPAGINGBUFFER *arg,
                                       const struct shadow_allocation *allocation) {
    uint32_t id = arg->Transfer.Destination.SegmentId;
    const struct shadow_segment *segment = shadow_segment(referee, id);
    uint64_t offset;
    if (id == 0) {
        transfer_judge_mdl(referee, arg, arg->Transfer.Destination.pMdl);
        return;
    }
    if (!place_range(referee, id, arg->Transfer.Destination.SegmentAddress,
                     arg->Transfer.TransferOffset, arg->Transfer.TransferSize, &offset) ||
        !allocation)
        return;
    if (!shadow_aperture(referee, id))
        place_allocation(referee, allocation, segment, offset);
    else if (shadow_memory(referee, arg->Transfer.Source.SegmentId))
        transfer_judge_window(referee, allocation, segment);
}

/* R189: what the CPU cannot have written has no content before the first FILL. */
static void transfer_judge_first_content(struct vidmm_referee *referee,
                                         const DXGKARG_BUILDPAGINGBUFFER *arg,
                                         const struct shadow_allocation *allocation) {
    if (arg->Transfer.Source.SegmentId == 0 && !allocation->info.Flags.CpuVisible &&
        shadow_memory(referee, arg->Transfer.Destination.SegmentId))
        MANAGER_MUST(189, allocation->content, "FILL for an allocation that had no content yet",
                     "TRANSFER is the first operation that gives it content");
}

/* ---- Sub-transfers --------------------------------------------------------------------------- */

static void transfer_judge_start(struct vidmm_referee *referee,
                                 const DXGKARG_BUILDPAGINGBUFFER *arg,
                                 struct shadow_allocation *allocation) {
    DXGK_TRANSFERFLAGS flags = arg->Transfer.Flags;
    HANDLE pending = referee->adapter.moving;
    MANAGER_MUST(179, (flags.TransferStart != 0) == !allocation->moving,
                 "TransferStart on the first sub-transfer and on no other",
                 "TransferStart %u at offset 0x%x", flags.TransferStart,
                 arg->Transfer.TransferOffset);
    if (allocation->moving)
        return;
    bool other = pending != allocation->head.handle && shadow_allocation(referee, pending);
    MANAGER_MUST(180, !other, "TransferEnd of the pending transfer first",
                 "a transfer of another allocation is pending");
    allocation->moving = true;
    allocation->moved = 0;
    referee->adapter.moving = allocation->head.handle;
}

static void transfer_judge_coverage(struct vidmm_referee *referee,
                                    const DXGKARG_BUILDPAGINGBUFFER *arg,
                                    struct shadow_allocation *allocation) {
    uint64_t end = allocation->moved + arg->Transfer.TransferSize;
    bool last = arg->Transfer.Flags.TransferEnd != 0;
    MANAGER_MUST(178,
                 arg->Transfer.TransferOffset == allocation->moved &&
                     (last ? end == allocation->size : end < allocation->size),
                 "sub-transfers that cover the page-rounded allocation once",
                 "0x%llx bytes at offset 0x%x, TransferEnd %u, after 0x%llx of 0x%llx bytes",
                 LLU(arg->Transfer.TransferSize), arg->Transfer.TransferOffset, (unsigned)last,
                 LLU(allocation->moved), LLU(allocation->size));
    allocation->moved = end;
    if (!last)
        return;
    allocation->moving = false;
    referee->adapter.moving = NULL;
}

/* ---- A transfer of nothing ------------------------------------------------------------------- */

static uint64_t transfer_sample(struct vidmm_referee *referee, const MDL *mdl) {
    const PFN_NUMBER *frame = (const PFN_NUMBER *)(mdl + 1);
    uint64_t pages = operation_mdl_pages(mdl), hash = HASH_START;
    for (uint64_t i = 0; i < pages && i < SAMPLE_PAGES; i++) {
        const uint8_t *bytes = world_memory(referee, frame[i] * SHADOW_PAGE, SHADOW_PAGE);
        if (bytes)
            hash = hash_bytes(hash, bytes, SHADOW_PAGE);
    }
    return hash;
}

/* The MDL whose pages a transfer of nothing must leave alone; NULL: the CPU may write to them. */
static const MDL *transfer_untouched(struct vidmm_referee *referee,
                                     const DXGKARG_BUILDPAGINGBUFFER *arg) {
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->Transfer.hAllocation);
    bool quiet = allocation && !allocation->info.Flags.CpuVisible;
    return quiet && arg->Transfer.Destination.SegmentId == 0 ? arg->Transfer.Destination.pMdl
                                                             : NULL;
}

/* ---- The three moments ----------------------------------------------------------------------- */

/* Sub-transfers that do not belong together make no sense of what follows. */
static void transfer_judge_flags(struct vidmm_referee *referee,
                                 const DXGKARG_BUILDPAGINGBUFFER *arg) {
    DXGK_TRANSFERFLAGS flags = arg->Transfer.Flags;
    MANAGER_MUST(182, !(flags.Swizzle && flags.Unswizzle), "Swizzle or Unswizzle, not both",
                 "Flags 0x%x", flags.Value);
    MANAGER_MUST(174,
                 arg->Transfer.Source.SegmentId != 0 || arg->Transfer.Destination.SegmentId != 0,
                 "one MDL at most", "SegmentId 0 on both sides");
    MANAGER_MUST(176, arg->Transfer.TransferOffset % SHADOW_PAGE == 0,
                 "a TransferOffset of whole pages", "TransferOffset 0x%x",
                 arg->Transfer.TransferOffset);
}

/* R476: what was unswizzled for the CPU is swizzled again for the GPU. */
static void transfer_judge_swizzled(struct vidmm_referee *referee,
                                    const DXGKARG_BUILDPAGINGBUFFER *arg,
                                    const struct shadow_allocation *allocation) {
    if (allocation->linear && arg->Transfer.Source.SegmentId == 0 &&
        shadow_memory(referee, arg->Transfer.Destination.SegmentId))
        MANAGER_MUST(476, arg->Transfer.Flags.Swizzle,
                     "Swizzle for content that was unswizzled when it left",
                     "Flags 0x%x of a Swizzled allocation", arg->Transfer.Flags.Value);
}

/* In which order a Swizzled allocation lies in system memory once it left. */
static void transfer_note_order(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *arg,
                                struct shadow_allocation *allocation) {
    bool leaves = shadow_memory(referee, arg->Transfer.Source.SegmentId) &&
                  arg->Transfer.Destination.SegmentId == 0;
    if (leaves)
        allocation->linear = allocation->info.Flags.Swizzled && arg->Transfer.Flags.Unswizzle;
    else if (arg->Transfer.Source.SegmentId == 0)
        allocation->linear = false;
}

static void transfer_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct shadow_allocation *allocation = shadow_allocation(referee, arg->Transfer.hAllocation);
    if (arg->Transfer.TransferSize == 0) { /* after a reset: what was pending is forgotten */
        const MDL *mdl = transfer_untouched(referee, arg);
        transfer_forget(referee);
        operation->sample = mdl ? transfer_sample(referee, mdl) : 0;
        return;
    }
    transfer_judge_flags(referee, arg);
    transfer_judge_source(referee, arg);
    transfer_judge_destination(referee, arg, allocation);
    if (!allocation)
        return;
    if (!allocation->moving && shadow_memory(referee, arg->Transfer.Source.SegmentId))
        promise_leave(referee, allocation, arg->Transfer.Destination.SegmentId);
    transfer_judge_swizzled(referee, arg, allocation);
    transfer_judge_start(referee, arg, allocation);
    transfer_judge_coverage(referee, arg, allocation);
    transfer_judge_first_content(referee, arg, allocation);
}

static void transfer_built(struct vidmm_referee *referee,
                           const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct shadow_allocation *allocation = shadow_allocation(referee, arg->Transfer.hAllocation);
    const struct shadow_segment *to = shadow_segment(referee, arg->Transfer.Destination.SegmentId);
    bool notice = arg->Transfer.TransferSize == 0;
    if (!allocation)
        return;
    bool whole = arg->Transfer.Flags.TransferEnd || allocation->moved >= allocation->size;
    if (!notice && !whole)
        return;
    transfer_note_order(referee, arg, allocation);
    if (!to || notice) {
        shadow_judge_displayed(referee, allocation);
        shadow_displace(referee, allocation);
        return;
    }
    place_set(referee, allocation, to->id,
              (uint64_t)arg->Transfer.Destination.SegmentAddress.QuadPart - to->base);
    if (arg->Operation == DXGK_OPERATION_TRANSFER && arg->Transfer.Source.SegmentId == 0)
        chain_join(&referee->objects.clean, &allocation->of_clean);
    else
        chain_leave(&allocation->of_clean);
}

/* Where the range leads to from here on is of R444, not of its release. */
static void transfer_special_built(struct vidmm_referee *referee,
                                   const struct shadow_operation *operation) {
    uint32_t id = operation->arg.SpecialLockTransfer.SwizzlingRangeId;
    if (id < referee->swizzle.ranges)
        referee->swizzle.range[id].elsewhere = true;
    transfer_built(referee, operation);
}

const struct operation_judge op_judge_special_lock = {.built = transfer_special_built};

static void transfer_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    if (arg->Transfer.TransferSize != 0) {
        copy_done(referee, operation);
        return;
    }
    const MDL *mdl = transfer_untouched(referee, arg);
    if (mdl && !later_writes(referee, operation, mdl, 0, SAMPLE_PAGES))
        DRIVER_MUST(186, transfer_sample(referee, mdl) == operation->sample,
                    "a notification that copies nothing",
                    "a TRANSFER of 0 bytes changed the pages of its MDL");
}

const struct operation_judge op_judge_transfer = {
    .asked = transfer_asked, .built = transfer_built, .done = transfer_done};

void transfer_forget(struct vidmm_referee *referee) {
    struct shadow_allocation *pending = shadow_allocation(referee, referee->adapter.moving);
    if (pending)
        pending->moving = false;
    referee->adapter.moving = NULL;
}
