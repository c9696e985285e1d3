/*
 * paging_queue.h - a device's line for residency and mapping work, and its monitored fence
 * (device-paging-queues.md).
 *
 * Work is done in the call that asks for it, one call at a time (api_lock), so a queue's
 * fence has reached its newest value whenever no call is under way. What is left of a queue is
 * the order that callers see: the value that a call returns, and the signal that tells the driver's
 * GPU of it. Only a queue that gathers mappings (gather.h) promises values that it reaches later;
 * they are reached before the fence goes on to any other.
 */
#ifndef VIDMM_MANAGER_PAGING_QUEUE_H
#define VIDMM_MANAGER_PAGING_QUEUE_H

#include "life/device.h"
#include "life/paging_fence.h"

struct vidmm_paging_queue {
    struct vidmm_device *device;
    struct vidmm_paging_queue *next; /* of the device */
    int32_t priority;
    bool gathers;
    uint64_t promised;         /* the newest value that a call returned */
    uint64_t value;            /* the fence; under the adapter's fence_lock */
    struct paging_fence fence; /* and its memory, for the GPU */
};

/* Work was done for the queue, and nothing is gathered for it: the fence goes on; its new value. */
uint64_t paging_queue_signal(struct vidmm_paging_queue *queue);
/* A mapping was gathered for the queue: the value that the fence gets when it is flushed. */
uint64_t paging_queue_promise(struct vidmm_paging_queue *queue);
/* Before work is done for the queue: what is gathered is flushed. */
enum vidmm_status paging_queue_settle(struct vidmm_paging_queue *queue);
/* With its device. */
void paging_queues_end(struct vidmm_device *device);

#endif
