/*
 * break_submission.c - managers that get Patch, SubmitCommand, and resets wrong, and what the GPU
 * still uses: groups C, E, K, Q and T. break_paging_manager.c has how paging buffers are built.
 */
#include "mutants.h"

#include <string.h>

#define PAGE 4096u

/* Memory that is no object of the driver's, but may be read. */
static uint64_t nobody[64];

/* ---- Patch and SubmitCommand --------------------------------------------------------------------- */

/* What both calls say of one submission: the same lie to both. */
static struct {
    bool paging; /* which submissions */
    bool segment;
    UINT segment_id;
    bool small;
    HANDLE context;
} lie;

static NTSTATUS APIENTRY lying_patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging == lie.paging) {
        mine.DmaBufferSegmentId = lie.segment ? lie.segment_id : mine.DmaBufferSegmentId;
        mine.DmaBufferSize = lie.small ? mine.DmaBufferSubmissionEndOffset - 1 : mine.DmaBufferSize;
        mine.hContext = lie.context ? lie.context : mine.hContext;
    }
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static NTSTATUS APIENTRY lying_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    if (mine.Flags.Paging == lie.paging) {
        mine.DmaBufferSegmentId = lie.segment ? lie.segment_id : mine.DmaBufferSegmentId;
        mine.DmaBufferSize = lie.small ? mine.DmaBufferSubmissionEndOffset - 1 : mine.DmaBufferSize;
        mine.hContext = lie.context ? lie.context : mine.hContext;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}

static void APIENTRY install_lies(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = lying_patch;
    table->DxgkDdiSubmitCommand = lying_submit;
}

static void APIENTRY install_other_aperture(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .segment = true, .segment_id = 3};
    install_lies(table);
}

static void APIENTRY install_render_in_aperture(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.segment = true, .segment_id = 1};
    install_lies(table);
}

static void APIENTRY install_render_in_memory(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.segment = true, .segment_id = 2};
    install_lies(table);
}

static void APIENTRY install_segment_zero(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .segment = true, .segment_id = 0};
    install_lies(table);
}

static void APIENTRY install_beyond_buffer(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .small = true};
    install_lies(table);
}

static void APIENTRY install_wrong_submit_context(DRIVER_INITIALIZATION_DATA *table) {
    lie = (__typeof__(lie)){.paging = true, .context = nobody};
    install_lies(table);
}

static NTSTATUS APIENTRY elsewhere(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging)
        mine.DmaBufferPhysicalAddress.QuadPart += 16 * PAGE;
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}
REPLACE(DxgkDdiPatch, elsewhere)

static NTSTATUS APIENTRY with_list(const HANDLE adapter, const DXGKARG_PATCH *args) {
    static const DXGK_ALLOCATIONLIST list;
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging) {
        mine.pAllocationList = &list;
        mine.AllocationListSize = 1;
    }
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}
REPLACE(DxgkDdiPatch, with_list)

