/*
 * va.c - what callers do with the addresses of their process: reserve, map, update, free.
 *
 * address/va_request.h says what a request may ask for. Behind an IOMMU (address/iommu.h) the
 * addresses are the CPU's, and only mapping and freeing is left.
 */
#include "engine/device_error.h"
#include "address/companion.h"
#include "address/iommu.h"
#include "address/va_request.h"
#include "address/va_update.h"
#include "life/companion_life.h"
#include "life/paging_queue.h"
#include "life/process.h"

#define CALL_RESERVE "vidmm_va_reserve"
#define CALL_MAP     "vidmm_va_map"
#define CALL_UPDATE  "vidmm_va_update"
#define CALL_WAIT    "vidmm_va_wait"
#define CALL_FREE    "vidmm_va_free"

/* Behind an IOMMU: tiles are led to addresses in user mode (iommu-model.md). */
static enum vidmm_status va_not_reservable(struct vidmm_adapter *adapter, const char *call) {
    return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call,
                .expected = "an adapter on GPU virtual addresses: the CPU's are not to be reserved",
                .page = "iommu-model", .index = ERROR_NO_INDEX);
}

enum vidmm_status vidmm_va_reserve(struct vidmm_process *process,
                                   const struct vidmm_va_request *request, uint64_t *va) {
    struct vidmm_adapter *adapter = process->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, CALL_RESERVE);
    if (status == VIDMM_OK)
        status = adapter->iommu ? va_not_reservable(adapter, CALL_RESERVE)
                                : va_reserve(process->space, request, va);
    adapter_leave(adapter);
    return status;
}

/* `*gathered`: its entries are written later. */
static enum vidmm_status va_map_on(const struct vidmm_paging_queue *queue,
                                   const struct vidmm_va_request *request, uint64_t *va,
                                   bool *gathered) {
    struct vidmm_process *process = queue->device->process;
    if (process->adapter->iommu)
        return iommu_map(process, request, va);
    return queue->gathers ? va_map_later(process->space, request, &queue->value, va, gathered)
                          : va_map(process->space, request, va);
}

enum vidmm_status vidmm_va_map(struct vidmm_paging_queue *queue,
                               const struct vidmm_va_request *request, uint64_t *va,
                               uint64_t *fence) {
    struct vidmm_device *device = queue->device;
    bool gathered = false;
    adapter_enter(device->adapter);
    enum vidmm_status status = device_serves(device, CALL_MAP);
    if (status == VIDMM_OK)
        status = va_map_on(queue, request, va, &gathered);
    *fence = status ? 0 : gathered ? paging_queue_promise(queue) : paging_queue_signal(queue);
    adapter_leave(device->adapter);
    return status;
}

/*
 * A protection that belongs to one mapping alone (R228) is checked against the VA map: nothing that
 * has to do with one stays queued, and what looks wrong may only be ahead of the queue.
 */
static enum vidmm_status va_queue_updates(struct vidmm_context *context,
                                          const struct vidmm_va_operation *operations,
                                          uint32_t count) {
    bool unique = false;
    for (uint32_t i = 0; i < count; i++)
        unique |= (operations[i].driver_protection & VIDMM_DRIVER_PROTECTION_UNIQUE) != 0;
    enum vidmm_status status = va_check_updates(context, operations, count);
    if (status && companion_waits(context)) {
        status = companion_run(context);
        if (status == VIDMM_OK)
            status = va_check_updates(context, operations, count);
    }
    if (status == VIDMM_OK && !context->companion)
        status = companion_make(context);
    if (status == VIDMM_OK)
        status = companion_queue(context, operations, count);
    return status == VIDMM_OK && unique ? companion_run(context) : status;
}

static enum vidmm_status va_serves_updates(struct vidmm_context *context, const char *call) {
    struct vidmm_device *device = context->device;
    enum vidmm_status status = device_serves(device, call);
    if (status == VIDMM_OK && !device->process)
        status = va_wrong(device->adapter, call, "a context of a process's device", NULL);
    return status == VIDMM_OK && device->adapter->iommu ? va_not_reservable(device->adapter, call)
                                                        : status;
}

enum vidmm_status vidmm_va_update(struct vidmm_context *context,
                                  const struct vidmm_va_operation *operations, uint32_t count) {
    struct vidmm_adapter *adapter = context->device->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = va_serves_updates(context, CALL_UPDATE);
    if (status == VIDMM_OK)
        status = va_queue_updates(context, operations, count);
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_va_wait(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = va_serves_updates(context, CALL_WAIT);
    if (status == VIDMM_OK)
        status = companion_run(context);
    adapter_leave(adapter);
    return status;
}

uint32_t vidmm_va_queued(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    adapter_enter(adapter);
    uint32_t count = context->companion ? context->companion->count : 0;
    adapter_leave(adapter);
    return count;
}

enum vidmm_status vidmm_va_free(struct vidmm_process *process, uint64_t va, uint64_t size) {
    struct vidmm_adapter *adapter = process->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, CALL_FREE);
    if (status == VIDMM_OK && !adapter->iommu)
        status = companion_settle(process, va, size);
    if (status == VIDMM_OK)
        status =
            adapter->iommu ? iommu_free(process, va, size) : va_unmap(process->space, va, size);
    if (status == VIDMM_OK)
        companion_free(process, va, size);
    adapter_leave(adapter);
    return status;
}
