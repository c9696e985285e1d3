/*
 * operation.c - paging operations one by one: when they are asked for, built, and done; and
 * what their judges share, see operation.h.
 */
#include "operation/operation.h"

#include "state/dirty.h"

struct shadow_object *operation_allocation(HANDLE handle) {
    return handle ? shadow_find(SHADOW_ALLOCATION, handle) : NULL;
}

struct shadow_segment *operation_memory(uint32_t id) {
    struct shadow_segment *segment = shadow_segment(id);
    bool memory = segment && !segment->flags.Aperture && !segment->flags.Agp;
    return memory ? segment : NULL;
}

struct shadow_segment *operation_aperture(uint32_t id) {
    struct shadow_segment *segment = shadow_segment(id);
    return segment && (segment->flags.Aperture || segment->flags.Agp) ? segment : NULL;
}

uint64_t operation_mdl_pages(const MDL *mdl) {
    return ((uint64_t)mdl->ByteOffset + mdl->ByteCount + SHADOW_PAGE - 1) / SHADOW_PAGE;
}

const uint8_t *operation_see(const struct shadow_segment *segment, uint64_t offset, uint64_t size) {
    const uint8_t *bytes = world_segment(segment, offset, size);
    if (bytes || !segment->pages || offset >= segment->size)
        return bytes;
    const struct shadow_page *page = &segment->pages[offset / SHADOW_PAGE];
    if (page->state != SHADOW_PAGE_MAPPED)
        return NULL;
    return world_memory(page->frame * SHADOW_PAGE + offset % SHADOW_PAGE, size);
}

bool operation_sees_all(void) {
    const struct vidmm_referee_world *world = &referee->world;
    if (!world->peek)
        return false;
    for (uint32_t id = 1; id <= referee->adapter.segments; id++) {
        const struct shadow_segment *segment = operation_memory(id);
        if (segment && world->peek(world->ctx, segment->base, 1))
            return true;
    }
    return false;
}

void operation_asked(struct shadow_operation *operation) {
    operation->asked = referee->ledger->calls;
    switch (operation->arg.Operation) {
    case DXGK_OPERATION_TRANSFER:
        transfer_asked(operation);
        break;
    case DXGK_OPERATION_FILL:
        fill_asked(operation);
        break;
    case DXGK_OPERATION_DISCARD_CONTENT:
        discard_asked(operation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        map_asked(operation);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        unmap_asked(operation);
        break;
    default:
        virtual_asked(operation);
        break;
    }
}

/* Content that the driver gave a context allocation itself. */
static void initialised(const DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct shadow_object *allocation = operation_allocation(arg->InitContextResource.hAllocation);
    const struct shadow_segment *segment =
        shadow_segment(arg->InitContextResource.Destination.SegmentId);
    if (allocation)
        allocation->arrived = true;
    if (segment)
        place_set(allocation, segment->id,
                  (uint64_t)arg->InitContextResource.Destination.SegmentAddress.QuadPart -
                      segment->base);
}

/* The arm of a special lock's transfer has the members of a transfer up to its flags. */
void operation_built(struct shadow_operation *operation) {
    switch (operation->arg.Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        transfer_built(operation);
        break;
    case DXGK_OPERATION_FILL:
        fill_built(operation);
        break;
    case DXGK_OPERATION_DISCARD_CONTENT:
        discard_built(operation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        map_built(operation);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        unmap_built(operation);
        break;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        initialised(&operation->arg);
        break;
    default:
        virtual_built(operation);
        break;
    }
}

void operation_done(struct shadow_operation *operation) {
    dirty_operation_done(operation);
    switch (operation->arg.Operation) {
    case DXGK_OPERATION_TRANSFER:
        transfer_done(operation);
        break;
    case DXGK_OPERATION_FILL:
        fill_done(operation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        map_done(operation);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        unmap_done(operation);
        break;
    default:
        virtual_done(operation);
        break;
    }
}

void operation_forget(void) {
    struct shadow_object *pending = operation_allocation(referee->adapter.moving);
    if (pending)
        pending->moving = false;
    referee->adapter.moving = NULL;
}
