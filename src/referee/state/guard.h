/*
 * guard.h - a buffer that the driver gets in place of the caller's, with canaries on both sides.
 *
 * The bytes keep their offset in a page, so that a driver that cares for alignment sees no
 * difference. Without memory for it the driver gets the caller's own buffer, unguarded.
 */
#ifndef REFEREE_GUARD_H
#define REFEREE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUARD_BEFORE 64u
#define GUARD_AFTER  4096u

struct vidmm_referee;

struct guard {
    uint8_t *block; /* NULL: unguarded */
    uint8_t *bytes; /* what the driver gets */
    void *original;
    size_t size;
    uint8_t byte; /* on both sides */
};

/* A driver without hardware may run a buffer itself, later, through the pointer that it was given to
 * build it. So the last copies outlive their use. */
#define GUARD_RETIRED 64u

struct guard_retired {
    uint8_t *block[GUARD_RETIRED]; /* a ring */
    uint32_t next;
};

/* A guarded copy of the `size` bytes at `original`. */
void guard_make(struct guard *guard, void *original, size_t size);
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
/* The block is kept among the retired ones for a while. */
void guard_free(struct vidmm_referee *referee, struct guard *guard);
/* At the end: frees them. */
void guard_free_retired(struct guard_retired *retired);
/* Notes damaged canaries around `what`. */
void guard_judge(struct vidmm_referee *referee, const struct guard *guard, const char *what);

#endif
