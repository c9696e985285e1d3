/*
 * check.h - the conformance check: starts a driver many times and asks it for everything that the
 * rule table covers, while the referee watches.
 *
 * Each stage runs in a process of its own, from start to stop of the driver: a crash, hang or leak
 * ends only that stage. Findings come back in a ledger in shared memory.
 */
#ifndef VIDMM_CHECK_H
#define VIDMM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vidmm/host.h>
#include <vidmm/readings.h>
#include <vidmm/referee.h>
#include <vidmm/rules.h>
#include <vidmm/services.h>

/* For tests of the conformance check: puts faults between the referee and the driver, and between
 * the manager (or the raw paging submitter) and the referee. Members may be NULL. */
struct vidmm_spoiler {
    void (*driver)(DRIVER_INITIALIZATION_DATA *table);
    void (*manager)(DRIVER_INITIALIZATION_DATA *table);
    /* What the driver may call. */
    void (*callbacks)(DXGKRNL_INTERFACE *callbacks);
    /* What the manager has the GART do. */
    void (*gart)(struct vidmm_gart *gart);
    /* The sizes of graphics memory that the manager reports to applications. */
    void (*sizes)(struct vidmm_referee_sizes *sizes);
    /* How the system begins and ends devices. */
    void (*devices)(DRIVER_INITIALIZATION_DATA *table);
    /* The manager's answers to user mode. */
    void (*request)(struct vidmm_request_record *record);
};

struct vidmm_check_options {
    const char *driver_path; /* NULL: the reference driver with its hardware */
    const char *model_path;  /* shared object with the hardware of `driver_path`; NULL: none */
    const struct vidmm_hw_model *device; /* that hardware instead (device.h); NULL: none */
    FILE *device_log;                    /* accesses to its registers; NULL: nowhere */
    const struct vidmm_host_setting *settings;
    uint32_t setting_count;
    /* That the reference driver declares, and that is spoken with any, at most what its table has; 0:
     * the reference driver's default, and what table and caps say. */
    uint32_t ddi_version;
    uint32_t linked; /* physical adapters of the logical one; 0: one */
    uint64_t seed;
    struct vidmm_readings readings;
    uint8_t only[VIDMM_RULES_SIZE]; /* when only_some: not 0 for the rules to judge */
    bool only_some;
    uint32_t timeout_ms;                 /* of one run of a stage; 0: 10000 */
    const char *stage;                   /* its name; NULL: all */
    const struct vidmm_spoiler *spoiler; /* NULL: none */
    FILE *log; /* DbgPrint of the driver and every DDI call; NULL: nowhere */
    /* A stage begins; NULL: never called. */
    void (*progress)(void *ctx, const char *stage);
    void *progress_ctx;
};

/* The values are the command's exit codes. */
enum vidmm_check_status {
    VIDMM_CHECK_PASSED = 0,
    VIDMM_CHECK_BROKEN = 1,        /* a rule */
    VIDMM_CHECK_BAD_INPUT = 2,     /* no such stage, or options that contradict each other */
    VIDMM_CHECK_DRIVER_FAILED = 3, /* did not load or start: nothing was checked */
};

enum vidmm_stage_outcome {
    VIDMM_STAGE_LEFT_OUT, /* not asked for */
    VIDMM_STAGE_DONE,
    VIDMM_STAGE_SKIPPED, /* the driver lacks what the stage needs: `text` names it */
    VIDMM_STAGE_STOPPED, /* ended early: `text` says why */
    VIDMM_STAGE_CRASHED,
    VIDMM_STAGE_HUNG,
};

struct vidmm_stage_result {
    const char *name;
    enum vidmm_stage_outcome outcome;
    uint32_t ms;
    uint64_t calls; /* of the DDI */
    char text[256]; /* one sentence, or empty */
};

#define VIDMM_STAGES 24u

struct vidmm_check_result {
    enum vidmm_check_status status;
    char text[512];              /* one sentence when BAD_INPUT or DRIVER_FAILED, or empty */
    char driver[256];            /* path, or "softgpu" */
    uint32_t ddi_version;        /* which is spoken; 0: the driver did not get there */
    uint32_t registered_version; /* DRIVER_INITIALIZATION_DATA.Version */
    uint32_t wddm_version;       /* DRIVERCAPS.WDDMVersion; 0: not said */
    uint64_t seed;
    /* Of all stages; equal findings of several stages are one. */
    struct vidmm_ledger ledger;
    /* Rules that the conformance check judges, and their results. */
    uint32_t judged, passed, broken, not_reached;
    /* Not 0: the rule is one of those. */
    uint8_t examined[VIDMM_RULES_SIZE];
    struct vidmm_stage_result stage[VIDMM_STAGES];
    uint32_t stages;
};

/* A crash, a hang or an exit of the driver does not end the caller. */
void vidmm_check(const struct vidmm_check_options *options, struct vidmm_check_result *result);

/* Result of R`rule`: "passed", "broken", "not reached" or "not judged". */
const char *vidmm_check_outcome(const struct vidmm_check_result *result, uint32_t rule);
/* One sentence: why a rule that is judged was not reached. */
void vidmm_check_reason(const struct vidmm_check_result *result, uint32_t rule, char *text,
                        size_t size);
/* Name of the index-th stage, NULL after the last; `*summary` (may be NULL) says what it does. */
const char *vidmm_check_stage_at(size_t index, const char **summary);

#endif
