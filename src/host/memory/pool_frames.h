/*
 * pool_frames.h - the memory of nonpaged pool: frames behind RAM's, so that a block has a physical
 * address for devices (MmGetPhysicalAddress).
 *
 * Up to a page a block gets a slot of a power of two bytes and so never crosses a page; beyond, a
 * run of pages. The lists of free memory are outside of it, because drivers write to it.
 */
#ifndef HOST_POOL_FRAMES_H
#define HOST_POOL_FRAMES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_POOL_SLOT_SIZES 7u /* 64 bytes to a page */

struct host_pool_slots {
    uint32_t *free; /* numbers of pieces of 64 bytes */
    uint32_t count, room;
};

struct host_pool_frames {
    pthread_mutex_t lock;
    uint8_t *base;
    uint64_t pages;
    uint64_t *used; /* bit set = the page is a run's or has slots */
    uint64_t next;  /* where to look for a run first */
    struct host_pool_slots slots[HOST_POOL_SLOT_SIZES];
};

bool host_pool_frames_init(struct host_pool_frames *frames, uint8_t *base, uint64_t bytes);
void host_pool_frames_done(struct host_pool_frames *frames);
/* Memory that is not initialised, or NULL. More than a page starts on a page. */
void *host_pool_frames_take(struct host_pool_frames *frames, size_t bytes);
/* `bytes` as allocated. */
void host_pool_frames_give(struct host_pool_frames *frames, void *memory, size_t bytes);

#endif
