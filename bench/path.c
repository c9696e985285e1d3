/*
 * path.c - what the whole way of a paging operation costs beside the bytes it moves.
 *
 * For blocks of 4 KiB to 64 MiB: a set of allocations is paged in, filled and paged out by the
 * manager through the reference driver and the software GPU (decide, build, submit, execute,
 * fence), and right after that loops that are no part of them (loops.h) move the same bytes between
 * the same places. All are repeated in turn in one run; the figures are medians, the best loop's
 * counts, and the ratio is what matters (absolute figures move with the machine).
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "loops.h"

#define BATCH 64u

struct setup {
    struct vidmm_harness harness;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_allocation **allocations;
    uint32_t count;
    uint64_t block;
};

static void open_setup(struct setup *s, uint64_t total, uint64_t seed) {
    const struct vidmm_host_setting settings[] = {{"VramBytes", total + 64 * BENCH_MIB},
                                                  {"ApertureBytes", 256 * BENCH_MIB},
                                                  {"PagingBufferBytes", BENCH_MIB}};
    bench_open(&s->harness, settings, 3, 0, seed);
    bench_must(vidmm_device_create(s->harness.adapter, &s->device), "vidmm_device_create");
    bench_must(vidmm_context_create(s->device, 0, 0, &s->context), "vidmm_context_create");
}

static void make_allocations(struct setup *s, uint64_t total) {
    s->count = (uint32_t)(total / s->block);
    s->allocations = bench_zeroed(s->count, sizeof(struct vidmm_allocation *));
    for (uint32_t i = 0; i < s->count; i++)
        s->allocations[i] = bench_allocation(s->device, s->block, VIDMM_UMD_LOCAL_ONLY);
}

/* Has everything resident, and told to be written by the GPU, so that paging out has to move it. */
static void page_in(struct setup *s) {
    struct vidmm_reference references[BATCH];
    uint64_t fence = 0;
    for (uint32_t first = 0; first < s->count; first += BATCH) {
        uint32_t n = s->count - first < BATCH ? s->count - first : BATCH;
        struct vidmm_submission submission = {.references = references, .count = n};
        for (uint32_t i = 0; i < n; i++)
            references[i] = (struct vidmm_reference){s->allocations[first + i], true};
        bench_must(vidmm_submit(s->context, &submission, &fence), "vidmm_submit");
    }
    bench_must(vidmm_wait_idle(s->harness.adapter), "vidmm_wait_idle");
}

static void drop(struct setup *s) {
    for (uint32_t i = 0; i < s->count; i++)
        bench_must(vidmm_allocation_evict(s->allocations[i], false), "vidmm_allocation_evict");
}

/* Where the bytes of allocation `i` are: in a segment, and its pages in system memory. */
static unsigned char *gpu_side(struct setup *s, uint32_t i) {
    struct vidmm_allocation_info info;
    struct vidmm_segment_info segment;
    vidmm_allocation_info(s->allocations[i], &info);
    if (!vidmm_segment_info(s->harness.adapter, info.segment, &segment))
        exit(1);
    return (unsigned char *)(uintptr_t)vidmm_host_peek(
        s->harness.host, 0, segment.base + info.offset, (size_t)s->block);
}

/* A loop over one allocation, run by run of physically adjacent pages. */
static void raw_block(struct setup *s, unsigned loop, unsigned char *gpu, PMDL mdl, bool out) {
    uint64_t pages = s->block / PAGE_SIZE;
    for (uint64_t page = 0, run; page < pages; page += run) {
        unsigned char *sys = bench_system_page(&s->harness, mdl, page);
        for (run = 1; page + run < pages &&
                      bench_system_page(&s->harness, mdl, page + run) == sys + run * PAGE_SIZE;)
            run++;
        unsigned char *at = gpu + page * PAGE_SIZE;
        loops_copy(loop, out ? sys : at, out ? at : sys, (size_t)(run * PAGE_SIZE));
    }
}

static double raw_copy(struct setup *s, unsigned loop, bool out) {
    unsigned char **gpu = bench_zeroed(s->count, sizeof(*gpu));
    for (uint32_t i = 0; i < s->count; i++)
        gpu[i] = gpu_side(s, i);
    double start = bench_now();
    for (uint32_t i = 0; i < s->count; i++)
        raw_block(s, loop, gpu[i], vidmm_allocation_backing(s->allocations[i]), out);
    double seconds = bench_now() - start;
    free(gpu);
    return seconds;
}

static double raw_fill(struct setup *s, unsigned loop) {
    unsigned char **gpu = bench_zeroed(s->count, sizeof(*gpu));
    for (uint32_t i = 0; i < s->count; i++)
        gpu[i] = gpu_side(s, i);
    double start = bench_now();
    for (uint32_t i = 0; i < s->count; i++)
        loops_fill(loop, gpu[i], (size_t)s->block);
    double seconds = bench_now() - start;
    free(gpu);
    return seconds;
}

