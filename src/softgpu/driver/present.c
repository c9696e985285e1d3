/*
 * present.c - DxgkDdiPresent and DxgkDdiRenderKm: copies and fills of rectangles of two surfaces with 32 bits a pixel
 * (nc-d3dkmddi-dxgkddi_present.md, nc-d3dkmddi-dxgkddi_renderkm.md).
 *
 * The GPU copies and fills bytes that follow each other: a row of a rectangle is a command. MultipassOffset counts the
 * rows of all rectangles; those of a copy within a surface are in the order in which none is written before it is read.
 * DxgkDdiPatch writes the addresses that the lists do not say before.
 */
#include "driver/dma.h"

#define PIXEL_BYTES      4u
#define SLOT_SOURCE      0u
#define SLOT_DESTINATION 1u

/* Rectangles are where they are in the destination. */
struct blit {
    bool fill;
    UINT color;
    UINT source, destination; /* elements of the allocation list */
    RECT from, to;
    UINT count;
    const RECT *rectangle;
};

struct blitter {
    const DXGK_ALLOCATIONLIST *list;
    UINT listed;
    struct kmd_dma dma;
    UINT row;  /* the next, of all rectangles of the call */
    UINT done; /* so many of them are in DMA buffers */
};

/* ---- Judging --------------------------------------------------------------------------------- */

static const struct kmd_allocation *blit_surface(const struct blitter *blitter, UINT index) {
    return index < blitter->listed ? kmd_open_of(blitter->list[index].hDeviceSpecificAllocation)
                                   : NULL;
}

/* AllocationOffset has 32 bits. */
static bool blit_can(const struct kmd_allocation *surface) {
    return (surface->format == D3DDDIFMT_A8R8G8B8 || surface->format == D3DDDIFMT_X8R8G8B8) &&
           !(surface->flags & VIDMM_UMD_SWIZZLED) && surface->size <= MAXULONG;
}

static bool blit_inside(const RECT *rectangle, LONGLONG x, LONGLONG y,
                        const struct kmd_allocation *surface) {
    return rectangle->left + x >= 0 && rectangle->top + y >= 0 &&
           rectangle->left <= rectangle->right && rectangle->top <= rectangle->bottom &&
           rectangle->right + x <= surface->width && rectangle->bottom + y <= surface->height;
}

/* From a pixel of the destination to that of the source. */
static LONGLONG blit_x(const struct blit *blit) {
    return (LONGLONG)blit->from.left - blit->to.left;
}

static LONGLONG blit_y(const struct blit *blit) {
    return (LONGLONG)blit->from.top - blit->to.top;
}

static bool blit_stretches(const struct blit *blit) {
    return (LONGLONG)blit->from.right - blit->to.right != blit_x(blit) ||
           (LONGLONG)blit->from.bottom - blit->to.bottom != blit_y(blit);
}

static bool blit_within(const struct blitter *blitter, const struct blit *blit) {
    return !blit->fill &&
           blit_surface(blitter, blit->source) == blit_surface(blitter, blit->destination);
}

/* A row goes from its first byte to its last, whatever is read behind: rows of one rectangle have an order, and no
 * other has. */
static bool blit_has_order(const struct blitter *blitter, const struct blit *blit) {
    return !blit_within(blitter, blit) || (blit->count == 1 && blit_y(blit) != 0);
}

static NTSTATUS blit_judge(const struct blitter *blitter, const struct blit *blit) {
    const struct kmd_allocation *destination = blit_surface(blitter, blit->destination);
    const struct kmd_allocation *source =
        blit->fill ? destination : blit_surface(blitter, blit->source);
    if (!destination || !source)
        return STATUS_INVALID_HANDLE;
    if (!blit_can(destination) || !blit_can(source) || !blit_has_order(blitter, blit) ||
        (!blit->fill && blit_stretches(blit)))
        return STATUS_ILLEGAL_INSTRUCTION;
    for (UINT i = 0; i < blit->count; i++)
        if (!blit_inside(&blit->rectangle[i], 0, 0, destination) ||
            (!blit->fill && !blit_inside(&blit->rectangle[i], blit_x(blit), blit_y(blit), source)))
            return STATUS_ILLEGAL_INSTRUCTION;
    return STATUS_SUCCESS;
}

/* ---- Translating ----------------------------------------------------------------------------- */

static UINT blit_offset(const struct kmd_allocation *surface, LONGLONG x, LONGLONG y) {
    return (UINT)y * surface->pitch + (UINT)x * PIXEL_BYTES;
}

