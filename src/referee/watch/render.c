/*
 * render.c - DxgkDdiRender, DxgkDdiRenderKm and DxgkDdiPresent: DMA buffers and patch-location lists that the
 * driver makes of command buffers, and of rectangles. It writes into guarded copies of both.
 */
#include <string.h>

#include "state/given.h"
#include "watch/allocation.h"
#include "watch/watch.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* What the context asked for; a driver without contexts is given its device. NULL: not known. */
static const DXGK_CONTEXTINFO *render_info(struct vidmm_referee *referee, HANDLE handle) {
    const struct shadow_context *context = shadow_context(referee, handle);
    const struct shadow_device *device = context ? NULL : shadow_device(referee, handle);
    return context ? &context->context_info : device ? &device->context_info : NULL;
}

/* What the context asked for is what it gets. */
static void render_judge_buffer(struct vidmm_referee *referee, uint32_t physical,
                                const DXGK_CONTEXTINFO *info, const DXGKARG_RENDER *args) {
    UINT id = args->DmaBufferSegmentId;
    device_judge_use(referee, physical, info);
    if (info->DmaBufferSegmentSet == 0)
        MANAGER_MUST(80, id == 0, "DmaBufferSegmentId 0 for a DMA buffer in system memory",
                     "DmaBufferSegmentId is %u", id);
    if (shadow_segments(referee, physical) != 0)
        MANAGER_MUST(81,
                     id == 0 || (id <= 32 &&
                                 (allocation_apertures(referee, physical) >> (id - 1) & 1u) != 0),
                     "a DMA buffer in an aperture segment", "DmaBufferSegmentId is %u", id);
    MANAGER_MUST(83,
                 args->DmaSize >= info->DmaBufferSize &&
                     args->PatchLocationListOutSize >= info->PatchLocationListSize,
                 "DMA buffer and patch-location list no smaller than the driver asked for",
                 "DmaSize is %u of %u, PatchLocationListOutSize %u of %u", args->DmaSize,
                 info->DmaBufferSize, args->PatchLocationListOutSize, info->PatchLocationListSize);
}

/*
 * The page wants split offsets strictly increasing, and then speaks of elements that share one;
 * what both allow is that they never decrease.
 */
static void render_judge_patches(struct vidmm_referee *referee,
                                 const D3DDDI_PATCHLOCATIONLIST *list, size_t count,
                                 uint32_t allocations) {
    const struct shadow_adapter *adapter = &referee->adapter;
    for (size_t i = 0; i < count; i++) {
        DRIVER_MUST(396, list[i].AllocationIndex < allocations,
                    "an AllocationIndex below AllocationListSize",
                    "AllocationIndex of patch location %zu is %u, AllocationListSize %u", i,
                    list[i].AllocationIndex, allocations);
        if (i != 0)
            DRIVER_MUST(394, list[i].SplitOffset >= list[i - 1].SplitOffset,
                        "split offsets in the order of use",
                        "SplitOffset of patch location %zu is %u after %u", i, list[i].SplitOffset,
                        list[i - 1].SplitOffset);
        if (adapter->caps_known)
            DRIVER_MUST(396, list[i].SlotId < adapter->caps.MaxAllocationListSlotId,
                        "a SlotId below MaxAllocationListSlotId",
                        "SlotId of patch location %zu is %u, MaxAllocationListSlotId %u", i,
                        list[i].SlotId, adapter->caps.MaxAllocationListSlotId);
    }
}

/* R396: PatchOffset is where in the DMA buffer an address goes. Commands may be in the private data alone; and one that
 * is no offset at all may mark an element that only refers to its allocation. */
static void render_judge_offsets(struct vidmm_referee *referee,
                                 const D3DDDI_PATCHLOCATIONLIST *list, size_t count, size_t bytes) {
    for (size_t i = 0; i < count && bytes != 0; i++)
        DRIVER_MUST(396, list[i].PatchOffset < bytes || list[i].PatchOffset == UINT32_MAX,
                    "a PatchOffset inside of what the call wrote to the DMA buffer",
                    "PatchOffset of patch location %zu is %u, and %zu bytes were written", i,
                    list[i].PatchOffset, bytes);
}

