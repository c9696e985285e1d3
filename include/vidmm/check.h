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
#include <vidmm/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#define VIDMM_IDENTITY 16u /* bytes of an identity, with its end */

/* Identities of findings, in any order. */
struct vidmm_identities {
    char (*text)[VIDMM_IDENTITY];
    uint32_t count;
};

/* "R55-3f9a1c": an identity of a row that exists. */
bool vidmm_identity_parse(const char *text);
/* false: out of memory. */
bool vidmm_identities_add(struct vidmm_identities *list, const char *identity);
/*
 * Frees the identities; the list is empty then and may be added to again. Any thread, one at a
 * time for a list.
 */
void vidmm_identities_free(struct vidmm_identities *list);

struct vidmm_check_options {
    const char *driver_path; /* NULL: the reference driver with its hardware */
    const char *model_path;  /* shared object with the hardware of `driver_path`; NULL: none */
    const struct vidmm_hw_model *device; /* that hardware instead (device.h); NULL: none */
    FILE *device_log;                    /* accesses to its registers; NULL: nowhere */
    const struct vidmm_host_setting *settings;
    uint32_t setting_count;
    uint32_t named_settings; /* of run.h; the first start decides */
    /* That the reference driver declares, and that is spoken with any, at most what its table has; 0:
     * the reference driver's default, and what table and caps say. */
    uint32_t ddi_version;
    uint32_t linked; /* physical adapters of the logical one; 0: one */
    uint64_t seed;
    struct vidmm_readings readings;
    uint8_t only[VIDMM_RULES_SIZE]; /* when only_some: not 0 for the rules to judge */
    bool only_some;
    /* What does not count: findings of these rules, of these identities, and those that a baseline
     * has. */
    uint8_t ignore[VIDMM_RULES_SIZE];
    struct vidmm_identities ignored, known;
    /* Findings that are less severe than `fail_on` do not count either. */
    bool fail_some;
    enum vidmm_severity fail_on;
    uint32_t timeout_ms; /* of a call; of one run of a stage 12 times that; 0: 10000 */
    bool no_fork; /* all in this process, for debuggers: no deadline, and a crash is the caller's */
    /* Runs of stages at the same time, with the result of one after the other; 0: one for each processor, at most 8. */
    uint32_t jobs;
    const char *stage;                   /* names with commas between them; NULL: all */
    const struct vidmm_spoiler *spoiler; /* NULL: none */
    FILE *log; /* DbgPrint of the driver and every DDI call; NULL: nowhere */
    /*
     * The identity of a finding: the first run of a stage that shows it is made again, in this
     * process; the result is that run's. VIDMM_CHECK_BAD_INPUT: none does. A crash there is the caller's,
     * and so is a SIGALRM after timeout_ms, if that is not 0. NULL: no replay.
     */
    const char *replay;
    /* A sentence about a replay; NULL: never called. */
    void (*tell)(void *ctx, const char *sentence);
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
    VIDMM_STAGE_DONE, /* in part, if there is `text`: it says what the driver lacks for the rest */
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
    char text[320]; /* one sentence, or empty */
    bool unmade;    /* most of its work, or all, was not made for lack of room: `text` says why */
};

#define VIDMM_STAGES 24u

/* Whether a finding counts. */
enum vidmm_finding_state {
    VIDMM_STATE_COUNTS,
    VIDMM_STATE_KNOWN,   /* the baseline has it */
    VIDMM_STATE_IGNORED, /* asked for */
    VIDMM_STATE_OUTSIDE, /* of no rule that was asked for */
    VIDMM_STATE_MINOR,   /* less severe than what was asked for, or advice that nobody asked for */
};

/* What the check makes of a finding. */
struct vidmm_finding_mark {
    char identity[VIDMM_IDENTITY]; /* "R55-3f9a1c" */
    uint8_t state;                 /* enum vidmm_finding_state */
    uint16_t follows; /* index + 1 of the finding whose consequence it is; 0: it stands alone */
    uint16_t weight;  /* of one that stands alone: lives of the driver that it was the first of */
    bool united;      /* what it found stands in the sentence of the one that it follows */
};

/* Commands of GDI that the driver's DxgkDdiRenderKm is asked for. */
enum vidmm_gdi_command { VIDMM_GDI_BITBLT, VIDMM_GDI_COLORFILL, VIDMM_GDI_COMMANDS };

