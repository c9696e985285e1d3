/*
 * adapter.h - the record of the adapter: one driver, its segments, and all that lives on it.
 *
 * Each member that is a struct is defined by the header of the folder that works on it; this header
 * and base/device.h, base/process.h are the only ones that include headers of later folders.
 *
 * Locks, outermost first:
 *
 *   api_lock    One API call at a time. The documented threading levels are kept with room to
 *               spare: no DDI function runs beside another
 *               (threading-and-synchronization-zero-level.md ...).
 *   lock        The state below. Released around the level-0 calls Create*, Destroy*, Open*, Close*
 *               and Render, and around SetRootPageTable, because the driver may call back into
 *               vidmm_context_allocation_* and vidmm_driver_reserve there. At these points no
 *               change is half made.
 *   fence_lock  A leaf: the state of fences (fence.h) and what vidmm_allocation_info returns.
 *
 * api_lock and lock are held while the manager waits for the GPU; interrupts only need fence_lock.
 * api_lock.h has the functions that take and release them.
 */
#ifndef VIDMM_MANAGER_ADAPTER_H
#define VIDMM_MANAGER_ADAPTER_H

#include <string.h>

#include <vidmm/manager.h>

#include "base/api_lock.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/heap.h"
#include "engine/fence.h"
#include "migration/migration.h"
#include "paging/outstanding.h"
#include "paging/paging.h"
#include "paging/plan.h"
#include "reported/physical.h"
#include "object/swizzle.h"
#include "paging/table.h"

#define PAGE_BYTES 4096u

/* As struct vidmm_adapter_config has them. */
struct adapter_settings {
    struct vidmm_observer observer;
    struct vidmm_readings readings;
    void (*quiesce)(void *ctx); /* NULL: none */
    void *quiesce_ctx;
    uint64_t hang_ns, transfer_chunk, scratch_most, address_from, paging_from;
    bool serial_paging;
    uint32_t preempt_every, first_fence;
    uint32_t place_first; /* as vidmm_place_first has it */
    bool place_at_end;    /* the same of vidmm_place_at_end */
};

/* Sets of segments: bit id - 1 of each. */
struct segment_sets {
    uint32_t memory, aperture; /* that may hold allocations */
    uint32_t vpr;              /* of the memory segments, those with a protected range */
};

struct adapter_processes {
    struct vidmm_process *first;    /* without the system's */
    struct vidmm_process *creating; /* while the driver makes it: driver_range.c */
    uint32_t made;                  /* so far, without the system's */
};

struct adapter_devices {
    struct vidmm_device *first; /* without the system's */
    uint32_t made;              /* so far, without the system's */
};

struct adapter_context_allocations {
    struct vidmm_allocation *first;
    bool reap; /* the driver gave some of them up */
    /* Of a callback from inside the creation under way that had no room; VIDMM_OK: of none. */
    struct vidmm_error no_room;
};

/* What pages for one physical adapter. */
struct physical_adapter {
    struct paging paging;
    struct spaces spaces;
    struct vidmm_process *process; /* runs paging, with GPU virtual addresses */
    struct vidmm_device *device;   /* with the paging context, or NULL */
};

/* The share of each process in a group of memory, as long as no residency list changes: budget.h. */
struct memory_share {
    uint32_t set; /* segments that count; 0: not known so far */
    uint64_t bytes;
    bool known;
};

struct vidmm_adapter {
    struct vidmm_os os;
    const DRIVER_INITIALIZATION_DATA *ddi;
    DRIVER_INITIALIZATION_DATA
    older_ddi; /* `ddi` where an older interface than the table's is spoken */
    HANDLE hadapter;
    struct adapter_settings settings;
    struct adapter_facts facts;
    struct policy_run policy;
    struct segment_sets sets;
    bool contexts; /* the driver is multi-engine aware and makes contexts */
    bool gpummu;   /* runs on GPU virtual addresses: virtual.h */
    bool iommu;    /* runs on the CPU's addresses: iommu.h */

    void *api_lock, *lock, *fence_lock;
    struct adapter_hooks hooks;
    bool stopped;    /* in error or stopping */
    uint32_t within; /* callbacks under way, each from inside a DDI call, that use the GPU */
    bool hung;       /* the GPU, in one of them: reset when the outermost call returns */
    struct vidmm_error error;
    struct vidmm_stats stats;

    struct handles handles;
    struct adapter_processes processes;
    struct adapter_devices devices;
    struct vidmm_resource *resources;
    struct adapter_context_allocations context_allocations;
    struct swizzling swizzling;
    struct memory_share shares[MEMORY_GROUPS];

    struct fences fences;
    struct physical_adapter physical[LINKED_MAX];
    bool held;                      /* between reset and restart: nothing may be submitted */
    uint32_t paging;                /* the physical adapter that an operation was built for last */
    const struct paging_line *line; /* of the plan at hand; NULL: the paging process's */
    struct outstanding outstanding;
    struct fence_page *fence_pages; /* paging_fence.h */
    struct dirty dirty;
    struct migration migration;

    struct plan lost;                /* what the GPU hung on, until it was reset: plan.h */
    struct plan spare;               /* memory that the next plan takes */
    uint64_t epoch;                  /* counts plans in which something moved */
    uint32_t mark;                   /* of the newest decision; see allocation.h */
    struct vidmm_reference *scratch; /* decide.c: the references, sorted */
    uint32_t scratch_size;
};

/* Commands name virtual addresses, of the GPU or of the CPU, and devices list what they need. */
static inline bool adapter_virtual(const struct vidmm_adapter *adapter) {
    return adapter->gpummu || adapter->iommu;
}

/* True for a place in a memory segment. */
static inline bool adapter_in_memory(const struct vidmm_adapter *adapter,
                                     const struct vidmm_place *place) {
    return place->segment && ((adapter->sets.memory >> (place->segment - 1)) & 1u);
}

static inline uint64_t page_round(uint64_t bytes) {
    return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

#endif
