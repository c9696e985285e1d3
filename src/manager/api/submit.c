/*
 * submit.c - a command buffer's way to the GPU (submitting-a-command-buffer.md): DxgkDdiRender
 * makes DMA buffers of it, everything it references is made resident, DxgkDdiPatch writes the
 * addresses, DxgkDdiSubmitCommand hands it over. A driver that runs out of DMA buffer gets another
 * for the rest; the buffers of one command buffer share its submission number.
 *
 * Where no commands are given, DxgkDdiRender gets a command buffer of 0 bytes. A driver that makes
 * nothing of that, or has no DxgkDdiRender, makes its DMA buffer in DxgkDdiPresent, of the first two
 * references as source and destination. What no driver made is not submitted: the references are
 * resident, and that is all.
 */
#include "object/allocation.h"
#include "object/context_allocation.h"
#include "engine/device_error.h"
#include "residency/dma_ring.h"
#include "residency/residency.h"
#include "life/resource.h"
#include "api/submit_entry.h"

#define CALL         "vidmm_submit"
#define RENDER_PAGE  "nc-d3dkmddi-dxgkddi_render"
#define PRESENT_PAGE "nc-d3dkmddi-dxgkddi_present"
/* Source and destination of DxgkDdiPresent, and what stands before them in its list. */
#define PRESENTED    2u
#define PRESENT_LIST 3u

struct call {
    struct vidmm_context *context;
    const struct vidmm_submission *submission;
    uint32_t references; /* with context allocations, in context->references */
    uint64_t number;
    struct dma_buffer *buffer;
    DXGKARG_RENDER render;
    bool presents;                              /* by DxgkDdiPresent */
    bool unbuilt;                               /* the driver made no DMA buffer */
    bool rendered;                              /* nothing is left for Render */
    uint32_t written, private_written, patches; /* of the current buffer */
    uint32_t repeated; /* passes in a row that left MultipassOffset as it was */
};

static struct vidmm_adapter *adapter_of(const struct call *call) {
    return call->context->device->adapter;
}

/* Elements of the allocation list. */
static uint32_t submit_listed(const struct call *call) {
    return call->presents ? PRESENT_LIST : call->submission->count;
}

/* The reference that an element of the list is of; one that is presented alone is both. */
static uint32_t reference_of(const struct call *call, uint32_t element) {
    uint32_t index = call->presents ? element - 1 : element;
    return index < call->submission->count ? index : 0;
}

static uint32_t submit_first(const struct call *call) {
    if (!call->presents)
        return 0;
    bool fills = call->submission->blit && call->submission->blit->fill;
    return fills ? DXGK_PRESENT_DESTINATION_INDEX : DXGK_PRESENT_SOURCE_INDEX;
}

/* Where `bytes` of a copy begin in a buffer of `room`: at its end, so that a driver which reads behind
 * them reads behind the buffer, where a sanitizer sees it. */
static void *submit_at_end(void *buffer, uint64_t room, uint64_t bytes) {
    return (uint8_t *)buffer + ((room - bytes) & ~(uint64_t)7);
}

static void *submit_commands(const struct call *call) {
    const struct vidmm_submission *submission = call->submission;
    return submit_at_end(call->context->commands, call->context->commands_size,
                         submission->commands ? submission->commands_size : 0);
}

static D3DDDI_PATCHLOCATIONLIST *submit_patches(const struct call *call) {
    const uint64_t size = sizeof(D3DDDI_PATCHLOCATIONLIST);
    return call->submission->patch_count == 0
               ? NULL
               : submit_at_end(call->context->patches, call->context->patches_size * size,
                               call->submission->patch_count * size);
}

