/*
 * stress.c - four processes over their budgets, for as long as asked.
 *
 *   stress                   STRESS_SECONDS=60
 *   STRESS_SEED=n stress     one round again
 *
 * Each round has a fresh seed, and a world made of it: memory, page tables, threads or none. Even
 * seeds run in one thread and in virtual time, and are exactly the same each time. In every second
 * pair of rounds two readers ask for dirty bits all the time, and what a process wrote has to be
 * reported to both. At the end of a round every process lists more than its budget, and has to hold
 * its share of local memory.
 */
#include "actor.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <vidmm/softgpu.h>

#define ACTORS        4u
#define STEPS         600u /* of an actor in a round */
#define SETTLE        12u  /* submissions of each before shares are looked at */
#define PATIENCE      120u /* seconds without a step of any actor: a deadlock */
#define SHARE_PERCENT 10u  /* that a share may be off its budget */
#define MIB           (UINT64_C(1) << 20)

static const char *const names[ACTORS] = {"process 0", "process 1", "process 2", "process 3"};

struct round {
    uint64_t seed;
    bool threads;
    struct vidmm_harness harness;
    struct actor actors[ACTORS];
    struct harvest harvest[HARVESTS];
    bool tracked; /* an actor reads dirty bits */
    pthread_barrier_t barrier;
    atomic_bool over;
};

/* Of the round under way, for the message of a failure. */
static atomic_ullong current_seed;

void stress_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("stress: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nstress: again with STRESS_SEED=%llu\n",
            (unsigned long long)atomic_load(&current_seed));
    _exit(1);
}

/* splitmix64 */
uint64_t stress_random(uint64_t *state) {
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* ---- A round --------------------------------------------------------------------------------- */

/* Of 2 to 6 levels, where tables are written by the CPU: none may be larger than a page, not even
 * with two entries each. */
static const uint64_t page_sized_tables[] = {
    [2] = 0x0909, [3] = 0x090809, [4] = 0x09090809, [5] = 0x0909090809, [6] = 0x040404060809};

static void open_round(struct round *round) {
    uint64_t random = round->seed;
    uint64_t levels = 2 + stress_random(&random) % 5, mode = stress_random(&random) % 3;
    /* Bits at random: large pages, without which none are zero, and a TLB that caches what is not
     * mapped. The largest TLB forgets nothing by itself. */
    uint64_t features = 0x7 | (stress_random(&random) & 0x18);
    uint64_t sets = 64 << stress_random(&random) % 9;
    const struct vidmm_host_setting settings[] = {
        {"VramBytes", (32 + stress_random(&random) % 32) * MIB},
        {"ApertureBytes", (96 + stress_random(&random) % 64) * MIB},
        {"MmuLevels", levels},
        {"MmuPages", stress_random(&random) % 3},
        {"MmuFeatures", features},
        {"TlbSets", sets},
        {"MmuUpdateMode", mode},
        {"MmuIndexBits", mode ? 0 : page_sized_tables[levels]},
        {"PagingBufferBytes", 4096 << stress_random(&random) % 5},
        {"InterfaceVersion",
         round->tracked ? DXGKDDI_INTERFACE_VERSION_WDDM3_2 : DXGKDDI_INTERFACE_VERSION_WDDM2_0},
        {"DirtyPageBytes", round->tracked ? 4096 << stress_random(&random) % 5 * 2 : 0},
    };
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = settings,
                                           .setting_count = sizeof(settings) / sizeof(settings[0]),
                                           .seed = round->seed,
                                           .threads = round->threads};
    const struct vidmm_adapter_config adapter = {.model = VIDMM_MODEL_GPUMMU,
                                                 .hang_ns = UINT64_C(60000000000)};
    char text[512];
    if (vidmm_harness_open(&host, &adapter, &round->harness, text, sizeof(text)) !=
        VIDMM_HARNESS_OK)
        stress_fail("%s", text);
    for (uint32_t i = 0; i < ACTORS; i++)
        actor_start(&round->actors[i], round->harness.adapter, names[i], round->seed * ACTORS + i);
    for (uint32_t k = 0; k < HARVESTS && round->tracked; k++)
        harvest_start(&round->harvest[k], round->harness.adapter, round->seed + k, round->threads);
    for (uint32_t i = 0; i < ACTORS && round->tracked; i++)
        round->actors[i].harvest = round->harvest;
}

static void check_share(const struct actor *actor) {
    struct vidmm_budget local;
    vidmm_process_budget(actor->process, 0, VIDMM_GROUP_LOCAL, &local);
    uint64_t held = actor_held(actor), most = local.budget * SHARE_PERCENT / 100;
    if (local.usage < local.budget)
        stress_fail("%s lists %llu bytes, less than its budget of %llu", actor->name,
                    (unsigned long long)local.usage, (unsigned long long)local.budget);
    if (held + most < local.budget || held > local.budget + most)
        stress_fail("%s holds %llu bytes of local memory; its budget is %llu", actor->name,
                    (unsigned long long)held, (unsigned long long)local.budget);
}

