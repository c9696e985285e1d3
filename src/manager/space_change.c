/*
 * space_change.c - see space_change.h.
 */
#include "space_change.h"

#include "allocation.h"
#include "process.h"

#define CALL "vidmm page tables"

struct space *space_of(const struct mapping *mapping) {
    return (struct space *)(void *)((char *)mapping->va - offsetof(struct space, va));
}

void space_mapped_bytes(const struct mapping *mapping, uint64_t *start, uint64_t *end) {
    const struct va_use *use = &mapping->use;
    *start = use->offset;
    *end = use->offset + use->repeat;
    if (!use->repeat) {
        *start += mapping->start - use->origin;
        *end = *start + (mapping->end - mapping->start);
    }
}

/* ---- Roots ----------------------------------------------------------------------------------- */

static void enter_contexts(struct vidmm_device *device, const struct space *space) {
    for (struct vidmm_context *context = device->contexts; context; context = context->next) {
        if (device->process == space->process)
            (void)space_enter(context);
    }
}

/* The root has grown: the contexts run with the new one from now on (R256). */
static enum vidmm_status tell_contexts(struct space *space) {
    struct vidmm_adapter *adapter = space->adapter;
    if (!space->old_root.size)
        return VIDMM_OK;
    enum vidmm_status status = fence_wait_idle(adapter, UINT64_MAX, adapter->fences.submitted);
    if (status)
        return status;
    for (struct vidmm_device *device = adapter->devices; device; device = device->next)
        enter_contexts(device, space);
    return VIDMM_OK;
}

/* ---- A change -------------------------------------------------------------------------------- */

struct change {
    struct space *space;
    uint64_t start, end;
    bool leads; /* somewhere: it needs tables */
};

static bool emit(struct change *change, struct table **dying) {
    struct space *space = change->space;
    if (!tables_emit(space) ||
        (change->end > change->start && !table_draw(space, change->start, change->end)))
        return false;
    if (!change->leads)
        *dying = tables_detach(space, change->start, change->end);
    return tables_emit_end(*dying);
}

static enum vidmm_status attempt(void *ctx) {
    struct change *change = ctx;
    struct space *space = change->space;
    struct vidmm_adapter *adapter = space->adapter;
    struct table *dying = NULL;
    enum vidmm_status status = VIDMM_OK;
    if (change->leads)
        status = tables_prepare(space, change->start, change->end);
    if (status)
        return status;
    plan_begin(adapter);
    status = emit(change, &dying) ? plan_execute(adapter) : fault_no_memory(adapter, CALL);
    if (status == VIDMM_OK)
        status = tell_contexts(space);
    if (status) {
        tables_attach(dying);
        tables_drop(space);
        return status;
    }
    tables_keep(space);
    tables_free(dying);
    return VIDMM_OK;
}

/* ---- The books ------------------------------------------------------------------------------- */

struct saved {
    uint64_t start, end;
    struct va_use use;
};

/* What [start, end) was used for, in order. */
struct snapshot {
    struct saved *ranges;
    uint32_t count, capacity;
};

static bool take_snapshot(struct space *space, uint64_t start, uint64_t end,
                          struct snapshot *snapshot) {
    for (const struct mapping *mapping = va_find(&space->va, start);
         mapping && mapping->start < end; mapping = va_find(&space->va, mapping->end)) {
        if (!adapter_grow(space->adapter, (void **)&snapshot->ranges, &snapshot->capacity,
                          snapshot->count + 1, sizeof *snapshot->ranges))
            return false;
        snapshot->ranges[snapshot->count++] =
            (struct saved){mapping->start > start ? mapping->start : start,
                           mapping->end < end ? mapping->end : end, mapping->use};
    }
    /* To put them back shall need no memory. */
    return va_prepare(&space->va, snapshot->count + 2 * VA_SET_NODES);
}

static void put_back(struct space *space, uint64_t start, uint64_t end,
                     const struct snapshot *snapshot) {
    (void)va_set(&space->va, start, end, NULL);
    for (uint32_t i = 0; i < snapshot->count; i++)
        (void)va_set(&space->va, snapshot->ranges[i].start, snapshot->ranges[i].end,
                     &snapshot->ranges[i].use);
}

enum vidmm_status space_change(struct space *space, uint64_t start, uint64_t end,
                               const struct va_use *use) {
    struct vidmm_adapter *adapter = space->adapter;
    struct change change = {space, start, end, use && use->kind != VA_NOTHING};
    struct snapshot before = {0};
    enum vidmm_status status = VIDMM_OK;
    bool set = take_snapshot(space, start, end, &before) && va_set(&space->va, start, end, use);
    if (!set)
        status = fault_no_memory(adapter, CALL);
    else if (!adapter->stopped)
        status = adapter_persist(adapter, attempt, &change);
    if (set && status)
        put_back(space, start, end, &before);
    adapter_free(adapter, before.ranges, before.capacity * sizeof *before.ranges);
    return status;
}

enum vidmm_status space_unmap(const struct mapping *mapping) {
    struct space *space = space_of(mapping);
    const struct va_use *old = &mapping->use;
    const struct va_use use = {.kind = old->reserved_kind,
                               .driver_protection = old->reserved_protection,
                               .reservation = old->reservation,
                               .reserved_kind = old->reserved_kind,
                               .reserved_protection = old->reserved_protection};
    uint64_t start = mapping->start, end = mapping->end;
    enum vidmm_status status = space_change(space, start, end, old->reservation ? &use : NULL);
    if (status)
        (void)va_set(&space->va, start, end, NULL);
    return status;
}

/* ---- Spaces ---------------------------------------------------------------------------------- */

enum vidmm_status space_make(struct vidmm_process *process, struct space **out) {
    struct vidmm_adapter *adapter = process->adapter;
    struct space *space = adapter_alloc(adapter, sizeof *space);
    if (!space)
        return fault_no_memory(adapter, "vidmm_process_create");
    *space = (struct space){.adapter = adapter, .process = process};
    va_init(&space->va, &adapter->os, adapter->facts.mmu.limit);
    *out = space;
    return VIDMM_OK;
}

enum vidmm_status space_root(struct space *space) {
    struct change change = {.space = space, .leads = true};
    return adapter_persist(space->adapter, attempt, &change);
}

static enum vidmm_status leave(void *ctx) {
    struct space *space = ctx;
    plan_begin(space->adapter);
    return tables_emit_leave(space) ? plan_execute(space->adapter)
                                    : fault_no_memory(space->adapter, CALL);
}

void space_end(struct space *space) {
    struct vidmm_adapter *adapter = space->adapter;
    if (!space->paging && !adapter->stopped)
        (void)adapter_persist(adapter, leave, space);
    tables_end(space);
    va_destroy(&space->va);
    adapter_free(adapter, space, sizeof *space);
}