/* Copies what the caller passed, so that neither driver nor another thread can change it. */
static enum vidmm_status submit_collect(struct call *call) {
    struct vidmm_context *context = call->context;
    struct vidmm_adapter *adapter = adapter_of(call);
    const struct vidmm_submission *submission = call->submission;
    uint32_t own = context_allocations_count(context);
    call->references = submission->count + own;
    if (!adapter_grow(adapter, (void **)&context->references, &context->references_size,
                      call->references, sizeof(*context->references)) ||
        !dma_ring_lists(adapter, &context->dma,
                        submission->count < PRESENT_LIST ? PRESENT_LIST : submission->count) ||
        !adapter_grow(adapter, &context->commands, &context->commands_size,
                      submission->commands ? submission->commands_size : 1, 1) ||
        !adapter_grow(adapter, &context->patches, &context->patches_size, submission->patch_count,
                      sizeof(*submission->patches)))
        return error_no_memory(adapter, CALL);
    if (submission->patch_count)
        memcpy(submit_patches(call), submission->patches,
               submission->patch_count * sizeof(*submission->patches));
    if (submission->count)
        memcpy(context->references, submission->references,
               submission->count * sizeof(*submission->references));
    if (own)
        context_allocations_list(context, context->references + submission->count);
    if (submission->commands && submission->commands_size)
        memcpy(submit_commands(call), submission->commands, submission->commands_size);
    return VIDMM_OK;
}

/* Each reference is open in the device and occurs once. */
static enum vidmm_status check_references(struct call *call) {
    struct vidmm_adapter *adapter = adapter_of(call);
    struct vidmm_context *context = call->context;
    uint32_t mark = ++adapter->mark;
    for (uint32_t i = 0; i < call->submission->count; i++) {
        struct vidmm_allocation *allocation = context->references[i].allocation;
        HANDLE handle = allocation->dead ? NULL : resource_handle(allocation, context->device);
        if (!handle || allocation->mark == mark)
            return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = CALL,
                        .expected = "allocations that the device has open, each once", .index = i);
        allocation->mark = mark;
    }
    return VIDMM_OK;
}

/* Where everything is at the moment: SegmentId 0 stands for "not in a segment". */
static void fill_list(struct call *call) {
    const struct vidmm_context *context = call->context;
    if (call->presents)
        memset(context->dma.allocations, 0, sizeof(*context->dma.allocations));
    for (uint32_t i = submit_first(call); i < submit_listed(call); i++) {
        const struct vidmm_reference *reference = &context->references[reference_of(call, i)];
        const struct vidmm_allocation *allocation = reference->allocation;
        DXGK_ALLOCATIONLIST *element = &context->dma.allocations[i];
        const struct segment *segment = allocation->segment;
        element->hDeviceSpecificAllocation = resource_handle(allocation, context->device);
        element->WriteOperation =
            call->presents ? i == DXGK_PRESENT_DESTINATION_INDEX : reference->write;
        element->SegmentId = segment_driver_id(segment);
        element->Reserved = 0;
        element->PhysicalAddress.QuadPart =
            segment ? (LONGLONG)segment_address(segment, allocation->place.offset) : 0;
    }
}

/* All but MultipassOffset anew for each pass: a driver may have changed what it got. */
static void submit_aim(struct call *call) {
    const struct vidmm_context *context = call->context;
    const struct vidmm_submission *submission = call->submission;
    const struct dma_buffer *buffer = call->buffer;
    DXGKARG_RENDER *render = &call->render;
    render->pCommand = submit_commands(call);
    render->CommandLength = submission->commands ? submission->commands_size : 0;
    render->pPatchLocationListIn = submit_patches(call);
    render->PatchLocationListInSize = submission->patch_count;
    render->pDmaBuffer = buffer->cpu;
    render->DmaSize = buffer->size;
    render->pDmaBufferPrivateData = buffer->private_data;
    render->DmaBufferPrivateDataSize = buffer->private_size;
    render->pAllocationList = context->dma.allocations;
    render->AllocationListSize = submit_listed(call);
    render->pPatchLocationListOut = context->dma.patches;
    render->PatchLocationListOutSize = context->dma.patches_size;
    render->DmaBufferSegmentId = dma_buffer_segment(buffer);
    render->DmaBufferPhysicalAddress = dma_buffer_address(buffer);
}

static enum vidmm_status render_broke(struct call *call, const char *field, const char *expected,
                                      uint64_t value) {
    return FAIL(adapter_of(call), .status = VIDMM_DRIVER_BROKE_RULE, .call = "DxgkDdiRender",
                .field = field, .expected = expected, .page = "ns-d3dkmddi-_dxgkarg_render",
                .index = ERROR_NO_INDEX, .value = value);
}

