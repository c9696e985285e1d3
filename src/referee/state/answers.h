/*
 * answers.h - structures of calls that returned: what a driver got in place of the caller's has other bytes
 * then, and some, the first ones and a few of the later ones, are out of reach. Whoever uses a pointer that it
 * kept breaks R631.
 *
 * Structures that the driver answers in are copies in each call (given.h). Of the others, and of those of calls
 * that come for each submission, the driver gets a copy in the first calls of a function and in a few later ones, and of
 * more submissions where others are under way: drivers keep what waits for room. What it writes into one that is not const
 * is the caller's after the call.
 */
#ifndef REFEREE_ANSWERS_H
#define REFEREE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/referee.h>

#include "state/guard.h"

#define ANSWERS_KEPT 64u
#define FIRST_LENT   3u /* of a function */
/* Functions of the driver's table, by the place of their member. */
#define ANSWERS_FUNCTION(name)                                                                     \
    ((uint32_t)(offsetof(DRIVER_INITIALIZATION_DATA, name) / sizeof(void *)))
#define ANSWERS_FUNCTIONS (sizeof(DRIVER_INITIALIZATION_DATA) / sizeof(void *))

struct vidmm_referee;

struct answers {
    struct answer {
        uint8_t *block; /* NULL: none */
        size_t room;
        const uint8_t *bytes; /* of the structure */
        size_t size;
        bool hidden;
        char what[96];    /* "the structure of DxgkDdiCreateContext" */
    } kept[ANSWERS_KEPT]; /* a ring */
    uint64_t kept_so_far, seen;
};

/* A structure that is lent for a call. */
struct lent {
    const char *call;
    struct guard copy; /* without a block: the driver gets the caller's */
    bool constant;
    bool wanted; /* the driver gets a copy, whatever the number of the call */
};

/* The driver returned from the call under way, and the answer was taken. The referee's lock is held. */
void answers_end(struct vidmm_referee *referee, struct guard *answer);
/* The same of the guarded copy of what a member of the call's structure leads to. */
void answers_end_member(struct vidmm_referee *referee, struct guard *gone, const char *member);
/* Before the driver is called, without the lock: what it gets in place of the `size` bytes at `original`. */
void *lent_begin(struct vidmm_referee *referee, struct lent *lent, uint32_t function,
                 void *original, size_t size);
/* It has returned. */
void lent_end(struct vidmm_referee *referee, struct lent *lent);
/* At the end, before the blocks are freed. */
void answers_free(struct guard_blocks *blocks, struct answers *answers);

#endif
