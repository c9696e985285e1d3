/*
 * sweep.h - many runs of one study: which ones, made in parallel, kept in a store, drawn as curves.
 *
 * A study is a list of values for each axis (workload, GPU memory, policy, seed, ...); each combination
 * is one run of `vidmm run` in a process of its own, and one row of the store.
 */
#ifndef VIDMM_SWEEP_H
#define VIDMM_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vidmm_study;

/* NULL: no memory. Without a value on an axis its runs have the default of `vidmm run`. */
struct vidmm_study *vidmm_study_create(void);
/* Frees a study and its values. NULL is allowed. */
void vidmm_study_free(struct vidmm_study *study);
/* Reads a study file (docs/sweeps.md). false: `text` is one sentence with file, line and what was expected. */
bool vidmm_study_read(struct vidmm_study *study, const char *path, char *text, size_t size);
/* Replaces the values of an axis by those of a list: "lru,./mine.so", "10%..100%/5%", "0..4". */
bool vidmm_study_set(struct vidmm_study *study, const char *option, const char *list, char *text,
                     size_t size);
/* "NAME=VALUE,VALUE": the values of a setting. */
bool vidmm_study_setting(struct vidmm_study *study, const char *word, char *text, size_t size);
/* The name of the `index`-th axis as an option; NULL after the last. */
const char *vidmm_study_option_at(size_t index);
/* Runs of all combinations. */
uint64_t vidmm_study_runs(const struct vidmm_study *study);

struct vidmm_sweep_progress {
    uint64_t done, runs, failed; /* of this study, runs of earlier times included */
    double seconds_left;         /* below 0: not known yet */
};

struct vidmm_sweep_options {
    const char *store;            /* of the rows, an SQLite database */
    const char *csv;              /* the same rows as text */
    const char *version, *commit; /* of this program */
    uint32_t jobs;                /* runs at the same time; 0: one a processor */
    bool retry;                   /* runs that failed are made again */
    bool slurm; /* Slurm makes the runs: job arrays, by the programs sbatch and squeue */
    uint32_t runs_per_task; /* that one task of an array makes; 0: one */
    void (*progress)(void *ctx, const struct vidmm_sweep_progress *progress); /* or NULL */
    void *ctx;
};

struct vidmm_sweep_result {
    uint64_t runs, done, failed; /* in the store at the end */
    uint64_t made;               /* by this call */
    int signal;                  /* that stopped it; 0: none */
};

/* Makes the runs that the store does not have. false: `text` is one sentence; what was made is kept.
 * SIGINT and SIGTERM stop it. Afterwards the caller's mask of signals is as it was: who is to say last words
 * blocks both before, since whoever stops a sweep may say so twice, as timeout(1) does. */
bool vidmm_sweep(const struct vidmm_study *study, const struct vidmm_sweep_options *options,
                 struct vidmm_sweep_result *result, char *text, size_t size);
/* Calls `visit` with each run of the store that failed: its command and its sentence. */
bool vidmm_sweep_failed(const char *store,
                        void (*visit)(void *ctx, const char *command, int64_t code,
                                      const char *sentence),
                        void *ctx, char *text, size_t size);

/* Draws the runs of a store as SVG: a row of charts a workload, a curve a policy. `path` "-": standard
 * output. `workload`, `measure`: only these; NULL: all. */
bool vidmm_sweep_plot(const char *store, const char *path, const char *workload,
                      const char *measure, char *text, size_t size);
/* The name of the `index`-th measure of a plot; NULL after the last. */
const char *vidmm_sweep_measure_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
