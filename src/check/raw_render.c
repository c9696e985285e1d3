/*
 * raw_render.c - work of an application, by hand: a command buffer that DxgkDdiRender makes a DMA buffer of, which is
 * submitted whole or in parts. One of no bytes will do for drivers that leave paging buffers empty, so that their
 * fences show in nothing else.
 */
#include "raw.h"

#include <stdlib.h>
#include <string.h>

#define ENGINE_BIT(raw) (1u << (raw)->physical)

/* Bytes behind the private data of a DMA buffer, which are nobody's. */
#define BEHIND      64u
#define BEHIND_BYTE 0xb5
/* Of damaged buffers: no address of this is memory. */
#define DAMAGE 0xff

static bool render_context(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    DXGKARG_CREATEDEVICE device = {.hDevice = renderer};
    device.Flags.GdiDevice = renderer->gdi;
    if (raw->ddi->DxgkDdiCreateDevice(raw->adapter, &device) != STATUS_SUCCESS)
        return false;
    renderer->device = device.hDevice;
    DXGKARG_CREATECONTEXT context = {
        .hContext = renderer, .NodeOrdinal = renderer->node, .EngineAffinity = ENGINE_BIT(raw)};
    context.Flags.GdiContext = renderer->gdi;
    if (raw->ddi->DxgkDdiCreateContext(renderer->device, &context) != STATUS_SUCCESS)
        return false;
    renderer->context = context.hContext;
    renderer->created = true;
    renderer->info = context.ContextInfo;
    return raw_dma_possible(renderer);
}

