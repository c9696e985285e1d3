/*
 * run.h - a whole run in one call: workload, driver, manager, oracle, verdict.
 *
 * The vidmm command as a library: finds a workload, starts a driver with a given amount of memory,
 * replays, verifies, stops, and returns all results. report.h makes text and JSON of it.
 */
#ifndef VIDMM_RUN_H
#define VIDMM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vidmm/settings.h>
#include <vidmm/virtual.h>
#include <vidmm/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VIDMM_RUN_DEFAULT_WORKLOAD "openarena-tour"

/* The verdict; the values are the command's exit codes. */
enum vidmm_run_status {
    VIDMM_RUN_VERIFIED = 0,
    VIDMM_RUN_WRONG = 1,         /* a wrong byte or a broken rule */
    VIDMM_RUN_BAD_INPUT = 2,     /* the workload or the options are invalid */
    VIDMM_RUN_DRIVER_FAILED = 3, /* the driver refused, failed, or the run ran out of memory */
};

struct vidmm_run_options {
    const char
        *driver_path;       /* shared object that exports DriverEntry; NULL: the reference driver */
    const char *model_path; /* shared object with the driver's hardware (hwmodel.h); NULL: none */
    const struct vidmm_hw_model *device; /* that hardware instead (device.h); NULL: none */
    FILE *device_log;                    /* accesses to its registers; NULL: nowhere */
    enum vidmm_model memory_model;       /* GPUMMU, IOMMU: the reference driver has it by default */
    uint64_t vram_bytes; /* VramBytes of the reference hardware, IOMMU: ApertureBytes; 0: default */
    /* DXGKDDI_INTERFACE_VERSION_* that the reference driver declares, and that is spoken with any, at
     * most what its table has; 0: the reference driver's default, and what table and caps say. */
    uint32_t ddi_version;
    const struct vidmm_host_setting *settings; /* more of them; they win over the two above */
    uint32_t setting_count;
    /* The first of settings, which a user named: one that neither driver nor hardware asked for by the end of
     * the driver's start is bad input. */
    uint32_t named_settings;
    uint64_t seed; /* scatters physical pages */
    uint32_t
        threads;     /* 0: virtual time; else submitting threads, engine threads, wall-clock time */
    uint32_t linked; /* physical adapters of the logical one, at most VIDMM_LINKED_MOST; 0: one */
    /* The driver runs in a process of its own (watch.h), and so do the functions below but `progress`;
     * what ends it does not end the caller. false: in this one. */
    bool apart;
    uint32_t timeout_ms;               /* of a call, `apart`; 0: VIDMM_WATCH_TIMEOUT_MS */
    uint64_t frame_limit;              /* 0: the whole workload */
    const struct vidmm_policy *policy; /* of eviction; NULL: the default */
    uint64_t fail_at; /* the n-th allocation of host, driver, hardware and manager fails; 0: none */
    FILE *log;        /* DbgPrint of the driver, and the DDI calls when `trace`; NULL: nowhere */
    bool trace;
    bool unjudged; /* no referee between manager and driver */
    bool
        no_bytes; /* memory of the reference hardware has no content: the same calls, no verdict on bytes */
    bool serial_paging; /* no paging operation runs beside other work of the GPU */
    bool dirty; /* what each frame writes; the reference driver is WDDM 3.2 by default then */
    void (*progress)(void *ctx, uint64_t events_done, uint64_t events);
    void *progress_ctx;
    /* Each plan of the manager that the report's figures count (vidmm_observer.plan); NULL: none. */
    void (*plan)(void *plan_ctx, const struct vidmm_plan *plan);
    void *plan_ctx;
    /* The last plan was seen; false: `text` says why they could not be written. NULL: none. */
    bool (*plan_done)(void *plan_ctx, char *text, size_t text_size);
    void (*wrong)(void *ctx, const struct vidmm_mismatch *first); /* of the player; or NULL */
    void *wrong_ctx;
    bool (*gate)(void *ctx, struct vidmm_harness *harness, uint64_t event); /* of the player, unless
                                                                     `dirty`; or NULL */
    void *gate_ctx;
};

#define VIDMM_DIRTY_SIZES 4u

/* Dirty pages of the frames, in bytes, for one page size. */
struct vidmm_run_dirty_size {
    uint64_t page_bytes;
    uint64_t bytes, most;             /* of all frames together; of one */
    uint64_t chart[VIDMM_PLAY_CHART]; /* of a frame, on the average of a part of the run */
};

/* The rate at which a workload writes GPU memory, which a migration would have to send again. */
struct vidmm_run_dirty {
    bool on;
    uint64_t frames;
    uint32_t sizes, samples;
    struct vidmm_run_dirty_size size[VIDMM_DIRTY_SIZES]; /* from the driver's own to 2 MiB */
};

