/*
 * gather.c - see gather.h.
 */
#include "address/gather.h"

#include "base/process.h"
#include "engine/fence.h"
#include "address/space_change.h"

#define CALL "vidmm_va_map"

/* The submission and the fence of so many are small beside their operations. */
#define GATHERED_CALLS 512u

bool gather_may(const struct space *space, uint64_t start, uint64_t end) {
    for (const struct mapping *mapping = va_find(space->va, start); mapping && mapping->start < end;
         mapping = mapping->after) {
        if (mapping->use.kind != VA_NOTHING)
            return false;
    }
    return true;
}

/* Room for one more range, which has no fence but this one. */
static enum vidmm_status gather_room(struct space *space, const uint64_t *fence) {
    struct gathered *gathered = &space->gathered;
    bool other = gathered->fence.value && gathered->fence.reached != fence;
    enum vidmm_status status =
        other || gathered->calls == GATHERED_CALLS ? gather_flush(space) : VIDMM_OK;
    if (status == VIDMM_OK &&
        !adapter_grow(space->adapter, (void **)&gathered->ranges, &gathered->capacity,
                      gathered->count + 1, sizeof(*gathered->ranges)))
        status = error_no_memory(space->adapter, CALL);
    return status;
}

/* Addresses that are picked follow each other: they are one range. */
static void gather_note(struct gathered *gathered, uint64_t start, uint64_t end) {
    struct gathered_range *last = gathered->count ? &gathered->ranges[gathered->count - 1] : NULL;
    gathered->calls++;
    if (last && last->end == start)
        last->end = end;
    else
        gathered->ranges[gathered->count++] = (struct gathered_range){start, end};
}

enum vidmm_status gather_add(struct space *space, uint64_t start, uint64_t end,
                             const struct va_use *use, const uint64_t *fence) {
    enum vidmm_status status = gather_room(space, fence);
    if (status)
        return status;
    if (!va_set(space->va, start, end, use))
        return error_no_memory(space->adapter, CALL);
    gather_note(&space->gathered, start, end);
    return VIDMM_OK;
}

void gather_promise(struct space *space, const struct gathered_fence *fence) {
    space->gathered.fence = *fence;
}

enum vidmm_status gather_flush(struct space *space) {
    struct gathered *gathered = &space->gathered;
    if (!gathered->calls)
        return VIDMM_OK;
    enum vidmm_status status = space->adapter->stopped ? VIDMM_OK : space_change_gathered(space);
    if (status)
        return status;
    gathered->count = gathered->calls = 0;
    if (gathered->fence.reached) {
        fences_lock(space->adapter);
        *gathered->fence.reached = gathered->fence.value;
        fences_unlock(space->adapter);
    }
    gathered->fence = (struct gathered_fence){0};
    return VIDMM_OK;
}

void gather_forget(struct space *space, const uint64_t *fence) {
    if (space->gathered.fence.reached == fence)
        space->gathered.fence = (struct gathered_fence){0};
}

bool gather_has(const struct space *space, uint64_t start, uint64_t end) {
    const struct gathered *gathered = &space->gathered;
    for (uint32_t i = 0; i < gathered->count; i++) {
        if (gathered->ranges[i].start < end && start < gathered->ranges[i].end)
            return true;
    }
    return false;
}

void gather_end(struct space *space) {
    struct gathered *gathered = &space->gathered;
    adapter_free(space->adapter, gathered->ranges, gathered->capacity * sizeof(*gathered->ranges));
    *gathered = (struct gathered){0};
}
