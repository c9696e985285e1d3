/*
 * tables.c - page table entries a second through the whole way of UPDATE_PAGE_TABLE: the manager's
 * plan, DxgkDdiBuildPagingBuffer, the submission, the software GPU's command, the fence.
 *
 * Held against the bare stores of as many 64-bit entries, from a first page or from a list of
 * pages, leaf table after leaf table, in turn in one run; figures are medians, and ratios are what
 * counts. And against bare passes: the DDI has an entry made as a DXGK_PTE by the system, read from
 * there by the driver, which writes it, or a word of the paging buffer that the GPU reads and
 * writes to the table; and every entry of a fresh table is invalid first. No implementation of it,
 * however it is written, does less (but where pages follow each other: the driver can give the GPU
 * one word for a table of them). Ranges are of 16384 pages, and of 1 to 64; all of a round are mapped
 * on a queue that gathers them, and the fence of the last is waited for, so that calls, flush and
 * fence count. Pages follow each other in a segment, or are a list of system pages, or lie scattered
 * over a segment in holes of one page. How many entries the way wrote is what vidmm_stats says, so
 * fresh tables and the entries that lead to them count too.
 *
 * usage: bench-tables [only this MmuUpdateMode]
 */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LONG_PAGES   16384u
#define SHORT_MOST   64u
#define SHORT_RANGES 448u
#define LEAF         512u
#define REPEATS      20u /* a round is short */
#define PASSES       16u /* of bare stores, beside which reading the clock takes long */

enum pages { PAGES_FOLLOWING, PAGES_LISTED, PAGES_SCATTERED };

/* Ranges to map, all of one kind of pages, and what bare stores of the same need. */
struct ranges {
    uint32_t count;
    uint32_t *pages;
    struct vidmm_allocation **allocation;
    uint64_t *va;
    uint64_t total;  /* pages */
    uint64_t *table; /* of the bare stores */
    uint64_t *list;  /* page numbers */
    /* Of the bare passes: entries of one table, and words of a paging buffer. */
    DXGK_PTE *entries;
    uint64_t *buffer;
};

/* ---- Bare stores ----------------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) &&                  \
    !defined(__SANITIZE_THREAD__)
#define FASTEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FASTEST
#endif

FASTEST static void store_following(uint64_t *restrict entry, uint64_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        entry[i] = ((first + i) << PAGE_SHIFT) | 1u;
}

FASTEST static void store_listed(uint64_t *restrict entry, const uint64_t *restrict page,
                                 uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        entry[i] = (page[i] << PAGE_SHIFT) | 1u;
}

/* The entries of all ranges, a leaf table at a time. */
static void store(const struct ranges *ranges, enum pages kind) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        for (uint32_t done = 0, part; done < ranges->pages[i]; done += part, at += part) {
            uint32_t left = ranges->pages[i] - done, room = LEAF - (uint32_t)(at % LEAF);
            part = left < room ? left : room;
            if (kind == PAGES_FOLLOWING)
                store_following(ranges->table + at, ranges->list[at], part);
            else
                store_listed(ranges->table + at, ranges->list + at, part);
        }
    }
}

FASTEST static void pass_clear(uint64_t *restrict entry, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        entry[i] = 0;
}

FASTEST static void pass_make(DXGK_PTE *restrict to, const uint64_t *restrict page,
                              uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        to[i].Flags = 1;
        to[i].PageAddress = page[i];
    }
}

FASTEST static void pass_encode(uint64_t *restrict word, const DXGK_PTE *restrict from,
                                uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        word[i] = (from[i].PageAddress << PAGE_SHIFT) | (from[i].Flags & 1u);
}

FASTEST static void pass_store(uint64_t *restrict entry, const uint64_t *restrict word,
                               uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        entry[i] = word[i];
}

