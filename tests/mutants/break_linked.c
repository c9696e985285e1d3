/*
 * break_linked.c - drivers that take one of linked boards for another, and systems that link,
 * start, ask and address physical adapters in another way than the pages have it.
 */
#include "mutants.h"

#include <string.h>

#include <vidmm/umd.h>

#define PAIR    2u
#define ENTRIES 1024u

/* ---- The chain ------------------------------------------------------------------------------- */

static UINT linked_so_far;

static NTSTATUS APIENTRY counts_so_far(const PDEVICE_OBJECT object, const PVOID context,
                                       PLINKED_DEVICE answer) {
    NTSTATUS status = mutants_good.DxgkDdiLinkDevice(object, context, answer);
    answer->NumberOfLinksInChain = ++linked_so_far;
    return status;
}
REPLACE(DxgkDdiLinkDevice, counts_so_far)

static NTSTATUS APIENTRY leads_always(const PDEVICE_OBJECT object, const PVOID context,
                                      PLINKED_DEVICE answer) {
    NTSTATUS status = mutants_good.DxgkDdiLinkDevice(object, context, answer);
    answer->LeadLink = TRUE;
    return status;
}
REPLACE(DxgkDdiLinkDevice, leads_always)

/* ---- Reports --------------------------------------------------------------------------------- */

static DXGKCB_NOTIFY_INTERRUPT good_notify;

static VOID APIENTRY notify_first(const HANDLE device,
                                  const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        report.DmaCompleted.EngineOrdinal = 0;
    good_notify(device, &report);
}

static NTSTATUS APIENTRY reports_first(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    good_notify = calls->DxgkCbNotifyInterrupt;
    mine.DxgkCbNotifyInterrupt = notify_first;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}
REPLACE(DxgkDdiStartDevice, reports_first)

/* ---- Work ------------------------------------------------------------------------------------ */

/* Its contexts are all the lead's. */
static NTSTATUS APIENTRY works_on_lead(const HANDLE adapter,
                                       const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->EngineOrdinal != 0)
        return STATUS_INVALID_PARAMETER;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}
REPLACE(DxgkDdiSubmitCommandVirtual, works_on_lead)

/* ---- Queries --------------------------------------------------------------------------------- */

/* All inputs but that of a level are a UINT, the index. */
static UINT *query_index(const DXGKARG_QUERYADAPTERINFO *args) {
    bool has = args->Type == DXGKQAITYPE_QUERYSEGMENT4 || args->Type == DXGKQAITYPE_GPUMMUCAPS ||
               args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS;
    return has ? args->pInputData : NULL;
}

static NTSTATUS APIENTRY level_as_uint(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    UINT level = 0;
    if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC)
        memcpy(&level, args->pInputData, sizeof(level));
    return level > 0xffffu ? STATUS_INVALID_PARAMETER
                           : mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
}
REPLACE(DxgkDdiQueryAdapterInfo, level_as_uint)

static NTSTATUS APIENTRY fewer_nodes(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS && status == STATUS_SUCCESS &&
        *query_index(args) != 0) {
        DXGK_PHYSICALADAPTERCAPS *caps = args->pOutputData;
        caps->NumExecutionNodes--;
        caps->PagingNodeIndex = 0;
    }
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, fewer_nodes)

/* The first adapter's memory for all of them, where the CPU is told. */
static NTSTATUS APIENTRY first_memory(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    static PHYSICAL_ADDRESS seen[32];
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    const DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT4 || status != STATUS_SUCCESS ||
        !out->pSegmentDescriptor)
        return status;
    for (UINT i = 0; i < out->NbSegment && i < 32; i++) {
        DXGK_SEGMENTDESCRIPTOR4 *at =
            (DXGK_SEGMENTDESCRIPTOR4 *)(void *)(out->pSegmentDescriptor +
                                                i * out->SegmentDescriptorStride);
        if (*query_index(args) == 0)
            seen[i] = at->CpuTranslatedAddress;
        else
            at->CpuTranslatedAddress = seen[i];
    }
    return status;
}
REPLACE(DxgkDdiQueryAdapterInfo, first_memory)

