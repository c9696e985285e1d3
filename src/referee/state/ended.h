/*
 * ended.h - a list that the driver gets in place of the caller's and that ends where no memory follows: whoever
 * reads behind it breaks R626.
 *
 * A referee has memory for one at a time. Of two threads the second gets the caller's own list, and so does a
 * call with a longer one.
 */
#ifndef REFEREE_ENDED_H
#define REFEREE_ENDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct referee_call;
struct vidmm_referee;

struct ended_memory {
    uint8_t *base; /* NULL: none yet */
    bool taken;
};

struct ended {
    void *bytes; /* what the driver gets */
    bool taken;  /* of the referee's memory */
};

/* A copy of the `size` bytes at `original`, which `member` of the call has. The referee's lock is held, as in
 * ended_free. */
void ended_make(struct vidmm_referee *referee, struct ended *ended, const struct referee_call *call,
                const char *member, void *original, size_t size);
void ended_free(struct vidmm_referee *referee, const struct ended *ended);
/* At the end. */
void ended_free_memory(struct ended_memory *memory);

#endif
