/*
 * stage.h - declarations for all stages of the conformance check.
 *
 * A stage (stage_*.c) is a row of check_stages. It has one or more runs; each starts and stops the
 * driver in a process of its own (child.c, life.c). In a run setup.c starts and stops the driver and makes
 * findings of errors from host and manager; check.c runs all stages.
 */
#ifndef VIDMM_CHECK_STAGE_H
#define VIDMM_CHECK_STAGE_H

#include <vidmm/check.h>
#include <vidmm/harness.h>
#include <vidmm/workload.h>

#include "causes.h"

#define CHECK_SETTINGS 256u
#define CHECK_PAGE     4096u
#define CHECK_HIGH     ((uint64_t)1 << 32) /* beyond all addresses of 32 bits */
#define CHECK_FAILURES 160u
#define CHECK_NO_CALL  "no call of the system's"
/* What stage adapters says then. */
#define CHECK_ONE_ADAPTER "the driver serves one adapter (R654)"

/* What a run says of itself, besides its findings. Plain data. */
struct check_told {
    uint32_t outcome;            /* enum vidmm_stage_outcome */
    uint32_t registered_version; /* of the driver's table; 0: not known */
    uint32_t version;            /* which is spoken: the table's until caps are known */
    uint32_t wddm;               /* DRIVERCAPS.WDDMVersion; 0: not said, or not known */
    uint64_t lacks;              /* functions that the driver's table has not (outcome.c) */
    uint32_t low_memory;         /* the driver reaches no memory beyond 4 GiB: there is none */
    uint32_t no_room; /* what the run wants does not go with the driver's segments, or settings */
    /* Allocations to fail, in order, from the first run of stage_memory.c. */
    uint32_t failures;
    uint64_t fail_at[CHECK_FAILURES];
    char text[256];
    char part[320];     /* of a run that was done, with most of its work refused: why; else empty */
    uint32_t gdi_asked; /* commands of GDI were built: */
    uint32_t gdi_refused;    /* of these, bits: enum vidmm_gdi_command */
    NTSTATUS gdi_status;     /* with which, the last */
    uint32_t settings_asked; /* it is known which settings were asked for: */
    char unasked
        [256]; /* a setting that the user named and nobody asked for (vidmm_unasked); empty: none */
};

/* What the runs have in common. The process of a run has a copy, and tells what becomes of it. */
struct check_shared {
    struct vidmm_ledger ledger;
    struct check_told told;
};

struct replay;
struct ahead;

struct check {
    const struct vidmm_check_options *options;
    struct check_shared *shared;
    struct causes *causes;
    struct replay *replay;  /* NULL: no finding is looked for */
    struct ahead *ahead;    /* NULL: one run after the other */
    uint64_t settings_read; /* bit i: setting i was read in some run */
    bool settings_told;
    /* Of the run: */
    struct vidmm_harness harness;
    struct vidmm_host_setting settings[CHECK_SETTINGS];
    bool displays_only;  /* display-only driver: a stage that needs the manager is skipped */
    bool starving;       /* an allocation fails on purpose: refusals are no findings */
    uint64_t resets;     /* that the run requested */
    uint32_t starts;     /* of the device, since check_open */
    bool provokes;       /* hangs: resets of the manager's are no finding */
    bool resetting;      /* a requested reset is under way */
    bool managed;        /* between the manager's start and its end */
    uint32_t submitters; /* of raw.h that this start of the driver had */
    struct vidmm_player *player;
};

/* How the setup of a run differs from the usual one. The user's settings have priority. */
struct check_setup {
    struct vidmm_host_setting settings[8]; /* a NULL name ends the list */
    uint64_t fail_at;
    bool refusable;       /* a driver that does not start so is no finding */
    uint64_t plain_bytes; /* as in vidmm_host_config */
    bool line;            /* the same: the interrupt is line-based */
    bool eager;           /* the hardware works before a register write returns */
    bool overlapping;     /* it works on while its interrupts are served */
    void (*allocating)(void *ctx, uint64_t number); /* `ctx`: the check; NULL: none */
    bool second;     /* there is another board: vidmm_host_second_start */
    bool rebalanced; /* the device is stopped once and started again at other addresses */
    uint64_t transfer_chunk, scratch_most, paging_from; /* as in vidmm_adapter_config */
    uint32_t preempt_every, first_fence;                /* the same */
    /* Replaces functions of the table that the manager calls, before it starts; NULL: none. */
    void (*table)(DRIVER_INITIALIZATION_DATA *table);
    /* Runs before the workload of check_play, when the manager has started; NULL: none. */
    void (*started)(struct check *check);
    void (*ended)(struct check *check); /* behind it, the same */
    /* False: the driver has not what the workload is to show, and it is not played. NULL: it is. */
    bool (*able)(struct check *check);
    const struct vidmm_observer *observer;
};