static NTSTATUS APIENTRY answers_beyond(const HANDLE adapter,
                                        const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_QUERYADAPTERINFO inside = *args;
    UINT first = 0;
    if (query_index(args) && *query_index(args) >= PAIR)
        inside.pInputData = &first;
    return mutants_good.DxgkDdiQueryAdapterInfo(adapter, &inside);
}
REPLACE(DxgkDdiQueryAdapterInfo, answers_beyond)

/* Managers: a question about an adapter that is not there, besides the right one. */
static NTSTATUS APIENTRY asks_beyond(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS) {
        DXGKARG_QUERYADAPTERINFO beyond = *args;
        UINT index = PAIR;
        beyond.pInputData = &index;
        (void)mutants_good.DxgkDdiQueryAdapterInfo(adapter, &beyond);
    }
    return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
}
REPLACE(DxgkDdiQueryAdapterInfo, asks_beyond)

static NTSTATUS APIENTRY asks_first(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_QUERYADAPTERINFO first = *args;
    DXGK_QUERYPAGETABLELEVELDESCIN level;
    if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC) {
        memcpy(&level, args->pInputData, sizeof(level));
        level.PhysicalAdapterIndex = 0;
        first.pInputData = &level;
    }
    return mutants_good.DxgkDdiQueryAdapterInfo(adapter, &first);
}
REPLACE(DxgkDdiQueryAdapterInfo, asks_first)

/* ---- Objects --------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY renames_often(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; i < args->NumAllocations && status == STATUS_SUCCESS; i++)
        args->pAllocationInfo[i].MaximumRenamingListLength = 64;
    return status;
}
REPLACE(DxgkDdiCreateAllocation, renames_often)

/* The driver is asked for a home on the first adapter, and the allocation is used on another. */
static NTSTATUS APIENTRY moves_home(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    UINT home[16] = {0};
    for (UINT i = 0; i < args->NumAllocations && i < 16; i++) {
        struct vidmm_umd_allocation *umd = args->pAllocationInfo[i].pPrivateDriverData;
        home[i] = VIDMM_UMD_PHYSICAL_OF(umd->flags);
        umd->flags &= VIDMM_UMD_PHYSICAL(1) - 1;
    }
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; i < args->NumAllocations && i < 16; i++)
        args->pAllocationInfo[i].PhysicalAdapterIndex = home[i];
    return status;
}
REPLACE(DxgkDdiCreateAllocation, moves_home)

/* One that has no work of its own. */
static NTSTATUS APIENTRY for_all(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    static bool done;
    if (!args->Flags.SystemContext && !done) {
        args->EngineAffinity |= 1u << (PAIR - 1);
        done = true;
    }
    return mutants_good.DxgkDdiCreateContext(device, args);
}
REPLACE(DxgkDdiCreateContext, for_all)

/* ---- Work ------------------------------------------------------------------------------------ */

static NTSTATUS APIENTRY patches_another(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH other = *args;
    other.EngineOrdinal ^= 1u;
    return mutants_good.DxgkDdiPatch(adapter, &other);
}
REPLACE(DxgkDdiPatch, patches_another)

static NTSTATUS APIENTRY shows_another(const HANDLE adapter,
                                       const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    DXGKARG_MAPCPUHOSTAPERTURE other = *args;
    other.PhysicalAdapterIndex ^= 1u;
    return mutants_good.DxgkDdiMapCpuHostAperture(adapter, &other);
}
REPLACE(DxgkDdiMapCpuHostAperture, shows_another)

/* ---- Resets ---------------------------------------------------------------------------------- */

static DXGKCB_NOTIFY_INTERRUPT notify_settled;
static UINT completed_before[PAIR]; /* the reset; 0: none was, or work came since */

