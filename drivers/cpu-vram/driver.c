/*
 * driver.c - an example miniport: VRAM behind a BAR that the CPU sees, and nobody but the CPU to
 * move it (../common/cpu_pager.h), with an aperture segment for what does not fit.
 *
 * It needs a host without a hardware model: the second memory resource is taken for VRAM.
 */
#include "../common/cpu_pager.h"

/* Segment ids, in the order in which the query reports the segments. */
enum { VRAM = 1, APERTURE = 2, SEGMENTS = 2 };

/* Where a GPU would see them; no two segments overlap. */
#define VRAM_BASE      0x100000000ull
#define APERTURE_BASE  0x200000000ull
#define APERTURE_PAGES 65536u
#define APERTURE_BYTES ((SIZE_T)APERTURE_PAGES * PAGE_SIZE)

struct adapter {
    struct cpu_adapter cpu;
    PHYSICAL_ADDRESS bar;
    SIZE_T bar_bytes, vram_bytes; /* the segment may be smaller than the BAR */
};

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    static WCHAR setting[] = u"VramBytes";
    struct adapter *adapter = (struct adapter *)base;
    if (!skeleton_resource(info, 1, &adapter->bar, &adapter->bar_bytes))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    adapter->vram_bytes = skeleton_size(setting, adapter->bar_bytes);
    PUCHAR vram = MmMapIoSpace(adapter->bar, adapter->bar_bytes, MmWriteCombined);
    if (vram == NULL)
        return STATUS_NO_MEMORY;
    adapter->cpu.pager = (struct cpu_pager){
        .memory_segment = VRAM,
        .memory_base = VRAM_BASE,
        .memory = vram,
        .aperture_base = APERTURE_BASE,
    };
    NTSTATUS status = cpu_pager_start(&adapter->cpu.pager, APERTURE_PAGES);
    if (!NT_SUCCESS(status))
        MmUnmapIoSpace(vram, adapter->bar_bytes);
    return status;
}

static VOID stop(struct skeleton *base) {
    struct adapter *adapter = (struct adapter *)base;
    cpu_pager_stop(&adapter->cpu.pager);
    MmUnmapIoSpace(adapter->cpu.pager.memory, adapter->bar_bytes);
}

static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    const struct adapter *adapter = (const struct adapter *)base;
    const DXGK_SEGMENTDESCRIPTOR3 segment[SEGMENTS] = {
        [VRAM - 1] =
            {
                .Flags.CpuVisible = 1,
                .Flags.PreservedDuringStandby = 1,
                .BaseAddress.QuadPart = VRAM_BASE,
                .CpuTranslatedAddress = adapter->bar,
                .Size = adapter->vram_bytes,
                .CommitLimit = adapter->vram_bytes,
            },
        [APERTURE - 1] =
            {
                .Flags.Aperture = 1,
                .Flags.CacheCoherent = 1,
                .BaseAddress.QuadPart = APERTURE_BASE,
                .Size = APERTURE_BYTES,
                .CommitLimit = APERTURE_BYTES,
            },
    };
    /* A paging buffer is never written: one page is plenty. */
    return skeleton_segments3(args, segment, SEGMENTS, PAGE_SIZE);
}

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
    .wddm = DXGKDDI_WDDMv1_3,
    .adapter_bytes = sizeof(struct adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = VRAM,
    .alternate = APERTURE,
    .start = start,
    .stop = stop,
    .segments = segments,
};