static bool put_fill(struct blitter *blitter, const struct blit *blit, const RECT *rectangle,
                     LONG y) {
    const struct kmd_allocation *to = blit_surface(blitter, blit->destination);
    struct kmd_dma *dma = &blitter->dma;
    struct gpu_fill fill = {
        .head = {GPU_FILL, 0, sizeof(fill)},
        .pattern = blit->color,
        .bytes = (UINT)(rectangle->right - rectangle->left) * PIXEL_BYTES,
    };
    D3DDDI_PATCHLOCATIONLIST location = {0};
    if (dma->room < sizeof(fill) || dma->patch_room < 1)
        return false;
    location.AllocationIndex = blit->destination;
    location.SlotId = SLOT_DESTINATION;
    location.AllocationOffset = blit_offset(to, rectangle->left, y);
    location.SplitOffset = kmd_dma_used(dma);
    location.PatchOffset = location.SplitOffset + (UINT)offsetof(struct gpu_fill, destination);
    kmd_dma_patch(dma, KMD_PATCH_ADDRESS, &location);
    kmd_dma_put(dma, &fill, sizeof(fill));
    return true;
}

/* An empty command gives the first of the two allocations a split offset of its own (render.c). */
static bool put_copy(struct blitter *blitter, const struct blit *blit, const RECT *rectangle,
                     LONG y) {
    const struct kmd_allocation *from = blit_surface(blitter, blit->source),
                                *to = blit_surface(blitter, blit->destination);
    struct kmd_dma *dma = &blitter->dma;
    struct gpu_command nop = {GPU_NOP, 0, sizeof(nop)};
    struct gpu_copy copy = {
        .head = {GPU_COPY, 0, sizeof(copy)},
        .bytes = (UINT)(rectangle->right - rectangle->left) * PIXEL_BYTES,
    };
    D3DDDI_PATCHLOCATIONLIST location = {0};
    if (dma->room < sizeof(nop) + sizeof(copy) || dma->patch_room < 2)
        return false;
    location.AllocationIndex = blit->source;
    location.SlotId = SLOT_SOURCE;
    location.AllocationOffset = blit_offset(from, rectangle->left + blit_x(blit), y + blit_y(blit));
    location.SplitOffset = kmd_dma_used(dma);
    location.PatchOffset =
        location.SplitOffset + (UINT)(sizeof(nop) + offsetof(struct gpu_copy, source));
    kmd_dma_patch(dma, KMD_PATCH_ADDRESS, &location);
    kmd_dma_put(dma, &nop, sizeof(nop));
    location.AllocationIndex = blit->destination;
    location.SlotId = SLOT_DESTINATION;
    location.AllocationOffset = blit_offset(to, rectangle->left, y);
    location.SplitOffset = kmd_dma_used(dma);
    location.PatchOffset = location.SplitOffset + (UINT)offsetof(struct gpu_copy, destination);
    kmd_dma_patch(dma, KMD_PATCH_ADDRESS, &location);
    kmd_dma_put(dma, &copy, sizeof(copy));
    return true;
}

static NTSTATUS put_blit(struct blitter *blitter, const struct blit *blit) {
    NTSTATUS status = blit_judge(blitter, blit);
    bool upwards = blit_within(blitter, blit) && blit_y(blit) < 0;
    for (UINT i = 0; NT_SUCCESS(status) && i < blit->count; i++) {
        const RECT *rectangle = &blit->rectangle[i];
        for (LONG row = 0; row < rectangle->bottom - rectangle->top; row++, blitter->row++) {
            LONG y = upwards ? rectangle->bottom - 1 - row : rectangle->top + row;
            if (blitter->row < blitter->done)
                continue;
            if (!(blit->fill ? put_fill : put_copy)(blitter, blit, rectangle, y))
                return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
            blitter->done++;
        }
    }
    return status;
}

/* ---- Presents -------------------------------------------------------------------------------- */

static bool present_addresses(HANDLE handle) {
    const struct kmd_context *context = kmd_context_of(handle);
    return context && !context->virtual_addresses;
}

