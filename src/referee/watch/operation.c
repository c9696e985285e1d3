/*
 * operation.c - paging operations one by one: when they are asked for, built, and done; and
 * what their judges share, see operation.h.
 */
#include "operation/operation.h"

#include "state/dirty.h"

struct shadow_object *operation_allocation(struct vidmm_referee *referee, HANDLE handle) {
    return handle ? shadow_find(referee, SHADOW_ALLOCATION, handle) : NULL;
}

struct shadow_segment *operation_memory(struct vidmm_referee *referee, uint32_t id) {
    struct shadow_segment *segment = shadow_segment(referee, id);
    bool memory = segment && !segment->flags.Aperture && !segment->flags.Agp;
    return memory ? segment : NULL;
}

struct shadow_segment *operation_aperture(struct vidmm_referee *referee, uint32_t id) {
    struct shadow_segment *segment = shadow_segment(referee, id);
    return segment && (segment->flags.Aperture || segment->flags.Agp) ? segment : NULL;
}

uint64_t operation_mdl_pages(const MDL *mdl) {
    return ((uint64_t)mdl->ByteOffset + mdl->ByteCount + SHADOW_PAGE - 1) / SHADOW_PAGE;
}

const uint8_t *operation_see(struct vidmm_referee *referee, const struct shadow_segment *segment,
                             uint64_t offset, uint64_t size) {
    const uint8_t *bytes = world_segment(referee, segment, offset, size);
    if (bytes || !segment->pages || offset >= segment->size)
        return bytes;
    const struct shadow_page *page = &segment->pages[offset / SHADOW_PAGE];
    if (page->state != SHADOW_PAGE_MAPPED)
        return NULL;
    return world_memory(referee, page->frame * SHADOW_PAGE + offset % SHADOW_PAGE, size);
}

bool operation_sees_all(struct vidmm_referee *referee) {
    const struct vidmm_referee_world *world = &referee->world;
    if (!world->peek)
        return false;
    for (uint32_t id = 1; id <= referee->adapter.segments; id++) {
        const struct shadow_segment *segment = operation_memory(referee, id);
        if (segment && world->peek(world->ctx, segment->base, 1))
            return true;
    }
    return false;
}

/* ---- Who judges an operation ------------------------------------------------------------------ */

/* Operations of which nothing is judged but what holds for all. */
const struct operation_judge op_judge_no;

static const struct operation_judge *judge_of(uint32_t operation) {
    static const struct operation_judge *const judges[] = {
#define PLANNED(ddi, kind, json, effect, address, allocation, judge)                               \
    [DXGK_OPERATION_##ddi] = &op_judge_##judge,
#define OTHER(ddi, effect, allocation, judge) [DXGK_OPERATION_##ddi] = &op_judge_##judge,
        VIDMM_OPERATIONS(PLANNED, OTHER)
#undef PLANNED
#undef OTHER
    };
    return operation < sizeof(judges) / sizeof(judges[0]) ? judges[operation] : &op_judge_no;
}

enum vidmm_op_effect operation_effect(uint32_t operation) {
    static const enum vidmm_op_effect effects[] = {
#define PLANNED(ddi, kind, json, effect, address, allocation, judge)                               \
    [DXGK_OPERATION_##ddi] = VIDMM_EFFECT_##effect,
#define OTHER(ddi, effect, allocation, judge) [DXGK_OPERATION_##ddi] = VIDMM_EFFECT_##effect,
        VIDMM_OPERATIONS(PLANNED, OTHER)
#undef PLANNED
#undef OTHER
    };
    return operation < sizeof(effects) / sizeof(effects[0]) ? effects[operation]
                                                            : VIDMM_EFFECT_NONE;
}

void operation_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const struct operation_judge *judge = judge_of((uint32_t)operation->arg.Operation);
    operation->asked = referee->ledger->calls;
    virtual_judge_companion(referee, operation);
    if (judge->asked)
        judge->asked(referee, operation);
}

void operation_built(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const struct operation_judge *judge = judge_of((uint32_t)operation->arg.Operation);
    if (judge->built)
        judge->built(referee, operation);
}

void operation_done(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const struct operation_judge *judge = judge_of((uint32_t)operation->arg.Operation);
    dirty_operation_done(referee, operation);
    if (judge->done)
        judge->done(referee, operation);
}

/* Content that the driver gave a context allocation itself. */
static void initialise_built(struct vidmm_referee *referee,
                             const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct shadow_object *allocation =
        operation_allocation(referee, arg->InitContextResource.hAllocation);
    const struct shadow_segment *segment =
        shadow_segment(referee, arg->InitContextResource.Destination.SegmentId);
    if (allocation)
        allocation->arrived = true;
    if (segment)
        place_set(referee, allocation, segment->id,
                  (uint64_t)arg->InitContextResource.Destination.SegmentAddress.QuadPart -
                      segment->base);
}

const struct operation_judge op_judge_initialise = {.built = initialise_built};

void operation_forget(struct vidmm_referee *referee) {
    struct shadow_object *pending = operation_allocation(referee, referee->adapter.moving);
    if (pending)
        pending->moving = false;
    referee->adapter.moving = NULL;
}
