/*
 * build.c - DxgkDdiBuildPagingBuffer: the protocol between manager and driver that is the same
 * for every operation (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md). The buffers are work/buffer.c's,
 * what single operations ask and do is operation/dispatch.c's.
 */
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "work/work.h"
#include "watch/watch.h"
#include "state/memory.h"

/* Answers INSUFFICIENT in a row that move MultipassOffset but write nothing. */
#define SILENT_PASSES 65536u
#define ARM           offsetof(DXGKARG_BUILDPAGINGBUFFER, Transfer)
#define ARM_BYTES     sizeof(((DXGKARG_BUILDPAGINGBUFFER *)0)->Reserved)

/* One call. */
struct build_call {
    DXGKARG_BUILDPAGINGBUFFER in;    /* as the manager called */
    DXGKARG_BUILDPAGINGBUFFER asked; /* the same with numbers over all physical adapters */
    uint32_t physical;               /* of its system context */
    struct shadow_build *build;
    struct build_operation *operation;
    NTSTATUS status;
    uint32_t written;
    bool unmoved; /* the driver wrote behind the pointer that it left as it was */
};

/* ---- Operations ------------------------------------------------------------------------------ */

/* Where AllocationIsIdle is said; NULL: nowhere. Bit `*mask` of it. */
static UINT *build_idle_flag(DXGKARG_BUILDPAGINGBUFFER *args, UINT *mask) {
    *mask = 4; /* DXGK_TRANSFERFLAGS.AllocationIsIdle */
    switch ((uint32_t)args->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return &args->Transfer.Flags.Value;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return &args->SpecialLockTransfer.Flags.Value;
    case DXGK_OPERATION_DISCARD_CONTENT:
        *mask = 1;
        return &args->DiscardContent.Flags.Value;
    default:
        return NULL;
    }
}

static bool build_said_idle(const DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER copy = *args;
    UINT mask;
    const UINT *flags = build_idle_flag(&copy, &mask);
    return flags && (*flags & mask) != 0;
}

/* The MDL that an operation names, and which of its pages: `*first`, `*count`. */
static const MDL *build_pages_of(struct vidmm_referee *referee,
                                 const DXGKARG_BUILDPAGINGBUFFER *args, uint64_t *first,
                                 uint64_t *count) {
    uint64_t offset = args->Transfer.TransferOffset / SHADOW_PAGE;
    uint64_t pages = (args->Transfer.TransferSize + SHADOW_PAGE - 1) / SHADOW_PAGE;
    bool special = args->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    switch ((uint32_t)args->Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: /* has the same members up to MdlOffset */
        *first = special ? 0 : args->Transfer.MdlOffset;
        *count = referee->readings.transfer_offset != 0 ? pages + offset : pages;
        if (args->Transfer.Source.SegmentId == 0)
            return args->Transfer.Source.pMdl;
        return args->Transfer.Destination.SegmentId == 0 ? args->Transfer.Destination.pMdl : NULL;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        *first = args->MapApertureSegment.MdlOffset;
        *count = args->MapApertureSegment.NumberOfPages;
        return args->MapApertureSegment.pMdl;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        *first = 0;
        *count = UINT64_MAX;
        return args->InitContextResource.Destination.SegmentId == 0
                   ? args->InitContextResource.Destination.pMdl
                   : NULL;
    default:
        return NULL;
    }
}

/* Room for `count` frames from `first` on, or as many as there are; false: none. */
static bool build_frames_make(struct shadow_operation *operation, uint64_t first, uint64_t there,
                              uint64_t count) {
    if (first >= there)
        return false;
    if (count > there - first)
        count = there - first;
    operation->frames = memory_malloc((count != 0 ? count : 1) * sizeof(*operation->frames));
    operation->frame_count = operation->frames ? count : 0;
    return operation->frames;
}

/* The pages of an address descriptor list from AdlOffset on. */
static void build_keep_list(struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    const DXGK_ADL *adl = &arg->MapApertureSegment2.Adl;
    uint64_t first = arg->MapApertureSegment2.AdlOffset, there = adl->PageCount;
    uint64_t count = arg->MapApertureSegment2.NumberOfPages;
    if ((!adl->Flags.Contiguous && !adl->Pages) ||
        !build_frames_make(operation, first, there, count))
        return;
    for (uint64_t i = 0; i < operation->frame_count; i++)
        operation->frames[i] =
            adl->Flags.Contiguous ? adl->BasePageNumber + first + i : adl->Pages[first + i];
}

