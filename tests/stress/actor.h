/*
 * actor.h - one process of the stress test: a user-mode driver that does what user-mode drivers do,
 * at random, and knows what every byte of it must be.
 */
#ifndef VIDMM_TESTS_STRESS_ACTOR_H
#define VIDMM_TESTS_STRESS_ACTOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vidmm/lab.h>
#include <vidmm/virtual.h>

#include "harvest.h"

#define THINGS       320u /* allocations of an actor at most */
#define THING_BYTES  (512u << 10)
#define BATCH        24u /* allocations of one request or submission */
#define BUFFER_BYTES (16u << 10)
#define HARVESTS     2u /* readers of dirty bits, each for itself */

struct thing {
    struct vidmm_allocation *allocation;
    uint64_t size, va, oracle;
    uint32_t version; /* of all its pages; 0: zero */
    bool known;       /* false: its content was dropped */
    bool offered;
    bool written; /* by the GPU since it was listed */
    uint32_t listed;
};

struct actor {
    struct vidmm_adapter *adapter;
    const char *name;
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_paging_queue *queue;
    struct thing things[THINGS];
    struct thing commands, result;
    void *commands_cpu;
    uint64_t next_oracle, random;
    atomic_ullong trim_due;
    atomic_ullong steps;          /* done; shows that it is alive */
    struct harvest *harvest;      /* HARVESTS of them; NULL: nobody reads dirty bits */
    struct thing *stamped[BATCH]; /* by the submission under way */
    uint32_t stamped_count;
    uint64_t longest_ns; /* of one request */
    const char *longest; /* which one */
    uint64_t checked_bytes;
};

/* Prints what went wrong, and how to do it again, and ends the program. */
void stress_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
uint64_t stress_random(uint64_t *state);

void actor_start(struct actor *actor, struct vidmm_adapter *adapter, const char *name,
                 uint64_t seed);
/* One random action. */
void actor_step(struct actor *actor);
/* Has a list of at least so many bytes, nothing offered, and runs on it. */
void actor_want(struct actor *actor, uint64_t bytes);
void actor_submit(struct actor *actor);
/* Bytes of its list that are in memory segments. */
uint64_t actor_held(const struct actor *actor);
/* Checks all content, and goes. */
void actor_end(struct actor *actor);

#endif
