/*
 * workload.h - recordings and generators, and the player that replays them over the manager.
 *
 * A workload is a list of events (allocate, free, map, unmap, submit, present; further GPU
 * addresses of allocations; offers), read from a recording (JSON Lines, plain or .zst;
 * docs/workloads.md) or made by a seeded generator. The player replays it over a started harness
 * and compares every byte with the oracle.
 */
#ifndef VIDMM_WORKLOAD_H
#define VIDMM_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/harness.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vidmm_event_kind {
    VIDMM_EVENT_ALLOC,
    VIDMM_EVENT_FREE,
    VIDMM_EVENT_MAP,
    VIDMM_EVENT_UNMAP,
    VIDMM_EVENT_SUBMIT,
    VIDMM_EVENT_PRESENT,
    /* GPU virtual addresses; without them these events are ignored, because they change no byte. */
    VIDMM_EVENT_RESERVE, /* a range of addresses that lead nowhere yet */
    VIDMM_EVENT_VIEW,    /* a range of addresses that lead to a part of an allocation */
    VIDMM_EVENT_RELEASE, /* the end of a range */
    VIDMM_EVENT_BIND,    /* tiles of a reserved range lead to tiles of an allocation */
    VIDMM_EVENT_UNBIND,  /* or nowhere again */
    VIDMM_EVENT_COPY,    /* or where other tiles of the range lead */
    /* The program does not need the content of an allocation for a while, or needs it again. */
    VIDMM_EVENT_OFFER,
    VIDMM_EVENT_RECLAIM
};

#define VIDMM_TILE_BYTES    UINT64_C(65536) /* unit of everything about ranges */
#define VIDMM_EVENT_NOTHING UINT32_MAX

struct vidmm_event {
    enum vidmm_event_kind kind;
    uint32_t process;              /* 0 in recordings */
    uint32_t allocation;           /* index from 0 in order of ALLOC events */
    uint64_t size;                 /* ALLOC, and of ranges or their parts: bytes */
    uint32_t umd_flags;            /* ALLOC: VIDMM_UMD_* */
    uint32_t priority;             /* ALLOC: 0 default */
    uint32_t first, reads, writes; /* SUBMIT: lists[first .. first+reads), then `writes` more */
    uint32_t range;                /* index from 0 in order of RESERVE and VIEW events */
    uint32_t like;   /* VIEW: a released range whose address is wanted again, or NOTHING */
    uint64_t at;     /* BIND, UNBIND, COPY: bytes from the start of the range */
    uint64_t offset; /* VIEW, BIND: bytes into the allocation; COPY: the source in the range */
};

struct vidmm_workload {
    char name[64];
    struct vidmm_event *events;
    size_t event_count;
    uint32_t *lists; /* allocation indices of all submits */
    size_t list_count;
    uint32_t allocation_count, process_count, range_count;
    uint64_t peak_live_bytes; /* most bytes allocated at once, page-rounded */
};

struct vidmm_workload_error {
    uint64_t line, column; /* 1-based; 0: no position */
    char text[256];        /* one sentence */
};

/* Reads a recording. On failure nothing is kept and `error` says what, where and what was expected.
 */
bool vidmm_workload_read(const char *path, struct vidmm_workload *out,
                         struct vidmm_workload_error *error);
/* The same from memory, uncompressed; `name` for messages. */
bool vidmm_workload_parse(const char *name, const char *text, size_t size,
                          struct vidmm_workload *out, struct vidmm_workload_error *error);
/* Frees events and lists, not the structure, which is empty then. It may be freed again. */
void vidmm_workload_free(struct vidmm_workload *workload);

/* The end of a frame: a present, or a submission in a workload without presents. */
struct vidmm_frames {
    enum vidmm_event_kind end;
    uint64_t count;
};
/* How frames end in `workload`, and how many it has. Any thread. */
struct vidmm_frames vidmm_workload_frames(const struct vidmm_workload *workload);

/* Bytes that a workload has to move into GPU memory, whoever plays it: bound.c. Of allocations that
 * prefer system memory (umd.h) nothing counts. */
struct vidmm_bound {
    uint64_t referenced; /* by all submissions; each references whole allocations */
    uint64_t first;      /* of these by the first reference of each allocation */
    /* Belady's rule page by page, the first reference included: no run brings or reads less. */
    uint64_t pages;
    uint64_t whole; /* the same with whole allocations, as a good run can reach it: no bound */
};
/* In `capacity` bytes of GPU memory, up to the frame that the limit says. False: no memory. */
bool vidmm_workload_bound(const struct vidmm_workload *workload, uint64_t capacity,
                          uint64_t frame_limit, struct vidmm_bound *out);

struct vidmm_generator {
    const char *name, *summary;
    bool (*make)(uint64_t seed, struct vidmm_workload *out, struct vidmm_workload_error *error);
};
/* The generators; `*count` of them. */
const struct vidmm_generator *vidmm_generators(size_t *count);

/* ---- Playing --------------------------------------------------------------------------------- */

struct vidmm_mismatch;

