/*
 * sizes.c - what applications are told of graphics memory, held against the segments that the
 * driver reported (calculating-graphics-memory.md). No DDI call carries it: the manager is asked.
 */
#include "state/judge.h"

#define LEAST_AVAILABLE ((uint64_t)64 << 20)

static uint64_t sizes_smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static struct vidmm_referee_sizes sizes_compute(struct vidmm_referee *referee) {
    const struct shadow_adapter *adapter = &referee->adapter;
    struct vidmm_referee_sizes sizes = {.available = referee->world.memory_bytes / 2};
    uint64_t limit = adapter->caps.ApertureSegmentCommitLimit, apertures = 0;
    if (sizes.available < LEAST_AVAILABLE)
        sizes.available = LEAST_AVAILABLE;
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_segment(referee, id);
        if (segment->aperture || segment->flags.Agp)
            apertures += segment->commit_limit;
        else if (segment->flags.PopulatedFromSystemMemory)
            sizes.dedicated_system += segment->size;
        else
            sizes.dedicated_video += segment->size;
    }
    sizes.dedicated_system = sizes_smaller(sizes.dedicated_system, sizes.available);
    /* 0 states none: a compute-only driver has to leave it so, and others do that systems run. */
    sizes.shared_system = sizes_smaller(limit != 0 ? sizes_smaller(limit, apertures) : apertures,
                                        sizes.available - sizes.dedicated_system);
    return sizes;
}

static bool sizes_has_populated_aperture(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        DXGK_SEGMENTFLAGS flags = shadow_segment(referee, id)->flags;
        if (flags.Aperture && flags.PopulatedFromSystemMemory)
            return true;
    }
    return false;
}

#define BYTES(n) (unsigned long long)(n)

void vidmm_referee_judge_sizes(struct vidmm_referee *referee,
                               const struct vidmm_referee_sizes *sizes) {
    if (shadow_segments(referee, 0) == 0)
        return; /* the driver's answer was not fit to be looked at */
    pthread_mutex_lock(&referee->lock);
    struct vidmm_referee_sizes right = sizes_compute(referee);
    MANAGER_MUST(364, sizes->available == right.available,
                 "half of system memory, at least 64 MiB, available for graphics", "0x%llx bytes",
                 BYTES(sizes->available));
    MANAGER_MUST(
        365,
        sizes->dedicated_video == right.dedicated_video &&
            sizes->dedicated_system == right.dedicated_system,
        "the memory segments' sizes, by where they are populated from",
        "0x%llx bytes of dedicated video memory and 0x%llx of dedicated system memory; the "
        "segments come to 0x%llx and 0x%llx",
        BYTES(sizes->dedicated_video), BYTES(sizes->dedicated_system), BYTES(right.dedicated_video),
        BYTES(right.dedicated_system));
    if (sizes_has_populated_aperture(referee))
        MANAGER_MUST(48, sizes->dedicated_system == right.dedicated_system,
                     "PopulatedFromSystemMemory that counts for nothing on an aperture",
                     "0x%llx bytes of dedicated system memory; without the aperture it comes to "
                     "0x%llx",
                     BYTES(sizes->dedicated_system), BYTES(right.dedicated_system));
    MANAGER_MUST(366, sizes->shared_system == right.shared_system,
                 "the least of the commit limits and what is available and not dedicated",
                 "0x%llx bytes of shared system memory; it comes to 0x%llx",
                 BYTES(sizes->shared_system), BYTES(right.shared_system));
    MANAGER_MUST(367,
                 sizes->total ==
                     sizes->dedicated_video + sizes->dedicated_system + sizes->shared_system,
                 "the sum of dedicated video, dedicated system and shared system memory",
                 "0x%llx bytes in all", BYTES(sizes->total));
    pthread_mutex_unlock(&referee->lock);
}