/* How far the driver moved the pointer to the guarded bytes. */
static size_t render_written(const struct guard *guard, const void *moved) {
    return (size_t)((uintptr_t)moved - (uintptr_t)guard->bytes);
}

/* R394: no element behind those was updated. */
static void render_judge_end(struct vidmm_referee *referee, const struct guard *patches,
                             size_t listed) {
    const uint8_t *before = patches->original;
    size_t element = sizeof(D3DDDI_PATCHLOCATIONLIST);
    if (patches->block && listed <= patches->size && element <= patches->size - listed)
        DRIVER_MUST(394, memcmp(patches->bytes + listed, before + listed, element) == 0,
                    "pPatchLocationListOut behind the last element that was updated",
                    "it was moved by %zu elements, and element %zu was updated", listed / element,
                    listed / element);
}

/* Where memory is short either of two statuses says so (nc-d3dkmddi-dxgkddi_present.md). That of an instruction is in the
 * text of nc-d3dkmddi-dxgkddi_renderkm.md, not in its table. */
static const NTSTATUS render_answers[] = {STATUS_SUCCESS,
                                          STATUS_NO_MEMORY,
                                          STATUS_INSUFFICIENT_RESOURCES,
                                          STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
                                          STATUS_PRIVILEGED_INSTRUCTION,
                                          STATUS_ILLEGAL_INSTRUCTION,
                                          STATUS_INVALID_PARAMETER,
                                          STATUS_INVALID_USER_BUFFER,
                                          STATUS_INVALID_HANDLE,
                                          STATUS_GRAPHICS_DRIVER_MISMATCH,
                                          STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE};
static const NTSTATUS present_answers[] = {STATUS_SUCCESS,
                                           STATUS_NO_MEMORY,
                                           STATUS_INSUFFICIENT_RESOURCES,
                                           STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
                                           STATUS_GRAPHICS_CANNOTCOLORCONVERT,
                                           STATUS_PRIVILEGED_INSTRUCTION,
                                           STATUS_ILLEGAL_INSTRUCTION,
                                           STATUS_INVALID_HANDLE,
                                           STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE};

static void render_judge_answer(struct vidmm_referee *referee, NTSTATUS status,
                                const NTSTATUS *answers, size_t count) {
    bool listed = false;
    for (size_t i = 0; i < count; i++)
        listed = listed || status == answers[i];
    DRIVER_MUST(614, listed, "a return value that the function's page lists", "status 0x%08x",
                (unsigned)status);
}

/* A call that builds a DMA buffer, in the members of DxgkDdiRender, which DxgkDdiPresent has as well. */
struct rendering {
    struct referee_call call;
    const char *name;
    struct guard buffer, patches;
    DXGKARG_RENDER given, mine; /* as the caller gave it, and as the driver has it */
};

static void render_judge_list(struct vidmm_referee *referee, const struct rendering *rendering,
                              size_t count, size_t bytes) {
    const D3DDDI_PATCHLOCATIONLIST *list =
        (const D3DDDI_PATCHLOCATIONLIST *)(const void *)rendering->patches.bytes;
    render_judge_patches(referee, list, count, rendering->mine.AllocationListSize);
    if (bytes <= rendering->buffer.size)
        render_judge_offsets(referee, list, count, bytes);
}

static void render_judge_output(struct vidmm_referee *referee, const struct rendering *rendering) {
    const struct guard *buffer = &rendering->buffer, *patches = &rendering->patches;
    const DXGKARG_RENDER *mine = &rendering->mine;
    size_t bytes = render_written(buffer, mine->pDmaBuffer);
    size_t listed = render_written(patches, mine->pPatchLocationListOut);
    guard_judge(referee, buffer, "pDmaBuffer");
    guard_judge(referee, patches, "pPatchLocationListOut");
    if (bytes > buffer->size)
        vidmm_ledger_note(referee->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "%s moved pDmaBuffer out of the DMA buffer of %zu bytes", rendering->name,
                          buffer->size);
    if (listed > patches->size || listed % sizeof(D3DDDI_PATCHLOCATIONLIST) != 0)
        vidmm_ledger_note(referee->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "%s moved pPatchLocationListOut to no element of its list",
                          rendering->name);
    else
        render_judge_list(referee, rendering, listed / sizeof(D3DDDI_PATCHLOCATIONLIST), bytes);
}

