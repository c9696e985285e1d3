/*
 * oracle.h - the expected value of every byte, and which operation wrote a wrong one.
 *
 * The oracle keeps one version number a page of every allocation; with pattern.h that is all of the
 * content. The player (play.c) tells it what the GPU and the CPU write; it compares whatever passes
 * by: every paging operation as the adapter's observer (oracle_ops.c), what the CPU sees through
 * locks (oracle_check), and what the GPU saw of pages it was told to check (oracle_gpu_result).
 *
 * A page found wrong is reported once: what it holds is unknown after that, until it is written.
 * Every function takes the oracle's lock and may be called from any thread, with the adapter's lock
 * held or not; the oracle calls nothing of the manager that would take it.
 */
#ifndef VIDMM_WORKLOAD_ORACLE_H
#define VIDMM_WORKLOAD_ORACLE_H

#include <pthread.h>

#include <vidmm/pattern.h>
#include <vidmm/workload.h>

#define ORACLE_UNKNOWN  UINT32_MAX /* a version: anything may be there */
#define ORACLE_OPAQUE   UINT32_MAX /* a pitch */
#define ORACLE_SEGMENTS 32u

/* Half-open range of pages that one write of the GPU covers. */
struct oracle_range {
    uint32_t first, pages;
};

/* What `user` of a player's allocation points to. */
struct oracle_allocation {
    struct oracle *oracle;
    uint32_t index; /* in the workload; index + 1 is its id in vidmm_pattern_key */
    uint32_t pages;
    uint32_t pitch;     /* of a tiled surface, else 0; ORACLE_OPAQUE: its layout is unknown */
    uint32_t version;   /* newest one given out */
    uint32_t *versions; /* one a page */
    uint64_t lost;      /* how often its content was lost */
    /* A write of the GPU that is being submitted: it may or may not have happened. */
    struct oracle_range pending;
    uint64_t pending_lost; /* `lost` when it began */
    bool leaving;          /* about to be destroyed */
    /* Set: the device is in error, and what it was doing is unknown. NULL: not looked at. */
    struct vidmm_device *device;
};

/* A page that an aperture still showed when its UNMAP was reported. */
struct oracle_kept {
    struct vidmm_allocation *handle;
    uint32_t segment;
    uint64_t offset; /* of the operation's first page in the segment */
    uint64_t at;     /* of the operation in the allocation */
    uint64_t page, buffer;
};

#define ORACLE_KEPT 16u

struct oracle {
    pthread_mutex_t lock;
    struct vidmm_host *host;                    /* NULL before the harness is open */
    uint64_t segment_base[ORACLE_SEGMENTS + 1]; /* by id */
    bool segment_aperture[ORACLE_SEGMENTS + 1];
    uint64_t event; /* being played */
    uint64_t lost;  /* how often any content was lost */
    struct oracle_kept kept[ORACLE_KEPT];
    uint32_t kept_count;
    bool certain; /* about which operation wrote `first` */
    uint64_t verified_bytes, mismatched_bytes;
    struct vidmm_mismatch first;
};

bool oracle_init(struct oracle *oracle);
void oracle_destroy(struct oracle *oracle);
/* The host and where its segments are; before any allocation is made. */
void oracle_attach(struct oracle *oracle, struct vidmm_harness *harness);
/* Which event is played next, for reports; the last one is judged to its end. */
void oracle_set_event(struct oracle *oracle, uint64_t event);

/* An allocation that is about to be made: nothing is compared yet. */
void oracle_allocation_start(struct oracle_allocation *allocation, struct oracle *oracle,
                             uint32_t index, uint32_t pitch);
/* It is made and has so many pages, zero everywhere. False: no memory. */
bool oracle_allocation_made(struct oracle_allocation *allocation, uint32_t pages, uint32_t pitch);
/* The manager's allocation is about to be destroyed. */
void oracle_allocation_leave(struct oracle_allocation *allocation);
void oracle_allocation_destroy(struct oracle_allocation *allocation);

/* The GPU will write `range` in the submission about to be made; the version that it must write. */
uint32_t oracle_write_begin(struct oracle_allocation *allocation, struct oracle_range range);
/* That submission was accepted, or was not. */
void oracle_write_end(struct oracle_allocation *allocation, bool accepted);
/* The CPU writes whole pages now; `bytes` points to the first of them. */
void oracle_cpu_write(struct oracle_allocation *allocation, struct oracle_range range, void *bytes);

/*
 * The longest part of `range`, from its start, whose pages must all have one version, which goes to
 * `*version` (ORACLE_UNKNOWN: nothing to compare).
 */
uint32_t oracle_same_version(struct oracle_allocation *allocation, struct oracle_range range,
                             uint32_t *version);

/* Compares pages that the CPU sees at `bytes`, the first of `range`. */
void oracle_check(struct oracle_allocation *allocation, struct oracle_range range,
                  const void *bytes);
/* Its process was told that its content is gone. */
void oracle_discarded(struct oracle_allocation *allocation);
/* Compares all pages in system memory, where the allocation must be. */
void oracle_check_backing(struct oracle_allocation *allocation, PMDL mdl);
/* How often any content was lost so far. */
uint64_t oracle_lost(struct oracle *oracle);
/* What the GPU found, which was told to check `expected` bytes. */
struct vidmm_umd_result;
void oracle_gpu_result(struct oracle *oracle, const struct vidmm_umd_result *result,
                       uint64_t expected);

/* ---- For oracle_ops.c, with the lock held ---------------------------------------------------- */

/* Wrong bytes of a page, 0: right or unknown; `*first`: offset of the first one. */
uint32_t oracle_wrong_bytes(const struct oracle_allocation *allocation, uint32_t page,
                            const void *bytes, uint32_t *first);
/* Notes wrong bytes; the page is unknown from now on. True for the first ever. */
bool oracle_note(struct oracle_allocation *allocation, uint32_t page, uint32_t byte,
                 uint32_t wrong);
/* Decides about the pages that apertures kept; see oracle_ops.c. */
void oracle_judge_kept(struct oracle *oracle);
/* Page `page` of system memory described by `mdl`, or NULL. */
const void *oracle_system_page(const struct oracle *oracle, PMDL mdl, uint64_t page);
/* Fills in an observer that calls this oracle. */
void oracle_observe(struct oracle *oracle, struct vidmm_observer *observer);

#endif