struct vidmm_check_result {
    enum vidmm_check_status status;
    /* One sentence when BAD_INPUT or DRIVER_FAILED, or when most work of a stage was not made: which, and why; else
     * empty. */
    char text[512];
    char driver[256];            /* path, or "softgpu" */
    uint32_t ddi_version;        /* which is spoken; 0: the driver did not get there */
    uint32_t registered_version; /* DRIVER_INITIALIZATION_DATA.Version */
    uint32_t wddm_version;       /* DRIVERCAPS.WDDMVersion; 0: not said */
    uint64_t lacks;              /* functions that the table has not (vidmm_check_reason) */
    bool gdi_asked;              /* DxgkDdiRenderKm was asked for these commands of GDI: */
    uint32_t gdi_refused;        /* of them, those that it refused, 1 << enum vidmm_gdi_command */
    NTSTATUS gdi_status;         /* with which status, the last */
    bool modelled;               /* there is a model of the hardware */
    struct vidmm_unread unread;  /* settings; none where the driver was in this process */
    uint64_t seed;
    /* Of all stages; equal findings of several stages are one. */
    struct vidmm_ledger ledger;
    struct vidmm_finding_mark mark[VIDMM_FINDINGS]; /* of the ledger's findings */
    /* Rules that the conformance check judges, and their results. */
    uint32_t judged, passed, broken, not_reached;
    /* Not 0: the rule is one of those. */
    uint8_t examined[VIDMM_RULES_SIZE];
    struct vidmm_stage_result stage[VIDMM_STAGES];
    uint32_t stages;
};

/* A crash, a hang or an exit of the driver does not end the caller. */
void vidmm_check(const struct vidmm_check_options *options, struct vidmm_check_result *result);

/* The call that the driver is in while a finding is replayed in this process, as findings have it;
 * else NULL. May be called from a signal handler. */
const char *vidmm_check_calling(void);
/* Makes a finding of a driver that ended the process by a signal, or of vidmm that did (`own`). `reason`: what
 * it did, if it is more than the signal says; or NULL. `where`: the call, or NULL. */
void vidmm_check_death(struct vidmm_ledger *ledger, int signal, bool own, const char *reason,
                       const char *where);

/*
 * The identity of a finding: its rule, the call, what was expected (of what is no rule's, what was
 * found) without figures, and the driver's function. It is the same in each run, whatever the seed,
 * and after edits of the driver elsewhere.
 */
void vidmm_finding_identity(const struct vidmm_finding *finding, char identity[VIDMM_IDENTITY]);
/* Of the rows of the table that a driver or a manager must obey. */
struct vidmm_check_share {
    uint32_t rules;
    uint32_t seen;        /* judged, and kept or broken */
    uint32_t not_reached; /* judged, and nothing showed it */
    uint32_t other;       /* judged, of another interface version than is spoken */
    uint32_t not_visible; /* judged, and the memory that would show it cannot be seen */
    uint32_t not_asked;   /* judged, and left out by `only` */
    uint32_t not_judged;
};
/*
 * Counts the rules of a result by what became of them, into `*share`, which it fills in whole. Any
 * thread.
 */
void vidmm_check_share(const struct vidmm_check_result *result, struct vidmm_check_share *share);
/* Result of R`rule`: "passed", "broken", "not reached" or "not judged". */
const char *vidmm_check_outcome(const struct vidmm_check_result *result, uint32_t rule);
/* One sentence: why a rule that is judged was not reached. */
void vidmm_check_reason(const struct vidmm_check_result *result, uint32_t rule, char *text,
                        size_t size);
/* Name of the index-th stage, NULL after the last; `*summary` (may be NULL) says what it does. */
const char *vidmm_check_stage_at(size_t index, const char **summary);
/* The first of names with commas between them that no stage has, of `*length` bytes; NULL: none. Any thread. */
const char *vidmm_check_stage_unknown(const char *names, size_t *length);
/* The letters of the groups of rules that it shows. */
const char *vidmm_check_stage_groups(size_t index);

/* Fills in the words of the places of a ledger's findings, from the symbols of the driver's file. */
void vidmm_check_symbols(const char *driver, struct vidmm_ledger *ledger);

#ifdef __cplusplus
}
#endif

#endif
