/* world.c - what the referee sees of memory and processor; see struct vidmm_referee_world. */
#include <string.h>

#include "state/judge.h"

KIRQL world_irql(struct vidmm_referee *referee) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->irql ? world->irql(world->ctx) : PASSIVE_LEVEL;
}

uint8_t *world_memory(struct vidmm_referee *referee, uint64_t pa, uint64_t size) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->memory ? world->memory(world->ctx, pa, size) : NULL;
}

uint64_t world_memory_end(struct vidmm_referee *referee) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->memory_end != 0 ? world->memory_end : world->memory_bytes;
}

bool world_is_memory(struct vidmm_referee *referee, const uint8_t *bytes) {
    const uint8_t *start = world_memory(referee, 0, SHADOW_PAGE);
    return start && (uintptr_t)bytes >= (uintptr_t)start &&
           (uintptr_t)bytes - (uintptr_t)start < world_memory_end(referee);
}

const uint8_t *world_peek(struct vidmm_referee *referee, uint64_t address, uint64_t size) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->peek ? world->peek(world->ctx, linked_address_physical(address),
                                     linked_address_own(address), size)
                       : NULL;
}

bool world_same(const struct vidmm_referee *referee, const uint8_t *a, const uint8_t *b,
                uint64_t size) {
    return referee->no_content || memcmp(a, b, size) == 0;
}

bool world_translate(struct vidmm_referee *referee, uint32_t physical, uint64_t root,
                     uint32_t entries, uint64_t va, struct vidmm_referee_translation *out) {
    const struct vidmm_referee_world *world = &referee->world;
    if (!world->translate ||
        !world->translate(world->ctx, physical, linked_address_own(root), entries, va, out))
        return false;
    out->address = linked_address(out->physical, out->address);
    return true;
}

bool world_starved(struct vidmm_referee *referee) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->starved && world->starved(world->ctx);
}

bool world_snoops(struct vidmm_referee *referee, uint64_t address, bool *snoops) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->snoops && world->snoops(world->ctx, linked_address_physical(address),
                                          linked_address_own(address), snoops);
}

bool world_shared(struct vidmm_referee *referee, uint32_t pasid, uint64_t va) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->shared && world->shared(world->ctx, pasid, va);
}

const uint8_t *world_segment(struct vidmm_referee *referee, const struct shadow_segment *segment,
                             uint64_t offset, uint64_t size) {
    const struct vidmm_referee_world *world = &referee->world;
    if (offset > segment->size || size > segment->size - offset)
        return NULL;
    const void *bytes = world_peek(referee, shadow_address(segment, offset), size);
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

const uint8_t *world_place(struct vidmm_referee *referee, uint32_t id, uint64_t offset,
                           uint64_t size) {
    const struct shadow_segment *segment = shadow_segment(referee, id);
    if (segment)
        return world_see(referee, segment, offset, size);
    return id == 0 ? world_memory(referee, offset, size) : NULL;
}

const uint8_t *world_page(struct vidmm_referee *referee, uint32_t id, uint64_t address,
                          uint64_t size) {
    const struct shadow_segment *segment = shadow_segment(referee, id);
    bool other = !segment && shadow_segment_at(referee, address, size);
    const uint8_t *bytes = other ? NULL : world_peek(referee, address, size);
    uint64_t offset = linked_address_own(address) - (segment ? segment->base : 0);
    return bytes ? bytes : world_place(referee, id, offset, size);
}

bool world_sees_all(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_memory(referee, id);
        if (segment && world_peek(referee, shadow_address(segment, 0), 1))
            return true;
    }
    return false;
}
