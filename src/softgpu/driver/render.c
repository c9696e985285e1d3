/*
 * render.c - DxgkDdiRender and DxgkDdiPatch: from the untrusted commands of a user-mode driver
 * to a DMA buffer with addresses (nc-d3dkmddi-dxgkddi_render.md, submitting-a-command-buffer.md).
 *
 * A command buffer lies in user memory and may change under us: each command is copied once, and
 * only the copy is judged and translated. What gets into a DMA buffer cannot reach beyond the
 * allocations of its list. MultipassOffset counts translated commands.
 */
#include "driver/dma.h"

#define SLOT_SURFACE 0u
#define SLOT_RESULT  1u

/* ---- Judging --------------------------------------------------------------------------------- */

/* The allocation that a command names; writes need the list to say so, for the sake of dirty
 * state. */
static struct kmd_allocation *render_listed(const DXGKARG_RENDER *args, UINT index, bool write) {
    if (index >= args->AllocationListSize)
        return NULL;
    const DXGK_ALLOCATIONLIST *entry = &args->pAllocationList[index];
    if (write && !entry->WriteOperation)
        return NULL;
    return kmd_open_of(entry->hDeviceSpecificAllocation);
}

static NTSTATUS render_judge(const DXGKARG_RENDER *args, const struct vidmm_umd_command *command) {
    if (command->opcode == VIDMM_UMD_NOP || command->opcode == VIDMM_UMD_SPIN)
        return STATUS_SUCCESS;
    if (command->opcode != VIDMM_UMD_STAMP && command->opcode != VIDMM_UMD_CHECK)
        return STATUS_ILLEGAL_INSTRUCTION;
    const struct kmd_allocation *surface =
        render_listed(args, command->index, command->opcode == VIDMM_UMD_STAMP);
    if (!surface)
        return STATUS_INVALID_HANDLE;
    ULONGLONG pages = kmd_round_to_page(surface->size) / GPU_PAGE;
    if (command->page > pages || command->pages > pages - command->page)
        return STATUS_INVALID_PARAMETER;
    if (command->opcode == VIDMM_UMD_STAMP)
        return STATUS_SUCCESS;
    const struct kmd_allocation *result = render_listed(args, command->result, true);
    if (!result)
        return STATUS_INVALID_HANDLE;
    return kmd_round_to_page(result->size) >= sizeof(struct vidmm_umd_result)
               ? STATUS_SUCCESS
               : STATUS_INVALID_PARAMETER;
}

/* ---- Translating ----------------------------------------------------------------------------- */

/*
 * A CHECK needs two allocations, and split offsets have to increase strictly
 * (splitting-a-dma-buffer.md): an empty command in front of it gives the first one an offset of its
 * own.
 */
static bool put_draw(struct kmd_dma *dma, const DXGKARG_RENDER *args,
                     const struct vidmm_umd_command *command) {
    bool check = command->opcode == VIDMM_UMD_CHECK;
    const struct kmd_allocation *surface = render_listed(args, command->index, !check);
    struct gpu_command nop = {GPU_NOP, 0, sizeof(nop)};
    struct gpu_draw draw = {
        .head = {check ? GPU_CHECK : GPU_STAMP, 0, sizeof(draw)},
        .oracle = command->oracle,
        .surface = kmd_round_to_page(surface->size),
        .page = command->page,
        .pages = command->pages,
        .version = command->version,
        .pitch = surface->pitch,
    };
    D3DDDI_PATCHLOCATIONLIST location = {0};
    if (dma->room < sizeof(draw) + (check ? sizeof(nop) : 0) || dma->patch_room < 1u + check)
        return false;
    location.SplitOffset = kmd_dma_used(dma);
    if (check) {
        location.AllocationIndex = command->result;
        location.SlotId = SLOT_RESULT;
        location.PatchOffset =
            location.SplitOffset + (UINT)(sizeof(nop) + offsetof(struct gpu_draw, result));
        kmd_dma_patch(dma, KMD_PATCH_ADDRESS, &location);
        kmd_dma_put(dma, &nop, sizeof(nop));
        location.SplitOffset = kmd_dma_used(dma);
    }
    location.AllocationIndex = command->index;
    location.SlotId = SLOT_SURFACE;
    location.PatchOffset = location.SplitOffset + (UINT)offsetof(struct gpu_draw, address);
    kmd_dma_patch(dma, KMD_PATCH_SURFACE, &location);
    kmd_dma_put(dma, &draw, sizeof(draw));
    return true;
}

static bool put_command(struct kmd_dma *dma, const DXGKARG_RENDER *args,
                        const struct vidmm_umd_command *command) {
    struct gpu_command nop = {GPU_NOP, 0, sizeof(nop)};
    struct gpu_spin spin = {{GPU_SPIN, 0, sizeof(spin)}, command->pages, 0};
    switch (command->opcode) {
    case VIDMM_UMD_STAMP:
    case VIDMM_UMD_CHECK:
        return put_draw(dma, args, command);
    case VIDMM_UMD_SPIN:
        if (dma->room < sizeof(spin))
            return false;
        kmd_dma_put(dma, &spin, sizeof(spin));
        return true;
    default:
        if (dma->room < sizeof(nop))
            return false;
        kmd_dma_put(dma, &nop, sizeof(nop));
        return true;
    }
}

