/*
 * moves.c - paging in and out by VIRTUAL_TRANSFER beside the bytes it moves: places of one piece
 * and places scattered over a segment in holes of one page, system pages likewise.
 *
 * The whole way (decide, scratch page tables, flush, build, submit, execute, show, fence) and loops
 * that are no part of it over the same pieces (loops.h) take turns in one run; figures are medians,
 * the best loop's counts, and ratios are what matters.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"

#define TOTAL (128 * BENCH_MIB)

/* Pages that follow each other on both sides. */
struct piece {
    unsigned char *gpu, *system;
    size_t bytes;
};

struct setup {
    struct vidmm_harness harness;
    struct bench_process process;
    struct vidmm_allocation **allocation;
    uint32_t count;
    uint64_t block; /* bytes of each */
    struct piece *piece;
    uint64_t pieces;
};

/* ---- Bare copies ----------------------------------------------------------------------------- */

static void find_pieces(struct setup *s) {
    const uint64_t pages = s->block / PAGE_SIZE;
    s->pieces = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        PMDL mdl = vidmm_allocation_backing(s->allocation[i]);
        for (uint64_t page = 0; page < pages; page++) {
            uint64_t offset;
            uint32_t segment = vidmm_allocation_page(s->allocation[i], page, &offset);
            unsigned char *gpu = bench_segment_page(&s->harness, segment, offset);
            unsigned char *system = bench_system_page(&s->harness, mdl, page);
            struct piece *last = page ? &s->piece[s->pieces - 1] : NULL;
            if (last && last->gpu + last->bytes == gpu && last->system + last->bytes == system)
                last->bytes += PAGE_SIZE;
            else
                s->piece[s->pieces++] = (struct piece){gpu, system, PAGE_SIZE};
        }
    }
}

static double bare(const struct setup *s, unsigned loop, bool out) {
    double start = bench_now();
    for (uint64_t i = 0; i < s->pieces; i++) {
        const struct piece *piece = &s->piece[i];
        loops_copy(loop, out ? piece->system : piece->gpu, out ? piece->gpu : piece->system,
                   piece->bytes);
    }
    return bench_now() - start;
}

/* ---- The whole way --------------------------------------------------------------------------- */

static double page_in(struct setup *s) {
    double start = bench_now();
    bench_process_touch(&s->harness, &s->process);
    return bench_now() - start;
}

static double page_out(struct setup *s) {
    double start = bench_now();
    bench_must(vidmm_evict_all(s->harness.adapter), "vidmm_evict_all");
    return bench_now() - start;
}

static void start(struct setup *s, uint64_t block, bool scattered, bool mapped) {
    const struct vidmm_host_setting settings[] = {
        {"MmuLevels", 4}, {"VramBytes", 2 * TOTAL}, {"PagingBufferBytes", BENCH_MIB}};
    bench_open(&s->harness, settings, 3, 0, scattered);
    bench_process_start(&s->harness, &s->process);
    if (scattered)
        bench_fragment(&s->process, TOTAL);
    s->block = block;
    s->count = (uint32_t)(TOTAL / block);
    s->allocation = bench_zeroed(s->count, sizeof(struct vidmm_allocation *));
    s->piece = bench_zeroed(TOTAL / PAGE_SIZE, sizeof(*s->piece));
    for (uint32_t i = 0; i < s->count; i++) {
        s->allocation[i] = bench_allocation(s->process.device, block, VIDMM_UMD_LOCAL_ONLY);
        if (mapped)
            (void)bench_map(&s->process, s->allocation[i], block);
    }
    bench_make_resident(&s->process, s->allocation, s->count);
    bench_process_touch(&s->harness, &s->process);
}

static void stop(struct setup *s) {
    bench_process_stop(&s->process);
    bench_close(&s->harness);
    free(s->allocation);
    free(s->piece);
}

static struct bench_row print(const struct setup *s, const char *kind, struct bench_series *path,
                              struct bench_series *raw) {
    double whole = bench_median(path), kernel = bench_median(&raw[0]);
    unsigned best = 0;
    for (unsigned loop = 1; loop < LOOPS_COPY; loop++) {
        double other = bench_median(&raw[loop]);
        best = other < kernel ? loop : best;
        kernel = other < kernel ? other : kernel;
    }
    printf("  %-8s %6llu KiB  loop %5.1f GB/s  path %5.1f GB/s  ratio %.2f (%s)\n", kind,
           (unsigned long long)(s->block / 1024), (double)TOTAL / kernel * 1e-9,
           (double)TOTAL / whole * 1e-9, kernel / whole, loops_copy_name(best));
    return (struct bench_row){.unit = BENCH_BYTES_PER_SECOND,
                              .limit = (double)TOTAL / kernel,
                              .ours = (double)TOTAL / whole,
                              .goal = s->block < 2 * BENCH_MIB ? 0.9 : 0.95};
}

/* In the table; NULL: not there. */
static const char *row_name(uint64_t block, bool scattered) {
    if (block == 65536)
        return scattered ? "lists 4 KiB, in 64 KiB" : "virtual copy 64 KiB";
    if (block == 2 * BENCH_MIB)
        return scattered ? "lists 4 KiB" : "virtual copy 2 MiB";
    return NULL;
}

static void measure(uint64_t block, bool scattered, bool mapped) {
    struct setup s;
    struct bench_series in, out, bare_in[LOOPS_COPY], bare_out[LOOPS_COPY];
    start(&s, block, scattered, mapped);
    for (int r = 0; r < bench_rounds(); r++) {
        find_pieces(&s);
        for (unsigned loop = 0; loop < LOOPS_COPY; loop++)
            bare_out[loop].value[r] = bare(&s, loop, true);
        out.value[r] = page_out(&s);
        in.value[r] = page_in(&s);
        find_pieces(&s);
        for (unsigned loop = 0; loop < LOOPS_COPY; loop++)
            bare_in[loop].value[r] = bare(&s, loop, false);
    }
    struct bench_row row_in = print(&s, "page-in", &in, bare_in);
    struct bench_row row_out = print(&s, "page-out", &out, bare_out);
    struct bench_row row = bench_worse(&row_in, &row_out);
    row.work = row_name(block, scattered);
    if (!mapped && row.work)
        bench_row(&row);
    stop(&s);
}

int main(void) {
    static const uint64_t blocks[] = {65536, 2 * BENCH_MIB, 64 * BENCH_MIB};
    printf("VIRTUAL_TRANSFER against the best of %u loops, medians of %d (goal: ratio 0.95)\n",
           LOOPS_COPY, bench_rounds());
    for (int scattered = 0; scattered < 2; scattered++) {
        for (int mapped = 0; mapped < 2; mapped++) {
            printf("%s pages, %s\n", scattered ? "Scattered" : "Following",
                   mapped ? "mapped in the process too" : "mapped nowhere else");
            for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
                measure(blocks[i], scattered, mapped);
        }
    }
    return 0;
}