/* Room is not to blame where the buffer and the list are as large as the context asked for. */
static void render_judge_progress(struct vidmm_referee *referee, struct shadow_context *context,
                                  const DXGKARG_RENDER *in, const DXGKARG_RENDER *out,
                                  NTSTATUS status) {
    bool same = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER &&
                out->MultipassOffset == in->MultipassOffset;
    if (!context)
        return;
    const DXGK_CONTEXTINFO *info = &context->context_info;
    bool roomy = in->DmaSize >= info->DmaBufferSize &&
                 in->PatchLocationListOutSize >= info->PatchLocationListSize;
    context->repeated = same && roomy ? context->repeated + 1 : 0;
    DRIVER_MUST(157, context->repeated <= VIDMM_REPEATED_PASSES,
                "progress in an empty DMA buffer before INSUFFICIENT_DMA_BUFFER",
                "%u buffers in a row left MultipassOffset %u as it was", context->repeated,
                out->MultipassOffset);
}

/* What was written goes back to the caller's buffer; the same place there for the pointer into the
 * copy. */
static void *render_give_back(struct vidmm_referee *referee, struct guard *guard, void *moved) {
    size_t written = render_written(guard, moved);
    uintptr_t to = (uintptr_t)guard->original + written;
    guard_give(guard, 0, written < guard->size ? written : guard->size);
    guard_free(referee, guard);
    return (void *)to;
}

/* What its page has as [in], but for what drivers count down with the room that is left. */
static const struct given render_given[] = {
    GIVEN(DXGKARG_RENDER, pCommand),
    GIVEN(DXGKARG_RENDER, CommandLength),
    GIVEN(DXGKARG_RENDER, pAllocationList),
    GIVEN(DXGKARG_RENDER, AllocationListSize),
    GIVEN(DXGKARG_RENDER, pPatchLocationListIn),
    GIVEN(DXGKARG_RENDER, PatchLocationListInSize),
    GIVEN(DXGKARG_RENDER, DmaBufferSegmentId),
    GIVEN(DXGKARG_RENDER, DmaBufferPhysicalAddress),
    GIVEN_END,
};

static void render_begin(struct vidmm_referee *referee, struct rendering *rendering,
                         HANDLE handle) {
    const DXGKARG_RENDER *args = &rendering->given;
    const DXGK_CONTEXTINFO *info = render_info(referee, handle);
    if (info)
        render_judge_buffer(referee, submit_physical(referee, handle, 0), info, args);
    guard_make_fresh(referee, &rendering->buffer, args->pDmaBuffer, args->DmaSize);
    guard_make(referee, &rendering->patches, args->pPatchLocationListOut,
               (size_t)args->PatchLocationListOutSize * sizeof(*args->pPatchLocationListOut));
    referee_gives_list(&rendering->call, 626, "pAllocationList", args->pAllocationList,
                       args->AllocationListSize * sizeof(*args->pAllocationList));
    rendering->mine = *args;
    rendering->mine.pDmaBuffer = rendering->buffer.bytes;
    rendering->mine.pPatchLocationListOut =
        (D3DDDI_PATCHLOCATIONLIST *)(void *)rendering->patches.bytes;
}