struct vidmm_play_options {
    uint32_t threads;     /* submitting threads at most one a process; 0 or 1: one */
    uint32_t first_bytes; /* reserved, 0 */
    bool no_content;      /* memory has none: nothing is written or compared */
    bool
        own_tiles; /* tiled surfaces of the driver lie as it likes; false: as docs/softgpu.md says */
    bool gather;   /* GPU virtual addresses: those made between submissions by one plan */
    uint64_t frame_limit; /* stop after so many frames; 0: all */
    /* Called at intervals with the share done; NULL: never. */
    void (*progress)(void *ctx, uint64_t events_done, uint64_t events);
    void *progress_ctx;
    /* Called before each event, in its thread and without locks, so that with several threads calls
     * overlap; false: the replay ends here, and nothing is verified any more. NULL: never. */
    bool (*gate)(void *ctx, struct vidmm_harness *harness, uint64_t event);
    void *gate_ctx;
    /* The adapter's figures were read; what follows verifies and destroys. NULL: none. */
    void (*counted)(void *ctx);
    void *counted_ctx;
    /* The first wrong byte was seen, whose text is not made yet; from any thread, with locks held.
     * NULL: never. */
    void (*wrong)(void *ctx, const struct vidmm_mismatch *first);
    void *wrong_ctx;
};

/* The last event that a replay with this limit of frames plays. */
uint64_t vidmm_play_last_event(const struct vidmm_workload *workload, uint64_t frame_limit);

#define VIDMM_PLAY_CHART     60 /* samples of residency over time */
#define VIDMM_PLAY_PROCESSES 8  /* with figures of their own */

/* Budgets and usage of a process at the end of the replay (bytes). */
struct vidmm_play_process {
    uint64_t local_budget, local_usage, non_local_budget, non_local_usage;
};

struct vidmm_mismatch {
    uint64_t event;        /* index of the event being played */
    uint32_t allocation;   /* index in the workload */
    uint64_t page, byte;   /* page of the allocation, byte in the page */
    enum vidmm_op_kind op; /* the operation to blame, when `by_op` */
    bool by_op;            /* false: no operation to blame: a render or a lock */
    bool certain;          /* by_op: its source was right, or it has none */
    uint64_t paging_buffer;
    char text[320]; /* one sentence */
};

struct vidmm_play_result {
    uint32_t lost_processes; /* whose device was put in error; the others were played to the end */
    bool gated;              /* the gate ended it before its end */
    uint64_t frames, submissions, refused; /* refused: submissions that do not fit, see `refusal` */
    uint64_t on_physical[VIDMM_LINKED_MOST]; /* submissions of each physical adapter */
    char refusal[256];
    /* Bytes of the allocations that submissions referenced, by where they lay then. */
    uint64_t referenced_vram, referenced_aperture, referenced_system;
    uint64_t referenced_remote; /* of what prefers VRAM: bytes that did not lie there */
    uint64_t verified_bytes, mismatched_bytes;
    struct vidmm_mismatch first; /* when mismatched_bytes != 0 */
    struct vidmm_stats stats;
    uint64_t virtual_ns;
    /* With GPU virtual addresses: */
    uint64_t trims, trimmed_bytes;   /* trims of processes; bytes that they evicted */
    uint64_t offers, discards;       /* offered allocations; those that were reclaimed empty */
    uint64_t ranges, binds, aliased; /* made; tiles bound; packets through such an address */
    uint32_t process_count;          /* of the next */
    struct vidmm_play_process process[VIDMM_PLAY_PROCESSES];
    uint32_t chart_samples;
    uint64_t chart_vram[VIDMM_PLAY_CHART];     /* bytes resident in memory segments */
    uint64_t chart_aperture[VIDMM_PLAY_CHART]; /* bytes mapped in apertures */
    uint64_t chart_system[VIDMM_PLAY_CHART];   /* live bytes in neither */
    /* What submissions referenced meanwhile, as referenced_vram and the others count it. */
    uint64_t chart_referenced_vram[VIDMM_PLAY_CHART], chart_referenced_aperture[VIDMM_PLAY_CHART],
        chart_referenced_system[VIDMM_PLAY_CHART];
};

enum vidmm_play_status {
    VIDMM_PLAY_OK,
    VIDMM_PLAY_WRONG,
    VIDMM_PLAY_DRIVER_FAILED,
    VIDMM_PLAY_NO_MEMORY
};

/*
 * The oracle is the adapter's observer, so it exists before the adapter: make a player, open the
 * harness with vidmm_player_observer in the adapter's configuration, then play.
 */
struct vidmm_player;
/* A player of `workload`, which must outlive it. NULL: out of memory. */
struct vidmm_player *vidmm_player_create(const struct vidmm_workload *workload);
/* After the harness that it observes. NULL is allowed. */
void vidmm_player_destroy(struct vidmm_player *player);
/* For vidmm_adapter_config.observer; good as long as the player. */
const struct vidmm_observer *vidmm_player_observer(struct vidmm_player *player);
/* Replays all; at the end everything is freed and every byte was compared. `text`: one sentence
 * unless OK. */
enum vidmm_play_status vidmm_player_run(struct vidmm_player *player, struct vidmm_harness *harness,
                                        const struct vidmm_play_options *options,
                                        struct vidmm_play_result *result, char *text,
                                        size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
