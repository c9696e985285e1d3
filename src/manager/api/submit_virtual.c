/*
 * submit_virtual.c - a command buffer's way to the GPU when it uses virtual addresses
 * (gpu-virtual-memory-in-wddm-2-0.md): nothing to render or patch; what the device lists is made
 * resident, and DxgkDdiSubmitCommandVirtual gets the address. submit.c is the same for physical
 * addresses.
 */
#include "base/process.h"
#include "object/allocation.h"
#include "object/context_allocation.h"
#include "engine/device_error.h"
#include "lists/residency_list.h"
#include "residency/residency.h"
#include "residency/table_eviction.h"
#include "address/companion.h"
#include "address/gather.h"
#include "api/submit_entry.h"

#define CALL "vidmm_submit_virtual"

struct call {
    struct vidmm_context *context;
    const struct vidmm_virtual_submission *submission;
    uint64_t number;
};

/* Every allocation that the caller says is written is on the list, or the device is in error. */
static enum vidmm_status submit_virtual_check(const struct call *call) {
    const struct vidmm_virtual_submission *submission = call->submission;
    struct vidmm_device *device = call->context->device;
    if (!device->process)
        return error_argument(device->adapter, CALL, "a context of a process's device");
    for (uint32_t i = 0; submission->written && i < submission->written_count; i++) {
        const struct vidmm_allocation *allocation = submission->written[i];
        if (!residency_entry_counts(allocation, device) || allocation->offered)
            return device_lose(device, CALL, "R382", "access-to-non-resident-allocation");
    }
    return VIDMM_OK;
}

/* What the driver keeps for the context counts as used, too: room to say so. */
static enum vidmm_status note_own(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    uint32_t own = context_allocations_count(context);
    if (!adapter_grow(adapter, (void **)&context->references, &context->references_size, own,
                      sizeof(*context->references)))
        return error_no_memory(adapter, CALL);
    context_allocations_list(context, context->references);
    return VIDMM_OK;
}

/* Makes all that the context needs resident (R287, R346), at worst by evicting what other devices
 * have on their lists. */
static enum vidmm_status submit_virtual_prepare(void *ctx) {
    struct call *call = ctx;
    const struct vidmm_virtual_submission *submission = call->submission;
    struct vidmm_context *context = call->context;
    struct vidmm_device *device = context->device;
    enum vidmm_status status = device_serves(device, CALL);
    if (status == VIDMM_OK && device->adapter->gpummu)
        status = table_eviction_return(device->process);
    if (status)
        return status;
    residency_list_name(device, submission->used, submission->used ? submission->used_count : 0,
                        device->adapter->fences.submitted + 1);
    status = residency_list_restore(device, context, SUSPEND_EXCESS, VIDMM_PLAN_SUBMISSION);
    if (status == VIDMM_DOES_NOT_FIT)
        status = residency_list_restore(device, context, SUSPEND_ANYBODY, VIDMM_PLAN_SUBMISSION);
    if (status == VIDMM_OK)
        status = note_own(context);
    if (status == VIDMM_OK)
        status = fence_room(device->adapter, context->node);
    return status ? status : device_serves(device, CALL); /* it may be lost by now */
}

/*
 * What was mapped and what is queued behind the context's work so far comes before this: with its
 * pools resident (R387), and again with all that it may have cost.
 */
static enum vidmm_status catch_up(struct call *call) {
    struct vidmm_adapter *adapter = call->context->device->adapter;
    enum vidmm_status status =
        adapter->gpummu ? gather_flush(call->context->device->process->space) : VIDMM_OK;
    if (status == VIDMM_OK)
        status = adapter_persist(adapter, submit_virtual_prepare, call);
    if (status || !companion_waits(call->context))
        return status;
    status = companion_run(call->context);
    return status ? status : adapter_persist(adapter, submit_virtual_prepare, call);
}

static void note_use(const struct call *call) {
    const struct vidmm_virtual_submission *submission = call->submission;
    struct vidmm_device *device = call->context->device;
    residency_list_used(device, call->context->node, call->number, !submission->written);
    residency_used(device->adapter, call->context->references,
                   context_allocations_count(call->context), call->context->node, call->number);
    for (uint32_t i = 0; submission->written && i < submission->written_count; i++)
        residency_entries_written(submission->written[i], false);
}

/* The driver may write into its private data: it gets a copy. */
static bool submit_virtual_describe(const struct call *call, struct packet *packet) {
    const struct vidmm_context *context = call->context;
    const struct vidmm_virtual_submission *submission = call->submission;
    if (!packet_begin(context->device->adapter, packet, submission->private_size))
        return false;
    if (submission->private_size)
        memcpy(packet->kept, submission->private_data, submission->private_size);
    packet->node = context->node;
    packet->virtual_address = true;
    packet->submit_virtual = (DXGKARG_SUBMITCOMMANDVIRTUAL){
        .hContext = context->handle,
        .DmaBufferVirtualAddress = submission->commands,
        .DmaBufferSize = submission->size,
        .pDmaBufferPrivateData = submission->private_size ? packet->kept : NULL,
        .DmaBufferPrivateDataSize = submission->private_size,
        .DmaBufferUmdPrivateDataSize = submission->private_size,
    };
    packet->submit_virtual.Flags.Present = submission->present;
    packet->submit_virtual.Flags.NullRendering = submission->null_rendering;
    return true;
}

static enum vidmm_status submit_virtual_hand_over(const struct call *call) {
    struct vidmm_context *context = call->context;
    struct vidmm_adapter *adapter = context->device->adapter;
    struct packet *packet = fence_packet(adapter, context->node);
    if (!submit_virtual_describe(call, packet))
        return error_no_memory(adapter, CALL);
    fence_take_number(adapter, call->number);
    note_use(call);
    enum vidmm_status status = fence_submit(adapter, context->node, call->number, context->device);
    if (status != VIDMM_DRIVER_REFUSED)
        return status;
    return device_lose(context->device, "DxgkDdiSubmitCommandVirtual", "R278",
                       "nc-d3dkmddi-dxgkddi_submitcommandvirtual");
}

enum vidmm_status vidmm_submit_virtual(struct vidmm_context *context,
                                       const struct vidmm_virtual_submission *submission,
                                       uint64_t *fence) {
    struct call call = {.context = context, .submission = submission};
    enum vidmm_status status = submit_enter(context, CALL);
    if (status == VIDMM_OK)
        status = submit_virtual_check(&call);
    call.number = context->device->adapter->fences.submitted + 1;
    if (status == VIDMM_OK)
        status = catch_up(&call);
    context->device->list.named_count = 0;
    if (status == VIDMM_OK)
        status = submit_virtual_hand_over(&call);
    return submit_leave(context, status, call.number, fence);
}