static void play_alone(struct round *round) {
    for (uint32_t i = 0; i < STEPS * ACTORS; i++)
        actor_step(&round->actors[i % ACTORS]);
    for (uint32_t i = 0; i < ACTORS; i++)
        actor_want(&round->actors[i], 24 * MIB);
    for (uint32_t i = 0; i < SETTLE * ACTORS; i++)
        actor_submit(&round->actors[i % ACTORS]);
    for (uint32_t i = 0; i < ACTORS; i++)
        check_share(&round->actors[i]);
    for (uint32_t i = 0; i < ACTORS; i++)
        actor_end(&round->actors[i]);
}

struct part {
    struct round *round;
    struct actor *actor;
};

static void *play(void *ctx) {
    const struct part *part = ctx;
    struct actor *actor = part->actor;
    for (uint32_t i = 0; i < STEPS; i++)
        actor_step(actor);
    pthread_barrier_wait(&part->round->barrier);
    actor_want(actor, 24 * MIB);
    for (uint32_t i = 0; i < SETTLE; i++) {
        pthread_barrier_wait(&part->round->barrier);
        actor_submit(actor);
    }
    pthread_barrier_wait(&part->round->barrier);
    check_share(actor);
    pthread_barrier_wait(&part->round->barrier);
    actor_end(actor);
    return NULL;
}

/* Livelock, deadlock: steps are no longer made. */
static void *watch(void *ctx) {
    struct round *round = ctx;
    uint64_t last = 0;
    for (uint32_t idle = 0; !atomic_load(&round->over); sleep(1)) {
        uint64_t steps = 0;
        for (uint32_t i = 0; i < ACTORS; i++)
            steps += atomic_load(&round->actors[i].steps);
        idle = steps == last ? idle + 1 : 0;
        last = steps;
        if (idle == PATIENCE)
            stress_fail("nobody made a step for %u seconds", PATIENCE);
    }
    return NULL;
}

static void play_together(struct round *round) {
    pthread_t threads[ACTORS], watcher;
    struct part parts[ACTORS];
    pthread_barrier_init(&round->barrier, NULL, ACTORS);
    if (pthread_create(&watcher, NULL, watch, round) != 0)
        stress_fail("no thread");
    for (uint32_t i = 0; i < ACTORS; i++) {
        parts[i] = (struct part){round, &round->actors[i]};
        if (pthread_create(&threads[i], NULL, play, &parts[i]) != 0)
            stress_fail("no thread");
    }
    for (uint32_t i = 0; i < ACTORS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&round->over, true);
    pthread_join(watcher, NULL);
    pthread_barrier_destroy(&round->barrier);
}

static void report(const struct round *round) {
    const struct actor *slowest = &round->actors[0];
    uint64_t checked = 0;
    unsigned long long reported = 0;
    for (uint32_t k = 0; k < HARVESTS; k++)
        reported += atomic_load(&round->harvest[k].reported);
    for (uint32_t i = 0; i < ACTORS; i++) {
        checked += round->actors[i].checked_bytes;
        if (round->actors[i].longest_ns > slowest->longest_ns)
            slowest = &round->actors[i];
    }
    printf("seed %llu, %s: %llu MiB checked, %llu dirty pages reported; the longest request took "
           "%.1f ms: %.40s\n",
           (unsigned long long)round->seed, round->threads ? "threads" : "one thread",
           (unsigned long long)(checked / MIB), reported, (double)slowest->longest_ns / 1e6,
           slowest->longest);
    fflush(stdout);
}

static void play_round(uint64_t seed) {
    struct round *round = calloc(1, sizeof(*round));
    char text[512];
    if (!round)
        stress_fail("out of memory");
    round->seed = seed;
    round->threads = seed % 2;
    round->tracked = seed / 2 % 2;
    atomic_store(&current_seed, seed);
    open_round(round);
    if (round->threads)
        play_together(round);
    else
        play_alone(round);
    for (uint32_t k = 0; k < HARVESTS && round->tracked; k++)
        harvest_stop(&round->harvest[k]);
    if (vidmm_harness_close(&round->harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        stress_fail("%s", text);
    report(round);
    free(round);
}

int main(void) {
    const char *seconds = getenv("STRESS_SECONDS"), *again = getenv("STRESS_SEED");
    uint64_t limit = seconds ? strtoull(seconds, NULL, 0) : 60;
    time_t begin = time(NULL);
    uint64_t seed = (uint64_t)begin % 1000000 * 1000;
    if (again) {
        play_round(strtoull(again, NULL, 0));
        return 0;
    }
    do {
        play_round(seed++);
    } while ((uint64_t)(time(NULL) - begin) < limit);
    return 0;
}
