/*
 * oracle.h - the expected value of every byte, and which operation wrote a wrong one.
 *
 * The oracle keeps one version number a page of every allocation; with pattern.h the version
 * determines the content. The player (play.c) reports writes of the GPU and the CPU. The oracle
 * compares the result of every paging operation, as the adapter's observer (oracle_ops.c), the
 * bytes that the CPU sees through locks (oracle_check), and the results of the GPU's CHECK commands
 * (oracle_gpu_result).
 *
 * A wrong page is reported once: its content then counts as unknown until it is written. Every
 * function takes the oracle's lock and may be called from any thread, with the adapter's lock held
 * or not; the oracle calls no function of the manager that takes that lock.
 */
#ifndef VIDMM_WORKLOAD_ORACLE_H
#define VIDMM_WORKLOAD_ORACLE_H

#include <pthread.h>

#include <vidmm/pattern.h>
#include <vidmm/workload.h>

#define ORACLE_UNKNOWN  UINT32_MAX /* a version: any content is right */
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
    uint32_t version;   /* newest version */
    uint32_t *versions; /* one a page */
    uint64_t lost;      /* how often its content was lost */
    /* A write of the GPU during its submission: done or not. */
    struct oracle_range pending;
    uint64_t pending_lost; /* `lost` when it began */
    uint64_t drawn;        /* event of the newest write of the GPU; 0: none */
    bool by_cpu;           /* the CPU wrote since */
    bool leaving;          /* about to be destroyed */
    /* Set: the device is in error, and its last work is undefined. May be NULL. */
    struct vidmm_device *device;
};

/* A page that was still mapped in an aperture when its UNMAP was reported. */
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
    uint32_t segment_physical[ORACLE_SEGMENTS + 1]; /* the physical adapter that has it */
    uint64_t event;                                 /* being played */
    uint64_t lost;                                  /* how often any content was lost */
    struct oracle_kept kept[ORACLE_KEPT];
    uint32_t kept_count;
    bool own_tiles; /* tiled surfaces lie as the driver likes: oracle_tiles.c */
    bool blind;     /* memory has no content: versions are kept, nothing is written or compared */
    bool certain;   /* `first` names the right operation */
    uint64_t verified_bytes, mismatched_bytes;
    struct vidmm_mismatch first;
    void (*wrong)(void *ctx, const struct vidmm_mismatch *first); /* of struct vidmm_play_options */
    void *wrong_ctx;
};

bool oracle_init(struct oracle *oracle);
void oracle_destroy(struct oracle *oracle);
/* Sets the host and its segments; before any allocation is created. */
void oracle_attach(struct oracle *oracle, struct vidmm_harness *harness);
/* The event that is played next, for reports; first completes the checks of the last one. */
void oracle_set_event(struct oracle *oracle, uint64_t event);

/* An allocation that will be created: nothing is compared yet. */
void oracle_allocation_start(struct oracle_allocation *allocation, struct oracle *oracle,
                             uint32_t index, uint32_t pitch);
/* It was created with so many pages, all zero. False: no memory. */
bool oracle_allocation_made(struct oracle_allocation *allocation, uint32_t pages, uint32_t pitch);
/* The manager's allocation is about to be destroyed. */
void oracle_allocation_leave(struct oracle_allocation *allocation);
void oracle_allocation_destroy(struct oracle_allocation *allocation);

/* The GPU will write `range` in the submission about to be made; the version that it must write. */
uint32_t oracle_write_begin(struct oracle_allocation *allocation, struct oracle_range range);
/* Whether that submission was accepted. */
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
/* The manager reported to its process that the content is gone. */
void oracle_discarded(struct oracle_allocation *allocation);
/* Compares all pages in system memory, where the allocation must be. */
void oracle_check_backing(struct oracle_allocation *allocation, PMDL mdl);
/* How often any content was lost so far. */
uint64_t oracle_lost(struct oracle *oracle);
/* The result of CHECK commands over `expected` bytes. */
struct vidmm_umd_result;
void oracle_gpu_result(struct oracle *oracle, const struct vidmm_umd_result *result,
                       uint64_t expected);

/* ---- For oracle_ops.c, with the lock held ---------------------------------------------------- */

/* Wrong bytes of a page, 0: right or unknown; `*first`: offset of the first one. */
uint32_t oracle_wrong_bytes(const struct oracle_allocation *allocation, uint32_t page,
                            const void *bytes, uint32_t *first);
/* Records wrong bytes; the page is unknown from now on. True for the first of the run. */
bool oracle_note(struct oracle_allocation *allocation, uint32_t page, uint32_t byte,
                 uint32_t wrong);
/* Judges the pages that were still mapped after UNMAP; see oracle_ops.c. */
void oracle_judge_kept(struct oracle *oracle);
/* Page `page` of system memory described by `mdl`, or NULL. */
const void *oracle_system_page(const struct oracle *oracle, PMDL mdl, uint64_t page);
/* The GPU's memory at an address that lies in a segment; NULL: it cannot be seen. */
const void *oracle_segment_bytes(const struct oracle *oracle, uint32_t segment, uint64_t address,
                                 size_t size);
/* Copies page `page`, in linear order, of the surface that is tiled as the reference driver's at `address` to
 * `scratch`; NULL: it cannot be seen. */
const void *oracle_tiled_page(const struct oracle_allocation *allocation, uint32_t segment,
                              uint64_t address, uint64_t page, unsigned char *scratch);
/* Whether the surface at `address` has the words that were written, in whatever order; UNSEEN: they are not known, or
 * cannot be seen. */
enum oracle_words { ORACLE_WORDS_UNSEEN, ORACLE_WORDS_RIGHT, ORACLE_WORDS_WRONG };
enum oracle_words oracle_words(const struct oracle_allocation *allocation, uint32_t segment,
                               uint64_t address);
/* Fills in an observer that calls this oracle. */
void oracle_observe(struct oracle *oracle, struct vidmm_observer *observer);

#endif
