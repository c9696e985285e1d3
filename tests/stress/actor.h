/*
 * actor.h - one process of the stress test: a user-mode driver that does what user-mode drivers do,
 * at random, and knows what every byte of it must be.
 */
#ifndef VIDMM_TESTS_STRESS_ACTOR_H
#define VIDMM_TESTS_STRESS_ACTOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vidmm/harness.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>

#include "harvest.h"
#include "tiles.h"

#define PAGE         4096u
#define THINGS       320u /* allocations of an actor at most; the first are its tile pools */
#define THING_BYTES  (POOL_PAGES * PAGE)
#define BATCH        24u /* allocations of one request or submission */
#define BUFFER_BYTES (32u << 10)
#define PACKETS_MOST (BUFFER_BYTES / sizeof(struct vidmm_umd_draw))
#define HARVESTS     2u /* readers of dirty bits, each for itself */

struct thing {
    struct vidmm_allocation *allocation;
    uint64_t size, va, oracle;
    uint32_t version;   /* the newest, and without `versions` that of all pages; 0: zero */
    uint32_t *versions; /* of each page: a pool is written tile by tile */
    bool known;         /* false: its content was dropped */
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
    struct tiles tiles;
    struct thing commands, result;
    void *commands_cpu;
    uint64_t next_oracle, random;
    atomic_ullong trim_due;
    atomic_ullong steps;     /* done; shows that it is alive */
    struct harvest *harvest; /* HARVESTS of them; NULL: no actor reads dirty bits */
    uint64_t longest_ns;     /* of one request */
    const char *longest;     /* which one */
    uint64_t checked_bytes;
};

/* The command buffer of a submission. */
struct packets {
    struct vidmm_umd_draw *at;
    uint32_t count;
    struct vidmm_allocation *written[PACKETS_MOST + 1];
    uint32_t written_count;
    struct thing *stamped[PACKETS_MOST]; /* in their first pages */
    uint32_t stamped_count;
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

/* ---- What its steps are made of -------------------------------------------------------------- */

uint64_t actor_below(struct actor *actor, uint64_t limit);
/* Ends the test unless `status` is VIDMM_OK; `begin`: when the request was made. */
void actor_must(struct actor *actor, enum vidmm_status status, const char *what, uint64_t begin);
uint64_t actor_now_ns(void);

#define MUST(actor, call)                                                                          \
    do {                                                                                           \
        uint64_t begin_ = actor_now_ns();                                                          \
        actor_must((actor), (call), #call, begin_);                                                \
    } while (0)

/* As the pages want it: trims and tries again, at last without any way out. */
void actor_make_resident(struct actor *actor, struct thing *const *list, uint32_t count);

/* Pages of an allocation as the GPU finds them. */
struct span {
    uint64_t va; /* of page 0 */
    uint32_t page, pages, version;
};

/* Has them checked for being of `oracle`. */
void actor_check(struct actor *actor, struct packets *packets, uint64_t oracle,
                 const struct span *span);
/* Has them written. */
void actor_stamp(struct packets *packets, struct thing *thing, const struct span *span);

#endif
