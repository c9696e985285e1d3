/*
 * api_lock.c - see api_lock.h.
 */
#include "base/api_lock.h"

#include "base/adapter.h"
#include "base/assert.h"

#define HANGS_BEFORE_LOST 3u

void adapter_open(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_LOCKED(adapter);
    adapter->os.unlock(adapter->os.ctx, adapter->lock);
}

void adapter_close(struct vidmm_adapter *adapter) {
    adapter->os.lock(adapter->os.ctx, adapter->lock);
}

void adapter_enter(struct vidmm_adapter *adapter) {
    adapter->os.lock(adapter->os.ctx, adapter->api_lock);
    adapter->os.lock(adapter->os.ctx, adapter->lock);
}

void adapter_leave(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_ENTERED(adapter);
    adapter->hooks.call_ends(adapter);
    if (adapter->hooks.check)
        adapter->hooks.check(adapter);
    adapter->os.unlock(adapter->os.ctx, adapter->lock);
    adapter->os.unlock(adapter->os.ctx, adapter->api_lock);
}

enum vidmm_status adapter_serves(struct vidmm_adapter *adapter, const char *call) {
    if (!adapter->stopped)
        return VIDMM_OK;
    return FAIL(adapter, .status = VIDMM_STOPPED, .call = call, .index = ERROR_NO_INDEX);
}

static enum vidmm_status api_lock_gpu_lost(struct vidmm_adapter *adapter, uint32_t hangs) {
    return FATAL(adapter, .status = VIDMM_GPU_LOST, .call = "vidmm reset",
                 .page = "thread-synchronization-and-tdr", .index = ERROR_NO_INDEX, .value = hangs);
}

enum vidmm_status adapter_recover(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_LOCKED(adapter);
    enum vidmm_status status = adapter->hooks.reset(adapter);
    for (uint32_t hangs = 0; status == VIDMM_GPU_LOST && !adapter->stopped; hangs++)
        status = hangs == HANGS_BEFORE_LOST ? api_lock_gpu_lost(adapter, hangs)
                                            : adapter->hooks.reset(adapter);
    adapter->stopped |= status != VIDMM_OK; /* the state of the GPU is unknown */
    return status;
}

enum vidmm_status adapter_persist(struct vidmm_adapter *adapter,
                                  enum vidmm_status (*attempt)(void *ctx), void *ctx) {
    VIDMM_ASSERT_LOCKED(adapter);
    for (uint32_t hangs = 0;; hangs++) {
        /* The plan that hung is kept until the reset has looked at it. */
        enum vidmm_status status = adapter->hung ? VIDMM_GPU_LOST : attempt(ctx);
        if (status != VIDMM_GPU_LOST)
            return status;
        if (adapter->within) { /* no reset beside another call (R361) */
            adapter->hung = true;
            return status;
        }
        status = adapter_recover(adapter);
        if (status)
            return status;
        if (hangs == HANGS_BEFORE_LOST)
            return api_lock_gpu_lost(adapter, hangs);
    }
}

enum vidmm_status adapter_persist_call(struct vidmm_adapter *adapter, const char *call,
                                       enum vidmm_status (*attempt)(void *ctx), void *ctx) {
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, call);
    if (status == VIDMM_OK)
        status = adapter_persist(adapter, attempt, ctx);
    adapter_leave(adapter);
    return status;
}

void adapter_return(struct vidmm_adapter *adapter) {
    adapter_close(adapter);
    if (!adapter->hung || adapter->within)
        return;
    adapter->hung = false;
    if (!adapter->stopped)
        (void)adapter_recover(adapter);
}
