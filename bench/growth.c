/*
 * growth.c - what one request of GPU virtual memory costs when there are many allocations: each is
 * resident, listed and mapped, and the requests are about others in no order.
 *
 * Printed are medians of nanoseconds a request and, which counts, how often that is the cost at the
 * smallest number. Nothing on the way of one request may grow faster than logarithmically.
 *
 * usage: bench-growth [largest number of allocations, default 100000]
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 512u
#define LISTED  1024u /* at once */

enum request { MAP, UNMAP, EVICT, MAKE_RESIDENT, SUBMIT, CREATE, DESTROY, REQUESTS };

static const char *const names[] = {"map",    "unmap",  "evict",  "make resident",
                                    "submit", "create", "destroy"};

struct crowd {
    struct vidmm_harness harness;
    struct bench_process process;
    struct vidmm_allocation **allocation;
    uint32_t live;
    struct vidmm_allocation *chosen[SAMPLES], *fresh[SAMPLES];
    uint64_t va[SAMPLES];
};

static void gather(struct crowd *crowd, uint32_t live) {
    uint64_t bytes = ((uint64_t)live + SAMPLES) * PAGE_SIZE + 64 * BENCH_MIB;
    const struct vidmm_host_setting settings[] = {{"MmuLevels", 4}, {"VramBytes", bytes}};
    bench_open(&crowd->harness, settings, 2, 4 * bytes, 0);
    bench_process_start(&crowd->harness, &crowd->process);
    crowd->live = live;
    crowd->allocation = bench_zeroed(live, sizeof(struct vidmm_allocation *));
    for (uint32_t i = 0; i < live; i++) {
        crowd->allocation[i] =
            bench_allocation(crowd->process.device, PAGE_SIZE, VIDMM_UMD_LOCAL_ONLY);
        (void)bench_map(&crowd->process, crowd->allocation[i], PAGE_SIZE);
    }
    for (uint32_t i = 0; i < live; i += LISTED)
        bench_make_resident(&crowd->process, crowd->allocation + i,
                            live - i < LISTED ? live - i : LISTED);
    for (uint32_t i = 0; i < SAMPLES; i++)
        crowd->chosen[i] = crowd->allocation[(uint64_t)i * 2654435761u % live];
}

static void submit(struct crowd *crowd, struct vidmm_allocation *one) {
    const struct vidmm_virtual_submission submission = {.commands = crowd->process.commands_va,
                                                        .size = sizeof(struct vidmm_umd_packet),
                                                        .written = &one,
                                                        .written_count = 1};
    uint64_t fence;
    bench_must(vidmm_submit_virtual(crowd->process.context, &submission, &fence),
               "vidmm_submit_virtual");
    bench_must(vidmm_wait(crowd->harness.adapter, fence), "vidmm_wait");
}

static void request(struct crowd *crowd, enum request what, uint32_t i) {
    struct bench_process *process = &crowd->process;
    struct vidmm_allocation *one = crowd->chosen[i];
    switch (what) {
    case MAP:
        crowd->va[i] = bench_map(process, one, PAGE_SIZE);
        break;
    case UNMAP:
        bench_must(vidmm_va_free(process->process, crowd->va[i], PAGE_SIZE), "vidmm_va_free");
        break;
    case EVICT:
        bench_must(vidmm_device_evict(process->device, &one, 1, 0, NULL), "vidmm_device_evict");
        bench_must(vidmm_allocation_evict(one, true), "vidmm_allocation_evict");
        break;
    case MAKE_RESIDENT:
        bench_make_resident(process, &one, 1);
        break;
    case SUBMIT:
        submit(crowd, one);
        break;
    case CREATE:
        crowd->fresh[i] = bench_allocation(process->device, PAGE_SIZE, VIDMM_UMD_LOCAL_ONLY);
        break;
    default:
        vidmm_allocation_destroy(crowd->fresh[i]);
        break;
    }
}

/* Nanoseconds a request. */
static void measure(uint32_t live, double cost[REQUESTS]) {
    struct crowd crowd;
    struct bench_series series[REQUESTS];
    gather(&crowd, live);
    for (int r = 0; r < bench_rounds(); r++) {
        for (enum request what = MAP; what < REQUESTS; what++) {
            double start = bench_now();
            for (uint32_t i = 0; i < SAMPLES; i++)
                request(&crowd, what, i);
            series[what].value[r] = (bench_now() - start) / SAMPLES * 1e9;
        }
    }
    for (enum request what = MAP; what < REQUESTS; what++)
        cost[what] = bench_median(&series[what]);
    bench_process_stop(&crowd.process);
    bench_close(&crowd.harness);
    free(crowd.allocation);
}

/* The request that grew most, in the table of all. */
static void add_row(const double first[REQUESTS], const double last[REQUESTS]) {
    struct bench_row worst = {"requests at 1e5 over 1e3", BENCH_SECONDS, first[0] * 1e-9,
                              last[0] * 1e-9, 4};
    for (enum request what = UNMAP; what < REQUESTS; what++) {
        struct bench_row row = worst;
        row.limit = first[what] * 1e-9;
        row.ours = last[what] * 1e-9;
        worst = bench_worse(&worst, &row);
    }
    bench_row(&worst);
}

int main(int argc, char **argv) {
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    double first[REQUESTS];
    printf("One request among many allocations, medians of %d (goal: at 10^6 4 times 10^3)\n",
           bench_rounds());
    measure(1000, first); /* a process that begins is slow */
    for (uint32_t live = 1000; live <= most; live *= 10) {
        double cost[REQUESTS];
        measure(live, cost);
        printf("%u allocations\n", live);
        for (enum request what = MAP; what < REQUESTS; what++) {
            first[what] = live == 1000 ? cost[what] : first[what];
            printf("  %-13s %9.0f ns  %6.2f times 1000\n", names[what], cost[what],
                   cost[what] / first[what]);
        }
        if (live == 100000)
            add_row(first, cost);
    }
    return 0;
}