/* What the context asked for, as a system makes it. */
static bool render_buffers(struct raw_renderer *renderer) {
    const struct vidmm_os *os = renderer->raw->os;
    struct check *check = renderer->raw->check;
    const DXGK_CONTEXTINFO *info = &renderer->info;
    size_t pages = ((size_t)info->DmaBufferSize + CHECK_PAGE - 1) / CHECK_PAGE;
    renderer->buffer =
        os->pages_alloc(os->ctx, pages != 0 ? pages : 1, VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    renderer->cpu = renderer->buffer ? os->pages_map(os->ctx, renderer->buffer) : NULL;
    renderer->allocations =
        check_memory(check, ((size_t)info->AllocationListSize + DXGK_PRESENT_MAX_INDEX + 1) *
                                sizeof(*renderer->allocations));
    renderer->patches =
        check_memory(check, ((size_t)info->PatchLocationListSize + 1) * sizeof(*renderer->patches));
    if (info->DmaBufferPrivateDataSize != 0)
        renderer->private_data =
            os->alloc(os->ctx, (size_t)info->DmaBufferPrivateDataSize + BEHIND);
    if (renderer->private_data)
        memset(renderer->private_data + info->DmaBufferPrivateDataSize, BEHIND_BYTE, BEHIND);
    return check_has(check, renderer->cpu) && renderer->allocations && renderer->patches &&
           (info->DmaBufferPrivateDataSize == 0 || check_has(check, renderer->private_data));
}

bool raw_render_open_on(struct raw_renderer *renderer, struct raw_submitter *raw, uint32_t node,
                        bool gdi) {
    *renderer = (struct raw_renderer){.raw = raw, .node = node, .gdi = gdi};
    return !raw->refused && raw->ddi->DxgkDdiCreateContext && raw->ddi->DxgkDdiRender &&
           raw->ddi->DxgkDdiPatch && render_context(renderer) && render_buffers(renderer) &&
           raw_dma_open(renderer);
}

bool raw_render_open(struct raw_renderer *renderer, struct raw_submitter *raw) {
    return raw_render_open_on(renderer, raw, raw->info.paging_node, false);
}

static void render_buffers_free(struct raw_renderer *renderer) {
    const struct vidmm_os *os = renderer->raw->os;
    free(renderer->patches);
    free(renderer->allocations);
    if (renderer->private_data)
        os->free(os->ctx, renderer->private_data,
                 (size_t)renderer->info.DmaBufferPrivateDataSize + BEHIND);
    if (renderer->buffer)
        os->pages_free(os->ctx, renderer->buffer);
    renderer->patches = NULL;
    renderer->allocations = NULL;
    renderer->private_data = NULL;
    renderer->buffer = NULL;
}

bool raw_render_beside(const struct raw_renderer *renderer, struct raw_renderer *other) {
    *other = *renderer;
    other->buffer = NULL;
    other->allocations = NULL;
    other->patches = NULL;
    other->private_data = NULL;
    bool made = !renderer->dma.mapped && render_buffers(other);
    if (!made)
        render_buffers_free(other);
    return made;
}

void raw_render_beside_close(struct raw_renderer *other) {
    render_buffers_free(other);
}

void raw_render_close(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    raw_dma_close(renderer);
    const DXGKARG_CLOSEALLOCATION close = {.NumAllocations = 1,
                                           .pOpenHandleList = &renderer->surface};
    if (renderer->surface)
        (void)raw->ddi->DxgkDdiCloseAllocation(renderer->device, &close);
    render_buffers_free(renderer);
    if (renderer->created)
        (void)raw->ddi->DxgkDdiDestroyContext(renderer->context);
    if (renderer->device)
        (void)raw->ddi->DxgkDdiDestroyDevice(renderer->device);
}

bool raw_render_grow(struct raw_renderer *renderer, uint32_t bytes) {
    const struct vidmm_os *os = renderer->raw->os;
    raw_dma_close(renderer);
    os->pages_free(os->ctx, renderer->buffer);
    renderer->buffer =
        os->pages_alloc(os->ctx, bytes / CHECK_PAGE + 1, VIDMM_PAGES_CONTIGUOUS, UINT64_MAX);
    renderer->cpu = renderer->buffer ? os->pages_map(os->ctx, renderer->buffer) : NULL;
    renderer->info.DmaBufferSize = bytes;
    return check_has(renderer->raw->check, renderer->cpu) && raw_dma_open(renderer);
}

/* Of the submitter's allocation. */
static DXGKARG_OPENALLOCATION render_opening(const struct raw_submitter *raw,
                                             DXGK_OPENALLOCATIONINFO *info) {
    *info = (DXGK_OPENALLOCATIONINFO){.hAllocation = RAW_KERNEL_HANDLE,
                                      .pPrivateDriverData = raw->given.bytes,
                                      .PrivateDriverDataSize = raw->given.size};
    return (DXGKARG_OPENALLOCATION){.NumAllocations = 1,
                                    .pOpenAllocation = info,
                                    .pPrivateDriverData = raw->resource.given.bytes,
                                    .PrivateDriverSize = raw->resource.given.size};
}

bool raw_visit(const struct raw_submitter *raw, DXGKARG_OPENALLOCATION *open) {
    DXGKARG_CREATEDEVICE device = {.hDevice = open};
    if (raw->ddi->DxgkDdiCreateDevice(raw->adapter, &device) != STATUS_SUCCESS)
        return false;
    bool opened = raw->ddi->DxgkDdiOpenAllocation(device.hDevice, open) == STATUS_SUCCESS;
    const DXGKARG_CLOSEALLOCATION close = {
        .NumAllocations = 1, .pOpenHandleList = &open->pOpenAllocation->hDeviceSpecificAllocation};
    if (opened)
        (void)raw->ddi->DxgkDdiCloseAllocation(device.hDevice, &close);
    (void)raw->ddi->DxgkDdiDestroyDevice(device.hDevice);
    return opened;
}

bool raw_render_visited(const struct raw_renderer *renderer) {
    DXGK_OPENALLOCATIONINFO info;
    DXGKARG_OPENALLOCATION open = render_opening(renderer->raw, &info);
    return raw_visit(renderer->raw, &open);
}

bool raw_render_surface(struct raw_renderer *renderer) {
    struct raw_submitter *raw = renderer->raw;
    DXGK_OPENALLOCATIONINFO info;
    DXGKARG_OPENALLOCATION open = render_opening(raw, &info);
    open.Flags.Create = 1;
    if (!raw->allocation || renderer->info.AllocationListSize == 0 ||
        raw->ddi->DxgkDdiOpenAllocation(renderer->device, &open) != STATUS_SUCCESS)
        return false;
    renderer->surface = info.hDeviceSpecificAllocation;
    return renderer->surface;
}

struct render_place {
    UINT segment;
    uint64_t address;
};

static struct render_place render_placed(const struct raw_submitter *raw,
                                         enum raw_listing listing) {
    const struct vidmm_segment_info *segment = raw_segment(raw);
    switch (listing) {
    case RAW_LISTED_NOWHERE:
        return (struct render_place){0, 0};
    case RAW_LISTED_MAPPED:
        return (struct render_place){raw->aperture.id, raw->aperture.base};
    case RAW_LISTED_BESIDE:
        return (struct render_place){segment->id, segment->base};
    default:
        return (struct render_place){segment->id, raw_surface_at(raw)};
    }
}

/* Where the surface is by now, or is said to be when commands are built. */
static UINT render_list(struct raw_renderer *renderer, enum raw_listing listing) {
    const struct render_place place = render_placed(renderer->raw, listing);
    DXGK_ALLOCATIONLIST *element = &renderer->allocations[0];
    if (!renderer->surface)
        return renderer->listed;
    element->hDeviceSpecificAllocation = renderer->surface;
    element->WriteOperation = 1;
    element->SegmentId = place.segment;
    element->PhysicalAddress.QuadPart = (LONGLONG)place.address;
    return 1;
}

/* K12: the private data are no longer than the context asked for (ns-d3dkmddi-_dxgk_contextinfo.md). */
static void render_judge_private(const struct raw_renderer *renderer) {
    const uint32_t size = renderer->info.DmaBufferPrivateDataSize;
    for (uint32_t i = 0; renderer->private_data && i < BEHIND; i++) {
        if (renderer->private_data[size + i] == BEHIND_BYTE)
            continue;
        vidmm_ledger_note(&renderer->raw->check->shared->ledger, VIDMM_FINDING_HOST,
                          VIDMM_SIDE_DRIVER,
                          "the driver wrote byte %u of %u in pDmaBufferPrivateData of a DMA buffer",
                          size + i, size);
        memset(renderer->private_data + size, BEHIND_BYTE, BEHIND);
        return;
    }
}

bool raw_render_took(const struct raw_renderer *renderer, struct raw_commands *commands,
                     const void *moved, const D3DDDI_PATCHLOCATIONLIST *listed) {
    uintptr_t written = (uintptr_t)moved - (uintptr_t)renderer->cpu;
    uintptr_t elements = ((uintptr_t)listed - (uintptr_t)renderer->patches) / sizeof(*listed);
    render_judge_private(renderer);
    commands->written = (uint32_t)written;
    commands->patches = (uint32_t)elements;
    return (commands->status == STATUS_SUCCESS ||
            commands->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) &&
           written <= renderer->info.DmaBufferSize &&
           commands->patches <= renderer->info.PatchLocationListSize;
}

bool raw_render_build(struct raw_renderer *renderer, struct raw_commands *commands) {
    const DXGK_CONTEXTINFO *info = &renderer->info;
    PDXGKDDI_RENDER render_function =
        renderer->gdi ? renderer->raw->ddi->DxgkDdiRenderKm : renderer->raw->ddi->DxgkDdiRender;
    DXGKARG_RENDER render = {.pCommand = commands->bytes,
                             .CommandLength = commands->size,
                             .pDmaBuffer = renderer->cpu,
                             .DmaBufferSegmentId = raw_dma_segment(renderer),
                             .DmaSize = info->DmaBufferSize,
                             .pDmaBufferPrivateData = renderer->private_data,
                             .DmaBufferPrivateDataSize = info->DmaBufferPrivateDataSize,
                             .pAllocationList = renderer->allocations,
                             .AllocationListSize = render_list(renderer, renderer->listing),
                             .pPatchLocationListOut = renderer->patches,
                             .PatchLocationListOutSize = info->PatchLocationListSize,
                             .MultipassOffset = commands->multipass};
    render.DmaBufferPhysicalAddress.QuadPart = raw_dma_address(renderer);
    commands->status = render_function(renderer->context, &render);
    commands->multipass = render.MultipassOffset;
    return raw_render_took(renderer, commands, render.pDmaBuffer, render.pPatchLocationListOut);
}

static DXGKARG_PATCH render_describe(struct raw_renderer *renderer,
                                     const struct raw_commands *commands,
                                     const struct raw_part *part) {
    const DXGK_CONTEXTINFO *info = &renderer->info;
    DXGKARG_PATCH patch = {.hContext = renderer->context,
                           .DmaBufferSegmentId = raw_dma_segment(renderer),
                           .pDmaBuffer = renderer->cpu,
                           .DmaBufferSize = info->DmaBufferSize,
                           .DmaBufferSubmissionStartOffset = part->start,
                           .DmaBufferSubmissionEndOffset = part->end,
                           .pDmaBufferPrivateData = renderer->private_data,
                           .DmaBufferPrivateDataSize = info->DmaBufferPrivateDataSize,
                           .DmaBufferPrivateDataSubmissionEndOffset =
                               info->DmaBufferPrivateDataSize,
                           .pAllocationList = renderer->allocations,
                           .AllocationListSize = render_list(renderer, RAW_LISTED_THERE),
                           .pPatchLocationList = renderer->patches,
                           .PatchLocationListSize = commands->patches,
                           .PatchLocationListSubmissionStart = part->first,
                           .PatchLocationListSubmissionLength = part->count,
                           .EngineOrdinal = renderer->raw->physical};
    patch.DmaBufferPhysicalAddress.QuadPart = raw_dma_address(renderer);
    return patch;
}

/* The same part, as the function that submits has it. */
static DXGKARG_SUBMITCOMMAND render_submission(const struct raw_renderer *renderer,
                                               const DXGKARG_PATCH *patch) {
    return (DXGKARG_SUBMITCOMMAND){
        .hContext = patch->hContext,
        .DmaBufferSegmentId = patch->DmaBufferSegmentId,
        .DmaBufferPhysicalAddress = patch->DmaBufferPhysicalAddress,
        .DmaBufferSize = patch->DmaBufferSize,
        .DmaBufferSubmissionStartOffset = patch->DmaBufferSubmissionStartOffset,
        .DmaBufferSubmissionEndOffset = patch->DmaBufferSubmissionEndOffset,
        .pDmaBufferPrivateData = patch->pDmaBufferPrivateData,
        .DmaBufferPrivateDataSize = patch->DmaBufferPrivateDataSize,
        .DmaBufferPrivateDataSubmissionEndOffset = patch->DmaBufferPrivateDataSubmissionEndOffset,
        .SubmissionFenceId = patch->SubmissionFenceId,
        .EngineOrdinal = patch->EngineOrdinal,
        .NodeOrdinal = renderer->node};
}

/* `again`: it was preempted, and is patched and submitted with its fence once more. */
static bool render_send(struct raw_renderer *renderer, const struct raw_commands *commands,
                        const struct raw_part *part, uint32_t fence, bool again) {
    struct raw_submitter *raw = renderer->raw;
    DXGKARG_PATCH patch = render_describe(renderer, commands, part);
    patch.SubmissionFenceId = fence;
    patch.Flags.NullRendering = renderer->null_rendering;
    patch.Flags.Present = renderer->presents;
    NTSTATUS status = STATUS_SUCCESS;
    if (renderer->patched_twice)
        status = raw->ddi->DxgkDdiPatch(raw->adapter, &patch);
    if (status == STATUS_SUCCESS && !renderer->unpatched)
        status = raw->ddi->DxgkDdiPatch(raw->adapter, &patch);
    if (status != STATUS_SUCCESS)
        return raw_refuse(raw, "DxgkDdiPatch", status);
    if (renderer->damaged)
        memset(renderer->cpu + part->start, DAMAGE, part->end - part->start);
    DXGKARG_SUBMITCOMMAND submit = render_submission(renderer, &patch);
    submit.Flags.NullRendering = renderer->null_rendering;
    submit.Flags.Present = renderer->presents;
    if (again && raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        submit.Flags.Resubmission = 1;
    status = raw->ddi->DxgkDdiSubmitCommand(raw->adapter, &submit);
    return status == STATUS_SUCCESS || raw_refuse(raw, "DxgkDdiSubmitCommand", status);
}

bool raw_render_submit(struct raw_renderer *renderer, const struct raw_commands *commands,
                       const struct raw_part *part) {
    struct raw_submitter *raw = renderer->raw;
    if (raw->refused || !raw_turn_to(raw, renderer->node))
        return false;
    struct raw_packet *packet = &raw->packet[raw->packets++];
    *packet = (struct raw_packet){.fence = ++raw->fence};
    return render_send(renderer, commands, part, packet->fence, false);
}

bool raw_render_resubmit(struct raw_renderer *renderer, const struct raw_commands *commands,
                         const struct raw_part *part) {
    struct raw_submitter *raw = renderer->raw;
    uint32_t undone = 0;
    bool good = !raw->refused;
    for (uint32_t i = 0; i < raw->packets; i++)
        if (raw->packet[i].fence == raw->completed)
            undone = i + 1;
    for (; good && undone < raw->packets; undone++) {
        struct raw_packet *packet = &raw->packet[undone];
        packet->fence = ++raw->fence; /* of work that is no paging they go up */
        good = render_send(renderer, commands, part, packet->fence, true);
    }
    return good;
}

bool raw_render_cancel(struct raw_renderer *renderer, const struct raw_commands *commands,
                       const struct raw_part *part) {
    struct raw_submitter *raw = renderer->raw;
    const DXGKARG_PATCH patch = render_describe(renderer, commands, part);
    const DXGKARG_CANCELCOMMAND cancel = {
        .hContext = patch.hContext,
        .pDmaBuffer = renderer->cpu,
        .DmaBufferSize = patch.DmaBufferSize,
        .DmaBufferSubmissionStartOffset = patch.DmaBufferSubmissionStartOffset,
        .DmaBufferSubmissionEndOffset = patch.DmaBufferSubmissionEndOffset,
        .pDmaBufferPrivateData = renderer->private_data,
        .DmaBufferPrivateDataSize = patch.DmaBufferPrivateDataSize,
        .DmaBufferPrivateDataSubmissionEndOffset = patch.DmaBufferPrivateDataSubmissionEndOffset,
        .pAllocationList = patch.pAllocationList,
        .AllocationListSize = patch.AllocationListSize,
        .pPatchLocationList = patch.pPatchLocationList,
        .PatchLocationListSize = patch.PatchLocationListSize,
        .PatchLocationListSubmissionStart = patch.PatchLocationListSubmissionStart,
        .PatchLocationListSubmissionLength = patch.PatchLocationListSubmissionLength};
    NTSTATUS status = raw->ddi->DxgkDdiCancelCommand(raw->adapter, &cancel);
    return status == STATUS_SUCCESS || raw_refuse(raw, "DxgkDdiCancelCommand", status);
}

uint32_t raw_render_split(const struct raw_renderer *renderer,
                          const struct raw_commands *commands) {
    const D3DDDI_PATCHLOCATIONLIST *list = renderer->patches;
    for (uint32_t i = commands->patches / 2; i != 0 && i < commands->patches; i++)
        if (list[i].SplitOffset > list[i - 1].SplitOffset &&
            list[i].SplitOffset < commands->written)
            return i;
    return 0;
}

bool raw_render_whole(struct raw_renderer *renderer, struct raw_commands *commands,
                      struct raw_part *whole) {
    if (!raw_render_build(renderer, commands) || commands->status != STATUS_SUCCESS)
        return false;
    *whole = (struct raw_part){.end = commands->written, .count = commands->patches};
    return true;
}

bool raw_render_nothing(struct raw_renderer *renderer, struct raw_commands *commands,
                        struct raw_part *whole) {
    static const unsigned char nothing[16];
    *commands = (struct raw_commands){.bytes = nothing};
    return raw_render_whole(renderer, commands, whole);
}

bool raw_render_completes(struct raw_submitter *raw) {
    if (raw_try(raw))
        return true;
    raw->refused = raw->unseen = true;
    (void)check_say(raw->check, VIDMM_STAGE_STOPPED, "commands of an application did not complete");
    return false;
}

bool raw_render(struct raw_renderer *renderer) {
    struct raw_commands commands;
    struct raw_part whole;
    return !renderer->raw->refused && raw_render_nothing(renderer, &commands, &whole) &&
           raw_render_submit(renderer, &commands, &whole) && raw_flush(renderer->raw);
}
