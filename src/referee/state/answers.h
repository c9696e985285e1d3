/*
 * answers.h - structures of calls that returned: what a driver got in place of the caller's has other bytes
 * then, and some, the first ones and a few of the later ones, are out of reach. Whoever uses a pointer that it
 * kept breaks R631.
 */
#ifndef REFEREE_ANSWERS_H
#define REFEREE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWERS_KEPT 32u

struct guard;
struct vidmm_referee;

struct answers {
    struct answer {
        uint8_t *block; /* NULL: none */
        size_t room;
        const uint8_t *bytes; /* of the structure */
        size_t size;
        bool hidden;
        char call[96];
    } kept[ANSWERS_KEPT]; /* a ring */
    uint64_t kept_so_far, seen;
};

/* The driver returned from the call under way, and the answer was taken. The referee's lock is held. */
void answers_end(struct vidmm_referee *referee, struct guard *answer);
/* At the end. */
void answers_free(struct answers *answers);

#endif
