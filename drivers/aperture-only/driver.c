/*
 * driver.c - an example miniport: an integrated GPU, whose memory is the system's.
 *
 * It reports one linear aperture segment and no memory segment (WDDM 1.3). Nothing is ever copied
 * into or out of such a GPU: to make an allocation resident is to map its pages into the aperture
 * (MAP_APERTURE_SEGMENT), and to evict it is to put the dummy page in their place
 * (UNMAP_APERTURE_SEGMENT). The page table is kept by the CPU (../common/cpu_pager.h).
 *
 * How much system memory the GPU may have at a time is a policy of the driver: here the registry
 * value ApertureBytes, at most APERTURE_BYTES.
 */
#include "../common/cpu_pager.h"

enum { APERTURE = 1 };

#define APERTURE_BASE  0x100000000ull
#define APERTURE_PAGES 262144u
#define APERTURE_BYTES ((SIZE_T)APERTURE_PAGES * PAGE_SIZE)

struct adapter {
    struct cpu_adapter cpu;
    SIZE_T aperture_bytes; /* of the table's pages, those that the system may use */
};

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    static WCHAR setting[] = u"ApertureBytes";
    struct adapter *adapter = (struct adapter *)base;
    UNREFERENCED_PARAMETER(info);
    adapter->aperture_bytes = skeleton_size(setting, APERTURE_BYTES);
    adapter->cpu.pager.aperture_base = APERTURE_BASE;
    return cpu_pager_start(&adapter->cpu.pager, APERTURE_PAGES);
}

static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    const struct adapter *adapter = (const struct adapter *)base;
    const DXGK_SEGMENTDESCRIPTOR3 aperture =
        skeleton_aperture3(APERTURE_BASE, adapter->aperture_bytes);
    return skeleton_segments3(args, &aperture, 1, PAGE_SIZE);
}

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
    .wddm = DXGKDDI_WDDMv1_3,
    .adapter_bytes = sizeof(struct adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = APERTURE,
    .start = start,
    .stop = cpu_adapter_stop,
    .segments = segments,
};