/* The page frames, as they are now: the manager may change the MDL before the GPU is done. */
static void build_keep_frames(struct vidmm_referee *referee, struct shadow_operation *operation) {
    uint64_t first, count;
    if (operation->arg.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) {
        build_keep_list(operation);
        return;
    }
    const MDL *mdl = build_pages_of(referee, &operation->arg, &first, &count);
    if (!mdl)
        return;
    uint64_t there = ((uint64_t)mdl->ByteOffset + mdl->ByteCount + SHADOW_PAGE - 1) / SHADOW_PAGE;
    if (build_frames_make(operation, first, there, count))
        memcpy(operation->frames, (const PFN_NUMBER *)(mdl + 1) + first,
               operation->frame_count * sizeof(*operation->frames));
}

static struct build_operation *build_operation_begin(struct vidmm_referee *referee,
                                                     const struct build_call *call) {
    struct build_operation *operation = memory_calloc(1, sizeof(*operation));
    if (!operation)
        return NULL;
    operation->shadow.arg = call->asked;
    operation->shadow.physical = call->physical;
    build_keep_frames(referee, &operation->shadow);
    later_enter(referee, &operation->shadow);
    return operation;
}

/* ---- What the manager asks ------------------------------------------------------------------- */

static bool build_same_arm(const DXGKARG_BUILDPAGINGBUFFER *a, const DXGKARG_BUILDPAGINGBUFFER *b) {
    DXGKARG_BUILDPAGINGBUFFER left = *a, right = *b;
    UINT mask;
    UINT *flags = build_idle_flag(&left, &mask);
    if (flags)
        *flags &= ~mask;
    flags = build_idle_flag(&right, &mask);
    if (flags)
        *flags &= ~mask;
    return left.Operation == right.Operation &&
           memcmp((uint8_t *)&left + ARM, (uint8_t *)&right + ARM, ARM_BYTES) == 0;
}

/* After BUSY: the GPU has let go of the allocation, and the driver is told so. */
static void build_judge_idle(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args) {
    HANDLE handle = NULL;
    MANAGER_MUST(164, build_said_idle(args),
                 "AllocationIsIdle after STATUS_GRAPHICS_ALLOCATION_BUSY",
                 "AllocationIsIdle is 0%s", "");
    if (!operation_names(args, &handle) || !handle)
        return;
    const struct shadow_allocation *object = shadow_allocation(referee, handle);
    if (object)
        MANAGER_MUST(164, object->uses == 0, "no work under way that references the allocation",
                     "%u submissions under way reference it", object->uses);
}

/* INSUFFICIENT ended a part of the operation; `left`: bytes of it that were not submitted. */
static void build_judge_part(struct vidmm_referee *referee, bool submitted, uint32_t left) {
    struct shadow_operation *operation = &referee->builds.open.operation->shadow;
    MANAGER_MUST(156, submitted, "what was written before INSUFFICIENT_DMA_BUFFER to be submitted",
                 "%u bytes were not submitted", left);
    if (operation->bytes == 0)
        return;
    MANAGER_MUST(162, submitted, "a part submitted by itself before the next one is built",
                 "%u bytes of the part before were not submitted", left);
    operation->in_parts = operation->in_parts || submitted;
}

/* By the other reading what the last pass wrote is not run, and its bytes are free again. True: it
 * was so. */
static bool build_dropped(struct vidmm_referee *referee, struct shadow_build *written) {
    if (referee->readings.insufficient == 0 || !written ||
        referee->builds.open.answer != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
        written->number != referee->builds.open.build_number || written->used == written->submitted)
        return false;
    written->used = written->submitted;
    return true;
}

