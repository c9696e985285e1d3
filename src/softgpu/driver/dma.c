/* dma.c - see dma.h. */
#include "driver/dma.h"

void kmd_dma_put(struct kmd_dma *dma, const void *command, UINT bytes) {
    RtlCopyMemory(dma->at, command, bytes);
    dma->at += bytes;
    dma->room -= bytes;
}

void kmd_dma_patch(struct kmd_dma *dma, enum kmd_patch_kind kind,
                   const D3DDDI_PATCHLOCATIONLIST *location) {
    *dma->patch = *location;
    dma->patch->DriverId = (UINT)kind;
    dma->patch++;
    dma->patch_room--;
}
