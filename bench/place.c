/*
 * bench-place: what placing ranges in a segment costs, and how well it uses the space.
 *
 * Workload: a segment of 4 KiB pages filled to 90 % with ranges of log-uniform size between 4 KiB
 * and 64 MiB, each in a slot; then a slot is chosen at random again and again, its range given back
 * and another size asked for. A request that fails leaves its slot empty and counts as failed
 * bytes. 1000 live ranges make a segment of about 7 GiB; more live ranges make a larger segment.
 *
 * Printed are medians of RUNS interleaved runs: nanoseconds a (free + alloc) pair, failed bytes,
 * and the same for a plain list of holes searched for the lowest that fits (the textbook's first
 * fit), which is the ratio to keep: nanoseconds differ between machines and hours. Then the tail of
 * single calls, the cost with 64 KiB alignment, bookkeeping per live range, and the growth with the
 * number of live ranges.
 *
 * usage: bench-place [largest number of live ranges, default 1000000]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <x86intrin.h>

#include "memory/placer.h"
#include "rows.h"

#define RUNS          5
#define PAGE          4096ull
#define LARGEST_PAGES 16384.0
#define FILL          0.9
#define PAIRS         200000u

/* ---- The world ------------------------------------------------------------------------------- */

static void *bench_alloc(void *ctx, size_t size) {
    (void)ctx;
    return calloc(1, size);
}

static void bench_free(void *ctx, void *block, size_t size) {
    (void)ctx;
    (void)size;
    free(block);
}

static const struct vidmm_os bench_os = {.alloc = bench_alloc, .free = bench_free};

static uint64_t seed = 1;

static uint64_t random64(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}

static uint32_t random_pages(void) {
    double unit = (double)(random64() >> 11) / 9007199254740992.0;
    double pages = exp(unit * log(LARGEST_PAGES));
    return pages < 1 ? 1u : (uint32_t)pages;
}

/* Of this thread, so that other work on the machine does not count; a tail is in `CLOCK_MONOTONIC`. */
static double now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- First fit, the baseline ----------------------------------------------------------------- */

/* Holes in address order. */
struct hole {
    uint32_t start, pages;
};

struct first_fit {
    struct hole *holes;
    uint32_t count;
};

static uint32_t first_fit_alloc(struct first_fit *f, uint32_t pages) {
    for (uint32_t i = 0; i < f->count; i++) {
        struct hole *hole = &f->holes[i];
        if (hole->pages < pages)
            continue;
        uint32_t start = hole->start;
        hole->start += pages;
        hole->pages -= pages;
        if (hole->pages == 0)
            memmove(hole, hole + 1, (--f->count - i) * sizeof(*hole));
        return start;
    }
    return UINT32_MAX;
}

static void first_fit_free(struct first_fit *f, uint32_t start, uint32_t pages) {
    uint32_t i = 0, end = f->count;
    while (i < end) {
        uint32_t middle = (i + end) / 2u;
        if (f->holes[middle].start < start)
            i = middle + 1u;
        else
            end = middle;
    }
    bool left = i > 0 && f->holes[i - 1u].start + f->holes[i - 1u].pages == start;
    bool right = i < f->count && start + pages == f->holes[i].start;
    if (left && right) {
        f->holes[i - 1u].pages += pages + f->holes[i].pages;
        memmove(&f->holes[i], &f->holes[i + 1u], (--f->count - i) * sizeof(*f->holes));
    } else if (left) {
        f->holes[i - 1u].pages += pages;
    } else if (right) {
        f->holes[i] = (struct hole){start, f->holes[i].pages + pages};
    } else {
        memmove(&f->holes[i + 1u], &f->holes[i], (f->count++ - i) * sizeof(*f->holes));
        f->holes[i] = (struct hole){start, pages};
    }
}

/* ---- One run --------------------------------------------------------------------------------- */

struct slot {
    struct placer_block *block; /* ours */
    uint32_t start, pages;      /* the baseline's; start UINT32_MAX: empty */
};

struct figures {
    double ns;       /* a pair */
    double failed;   /* bytes, per cent */
    double tail;     /* ns, 99.9th percentile of a call */
    double metadata; /* bytes a live range */
};

struct run {
    bool ours, tail;
    uint64_t alignment;
    uint32_t live;
    struct placer *placer;
    struct first_fit baseline;
    struct slot *slots;
    uint32_t *sizes, *choices; /* PAIRS each, drawn beforehand */
    double asked, failed;
};

static bool slot_fill(struct run *run, struct slot *slot, uint32_t pages) {
    slot->pages = pages;
    if (!run->ours) {
        slot->start = first_fit_alloc(&run->baseline, pages);
        return slot->start != UINT32_MAX;
    }
    struct placer_request request = {.size = pages * PAGE, .alignment = run->alignment};
    slot->block = NULL;
    return placer_alloc(run->placer, &request, &slot->block) == PLACER_OK;
}

static void slot_empty(struct run *run, struct slot *slot) {
    if (run->ours && slot->block)
        placer_free(run->placer, slot->block);
    else if (!run->ours && slot->start != UINT32_MAX)
        first_fit_free(&run->baseline, slot->start, slot->pages);
}

static void churn(struct run *run, uint64_t *ticks) {
    for (uint32_t i = 0; i < PAIRS; i++) {
        struct slot *slot = &run->slots[run->choices[i]];
        uint64_t t0 = ticks ? __rdtsc() : 0;
        slot_empty(run, slot);
        uint64_t t1 = ticks ? __rdtsc() : 0;
        bool placed = slot_fill(run, slot, run->sizes[i]);
        if (ticks) {
            ticks[2 * i] = t1 - t0;
            ticks[2 * i + 1] = __rdtsc() - t1;
        }
        run->asked += run->sizes[i];
        run->failed += placed ? 0 : run->sizes[i];
    }
}

