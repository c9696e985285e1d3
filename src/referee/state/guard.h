/*
 * guard.h - a buffer that the driver gets in place of the caller's, with canaries on both sides.
 *
 * The bytes keep their offset in a page, so that a driver that cares for alignment sees no
 * difference. Without memory for it, and of more than GUARD_MOST bytes, the driver gets the caller's own
 * buffer, unguarded: it chooses some sizes itself, and each call copies all of it twice.
 */
#ifndef REFEREE_GUARD_H
#define REFEREE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUARD_MOST   16777216u
#define GUARD_BEFORE 64u
#define GUARD_AFTER  4096u
/* What writes far behind a buffer does so from its first calls on: after GUARD_WHOLE guards, only one of GUARD_SAMPLED
 * is looked at to its end, the others so far. */
#define GUARD_WHOLE   4096u
#define GUARD_SAMPLED 16u
#define GUARD_NEAR    256u

struct vidmm_referee;

struct guard {
    uint8_t *block; /* NULL: unguarded */
    size_t room;    /* of the block */
    uint8_t *bytes; /* what the driver gets */
    void *original;
    size_t size;
    uint32_t after; /* bytes behind it that are looked at */
    uint8_t byte;   /* on both sides */
};

struct guard_block {
    uint8_t *bytes;
    size_t room;
};

/* A driver without hardware may run a buffer itself, later, through the pointer that it was given to
 * build it. So the last copies outlive their use: GUARD_RETIRED of them, fewer where they are large, at
 * least GUARD_RETIRED_MIN. */
#define GUARD_RETIRED      64u
#define GUARD_RETIRED_MIN  8u
#define GUARD_RETIRED_ROOM 4194304u
/* Blocks of 1 << n pages, n below GUARD_CLASSES, are used again: there are several guards for each call. */
#define GUARD_CLASSES 9u
#define GUARD_SPARES  8u

struct guard_spares {
    uint8_t *block[GUARD_SPARES];
    uint32_t count;
};

struct guard_blocks {
    struct guard_block retired[GUARD_RETIRED]; /* a ring */
    struct guard_spares spares[GUARD_CLASSES];
    uint64_t first, next; /* of the ring */
    uint64_t made;
    size_t retired_room;
};

/* A guarded copy of the `size` bytes at `original`. The referee's lock is held, as in guard_free. */
void guard_make(struct vidmm_referee *referee, struct guard *guard, void *original, size_t size);
/* The same without a copy: what is at `original` means nothing. */
void guard_make_fresh(struct vidmm_referee *referee, struct guard *guard, void *original,
                      size_t size);
/* The buffer ends after `size` bytes, fewer than before; what the driver holds points into it on.
 */
void guard_shorten(struct guard *guard, size_t size);
/* True when both canaries are whole; else `*at` is the first damaged byte, counted from the start
 * of the buffer (negative: before it). */
bool guard_whole(const struct guard *guard, int64_t *at);
/* Copies [from, to) back to the caller's buffer. */
void guard_give(const struct guard *guard, size_t from, size_t to);
/* The caller's pointer for a pointer into the guarded bytes, or `p` itself when it is none. */
void *guard_original(const struct guard *guard, void *p);
/* The block becomes the caller's until it gives it back; `*room`: its bytes. */
uint8_t *guard_take_block(struct guard *guard, size_t *room);
/* For the next guards. */
void guard_block_give(struct guard_blocks *blocks, struct guard_block block);
/* The block is kept among the retired ones for a while. */
void guard_free(struct vidmm_referee *referee, struct guard *guard);
/* At the end: frees them. */
void guard_free_blocks(struct guard_blocks *blocks);
/* Notes damaged canaries around `what`. */
void guard_judge(struct vidmm_referee *referee, const struct guard *guard, const char *what);

#endif
