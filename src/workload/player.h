/*
 * player.h - internals of the player: its struct, and functions shared by the play_*.c files.
 *
 *   player.c       create, destroy, run, threads
 *   player_error.c the error that ends a replay
 *   play.c         one event
 *   play_ahead.c   what the next submissions read, fetched into the caches
 *   play_submit.c  submissions: which pages they check and stamp
 *   play_virtual.c the same when the GPU uses virtual addresses: mappings, residency, packets
 *   play_range.c   further addresses of allocations: reserved ranges with tiles, views
 *   play_offer.c   offers and reclaims
 *   play_linked.c  which of linked physical adapters does what
 *   play_frame.c   frames in flight, results of the GPU's checks, the chart
 *   play_verify.c  checks by the CPU: under locks, and of everything at the end
 *
 * Each process of the workload has a device, a context (one on each of linked physical adapters) and, with them, a thread that plays its
 * events; one thread may play several processes. Threads share the oracle, which has its own lock,
 * and the counters of struct vidmm_player, under `lock`.
 *
 * Paging is always checked completely. The GPU reads and writes only a share of the pages, another
 * one each time, so that a recording that touches a hundred GB plays in seconds.
 */
#ifndef VIDMM_WORKLOAD_PLAYER_H
#define VIDMM_WORKLOAD_PLAYER_H

#include <pthread.h>
#include <stdatomic.h>

#include <vidmm/virtual.h>

#include "oracle.h"
#include "umd_shim.h"

#define PAGE_BYTES  VIDMM_PATTERN_PAGE
#define FRAME_SLOTS 3u /* two frames in flight, and the current one */

/* A run of tiles of an allocation to which a run of tiles of a range led. */
struct player_alias {
    uint32_t range, at; /* in tiles */
    uint32_t tile, tiles;
};

#define ALIASES 4u /* remembered for each allocation */

struct player_allocation {
    struct vidmm_allocation *handle; /* NULL: not live, or creation failed */
    struct oracle_allocation oracle;
    uint64_t size; /* by the manager */
    bool visible;  /* may be locked */
    bool local;    /* prefers GPU memory */
    bool pinned;
    uint32_t read_turn, write_turn, cpu_turn;
    struct player_process *process; /* that made it */
    uint64_t va;                    /* of its first page; 0: physical */
    uint64_t used;                  /* GPU virtual: the process's submission that needed it last */
    struct player_allocation *older, *newer; /* GPU virtual: in the process's list by last use */
    bool resident;
    bool offered;
    bool leaving;                   /* freed: it goes when the GPU is done with it */
    uint64_t fence;                 /* of the newest submission before that; 0: none */
    struct player_allocation *next; /* that leaves after it */
    bool bound;                     /* a range leads, or led, to it */
    struct player_alias aliases[ALIASES];
    uint32_t alias_count, alias_turn;
};

/* Where a tile of a range leads. */
struct player_tile {
    uint32_t allocation; /* index + 1; 0: nowhere */
    uint32_t tile;
};

struct player_range {
    struct player_process *process; /* the owner; only its thread uses the rest */
    uint64_t va, was;               /* 0: there is none; the address before the release */
    bool reserved;                  /* otherwise a view */
    uint32_t tiles;
    struct player_tile *tile;
};

/* A command buffer. */
struct player_commands {
    struct player_allocation buffer;
    unsigned char *cpu; /* locked for ever */
    uint64_t fence;     /* of the submission that reads it */
};

#define COMMAND_BUFFERS 4u

/* Buffer for the results of a frame's CHECK commands on one physical adapter. */
struct player_result {
    struct player_allocation page;
    struct vidmm_umd_result *cpu;   /* GPU virtual: locked for ever */
    struct oracle_allocation watch; /* checks the mapping of `page`, not its content */
    bool used;
    uint64_t expected; /* bytes that it has to check */
    uint64_t lost;     /* oracle_lost when first used */
};

/* A frame in flight. */
struct player_slot {
    uint64_t fence; /* of its last submission */
    struct player_result result[VIDMM_LINKED_MOST];
};

