/*
 * segment.c - segments found by id and by address, and by what they are; see shadow.h.
 */
#include "state/judge.h"

struct shadow_segment *shadow_segment(struct vidmm_referee *referee, uint32_t id) {
    struct shadow_adapter *adapter = &referee->adapter;
    return id >= 1 && id <= adapter->segments ? &adapter->segment[id - 1] : NULL;
}

bool shadow_holds(const struct shadow_segment *segment, uint64_t address, uint64_t size) {
    return address >= segment->base && address - segment->base <= segment->size &&
           size <= segment->size - (address - segment->base);
}

struct shadow_segment *shadow_segment_at(struct vidmm_referee *referee, uint64_t address,
                                         uint64_t size) {
    struct shadow_adapter *adapter = &referee->adapter;
    for (uint32_t i = 0; i < adapter->segments; i++) {
        struct shadow_segment *segment = &adapter->segment[i];
        if (shadow_holds(segment, address, size))
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