/* How much of buffer, private data and patch list the driver used. */
static enum vidmm_status submit_measure(struct call *call) {
    const struct dma_buffer *buffer = call->buffer;
    const struct dma_ring *ring = &call->context->dma;
    const DXGKARG_RENDER *render = &call->render;
    uint64_t written = (uint64_t)((uintptr_t)render->pDmaBuffer - (uintptr_t)buffer->cpu);
    uint64_t private_written =
        (uint64_t)((uintptr_t)render->pDmaBufferPrivateData - (uintptr_t)buffer->private_data);
    uint64_t patch_bytes =
        (uint64_t)((uintptr_t)render->pPatchLocationListOut - (uintptr_t)ring->patches);
    if (written > buffer->size)
        return render_broke(call, "DXGKARG_RENDER.pDmaBuffer",
                            "one past the last byte written, inside the buffer", written);
    if (private_written > buffer->private_size)
        return render_broke(call, "DXGKARG_RENDER.pDmaBufferPrivateData", "inside the private data",
                            private_written);
    if (patch_bytes > ring->patches_size * sizeof(*ring->patches) ||
        patch_bytes % sizeof(*ring->patches))
        return render_broke(call, "DXGKARG_RENDER.pPatchLocationListOut",
                            "one past the last element written, inside the list", patch_bytes);
    call->written = (uint32_t)written;
    call->private_written = private_written ? (uint32_t)private_written : buffer->private_size;
    call->patches = (uint32_t)(patch_bytes / sizeof(*ring->patches));
    return VIDMM_OK;
}

static enum vidmm_status render_refused(struct call *call, NTSTATUS nt) {
    struct vidmm_adapter *adapter = adapter_of(call);
    enum vidmm_status status = VIDMM_DRIVER_REFUSED;
    if (nt == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE) { /* the page: the device is lost */
        device_mark_lost(call->context->device);
        status = VIDMM_DEVICE_LOST;
    }
    return FAIL(adapter, .status = status,
                .call = call->presents ? "DxgkDdiPresent" : "DxgkDdiRender",
                .field = "return value", .expected = "STATUS_SUCCESS",
                .page = call->presents ? PRESENT_PAGE : RENDER_PAGE, .index = ERROR_NO_INDEX,
                .value = (uint32_t)nt, .nt = nt);
}

/* A copy of one pixel, which any two surfaces have, where nothing else is asked for. */
static NTSTATUS submit_present(struct call *call) {
    static const RECT pixel = {0, 0, 1, 1};
    static const struct vidmm_blit least = {
        .from = {0, 0, 1, 1}, .to = {0, 0, 1, 1}, .rectangles = &pixel, .count = 1};
    const struct vidmm_blit *blit = call->submission->blit ? call->submission->blit : &least;
    DXGKARG_RENDER *render = &call->render;
    DXGKARG_PRESENT present = {.pDmaBuffer = render->pDmaBuffer,
                               .DmaSize = render->DmaSize,
                               .pDmaBufferPrivateData = render->pDmaBufferPrivateData,
                               .DmaBufferPrivateDataSize = render->DmaBufferPrivateDataSize,
                               .pAllocationList = render->pAllocationList,
                               .pPatchLocationListOut = render->pPatchLocationListOut,
                               .PatchLocationListOutSize = render->PatchLocationListOutSize,
                               .MultipassOffset = render->MultipassOffset,
                               .Color = blit->color,
                               .DstRect = blit->to,
                               .SrcRect = blit->from,
                               .SubRectCnt = blit->count,
                               .pDstSubRects = blit->rectangles,
                               .DmaBufferSegmentId = render->DmaBufferSegmentId,
                               .DmaBufferPhysicalAddress = render->DmaBufferPhysicalAddress,
                               .PrivateDriverDataSize = call->submission->present_size,
                               .pPrivateDriverData = call->submission->present_data};
    present.Flags.Blt = !blit->fill;
    present.Flags.ColorFill = blit->fill;
    NTSTATUS nt = adapter_of(call)->ddi->DxgkDdiPresent(call->context->handle, &present);
    render->pDmaBuffer = present.pDmaBuffer;
    render->pDmaBufferPrivateData = present.pDmaBufferPrivateData;
    render->pPatchLocationListOut = present.pPatchLocationListOut;
    render->MultipassOffset = present.MultipassOffset;
    return nt;
}

