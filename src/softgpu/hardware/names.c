/*
 * names.c - the names of the settings that driver and hardware read (vidmm/softgpu.h), so that
 * another one is refused and not ignored.
 */
#include <vidmm/softgpu.h>

static const char *const names[] = {
    "InterfaceVersion",
    "VramBytes",
    "LinkedVram",
    "VramVisibleBytes",
    "VramSegments",
    "CpuHostApertureBytes",
    "VprBytes",
    "ApertureBytes",
    "EvictionApertureBytes",
    "Agp",
    "AgpBytes",
    "AgpCommitLimit",
    "MapAperture2",
    "Gdi",
    "Banks",
    "PagingBufferBytes",
    "PagingBufferSegment",
    "PagingPrivateBytes",
    "DmaBufferSegment",
    "SwizzlingRanges",
    "Nodes",
    "Displays",
    "BusyEvery",
    "FaultKind",
    "FaultAt",
    "HangAt",
    "HangPagingAt",
    "NoContent",
    "MmuLevels",
    "MmuIndexBits",
    "MmuPages",
    "MmuFeatures",
    "MmuUpdateMode",
    "MmuTableSegment",
    "MmuDemands",
    "ContextBytes",
    "TlbSets",
    "TlbWays",
    "DirtyPageBytes",
    "DirtyPerformant",
    "Iommu",
};

const char *vidmm_softgpu_setting(size_t index) {
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}
