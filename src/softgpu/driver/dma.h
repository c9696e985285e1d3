/*
 * dma.h - what is left of a DMA buffer and of its patch-location list, while commands are written into it.
 */
#ifndef SOFTGPU_KMD_DMA_H
#define SOFTGPU_KMD_DMA_H

#include "driver/kmd.h"

/* D3DDDI_PATCHLOCATIONLIST.DriverId: what is at the offset that is to be patched. */
enum kmd_patch_kind {
    KMD_PATCH_SURFACE, /* `address` of a gpu_draw; flags of the command follow the surface */
    KMD_PATCH_ADDRESS, /* an address, and nothing else of its command */
};

struct kmd_dma {
    PUCHAR start, at;
    UINT room;
    D3DDDI_PATCHLOCATIONLIST *patch;
    UINT patch_room;
};

/* Both: the caller has seen to it that there is room. */
void kmd_dma_put(struct kmd_dma *dma, const void *command, UINT bytes);
void kmd_dma_patch(struct kmd_dma *dma, enum kmd_patch_kind kind,
                   const D3DDDI_PATCHLOCATIONLIST *location);

/* Writes the addresses of allocations whose places the list has; `first`: of the patch-location list. */
void kmd_dma_prepatch(const struct kmd_dma *dma, HANDLE context,
                      const D3DDDI_PATCHLOCATIONLIST *first, const DXGK_ALLOCATIONLIST *list,
                      UINT listed);

static inline UINT kmd_dma_used(const struct kmd_dma *dma) {
    return (UINT)(dma->at - dma->start);
}

#endif