/* Every allocation of the list in `segment`. */
static NTSTATUS patch_in(const HANDLE adapter, const DXGKARG_PATCH *args, UINT segment) {
    static DXGK_ALLOCATIONLIST list[1024];
    DXGKARG_PATCH mine = *args;
    if (mine.Flags.Paging || mine.AllocationListSize > 1024 || mine.AllocationListSize == 0)
        return mutants_good.DxgkDdiPatch(adapter, args);
    memcpy(list, mine.pAllocationList, mine.AllocationListSize * sizeof(list[0]));
    for (UINT i = 0; i < mine.AllocationListSize; i++)
        list[i].SegmentId = segment;
    mine.pAllocationList = list;
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static NTSTATUS APIENTRY nowhere(const HANDLE adapter, const DXGKARG_PATCH *args) {
    return patch_in(adapter, args, 0);
}

static NTSTATUS APIENTRY beyond_last(const HANDLE adapter, const DXGKARG_PATCH *args) {
    return patch_in(adapter, args, 30);
}
REPLACE(DxgkDdiPatch, beyond_last)

/* Addresses of the other segments are not on the bus. */
static NTSTATUS APIENTRY in_agp(const HANDLE adapter, const DXGKARG_PATCH *args) {
    return patch_in(adapter, args, 3);
}
REPLACE(DxgkDdiPatch, in_agp)
REPLACE(DxgkDdiPatch, nowhere)

static NTSTATUS APIENTRY other_size(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.DmaBufferSize += 8;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}
REPLACE(DxgkDdiSubmitCommand, other_size)

static NTSTATUS APIENTRY new_resubmission(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.Flags.Resubmission = 1;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}
REPLACE(DxgkDdiSubmitCommand, new_resubmission)

static NTSTATUS APIENTRY other_node(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.NodeOrdinal += args->Flags.Paging;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}
REPLACE(DxgkDdiSubmitCommand, other_node)

static NTSTATUS APIENTRY reserved_flag(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_SUBMITCOMMAND mine = *args;
    mine.Flags.Reserved = 1;
    return mutants_good.DxgkDdiSubmitCommand(adapter, &mine);
}
REPLACE(DxgkDdiSubmitCommand, reserved_flag)

/* ---- What the GPU still uses --------------------------------------------------------------------- */

/* The last command buffer: given to the GPU once more, without a byte of it, its allocations are in
 * use again for as long as nobody waits. */
static struct {
    bool known;
    HANDLE adapter;
    DXGKARG_PATCH patch;
    DXGKARG_SUBMITCOMMAND submit;
    DXGK_ALLOCATIONLIST list[1024];
} newest;

static NTSTATUS APIENTRY note_patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    if (!args->Flags.Paging && args->AllocationListSize <= 1024) {
        newest.known = false;
        newest.adapter = adapter;
        newest.patch = *args;
        memcpy(newest.list, args->pAllocationList, args->AllocationListSize * sizeof(*newest.list));
    }
    return mutants_good.DxgkDdiPatch(adapter, args);
}

static NTSTATUS APIENTRY note_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    if (args->SubmissionFenceId == newest.patch.SubmissionFenceId && !args->Flags.Paging) {
        newest.submit = *args;
        newest.known = true;
    }
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY forget_context(const HANDLE context) {
    newest.known = newest.known && newest.patch.hContext != context;
    return mutants_good.DxgkDdiDestroyContext(context);
}

static void APIENTRY keep_busy(void) {
    if (!newest.known)
        return;
    newest.patch.pAllocationList = newest.list;
    newest.patch.pPatchLocationList = NULL;
    newest.patch.PatchLocationListSize = newest.patch.PatchLocationListSubmissionLength = 0;
    newest.patch.DmaBufferSubmissionEndOffset = newest.patch.DmaBufferSubmissionStartOffset;
    newest.submit.DmaBufferSubmissionEndOffset = newest.submit.DmaBufferSubmissionStartOffset;
    (void)mutants_good.DxgkDdiPatch(newest.adapter, &newest.patch);
    (void)mutants_good.DxgkDdiSubmitCommand(newest.adapter, &newest.submit);
}

static void APIENTRY install_notes(DRIVER_INITIALIZATION_DATA *table) {
    newest.known = false;
    table->DxgkDdiPatch = note_patch;
    table->DxgkDdiSubmitCommand = note_submit;
    table->DxgkDdiDestroyContext = forget_context;
}

static NTSTATUS APIENTRY close_in_use(const HANDLE device, const DXGKARG_CLOSEALLOCATION *args) {
    keep_busy();
    newest.known = false;
    return mutants_good.DxgkDdiCloseAllocation(device, args);
}

static void APIENTRY install_close_in_use(DRIVER_INITIALIZATION_DATA *table) {
    install_notes(table);
    table->DxgkDdiCloseAllocation = close_in_use;
}

static NTSTATUS APIENTRY map_in_use(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)
        keep_busy();
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}

static NTSTATUS APIENTRY forget_all(const HANDLE adapter) {
    newest.known = false;
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static void APIENTRY install_map_in_use(DRIVER_INITIALIZATION_DATA *table) {
    install_notes(table);
    table->DxgkDdiResetFromTimeout = forget_all;
    table->DxgkDdiBuildPagingBuffer = map_in_use;
}

/* ---- Engines ------------------------------------------------------------------------------------- */

/* An engine that gives up what it was given last. */
static UINT last_fence;

static NTSTATUS APIENTRY below_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    last_fence = args->SubmissionFenceId;
    return mutants_below.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY below_reset(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    (void)adapter;
    args->LastAbortedFenceId = last_fence;
    return STATUS_SUCCESS;
}

static void APIENTRY scene_engine_gives_up(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommand = below_submit;
    table->DxgkDdiResetEngine = below_reset;
}

static NTSTATUS APIENTRY reset_and_go_on(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = args->NodeOrdinal};
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommand(adapter, args);
    if (args->Flags.Paging)
        (void)mutants_good.DxgkDdiResetEngine(adapter, &reset);
    return status;
}
REPLACE(DxgkDdiSubmitCommand, reset_and_go_on)

