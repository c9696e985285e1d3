/*
 * physical.h - simulated physical memory and its page frames.
 *
 * One sparse memfd is RAM: the byte at physical address p is at `base` + p, and any list of page
 * frames can be mapped once more as a linear view (mdl.c). A frame is free or used in one bit of a
 * bitmap with summary levels above it. Frame 0 is never allocated, so that a stray access to
 * physical address 0 finds no data. Behind RAM the memfd goes on with the frames of nonpaged pool
 * (pool_frames.h), which devices reach by their addresses like any other.
 *
 * As in a PC, RAM may go on at 4 GiB, behind a hole where nothing is. Frames are then taken beyond the
 * hole, as long as the caller's limit allows that and there are such; page lists have some of both.
 */
#ifndef HOST_PHYSICAL_H
#define HOST_PHYSICAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/ram_file.h"

#define HOST_PAGE            4096u
#define HOST_PHYSICAL_LEVELS 5
#define HOST_POOL_BYTES      ((uint64_t)1 << 30)
#define HOST_4_GIB           ((uint64_t)1 << 32)

struct host_physical {
    pthread_mutex_t lock;
    struct host_ram_file memory;
    int file; /* of it */
    uint8_t *base;
    uint64_t bytes, pages; /* up to the end of RAM, with the hole */
    uint64_t hole, beyond; /* the hole's first frame, the first one behind it; equal: no hole */
    uint64_t installed;    /* bytes of RAM, without the hole */
    uint64_t top;          /* the address behind what may be taken */
    /* level[0]: bit set = frame free. level[n]: bit set = the word of level n-1 is not zero. */
    uint64_t *level[HOST_PHYSICAL_LEVELS];
    uint32_t levels;
    uint64_t *dirty; /* bit set = the frame may hold bytes that are not zero */
    uint64_t free_pages;
    uint64_t seed, random;
    bool no_content; /* frames are not zeroed: what lies behind them is not looked at */
    bool keep;       /* the file, for the process's next host */
};

/* What RAM is made: the bytes below `from` are never allocated, `high` bytes lie beyond 4 GiB. */
struct host_physical_plan {
    uint64_t bytes, high, from, seed;
    bool no_content, keep;
};

bool host_physical_init(struct host_physical *ram, const struct host_physical_plan *plan);
void host_physical_done(struct host_physical *ram);
/* Takes the free frames beyond the hole away, which is then as if there had not been any. */
void host_physical_lower(struct host_physical *ram);
/*
 * Takes `count` zeroed frames with numbers in [first, limit), scattered when the host has a seed.
 * false: there are not so many; none is taken.
 */
bool host_frames_take(struct host_physical *ram, uint64_t count, uint64_t first, uint64_t limit,
                      uint64_t *frames);
/* Takes a run of zeroed frames in [first, limit) that crosses no multiple of `boundary` frames (0:
 * any). */
bool host_frames_take_run(struct host_physical *ram, uint64_t count, uint64_t first, uint64_t limit,
                          uint64_t boundary, uint64_t *start);
/* Takes `count` frames as host_frames_take, but runs of `run` that begin at multiples of it as long
 * as there are such. */
bool host_frames_take_runs(struct host_physical *ram, uint64_t count, uint64_t first,
                           uint64_t limit, uint64_t run, uint64_t *frames);
void host_frames_give(struct host_physical *ram, const uint64_t *frames, uint64_t count);
void host_frames_give_run(struct host_physical *ram, uint64_t start, uint64_t count);
/* Any of `count` frames is free: *frame is the first of these. */
bool host_frames_free(const struct host_physical *ram, uint64_t first, uint64_t count,
                      uint64_t *frame);
/* Host pointer to `size` bytes of RAM or nonpaged pool at `pa`, or NULL. */
void *host_physical_pointer(struct host_physical *ram, uint64_t pa, size_t size);

#endif
