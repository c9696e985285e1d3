/*
 * pool.h - the driver's pool, with guards.
 *
 * A block lies between two guards, is poisoned when allocated and when freed, and then stays in
 * quarantine for a while, so that overruns, underruns, double frees and writes after free are found
 * and named by their tag. Nonpaged pool has physical addresses.
 */
#ifndef HOST_POOL_H
#define HOST_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>

#include "memory/physical.h"
#include "memory/pool_frames.h"
#include "memory/pool_hidden.h"

struct host_pool_block;

struct host_pool {
    pthread_mutex_t lock;
    struct host_pool_frames frames;  /* of nonpaged pool; has a lock of its own */
    struct host_pool_block **bucket; /* by address: live and quarantined blocks */
    uint32_t buckets;
    uint32_t blocks;                         /* in the buckets */
    struct host_pool_block *oldest, *newest; /* quarantine */
    uint64_t quarantined;                    /* bytes */
    struct host_pool_hidden hidden;          /* of those */
    uint64_t live, live_bytes;
    bool watched; /* an address sanitizer in the process knows of guards and freed blocks */
    bool ends;    /* what a block had goes back to the system with all of the memory */
};

struct host_pool_left {
    uint64_t blocks, bytes;
    size_t first_size; /* of the block that was allocated first */
    char first_tag[5];
};

bool host_pool_init(struct host_pool *pool, const struct host_physical *ram);
/* For a driver that an address sanitizer checks, before it has a block. */
void host_pool_watch(struct host_pool *pool);
/* Frees all remaining blocks and checks every guard once more. */
void host_pool_done(struct host_pool *pool);
void host_pool_left(struct host_pool *pool, struct host_pool_left *left);
/* Where in which block an address is. */
struct host_pool_place {
    char tag[5];
    size_t size;
    uint64_t offset;
};

/* False: in none, or the pool is at work right now. */
bool host_pool_place(struct host_pool *pool, uint64_t address, struct host_pool_place *place);
/* A fault at an address: true when it was in a freed block that was out of reach, and is within it now. */
bool host_pool_fault(uint64_t address, bool writes);
/* Checks the guards of all live blocks. */
void host_pool_check(struct host_pool *pool);
/* A block that a lookaside list gives to the driver, and which the list takes back: no other free. */
PVOID host_pool_entry(POOL_TYPE type, SIZE_T size, ULONG tag);
void host_pool_entry_free(PVOID entry, ULONG tag);

#endif