struct vidmm_run_result {
    enum vidmm_run_status status;
    char text[512]; /* one sentence unless VERIFIED */
    char workload[64];
    char driver[256];
    char policy[64]; /* of eviction */
    uint64_t peak_live_bytes, seed;
    uint64_t vram_bytes; /* as requested; after the replay the size of all memory segments */
    uint32_t threads;
    bool no_bytes; /* no byte was moved or verified */
    bool unjudged; /* no referee was there */
    bool played;   /* the driver started: the members below are valid */
    struct vidmm_adapter_info adapter;
    struct vidmm_gpummu_info mmu;
    struct vidmm_play_result play;
    /* What nobody could beat in that much GPU memory; all 0 where it cannot be compared: linked
     * adapters, no GPU memory, refused submissions. */
    struct vidmm_bound bound;
    struct vidmm_run_dirty dirty;
    uint64_t calls, calls_hash; /* DDI calls up to the end of the replay */
    uint64_t allocations;       /* counted for fail_at */
    bool failed_once;
    char **violations; /* one sentence each, in order */
    uint32_t violation_count;
    char **advice; /* the same of rules that only cost time; no reason for WRONG */
    uint32_t advice_count;
    /* Everything that was found, with places whose symbols the caller may read (vidmm_check_symbols);
     * NULL: the run was not judged. */
    struct vidmm_ledger *ledger;
    /* The process of the driver ended as none should: one finding, as above. NULL: it did not. */
    struct vidmm_ledger *ended;
    char unwritten[512];        /* what options.plan_done said */
    struct vidmm_unread unread; /* settings; none where the driver was in this process */
};

/* A name that a driver image imports. */
struct vidmm_run_import {
    char *library, *name;
    bool known; /* vidmm has it */
};

/* What a driver reported about its memory, and what its image imports. */
struct vidmm_inspection {
    char driver[256];
    struct vidmm_run_import *imports; /* in the order of the file; there whether it starts or not */
    size_t import_count;
    struct vidmm_adapter_info adapter;
    struct vidmm_segment_info *segments; /* adapter.segments of them, banks included */
    struct vidmm_gpummu_info mmu;
    uint64_t local_budget, non_local_budget; /* `mmu.on`: bytes of a process that is alone */
    struct vidmm_ledger *ended;              /* as in struct vidmm_run_result */
    struct vidmm_unread unread;              /* the same */
};

/*
 * A workload by name: a path, a generator's name, or the name of a shipped recording. Recordings
 * are looked for in $VIDMM_WORKLOADS, then beside the program (../workloads,
 * ../share/vidmm/workloads), then where they were installed.
 */
bool vidmm_run_find(const char *name, uint64_t seed, struct vidmm_workload *out,
                    struct vidmm_workload_error *error);
/* Calls `visit` with the name of every shipped recording, in order. */
void vidmm_run_each_recording(void (*visit)(void *ctx, const char *name), void *ctx);

/*
 * A policy by the name that the library has for it, or, with a slash in it, the one of a shared
 * object, which stays loaded. False: `text` is one sentence.
 */
bool vidmm_run_policy(const char *name, const struct vidmm_policy **out, char *text,
                      size_t text_size);

/* Bytes that a run brought into GPU memory, and those of allocations that prefer to be there and were
 * referenced where they lay. */
static inline uint64_t vidmm_run_moved(const struct vidmm_run_result *result) {
    return result->play.stats.paged_in_bytes + result->play.referenced_remote;
}
/* These over the bound; 0: there is none. */
static inline double vidmm_run_over_bound(const struct vidmm_run_result *result) {
    return result->bound.pages ? (double)vidmm_run_moved(result) / (double)result->bound.pages : 0;
}

/* "64M", "1.5GiB", "65536"; suffixes are powers of 1024. */
bool vidmm_run_parse_size(const char *text, uint64_t *bytes);
/* A size, or "25%" of `peak` (0: there is none, shares make no sense): rounded up to 64 KiB, at
 * least 1 MiB. */
bool vidmm_run_parse_vram(const char *text, uint64_t peak, uint64_t *bytes);
/* "win7", "wddm2.0" … to DXGKDDI_INTERFACE_VERSION_* and back; NULL for a number without a name. */
bool vidmm_run_parse_ddi(const char *name, uint32_t *version);
/* The name of a version, a static string; NULL: it has none. */
const char *vidmm_run_ddi_name(uint32_t version);
/* The `index`-th name, oldest first; NULL after the last. */
const char *vidmm_run_ddi_at(size_t index);

/* "physical", "gpummu", "iommu". */
bool vidmm_run_parse_model(const char *name, enum vidmm_model *model);

/* Fills `*result` in every case; free it with vidmm_run_result_free. */
enum vidmm_run_status vidmm_run(const struct vidmm_workload *workload,
                                const struct vidmm_run_options *options,
                                struct vidmm_run_result *result);
/*
 * Frees what `result` points to, not the structure; all pointers are NULL then. It may be freed
 * again.
 */
void vidmm_run_result_free(struct vidmm_run_result *result);
/* Of a result as the process of a driver told it (vidmm/watch.h): its pointers, which lead nowhere, become
 * NULL. false: no run has such a result. */
bool vidmm_run_result_told(struct vidmm_run_result *told);
/* One more sentence about a broken rule, after which the run is WRONG. */
void vidmm_run_result_violation(struct vidmm_run_result *result, const char *text);

/* Starts the driver, reads its reports, stops it. `text`: one sentence unless VERIFIED. */
enum vidmm_run_status vidmm_run_inspect(const struct vidmm_run_options *options,
                                        struct vidmm_inspection *inspection, char *text,
                                        size_t text_size);
/*
 * Frees what `inspection` points to, not the structure; all pointers are NULL then. It may be
 * freed again.
 */
void vidmm_inspection_free(struct vidmm_inspection *inspection);

#ifdef __cplusplus
}
#endif

#endif