/* ---- Level 3 ------------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY power_while_busy(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommand(adapter, args);
    (void)mutants_good.DxgkDdiSetPowerState(adapter, (ULONG)-1, PowerDeviceD0, PowerActionNone);
    return status;
}
REPLACE(DxgkDdiSubmitCommand, power_while_busy)

static NTSTATUS APIENTRY query_while_reset(const HANDLE adapter) {
    DXGKARG_QUERYDEPENDENTENGINEGROUP args = {0};
    NTSTATUS status = mutants_good.DxgkDdiResetFromTimeout(adapter);
    (void)mutants_good.DxgkDdiQueryDependentEngineGroup(adapter, &args);
    return status;
}
REPLACE(DxgkDdiResetFromTimeout, query_while_reset)

/* ---- The mutants ----------------------------------------------------------------------------- */

const struct mutant mutants_submission[] = {
    {BREAKS(16, MANAGER, "paging", beyond_last,
            "says that allocations are in a segment beyond the last"),
     .consequences = {393}},
    {BREAKS(18, MANAGER, "paging", segment_zero,
            "says segment 0 of a paging buffer in an aperture"),
     .consequences = {74}, .settings = {{"PagingBufferSegment", 1}}},
    {BREAKS(35, MANAGER, "paging", in_agp,
            "gives addresses in the AGP segment that the bus does not have"),
     .settings = {{"Agp", 1}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN7}}},
    {BREAKS(88, MANAGER, "paging", other_node, "submits paging buffers to a node beyond the last"),
     .settings = {{"Nodes", 1}}},
    {BREAKS(474, MANAGER, "paging", reserved_flag, "sets a reserved flag of submissions")},
    {BREAKS(145, MANAGER, "locks", close_in_use, "destroys what the GPU still uses"),
     .consequences = {281, 360}},
    {BREAKS(198, MANAGER, "locks", map_in_use, "unmaps what the GPU still uses"),
     .consequences = {281}},
    {BREAKS(74, MANAGER, "paging", elsewhere, "names another address than the paging buffer's"),
     .consequences = {275}},
    {BREAKS(75, MANAGER, "paging", other_aperture,
            "says the paging buffer is in an aperture where it is not mapped"),
     .consequences = {81},
     .settings = {{"PagingBufferSegment", 1},
                  {"EvictionApertureBytes", 1 << 20},
                  {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3}}},
    {BREAKS(80, MANAGER, "paging", render_in_aperture,
            "puts DMA buffers into an aperture that the context did not name")},
    {BREAKS(81, MANAGER, "paging", render_in_memory, "puts DMA buffers into GPU memory"),
     .consequences = {80}},
    {BREAKS(273, MANAGER, "paging", with_list, "patches a paging buffer with an allocation list")},
    {BREAKS(275, MANAGER, "paging", other_size, "submits another size than it patched")},
    {BREAKS(276, MANAGER, "paging", wrong_submit_context,
            "submits paging buffers to a context of its own making")},
    {BREAKS(280, MANAGER, "paging", beyond_buffer, "submits a range beyond the buffer")},
    {BREAKS(281, MANAGER, "paging", new_resubmission, "submits again what was never submitted")},
    {.rule = 282,
     .side = VIDMM_SIDE_MANAGER,
     .what = "resets an engine that had paging work, and goes on",
     .install = install_reset_and_go_on,
     .scene = scene_engine_gives_up,
     .stage = "paging"},
    {BREAKS(360, MANAGER, "paging", power_while_busy,
            "changes the power state while work is under way")},
    {BREAKS(361, MANAGER, "paging", query_while_reset,
            "calls the driver between reset and restart")},
    {BREAKS(393, MANAGER, "paging", nowhere, "submits references that are nowhere")},
};
const uint32_t mutants_submission_count =
    sizeof(mutants_submission) / sizeof(mutants_submission[0]);
