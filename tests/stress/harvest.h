/*
 * harvest.h - a reader of dirty bits beside the processes of stress.c: it asks and clears again and
 * again, in pieces, and remembers when each page was last reported.
 */
#ifndef STRESS_HARVEST_H
#define STRESS_HARVEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vidmm/manager.h>

#define HARVEST_SEGMENTS 4u
#define HARVEST_RANGES   5u

struct harvested;

struct harvest {
    struct vidmm_adapter *adapter;
    struct harvested *segment[HARVEST_SEGMENTS + 1u]; /* by id; NULL: not tracked */
    uint64_t random;
    atomic_ullong begun, finished; /* rounds of queries */
    atomic_bool over;
    bool threaded;
    pthread_t thread;
    atomic_ullong reported; /* pages, in all */
};

/* Tracks all that the driver tracks; with `threaded` in a thread that does nothing else. */
void harvest_start(struct harvest *harvest, struct vidmm_adapter *adapter, uint64_t seed,
                   bool threaded);
void harvest_stop(struct harvest *harvest);
/* All segments once. Not with a thread. */
void harvest_once(struct harvest *harvest);

/* Before something is written. */
static inline uint64_t harvest_begin(const struct harvest *harvest) {
    return atomic_load(&harvest->begun);
}
/*
 * After it: sleeps until a query that began later is finished; then the page at `offset` of a
 * segment must have been reported in it, or in one since `begin`. False: it was not.
 */
void harvest_settle(struct harvest *harvest);
bool harvest_reported(const struct harvest *harvest, uint32_t segment, uint64_t offset,
                      uint64_t begin);

#endif
