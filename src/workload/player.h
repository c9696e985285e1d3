/*
 * player.h - the inside of the player: one struct, and what the play_*.c files call of each other.
 *
 *   player.c       make, destroy, run: threads, the way to the end
 *   player_error.c the error that ends a replay
 *   play.c         one event
 *   play_submit.c  submissions: which pages they check and stamp
 *   play_virtual.c the same when the GPU uses virtual addresses: mappings, residency, packets
 *   play_range.c   further addresses of allocations: reserved ranges with tiles, views
 *   play_offer.c   content that a process can do without
 *   play_frame.c   frames in flight, results of the GPU's checks, the chart
 *   play_verify.c  checks by the CPU: under locks, and of everything at the end
 *
 * Each process of the workload has a device, a context and, with them, a thread that plays its
 * events; one thread may play several processes. What they share is the oracle, which has a lock,
 * and the counters of struct vidmm_player, which have `lock`.
 *
 * Paging is always checked whole. What the GPU reads and writes is a share of the pages that
 * rotates, so that a recording that touches a hundred GB plays in seconds, and every page gets its
 * turn.
 */
#ifndef VIDMM_WORKLOAD_PLAYER_H
#define VIDMM_WORKLOAD_PLAYER_H

#include <pthread.h>
#include <stdatomic.h>

#include <vidmm/virtual.h>

#include "oracle.h"
#include "umd_shim.h"

#define PAGE_BYTES  VIDMM_PATTERN_PAGE
#define FRAME_SLOTS 3u /* two frames in flight, and the one being made */

/* Tiles in a row of an allocation that tiles in a row of a range once led to. */
struct player_alias {
    uint32_t range, at; /* in tiles */
    uint32_t tile, tiles;
};

#define ALIASES 4u /* of an allocation that are remembered */

struct player_allocation {
    struct vidmm_allocation *handle; /* NULL: not live, or could not be made */
    struct oracle_allocation oracle;
    uint64_t size; /* as the manager has it */
    bool visible;  /* may be locked */
    bool pinned;
    uint32_t read_turn, write_turn, cpu_turn;
    struct player_process *process; /* that made it */
    uint64_t va;                    /* of its first page; 0: physical */
    uint64_t used;                  /* GPU virtual: the process's submission that needed it last */
    struct player_allocation *older,
        *newer; /* GPU virtual: among what the process keeps resident */
    bool resident;
    bool offered;
    bool bound; /* some range leads, or led, to it */
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
    uint64_t va, was;               /* 0: there is none; the address that a released one had */
    bool reserved;                  /* otherwise a view */
    uint32_t tiles;
    struct player_tile *tile;
};

/* Packets on their way to the GPU. */
struct player_commands {
    struct player_allocation buffer;
    unsigned char *cpu; /* locked for ever */
    uint64_t fence;     /* of the submission that reads it */
};

#define COMMAND_BUFFERS 4u

/* Where CHECK commands of a frame leave what they found. */
struct player_slot {
    struct player_allocation result;
    struct vidmm_umd_result *cpu;   /* GPU virtual: locked for ever */
    struct oracle_allocation watch; /* of `result`: where it is mapped, not what it holds */
    uint64_t fence;                 /* of the frame's last submission */
    bool used;
    uint64_t expected; /* bytes that it has to check */
    uint64_t lost;     /* oracle_lost when first used */
};

