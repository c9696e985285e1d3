/*
 * check_fences.c - the work that each node was given and has not finished: fences in order, none
 * that is completed already, and of devices that live.
 */
#include "base/device.h"
#include "engine/dma_buffer.h"
#include "check/books.h"

static bool device_lives(const struct vidmm_adapter *adapter, const struct vidmm_device *device) {
    const struct vidmm_device *one = adapter->devices.first;
    while (one && one != device)
        one = one->next;
    return one;
}

static void check_record(struct vidmm_adapter *adapter, const struct fence_record *record,
                         struct check_object object) {
    const struct dma_buffer *buffer = record->packet.buffer;
    CHECK(adapter, !record->device == !record->number, object,
          "paging work of a device, or a submission of none");
    CHECK(adapter, !record->device || device_lives(adapter, record->device), object,
          "work of a device that is gone");
    CHECK(adapter, record->number <= adapter->fences.submitted, object,
          "a submission that is still to come");
    CHECK(adapter, !buffer || (buffer->pending && buffer->fence == record->fence), object,
          "a buffer is on the GPU, and does not say so");
}

/* With the fence lock. */
static void check_ring(struct vidmm_adapter *adapter, struct node *node,
                       struct check_object object) {
    uint32_t before = node->completed;
    CHECK(adapter, node->count <= FENCES_IN_FLIGHT && node->head < FENCES_IN_FLIGHT, object,
          "more work is outstanding than there is room for");
    CHECK(adapter, fence_reached(node->submitted, node->completed), object,
          "more is completed than was submitted");
    for (uint32_t i = 0; i < node->count && i < FENCES_IN_FLIGHT; i++) {
        const struct fence_record *record = fence_record(node, i);
        CHECK(adapter, !fence_reached(before, record->fence), object,
              "work is outstanding that is completed, or out of order");
        check_record(adapter, record, object);
        before = record->fence;
    }
    CHECK(adapter, fence_reached(node->submitted, before), object,
          "the newest work has a fence that is still to come");
    CHECK(adapter, !node->deaf && !node->preempting, object,
          "still being preempted or reset, and nobody waits for that");
}

void check_fences(struct vidmm_adapter *adapter) {
    struct fences *fences = &adapter->fences;
    fences_lock(adapter);
    for (uint32_t i = 0; i < fences->node_count; i++)
        check_ring(adapter, &fences->nodes[i], check_object("fences of node", i));
    fences_unlock(adapter);
}
