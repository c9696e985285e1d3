/*
 * core_world.h - a whole world for tests of the manager's core: an operating system on malloc, a
 * scripted driver that encodes paging operations as commands, and a GPU that executes them with
 * memcpy on fake video memory.
 *
 * The GPU checks what the contract says about addresses: reads of an aperture page that is not
 * mapped, or commands outside of any segment, end the test.
 */
#ifndef VIDMM_TESTS_CORE_WORLD_H
#define VIDMM_TESTS_CORE_WORLD_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/manager.h>
#include <vidmm/referee.h>

#define KIB  (UINT64_C(1) << 10)
#define MIB  (UINT64_C(1) << 20)
#define PAGE UINT64_C(4096)

/* Segments of the usual world, in the driver's order. */
#define VRAM     1u /* memory, CPU-visible */
#define APERTURE 2u /* linear aperture */
#define HIDDEN   3u /* memory, not CPU-visible */
#define SET(id)  (1u << ((id)-1u))

struct world_segment {
    UINT flags;
    uint64_t base, cpu, size;
    uint8_t *bytes;  /* memory */
    uint64_t *pages; /* aperture: physical address behind each page, 0: never mapped */
};

/* An operation as BuildPagingBuffer saw it, once per call. */
struct world_build {
    DXGKARG_BUILDPAGINGBUFFER arg;
    NTSTATUS status;
};

#define WORLD_BUILDS 4096u
#define WORLD_PAGES  2048u /* of system memory */

struct world {
    /* What the driver says and does; set before world_start. */
    UINT version;
    struct world_segment segments[3];
    uint32_t segment_count;
    uint32_t paging_segment, paging_size, paging_private, dma_segments, dma_size;
    uint32_t swizzling_ranges, nodes, paging_node;
    bool contexts;
    bool deferred; /* submissions complete when the manager waits, not at once */
    bool prompt;   /* each operation must be told before another paging buffer completes */
    bool threads;  /* ... on a thread of their own */
    uint32_t
        transfer_step; /* bytes of one command of a TRANSFER: more become several passes; 0: all */
    uint32_t busy_every; /* every n-th TRANSFER or DISCARD without AllocationIsIdle is BUSY */
    bool always_busy, never_room, moves_back, moves_past;
    NTSTATUS build_status; /* instead of SUCCESS, when not 0 */
    NTSTATUS submit_status, acquire_status, create_status;
    uint32_t hang_render, hang_paging; /* the n-th submission to such a node never completes */
    uint32_t hang_paging_more;         /* ... nor do so many paging buffers behind it */
    uint32_t hang_switch;              /* the n-th switch to no context, likewise */
    bool preempts;                     /* PreemptionAware */
    bool preempts_anything;            /* ... in the middle of work that hangs as well */
    bool resets_engines;               /* SupportPerEngineTDR */
    bool shares_reset;                 /* ... of all engines at once */
    bool resets_nothing;               /* ... but says that it did */
    bool tells_late;                   /* reports what hung as completed while it is reset */
    NTSTATUS engine_status;            /* of ResetEngine, when not 0 */
    uint32_t aborted_off;              /* added to LastAbortedFenceId */
    uint32_t responsive;               /* QueryEngineStatus says so that often */
    bool map_at_once;                  /* MAP and UNMAP by the CPU, no command */
    uint32_t render_step;              /* bytes of commands that fit in one DMA buffer; 0: all */
    bool context_allocation;           /* CreateContext makes one */
    uint64_t transfer_chunk;

    /* What happened. */
    struct world_build builds[WORLD_BUILDS];
    uint32_t build_count;
    uint32_t ops[VIDMM_OP_KINDS], contents_lost;
    uint32_t submits[2], switches, patches, resets, restarts, releases, acquires, renders;
    uint32_t preemptions, engine_resets, resubmissions;
    uint32_t fences[64], fence_count; /* as they were submitted, of both nodes */
    uint32_t objects;                 /* driver handles alive */
    uint32_t transfers_seen;
    bool between_reset_and_restart;
    atomic_uint paging_done; /* submissions that the paging node completed */
    HANDLE context_allocation_handle, context_allocation_init;

    /* System. */
    uint8_t *ram;
    uint8_t used[WORLD_PAGES];
    void (*quiesce)(void *world); /* of the adapter; NULL: none */
    uint64_t blocks, bytes, calls, fail_at;
    uint64_t now;
    pthread_cond_t news;
    pthread_mutex_t queue_lock;
    pthread_cond_t queue_news;
    pthread_t thread;
    bool quit;
    struct vidmm_os os;
    DRIVER_INITIALIZATION_DATA ddi;
    struct vidmm_adapter *adapter;
    struct vidmm_error error;
    struct vidmm_referee *referee; /* judges the manager in every test */
    struct vidmm_ledger ledger;

    /* GPU: submissions not yet executed. */
    struct world_job {
        uint64_t address;
        uint32_t segment, start, end, node, fence;
        bool hangs;
    } jobs[256];
    uint32_t job_head, job_count;
    uint32_t done[2]; /* fence that each node completed last */
};

/* What an allocation of these tests is; travels as private driver data. */
struct world_desc {
    uint64_t size;
    uint32_t alignment, flags, read_set, write_set, evict_set, preferred, priority;
};

/* A world with VRAM and APERTURE of so many bytes, not started. HIDDEN when `hidden` is not 0. */
struct world *world_new(uint64_t vram, uint64_t aperture, uint64_t hidden);
enum vidmm_status world_start(struct world *world);
/* Stops the adapter, asserts that nothing is left anywhere, frees the world. */
void world_end(struct world *world);

/* A CPU-visible allocation that prefers VRAM and may live in APERTURE. */
struct world_desc world_local(uint64_t size);
/* One that may live in the segments of `set`, and prefers none. */
struct world_desc world_only(uint32_t set, uint64_t size);
struct vidmm_allocation *world_create(struct vidmm_device *device, struct world_desc desc);
enum vidmm_status world_try_create(struct vidmm_device *device, struct world_desc desc,
                                   struct vidmm_allocation **out);
/* `*lost` is set when its content is lost. */
enum vidmm_status world_try_create_for(struct vidmm_device *device, struct world_desc desc,
                                       bool *lost, struct vidmm_allocation **out);
struct vidmm_device *world_device(struct world *world);
struct vidmm_context *world_context(struct vidmm_device *device);

/* Submits nothing that references so many allocations, all for writing or all for reading. */
enum vidmm_status world_use(struct vidmm_context *context, bool write, uint32_t count, ...);
/* Writes `seed`'s pattern through a CPU lock; checks it likewise. */
void world_write(struct vidmm_allocation *allocation, uint32_t seed);
void world_check(struct vidmm_allocation *allocation, uint32_t seed);
/* Where it is: segment id. */
uint32_t world_segment_of(struct vidmm_allocation *allocation);
/* The GPU's own view of a resident allocation. */
void world_gpu_write(struct world *world, struct vidmm_allocation *allocation, uint32_t seed);
void world_gpu_check(struct world *world, struct vidmm_allocation *allocation, uint32_t seed);

/* Builds of one operation since `first`. */
uint32_t world_count_builds(const struct world *world, uint32_t first,
                            DXGK_BUILDPAGINGBUFFER_OPERATION operation);
const DXGKARG_BUILDPAGINGBUFFER *world_find_build(const struct world *world, uint32_t first,
                                                  DXGK_BUILDPAGINGBUFFER_OPERATION operation);
void world_expect_error(struct world *world, enum vidmm_status status, const char *rule);

#endif