static int by_ticks(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t segment_pages(uint32_t live) {
    double mean = (LARGEST_PAGES - 1) / log(LARGEST_PAGES);
    return (uint64_t)(live * mean / FILL);
}

static void set_up(struct run *run) {
    uint64_t pages = segment_pages(run->live);
    run->slots = calloc(run->live, sizeof(*run->slots));
    run->sizes = malloc(PAIRS * sizeof(*run->sizes));
    run->choices = malloc(PAIRS * sizeof(*run->choices));
    for (uint32_t i = 0; i < PAIRS; i++) {
        run->sizes[i] = random_pages();
        run->choices[i] = (uint32_t)(random64() % run->live);
    }
    if (run->ours) {
        run->placer = malloc(sizeof(*run->placer));
        placer_init(run->placer, &bench_os, pages * PAGE, PAGE);
    } else {
        run->baseline.holes = malloc((run->live + 1u) * sizeof(*run->baseline.holes));
        run->baseline.holes[run->baseline.count++] = (struct hole){0, (uint32_t)pages};
    }
    for (uint32_t i = 0; i < run->live; i++)
        slot_fill(run, &run->slots[i], random_pages());
}

static void tear_down(struct run *run) {
    if (run->ours)
        placer_destroy(run->placer);
    free(run->placer);
    free(run->baseline.holes);
    free(run->slots);
    free(run->sizes);
    free(run->choices);
}

static struct figures measure(struct run run, uint64_t number) {
    seed = 0x9e3779b97f4a7c15ull * (number + 1u);
    set_up(&run);
    uint64_t *ticks = run.tail ? malloc(2 * PAIRS * sizeof(*ticks)) : NULL;
    churn(&run, ticks); /* to the steady state, and `ticks` into memory */
    run.asked = run.failed = 0;
    double start = now_ns(CLOCK_THREAD_CPUTIME_ID), wall = now_ns(CLOCK_MONOTONIC);
    uint64_t start_ticks = __rdtsc();
    churn(&run, ticks);
    double ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    double tick = (now_ns(CLOCK_MONOTONIC) - wall) / (double)(__rdtsc() - start_ticks);
    struct figures figures = {.ns = ns / PAIRS, .failed = 100 * run.failed / run.asked};
    if (ticks) {
        qsort(ticks, 2 * PAIRS, sizeof(*ticks), by_ticks);
        figures.tail = (double)ticks[2 * PAIRS / 1000 * 999] * tick;
        free(ticks);
    }
    if (run.ours && run.placer->taken != 0)
        figures.metadata = (double)run.placer->metadata / run.placer->taken;
    tear_down(&run);
    return figures;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values) {
    qsort(values, RUNS, sizeof(*values), by_value);
    return values[RUNS / 2];
}

/* Medians of RUNS runs of each of `count` set-ups, interleaved. */
static void measure_all(const struct run *runs, struct figures *medians, size_t count) {
    struct figures all[RUNS][4];
    for (uint32_t i = 0; i < RUNS; i++) {
        for (size_t j = 0; j < count; j++)
            all[i][j] = measure(runs[j], i);
    }
    for (size_t j = 0; j < count; j++) {
        double ns[RUNS], failed[RUNS], tail[RUNS], metadata[RUNS];
        for (uint32_t i = 0; i < RUNS; i++) {
            ns[i] = all[i][j].ns;
            failed[i] = all[i][j].failed;
            tail[i] = all[i][j].tail;
            metadata[i] = all[i][j].metadata;
        }
        medians[j] = (struct figures){median(ns), median(failed), median(tail), median(metadata)};
    }
}

static void compare(uint32_t live) {
    const struct run runs[] = {{.live = live},
                               {.ours = true, .live = live},
                               {.ours = true, .live = live, .alignment = 65536},
                               {.ours = true, .live = live, .tail = true}};
    struct figures f[4];
    measure_all(runs, f, 4);
    printf("%u live ranges, %.1f GiB\n", live, (double)segment_pages(live) * PAGE / (1u << 30));
    printf("  first fit          %8.1f ns a pair  %5.2f %% of the bytes failed\n", f[0].ns,
           f[0].failed);
    printf("  placer             %8.1f ns a pair  %5.2f %%  (%.3fx the time, %.2fx the failures)\n",
           f[1].ns, f[1].failed, f[1].ns / f[0].ns, f[1].failed / f[0].failed);
    printf("  placer, 64 KiB     %8.1f ns a pair  %5.2f %%\n", f[2].ns, f[2].failed);
    printf("  placer, one call   %8.1f ns at the 99.9th percentile (with the clock's own cost)\n",
           f[3].tail);
    printf("  bookkeeping        %8.1f bytes a live range\n", f[1].metadata);
}

static void growth(uint32_t most) {
    double smallest = 0;
    for (uint32_t live = 1000; live <= most; live *= 10) {
        const struct run run = {.ours = true, .live = live};
        struct figures f;
        measure_all(&run, &f, 1);
        smallest = live == 1000 ? f.ns : smallest;
        printf("  %8u live  %8.1f ns a pair  (%.1fx of 1000 live)  %5.2f %% failed  %.1f bytes\n",
               live, f.ns, f.ns / smallest, f.failed, f.metadata);
        if (live == 1000000)
            bench_row(&(struct bench_row){"placement at 1e6 over 1e3", BENCH_SECONDS,
                                          smallest * 1e-9, f.ns * 1e-9, 4});
    }
}

int main(int argc, char **argv) {
    compare(1118); /* 8 GiB */
    printf("growth\n");
    growth(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000u);
    return 0;
}
