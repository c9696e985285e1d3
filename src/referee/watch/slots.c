/*
 * slots.c - the functions in the driver's table: those that memory management needs in any case, and,
 * held against what the driver says that it can do, those that a capability needs, those of time-outs
 * and those that a compute-only driver leaves out (mcdm-implementation-guidelines.md).
 *
 * What is wrong with several slots is told in one sentence, so that an author fills all of them at
 * once; vidmm check makes one of those that the start tells one after another.
 */
#include <stdio.h>
#include <string.h>

#include "watch/query.h"

struct slot {
    const char *name;
    bool filled;
};

/* "DxgkDdiPatch, DxgkDdiSubmitCommand (physical addresses alone), DxgkDdiCancelCommand (...)" */
struct names {
    char text[VIDMM_FOUND - 32];
    uint32_t count, untold; /* untold: no room for them */
};

#define SLOT(function)                                                                             \
    { #function, table->DxgkDdi##function != NULL }
#define FOR_CAPABILITIES "a function in every slot that a reported capability needs"
#define COUNT(array)     (sizeof(array) / sizeof(*(array)))

static bool names_say(struct names *names, const char *before, const char *word) {
    size_t end = strlen(names->text), room = sizeof(names->text) - end;
    if ((size_t)snprintf(&names->text[end], room, "%s%s", before, word) < room)
        return true;
    names->text[end] = '\0';
    return false;
}

/* Of the slots those that are not as they should be; `reason` may be NULL. */
static void names_add(struct names *names, const struct slot *slot, size_t count, bool filled,
                      const char *reason) {
    uint32_t told = names->count - names->untold;
    for (size_t i = 0; i < count; i++) {
        if (slot[i].filled == filled)
            continue;
        names->untold +=
            !names_say(names, names->count != 0 ? ", DxgkDdi" : "DxgkDdi", slot[i].name);
        names->count++;
    }
    if (reason && names->count - names->untold != told && names_say(names, " (", reason))
        (void)names_say(names, ")", "");
}

/* " and 3 more", or nothing. Returns `text`. */
static const char *names_rest(const struct names *names, char text[24]) {
    text[0] = '\0';
    if (names->untold != 0)
        snprintf(text, 24, " and %u more", names->untold);
    return text;
}

static void slots_judge_names(struct vidmm_referee *referee, const struct names *missing,
                              const char *expected) {
    char rest[24];
    DRIVER_MUST(477, missing->count == 0, expected, "NULL: %s%s", missing->text,
                names_rest(missing, rest));
}

void slots_judge_host_aperture(struct vidmm_referee *referee) {
    const DRIVER_INITIALIZATION_DATA *table = &referee->real;
    const struct slot slot[] = {SLOT(MapCpuHostAperture), SLOT(UnmapCpuHostAperture)};
    struct names missing = {.count = 0};
    names_add(&missing, slot, COUNT(slot), true, "SupportsCpuHostAperture");
    slots_judge_names(referee, &missing, FOR_CAPABILITIES);
}

/* Each of them is in the table of every driver that displays, display-only ones as well. */
void slots_judge_sources(struct vidmm_referee *referee, ULONG sources) {
    const DRIVER_INITIALIZATION_DATA *table = &referee->real;
    const struct slot slot[] = {SLOT(IsSupportedVidPn), SLOT(RecommendFunctionalVidPn),
                                SLOT(EnumVidPnCofuncModality), SLOT(SetVidPnSourceVisibility),
                                SLOT(CommitVidPn)};
    struct names missing = {.count = 0};
    if (sources != 0)
        names_add(&missing, slot, COUNT(slot), true, "NumberOfVideoPresentSources");
    slots_judge_names(referee, &missing, FOR_CAPABILITIES);
}

void slots_judge_tracking(struct vidmm_referee *referee, bool tracks, bool migrates) {
    const DRIVER_INITIALIZATION_DATA *table = &referee->real;
    const struct slot bits[] = {SLOT(CreateMemoryBasis), SLOT(DestroyMemoryBasis),
                                SLOT(StartDirtyTracking), SLOT(StopDirtyTracking),
                                SLOT(QueryDirtyBitData)};
    const struct slot moves[] = {
        SLOT(PrepareLiveMigration),          SLOT(EndLiveMigration),
        SLOT(SaveImmutableMigrationData),    SLOT(SaveMutableMigrationData),
        SLOT(RestoreImmutableMigrationData), SLOT(RestoreMutableMigrationData)};
    struct names missing = {.count = 0};
    if (tracks)
        names_add(&missing, bits, COUNT(bits), true, "DirtyBitTrackingSupported");
    if (migrates)
        names_add(&missing, moves, COUNT(moves), true, "LiveMigration");
    slots_judge_names(referee, &missing, FOR_CAPABILITIES);
}

/* Either model has processes, and work by virtual address; with the IoMmu model the page tables are
 * the CPU's. */
static void slots_need_addresses(const DRIVER_INITIALIZATION_DATA *table,
                                 const DXGK_DRIVERCAPS *caps, struct names *missing) {
    const struct slot either[] = {SLOT(CreateProcess), SLOT(DestroyProcess),
                                  SLOT(SubmitCommandVirtual)};
    /* The last one is for roots of two levels alone, but compute-only drivers have it. */
    const struct slot tables[] = {SLOT(SetRootPageTable), SLOT(GetRootPageTableSize)};
    DXGK_VIDMMCAPS memory = caps->MemoryManagementCaps;
    if (memory.GpuMmuSupported || memory.IoMmuSupported)
        names_add(missing, either, COUNT(either), true,
                  memory.GpuMmuSupported ? "GpuMmuSupported" : "IoMmuSupported");
    if (memory.GpuMmuSupported)
        names_add(missing, tables, COUNT(tables) - !caps->MiscCaps.ComputeOnly, true,
                  "GpuMmuSupported");
}

/* Work by physical addresses: all of it without virtual ones. */
static void slots_need_physical(const DRIVER_INITIALIZATION_DATA *table,
                                const DXGK_DRIVERCAPS *caps, struct names *missing) {
    /* The last one is on the page of compute-only drivers; others may work by DxgkDdiPresent. */
    const struct slot slot[] = {SLOT(Patch), SLOT(SubmitCommand), SLOT(Render)};
    names_add(missing, slot, COUNT(slot) - !caps->MiscCaps.ComputeOnly, true,
              "physical addresses alone");
}

/* ns-d3dkmddi-_dxgk_vidschcaps.md, tdr-changes-in-windows-8.md */
static void slots_need_scheduling(const DRIVER_INITIALIZATION_DATA *table,
                                  const DXGK_DRIVERCAPS *caps, bool win8, struct names *missing) {
    const struct slot contexts[] = {SLOT(CreateContext), SLOT(DestroyContext)};
    const struct slot cancel[] = {SLOT(CancelCommand)};
    const struct slot engines[] = {SLOT(QueryDependentEngineGroup), SLOT(QueryEngineStatus),
                                   SLOT(ResetEngine)};
    if (caps->SchedulingCaps.MultiEngineAware)
        names_add(missing, contexts, COUNT(contexts), true, "MultiEngineAware");
    if (caps->SchedulingCaps.CancelCommandAware && win8)
        names_add(missing, cancel, COUNT(cancel), true, "CancelCommandAware");
    if (caps->SupportPerEngineTDR && win8)
        names_add(missing, engines, COUNT(engines), true, "SupportPerEngineTDR");
}

/* ns-d3dkmddi-_dxgk_presentationcaps.md; contexts with virtual addresses have DxgkDdiRenderGdi. */
static void slots_need_gdi(const DRIVER_INITIALIZATION_DATA *table, const DXGK_DRIVERCAPS *caps,
                           struct names *missing) {
    const struct slot slot[] = {SLOT(RenderKm)};
    if (caps->PresentationCaps.SupportKernelModeCommandBuffer &&
        !caps->MemoryManagementCaps.VirtualAddressingSupported)
        names_add(missing, slot, COUNT(slot), true, "SupportKernelModeCommandBuffer");
}

static void slots_need_ranges(const DRIVER_INITIALIZATION_DATA *table, struct names *missing) {
    const struct slot slot[] = {SLOT(AcquireSwizzlingRange), SLOT(ReleaseSwizzlingRange)};
    names_add(missing, slot, COUNT(slot), true, "NumberOfSwizzlingRanges");
}

/* Of adapters with displays: for one that only renders both are of no use (wddm-driver-and-feature-caps.md). */
static void slots_need_displays(const DRIVER_INITIALIZATION_DATA *table,
                                const DXGK_DRIVERCAPS *caps, struct names *missing) {
    const struct slot give_back[] = {SLOT(StopDeviceAndReleasePostDisplayOwnership)};
    const struct slot rotate[] = {SLOT(UpdateActiveVidPnPresentPath)};
    const struct slot point[] = {SLOT(SetPointerPosition), SLOT(SetPointerShape)};
    if (caps->SupportNonVGA)
        names_add(missing, give_back, COUNT(give_back), true, "SupportNonVGA");
    if (caps->SupportSmoothRotation)
        names_add(missing, rotate, COUNT(rotate), true, "SupportSmoothRotation");
    if (caps->PointerCaps.Value != 0)
        names_add(missing, point, COUNT(point), true, "PointerCaps");
}

/* mcdm-implementation-guidelines.md, the list of what is required at a minimum, without what other capabilities need and
 * without what the page has in the list of what must not be there, too. */
static void slots_need_compute(const DRIVER_INITIALIZATION_DATA *table, struct names *missing) {
    const struct slot slot[] = {SLOT(CalibrateGpuClock),  SLOT(FormatHistoryBuffer),
                                SLOT(CollectDbgInfo),     SLOT(DescribeAllocation),
                                SLOT(GetNodeMetadata),    SLOT(GetStandardAllocationDriverData),
                                SLOT(ResetDevice),        SLOT(ResetFromTimeout),
                                SLOT(RestartFromTimeout), SLOT(SetPowerState)};
    names_add(missing, slot, COUNT(slot), true, "ComputeOnly");
}

static void slots_need_isolation(const DRIVER_INITIALIZATION_DATA *table, struct names *missing) {
    const struct slot slot[] = {SLOT(BeginExclusiveAccess), SLOT(EndExclusiveAccess)};
    names_add(missing, slot, COUNT(slot), true, "IoMmuSecureModeSupported");
}

/* The page's list, as far as there are slots for it. */
static void slots_judge_compute_only(struct vidmm_referee *referee) {
    const DRIVER_INITIALIZATION_DATA *table = &referee->real;
    const struct slot slot[] = {SLOT(AcquireSwizzlingRange),
                                SLOT(ReleaseSwizzlingRange),
                                SLOT(CheckMultiPlaneOverlaySupport),
                                SLOT(CheckMultiPlaneOverlaySupport2),
                                SLOT(CheckMultiPlaneOverlaySupport3),
                                SLOT(CommitVidPn),
                                SLOT(ControlInterrupt),
                                SLOT(ControlInterrupt2),
                                SLOT(CreateOverlay),
                                SLOT(DestroyOverlay),
                                SLOT(FlipOverlay),
                                SLOT(UpdateOverlay),
                                SLOT(EnumVidPnCofuncModality),
                                SLOT(GetMultiPlaneOverlayCaps),
                                SLOT(GetPostCompositionCaps),
                                SLOT(GetScanLine),
                                SLOT(IsSupportedVidPn),
                                SLOT(PostMultiPlaneOverlayPresent),
                                SLOT(Present),
                                SLOT(QueryConnectionChange),
                                SLOT(QueryCurrentFence)};
    struct names there = {.count = 0};
    char rest[24];
    names_add(&there, slot, COUNT(slot), false, NULL);
    DRIVER_MUST(478, there.count == 0,
                "no function for displays or swizzling in a compute-only driver",
                "there with ComputeOnly: %s%s", there.text, names_rest(&there, rest));
}

/* A system preempts what takes too long before it resets the adapter (timeout-detection-and-recovery.md), and asks for
 * a fence that it misses (nc-d3dkmddi-dxgkddi_querycurrentfence.md), whatever the driver reports. */
static void slots_judge_timeouts(struct vidmm_referee *referee) {
    const DRIVER_INITIALIZATION_DATA *table = &referee->real;
    const struct slot slot[] = {SLOT(PreemptCommand), SLOT(QueryCurrentFence)};
    struct names missing = {.count = 0};
    char rest[24];
    names_add(&missing, slot, COUNT(slot) - referee->adapter.caps.MiscCaps.ComputeOnly, true, NULL);
    DRIVER_MUST(600, missing.count == 0, "the functions that a system calls when work takes long",
                "NULL: %s%s", missing.text, names_rest(&missing, rest));
}

/* A reset is ended by a restart, whatever the driver reports. */
static void slots_judge_resets(struct vidmm_referee *referee) {
    const DRIVER_INITIALIZATION_DATA *table = &referee->real;
    const struct slot reset = SLOT(ResetFromTimeout), restart = SLOT(RestartFromTimeout);
    DRIVER_MUST(635, reset.filled == restart.filled, "both functions of a reset, or neither",
                "DxgkDdi%s is NULL, and DxgkDdi%s is there",
                reset.filled ? restart.name : reset.name, reset.filled ? reset.name : restart.name);
}

void slots_judge(struct vidmm_referee *referee) {
    const DRIVER_INITIALIZATION_DATA *table = &referee->real;
    const DXGK_DRIVERCAPS *caps = &referee->adapter.caps;
    DXGK_VIDMMCAPS memory = caps->MemoryManagementCaps;
    struct names missing = {.count = 0};
    if (memory.VirtualAddressingSupported)
        slots_need_addresses(table, caps, &missing);
    if (!memory.VirtualAddressingSupported && table->DxgkDdiBuildPagingBuffer)
        slots_need_physical(table, caps, &missing);
    if (table->DxgkDdiBuildPagingBuffer)
        slots_need_scheduling(table, caps,
                              referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN8, &missing);
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN7)
        slots_need_gdi(table, caps, &missing);
    if (caps->NumberOfSwizzlingRanges != 0 && !caps->MiscCaps.ComputeOnly) /* else R25 */
        slots_need_ranges(table, &missing);
    if (referee->adapter.sources != 0 && referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        slots_need_displays(table, caps, &missing);
    if (memory.IoMmuSecureModeSupported)
        slots_need_isolation(table, &missing);
    if (caps->MiscCaps.ComputeOnly)
        slots_need_compute(table, &missing);
    slots_judge_names(referee, &missing, FOR_CAPABILITIES);
    if (table->DxgkDdiBuildPagingBuffer) {
        slots_judge_timeouts(referee);
        slots_judge_resets(referee);
    }
    if (caps->MiscCaps.ComputeOnly)
        slots_judge_compute_only(referee);
}

/* Without these no system can give the driver memory to manage, whatever version it declares. */
void referee_judge_table(struct vidmm_referee *referee, const DRIVER_INITIALIZATION_DATA *table) {
    const struct slot slots[] = {SLOT(QueryAdapterInfo),  SLOT(CreateDevice),
                                 SLOT(DestroyDevice),     SLOT(CreateAllocation),
                                 SLOT(DestroyAllocation), SLOT(OpenAllocation),
                                 SLOT(CloseAllocation),   SLOT(BuildPagingBuffer)};
    struct names missing = {.count = 0};
    bool newer = table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_6;
    names_add(&missing, slots + newer, COUNT(slots) - newer, true, NULL);
    /* With queries and none of the others it only displays: it has no memory. */
    bool displays_only = table->DxgkDdiQueryAdapterInfo && missing.count == COUNT(slots) - 1;
    if (newer)
        DRIVER_MUST(30, table->DxgkDdiQueryAdapterInfo,
                    "a DxgkDdiQueryAdapterInfo from WDDM 2.6 on",
                    "it is NULL in the table of version 0x%x", (unsigned)table->Version);
    if (!displays_only)
        slots_judge_names(referee, &missing,
                          "a function in every slot that memory management needs");
}
