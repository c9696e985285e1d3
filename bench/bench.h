/*
 * bench.h - what the benchmarks over a whole harness share: the clock, medians, a harness over the
 * reference driver, and a process that makes allocations, lists them and gives its context work.
 */
#ifndef VIDMM_BENCH_H
#define VIDMM_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <vidmm/harness.h>
#include <vidmm/softgpu.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>

#include "rows.h"

#define BENCH_MIB ((uint64_t)1 << 20)

/*
 * Seconds of this thread. In virtual time a harness has no other thread and never sleeps, so the
 * load of the machine does not change the measured time.
 */
double bench_now(void);

/* One figure, measured bench_rounds() times, in turn with what it is compared with. */
struct bench_series {
    double value[BENCH_ROUNDS];
};
double bench_median(struct bench_series *series);

/* Ends the program unless all went well. */
void bench_must(enum vidmm_status status, const char *what);
void *bench_zeroed(uint64_t count, uint64_t size);

/* The reference driver with these settings; `seed` 0: system pages follow each other. */
void bench_open(struct vidmm_harness *harness, const struct vidmm_host_setting *settings,
                uint32_t count, uint64_t memory_bytes, uint64_t seed);
void bench_close(struct vidmm_harness *harness);
/* VIDMM_UMD_* flags. */
struct vidmm_allocation *bench_allocation(struct vidmm_device *device, uint64_t size,
                                          uint32_t flags);
/* Host memory of a page of system memory, or of a segment. */
unsigned char *bench_system_page(const struct vidmm_harness *harness, PMDL mdl, uint64_t page);
unsigned char *bench_segment_page(const struct vidmm_harness *harness, uint32_t segment,
                                  uint64_t offset);

/* A process with GPU virtual addresses. */
struct bench_process {
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_paging_queue *queue;
    struct vidmm_allocation *commands; /* of bench_process_touch */
    uint64_t commands_va;
    uint64_t fence; /* of the newest mapping */
};

void bench_process_start(const struct vidmm_harness *harness, struct bench_process *process);
void bench_process_stop(struct bench_process *process);
uint64_t bench_map(struct bench_process *process, struct vidmm_allocation *allocation,
                   uint64_t size);
/* All that was mapped is in the tables, and the GPU has signaled it. */
void bench_reach(struct bench_process *process);
void bench_make_resident(struct bench_process *process, struct vidmm_allocation *const *allocations,
                         uint32_t count);
/* The GPU runs something that may write everything on the process's list, and is done with it. */
void bench_process_touch(const struct vidmm_harness *harness, struct bench_process *process);

/*
 * Fills segment memory with pages that stay, so that `bytes` of it are free in holes of one page.
 * `bytes` must be half of what is free now.
 */
void bench_fragment(struct bench_process *process, uint64_t bytes);

#endif
