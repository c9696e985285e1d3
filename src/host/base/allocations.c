/*
 * allocations.c - counts, fails and allocates blocks; see allocations.h.
 *
 * Big blocks come straight from the kernel: they are zero without being written, so that gigabytes
 * of video memory cost only the pages that are used.
 */
#include "base/allocations.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/world.h"

#define BIG_BLOCK ((size_t)128 << 10)
#define HUGE_PAGE ((size_t)2 << 20)

bool host_may_allocate(void) {
    struct host_allocations *all = &host_world->allocations;
    uint64_t nth = atomic_fetch_add_explicit(&all->count, 1, memory_order_relaxed) + 1;
    if (all->allocating)
        all->allocating(all->allocating_ctx, nth);
    if (nth != atomic_load_explicit(&all->fail_at, memory_order_relaxed))
        return true;
    atomic_store_explicit(&all->failed, true, memory_order_relaxed);
    return false;
}

void host_allocation_lives(enum host_owner owner, size_t size) {
    struct host_allocations *all = &host_world->allocations;
    atomic_fetch_add_explicit(&all->live[owner], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&all->live_bytes[owner], size, memory_order_relaxed);
}

void host_allocation_ends(enum host_owner owner, size_t size) {
    struct host_allocations *all = &host_world->allocations;
    atomic_fetch_sub_explicit(&all->live[owner], 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&all->live_bytes[owner], size, memory_order_relaxed);
}

/* Mapped blocks start on a huge page where they can hold one: copies through them miss the TLB
 * less. */
static void *big_alloc(size_t size) {
    size_t slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
    if (size > SIZE_MAX - slack)
        return NULL;
    char *raw = mmap(NULL, size + slack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    if (slack == 0)
        return raw;
    char *block = (char *)(((uintptr_t)raw + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    if (block != raw)
        munmap(raw, (size_t)(block - raw));
    size_t used = (size + 4095) & ~(size_t)4095;
    size_t tail = (size_t)(raw + size + slack - (block + used));
    if (tail >= 4096)
        munmap(block + used, tail & ~(size_t)4095);
    madvise(block, used, MADV_HUGEPAGE);
    return block;
}

void *host_block_alloc(enum host_owner owner, size_t size) {
    if (!host_may_allocate())
        return NULL;
    void *block = size >= BIG_BLOCK ? big_alloc(size) : calloc(1, size ? size : 1);
    if (block)
        host_allocation_lives(owner, size);
    if (block && owner == HOST_OWNER_IO)
        host_track(HOST_TRACKED_IO, block);
    return block;
}

void host_block_free(enum host_owner owner, void *block, size_t size) {
    if (!block)
        return;
    host_allocation_ends(owner, size);
    if (owner == HOST_OWNER_IO)
        host_untrack(HOST_TRACKED_IO, block);
    if (size >= BIG_BLOCK)
        munmap(block, size);
    else
        free(block);
}
