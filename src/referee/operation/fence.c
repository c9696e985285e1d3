/*
 * fence.c - SIGNAL_MONITORED_FENCE: the GPU writes the value at the address once all work before it
 * is done, and not before (ns-d3dkmddi-_dxgkarg_signalmonitoredfence.md). The address is looked up
 * in the tables of the process that the operation runs in, as those of operation/virtual.c are.
 */
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "state/memory.h"

/* What an operation keeps. */
struct fence_signal {
    uint64_t address; /* GPU physical, of the value */
    uint32_t segment; /* 0: it is in system memory */
    uint64_t births;  /* of tables, so far */
    bool reached;     /* the value was there before it was asked for */
};

static bool fence_see(struct vidmm_referee *referee, const struct fence_signal *signal,
                      uint64_t *value) {
    const void *bytes = world_page(referee, signal->segment, signal->address, sizeof(*value));
    if (bytes)
        memcpy(value, bytes, sizeof(*value));
    return bytes;
}

/* Values of a fence go up; a later signal may have written a higher one. */
static bool fence_has(struct vidmm_referee *referee, const struct fence_signal *signal,
                      uint64_t wanted, bool *seen) {
    uint64_t value = 0;
    *seen = fence_see(referee, signal, &value);
    return *seen && value >= wanted;
}

static void fence_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE *arm = &operation->arg.SignalMonitoredFence;
    const struct tables_process *process = tables_running(referee, operation);
    struct tables_found found = {.known = false};
    if (!tables_known(referee) || !process)
        return;
    tables_walk(referee, process, (uint64_t)arm->MonitoredFenceGpuVa, TABLES_ASKED, &found);
    if (!found.known)
        return;
    MANAGER_MUST(420, found.valid && !found.zero && !found.entry.ReadOnly,
                 "an address of the process that the operation runs in, which can be written",
                 "MonitoredFenceGpuVa 0x%llx leads nowhere", LLU(arm->MonitoredFenceGpuVa));
    struct fence_signal *signal =
        found.valid && !found.zero ? memory_calloc(1, sizeof(*signal)) : NULL;
    if (!signal)
        return;
    bool seen;
    signal->address = tables_gpu_address(referee, found.segment, found.offset);
    signal->segment = found.segment;
    signal->births = tables_births(referee);
    signal->reached = fence_has(referee, signal, arm->MonitoredFenceValue, &seen);
    operation->own = signal;
}

/* Nothing was submitted: only the driver's own store can have put the value there. */
static void fence_built(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const struct fence_signal *signal = operation->own;
    uint64_t wanted = operation->arg.SignalMonitoredFence.MonitoredFenceValue;
    bool seen;
    if (!signal || signal->reached || operation->swallowed || operation->in_parts)
        return;
    bool early = fence_has(referee, signal, wanted, &seen);
    DRIVER_MUST(420, !early, "the value when the GPU has done the work before it, and not earlier",
                "value %llu is there before the buffer was submitted", LLU(wanted));
}

static void fence_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const struct fence_signal *signal = operation->own;
    uint64_t wanted = operation->arg.SignalMonitoredFence.MonitoredFenceValue;
    bool seen;
    if (!signal || tables_take(referee, signal->segment, signal->address, signal->births))
        return;
    bool there = fence_has(referee, signal, wanted, &seen);
    if (seen)
        DRIVER_MUST(420, there, "MonitoredFenceValue at MonitoredFenceGpuVa",
                    "the work is complete, and value %llu is not there", LLU(wanted));
    else
        judge_unseen(referee, 420, 0);
}

const struct operation_judge op_judge_fence = {
    .asked = fence_asked, .built = fence_built, .done = fence_done};