/* ---- Patching -------------------------------------------------------------------------------- */

static void patch_surface(const struct kmd_adapter *adapter, PUCHAR command,
                          const DXGK_ALLOCATIONLIST *entry, uint64_t address) {
    const struct kmd_allocation *allocation = kmd_open_of(entry->hDeviceSpecificAllocation);
    struct gpu_command head;
    RtlCopyMemory(&head, command, sizeof(head));
    head.flags = 0;
    if (allocation && (allocation->flags & VIDMM_UMD_SWIZZLED) &&
        kmd_segment_is_memory(adapter, entry->SegmentId))
        head.flags = GPU_FLAG_TILED;
    RtlCopyMemory(command, &head, sizeof(head));
    RtlCopyMemory(command + offsetof(struct gpu_draw, address), &address, sizeof(address));
}

static void patch_one(const struct kmd_adapter *adapter, const DXGKARG_PATCH *args,
                      const D3DDDI_PATCHLOCATIONLIST *location) {
    PUCHAR at = (PUCHAR)args->pDmaBuffer + location->PatchOffset;
    if (location->AllocationIndex >= args->AllocationListSize ||
        location->PatchOffset > args->DmaBufferSize ||
        args->DmaBufferSize - location->PatchOffset < sizeof(uint64_t))
        return;
    const DXGK_ALLOCATIONLIST *entry = &args->pAllocationList[location->AllocationIndex];
    uint64_t address = (ULONGLONG)entry->PhysicalAddress.QuadPart + location->AllocationOffset;
    if (location->DriverId == KMD_PATCH_ADDRESS)
        RtlCopyMemory(at, &address, sizeof(address));
    else
        patch_surface(adapter, at - offsetof(struct gpu_draw, address), entry, address);
}

/* DxgkDdiPatch may not be called where they are right (nc-d3dkmddi-dxgkddi_render.md). */
void kmd_dma_prepatch(const struct kmd_dma *dma, HANDLE context,
                      const D3DDDI_PATCHLOCATIONLIST *first, const DXGK_ALLOCATIONLIST *list,
                      UINT listed) {
    const DXGKARG_PATCH args = {.pDmaBuffer = dma->start,
                                .DmaBufferSize = kmd_dma_used(dma),
                                .pAllocationList = list,
                                .AllocationListSize = listed};
    const struct kmd_context *owner = kmd_context_of(context);
    for (const D3DDDI_PATCHLOCATIONLIST *at = first; owner && at < dma->patch; at++)
        if (list[at->AllocationIndex].SegmentId != 0)
            patch_one(owner->device->adapter, &args, at);
}

/* Paging buffers come without lists and need no patching. */
NTSTATUS APIENTRY kmd_patch(const HANDLE hAdapter, const DXGKARG_PATCH *args) {
    UINT start = args->PatchLocationListSubmissionStart;
    UINT length = args->PatchLocationListSubmissionLength;
    const struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    if (!adapter)
        return STATUS_INVALID_PARAMETER;
    if (args->Flags.Paging || !args->pPatchLocationList)
        return STATUS_SUCCESS;
    for (UINT i = 0; i < length && start + i < args->PatchLocationListSize; i++)
        patch_one(adapter, args, &args->pPatchLocationList[start + i]);
    return STATUS_SUCCESS;
}

/* ---- Rendering ------------------------------------------------------------------------------- */

NTSTATUS APIENTRY kmd_render(const HANDLE hContext, DXGKARG_RENDER *args) {
    const UCHAR *commands = args->pCommand;
    UINT count = args->CommandLength / (UINT)sizeof(struct vidmm_umd_command);
    struct kmd_dma dma = {args->pDmaBuffer, args->pDmaBuffer, args->DmaSize,
                          args->pPatchLocationListOut, args->PatchLocationListOutSize};
    NTSTATUS status = STATUS_SUCCESS;
    if (args->CommandLength % sizeof(struct vidmm_umd_command) != 0)
        return STATUS_INVALID_USER_BUFFER;
    while (args->MultipassOffset < count) {
        struct vidmm_umd_command command;
        RtlCopyMemory(&command, commands + args->MultipassOffset * sizeof(command),
                      sizeof(command));
        status = render_judge(args, &command);
        if (!NT_SUCCESS(status))
            break;
        if (!put_command(&dma, args, &command)) {
            status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
            break;
        }
        args->MultipassOffset++;
    }
    kmd_dma_prepatch(&dma, hContext, args->pPatchLocationListOut, args->pAllocationList,
                     args->AllocationListSize);
    args->pDmaBuffer = dma.at;
    args->pPatchLocationListOut = dma.patch;
    return status;
}
