/*
 * choice.c - see choice.h. The median of the times that a way took counts: one copy may find its
 * source in a cache, and another one be interrupted.
 */
#include "hardware/choice.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vidmm/softgpu.h>

#include "hardware/ways.h"

#define TRIALS 64u /* at most */

/* Copies from so many bytes on, to where the next class begins; how often each way is tried, and one
 * in how many copies tries one: what a few in a row find in the caches says little of the rest. */
static const struct {
    size_t from;
    uint32_t trials, every;
} classes[] = {{4096, TRIALS, 16}, {64u << 10, 16, 4}, {1u << 20, 6, 1}};

#define CLASSES (sizeof(classes) / sizeof(classes[0]))

struct choice {
    _Atomic uint32_t tickets;
    _Atomic uint32_t chosen; /* 1 + its number; 0: none so far */
    /* Nanoseconds for 2^20 bytes; 0: not tried so far. */
    _Atomic uint64_t taken[WAYS_MOST][TRIALS];
};

static struct {
    pthread_once_t once;
    uint32_t count;
    struct copy_way way[WAYS_MOST];
    struct choice choice[CLASSES];
} ways = {.once = PTHREAD_ONCE_INIT};

static void list_ways(void) {
    ways.count = ways_list(ways.way);
}

static uint32_t class_of(size_t bytes) {
    uint32_t class = CLASSES - 1;
    while (class != 0 && bytes < classes[class].from)
        class --;
    return class;
}

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static int compare_times(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

/* The median; one that another thread has not stored yet counts as 0. */
static uint64_t time_of(const struct choice *choice, uint32_t way, uint32_t trials) {
    uint64_t taken[TRIALS];
    for (uint32_t i = 0; i < trials; i++)
        taken[i] = atomic_load_explicit(&choice->taken[way][i], memory_order_relaxed);
    qsort(taken, trials, sizeof(taken[0]), compare_times);
    return taken[trials / 2];
}

static void choice_decide(struct choice *choice, uint32_t trials) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < ways.count; i++)
        if (time_of(choice, i, trials) < time_of(choice, best, trials))
            best = i;
    atomic_store_explicit(&choice->chosen, best + 1, memory_order_relaxed);
}

/* One of the first copies of its class, in the way whose turn it is. */
static void copy_timed(struct choice *choice, uint32_t ticket, uint32_t trials, unsigned char *to,
                       const unsigned char *from, size_t bytes, const unsigned char *ahead) {
    uint32_t way = ticket % ways.count, trial = ticket / ways.count;
    uint64_t start = now();
    ways.way[way].copy(to, from, bytes, ahead);
    uint64_t taken = now() - start;
    if (trial < trials)
        atomic_store_explicit(&choice->taken[way][trial], (taken << 20) / bytes + 1,
                              memory_order_relaxed);
    if (ticket + 1 >= trials * ways.count)
        choice_decide(choice, trials);
}

void choice_copy(unsigned char *to, const unsigned char *from, size_t bytes,
                 const unsigned char *ahead) {
    uint32_t class = class_of(bytes);
    struct choice *choice = &ways.choice[class];
    uint32_t chosen = atomic_load_explicit(&choice->chosen, memory_order_relaxed);
    if (chosen != 0) {
        ways.way[chosen - 1].copy(to, from, bytes, ahead);
        return;
    }
    pthread_once(&ways.once, list_ways);
    uint32_t ticket = atomic_fetch_add_explicit(&choice->tickets, 1, memory_order_relaxed);
    if (ticket % classes[class].every == 0)
        copy_timed(choice, ticket / classes[class].every, classes[class].trials, to, from, bytes,
                   ahead);
    else
        ways.way[0].copy(to, from, bytes, ahead);
}

/* ---- What was chosen ------------------------------------------------------------------------- */

#define ARENA ((size_t)8 << 20)

/* Copies of every class until each has its way, in memory that nothing else uses. */
static bool settle_all(void) {
    unsigned char *arena = aligned_alloc(4096, 2 * ARENA);
    if (!arena)
        return false;
    for (size_t i = 0; i < 2 * ARENA; i += 4096)
        arena[i] = 1;
    for (uint32_t class = 0; class < CLASSES; class ++) {
        size_t bytes = classes[class].from, at = 0;
        while (atomic_load_explicit(&ways.choice[class].chosen, memory_order_relaxed) == 0) {
            choice_copy(arena + ARENA + at, arena + at, bytes, NULL);
            at = at + 2 * bytes <= ARENA ? at + bytes : 0;
        }
    }
    free(arena);
    return true;
}

uint32_t vidmm_softgpu_copy_rates(struct vidmm_softgpu_copy_rate *rate, uint32_t most) {
    uint32_t count = 0;
    if (!settle_all())
        return 0;
    for (uint32_t class = 0; class < CLASSES; class ++) {
        const struct choice *choice = &ways.choice[class];
        for (uint32_t i = 0; i < ways.count && count < most; i++)
            rate[count++] = (struct vidmm_softgpu_copy_rate){
                .from_bytes = classes[class].from,
                .way = ways.way[i].name,
                .bytes_per_second = UINT64_C(1000000000) * (1u << 20) /
                                    (time_of(choice, i, classes[class].trials) + 1),
                .chosen = choice->chosen == i + 1};
    }
    return count;
}
