/*
 * path.c - what the whole way of a paging operation costs beside the bytes it moves.
 *
 * For blocks of 4 KiB to 64 MiB: a set of allocations is paged in, filled and paged out by the
 * manager through the reference driver and the software GPU (decide, build, submit, execute,
 * fence), and right after that the software GPU's bare kernels (src/softgpu/hw_copy.h) move the
 * same bytes between the same places. Both are repeated in turn in one run; the figures are
 * medians, and the ratio of the two is what counts (absolute figures move with the machine).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vidmm/lab.h>
#include <vidmm/softgpu.h>
#include <vidmm/umd.h>

#include "../src/softgpu/hw_copy.h"

#define ROUNDS 9
#define BATCH  64u
#define MIB    ((uint64_t)1 << 20)

struct series {
    double seconds[ROUNDS];
};

struct setup {
    struct vidmm_lab lab;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_allocation **allocations;
    uint32_t count;
    uint64_t block;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(struct series *s) {
    qsort(s->seconds, ROUNDS, sizeof s->seconds[0], by_value);
    return s->seconds[ROUNDS / 2];
}

static void must(enum vidmm_status status, const char *what) {
    if (status == VIDMM_OK)
        return;
    fprintf(stderr, "bench-path: %s failed with status %d\n", what, (int)status);
    exit(1);
}

static void open_setup(struct setup *s, uint64_t total, uint64_t seed) {
    const struct vidmm_host_setting settings[] = {
        {"VramBytes", total + 64 * MIB}, {"ApertureBytes", 256 * MIB}, {"PagingBufferBytes", MIB}};
    struct vidmm_host_config host = {0};
    struct vidmm_adapter_config adapter = {0};
    char text[512];
    host.driver_entry = softgpu_driver_entry;
    host.model = &softgpu_model;
    host.settings = settings;
    host.setting_count = 3;
    host.seed = seed;
    if (vidmm_lab_open(&host, &adapter, &s->lab, text, sizeof text) != VIDMM_LAB_OK) {
        fprintf(stderr, "bench-path: %s\n", text);
        exit(1);
    }
    must(vidmm_device_create(s->lab.adapter, &s->device), "vidmm_device_create");
    must(vidmm_context_create(s->device, 0, &s->context), "vidmm_context_create");
}

static void make_allocations(struct setup *s, uint64_t total) {
    s->count = (uint32_t)(total / s->block);
    s->allocations = calloc(s->count, sizeof *s->allocations);
    if (!s->allocations)
        exit(1);
    for (uint32_t i = 0; i < s->count; i++) {
        struct vidmm_umd_allocation data = {0};
        struct vidmm_allocation_request request = {.private_data = &data,
                                                   .private_size = sizeof data};
        data.magic = VIDMM_UMD_MAGIC;
        data.flags = VIDMM_UMD_LOCAL_ONLY;
        data.size = s->block;
        must(vidmm_allocation_create(s->device, &request, &s->allocations[i]),
             "vidmm_allocation_create");
    }
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
        must(vidmm_submit(s->context, &submission, &fence), "vidmm_submit");
    }
    must(vidmm_wait_idle(s->lab.adapter), "vidmm_wait_idle");
}

static void drop(struct setup *s) {
    for (uint32_t i = 0; i < s->count; i++)
        must(vidmm_allocation_evict(s->allocations[i], false), "vidmm_allocation_evict");
}

/* Where the bytes of allocation `i` are: in a segment, and its pages in system memory. */
static unsigned char *gpu_side(struct setup *s, uint32_t i) {
    struct vidmm_allocation_info info;
    struct vidmm_segment_info segment;
    vidmm_allocation_info(s->allocations[i], &info);
    if (!vidmm_segment_info(s->lab.adapter, info.segment, &segment))
        exit(1);
    return (unsigned char *)(uintptr_t)vidmm_host_peek(s->lab.host, segment.base + info.offset,
                                                       (size_t)s->block);
}

static unsigned char *system_page(struct setup *s, PMDL mdl, uint64_t page) {
    return vidmm_host_memory(s->lab.host, (uint64_t)MmGetMdlPfnArray(mdl)[page] << PAGE_SHIFT,
                             PAGE_SIZE);
}

