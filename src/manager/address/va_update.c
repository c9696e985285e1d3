/*
 * va_update.c - see va_update.h.
 */
#include "address/va_update.h"

#include "base/process.h"
#include "object/allocation.h"
#include "address/companion.h"
#include "address/va_request.h"

#define CALL_UPDATE "vidmm_va_update"

struct va_batch {
    struct space *space;
    uint64_t reservation, source; /* that all destinations, all sources lie in; 0: none yet */
};

/* All of [start, start + size) lies in one reservation, the same one for all of a batch. */
static bool va_update_belongs(const struct va_batch *batch, uint64_t start, uint64_t size,
                              uint64_t *reservation) {
    if (!va_units(start | size, VA_MAP_UNIT) || !va_inside(batch->space->va, start, size))
        return false;
    struct va_use use = va_reservation(batch->space, start, start + size);
    if (use.reservation == 0 || (*reservation != 0 && *reservation != use.reservation))
        return false;
    *reservation = use.reservation;
    return true;
}

static enum vidmm_status va_update_check_one(struct va_batch *batch,
                                             const struct vidmm_va_operation *operation) {
    struct vidmm_adapter *adapter = batch->space->adapter;
    bool copy = operation->type == VIDMM_VA_OP_COPY;
    uint64_t repeat = operation->repeat ? operation->repeat : operation->size;
    struct vidmm_va_request request = {.size = repeat,
                                       .allocation = operation->allocation,
                                       .offset = operation->offset,
                                       .protection = operation->protection,
                                       .driver_protection = operation->driver_protection};
    if (!va_update_belongs(batch, copy ? operation->destination : operation->base, operation->size,
                           &batch->reservation) ||
        (copy && !va_update_belongs(batch, operation->base, operation->size, &batch->source)))
        return va_wrong(adapter, CALL_UPDATE, "addresses in units of 4 KB of one reservation",
                        "R300");
    if (copy)
        return VIDMM_OK;
    if (!va_units(repeat, VA_MAP_UNIT) || operation->size % repeat)
        return va_wrong(adapter, CALL_UPDATE, "a part of the allocation that divides the size",
                        "R300");
    if (operation->type == VIDMM_VA_OP_UNMAP)
        request.allocation = NULL;
    if (operation->type == VIDMM_VA_OP_MAP) {
        request.protection = VIDMM_VA_WRITE;
        request.driver_protection = 0;
    }
    return va_check_target(batch->space, &request, CALL_UPDATE);
}

/* R302: what is mapped without a protection of its own gets the reservation's. */
static enum vidmm_status va_update_set(struct space *space, const struct companion *companion,
                                       const struct vidmm_va_operation *operation) {
    bool own = operation->type == VIDMM_VA_OP_MAP_PROTECT;
    bool unmap = operation->type == VIDMM_VA_OP_UNMAP;
    uint64_t end = operation->base + operation->size;
    struct vidmm_va_request request = {.size = operation->size,
                                       .allocation = unmap ? NULL : operation->allocation,
                                       .offset = operation->offset,
                                       .protection = operation->protection};
    struct va_use use = va_use_of(space, &request, operation->base);
    if (operation->type == VIDMM_VA_OP_MAP)
        use.protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE;
    use.driver_protection = own ? operation->driver_protection : use.reserved_protection;
    if (unmap && !operation->protection)
        use.kind = use.reserved_kind; /* its pool is gone (companion.h) */
    if (use.kind == VA_PAGES && operation->repeat && operation->repeat < operation->size)
        use.repeat = operation->repeat;
    return space_retarget(space, companion, operation->base, end, &use);
}

/* What was freed since it was queued, and is no reservation's any more, is left alone (R299). */
enum vidmm_status va_carry_out(struct vidmm_context *context,
                               const struct vidmm_va_operation *operation) {
    struct va_batch batch = {.space = context->device->process->space};
    const struct companion *companion = context->companion;
    bool copy = operation->type == VIDMM_VA_OP_COPY;
    uint64_t start = copy ? operation->destination : operation->base;
    if (!va_update_belongs(&batch, start, operation->size, &batch.reservation) ||
        (copy && !va_update_belongs(&batch, operation->base, operation->size, &batch.source)))
        return VIDMM_OK;
    return copy ? space_copy(batch.space, companion, operation->base, start, operation->size)
                : va_update_set(batch.space, companion, operation);
}

enum vidmm_status va_check_updates(const struct vidmm_context *context,
                                   const struct vidmm_va_operation *operations, uint32_t count) {
    struct va_batch batch = {.space = context->device->process->space};
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++)
        status = va_update_check_one(&batch, &operations[i]);
    return status;
}
