/*
 * placer.h - the space of one segment: which bytes are taken, and where the next ones go.
 *
 * A placer knows nothing of allocations, drivers or policies: it hands out disjoint, aligned byte
 * ranges of [0, size) in units of the segment's page. Free ranges are binned by size, 32 bins a
 * power of two; a request takes the lowest of the holes that are at most a quarter larger than it,
 * else the best fitting one, in time that hardly depends on how many ranges are taken. segment.h
 * puts the contract's hints and limits on top.
 *
 * Not thread-safe: the adapter's lock protects it.
 */
#ifndef VIDMM_MANAGER_PLACER_H
#define VIDMM_MANAGER_PLACER_H

#include <stdbool.h>
#include <stdint.h>

#include <vidmm/os.h>

enum placer_result {
    PLACER_OK = 0,
    PLACER_FULL,      /* no hole takes it, as far as 64 looks into a crowded bin tell */
    PLACER_NO_MEMORY, /* vidmm_os had none for the placer's own bookkeeping */
};

/* One range, taken or free. Opaque: the caller keeps the pointer of a taken one to give it back. */
struct placer_block;
struct placer_chunk;

#define PLACER_CLASSES   27u /* one for sizes below 32 pages, then one a power of two */
#define PLACER_BINS      32u /* bins of one class */
#define PLACER_WINDOW    8u  /* bins that are searched for the lowest block */
#define PLACER_TRAILS    256u
#define PLACER_WAYS      4u
#define PLACER_PAGES_MAX 0x7fffffffu

/* A range from page `start` on was freed, and became part of `block`. */
struct placer_trail {
    uint32_t start;
    struct placer_block *block;
};

struct placer {
    const struct vidmm_os *os;
    uint64_t size;       /* bytes */
    uint64_t used;       /* bytes in taken ranges */
    uint32_t page_shift; /* 12 or 16 */
    uint32_t taken;      /* ranges taken */

    struct placer_block *edge;  /* ends the list of all blocks and every bin; never free */
    struct placer_block *spare; /* nodes of no block any more */
    struct placer_block *fresh; /* nodes of no block yet, in a row */
    uint32_t spares;            /* how many of both */
    uint32_t fresh_left;
    struct placer_chunk *chunks; /* where the nodes live, the newest first */
    uint64_t metadata;           /* bytes got from the OS */

    /* Where ranges were freed lately, the last of a row first; may be stale. */
    struct placer_trail trails[PLACER_TRAILS][PLACER_WAYS];

    uint32_t class_map;               /* classes with a free block */
    uint32_t bin_map[PLACER_CLASSES]; /* bins with a free block */
    /* The first page of each bin's first block, and of a few bins that never have one. */
    uint32_t heads[PLACER_CLASSES * PLACER_BINS + PLACER_WINDOW];
    struct placer_block *bins[PLACER_CLASSES * PLACER_BINS]; /* the lowest first, as a rule */
};

struct placer_request {
    uint64_t size;      /* bytes, not 0; rounded up to pages */
    uint64_t alignment; /* of the offset: 0 or a power of two */
    uint64_t low, high; /* the range must lie in [low, high); high 0: the end */
    bool from_end;      /* the highest place instead of the best one */
    bool from_start;    /* the lowest place instead of the best one */
};

/*
 * `size` bytes (down to a page multiple, at most PLACER_PAGES_MAX pages) in pages of 4096 or 65536.
 * False: no memory.
 */
bool placer_init(struct placer *placer, const struct vidmm_os *os, uint64_t size,
                 uint32_t page_size);
/* Takes back everything, taken ranges included. A zeroed placer is fine. */
void placer_destroy(struct placer *placer);

enum placer_result placer_alloc(struct placer *placer, const struct placer_request *request,
                                struct placer_block **block);
/*
 * Takes exactly [offset, offset + size), rounded outwards to pages. PLACER_FULL when any of it is
 * taken or outside. To take back, in any order, what was freed since an earlier state never needs
 * memory once what was taken since is free again. Quick for a range that was freed lately.
 */
enum placer_result placer_alloc_at(struct placer *placer, uint64_t offset, uint64_t size,
                                   struct placer_block **block);
/* Never fails, never needs memory. */
void placer_free(struct placer *placer, struct placer_block *block);
uint64_t placer_offset(const struct placer *placer, const struct placer_block *block);
uint64_t placer_size(const struct placer *placer, const struct placer_block *block);
/*
 * Whether placer_alloc_at would find [offset, offset + size) free. Quick for a range close to `near`, where
 * a range that was freed lately begins.
 */
bool placer_is_free_at(struct placer *placer, uint64_t offset, uint64_t size, uint64_t near);
/*
 * The first byte of the free range that `offset` is in, which must be free; `*end` is behind its last.
 * Quick for a range that was freed lately.
 */
uint64_t placer_hole(struct placer *placer, uint64_t offset, uint64_t *end);
/* Bytes of the largest hole; where very many are about as large, of one at most 1/32 smaller. */
uint64_t placer_largest_free(const struct placer *placer);

#endif