/* As far as the hand goes from the system to the table, and nothing else. */
static void pass(const struct ranges *ranges, uint64_t at, uint32_t count, bool by_cpu) {
    pass_clear(ranges->table + at, count);
    pass_make(ranges->entries, ranges->list + at, count);
    pass_encode(by_cpu ? ranges->table + at : ranges->buffer + at, ranges->entries, count);
    if (!by_cpu)
        pass_store(ranges->table + at, ranges->buffer + at, count);
}

/* Seconds an entry, of which a fresh table is given two. */
static double passes(const struct ranges *ranges, bool by_cpu) {
    double start = bench_now();
    for (uint32_t again = 0; again < PASSES; again++)
        for (uint64_t at = 0; at < ranges->total; at += LEAF)
            pass(ranges, at, (uint32_t)(ranges->total - at < LEAF ? ranges->total - at : LEAF),
                 by_cpu);
    return (bench_now() - start) / (double)(2 * PASSES * ranges->total);
}

/* Seconds an entry. */
static double raw(const struct ranges *ranges, enum pages kind) {
    double start = bench_now();
    for (uint32_t pass = 0; pass < PASSES; pass++)
        store(ranges, kind);
    return (bench_now() - start) / (double)(PASSES * ranges->total);
}

/* ---- The whole way --------------------------------------------------------------------------- */

static uint64_t entries_written(const struct vidmm_harness *harness) {
    struct vidmm_stats stats;
    vidmm_stats(harness->adapter, &stats);
    return stats.op_bytes[VIDMM_OP_UPDATE_PAGE_TABLE] / sizeof(DXGK_PTE);
}

/* Seconds an entry, of mapping or of freeing all ranges. */
static double path(const struct vidmm_harness *harness, struct bench_process *process,
                   struct ranges *ranges, bool map) {
    uint64_t before = entries_written(harness);
    double start = bench_now();
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint64_t bytes = (uint64_t)ranges->pages[i] * PAGE_SIZE;
        if (map)
            ranges->va[i] = bench_map(process, ranges->allocation[i], bytes);
        else
            bench_must(vidmm_va_free(process->process, ranges->va[i], bytes), "vidmm_va_free");
    }
    if (map)
        bench_reach(process);
    double seconds = bench_now() - start;
    return seconds / (double)(entries_written(harness) - before);
}

/* ---- In the table of all ----------------------------------------------------------------------- */

/* The worst of all modes and kinds of pages, by length of the ranges. */
static struct bench_row worst[2] = {
    {"page tables, short ranges", BENCH_ENTRIES_PER_SECOND, 1, 1, 0.1},
    {"page tables, long ranges", BENCH_ENTRIES_PER_SECOND, 1, 1, 0.3}};

static void keep_worst(bool is_long, double stores, double mapped) {
    struct bench_row row = worst[is_long];
    row.limit = 1 / stores;
    row.ours = 1 / mapped;
    worst[is_long] = bench_worse(&worst[is_long], &row);
}

/* ---- One figure ------------------------------------------------------------------------------ */

static void make_ranges(struct bench_process *process, struct ranges *ranges, enum pages kind,
                        bool is_long) {
    ranges->count = is_long ? 1 : SHORT_RANGES;
    ranges->pages = bench_zeroed(ranges->count, sizeof(*ranges->pages));
    ranges->va = bench_zeroed(ranges->count, sizeof(*ranges->va));
    ranges->allocation = bench_zeroed(ranges->count, sizeof(struct vidmm_allocation *));
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t flags = kind == PAGES_LISTED ? 0 : VIDMM_UMD_LOCAL_ONLY;
        ranges->pages[i] = is_long ? LONG_PAGES : 1 + i * 37u % SHORT_MOST;
        ranges->total += ranges->pages[i];
        ranges->allocation[i] =
            bench_allocation(process->device, (uint64_t)ranges->pages[i] * PAGE_SIZE, flags);
    }
    bench_make_resident(process, ranges->allocation, ranges->count);
    ranges->table = bench_zeroed(ranges->total, sizeof(*ranges->table));
    ranges->list = bench_zeroed(ranges->total, sizeof(*ranges->list));
    ranges->entries = bench_zeroed(LEAF, sizeof(*ranges->entries));
    ranges->buffer = bench_zeroed(ranges->total, sizeof(*ranges->buffer));
    uint64_t at = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        PMDL mdl = vidmm_allocation_backing(ranges->allocation[i]);
        for (uint64_t page = 0, offset = 0; page < ranges->pages[i]; page++) {
            bool listed = vidmm_allocation_page(ranges->allocation[i], page, &offset) == 0 ||
                          kind == PAGES_LISTED;
            ranges->list[at++] = listed ? MmGetMdlPfnArray(mdl)[page] : offset >> PAGE_SHIFT;
        }
    }
}