struct player_process {
    struct vidmm_player *player;
    struct vidmm_device *device;
    struct vidmm_context *contexts[VIDMM_LINKED_MOST]; /* on each physical adapter */
    uint32_t physical;                                 /* the adapter of its newest work */
    struct vidmm_context *context;                     /* the context there */
    _Atomic bool dead; /* its device is lost; other processes go on */
    bool presents;     /* otherwise every submission is a frame */
    uint64_t frames, fence;
    struct player_slot slots[FRAME_SLOTS];
    /* GPU virtual: */
    struct vidmm_process *space;
    struct vidmm_paging_queue *queue;
    struct player_commands ring[COMMAND_BUFFERS];
    uint32_t ring_next;
    uint64_t submission;                       /* counts them */
    struct player_allocation *oldest, *newest; /* its resident allocations, by last use */
    struct vidmm_allocation **list;            /* of allocations for one request */
    uint32_t list_room;
    pthread_mutex_t lists;     /* over oldest, newest, trims, trimmed_bytes, resident and offered */
    _Atomic uint64_t trim_due; /* bytes to trim that are not yet evicted */
    uint64_t trims, trimmed_bytes;
    uint64_t offers, discards, ranges, binds, aliased;
    struct player_allocation *leaving, *last_leaving; /* in the order of their fences */
    /* The submission under construction: */
    struct vidmm_reference *references;
    struct player_allocation **referenced; /* the same, as the player's records */
    uint32_t reference_count, reference_room;
    struct vidmm_umd_command *commands;
    uint64_t *addresses; /* GPU virtual: of page 0 of each command's allocation */
    uint32_t command_count, command_room;
    bool checks;
};

struct vidmm_player {
    const struct vidmm_workload *workload;
    struct vidmm_observer observer;
    struct oracle oracle;
    struct player_allocation *allocations;
    struct player_process *processes;
    struct player_range *ranges;
    struct vidmm_frames frames;
    uint32_t share;   /* a submission uses one of so many pages */
    bool gpummu;      /* the adapter runs on virtual addresses */
    uint32_t linked;  /* physical adapters */
    uint8_t *home;    /* of each allocation: a physical adapter; NULL: the first one */
    uint8_t *runs_on; /* of each event that submits: likewise */
    bool iommu;       /* addresses are the CPU's: no range is reserved, no tile mapped */

    /* While it runs: */
    struct vidmm_harness *harness;
    struct shim shim;
    const struct vidmm_play_options *options;
    uint32_t threads;
    _Atomic bool stop;
    _Atomic bool failed; /* for another reason than a lost device */
    _Atomic uint64_t done, live_bytes;
    pthread_mutex_t lock; /* for the rest */
    struct vidmm_play_result *result;
    enum vidmm_play_status status;
    char *text;
    size_t text_size;
};

/* ---- player.c -------------------------------------------------------------------------------- */

/* `doing` failed with `status`: ends the run, unless only a device is lost. Returns false. */
bool player_fail(struct vidmm_player *player, enum vidmm_status status, const char *doing);
/* An allocation or a submission did not fit: counts it and keeps the first reason. Returns true. */
bool player_refused(struct vidmm_player *player);

/* ---- play.c ---------------------------------------------------------------------------------- */

bool play_event(struct vidmm_player *player, uint64_t index);
/* Verifies one live allocation, which is destroyed once the GPU is done with it. */
bool play_free(struct vidmm_player *player, struct player_process *process,
               struct player_allocation *allocation);
/* Destroys what was freed, and `all` also what the GPU may still use. */
void play_free_finish(struct player_process *process, bool all);

/* ---- play_submit.c --------------------------------------------------------------------------- */

bool play_submit(struct player_process *process, const struct vidmm_event *event);
/* Has the GPU check all of a resident allocation. */
bool play_submit_check(struct player_process *process, struct player_allocation *allocation);
/* The next of the shares into which the pages of `allocation` are divided. */
struct oracle_range play_share(const struct vidmm_player *player,
                               const struct player_allocation *allocation, uint32_t *turn);

/* ---- play_virtual.c -------------------------------------------------------------------------- */

