/* contiguous.c - contiguous memory of a driver; see contiguous.h. */
#include "memory/contiguous.h"

#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/physical.h"

void host_contiguous_init(struct host_contiguous *all) {
    pthread_mutex_init(&all->lock, NULL);
}

void host_contiguous_done(struct host_contiguous *all) {
    while (all->first) {
        struct host_contiguous_block *block = all->first;
        all->first = block->next;
        free(block);
    }
    pthread_mutex_destroy(&all->lock);
}

uint64_t host_contiguous_left(struct host_contiguous *all) {
    uint64_t left = 0;
    pthread_mutex_lock(&all->lock);
    for (struct host_contiguous_block *c = all->first; c; c = c->next)
        left++;
    pthread_mutex_unlock(&all->lock);
    return left;
}

bool host_contiguous_holds(struct host_contiguous *all, uint64_t physical, size_t size) {
    bool holds = false;
    pthread_mutex_lock(&all->lock);
    for (struct host_contiguous_block *c = all->first; c && !holds; c = c->next) {
        uint64_t start = c->frame * HOST_PAGE, bytes = c->frames * HOST_PAGE;
        holds = physical >= start && size <= bytes && physical - start <= bytes - size;
    }
    pthread_mutex_unlock(&all->lock);
    return holds;
}

/* ---- The guard ------------------------------------------------------------------------------- */

#define GUARD_BYTE 0xb5

static unsigned char *guard_page(const struct host_contiguous_block *block) {
    return host_world->physical->base + (block->frame + block->frames) * HOST_PAGE;
}

/* Frames in [first, limit) with a guard behind them, or, where there is no room for it, without. */
static bool take_frames(struct host_contiguous_block *block, uint64_t first, uint64_t limit,
                        uint64_t boundary) {
    struct host_physical *ram = host_world->physical;
    block->guarded = boundary == 0 &&
                     host_frames_take_run(ram, block->frames + 1, first, limit, 0, &block->frame);
    if (block->guarded)
        memset(guard_page(block), GUARD_BYTE, HOST_PAGE);
    return block->guarded ||
           host_frames_take_run(ram, block->frames, first, limit, boundary, &block->frame);
}

/* The CPU, or the device, has written behind the block. */
static void judge_guard(const struct host_contiguous_block *block) {
    const unsigned char *guard = guard_page(block);
    for (uint32_t i = 0; block->guarded && i < HOST_PAGE; i++)
        if (guard[i] != GUARD_BYTE) {
            host_violation("the page behind a contiguous block of %llu bytes was written, at "
                           "offset 0x%llx of the block",
                           (unsigned long long)(block->frames * HOST_PAGE),
                           (unsigned long long)(block->frames * HOST_PAGE + i));
            return;
        }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

PVOID host_contiguous_take(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                           PHYSICAL_ADDRESS HighestAcceptableAddress,
                           PHYSICAL_ADDRESS BoundaryAddressMultiple) {
    struct host_contiguous *all = host_world->contiguous;
    uint64_t high = (uint64_t)HighestAcceptableAddress.QuadPart;
    uint64_t limit = high == UINT64_MAX ? UINT64_MAX / HOST_PAGE : (high + 1) / HOST_PAGE;
    host_irql_at_most(DISPATCH_LEVEL, "MmAllocateContiguousMemory");
    if (NumberOfBytes == 0 || !host_may_allocate())
        return NULL;
    struct host_contiguous_block *block = calloc(1, sizeof(*block));
    if (!block)
        return NULL;
    block->frames = ROUND_TO_PAGES(NumberOfBytes) / HOST_PAGE;
    if (!take_frames(block, (uint64_t)LowestAcceptableAddress.QuadPart / HOST_PAGE, limit,
                     (uint64_t)BoundaryAddressMultiple.QuadPart / HOST_PAGE)) {
        free(block);
        return NULL;
    }
    pthread_mutex_lock(&all->lock);
    block->next = all->first;
    all->first = block;
    pthread_mutex_unlock(&all->lock);
    host_track(HOST_TRACKED_CONTIGUOUS, block);
    return host_world->physical->base + block->frame * HOST_PAGE;
}

NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(
    SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
    PHYSICAL_ADDRESS HighestAcceptableAddress, PHYSICAL_ADDRESS BoundaryAddressMultiple,
    MEMORY_CACHING_TYPE CacheType) {
    (void)CacheType;
    host_kernel_memory("MmAllocateContiguousMemory");
    return host_contiguous_take(NumberOfBytes, LowestAcceptableAddress, HighestAcceptableAddress,
                                BoundaryAddressMultiple);
}

NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemory(SIZE_T NumberOfBytes,
                                                   PHYSICAL_ADDRESS HighestAcceptableAddress) {
    PHYSICAL_ADDRESS none = {.QuadPart = 0};
    return MmAllocateContiguousMemorySpecifyCache(NumberOfBytes, none, HighestAcceptableAddress,
                                                  none, MmCached);
}

NTKERNELAPI VOID NTAPI MmFreeContiguousMemory(PVOID BaseAddress) {
    struct host_contiguous *all = host_world->contiguous;
    uint64_t frame = ((uintptr_t)BaseAddress - (uintptr_t)host_world->physical->base) / HOST_PAGE;
    struct host_contiguous_block *block, **link = &all->first;
    host_irql_at_most(DISPATCH_LEVEL, "MmFreeContiguousMemory");
    pthread_mutex_lock(&all->lock);
    while ((block = *link) && block->frame != frame)
        link = &block->next;
    if (block)
        *link = block->next;
    pthread_mutex_unlock(&all->lock);
    if (!block) {
        host_violation("MmFreeContiguousMemory of an address that is no contiguous block");
        return;
    }
    judge_guard(block);
    host_frames_give_run(host_world->physical, block->frame, block->frames + block->guarded);
    host_untrack(HOST_TRACKED_CONTIGUOUS, block);
    free(block);
}

NTKERNELAPI VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes,
                                                          MEMORY_CACHING_TYPE CacheType) {
    (void)NumberOfBytes;
    (void)CacheType;
    MmFreeContiguousMemory(BaseAddress);
}
