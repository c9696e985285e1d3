/*
 * slots.c - the functions in the driver's table, held against what the driver says that it can do:
 * those that a capability needs, and those that a compute-only driver leaves out
 * (mcdm-implementation-guidelines.md). What memory management needs in any case is watch/query.c's.
 */
#include "watch/query.h"

struct slot {
    const char *name;
    bool filled;
};

#define SLOT(function)                                                                             \
    { #function, referee->real.DxgkDdi##function != NULL }
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void slots_judge_needed(struct vidmm_referee *referee, const struct slot *slot, size_t count,
                               const char *capability) {
    for (size_t i = 0; i < count; i++)
        DRIVER_MUST(477, slot[i].filled,
                    "a function in every slot that a reported capability needs",
                    "DxgkDdi%s is NULL in spite of %s", slot[i].name, capability);
}

void slots_judge_host_aperture(struct vidmm_referee *referee) {
    const struct slot slot[] = {SLOT(MapCpuHostAperture), SLOT(UnmapCpuHostAperture)};
    slots_judge_needed(referee, slot, COUNT(slot), "SupportsCpuHostAperture");
}

/* Each of them is in the table of every driver that displays, display-only ones as well. */
void slots_judge_sources(struct vidmm_referee *referee, ULONG sources) {
    const struct slot slot[] = {SLOT(IsSupportedVidPn), SLOT(RecommendFunctionalVidPn),
                                SLOT(EnumVidPnCofuncModality), SLOT(SetVidPnSourceVisibility),
                                SLOT(CommitVidPn)};
    if (sources != 0)
        slots_judge_needed(referee, slot, COUNT(slot), "NumberOfVideoPresentSources");
}

/* Either model has processes, and work by virtual address; with the IoMmu model the page tables are
 * the CPU's. */
static void slots_judge_addresses(struct vidmm_referee *referee, DXGK_VIDMMCAPS memory) {
    const struct slot either[] = {SLOT(CreateProcess), SLOT(DestroyProcess),
                                  SLOT(SubmitCommandVirtual)};
    /* The last one is for roots of two levels alone, but compute-only drivers have it. */
    const struct slot tables[] = {SLOT(SetRootPageTable), SLOT(GetRootPageTableSize)};
    size_t count = COUNT(tables) - !referee->adapter.caps.MiscCaps.ComputeOnly;
    if (memory.GpuMmuSupported || memory.IoMmuSupported)
        slots_judge_needed(referee, either, COUNT(either),
                           memory.GpuMmuSupported ? "GpuMmuSupported" : "IoMmuSupported");
    if (memory.GpuMmuSupported)
        slots_judge_needed(referee, tables, count, "GpuMmuSupported");
}

static void slots_judge_isolation(struct vidmm_referee *referee) {
    const struct slot slot[] = {SLOT(BeginExclusiveAccess), SLOT(EndExclusiveAccess)};
    slots_judge_needed(referee, slot, COUNT(slot), "IoMmuSecureModeSupported");
}

/* Work by physical addresses: all of it without virtual ones. */
static void slots_judge_physical(struct vidmm_referee *referee) {
    /* The last one is on the page of compute-only drivers; others may work by DxgkDdiPresent. */
    const struct slot slot[] = {SLOT(Patch), SLOT(SubmitCommand), SLOT(Render)};
    size_t count = COUNT(slot) - !referee->adapter.caps.MiscCaps.ComputeOnly;
    slots_judge_needed(referee, slot, count, "physical addresses alone");
}

/* ns-d3dkmddi-_dxgk_vidschcaps.md */
static void slots_judge_scheduling(struct vidmm_referee *referee, DXGK_VIDSCHCAPS caps) {
    const struct slot contexts[] = {SLOT(CreateContext), SLOT(DestroyContext)};
    const struct slot cancel[] = {SLOT(CancelCommand)};
    if (caps.MultiEngineAware)
        slots_judge_needed(referee, contexts, COUNT(contexts), "MultiEngineAware");
    if (caps.CancelCommandAware && referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WIN8)
        slots_judge_needed(referee, cancel, COUNT(cancel), "CancelCommandAware");
}

/* The page's list, as far as there are slots for it. */
static void slots_judge_compute_only(struct vidmm_referee *referee) {
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
    for (size_t i = 0; i < COUNT(slot); i++)
        DRIVER_MUST(478, !slot[i].filled,
                    "no function for displays or swizzling in a compute-only driver",
                    "DxgkDdi%s is there with ComputeOnly", slot[i].name);
}

void slots_judge(struct vidmm_referee *referee) {
    const DXGK_DRIVERCAPS *caps = &referee->adapter.caps;
    DXGK_VIDMMCAPS memory = caps->MemoryManagementCaps;
    if (memory.VirtualAddressingSupported)
        slots_judge_addresses(referee, memory);
    if (!memory.VirtualAddressingSupported && referee->real.DxgkDdiBuildPagingBuffer)
        slots_judge_physical(referee);
    if (referee->real.DxgkDdiBuildPagingBuffer)
        slots_judge_scheduling(referee, caps->SchedulingCaps);
    if (memory.IoMmuSecureModeSupported)
        slots_judge_isolation(referee);
    if (caps->MiscCaps.ComputeOnly)
        slots_judge_compute_only(referee);
}