/* DxgkDdiSetVidPnSourceAddress flips, and here no command does: the source is all that can be wrong. */
static NTSTATUS present_flip(const DXGKARG_PRESENT *args) {
    const struct kmd_allocation *source =
        kmd_open_of(args->pAllocationList[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation);
    if (!source)
        return STATUS_INVALID_HANDLE;
    return source->flags & VIDMM_UMD_PRIMARY ? STATUS_SUCCESS : STATUS_ILLEGAL_INSTRUCTION;
}

NTSTATUS APIENTRY kmd_present(const HANDLE hContext, DXGKARG_PRESENT *args) {
    struct blitter blitter = {
        args->pAllocationList,
        DXGK_PRESENT_MAX_INDEX + 1,
        {args->pDmaBuffer, args->pDmaBuffer, args->DmaSize, args->pPatchLocationListOut,
         args->PatchLocationListOutSize},
        0,
        args->MultipassOffset,
    };
    const struct blit blit = {
        .fill = args->Flags.ColorFill,
        .color = args->Color,
        .source = DXGK_PRESENT_SOURCE_INDEX,
        .destination = DXGK_PRESENT_DESTINATION_INDEX,
        .from = args->SrcRect,
        .to = args->DstRect,
        .count = args->SubRectCnt,
        .rectangle = args->pDstSubRects,
    };
    DXGK_PRESENTFLAGS copies = {0}, fills = {0}, flips = {0};
    copies.Blt = fills.ColorFill = flips.Flip = 1;
    if (args->Flags.Value == flips.Value && !args->pDmaBuffer)
        return present_flip(args);
    if ((args->Flags.Value != copies.Value && args->Flags.Value != fills.Value) ||
        !args->pDmaBuffer || !present_addresses(hContext))
        return STATUS_ILLEGAL_INSTRUCTION;
    NTSTATUS status = put_blit(&blitter, &blit);
    kmd_dma_prepatch(&blitter.dma, hContext, args->pPatchLocationListOut, blitter.list,
                     blitter.listed);
    args->MultipassOffset = blitter.done;
    args->pDmaBuffer = blitter.dma.at;
    args->pPatchLocationListOut = blitter.dma.patch;
    return status;
}

/* ---- Commands of GDI ------------------------------------------------------------------------- */

/* What the GPU has of them: SRCCOPY and PATCOPY. */
static NTSTATUS gdi_blit(const DXGK_RENDERKM_COMMAND *command, struct blit *blit) {
    const DXGK_GDIARG_BITBLT *copy = &command->Command.BitBlt;
    const DXGK_GDIARG_COLORFILL *fill = &command->Command.ColorFill;
    if (command->OpCode == DXGK_GDIOP_BITBLT && copy->Rop == DXGK_GDIROP_SRCCOPY)
        *blit = (struct blit){.source = copy->SrcAllocationIndex,
                              .destination = copy->DstAllocationIndex,
                              .from = copy->SrcRect,
                              .to = copy->DstRect,
                              .count = copy->NumSubRects,
                              .rectangle = copy->pSubRects};
    else if (command->OpCode == DXGK_GDIOP_COLORFILL && fill->Rop == DXGK_GDIROPCF_PATCOPY)
        *blit = (struct blit){.fill = true,
                              .color = fill->Color,
                              .destination = fill->DstAllocationIndex,
                              .count = fill->NumSubRects,
                              .rectangle = fill->pSubRects};
    else
        return STATUS_ILLEGAL_INSTRUCTION;
    return STATUS_SUCCESS;
}

/* The buffer is the kernel's, and its commands say how long they are. */
NTSTATUS APIENTRY kmd_render_km(const HANDLE hContext, DXGKARG_RENDER *args) {
    struct blitter blitter = {
        args->pAllocationList,
        args->AllocationListSize,
        {args->pDmaBuffer, args->pDmaBuffer, args->DmaSize, args->pPatchLocationListOut,
         args->PatchLocationListOutSize},
        0,
        args->MultipassOffset,
    };
    const UCHAR *at = args->pCommand;
    NTSTATUS status = present_addresses(hContext) ? STATUS_SUCCESS : STATUS_ILLEGAL_INSTRUCTION;
    for (UINT left = args->CommandLength; NT_SUCCESS(status) && left != 0;) {
        DXGK_RENDERKM_COMMAND command;
        struct blit blit = {0};
        if (left < sizeof(command))
            return STATUS_INVALID_USER_BUFFER;
        RtlCopyMemory(&command, at, sizeof(command));
        if (command.CommandSize < sizeof(command) || command.CommandSize > left)
            return STATUS_INVALID_USER_BUFFER;
        status = gdi_blit(&command, &blit);
        if (NT_SUCCESS(status))
            status = put_blit(&blitter, &blit);
        at += command.CommandSize;
        left -= command.CommandSize;
    }
    kmd_dma_prepatch(&blitter.dma, hContext, args->pPatchLocationListOut, blitter.list,
                     blitter.listed);
    args->MultipassOffset = blitter.done;
    args->pDmaBuffer = blitter.dma.at;
    args->pPatchLocationListOut = blitter.dma.patch;
    return status;
}
