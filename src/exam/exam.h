/*
 * exam.h - what the stages of the examination share.
 *
 * A stage (stage_*.c) is a row of exam_stages: so many runs, each of them a life of the driver in a
 * process of its own (child.c). Within a run, world.c brings the driver up and down and turns what
 * host and manager say into findings; check.c puts the stages together.
 */
#ifndef VIDMM_EXAM_H
#define VIDMM_EXAM_H

#include <vidmm/check.h>
#include <vidmm/lab.h>
#include <vidmm/workload.h>

#define EXAM_SETTINGS 256u
#define EXAM_PAGE     4096u
#define EXAM_FAILURES 160u

/* In memory that child and parent share; a driver can scribble on it. */
struct exam_shared {
    struct vidmm_ledger ledger;
    uint32_t finished; /* the child came to its end */
    uint32_t outcome;  /* enum vidmm_stage_outcome */
    uint32_t version;  /* of the driver's table; 0: it did not come so far */
    /* Allocations that are worth failing, in order: what stage_memory.c's first run finds. */
    uint32_t failures;
    uint64_t fail_at[EXAM_FAILURES];
    char text[256];
    char died_in[64]; /* by the dying process: what is not the call of `ledger` */
};

struct exam {
    const struct vidmm_check_options *options;
    struct exam_shared *shared;
    /* Of the run: */
    struct vidmm_lab lab;
    struct vidmm_host_setting settings[EXAM_SETTINGS];
    bool displays_only; /* the manager would have nothing to do, and somebody wanted it */
    bool starving;      /* memory fails on purpose: refusals are no findings */
    uint64_t resets;    /* that the run asked for */
    struct vidmm_player *player;
};

/* How the world of a run differs from the usual one. Settings that the user gave win. */
struct exam_world {
    struct vidmm_host_setting settings[8]; /* a NULL name ends the list */
    uint64_t fail_at;
    void (*allocating)(void *ctx, uint64_t number); /* `ctx`: the exam; NULL: nobody is told */
    uint64_t transfer_chunk;
    const struct vidmm_observer *observer;
};

struct exam_stage {
    const char *name, *summary;
    uint32_t runs;
    /* Whatever it did not close is closed for it. */
    enum vidmm_stage_outcome (*run)(struct exam *exam, uint32_t number);
};

extern const struct exam_stage exam_stages[];
extern const uint32_t exam_stage_count;

enum vidmm_stage_outcome stage_start(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_paging(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_memory(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_objects(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_locks(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_promises(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_query(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_operations(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_room(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_preempt(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_engines(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_residency(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_ranges(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_dirty(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_migration(struct exam *exam, uint32_t number);
enum vidmm_stage_outcome stage_host_aperture(struct exam *exam, uint32_t number);

/* check.c and child.c: one run in a process of its own. */
enum vidmm_stage_outcome exam_child(struct exam *exam, const struct exam_stage *stage,
                                    uint32_t number);
uint64_t exam_now_ms(void);

/* world.c. false: a finding or exam->shared->text says why. */
bool exam_open(struct exam *exam, const struct exam_world *world);
bool exam_manage(struct exam *exam, const struct exam_world *world);
/* What the user set for the driver or its hardware; 0: nothing. */
uint64_t exam_setting(const struct exam *exam, const char *name);
/* There is nothing to manage: every stage that wants to is skipped. */
bool exam_displays_only(struct exam *exam);
/* Down again, from wherever it got to; what is left behind becomes a finding. */
void exam_close(struct exam *exam);
/* The driver's device stops and starts again; the manager must be away. */
bool exam_restart(struct exam *exam);
/* The driver and its user-mode half speak vidmm/umd.h. */
bool exam_speaks(struct exam *exam);
/* "paging: frame 3" for findings. */
void exam_step(struct exam *exam, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One sentence about why a stage ends here; returns `outcome`. */
enum vidmm_stage_outcome exam_say(struct exam *exam, enum vidmm_stage_outcome outcome,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A rule was found broken: that explains whatever else is wrong. */
bool exam_explained(const struct exam *exam);
/* Makes a finding of what stopped the manager. */
void exam_fault(struct exam *exam, const struct vidmm_fault *fault);
/* The same of the adapter's last fault, when `status` is not VIDMM_OK; returns whether it is. */
bool exam_good(struct exam *exam, enum vidmm_status status);

/* query_iommu.c: what systems ask of memory behind an IOMMU. */
void query_iommu(struct exam *exam, const DXGK_DRIVERCAPS *caps);

/* workload.c: a short game with everything that pages; false: out of memory. */
bool exam_workload(uint64_t seed, uint32_t frames, struct vidmm_workload *out);
/* play.c: opens `world`, plays a workload of so many frames over it and closes it again; `between`
 * (may be NULL) is called now and then. */
enum vidmm_stage_outcome exam_play(struct exam *exam, struct exam_world *world, uint32_t frames,
                                   void (*between)(void *ctx, uint64_t done, uint64_t events));
/* vidmm_reset from `between`. */
void exam_reset(struct exam *exam);

#endif
