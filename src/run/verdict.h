/*
 * verdict.h - how the verdict of a run grows; shared by run.c, inspect.c and apart.c.
 *
 * In the process of a driver (vidmm/watch.h) each step is said to the caller when it is made, so that
 * what comes later cannot take it back.
 */
#ifndef VIDMM_RUN_VERDICT_H
#define VIDMM_RUN_VERDICT_H

#include <vidmm/run.h>
#include <vidmm/watch.h>

/* What is said. */
enum run_says {
    RUN_WORSENS = VIDMM_WATCH_SAID, /* struct run_worse */
    RUN_VIOLATION,                  /* a text */
    RUN_WRONG,                      /* struct vidmm_mismatch, without its text */
    RUN_PROGRESS,                   /* two uint64_t: events done, events */
    RUN_UNWRITTEN,                  /* a text */
    RUN_RESULT,                     /* struct vidmm_run_result; its pointers lead nowhere */
    RUN_INSPECTED,                  /* struct run_inspected */
    RUN_SEGMENT,                    /* struct vidmm_segment_info, the ends of its banks */
};

struct run_worse {
    uint32_t status; /* enum vidmm_run_status */
    char text[512];
};

struct run_inspected {
    struct run_worse verdict;
    struct vidmm_adapter_info adapter;
    struct vidmm_gpummu_info mmu;
    uint64_t local_budget, non_local_budget;
};

/* The first reason counts. */
void run_worsen(struct vidmm_run_result *result, enum vidmm_run_status status, const char *text);
/* Keeps a sentence about a broken rule. Out of memory loses the sentence, never the verdict. */
void run_violation(struct vidmm_run_result *result, const char *text);
/* Adds the rules that the ledger's findings are of; `all`: also what the host saw, unless it is there. */
void run_findings(struct vidmm_run_result *result, bool all);

/* run.c: plays; `result` has been begun, and its ledger is the caller's. */
void run_play_here(const struct vidmm_workload *workload, const struct vidmm_run_options *options,
                   struct vidmm_run_result *result);
/* apart.c: the same in a process of its own. */
void run_play_apart(const struct vidmm_workload *workload, const struct vidmm_run_options *options,
                    struct vidmm_run_result *result);

/* inspect.c: starts the driver, reads, stops; the imports are there already. */
enum vidmm_run_status run_inspect_here(const struct vidmm_run_options *options,
                                       struct vidmm_inspection *inspection, char *text,
                                       size_t text_size);
/* inspect_apart.c: the same in a process of its own. */
enum vidmm_run_status run_inspect_apart(const struct vidmm_run_options *options,
                                        struct vidmm_inspection *inspection, char *text,
                                        size_t text_size);

/* A process that ended as none should, as a ledger with one finding; NULL: out of memory. */
struct vidmm_ledger *run_ended(const struct vidmm_watch_end *end);

#endif
