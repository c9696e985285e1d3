/*
 * wait.c - waiting for the GPU: for one submission, or for all.
 */
#include "base/adapter.h"
#include "engine/device_error.h"
#include "engine/fence.h"

struct submission_wait {
    struct vidmm_adapter *adapter;
    uint64_t number;
};

static enum vidmm_status wait_one(void *ctx) {
    const struct submission_wait *wait = ctx;
    return fence_wait_idle(wait->adapter, UINT64_MAX, wait->number);
}

/* Submission `number` hangs. Takes and releases the locks. */
static enum vidmm_status recover_submission(struct vidmm_adapter *adapter, uint64_t number) {
    struct submission_wait wait = {adapter, number};
    return adapter_persist_call(adapter, "vidmm_wait", wait_one, &wait);
}

enum vidmm_status vidmm_wait(struct vidmm_adapter *adapter, uint64_t fence) {
    enum vidmm_status status = VIDMM_OK;
    uint32_t device;
    fences_lock(adapter);
    bool known = fence != 0 && fence <= adapter->fences.submitted;
    fences_unlock(adapter);
    if (!known)
        return VIDMM_BAD_ARGUMENT;
    while (status == VIDMM_OK && !fence_wait_number(adapter, fence))
        status = recover_submission(adapter, fence);
    return status == VIDMM_OK && fence_lost(adapter, fence, &device)
               ? device_report_lost(adapter, device, "vidmm_wait")
               : status;
}

static enum vidmm_status wait_all(void *ctx) {
    return fence_wait_all(ctx);
}

enum vidmm_status vidmm_wait_idle(struct vidmm_adapter *adapter) {
    return adapter_persist_call(adapter, "vidmm_wait_idle", wait_all, adapter);
}
