/*
 * paging_queue.c - see paging_queue.h.
 */
#include "life/paging_queue.h"

#include "base/process.h"
#include "engine/device_error.h"
#include "address/gather.h"

#define CALL "vidmm_paging_queue_create"

static struct vidmm_paging_queue *paging_queue_create(struct vidmm_device *device,
                                                      int32_t priority) {
    struct vidmm_adapter *adapter = device->adapter;
    struct vidmm_paging_queue *queue = adapter_alloc(adapter, sizeof(*queue));
    if (!queue)
        return NULL;
    *queue =
        (struct vidmm_paging_queue){.device = device, .next = device->queues, .priority = priority};
    if (!paging_fence_create(adapter, &queue->fence)) {
        adapter_free(adapter, queue, sizeof(*queue));
        return NULL;
    }
    device->queues = queue;
    return queue;
}

enum vidmm_status vidmm_paging_queue_create(struct vidmm_device *device, int32_t priority,
                                            struct vidmm_paging_queue **out) {
    struct vidmm_adapter *adapter = device->adapter;
    *out = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, CALL);
    if (status == VIDMM_OK && !device->process)
        status = error_argument(adapter, CALL, "a device of a process");
    if (status == VIDMM_OK && (priority < -1 || priority > 1))
        status = error_argument(adapter, CALL, "a priority of -1, 0 or 1");
    if (status == VIDMM_OK) {
        *out = paging_queue_create(device, priority);
        status = *out ? VIDMM_OK : error_no_memory(adapter, CALL);
    }
    adapter_leave(adapter);
    return status;
}

static void paging_queue_end(struct vidmm_paging_queue *queue) {
    struct vidmm_paging_queue **link = &queue->device->queues;
    (void)paging_queue_settle(queue);
    if (queue->gathers)
        gather_forget(queue->device->process->space, &queue->value);
    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
    paging_fence_destroy(&queue->fence);
    adapter_free(queue->device->adapter, queue, sizeof(*queue));
}

void paging_queues_end(struct vidmm_device *device) {
    while (device->queues)
        paging_queue_end(device->queues);
}

void vidmm_paging_queue_destroy(struct vidmm_paging_queue *queue) {
    if (!queue)
        return;
    struct vidmm_adapter *adapter = queue->device->adapter;
    adapter_enter(adapter);
    paging_queue_end(queue);
    adapter_leave(adapter);
}

enum vidmm_status paging_queue_settle(struct vidmm_paging_queue *queue) {
    return queue->gathers ? gather_flush(queue->device->process->space) : VIDMM_OK;
}

uint64_t paging_queue_promise(struct vidmm_paging_queue *queue) {
    const struct gathered_fence fence = {.reached = &queue->value,
                                         .address = paging_fence_address(&queue->fence),
                                         .value = ++queue->promised};
    gather_promise(queue->device->process->space, &fence);
    return fence.value;
}

uint64_t paging_queue_signal(struct vidmm_paging_queue *queue) {
    struct vidmm_adapter *adapter = queue->device->adapter;
    uint64_t value = ++queue->promised;
    paging_fence_signal(adapter, &queue->fence, value);
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
    queue->value = value;
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
    return value;
}

uint64_t vidmm_paging_fence(const struct vidmm_paging_queue *queue) {
    struct vidmm_adapter *adapter = queue->device->adapter;
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
    uint64_t value = queue->value;
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
    return value;
}

enum vidmm_status vidmm_paging_wait(struct vidmm_paging_queue *queue, uint64_t value) {
    struct vidmm_adapter *adapter = queue->device->adapter;
    if (vidmm_paging_fence(queue) >= value)
        return VIDMM_OK;
    adapter_enter(adapter);
    enum vidmm_status status = value > queue->promised
                                   ? error_argument(adapter, "vidmm_paging_wait",
                                                    "a value that a call on the queue returned")
                                   : paging_queue_settle(queue);
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_paging_queue_gather(struct vidmm_paging_queue *queue, bool on) {
    struct vidmm_adapter *adapter = queue->device->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = paging_queue_settle(queue);
    if (status == VIDMM_OK)
        queue->gathers = on && adapter->gpummu;
    adapter_leave(adapter);
    return status;
}
