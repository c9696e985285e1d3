/*
 * lock.c - where the CPU looks at an allocation in a segment
 * (mapping-virtual-addresses-to-a-memory-segment.md). The address is in no DDI call; the caller
 * of the lock passes it in. watch/sizes.c does the same for sizes of memory.
 */
#include <string.h>

#include "state/judge.h"

/* Its bytes are in system memory wherever it is. */
static bool lock_has_pages(const struct shadow_allocation *allocation) {
    DXGK_ALLOCATIONINFOFLAGS flags = allocation->info.Flags;
    return flags.PermanentSysMem || flags.ExistingSysMem || flags.ExistingKernelSysMem;
}

static void lock_judge_visible(struct vidmm_referee *referee,
                               const struct shadow_allocation *allocation,
                               const struct shadow_segment *segment, const void *cpu) {
    const struct vidmm_referee_world *world = &referee->world;
    uint64_t there = segment->cpu_base + allocation->offset;
    const void *right = world->io(world->ctx, there, SHADOW_PAGE);
    const uint8_t *gpu =
        world_peek(referee, shadow_address(segment, allocation->offset), SHADOW_PAGE);
    if (!right)
        return;
    MANAGER_MUST(39, cpu == right, "CpuTranslatedAddress and the allocation's offset",
                 "offset 0x%llx of segment %u was looked for elsewhere than at 0x%llx",
                 (unsigned long long)allocation->offset, segment->id, (unsigned long long)there);
    if (gpu)
        DRIVER_MUST(39, memcmp(gpu, right, SHADOW_PAGE) == 0,
                    "the same bytes at CpuTranslatedAddress + n and at BaseAddress + n",
                    "CPU and GPU see different bytes at offset 0x%llx of segment %u",
                    (unsigned long long)allocation->offset, segment->id);
}

/* In an aperture the address counts for a primary without an alternate one; one that user mode
 * created is known to its driver alone. */
static bool lock_can_be_primary(const struct shadow_allocation *allocation) {
    return !allocation->info.Flags.UseAlternateVA &&
           (allocation->standard == 0 ||
            allocation->standard == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE);
}

/* Where the descriptor gives no address that could be used. */
static void lock_judge_stray(struct vidmm_referee *referee,
                             const struct shadow_allocation *allocation,
                             const struct shadow_segment *segment, const void *cpu) {
    const struct vidmm_referee_world *world = &referee->world;
    uint64_t stray = segment->cpu_stray + allocation->offset;
    const void *wrong = world->io(world->ctx, stray, SHADOW_PAGE);
    if (segment->flags.Aperture && lock_can_be_primary(allocation))
        return;
    if (wrong)
        MANAGER_MUST(38, cpu != wrong, "CpuTranslatedAddress to be left alone without CpuVisible",
                     "offset 0x%llx of segment %u was looked for at 0x%llx",
                     (unsigned long long)allocation->offset, segment->id,
                     (unsigned long long)stray);
}

/* The GPU's memory and the CPU's caches are not kept coherent (allocation-usage-tracking.md). */
static void lock_judge_cached(struct vidmm_referee *referee,
                              const struct shadow_allocation *allocation,
                              const struct shadow_segment *segment) {
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        MANAGER_MUST(449, !allocation->info.Flags.Cached || segment->flags.Aperture,
                     "a lock of a Cached allocation in an aperture, or out of residency",
                     "it is in memory segment %u", segment->id);
}

void vidmm_referee_judge_lock(struct vidmm_referee *referee, HANDLE handle, const void *cpu) {
    pthread_mutex_lock(&referee->lock);
    const struct shadow_allocation *allocation = shadow_allocation(referee, handle);
    bool placed = allocation && allocation->placed && !lock_has_pages(allocation);
    const struct shadow_segment *segment =
        placed ? shadow_segment(referee, allocation->segment) : NULL;
    if (segment)
        lock_judge_cached(referee, allocation, segment);
    if (segment && referee->world.io && segment->cpu_stray != 0)
        lock_judge_stray(referee, allocation, segment, cpu);
    else if (segment && referee->world.io && segment->cpu_base != 0)
        lock_judge_visible(referee, allocation, segment, cpu);
    pthread_mutex_unlock(&referee->lock);
}