static void drop_ranges(struct ranges *ranges) {
    for (uint32_t i = 0; i < ranges->count; i++)
        vidmm_allocation_destroy(ranges->allocation[i]);
    free(ranges->pages);
    free(ranges->va);
    free(ranges->allocation);
    free(ranges->table);
    free(ranges->list);
    free(ranges->entries);
    free(ranges->buffer);
}

static void measure(uint64_t mode, enum pages kind, bool is_long) {
    static const char *const names[] = {"following", "listed", "scattered"};
    const uint64_t bytes = (uint64_t)LONG_PAGES * PAGE_SIZE;
    const struct vidmm_host_setting settings[] = {
        {"MmuLevels", 4},
        {"MmuUpdateMode", mode},
        {"VramBytes", 2 * bytes},
        {"PagingBufferBytes", BENCH_MIB},
    };
    struct vidmm_harness harness;
    struct bench_process process;
    struct ranges ranges = {0};
    struct bench_series map = {{0}}, unmap = {{0}}, bare = {{0}}, hands = {{0}};
    bench_open(&harness, settings, 4, 0, 1);
    bench_process_start(&harness, &process);
    bench_must(vidmm_paging_queue_gather(process.queue, true), "vidmm_paging_queue_gather");
    if (kind == PAGES_SCATTERED)
        bench_fragment(&process, bytes);
    make_ranges(&process, &ranges, kind, is_long);
    for (uint32_t r = 0; r < (uint32_t)bench_rounds() * REPEATS; r++) {
        uint32_t round = r / REPEATS;
        map.value[round] += path(&harness, &process, &ranges, true) / REPEATS;
        bare.value[round] += raw(&ranges, kind) / REPEATS;
        hands.value[round] += passes(&ranges, mode == 0) / REPEATS;
        unmap.value[round] += path(&harness, &process, &ranges, false) / REPEATS;
    }
    double stores = bench_median(&bare), mapped = bench_median(&map);
    double limit = bench_median(&hands);
    printf("  %-9s %-5s  stores %5.0f  passes %4.0f  map %4.0f  free %4.0f M/s"
           "  map to stores %.4f  to passes %.3f\n",
           names[kind], is_long ? "long" : "short", 1e-6 / stores, 1e-6 / limit, 1e-6 / mapped,
           1e-6 / bench_median(&unmap), stores / mapped, limit / mapped);
    keep_worst(is_long, stores, mapped);
    drop_ranges(&ranges);
    bench_process_stop(&process);
    bench_close(&harness);
}

int main(int argc, char **argv) {
    uint64_t only = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;
    static const char *const modes[] = {"by the CPU", "by GPU virtual address",
                                        "by physical address"};
    printf("Entries a second through UPDATE_PAGE_TABLE, medians of %d (goal: 0.9 of the stores)\n",
           bench_rounds());
    for (uint64_t mode = 0; mode < 3; mode++) {
        if (only < 3 && only != mode)
            continue;
        printf("Tables updated %s:\n", modes[mode]);
        for (enum pages kind = PAGES_FOLLOWING; kind <= PAGES_SCATTERED; kind++) {
            measure(mode, kind, true);
            measure(mode, kind, false);
        }
    }
    bench_row(&worst[false]);
    bench_row(&worst[true]);
    return 0;
}
