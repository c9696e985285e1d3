/*
 * notice.c - NOTIFY_RESIDENCY and NOTIFY_ALLOC: the driver is told of residency, and of
 * ranges of an allocation that leave (ns-d3dkmddi-_dxgk_buildpagingbuffer_notifyresidency.md,
 * allocation-notification.md).
 */
#include "operation/operation.h"

/* ---- NOTIFY_RESIDENCY ------------------------------------------------------------------------ */

static bool notice_wants_notices(const struct shadow_allocation *allocation) {
    return allocation->info.FlagsWddm2.ExplicitResidencyNotification &&
           allocation->info.FlagsWddm2.AccessedPhysically;
}

static void notice_judge_residency(struct vidmm_referee *referee,
                                   const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY *notice,
                                   const struct shadow_allocation *allocation) {
    const D3DGPU_PHYSICAL_ADDRESS *place = &notice->PhysicalAddress;
    MANAGER_MUST(246, notice_wants_notices(allocation),
                 "an allocation with ExplicitResidencyNotification and AccessedPhysically",
                 "its flags are 0x%x", allocation->info.FlagsWddm2.Value);
    MANAGER_MUST(247, (notice->Resident != 0) != allocation->notified, "one notice a change",
                 "Resident %u comes again", notice->Resident);
    if (notice->Resident)
        MANAGER_MUST(247, !shadow_memory(referee, place->SegmentId) || allocation->arrived,
                     "the contents before the notice that they are there",
                     "Resident before a transfer or a fill%s", "");
    else
        MANAGER_MUST(247, place->SegmentId == 0 && place->SegmentOffset == 0,
                     "no address where the allocation is not resident any more",
                     "0x%llx of segment %u", LLU(place->SegmentOffset), place->SegmentId);
}

/* R247: what leaves was announced to leave. */
void notice_content(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                    bool leaves) {
    if (allocation && leaves && notice_wants_notices(allocation))
        MANAGER_MUST(247, !allocation->notified, "the notice before the contents leave",
                     "a transfer out of local memory, and the driver takes it for resident%s", "");
}

/* R247: what the driver takes for resident did not leave. */
void notice_judge_end(struct vidmm_referee *referee, const struct shadow_allocation *allocation) {
    if (tables_known(referee) && notice_wants_notices(allocation))
        MANAGER_MUST(247, !allocation->notified, "the notice before an allocation is destroyed",
                     "the driver takes it for resident%s", "");
}

/* ---- NOTIFY_ALLOC ---------------------------------------------------------------------------- */

static void notice_judge_leaving(struct vidmm_referee *referee,
                                 const struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *notice = &operation->arg.NotifyAllocation;
    const struct tables_process *paging = tables_paging_of(referee, operation);
    struct tables_found found = {.known = false};
    if (paging)
        tables_walk(referee, paging, (uint64_t)notice->GpuVirtualAddressAtOffset, TABLES_ASKED,
                    &found);
    if (!found.known)
        return;
    MANAGER_MUST(248, found.valid, "an address of the paging process in a notice of eviction",
                 "0x%llx leads nowhere there", LLU(notice->GpuVirtualAddressAtOffset));
    if (found.valid)
        MANAGER_MUST(249, !shadow_memory(referee, found.segment),
                     "notices of what leaves an aperture or system memory",
                     "the range is in memory segment %u", found.segment);
}

static void notice_judge_range(struct vidmm_referee *referee,
                               const struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *notice = &operation->arg.NotifyAllocation;
    const struct tables_process *process = tables_process(referee, notice->hKmdProcessHandle);
    MANAGER_MUST(248, notice->Flags.Eviction != notice->Flags.IoMmuUnmap,
                 "either Eviction or IoMmuUnmap", "Flags 0x%x", notice->Flags.Value);
    if (notice->Flags.IoMmuUnmap)
        MANAGER_MUST(248, process && !process->system, "the process whose address is unmapped",
                     "hKmdProcessHandle %p", notice->hKmdProcessHandle);
    else if (notice->Flags.Eviction)
        notice_judge_leaving(referee, operation);
}

static void notice_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->NotifyResidency.hAllocation);
    if (!tables_known(referee))
        return;
    if (arg->Operation == DXGK_OPERATION_NOTIFY_ALLOC)
        notice_judge_range(referee, operation);
    else if (allocation)
        notice_judge_residency(referee, &arg->NotifyResidency, allocation);
}

const struct operation_judge op_judge_notice_alloc = {.asked = notice_asked};

static void notice_built(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    struct shadow_allocation *allocation =
        shadow_allocation(referee, operation->arg.NotifyResidency.hAllocation);
    if (!allocation)
        return;
    allocation->notified = operation->arg.NotifyResidency.Resident;
    if (!allocation->notified)
        allocation->arrived = false;
}

const struct operation_judge op_judge_notice = {.asked = notice_asked, .built = notice_built};