struct check_stage {
    const char *name, *summary;
    const char *groups; /* of the rules that it shows: the others are not asked of it */
    uint32_t runs;
    /* Objects that it did not close are closed afterwards. */
    enum vidmm_stage_outcome (*run)(struct check *check, uint32_t number);
};

extern const struct check_stage check_stages[];
extern const uint32_t check_stage_count;
/* How many runs of it there are, as far as is known. */
uint32_t check_stage_runs(const struct check *check, const struct check_stage *stage);
/* The run after run `*number` of `*stage`, if no outcome ends the stage before; false: it is the last. */
bool check_stage_next(const struct check *check, const struct check_stage **stage,
                      uint32_t *number);
bool check_stage_asked(const struct vidmm_check_options *options, const struct check_stage *stage);
/* It shows none of the rules that were asked for; what the host sees is shown by all. */
bool check_stage_idle(const struct vidmm_check_options *options, const struct check_stage *stage);
/* True: `name` is one of the names with commas between them. */
bool check_stage_named(const char *names, const char *name);

enum vidmm_stage_outcome stage_adapters(struct check *check, uint32_t number);
/* A step of it in which there are two adapters, or were. */
bool adapters_beside(const char *step);
/* From here on, or no longer, what the driver kept with one adapter is told as R654. */
void adapters_judge(struct vidmm_ledger *ledger, bool on);
/* damaged_data.c: the same of steps in which the driver gets damaged private data, and R436. */
bool damaged_step(const char *step);
void damaged_judge(struct vidmm_ledger *ledger, bool on);
enum vidmm_stage_outcome stage_start(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_paging(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_memory(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_failures(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_objects(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_locks(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_power(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_promises(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_query(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_operations(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_room(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_preempt(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_interrupts(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_engines(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_residency(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_large(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_ranges(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_dirty(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_display(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_migration(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_agp(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_linked(struct check *check, uint32_t number);
enum vidmm_stage_outcome stage_host_aperture(struct check *check, uint32_t number);

/* sum.c: what the findings and the rules come to, when all stages have run. */
void check_sum(struct causes *causes, const struct vidmm_check_options *options,
               struct vidmm_check_result *result);

uint64_t check_now_ms(void);
/* life.c: tells `told`, after it changed. */
void check_tell(const struct check *check);
/* life.c: what is told and found from here on is of a run of `stage`. */
void check_begin(struct check *check, const struct check_stage *stage);
/* life.c: that run, in the driver's process. */
void check_live(struct check *check, const struct check_stage *stage, uint32_t number);
/* life.c: takes what it told; false: that cannot be. */
bool check_hear(struct check *check, uint32_t kind, const void *bytes, size_t size);
/* life.c: from here on, what the driver kept so far and breaks is told as `rule`; 0: as what it is. */
void check_instead(struct vidmm_ledger *ledger, uint32_t rule, const char *expected);
/* child.c: one run. */
enum vidmm_stage_outcome check_child(struct check *check, const struct check_stage *stage,
                                     uint32_t number);

/* setup.c: memory of the examination itself, zeroed; NULL: there is none, and the check says so. */
void *check_memory(struct check *check, size_t size);
/* children.c: asks for the `*count` children of the adapter, in an array of one more, which the caller frees; `*status`:
 * what the driver answered. NULL: there are none, it was not asked, or there is no memory. */
DXGK_CHILD_DESCRIPTOR *check_children(struct check *check, uint32_t *count, NTSTATUS *status);
/* children.c: the driver says that something is connected to this child. */
bool check_connected(struct check *check, ULONG uid);
/* The same of memory that was got in another way: whether there is some. */
bool check_has(struct check *check, const void *memory);

/* setup.c. false: a finding or check->shared->told.text says why. */
bool check_open(struct check *check, const struct check_setup *setup);
bool check_manage(struct check *check, const struct check_setup *setup);
/* Behind that: contexts run on virtual addresses, the GPU's, or those of processes behind an IOMMU. */
bool check_virtual(const struct check *check);
/* Ends the manager. */
void check_unmanage(struct check *check);
/* From here on no call of the run's table is newer than a driver with this WDDMVersion speaks. */
void check_speak(struct check *check, uint32_t wddm);
/* The user's setting for driver or hardware; 0: none. */
uint64_t check_setting(const struct check *check, const char *name);
/* No memory to manage: stages that need it are skipped. */
bool check_displays_only(struct check *check);
/* Stops the driver from any state; leaks become findings. */
void check_close(struct check *check);
/* Stops and starts the driver's device; without a manager. */
bool check_restart(struct check *check);
/* The same; `stopped` is called in between, unless it is NULL. */
bool check_restart_behind(struct check *check, void (*stopped)(struct check *check, void *ctx),
                          void *ctx);
/* The same without removing it: resources move to other addresses. */
bool check_rebalance(struct check *check);
/* The driver and its user-mode half speak vidmm/umd.h. */
bool check_speaks(struct check *check);
/* ... and understands that command (VIDMM_UMD_*) of DxgkDdiRender. */
bool check_understands(struct check *check, uint32_t command);
/* Its GPU executes packet VIDMM_UMD_PACKET_* from GPU virtual memory. */
bool check_executes(struct check *check, uint32_t packet);
/* "paging: frame 3" for findings. */
void check_step(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A bit for each function that a driver may be without and this table has not: result.lacks. */
uint64_t check_lacks(const DRIVER_INITIALIZATION_DATA *table);
/* One sentence about why a stage ends here; returns `outcome`. */
enum vidmm_stage_outcome check_say(struct check *check, enum vidmm_stage_outcome outcome,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A call failed that has no reason to: the stage ends here, and the refusal is a finding unless a
 * broken rule explains it. */
void check_refused(struct check *check, const char *call, NTSTATUS status);
/* True: in this life of the driver a rule was found broken, which may explain other errors. */
bool check_explained(const struct check *check);
/* vidmm_ledger_judge; what is broken where check_explained is held back, and the report says so. */
void check_judge(struct check *check, uint32_t rule, enum vidmm_side who, bool kept,
                 const char *expected, const char *found, ...)
    __attribute__((format(printf, 6, 7)));
/* The same of bytes that are wrong by no rule (K23). */
void check_note(struct check *check, const char *found, ...) __attribute__((format(printf, 2, 3)));
/* The driver has the functions that reset the adapter. */
bool check_resets(const struct check *check);
/* One of the rules was found broken so far, in whatever run. */
bool check_broke(const struct check *check, const uint16_t *rules, uint32_t count);
/* Work is never reported: R597, the rule `since` where it is the first behind a reset of the adapter or another power state
 * (vidmm_referee_deaf; 0: it is not), or a hang (K15) where something else tells why. */
void check_unreported(struct check *check, bool explained, uint32_t since, const char *found);
/* R281: where a LastAbortedFenceId lies that is not that of the work in which the engine hung. */
const char *check_aborted_text(uint32_t aborted, uint32_t hung);
/* Makes a finding of the manager's error. */
void check_error(struct check *check, const struct vidmm_error *error);
/* The same of the adapter's last error, when `status` is not VIDMM_OK; true: it is VIDMM_OK. */
bool check_good(struct check *check, enum vidmm_status status);
/* Preempts a node that has no work: R561. */
bool check_preempt_idle(struct check *check, uint32_t node);

/* query_descriptor.c: the descriptors of the children that are video outputs. */
void query_descriptors(struct check *check, const DXGK_CHILD_DESCRIPTOR *child, uint32_t count);
/* query_iommu.c: queries about memory behind an IOMMU. */
void query_iommu(struct check *check, const DXGK_DRIVERCAPS *caps);
/* query_nodes.c: the metadata of each node. */
void query_nodes(struct check *check, const DXGK_DRIVERCAPS *caps);
/* That of the paging node, while the manager runs. */
void query_paging_node(struct check *check);
/* That of a node that has just shown that it works with GPU virtual addresses. */
void query_virtual_node(struct check *check, uint32_t node);
/* The engines that are reset with each of them. */
void query_groups(struct check *check, const DXGK_DRIVERCAPS *caps);
/* query_segments.c: QUERYSEGMENT4 of physical adapter 0. */
NTSTATUS check_ask_segments(struct check *check, DXGK_QUERYSEGMENTOUT4 *out);
/* The segments, twice. */
void query_segments(struct check *check);

/* workload.c: a short workload that causes all kinds of paging; false: out of memory. */
bool check_workload(uint64_t seed, uint32_t frames, struct vidmm_workload *out);
/* play.c: opens `setup`, plays a workload of so many frames over it and closes it again; `between`
 * (may be NULL) is called at intervals. */
enum vidmm_stage_outcome check_play(struct check *check, struct check_setup *setup, uint32_t frames,
                                    void (*between)(void *ctx, uint64_t done, uint64_t events));
/* The same over a driver that is started, which stays so. */
enum vidmm_stage_outcome check_play_on(struct check *check, struct check_setup *setup,
                                       uint32_t frames,
                                       void (*between)(void *ctx, uint64_t done, uint64_t events));
/* ask_fence.c: the fence of a node; false: the driver did not tell, which is a finding. */
bool check_ask_fence(struct check *check, uint32_t node, uint32_t physical);

/* ask_line.c: the interrupt routine for another device on the line, which `when` says the moment of; false: there is
 * none. */
bool check_ask_line(struct check *check, const char *when);
/* Resets of the adapter and of its engines that the manager made. */
uint64_t check_resets_made(const struct check *check);
/* vidmm_reset, which is no finding. */
enum vidmm_status check_reset(struct check *check);

/* resets.c: a reset of the manager's that the run did not provoke is a finding (R597) when it begins, unless a rule that
 * was broken explains it. From here on the calls of the manager that is about to start are looked at. */
void check_watch_resets(struct check *check);

#endif
