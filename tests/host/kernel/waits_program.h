/*
 * waits_program.h - random programs of threads that wait: what each thread does, for the model
 * (waits_model.c) and for the host (waits_random_test.c), which have to log the same.
 *
 * Actor 0 is the caller's thread, the others are system threads. After its program an actor gives
 * back what it owns; actor 0 then signals everything until the others have ended. A mutex is waited
 * for without an end only in an order in which nobody can be stuck.
 */
#ifndef WAITS_PROGRAM_H
#define WAITS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define ACTORS 6 /* at most, with the caller's */
#define OPS    20

enum object {
    NOTE,
    SYNC_0,
    SYNC_1,
    SEMAPHORE,
    MUTEX_0,
    MUTEX_1,
    TIMER_NOTE, /* its DPC sets SYNC_0 */
    TIMER_SYNC,
    FAST_0, /* nothing waits for these by an operation WAIT */
    FAST_1,
    THREAD, /* and the numbers of the actors after it */
    OBJECTS = THREAD + ACTORS
};
#define SEMAPHORE_LIMIT 3

enum kind {
    NOTHING,
    SET,
    RESET,
    RELEASE, /* mutex or semaphore */
    WAIT,
    LOCK,
    TRY,
    UNLOCK,
    DELAY,
    STALL,
    TIMER_SET,
    TIMER_CANCEL,
    END,
    DPC /* in the log alone */
};

#define WAITS_MOST 3
#define NEVER      (-1)

struct op {
    enum kind kind;
    enum object object[WAITS_MOST];
    uint32_t count;
    bool all;
    int32_t time; /* units of 100 ns; NEVER */
    int32_t amount, period_ms;
};

struct program {
    uint64_t seed;
    uint32_t actors;
    bool periodic; /* a timer may be set for ever: actor 0 does not wait without an end */
    struct op op[ACTORS][OPS];
};

/* What an actor knows of itself. */
struct actor {
    uint32_t index, pc;
    int32_t owned[OBJECTS]; /* how often it owns a mutex or a fast mutex */
};

void program_make(struct program *program, uint64_t seed);
/* Actor 0 does not wait without an end: nothing but a thread that still runs may free it. */
void program_never_endless(struct program *program);
/* The actor's next operation. `ended`: actors that have ended. Advances pc. */
struct op program_next(const struct program *program, struct actor *actor, uint32_t ended);

#define DPC_ACTOR 99
#define ENDLESS   (-1000)

struct entry {
    uint32_t actor;
    enum kind kind;
    int32_t result; /* status, old state, or ENDLESS */
    uint64_t time;  /* units */
};
#define LOG_MOST 4096
struct record {
    struct entry entry[LOG_MOST];
    uint32_t count;
    uint32_t endless;
};

void record_add(struct record *record, uint32_t actor, enum kind kind, int32_t result,
                uint64_t time);
/* What the program has to do. */
void model_run(const struct program *program, struct record *record);

#endif
