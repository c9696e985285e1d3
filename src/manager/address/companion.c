/*
 * companion.c - see companion.h.
 */
#include "address/companion.h"

#include "base/assert.h"
#include "base/process.h"
#include "object/allocation.h"
#include "engine/device_error.h"
#include "address/gather.h"
#include "address/va_update.h"

#define CALL "vidmm_va_update"

/* ---- The queue ------------------------------------------------------------------------------- */

/* R387: until it is carried out, its pool must be resident, whatever the process lists. */
static bool require_pool(struct vidmm_context *context,
                         const struct vidmm_va_operation *operation) {
    return !operation->allocation ||
           residency_entry_require(context->device, operation->allocation);
}

static void release_pool(struct vidmm_context *context,
                         const struct vidmm_va_operation *operation) {
    if (operation->allocation)
        residency_entry_release(residency_entry_find(operation->allocation, context->device));
}

/* Those that `drops` says, or with NULL all, leave the queue; the others keep their order. */
static void companion_drop(struct vidmm_context *context,
                           bool (*drops)(const struct vidmm_va_operation *operation,
                                         const void *ctx),
                           const void *ctx) {
    struct companion *companion = context->companion;
    uint32_t kept = 0;
    for (uint32_t i = 0; companion && i < companion->count; i++) {
        if (drops && !drops(&companion->queue[i], ctx))
            companion->queue[kept++] = companion->queue[i];
        else
            release_pool(context, &companion->queue[i]);
    }
    if (companion)
        companion->count = kept;
}

static bool companion_precedes(const struct vidmm_va_operation *operation, const void *other) {
    return operation < (const struct vidmm_va_operation *)other;
}

bool companion_waits(const struct vidmm_context *context) {
    return context->companion && context->companion->count != 0;
}

static enum vidmm_status wait_context(void *ctx) {
    const struct vidmm_context *context = ctx;
    struct vidmm_adapter *adapter = context->device->adapter;
    return fence_wait_idle(adapter, UINT64_C(1) << context->node, adapter->fences.submitted);
}

enum vidmm_status companion_run(struct vidmm_context *context) {
    VIDMM_ASSERT_LOCKED(context->device->adapter);
    struct vidmm_adapter *adapter = context->device->adapter;
    const struct companion *companion = context->companion;
    if (!companion_waits(context))
        return VIDMM_OK;
    enum vidmm_status status =
        adapter->stopped ? VIDMM_OK : adapter_persist(adapter, wait_context, context);
    if (status == VIDMM_OK)
        status = device_serves(context->device, CALL);
    if (status == VIDMM_OK)
        status = gather_flush(context->device->process->space); /* copies are of entries */
    if (status == VIDMM_DEVICE_LOST || status == VIDMM_STOPPED)
        companion_drop(context, NULL, NULL);
    uint32_t done = 0;
    while (status == VIDMM_OK && done < companion->count) {
        status = va_carry_out(context, &companion->queue[done]);
        done += status == VIDMM_OK;
    }
    companion_drop(context, companion_precedes, &companion->queue[done]);
    return status;
}

enum vidmm_status companion_queue(struct vidmm_context *context,
                                  const struct vidmm_va_operation *operations, uint32_t count) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++) {
        struct companion *companion = context->companion;
        if (companion->count == COMPANION_QUEUE)
            status = companion_run(context);
        if (status == VIDMM_OK && !require_pool(context, &operations[i]))
            status = error_no_memory(context->device->adapter, CALL);
        if (status == VIDMM_OK)
            companion->queue[companion->count++] = operations[i];
    }
    return status;
}

/* ---- What it is about goes ------------------------------------------------------------------- */

static bool leads_to(const struct vidmm_va_operation *operation, const void *allocation) {
    return operation->allocation == allocation;
}

struct freed {
    uint64_t start, end;
};

static uint64_t companion_target(const struct vidmm_va_operation *operation) {
    return operation->type == VIDMM_VA_OP_COPY ? operation->destination : operation->base;
}

static bool lies_in(const struct vidmm_va_operation *operation, const void *ctx) {
    const struct freed *freed = ctx;
    uint64_t start = companion_target(operation);
    return start >= freed->start && start + operation->size <= freed->end;
}

/* What is freed is only a part of it, or what it copies. */
static bool companion_needs(const struct vidmm_va_operation *operation, const void *ctx) {
    const struct freed *freed = ctx;
    uint64_t start = companion_target(operation), size = operation->size;
    bool writes = start < freed->end && start + size > freed->start;
    bool reads = operation->type == VIDMM_VA_OP_COPY && operation->base < freed->end &&
                 operation->base + size > freed->start;
    return (writes || reads) && !lies_in(operation, ctx);
}

static bool companion_any(const struct vidmm_context *context,
                          bool (*is)(const struct vidmm_va_operation *operation, const void *ctx),
                          const void *ctx) {
    for (uint32_t i = 0; context->companion && i < context->companion->count; i++) {
        if (is(&context->companion->queue[i], ctx))
            return true;
    }
    return false;
}

/* Queued updates that lead to `allocation`, a pool that is destroyed, become unmaps. */
static void lead_nowhere(struct vidmm_context *context, const struct vidmm_allocation *allocation) {
    struct companion *companion = context->companion;
    for (uint32_t i = 0; companion && i < companion->count; i++) {
        struct vidmm_va_operation *operation = &companion->queue[i];
        if (!leads_to(operation, allocation))
            continue;
        release_pool(context, operation);
        *operation = (struct vidmm_va_operation){
            .type = VIDMM_VA_OP_UNMAP, .base = operation->base, .size = operation->size};
    }
}

void companion_forget(struct vidmm_allocation *allocation) {
    struct vidmm_device *device = allocation->adapter->devices.first;
    for (; device; device = device->next) {
        struct vidmm_context *context = device->contexts;
        for (; context; context = context->next) {
            if (companion_any(context, leads_to, allocation))
                (void)companion_run(context);
            lead_nowhere(context, allocation);
        }
    }
}

enum vidmm_status companion_settle(struct vidmm_process *process, uint64_t va, uint64_t size) {
    const struct freed freed = {va, va + size};
    struct vidmm_device *device = process->adapter->devices.first;
    enum vidmm_status status = VIDMM_OK;
    for (; device; device = device->next) {
        struct vidmm_context *context = device->process == process ? device->contexts : NULL;
        for (; status == VIDMM_OK && context; context = context->next) {
            if (companion_any(context, companion_needs, &freed))
                status = companion_run(context);
            if (status == VIDMM_DEVICE_LOST)
                status = VIDMM_OK; /* nothing is queued any more */
        }
    }
    return status;
}

void companion_free(struct vidmm_process *process, uint64_t va, uint64_t size) {
    const struct freed freed = {va, va + size};
    struct vidmm_device *device = process->adapter->devices.first;
    for (; device; device = device->next) {
        struct vidmm_context *context = device->process == process ? device->contexts : NULL;
        for (; context; context = context->next)
            companion_drop(context, lies_in, &freed);
    }
}

void companion_finish(struct vidmm_context *context) {
    if (companion_run(context))
        device_mark_lost(context->device);
    companion_drop(context, NULL, NULL);
}