/* The same operation once more. */
static void build_judge_retry(struct vidmm_referee *referee,
                              const DXGKARG_BUILDPAGINGBUFFER *args) {
    struct shadow_build *written = referee->builds.open.build;
    UINT multipass = build_dropped(referee, written) ? 0 : referee->builds.open.multipass;
    bool kept = !written || written->number != referee->builds.open.build_number ||
                written->submitted == written->used;
    if (referee->builds.open.answer == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        build_judge_part(referee, kept, kept ? 0 : written->used - written->submitted);
    else
        build_judge_idle(referee, args);
    MANAGER_MUST(159, args->MultipassOffset == multipass, "MultipassOffset as the driver left it",
                 "MultipassOffset is %u instead of %u", args->MultipassOffset, multipass);
    MANAGER_MUST(160,
                 build_same_arm(args, &referee->builds.open.operation->shadow.arg) ||
                     build_same_arm(args, &referee->builds.open.latest),
                 "the same members, except for AllocationIsIdle", "members changed%s", "");
}

static void build_judge_other(struct vidmm_referee *referee,
                              const DXGKARG_BUILDPAGINGBUFFER *args) {
    char text[64];
    const char *name = operation_call_name(
        (uint32_t)referee->builds.open.operation->shadow.arg.Operation, text, sizeof(text));
    if (referee->builds.open.answer == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        MANAGER_MUST(156, false, "the same operation again after INSUFFICIENT_DMA_BUFFER",
                     "operation %u follows %s", (uint32_t)args->Operation, name);
    else
        MANAGER_MUST(164, false, "the same operation again after ALLOCATION_BUSY",
                     "operation %u follows %s", (uint32_t)args->Operation, name);
    operation_abandon(referee);
}

/* The operation that the call is for, begun or gone on with. */
static struct build_operation *build_judge_operation(struct vidmm_referee *referee,
                                                     const struct build_call *call) {
    const DXGKARG_BUILDPAGINGBUFFER *args = &call->asked;
    if (referee->builds.open.operation &&
        referee->builds.open.operation->shadow.arg.Operation != args->Operation)
        build_judge_other(referee, args);
    if (referee->builds.open.operation) {
        build_judge_retry(referee, args);
        return referee->builds.open.operation;
    }
    MANAGER_MUST(158, args->MultipassOffset == 0, "MultipassOffset 0 at the first call",
                 "MultipassOffset is %u", args->MultipassOffset);
    referee->builds.open.operation = build_operation_begin(referee, call);
    if (referee->builds.open.operation)
        operation_asked(referee, &referee->builds.open.operation->shadow);
    return referee->builds.open.operation;
}

static void build_judge_handles(struct vidmm_referee *referee,
                                const DXGKARG_BUILDPAGINGBUFFER *args) {
    HANDLE handle = NULL, system = args->hSystemContext;
    /* Without the driver's callbacks in view its context allocations are not known. */
    bool all_known = referee->callbacks.Size != 0;
    if (all_known && operation_names(args, &handle) &&
        (handle || !operation_may_be_nameless((uint32_t)args->Operation)))
        MANAGER_MUST(168, shadow_allocation(referee, handle),
                     "a handle that the driver gave an allocation",
                     "hAllocation %p is no allocation's", handle);
    const struct shadow_context *context = shadow_context(referee, system);
    bool known = context && context->system;
    if (system || referee->objects.system_contexts != 0)
        MANAGER_MUST(171, known, "the driver's handle of a system context",
                     "hSystemContext %p is no system context's", system);
}

/* Clean-up: the driver is told after a reset that something left its segment, and page tables
 * follow.
 */
static bool build_cleans_up(const DXGKARG_BUILDPAGINGBUFFER *args) {
    switch ((uint32_t)args->Operation) {
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
    case DXGK_OPERATION_FLUSH_TLB:
        return true;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        return !args->NotifyResidency.Resident;
    default:
        return args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.TransferSize == 0;
    }
}

static void build_judge_call(struct vidmm_referee *referee, const struct referee_call *call,
                             const DXGKARG_BUILDPAGINGBUFFER *args) {
    MANAGER_MUST(147, call->alone, "one thread at a time in the GPU scheduler's calls",
                 "another of them is under way%s", "");
    MANAGER_MUST(148, call->irql == PASSIVE_LEVEL, "PASSIVE_LEVEL", "IRQL %u",
                 (unsigned)call->irql);
    reset_judge(referee, build_cleans_up(args));
    power_judge_initialised(referee, args);
    build_judge_handles(referee, args);
#if WDDM_AT_LEAST(WDDM2_0)
    referee->builds.page_tables =
        referee->builds.page_tables || args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
    if (!referee->builds.page_tables &&
        referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        MANAGER_MUST(172, args->DmaBufferGpuVirtualAddress == 0,
                     "no virtual address where no page table was ever written",
                     "DmaBufferGpuVirtualAddress is 0x%llx",
                     (unsigned long long)args->DmaBufferGpuVirtualAddress);
    submit_judge_buffer(referee, args);
#endif
}

/* ---- What the driver answers ----------------------------------------------------------------- */

static bool build_may_answer(NTSTATUS status) {
    return status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
           status == STATUS_GRAPHICS_ALLOCATION_BUSY;
}

static void build_judge_busy(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *in) {
    DXGKARG_BUILDPAGINGBUFFER copy = *in;
    UINT mask;
    bool may = build_idle_flag(&copy, &mask) && !build_said_idle(in);
    DRIVER_MUST(163, may,
                "ALLOCATION_BUSY only for TRANSFER, DISCARD_CONTENT and SPECIAL_LOCK_TRANSFER "
                "without AllocationIsIdle",
                "STATUS_GRAPHICS_ALLOCATION_BUSY%s",
                build_said_idle(in) ? " with AllocationIsIdle" : "");
    if (!may)
        submit_give_up(referee);
}

/* INSUFFICIENT gets the rest of the operation nowhere. */
static void build_judge_progress(struct vidmm_referee *referee, const struct build_call *call,
                                 const DXGKARG_BUILDPAGINGBUFFER *out) {
    bool further = out->MultipassOffset != call->in.MultipassOffset;
    bool moved = call->written != 0 || further;
    bool empty = !call->build || call->build->used == call->written;
    uint32_t full = referee->adapter.physical[call->physical].paging_size;
    referee->builds.open.silent = call->written != 0 ? 0 : referee->builds.open.silent + 1;
    referee->builds.open.repeated =
        call->written != 0 && !further ? referee->builds.open.repeated + 1 : 0;
    bool stuck = (!moved && empty && call->in.DmaSize >= full) ||
                 referee->builds.open.silent > SILENT_PASSES ||
                 referee->builds.open.repeated > VIDMM_REPEATED_PASSES;
    DRIVER_MUST(157, !stuck, "progress in an empty paging buffer before INSUFFICIENT_DMA_BUFFER",
                "INSUFFICIENT_DMA_BUFFER with %u bytes of room, %u bytes written, MultipassOffset "
                "%u and then %u",
                call->in.DmaSize, call->written, call->in.MultipassOffset, out->MultipassOffset);
    if (stuck)
        submit_give_up(referee);
}

/* Nameless updates are those of what the driver knows nothing of. */
static void build_operation_answered(struct vidmm_referee *referee,
                                     const DXGKARG_BUILDPAGINGBUFFER *args, bool may,
                                     NTSTATUS status) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && !args->UpdatePageTable.hAllocation)
        DRIVER_MUST(217, may, "an update without an allocation to be accepted",
                    "status 0x%08x for an update without hAllocation", (unsigned)status);
}

static void build_judge_answer(struct vidmm_referee *referee, const struct build_call *call,
                               const DXGKARG_BUILDPAGINGBUFFER *out) {
    HANDLE handle = NULL;
    bool may = build_may_answer(call->status);
    DRIVER_MUST(149, may,
                "STATUS_SUCCESS, STATUS_GRAPHICS_ALLOCATION_BUSY or "
                "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER",
                "status 0x%08x", (unsigned)call->status);
    if (operation_effect((uint32_t)call->in.Operation) == VIDMM_EFFECT_APERTURE)
        DRIVER_MUST(37, may, "an aperture segment's pages to be mapped and unmapped when asked",
                    "status 0x%08x", (unsigned)call->status);
    if (operation_may_be_nameless((uint32_t)call->in.Operation) &&
        operation_names(&call->in, &handle) && !handle)
        DRIVER_MUST(169, may, "an operation without an allocation to be accepted",
                    "status 0x%08x for an operation without hAllocation", (unsigned)call->status);
    build_operation_answered(referee, &call->in, may, call->status);
    if (!may)
        submit_give_up(referee);
    else if (call->status == STATUS_GRAPHICS_ALLOCATION_BUSY)
        build_judge_busy(referee, &call->in);
    else if (call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        build_judge_progress(referee, call, out);
}

/* What is in no submission was carried out by the CPU, or never will be. */
static void build_swallowed(struct vidmm_referee *referee, struct build_call *call) {
    struct work_quiet quiet;
    if (!call->unmoved) {
        operation_complete(referee, &call->operation->shadow);
        return;
    }
    work_quiet_begin(&quiet, referee->ledger);
    operation_complete(referee, &call->operation->shadow);
    DRIVER_MUST(153, work_quiet_end(&quiet, referee->ledger) == 0,
                "pDmaBuffer one past the last byte written",
                "bytes were written at pDmaBuffer, which came back as it was, and nothing was "
                "carried out%s",
                "");
}

/* The operation is built: it completes with the last submission that has bytes of it. */
static void build_finish(struct vidmm_referee *referee, struct build_call *call) {
    struct build_operation *operation = call->operation;
    struct shadow_build *build = call->build;
    operation->end = build ? build->used : 0;
    operation->shadow.build = build ? build->number : 0;
    operation->shadow.swallowed = operation->shadow.bytes == 0;
    memset(&referee->builds.open, 0, sizeof(referee->builds.open));
    operation_built(referee, &operation->shadow);
    if (operation->shadow.swallowed) {
        build_swallowed(referee, call);
    } else if (build && build->used > build->submitted) {
        if (!build->first)
            build->first = operation;
        else
            build->last->shadow.next = &operation->shadow;
        build->last = operation;
    } else if (!submit_append(referee, &operation->shadow)) {
        operation_complete(referee, &operation->shadow);
    }
}

/* R591: what the driver is told of the operation, and of the buffer's place, it leaves as it is. */
static void build_judge_members(struct vidmm_referee *referee, const struct build_call *call,
                                const DXGKARG_BUILDPAGINGBUFFER *out) {
    const DXGKARG_BUILDPAGINGBUFFER *in = &call->in;
    DRIVER_MUST(591,
                build_same_arm(in, out) && build_said_idle(in) == build_said_idle(out) &&
                    in->hSystemContext == out->hSystemContext,
                "the members of the operation as they were",
                "the structure of the operation was changed, status 0x%08x",
                (unsigned)call->status);
}

static void build_take_answer(struct vidmm_referee *referee, struct build_call *call,
                              const DXGKARG_BUILDPAGINGBUFFER *out) {
    struct build_operation *operation = call->operation;
    if (!operation)
        return;
    operation->shadow.bytes += call->written;
    operation->shadow.unwritten = call->build ? call->build->unwritten : 0;
    if (submit_gave_up(referee)) {
        operation_abandon(referee);
        return;
    }
    if (call->status == STATUS_SUCCESS) {
        build_finish(referee, call);
        return;
    }
    referee->builds.open.answer = call->status;
    referee->builds.open.multipass = out->MultipassOffset;
    referee->builds.open.latest = *out;
    operation_number(call->physical, &referee->builds.open.latest);
    referee->builds.open.build = call->written != 0 ? call->build : NULL;
    referee->builds.open.build_number = call->build ? call->build->number : 0;
}

/* That of the system context; before there is one, that of the system's process. */
static uint32_t build_physical(struct vidmm_referee *referee,
                               const DXGKARG_BUILDPAGINGBUFFER *args) {
    bool first = !args->hSystemContext && args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
    return first ? tables_pages_for(referee, args->UpdatePageTable.hProcess)
                 : submit_physical(referee, args->hSystemContext, 0);
}

/* R553: a side of a transfer has an MDL only if its segment is 0. R210: a page table has a pointer only if
 * UpdateMode is the CPU's. */
static void build_give_addresses(const struct referee_call *entered,
                                 const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER) {
        if (args->Transfer.Source.SegmentId != 0)
            referee_gives_address(entered, 553,
                                  (uint64_t)args->Transfer.Source.SegmentAddress.QuadPart);
        if (args->Transfer.Destination.SegmentId != 0)
            referee_gives_address(entered, 553,
                                  (uint64_t)args->Transfer.Destination.SegmentAddress.QuadPart);
    } else if (args->Operation == DXGK_OPERATION_FILL) {
        referee_gives_address(entered, 553,
                              (uint64_t)args->Fill.Destination.SegmentAddress.QuadPart);
    } else if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
               args->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
        referee_gives_address(entered, 210,
                              (uint64_t)args->UpdatePageTable.PageTableAddress.GpuVirtual);
    }
}