struct player_process {
    struct vidmm_player *player;
    struct vidmm_device *device;
    struct vidmm_context *context;
    _Atomic bool dead; /* its device is lost: the others go on without it */
    bool presents;     /* otherwise every submission is a frame */
    uint64_t frames, fence;
    struct player_slot slots[FRAME_SLOTS];
    /* GPU virtual: */
    struct vidmm_process *space;
    struct vidmm_paging_queue *queue;
    struct player_commands ring[COMMAND_BUFFERS];
    uint32_t ring_next;
    uint64_t submission;                       /* counts them */
    struct player_allocation *oldest, *newest; /* what it keeps resident, by last use */
    struct vidmm_allocation **list;            /* of allocations for one request */
    uint32_t list_room;
    pthread_mutex_t lists;     /* over oldest, newest, trims, trimmed_bytes, resident and offered */
    _Atomic uint64_t trim_due; /* bytes that were asked for and not yet let go */
    uint64_t trims, trimmed_bytes;
    uint64_t offers, discards, ranges, binds, aliased;
    /* The submission being put together: */
    struct vidmm_reference *references;
    struct player_allocation **referenced; /* the same, as the player knows them */
    uint32_t reference_count, reference_room;
    struct vidmm_umd_command *commands;
    uint64_t *addresses; /* GPU virtual: of page 0 of what each command is about */
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
    uint32_t share; /* one page of so many is touched by a submission */
    bool gpummu;    /* the adapter runs on virtual addresses */
    bool iommu;     /* addresses are the CPU's: no range is reserved, no tile mapped */

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

/* `doing` failed with `status`: the run is over, unless only a device is lost. Returns false. */
bool player_fail(struct vidmm_player *player, enum vidmm_status status, const char *doing);
/* An allocation or a submission did not fit: counts it and keeps the first reason. Returns true. */
bool player_refused(struct vidmm_player *player);

/* ---- play.c ---------------------------------------------------------------------------------- */

bool play_event(struct vidmm_player *player, uint64_t index);
/* Verifies and destroys one live allocation. */
bool play_free(struct vidmm_player *player, struct player_process *process,
               struct player_allocation *allocation);

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
/* An allocation was made for the process: it gets addresses; and before it is destroyed. */
enum vidmm_status play_virtual_made(struct player_process *process,
                                    struct player_allocation *allocation);
void play_virtual_leave(struct player_allocation *allocation);
/* What was put together: resident, then as packets to the GPU. */
enum vidmm_status play_virtual_submit(struct player_process *process, uint64_t *fence);

/* How memory went, into the run's result. */
void play_virtual_report(struct player_process *process);

/* ---- play_range.c ---------------------------------------------------------------------------- */

/* Assigns each range to its process. Called before there are threads. */
void play_ranges_start(struct vidmm_player *player);
/* RESERVE to COPY; nothing without GPU virtual addresses. */
bool play_range(struct player_process *process, const struct vidmm_event *event);
/* By turns what is remembered to lead to an allocation, or NULL: its own address. */
const struct player_alias *play_range_choose(struct player_allocation *allocation);
/*
 * The address for pages of an allocation, through `alias` where it still leads there: of its page
 * 0, if it were mapped whole. `pages` is cut to the part of them from the start that it is for.
 */
uint64_t play_range_address(struct player_process *process, struct player_allocation *allocation,
                            const struct player_alias *alias, struct oracle_range *pages);
/* Before an allocation is destroyed: nothing leads to it any more. */
bool play_range_leave(struct player_process *process, struct player_allocation *allocation);
void play_ranges_stop(struct vidmm_player *player);

/* ---- play_offer.c ---------------------------------------------------------------------------- */

bool play_offer(struct player_process *process, struct player_allocation *allocation);
/* Nothing unless it is offered. */
bool play_reclaim(struct player_process *process, struct player_allocation *allocation);

/* ---- play_frame.c ---------------------------------------------------------------------------- */

bool play_frames_start(struct player_process *process);
void play_frames_stop(struct player_process *process);
/* The slot of the frame that is being made. */
struct player_slot *play_slot(struct player_process *process);
/* Ends the frame: waits for the one before the last, looks at what it found. */
bool play_frame_end(struct player_process *process);
/* One more frame of the workload: the chart. True when that was enough. */
bool play_frame_count(struct vidmm_player *player);
/* Waits for all frames and looks at what they found. */
bool play_frames_finish(struct player_process *process);

/* ---- play_verify.c --------------------------------------------------------------------------- */

/* The CPU maps it, compares a share, and with `write` writes some pages. */
bool play_cpu(struct vidmm_player *player, struct player_allocation *allocation, bool write);
/* Before a FREE: all bytes, where they are. */
bool play_verify_freed(struct player_process *process, struct player_allocation *allocation);
/* At the end: evicted, so that a transfer is checked too, then all bytes as the CPU sees them. */
bool play_verify_last(struct vidmm_player *player, struct player_allocation *allocation);

#endif