static NTSTATUS submit_build(struct call *call) {
    struct vidmm_adapter *adapter = adapter_of(call);
    fill_list(call);
    submit_aim(call);
    adapter_open(adapter);
    NTSTATUS nt = call->presents
                      ? submit_present(call)
                      : adapter->ddi->DxgkDdiRender(call->context->handle, &call->render);
    adapter_return(adapter);
    return nt;
}

static bool can_present(const struct call *call) {
    return adapter_of(call)->ddi->DxgkDdiPresent && call->submission->count != 0;
}

/* One DxgkDdiRender into the current buffer. */
static enum vidmm_status submit_render(struct call *call) {
    UINT multipass = call->render.MultipassOffset;
    bool asked = call->submission->commands || call->submission->blit;
    NTSTATUS nt = submit_build(call);
    if (!asked && !call->presents && nt != STATUS_SUCCESS && can_present(call)) {
        call->presents = true;
        call->render.MultipassOffset = multipass;
        nt = submit_build(call);
    }
    call->unbuilt = !asked && nt != STATUS_SUCCESS;
    if (call->unbuilt)
        return VIDMM_OK;
    if (nt != STATUS_SUCCESS && nt != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        return render_refused(call, nt);
    enum vidmm_status status = submit_measure(call);
    call->rendered = nt == STATUS_SUCCESS;
    bool same = !call->rendered && call->render.MultipassOffset == multipass;
    call->repeated = same ? call->repeated + 1 : 0;
    if (status == VIDMM_OK && same && (call->written == 0 || call->repeated > DMA_BUFFERS_REPEATED))
        status = render_broke(call, "return value",
                              "progress in an empty DMA buffer before INSUFFICIENT_DMA_BUFFER",
                              call->buffer->size);
    return status;
}

static enum vidmm_status submit_acquire(void *ctx) {
    struct call *call = ctx;
    return dma_ring_acquire(call->context, &call->buffer);
}

/* With GPU virtual addresses a place may be scattered, and in an aperture be none at all. */
static enum vidmm_status submit_check_places(const struct call *call) {
    for (uint32_t i = 0; call->submission->blit && i < call->submission->count; i++) {
        const struct vidmm_allocation *allocation = call->context->references[i].allocation;
        const struct placement *place = &allocation->place;
        if (!allocation->segment || place->floating || place->extent_count > 1)
            return error_argument(adapter_of(call), CALL, "surfaces with one physical address");
    }
    return VIDMM_OK;
}

/* All references resident, the buffer mapped, room on the node: nothing can keep it back now. */
static enum vidmm_status submit_prepare(void *ctx) {
    struct call *call = ctx;
    struct vidmm_context *context = call->context;
    enum vidmm_status status = device_serves(context->device, CALL);
    if (status == VIDMM_OK)
        status = dma_buffer_ready(context, call->buffer);
    if (status == VIDMM_OK)
        status = residency_make(adapter_of(call), context->references, call->references,
                                call->number, VIDMM_PLAN_SUBMISSION);
    if (status == VIDMM_OK)
        status = submit_check_places(call);
    if (status == VIDMM_OK)
        status = fence_room(adapter_of(call), context->node);
    return status ? status : device_serves(context->device, CALL); /* it may be lost by now */
}

/* The lists are the packet's: those of the context serve its next submission. */
static bool keep_lists(const struct call *call, struct packet *packet) {
    const struct dma_ring *ring = &call->context->dma;
    uint64_t list = submit_listed(call) * (uint64_t)sizeof(*ring->allocations);
    uint64_t patches = call->patches * (uint64_t)sizeof(*ring->patches);
    if (!packet_begin(adapter_of(call), packet, list + patches))
        return false;
    if (list)
        memcpy(packet->kept, ring->allocations, list);
    if (patches)
        memcpy((uint8_t *)packet->kept + list, ring->patches, patches);
    packet->patch.pAllocationList = packet->kept;
    packet->patch.pPatchLocationList =
        (const D3DDDI_PATCHLOCATIONLIST *)((uintptr_t)packet->kept + list);
    return true;
}

static void submit_describe(const struct call *call, struct packet *packet) {
    const struct vidmm_context *context = call->context;
    const struct dma_buffer *buffer = call->buffer;
    packet->buffer = call->buffer;
    packet->node = call->context->node;
    packet->patches = adapter_of(call)->ddi->DxgkDdiPatch;
    packet->patch = (DXGKARG_PATCH){
        .hContext = context->handle,
        .DmaBufferSegmentId = dma_buffer_segment(buffer),
        .DmaBufferPhysicalAddress = dma_buffer_address(buffer),
        .pDmaBuffer = buffer->cpu,
        .DmaBufferSize = buffer->size,
        .DmaBufferSubmissionEndOffset = call->written,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = buffer->private_size,
        .DmaBufferPrivateDataSubmissionEndOffset = call->private_written,
        .pAllocationList = packet->patch.pAllocationList,
        .AllocationListSize = submit_listed(call),
        .pPatchLocationList = packet->patch.pPatchLocationList,
        .PatchLocationListSize = call->patches,
        .PatchLocationListSubmissionLength = call->patches,
    };
    packet->patch.Flags.Present = call->presents || call->submission->present;
    packet->patch.Flags.NullRendering = call->submission->null_rendering;
    packet->submit = (DXGKARG_SUBMITCOMMAND){
        .hContext = context->handle,
        .DmaBufferSegmentId = packet->patch.DmaBufferSegmentId,
        .DmaBufferPhysicalAddress = packet->patch.DmaBufferPhysicalAddress,
        .DmaBufferSize = buffer->size,
        .DmaBufferSubmissionEndOffset = call->written,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = buffer->private_size,
        .DmaBufferPrivateDataSubmissionEndOffset = call->private_written,
    };
    packet->submit.Flags.Present = call->presents || call->submission->present;
    packet->submit.Flags.NullRendering = call->submission->null_rendering;
}

/* Patch and SubmitCommand: no other call comes in between. */
static enum vidmm_status submit_hand_over(struct call *call) {
    struct vidmm_adapter *adapter = adapter_of(call);
    struct vidmm_context *context = call->context;
    struct packet *packet = fence_packet(adapter, context->node);
    fill_list(call);
    if (!keep_lists(call, packet))
        return error_no_memory(adapter, CALL);
    submit_describe(call, packet);
    fence_take_number(adapter, call->number);
    residency_used(adapter, context->references, call->references, context->node, call->number);
    call->buffer->pending = true;
    return fence_submit(adapter, context->node, call->number, context->device);
}

static enum vidmm_status submit_pass(struct call *call) {
    struct vidmm_adapter *adapter = adapter_of(call);
    enum vidmm_status status = adapter_persist(adapter, submit_acquire, call);
    if (status == VIDMM_OK && !call->rendered)
        status = submit_render(call);
    if (status == VIDMM_OK)
        status = adapter_persist(adapter, submit_prepare, call);
    if (status == VIDMM_OK && !call->unbuilt)
        status = submit_hand_over(call);
    if (call->unbuilt) {
        call->rendered = true;
        call->number = adapter->fences.submitted;
    }
    if (status == VIDMM_DOES_NOT_FIT)
        adapter->stats.splits_refused++;
    return status;
}

static enum vidmm_status submit_packet(struct call *call) {
    struct vidmm_adapter *adapter = adapter_of(call);
    const struct vidmm_submission *submission = call->submission;
    bool renders = adapter->ddi->DxgkDdiRender;
    call->presents =
        (!renders || submission->present_data || submission->blit) && can_present(call);
    call->unbuilt = !renders && !call->presents;
    enum vidmm_status status = submit_collect(call);
    if (status == VIDMM_OK)
        status = check_references(call);
    call->number = adapter->fences.submitted + 1;
    call->rendered = call->unbuilt;
    if (status == VIDMM_OK)
        status = submit_pass(call);
    while (status == VIDMM_OK && !call->rendered)
        status = submit_pass(call);
    return status;
}

enum vidmm_status vidmm_submit(struct vidmm_context *context,
                               const struct vidmm_submission *submission, uint64_t *fence) {
    struct call call = {.context = context, .submission = submission};
    enum vidmm_status status = submit_enter(context, CALL);
    if (status == VIDMM_OK)
        status = submit_packet(&call);
    return submit_leave(context, status, call.number, fence);
}
