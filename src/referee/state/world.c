/* world.c - what the referee sees of memory and processor; see struct vidmm_referee_world. */
#include "state/judge.h"

KIRQL world_irql(struct vidmm_referee *referee) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->irql ? world->irql(world->ctx) : PASSIVE_LEVEL;
}

uint8_t *world_memory(struct vidmm_referee *referee, uint64_t pa, uint64_t size) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->memory ? world->memory(world->ctx, pa, size) : NULL;
}

bool world_is_memory(struct vidmm_referee *referee, const uint8_t *bytes) {
    const uint8_t *start = world_memory(referee, 0, SHADOW_PAGE);
    return start && (uintptr_t)bytes >= (uintptr_t)start &&
           (uintptr_t)bytes - (uintptr_t)start < referee->world.memory_bytes;
}

const uint8_t *world_segment(struct vidmm_referee *referee, const struct shadow_segment *segment,
                             uint64_t offset, uint64_t size) {
    const struct vidmm_referee_world *world = &referee->world;
    const void *bytes = NULL;
    if (offset > segment->size || size > segment->size - offset)
        return NULL;
    if (world->peek)
        bytes = world->peek(world->ctx, segment->base + offset, size);
    if (!bytes && segment->flags.CpuVisible && segment->cpu_base != 0 && world->io)
        bytes = world->io(world->ctx, segment->cpu_base + offset, size);
    return bytes;
}

const uint8_t *world_see(struct vidmm_referee *referee, const struct shadow_segment *segment,
                         uint64_t offset, uint64_t size) {
    const uint8_t *bytes = world_segment(referee, segment, offset, size);
    if (bytes || !segment->pages || offset >= segment->size)
        return bytes;
    const struct shadow_page *page = &segment->pages[offset / SHADOW_PAGE];
    if (page->state != SHADOW_PAGE_MAPPED)
        return NULL;
    return world_memory(referee, page->frame * SHADOW_PAGE + offset % SHADOW_PAGE, size);
}

bool world_sees_all(struct vidmm_referee *referee) {
    const struct vidmm_referee_world *world = &referee->world;
    if (!world->peek)
        return false;
    for (uint32_t id = 1; id <= referee->adapter.segments; id++) {
        const struct shadow_segment *segment = shadow_memory(referee, id);
        if (segment && world->peek(world->ctx, segment->base, 1))
            return true;
    }
    return false;
}