/* Device, context and command buffers of a process in a GPU address space of its own. */
bool play_virtual_start(struct player_process *process);
void play_virtual_stop(struct player_process *process);
/* Gives a new allocation its addresses; removes them before it is destroyed. */
enum vidmm_status play_virtual_made(struct player_process *process,
                                    struct player_allocation *allocation);
void play_virtual_leave(struct player_allocation *allocation);
/* Makes the submission's allocations resident, then submits its packets. */
enum vidmm_status play_virtual_submit(struct player_process *process, uint64_t *fence);

/* Adds figures of residency to the run's result. */
void play_virtual_report(struct player_process *process);

/* ---- play_range.c ---------------------------------------------------------------------------- */

/* Assigns each range to its process. Called before there are threads. */
void play_ranges_start(struct vidmm_player *player);
/* RESERVE to COPY; nothing without GPU virtual addresses. */
bool play_range(struct player_process *process, const struct vidmm_event *event);
/* In turn one of the aliases of an allocation, or NULL: its own address. */
const struct player_alias *play_range_choose(struct player_allocation *allocation);
/*
 * The address for pages of an allocation, through `alias` if it still leads there, given as that of
 * its page 0. `pages` is cut to the first part, for which the address is valid.
 */
uint64_t play_range_address(struct player_process *process, struct player_allocation *allocation,
                            const struct player_alias *alias, struct oracle_range *pages);
/* Before an allocation is destroyed: unbinds all tiles that lead to it. */
bool play_range_leave(struct player_process *process, struct player_allocation *allocation);
void play_ranges_stop(struct vidmm_player *player);

/* ---- play_ahead.c ---------------------------------------------------------------------------- */

/* `event` is about to be played by `thread`. */
void play_ahead(const struct vidmm_player *player, uint32_t thread, size_t event);

/* ---- play_offer.c ---------------------------------------------------------------------------- */

bool play_offer(struct player_process *process, struct player_allocation *allocation);
/* Nothing unless it is offered. */
bool play_reclaim(struct player_process *process, struct player_allocation *allocation);

/* ---- play_linked.c --------------------------------------------------------------------------- */

/* Assigns allocations and submissions to the physical adapters; false: no memory. */
bool play_linked_start(struct vidmm_player *player);
void play_linked_stop(struct vidmm_player *player);
/* The physical adapter that an allocation of the workload is at home on. */
uint32_t play_linked_home(const struct vidmm_player *player, uint32_t allocation);
/* The physical adapter that runs the submission of an event. */
uint32_t play_linked_event(const struct vidmm_player *player, const struct vidmm_event *event);
/* The contexts of a process. */
enum vidmm_status play_linked_contexts(struct player_process *process);
/* The next work of the process is for this physical adapter, after all work so far. */
bool play_linked_switch(struct player_process *process, uint32_t physical);

/* ---- play_frame.c ---------------------------------------------------------------------------- */

bool play_frames_start(struct player_process *process);
void play_frames_stop(struct player_process *process);
/* For the checks of the frame that is being made. */
struct player_result *play_result(struct player_process *process);
/* Ends the frame: waits for the one before the last and reads its results. */
bool play_frame_end(struct player_process *process);
/* A submission references so many bytes that lie there. The player's lock is held. */
void play_frame_references(struct vidmm_player *player, uint64_t vram, uint64_t aperture,
                           uint64_t system);
/* Counts a frame of the workload and samples the chart. True: the limit is reached. */
bool play_frame_count(struct vidmm_player *player);
/* Waits for all frames and reads their results. */
bool play_frames_finish(struct player_process *process);

/* ---- play_verify.c --------------------------------------------------------------------------- */

/* The CPU maps it, compares a share, and with `write` writes some pages. */
bool play_cpu(struct vidmm_player *player, struct player_allocation *allocation, bool write);
/* Before a FREE: all bytes, where they are. */
bool play_verify_freed(struct player_process *process, struct player_allocation *allocation);
/* At the end: evicted, so that a transfer is checked too, then all bytes as the CPU sees them. */
bool play_verify_last(struct vidmm_player *player, struct player_allocation *allocation);

#endif
