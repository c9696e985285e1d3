/*
 * behaviour.c - see behaviour.h.
 *
 * A counter is found by a hash of a function's name, its answer, and the function that returned
 * before it. Of an allocation the magnitude of its size counts, too.
 */
#include "behaviour.h"

#include <stdbool.h>
#include <string.h>

#define COUNTERS 4096u

static struct {
    _Alignas(4096) uint8_t counter[COUNTERS];
    bool on;
    uint32_t last; /* hash of the call that returned last */
} behaviour;

static uint32_t behaviour_mix(uint32_t hash, uint64_t value) {
    for (uint32_t i = 0; i < 8; i++)
        hash = (hash ^ (uint8_t)(value >> i * 8)) * 16777619u;
    return hash;
}

static uint32_t behaviour_name(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

static void behaviour_add(uint32_t hash) {
    uint8_t *counter = &behaviour.counter[(hash ^ hash >> 16) % COUNTERS];
    *counter += *counter != UINT8_MAX;
}

static uint32_t behaviour_magnitude(uint64_t size) {
    uint32_t bits = 0;
    for (; size != 0; size >>= 1)
        bits++;
    return bits;
}

static void behaviour_called(void *ctx, struct vidmm_host_call *call) {
    (void)ctx;
    (void)call;
}

static void behaviour_returned(void *ctx, const struct vidmm_host_call *call) {
    uint32_t hash = behaviour_mix(behaviour_name(call->name), call->answer);
    (void)ctx;
    if (strcmp(call->name, "DxgkDdiCreateAllocation") == 0 && (int32_t)call->answer >= 0) {
        const DXGKARG_CREATEALLOCATION *args = call->args;
        for (uint32_t i = 0; i < args->NumAllocations; i++)
            hash = behaviour_mix(hash, behaviour_magnitude(args->pAllocationInfo[i].Size));
    }
    behaviour_add(hash);
    behaviour_add(behaviour_mix(behaviour.last, hash));
    behaviour.last = hash;
}

static void behaviour_reported(void *ctx, const struct vidmm_interrupt *report) {
    (void)ctx;
    (void)report;
}

void fuzz_behaviour_answer(uint32_t status) {
    if (behaviour.on)
        behaviour_add(behaviour_mix(behaviour.last, UINT64_C(1) << 32 | status));
}

const struct vidmm_host_watcher *fuzz_behaviour_watcher(void) {
    static const struct vidmm_host_watcher watcher = {
        .called = behaviour_called, .returned = behaviour_returned, .reported = behaviour_reported};
    behaviour.last = 0;
    return behaviour.on ? &watcher : NULL;
}

uint8_t *fuzz_behaviour_counters(size_t *count) {
    behaviour.on = true;
    *count = COUNTERS;
    return behaviour.counter;
}
