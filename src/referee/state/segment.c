/*
 * segment.c - segments found by id and by address, and by what they are; see shadow.h.
 */
#include "state/judge.h"

struct shadow_segment *shadow_segment(struct vidmm_referee *referee, uint32_t id) {
    struct shadow_adapter *adapter = &referee->adapter;
    uint32_t physical = linked_physical(id), own = linked_own(id);
    return physical < LINKED_MOST && own >= 1 && own <= adapter->physical[physical].segments
               ? &adapter->segment[id - 1]
               : NULL;
}

uint32_t shadow_segments(const struct vidmm_referee *referee, uint32_t physical) {
    return physical < LINKED_MOST ? referee->adapter.physical[physical].segments : 0;
}

uint32_t shadow_next_segment(const struct vidmm_referee *referee, uint32_t after) {
    uint32_t id = linked_own(after) + 1;
    for (uint32_t physical = linked_physical(after); physical < LINKED_MOST; physical++, id = 1)
        if (id <= referee->adapter.physical[physical].segments)
            return linked_segment(physical, id);
    return 0;
}

uint32_t shadow_node_end(const struct vidmm_referee *referee) {
    return linked_node(linked_count(referee) - 1, SHADOW_ORDINALS);
}

bool shadow_holds(const struct shadow_segment *segment, uint64_t address, uint64_t size) {
    return address >= segment->base && address - segment->base <= segment->size &&
           size <= segment->size - (address - segment->base);
}

struct shadow_segment *shadow_segment_at(struct vidmm_referee *referee, uint64_t address,
                                         uint64_t size) {
    uint32_t physical = linked_address_physical(address);
    uint64_t own = linked_address_own(address);
    for (uint32_t id = 1; id <= shadow_segments(referee, physical); id++) {
        struct shadow_segment *segment = shadow_segment(referee, linked_segment(physical, id));
        if (shadow_holds(segment, own, size))
            return segment;
    }
    return NULL;
}

struct shadow_segment *shadow_memory(struct vidmm_referee *referee, uint32_t id) {
    struct shadow_segment *segment = shadow_segment(referee, id);
    bool memory = segment && !segment->flags.Aperture && !segment->flags.Agp;
    return memory ? segment : NULL;
}

struct shadow_segment *shadow_aperture(struct vidmm_referee *referee, uint32_t id) {
    struct shadow_segment *segment = shadow_segment(referee, id);
    return segment && (segment->flags.Aperture || segment->flags.Agp) ? segment : NULL;
}

bool segment_agp(struct vidmm_referee *referee, uint64_t *base, uint64_t *size) {
    *base = referee->segments.agp_base;
    *size = referee->segments.agp_size;
    return referee->segments.agp;
}
