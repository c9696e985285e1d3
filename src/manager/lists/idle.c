/*
 * idle.c - see idle.h.
 */
#include "lists/idle.h"

#include "lists/residency_list.h"

bool allocation_idle(struct vidmm_allocation *allocation) {
    if (allocation->last_nodes &&
        !fence_idle(allocation->adapter, allocation->last_nodes, allocation->last_number))
        return false;
    allocation->last_nodes = 0;
    return !allocation->residency_entries || !residency_entries_busy(allocation);
}

enum vidmm_status allocation_wait_idle(struct vidmm_allocation *allocation) {
    enum vidmm_status status = VIDMM_OK;
    if (allocation->last_nodes)
        status =
            fence_wait_idle(allocation->adapter, allocation->last_nodes, allocation->last_number);
    if (status == VIDMM_OK)
        allocation->last_nodes = 0;
    return status ? status : residency_entries_wait_idle(allocation);
}

static enum vidmm_status idle_wait_all(void *ctx) {
    return fence_wait_all(ctx);
}

static enum vidmm_status idle_wait_one(void *ctx) {
    return allocation_wait_idle(ctx);
}

void adapter_settle(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    enum vidmm_status (*wait)(void *ctx) = allocation ? idle_wait_one : idle_wait_all;
    void *target = allocation ? (void *)allocation : (void *)adapter;
    enum vidmm_status status =
        adapter->stopped ? wait(target) : adapter_persist(adapter, wait, target);
    if (status) { /* the GPU must not touch what is about to be freed */
        adapter->stopped = true;
        if (adapter->ddi->DxgkDdiResetFromTimeout)
            (void)adapter->ddi->DxgkDdiResetFromTimeout(adapter->hadapter);
        (void)fence_give_up(adapter);
    }
}