/* The bare kernel over one allocation, run by run of physically adjacent pages. */
static void raw_block(struct setup *s, unsigned char *gpu, PMDL mdl, bool out) {
    uint64_t pages = s->block / PAGE_SIZE;
    bool stream = s->block >= HW_STREAM_BYTES;
    for (uint64_t page = 0, run; page < pages; page += run) {
        unsigned char *sys = system_page(s, mdl, page);
        for (run = 1;
             page + run < pages && system_page(s, mdl, page + run) == sys + run * PAGE_SIZE;)
            run++;
        unsigned char *ahead = page + run < pages ? system_page(s, mdl, page + run) : NULL;
        unsigned char *at = gpu + page * PAGE_SIZE;
        if (!stream)
            memcpy(out ? sys : at, out ? at : sys, (size_t)(run * PAGE_SIZE));
        else if (out)
            hw_stream_copy(sys, at, (size_t)(run * PAGE_SIZE), NULL);
        else
            hw_stream_copy(at, sys, (size_t)(run * PAGE_SIZE), ahead);
    }
    if (stream)
        hw_stream_fence();
}

static double raw_copy(struct setup *s, bool out) {
    unsigned char **gpu = calloc(s->count, sizeof *gpu);
    if (!gpu)
        exit(1);
    for (uint32_t i = 0; i < s->count; i++)
        gpu[i] = gpu_side(s, i);
    double start = now();
    for (uint32_t i = 0; i < s->count; i++)
        raw_block(s, gpu[i], vidmm_allocation_backing(s->allocations[i]), out);
    double seconds = now() - start;
    free(gpu);
    return seconds;
}

static double raw_fill(struct setup *s) {
    unsigned char **gpu = calloc(s->count, sizeof *gpu);
    if (!gpu)
        exit(1);
    for (uint32_t i = 0; i < s->count; i++)
        gpu[i] = gpu_side(s, i);
    double start = now();
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->block >= HW_STREAM_BYTES)
            hw_stream_fill(gpu[i], 0, (size_t)s->block);
        else
            hw_plain_fill(gpu[i], 0, (size_t)s->block);
    }
    hw_stream_fence();
    double seconds = now() - start;
    free(gpu);
    return seconds;
}

static double timed_page_in(struct setup *s) {
    double start = now();
    page_in(s);
    return now() - start;
}

static double timed_page_out(struct setup *s) {
    double start = now();
    must(vidmm_evict_all(s->lab.adapter), "vidmm_evict_all");
    return now() - start;
}

static void print_row(const char *kind, struct setup *s, double path, double raw) {
    double bytes = (double)s->block * s->count;
    printf("  %-9s %7llu KiB  raw %6.1f GB/s  path %6.1f GB/s  ratio %.2f  beyond raw %8.0f ns an "
           "operation\n",
           kind, (unsigned long long)(s->block / 1024), bytes / raw * 1e-9, bytes / path * 1e-9,
           raw / path, (path - raw) / s->count * 1e9);
}

static void measure(uint64_t block, uint64_t total, uint64_t seed) {
    struct setup s = {.block = block};
    struct series in, out, fill, raw_in, raw_out, raw_zero;
    char text[512];
    open_setup(&s, total, seed);
    make_allocations(&s, total);
    page_in(&s);
    for (int r = 0; r < ROUNDS; r++) {
        raw_out.seconds[r] = raw_copy(&s, true);
        out.seconds[r] = timed_page_out(&s);
        in.seconds[r] = timed_page_in(&s);
        raw_in.seconds[r] = raw_copy(&s, false);
        drop(&s);
        fill.seconds[r] = timed_page_in(&s);
        raw_zero.seconds[r] = raw_fill(&s);
    }
    print_row("page-in", &s, median(&in), median(&raw_in));
    print_row("page-out", &s, median(&out), median(&raw_out));
    print_row("fill", &s, median(&fill), median(&raw_zero));
    vidmm_context_destroy(s.context);
    vidmm_device_destroy(s.device);
    free(s.allocations);
    if (vidmm_lab_close(&s.lab, text, sizeof text) != VIDMM_LAB_OK) {
        fprintf(stderr, "bench-path: %s\n", text);
        exit(1);
    }
}

int main(void) {
    static const uint64_t blocks[] = {4096, 65536, 2 * MIB, 64 * MIB};
    printf("Paging path against the bare kernel (%s), medians of %d\n", hw_stream_kernel(), ROUNDS);
    for (int scattered = 0; scattered < 2; scattered++) {
        printf(scattered ? "Physically scattered system pages:\n" : "Contiguous system pages:\n");
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
            measure(blocks[i], blocks[i] < 65536 ? 32 * MIB : 256 * MIB, (uint64_t)scattered);
    }
    return 0;
}
