/*
 * raw_render.c - work of an application, by hand: a command buffer of no bytes that DxgkDdiRender makes a DMA
 * buffer of. For drivers that leave paging buffers empty, so that their fences show in nothing else.
 */
#include "raw.h"

#include <stdlib.h>
#include <string.h>

#define ENGINE_BIT(raw) (1u << (raw)->physical)

/* A context that asks for its DMA buffers in system memory, on the paging node. */
static bool render_context(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    DXGKARG_CREATEDEVICE device = {.hDevice = renderer};
    if (raw->ddi->DxgkDdiCreateDevice(raw->adapter, &device) != STATUS_SUCCESS)
        return false;
    renderer->device = device.hDevice;
    DXGKARG_CREATECONTEXT context = {.hContext = renderer,
                                     .NodeOrdinal = raw->info.paging_node,
                                     .EngineAffinity = ENGINE_BIT(raw)};
    if (raw->ddi->DxgkDdiCreateContext(renderer->device, &context) != STATUS_SUCCESS)
        return false;
    renderer->context = context.hContext;
    renderer->created = true;
    renderer->info = context.ContextInfo;
    return renderer->info.DmaBufferSegmentSet == 0;
}

/* What the context asked for, as a system makes it. */
static bool render_buffers(struct raw_renderer *renderer) {
    const struct vidmm_os *os = renderer->raw->os;
    const DXGK_CONTEXTINFO *info = &renderer->info;
    size_t pages = ((size_t)info->DmaBufferSize + CHECK_PAGE - 1) / CHECK_PAGE;
    renderer->buffer =
        os->pages_alloc(os->ctx, pages != 0 ? pages : 1, VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    renderer->cpu = renderer->buffer ? os->pages_map(os->ctx, renderer->buffer) : NULL;
    renderer->allocations =
        calloc((size_t)info->AllocationListSize + 1, sizeof(*renderer->allocations));
    renderer->patches = calloc((size_t)info->PatchLocationListSize + 1, sizeof(*renderer->patches));
    if (info->DmaBufferPrivateDataSize != 0)
        renderer->private_data = os->alloc(os->ctx, info->DmaBufferPrivateDataSize);
    return renderer->cpu && renderer->allocations && renderer->patches &&
           (info->DmaBufferPrivateDataSize == 0 || renderer->private_data);
}

bool raw_render_open(struct raw_renderer *renderer, struct raw_submitter *raw) {
    *renderer = (struct raw_renderer){.raw = raw};
    return !raw->refused && raw->context && raw->ddi->DxgkDdiRender && raw->ddi->DxgkDdiPatch &&
           raw->info.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
           render_context(renderer) && render_buffers(renderer);
}

void raw_render_close(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    const struct vidmm_os *os = raw->os;
    free(renderer->patches);
    free(renderer->allocations);
    if (renderer->private_data)
        os->free(os->ctx, renderer->private_data, renderer->info.DmaBufferPrivateDataSize);
    if (renderer->buffer)
        os->pages_free(os->ctx, renderer->buffer);
    if (renderer->created)
        (void)raw->ddi->DxgkDdiDestroyContext(renderer->context);
    if (renderer->device)
        (void)raw->ddi->DxgkDdiDestroyDevice(renderer->device);
}

/* How much the driver wrote; false: it refused, or left the buffer. */
static bool render_build(struct raw_renderer *renderer, DXGKARG_PATCH *patch) {
    static const unsigned char nothing[16];
    const DXGK_CONTEXTINFO *info = &renderer->info;
    DXGKARG_RENDER render = {.pCommand = nothing,
                             .pDmaBuffer = renderer->cpu,
                             .DmaSize = info->DmaBufferSize,
                             .pDmaBufferPrivateData = renderer->private_data,
                             .DmaBufferPrivateDataSize = info->DmaBufferPrivateDataSize,
                             .pAllocationList = renderer->allocations,
                             .pPatchLocationListOut = renderer->patches,
                             .PatchLocationListOutSize = info->PatchLocationListSize};
    if (renderer->raw->ddi->DxgkDdiRender(renderer->context, &render) != STATUS_SUCCESS)
        return false;
    uintptr_t written = (uintptr_t)render.pDmaBuffer - (uintptr_t)renderer->cpu;
    uintptr_t listed = (uintptr_t)render.pPatchLocationListOut - (uintptr_t)renderer->patches;
    patch->DmaBufferSubmissionEndOffset = (UINT)written;
    patch->PatchLocationListSubmissionLength = (UINT)(listed / sizeof(*renderer->patches));
    return written <= info->DmaBufferSize &&
           patch->PatchLocationListSubmissionLength <= info->PatchLocationListSize;
}

static void render_describe(const struct raw_renderer *renderer, DXGKARG_PATCH *patch) {
    patch->hContext = renderer->context;
    patch->DmaBufferPhysicalAddress.QuadPart =
        (LONGLONG)(MmGetMdlPfnArray(renderer->buffer)[0] * (uint64_t)CHECK_PAGE);
    patch->pDmaBuffer = renderer->cpu;
    patch->DmaBufferSize = renderer->info.DmaBufferSize;
    patch->pDmaBufferPrivateData = renderer->private_data;
    patch->DmaBufferPrivateDataSize = renderer->info.DmaBufferPrivateDataSize;
    patch->DmaBufferPrivateDataSubmissionEndOffset = renderer->info.DmaBufferPrivateDataSize;
    patch->pAllocationList = renderer->allocations;
    patch->pPatchLocationList = renderer->patches;
    patch->PatchLocationListSize = renderer->info.PatchLocationListSize;
    patch->EngineOrdinal = renderer->raw->physical;
}

/* The same buffer, as the function that submits has it. */
static DXGKARG_SUBMITCOMMAND render_submission(const struct raw_renderer *renderer,
                                               const DXGKARG_PATCH *patch) {
    return (DXGKARG_SUBMITCOMMAND){
        .hContext = patch->hContext,
        .DmaBufferPhysicalAddress = patch->DmaBufferPhysicalAddress,
        .DmaBufferSize = patch->DmaBufferSize,
        .DmaBufferSubmissionEndOffset = patch->DmaBufferSubmissionEndOffset,
        .pDmaBufferPrivateData = patch->pDmaBufferPrivateData,
        .DmaBufferPrivateDataSize = patch->DmaBufferPrivateDataSize,
        .DmaBufferPrivateDataSubmissionEndOffset = patch->DmaBufferPrivateDataSubmissionEndOffset,
        .SubmissionFenceId = patch->SubmissionFenceId,
        .EngineOrdinal = patch->EngineOrdinal,
        .NodeOrdinal = renderer->raw->info.paging_node};
}

bool raw_render(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    DXGKARG_PATCH patch = {.hContext = renderer->context};
    if (raw->refused || !render_build(renderer, &patch))
        return false;
    struct raw_packet *packet = &raw->packet[raw->packets++];
    *packet = (struct raw_packet){.fence = ++raw->fence};
    render_describe(renderer, &patch);
    patch.SubmissionFenceId = packet->fence;
    NTSTATUS status = raw->ddi->DxgkDdiPatch(raw->adapter, &patch);
    if (status != STATUS_SUCCESS)
        return raw_refuse(raw, "DxgkDdiPatch", status);
    const DXGKARG_SUBMITCOMMAND submit = render_submission(renderer, &patch);
    status = raw->ddi->DxgkDdiSubmitCommand(raw->adapter, &submit);
    return status == STATUS_SUCCESS ? raw_flush(raw)
                                    : raw_refuse(raw, "DxgkDdiSubmitCommand", status);
}