static NTSTATUS watch_BuildPagingBuffer(struct vidmm_referee *referee, const HANDLE handle,
                                        DXGKARG_BUILDPAGINGBUFFER *args) {
    struct referee_call entered;
    struct build_call call = {.in = *args, .asked = *args};
    char text[64];
    const char *name = operation_call_name((uint32_t)args->Operation, text, sizeof(text));
    referee_enter(referee, &entered, name, REFEREE_SCHEDULER);
    reports_drain(referee);
    call.physical = build_physical(referee, args);
    operation_number(call.physical, &call.asked);
    build_judge_call(referee, &entered, args);
    call.operation = build_judge_operation(referee, &call);
    call.build = build_aim(referee, args);
    if (call.build)
        build_redirect(call.build, args);
    build_give_addresses(&entered, args);
    referee_leave(referee);
    call.status = referee->real.DxgkDdiBuildPagingBuffer(handle, args);
    referee_return(referee);
    if (call.build)
        call.written =
            build_return(referee, call.build, &call.in, args, call.status, &call.unmoved);
    build_judge_members(referee, &call, args);
    build_judge_answer(referee, &call, args);
    build_take_answer(referee, &call, args);
    referee_exit(referee, &entered);
    return call.status;
}
WATCHED_2(NTSTATUS, BuildPagingBuffer, const HANDLE, DXGKARG_BUILDPAGINGBUFFER *)

void referee_watch_build(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, BuildPagingBuffer);
#if WDDM_AT_LEAST(WDDM2_0)
    referee->builds.page_tables = false;
#endif
}