/* Afterwards the pointers of `mine` are into the caller's memory. */
static void render_end(struct vidmm_referee *referee, struct rendering *rendering, HANDLE handle,
                       NTSTATUS status) {
    DXGKARG_RENDER *mine = &rendering->mine;
    render_judge_progress(referee, shadow_context(referee, handle), &rendering->given, mine,
                          status);
    if (status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        render_judge_output(referee, rendering);
    if (status == STATUS_SUCCESS)
        render_judge_end(referee, &rendering->patches,
                         render_written(&rendering->patches, mine->pPatchLocationListOut));
    mine->pDmaBuffer = render_give_back(referee, &rendering->buffer, mine->pDmaBuffer);
    mine->pPatchLocationListOut =
        render_give_back(referee, &rendering->patches, mine->pPatchLocationListOut);
}

static NTSTATUS render_render(struct vidmm_referee *referee, const char *name, PDXGKDDI_RENDER real,
                              HANDLE handle, DXGKARG_RENDER *args) {
    struct rendering rendering = {.name = name, .given = *args};
    referee_enter(referee, &rendering.call, name, REFEREE_REENTRANT);
    referee_gives_list(&rendering.call, 626, "pCommand", args->pCommand, args->CommandLength);
    render_begin(referee, &rendering, handle);
    referee_leave(referee);
    NTSTATUS status = real(handle, &rendering.mine);
    referee_return(referee);
    given_judge(referee, render_given, args, &rendering.mine);
    render_judge_answer(referee, status, render_answers, COUNT(render_answers));
    render_end(referee, &rendering, handle, status);
    *args = rendering.mine;
    referee_exit(referee, &rendering.call);
    return status;
}

/* ---- Presents -------------------------------------------------------------------------------- */

/* The list has a source and a destination, behind an element that is empty. */
static DXGKARG_RENDER present_given(const DXGKARG_PRESENT *args) {
    return (DXGKARG_RENDER){.pDmaBuffer = args->pDmaBuffer,
                            .DmaSize = args->DmaSize,
                            .pAllocationList = args->pAllocationList,
                            .AllocationListSize = DXGK_PRESENT_MAX_INDEX + 1,
                            .pPatchLocationListOut = args->pPatchLocationListOut,
                            .PatchLocationListOutSize = args->PatchLocationListOutSize,
                            .MultipassOffset = args->MultipassOffset,
                            .DmaBufferSegmentId = args->DmaBufferSegmentId,
                            .DmaBufferPhysicalAddress = args->DmaBufferPhysicalAddress};
}

static NTSTATUS present_present(struct vidmm_referee *referee, struct rendering *rendering,
                                HANDLE handle, DXGKARG_PRESENT *args) {
    DXGKARG_PRESENT mine = *args;
    rendering->given = present_given(args);
    render_begin(referee, rendering, handle);
    mine.pDmaBuffer = rendering->mine.pDmaBuffer;
    mine.pPatchLocationListOut = rendering->mine.pPatchLocationListOut;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiPresent(handle, &mine);
    referee_return(referee);
    render_judge_answer(referee, status, present_answers, COUNT(present_answers));
    rendering->mine.pDmaBuffer = mine.pDmaBuffer;
    rendering->mine.pPatchLocationListOut = mine.pPatchLocationListOut;
    rendering->mine.MultipassOffset = mine.MultipassOffset;
    render_end(referee, rendering, handle, status);
    mine.pDmaBuffer = rendering->mine.pDmaBuffer;
    mine.pPatchLocationListOut = rendering->mine.pPatchLocationListOut;
    *args = mine;
    return status;
}

/* A flip by registers has no DMA buffer. */
static NTSTATUS watch_Present(struct vidmm_referee *referee, const HANDLE context,
                              DXGKARG_PRESENT *args) {
    struct rendering rendering = {.name = "DxgkDdiPresent"};
    NTSTATUS status;
    referee_enter(referee, &rendering.call, rendering.name, REFEREE_REENTRANT);
    if (args->pDmaBuffer) {
        status = present_present(referee, &rendering, context, args);
    } else {
        referee_leave(referee);
        status = referee->real.DxgkDdiPresent(context, args);
        referee_return(referee);
    }
    referee_exit(referee, &rendering.call);
    return status;
}
WATCHED_2(NTSTATUS, Present, const HANDLE, DXGKARG_PRESENT *)

/* ---- Commands -------------------------------------------------------------------------------- */

static NTSTATUS watch_Render(struct vidmm_referee *referee, const HANDLE context,
                             DXGKARG_RENDER *args) {
    return render_render(referee, "DxgkDdiRender", referee->real.DxgkDdiRender, context, args);
}
WATCHED_2(NTSTATUS, Render, const HANDLE, DXGKARG_RENDER *)

static NTSTATUS watch_RenderKm(struct vidmm_referee *referee, const HANDLE context,
                               DXGKARG_RENDER *args) {
    return render_render(referee, "DxgkDdiRenderKm", referee->real.DxgkDdiRenderKm, context, args);
}
WATCHED_2(NTSTATUS, RenderKm, const HANDLE, DXGKARG_RENDER *)

void referee_watch_render(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, Render);
    WATCH(table, RenderKm);
    WATCH(table, Present);
}
