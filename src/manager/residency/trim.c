/*
 * trim.c - see trim.h.
 */
#include "residency/trim.h"

#include "base/adapter.h"
#include "base/assert.h"
#include "base/device.h"
#include "lists/budget.h"

#define PATIENCE_NS UINT64_C(1000000000) /* a waiter looks again that often, woken or not */

static bool wants(const struct vidmm_device *device, const struct vidmm_process *except) {
    return device->process && device->process != except && device->trim.callback;
}

/* What `device` is told; 0 bytes: with TRIM_TO_BUDGET there is nothing to tell. */
static uint64_t bytes_for(const struct vidmm_device *device) {
    return device->trim.flags & VIDMM_TRIM_TO_BUDGET ? budget_overdraft_local(device->process) : 0;
}

/* Calls back without locks. `device` stays: to end its callback waits for this. */
static void call_back(struct vidmm_device *device, uint32_t flags, uint64_t bytes) {
    struct vidmm_adapter *adapter = device->adapter;
    const struct vidmm_os *os = &adapter->os;
    vidmm_trim_callback *callback = device->trim.callback;
    void *ctx = device->trim.ctx;
    os->lock(os->ctx, adapter->fence_lock);
    device->trim.running++;
    os->unlock(os->ctx, adapter->fence_lock);
    adapter_leave(adapter);
    callback(ctx, flags, bytes);
    os->lock(os->ctx, adapter->fence_lock);
    device->trim.running--;
    os->unlock(os->ctx, adapter->fence_lock);
    os->wake(os->ctx);
    adapter_enter(adapter);
}

/* One of those that are noted. False: there is none. */
static bool call_one(struct vidmm_adapter *adapter) {
    struct vidmm_device *device = adapter->devices.first;
    while (device && !device->trim.flags)
        device = device->next;
    if (!device)
        return false;
    uint32_t flags = device->trim.flags;
    uint64_t bytes = bytes_for(device);
    device->trim.flags = 0;
    if (bytes == 0)
        flags &= ~VIDMM_TRIM_TO_BUDGET;
    if (flags)
        call_back(device, flags, bytes);
    return true;
}

static void call_all(struct vidmm_adapter *adapter) {
    while (call_one(adapter))
        ;
}

bool trim_others(struct vidmm_device *asking) {
    VIDMM_ASSERT_ENTERED(asking->adapter);
    bool noted = false;
    for (struct vidmm_device *device = asking->adapter->devices.first; device;
         device = device->next) {
        if (!wants(device, asking->process) || budget_overdraft_local(device->process) == 0)
            continue;
        device->trim.flags |= VIDMM_TRIM_TO_BUDGET;
        noted = true;
    }
    call_all(asking->adapter);
    return noted;
}

/* True when the process has not been told of a budget as small as the one it has. */
static bool shrank(struct vidmm_process *process) {
    if (budget_overdraft_local(process) == 0) {
        process->trimmed_to = 0;
        return false;
    }
    uint64_t budget = 1;
    for (uint32_t i = 0; i < process->adapter->facts.linked; i++)
        budget += budget_of(process, group_index(i, VIDMM_GROUP_LOCAL));
    bool news = process->trimmed_to == 0 || budget < process->trimmed_to;
    if (news)
        process->trimmed_to = budget;
    return news;
}

void trim_shrunken(struct vidmm_adapter *adapter, const struct vidmm_process *except) {
    for (struct vidmm_process *process = adapter->processes.first; process;
         process = process->next) {
        if (process == except || !shrank(process))
            continue;
        for (struct vidmm_device *device = adapter->devices.first; device; device = device->next) {
            if (device->process == process && wants(device, except))
                device->trim.flags |= VIDMM_TRIM_TO_BUDGET;
        }
    }
    call_all(adapter);
}

void vidmm_trim(struct vidmm_adapter *adapter, bool restart) {
    adapter_enter(adapter);
    for (struct vidmm_device *device = adapter->devices.first; device; device = device->next) {
        if (wants(device, NULL))
            device->trim.flags |= restart ? VIDMM_TRIM_RESTART_PERIODIC : VIDMM_TRIM_PERIODIC;
    }
    call_all(adapter);
    adapter_leave(adapter);
}

void vidmm_device_trim(struct vidmm_device *device, vidmm_trim_callback *callback, void *ctx) {
    struct vidmm_adapter *adapter = device->adapter;
    const struct vidmm_os *os = &adapter->os;
    adapter_enter(adapter);
    device->trim.callback = callback;
    device->trim.ctx = ctx;
    device->trim.flags = 0;
    adapter_leave(adapter);
    os->lock(os->ctx, adapter->fence_lock);
    while (device->trim.running)
        (void)os->wait(os->ctx, adapter->fence_lock, os->now(os->ctx) + PATIENCE_NS);
    os->unlock(os->ctx, adapter->fence_lock);
}

void vidmm_process_set_budget(struct vidmm_process *process, uint32_t physical,
                              enum vidmm_memory_group group, uint64_t bytes) {
    struct vidmm_adapter *adapter = process->adapter;
    uint32_t index = group_index(physical, group);
    adapter_enter(adapter);
    process->fixed[index] = bytes;
    adapter->shares[index].known = false;
    trim_shrunken(adapter, NULL);
    adapter_leave(adapter);
}