/* What the reset ended counts as completed on the lead alone. */
static VOID APIENTRY notify_lead_settled(const HANDLE device,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
        report.DmaPreempted.EngineOrdinal == 1 && completed_before[1] != 0)
        report.DmaPreempted.LastCompletedFenceId = completed_before[1];
    notify_settled(device, &report);
}

static NTSTATUS APIENTRY start_settling(const PVOID context, PDXGK_START_INFO info,
                                        PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    notify_settled = calls->DxgkCbNotifyInterrupt;
    mine.DxgkCbNotifyInterrupt = notify_lead_settled;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static NTSTATUS APIENTRY reset_lead(const HANDLE adapter) {
    for (UINT i = 0; i < PAIR; i++) {
        DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = 1, .EngineOrdinal = i};
        (void)mutants_good.DxgkDdiQueryCurrentFence(adapter, &fence);
        completed_before[i] = fence.CurrentFence;
    }
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static NTSTATUS APIENTRY submit_on_either(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    memset(completed_before, 0, sizeof(completed_before));
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static void APIENTRY install_resets_lead(DRIVER_INITIALIZATION_DATA *table) {
    memset(completed_before, 0, sizeof(completed_before));
    table->DxgkDdiStartDevice = start_settling;
    table->DxgkDdiResetFromTimeout = reset_lead;
    table->DxgkDdiSubmitCommand = submit_on_either;
}

/* ---- Page tables ----------------------------------------------------------------------------- */

/* The pages of leaf tables that are in memory, with another index. */
static NTSTATUS build_with_index(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args,
                                 UINT changed) {
    static DXGK_PTE entry[ENTRIES];
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &args->UpdatePageTable;
    const DXGK_PTE *good = update->pPageTableEntries;
    UINT count = update->Flags.Repeat ? 1 : update->NumPageTableEntries;
    if (args->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || update->PageTableLevel != 0 ||
        !good || count > ENTRIES)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    for (UINT i = 0; i < count; i++) {
        entry[i] = good[i];
        if (entry[i].Valid && !entry[i].Zero && entry[i].Segment != 0)
            entry[i].PhysicalAdapterIndex ^= changed;
    }
    update->pPageTableEntries = entry;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    update->pPageTableEntries = (DXGK_PTE *)(uintptr_t)good;
    return status;
}

static NTSTATUS APIENTRY other_index(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return build_with_index(adapter, args, 1);
}
REPLACE(DxgkDdiBuildPagingBuffer, other_index)

static NTSTATUS APIENTRY high_index(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return build_with_index(adapter, args, PAIR);
}
REPLACE(DxgkDdiBuildPagingBuffer, high_index)

/* ---- Notices of residency -------------------------------------------------------------------- */

#define SEGMENTS 32u

static LONGLONG base[PAIR][SEGMENTS];
static HANDLE second_paging; /* the paging context of the second adapter */

static NTSTATUS APIENTRY note_bases(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    const DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT4 || status != STATUS_SUCCESS ||
        !out->pSegmentDescriptor || *query_index(args) >= PAIR)
        return status;
    for (UINT i = 0; i < out->NbSegment && i < SEGMENTS; i++) {
        const DXGK_SEGMENTDESCRIPTOR4 *at =
            (const DXGK_SEGMENTDESCRIPTOR4 *)(const void *)(out->pSegmentDescriptor +
                                                            i * out->SegmentDescriptorStride);
        base[*query_index(args)][i] = at->BaseAddress.QuadPart;
    }
    return status;
}

static NTSTATUS APIENTRY note_paging(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    if (status == STATUS_SUCCESS && args->EngineAffinity == 2 && args->Flags.SystemContext)
        second_paging = args->hContext;
    return status;
}

/* What is resident on the second adapter is looked for from where the lead's segment begins. */
static NTSTATUS APIENTRY from_lead(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    D3DGPU_PHYSICAL_ADDRESS *place = &args->NotifyResidency.PhysicalAddress;
    if (args->Operation != DXGK_OPERATION_NOTIFY_RESIDENCY || !args->NotifyResidency.Resident ||
        args->hSystemContext != second_paging || place->SegmentId == 0 ||
        place->SegmentId > SEGMENTS)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    const UINT64 asked = place->SegmentOffset;
    place->SegmentOffset += (UINT64)(base[0][place->SegmentId - 1] - base[1][place->SegmentId - 1]);
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    place->SegmentOffset = asked;
    return status;
}

static void APIENTRY install_from_lead(DRIVER_INITIALIZATION_DATA *table) {
    second_paging = NULL;
    table->DxgkDdiQueryAdapterInfo = note_bases;
    table->DxgkDdiCreateContext = note_paging;
    table->DxgkDdiBuildPagingBuffer = from_lead;
}

/* ---- Systems that have the devices in another order ------------------------------------------ */

static PVOID first_device;

static NTSTATUS APIENTRY links_first(const PDEVICE_OBJECT object, const PVOID context,
                                     PLINKED_DEVICE answer) {
    bool first = !first_device;
    if (first)
        first_device = context;
    NTSTATUS status = mutants_good.DxgkDdiLinkDevice(object, first_device, answer);
    answer->LeadLink = first;
    return status;
}
REPLACE(DxgkDdiLinkDevice, links_first)

/* The lead, which is the first to be stopped, waits for the other. */
static NTSTATUS APIENTRY stops_lead_last(const PVOID context) {
    static PVOID lead;
    if (!lead) {
        lead = context;
        return STATUS_SUCCESS;
    }
    NTSTATUS status = mutants_good.DxgkDdiStopDevice(context);
    (void)mutants_good.DxgkDdiStopDevice(lead);
    return status;
}
REPLACE(DxgkDdiStopDevice, stops_lead_last)

/* A root table that the manager put a page further on the second adapter. */
static HANDLE second[16];
static UINT seconds;

static NTSTATUS APIENTRY note_second(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateContext(device, args);
    if (status == STATUS_SUCCESS && args->EngineAffinity == 2 && !args->Flags.SystemContext &&
        seconds < 16)
        second[seconds++] = args->hContext;
    return status;
}

static VOID APIENTRY set_root_further(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    DXGKARG_SETROOTPAGETABLE root = *args;
    for (UINT i = 0; i < seconds; i++)
        if (second[i] == args->hContext)
            root.Address.SegmentOffset += 4096;
    mutants_good.DxgkDdiSetRootPageTable(adapter, &root);
}

static void APIENTRY install_root_further(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateContext = note_second;
    table->DxgkDdiSetRootPageTable = set_root_further;
}

#define LINKED(rule_, side_, function, what_)                                                      \
    BREAKS(rule_, side_, "linked", function, what_), .linked = PAIR
#define DEVICES(rule_, function, what_)                                                            \
    .rule = (rule_), .side = VIDMM_SIDE_MANAGER, .what = (what_), .stage = "linked",               \
    .devices = install_##function, .linked = PAIR

/* ---- Adapters that are not linked ------------------------------------------------------------ */

static PVOID newest;

static NTSTATUS APIENTRY start_newest(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    newest = context;
    return mutants_good.DxgkDdiStartDevice(context, info, calls, sources, children);
}

static BOOLEAN APIENTRY serve_newest(const PVOID context, ULONG message) {
    (void)context;
    return mutants_good.DxgkDdiInterruptRoutine(newest, message);
}

static void APIENTRY install_serve_newest(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_newest;
    table->DxgkDdiInterruptRoutine = serve_newest;
}

/* Whatever was the newest's goes with any adapter. */
static NTSTATUS APIENTRY stop_all(const PVOID context) {
    NTSTATUS status = mutants_good.DxgkDdiStopDevice(context);
    if (newest != context)
        mutants_good.DxgkDdiResetDevice(newest);
    return status;
}

static void APIENTRY install_stop_all(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_newest;
    table->DxgkDdiStopDevice = stop_all;
}

/* Any adapter that is stopped was the only one. */
static NTSTATUS APIENTRY forget_newest(const PVOID context) {
    newest = NULL;
    return mutants_good.DxgkDdiStopDevice(context);
}

static BOOLEAN APIENTRY read_newest(const PVOID context, ULONG message) {
    (void)*(const volatile uint8_t *)newest;
    return mutants_good.DxgkDdiInterruptRoutine(context, message);
}

static void APIENTRY install_forget_newest(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_newest;
    table->DxgkDdiInterruptRoutine = read_newest;
    table->DxgkDdiStopDevice = forget_newest;
}

const struct mutant mutants_linked[] = {
    {BREAKS(272, MANAGER, "paging", shows_another,
            "maps an allocation in the CPU host aperture of another physical adapter"),
     .consequences = {267}, .linked = PAIR,
     .settings = {{"VramVisibleBytes", 0}, {"CpuHostApertureBytes", 1 << 20}}},
    {LINKED(389, MANAGER, root_further, "has a root table elsewhere on the second adapter"),
     .consequences = {237}, .settings = {{"MmuTableSegment", 2}}},
    {LINKED(423, DRIVER, from_lead,
            "takes the place in a notice of residency for one on the lead")},
    {LINKED(279, DRIVER, works_on_lead, "refuses the work of all boards but the lead")},
    {LINKED(281, DRIVER, resets_lead, "ends the work of the lead alone in a reset")},
    {DEVICES(500, links_first, "asks the first device again for the link of the second"),
     .consequences = {501}},
    {LINKED(501, DRIVER, counts_so_far, "counts the links that were added so far")},
    {LINKED(502, DRIVER, leads_always, "has each device lead the chain")},
    {LINKED(503, DRIVER, reports_first, "reports the work of all boards for the first one")},
    {LINKED(504, MANAGER, asks_beyond, "asks for the caps of an adapter that the link has not")},
    {LINKED(505, DRIVER, level_as_uint, "reads level and physical adapter as one number")},
    {LINKED(506, MANAGER, for_all, "makes a context for two physical adapters"),
     .consequences = {237, 389}},
    {LINKED(507, MANAGER, patches_another, "patches work for another physical adapter")},
    {LINKED(508, DRIVER, other_index, "writes entries for memory of another physical adapter"),
     .consequences = {230, 240, 215}},
    {LINKED(508, MANAGER, high_index, "names a physical adapter in entries that the link has not"),
     .consequences = {223}},
    {LINKED(509, DRIVER, fewer_nodes, "has fewer nodes on the second board")},
    {LINKED(510, DRIVER, renames_often, "fills MaximumRenamingListLength in, which is no more"),
     .consequences = {12}},
    {LINKED(511, DRIVER, first_memory, "shows the CPU the first board's memory for all")},
    {LINKED(512, MANAGER, moves_home, "places allocations where they have no home")},
    {LINKED(513, MANAGER, asks_first, "asks for the levels of the first physical adapter alone")},
    {DEVICES(514, stops_lead_last, "stops the lead after the other device")},
    {LINKED(515, DRIVER, answers_beyond, "answers for physical adapters that the link has not")},
    {BREAKS(654, DRIVER, "adapters", serve_newest,
            "looks for each interrupt in the adapter that was started last")},
    {BREAKS(654, DRIVER, "adapters", stop_all,
            "disables the interrupts of all adapters when one is stopped")},
    {BREAKS(654, DRIVER, "adapters", forget_newest,
            "reads through a pointer to the adapter that was stopped first")},
};
const uint32_t mutants_linked_count = sizeof(mutants_linked) / sizeof(mutants_linked[0]);
