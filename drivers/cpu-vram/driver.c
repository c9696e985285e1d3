/*
 * driver.c - an example miniport: VRAM behind a BAR, whose content the CPU moves
 * (../common/cpu_pager.h), and an aperture segment for what does not fit.
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

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    struct cpu_pager *pager = &((struct cpu_adapter *)base)->pager;
    *pager = (struct cpu_pager){
        .memory_segment = VRAM, .memory_base = VRAM_BASE, .aperture_base = APERTURE_BASE};
    return cpu_pager_start_vram(pager, info, APERTURE_PAGES);
}

static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    const struct cpu_pager *pager = &((const struct cpu_adapter *)base)->pager;
    const DXGK_SEGMENTDESCRIPTOR3 segment[SEGMENTS] = {
        [VRAM - 1] = skeleton_vram3(VRAM_BASE, pager->bar, pager->memory_bytes),
        [APERTURE - 1] = skeleton_aperture3(APERTURE_BASE, APERTURE_BYTES),
    };
    /* A paging buffer is never written: one page is plenty. */
    return skeleton_segments3(args, segment, SEGMENTS, PAGE_SIZE);
}

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
    .wddm = DXGKDDI_WDDMv1_3,
    .adapter_bytes = sizeof(struct cpu_adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = VRAM,
    .alternate = APERTURE,
    .start = start,
    .stop = cpu_adapter_stop,
    .segments = segments,
};
