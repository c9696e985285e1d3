/*
 * allocations.h - counts every allocation that can fail.
 *
 * vidmm_host_config.fail_at names one allocation of the run: the driver's pool, contiguous memory
 * and MDLs, blocks of the model and the manager, system pages, locks, and memory of the host
 * itself. host_may_allocate counts them and chooses the one that fails. Live allocations are
 * counted by kind, so that leaks are found at the end of a run.
 */
#ifndef HOST_ALLOCATIONS_H
#define HOST_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum host_owner {
    HOST_OWNER_MODEL,   /* hw_host.alloc */
    HOST_OWNER_MANAGER, /* os.alloc */
    HOST_OWNER_LOCKS,   /* os.lock_create */
    HOST_OWNER_PAGES,   /* os.pages_alloc, in MDLs */
    HOST_OWNER_IO,      /* requests, DMA adapters and their lists, registrations for power */
    HOST_OWNERS
};

struct host_allocations {
    _Atomic uint64_t count;
    _Atomic uint64_t fail_at;
    void (*allocating)(void *ctx, uint64_t number); /* called for each; or NULL */
    void *allocating_ctx;
    _Atomic bool failed;
    _Atomic uint64_t live[HOST_OWNERS]; /* blocks */
    _Atomic uint64_t live_bytes[HOST_OWNERS];
};

/* Counts one allocation; false when it is the one that fails. */
bool host_may_allocate(void);
/* A zeroed block aligned for any type (big blocks: to a page), or NULL; counted. */
void *host_block_alloc(enum host_owner owner, size_t size);
void host_block_free(enum host_owner owner, void *block, size_t size);
/* Counts live objects that are not blocks. */
void host_allocation_lives(enum host_owner owner, size_t size);
void host_allocation_ends(enum host_owner owner, size_t size);

#endif