static double timed_page_in(struct setup *s) {
    double start = bench_now();
    page_in(s);
    return bench_now() - start;
}

static double timed_page_out(struct setup *s) {
    double start = bench_now();
    bench_must(vidmm_evict_all(s->harness.adapter), "vidmm_evict_all");
    return bench_now() - start;
}

/* Seconds of the fastest of several. */
static double best(struct bench_series *loop, unsigned loops) {
    double seconds = bench_median(&loop[0]);
    for (unsigned i = 1; i < loops; i++) {
        double other = bench_median(&loop[i]);
        seconds = other < seconds ? other : seconds;
    }
    return seconds;
}

static struct bench_row print_row(const char *kind, const struct setup *s, double path,
                                  double raw) {
    double bytes = (double)s->block * s->count;
    printf("  %-9s %7llu KiB  raw %6.1f GB/s  path %6.1f GB/s  ratio %.2f  beyond raw %8.0f ns an "
           "operation\n",
           kind, (unsigned long long)(s->block / 1024), bytes / raw * 1e-9, bytes / path * 1e-9,
           raw / path, (path - raw) / s->count * 1e9);
    return (struct bench_row){.unit = BENCH_BYTES_PER_SECOND,
                              .limit = bytes / raw,
                              .ours = bytes / path,
                              .goal = s->block < 2 * BENCH_MIB ? 0.9 : 0.95};
}

/* Seconds of an operation beyond its bytes. */
static double beyond(const struct bench_row *row) {
    return PAGE_SIZE / row->ours - PAGE_SIZE / row->limit;
}

/* Into the table, of pages that follow each other: copies by the slower direction; of single pages
 * what an operation costs beyond the bytes. */
static void add_rows(uint64_t block, const struct bench_row *in, const struct bench_row *out,
                     struct bench_row *fill) {
    char work[32];
    struct bench_row copy = bench_worse(in, out);
    if (block == PAGE_SIZE) {
        double cost = beyond(in) > beyond(out) ? beyond(in) : beyond(out);
        bench_row(&(struct bench_row){"operation", BENCH_SECONDS, 150e-9, cost, 1});
        return;
    }
    const char *unit = block < BENCH_MIB ? "KiB" : "MiB";
    unsigned size = (unsigned)(block / (block < BENCH_MIB ? 1024 : BENCH_MIB));
    copy.work = fill->work = work;
    snprintf(work, sizeof(work), "copy %u %s", size, unit);
    bench_row(&copy);
    snprintf(work, sizeof(work), "fill %u %s", size, unit);
    bench_row(fill);
}

static void measure(uint64_t block, uint64_t total, uint64_t seed) {
    struct setup s = {.block = block};
    struct bench_series in, out, fill, raw_in[LOOPS_COPY], raw_out[LOOPS_COPY], zero[LOOPS_FILL];
    open_setup(&s, total, seed);
    make_allocations(&s, total);
    page_in(&s);
    for (int r = 0; r < bench_rounds(); r++) {
        for (unsigned loop = 0; loop < LOOPS_COPY; loop++)
            raw_out[loop].value[r] = raw_copy(&s, loop, true);
        out.value[r] = timed_page_out(&s);
        in.value[r] = timed_page_in(&s);
        for (unsigned loop = 0; loop < LOOPS_COPY; loop++)
            raw_in[loop].value[r] = raw_copy(&s, loop, false);
        drop(&s);
        fill.value[r] = timed_page_in(&s);
        for (unsigned loop = 0; loop < LOOPS_FILL; loop++)
            zero[loop].value[r] = raw_fill(&s, loop);
    }
    struct bench_row row_in = print_row("page-in", &s, bench_median(&in), best(raw_in, LOOPS_COPY));
    struct bench_row row_out =
        print_row("page-out", &s, bench_median(&out), best(raw_out, LOOPS_COPY));
    struct bench_row row_fill = print_row("fill", &s, bench_median(&fill), best(zero, LOOPS_FILL));
    if (seed == 0)
        add_rows(block, &row_in, &row_out, &row_fill);
    vidmm_context_destroy(s.context);
    vidmm_device_destroy(s.device);
    free(s.allocations);
    bench_close(&s.harness);
}

int main(void) {
    static const uint64_t blocks[] = {4096, 65536, 2 * BENCH_MIB, 64 * BENCH_MIB};
    printf("Paging path against the best of %u loops, medians of %d\n", LOOPS_COPY, bench_rounds());
    for (int scattered = 0; scattered < 2; scattered++) {
        printf(scattered ? "Physically scattered system pages:\n" : "Contiguous system pages:\n");
        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
            measure(blocks[i], blocks[i] < 65536 ? 32 * BENCH_MIB : 256 * BENCH_MIB,
                    (uint64_t)scattered);
    }
    return 0;
}
