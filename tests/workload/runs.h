/*
 * runs.h - whole runs over the reference driver, for the tests of the player.
 */
#ifndef TESTS_WORKLOAD_RUNS_H
#define TESTS_WORKLOAD_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>
#include <vidmm/workload.h>

#define MIB      (UINT64_C(1) << 20)
#define SETTINGS 8

/* One run: a workload under a configuration, and what came of it. */
struct run {
    struct vidmm_host_setting settings[SETTINGS];
    uint32_t setting_count;
    enum vidmm_model model;
    uint32_t linked; /* physical adapters; 0: one */
    struct vidmm_play_options options;
    bool threads; /* of the host */
    uint64_t fail_at;
    /* Found: */
    enum vidmm_play_status status;
    struct vidmm_play_result result;
    char text[512];
    uint64_t calls_hash;
    bool opened, closed_clean;
};

void set(struct run *run, const char *name, uint64_t value);
void run_workload(struct run *run, const struct vidmm_workload *workload);
/* A run in which everything must be right. */
void expect_right(struct run *run, const struct vidmm_workload *workload, const char *what);
/*
 * Runs as `usual` says in which one allocation fails, the first ones and then each 1 / `step`
 * further on, up to `most`: each ends in order, without a wrong byte, and some end early.
 */
void expect_order_without_memory(const struct run *usual, const struct vidmm_workload *workload,
                                 uint64_t most, uint64_t step);

struct vidmm_workload generate(const char *name, uint64_t seed);
struct vidmm_workload recording(const char *name);

#endif
