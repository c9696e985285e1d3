/*
 * adapter.h - the adapter: one driver, its segments, and everything that lives on it.
 *
 * Locks, outermost first:
 *   gate        one API call at a time. The documented threading levels are kept with room to
 * spare: no DDI ever runs beside another (threading-and-synchronization-zero-level.md ...). lock
 * the state below. Released around the level-0 calls Create*, Destroy*, Open*, Close* and Render,
 * and around SetRootPageTable, because the driver may call back into vidmm_context_allocation_*
 * and vidmm_driver_reserve there; nothing is half done at these points. fence_lock  leaf: fence
 * state (fence.h) and what vidmm_allocation_info shows. gate and lock are held across waits for the
 * GPU; interrupts only need fence_lock.
 */
#ifndef VIDMM_MANAGER_ADAPTER_H
#define VIDMM_MANAGER_ADAPTER_H

#include <string.h>

#include <vidmm/manager.h>

#include "base/error.h"
#include "engine/fence.h"
#include "base/handle.h"
#include "migration/migration.h"
#include "paging/outstanding.h"
#include "paging/paging.h"
#include "paging/plan.h"
#include "reported/query.h"
#include "object/swizzle.h"
#include "paging/table.h"

#define PAGE_BYTES 4096u

/* What each process may have of a group of memory, while nobody's list changes: budget.h. */
struct share {
    uint32_t set; /* segments that count; 0: not looked at so far */
    uint64_t bytes;
    bool known;
};

struct vidmm_adapter {
    struct vidmm_os os;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE hadapter;
    const struct vidmm_policy *policy;
    struct vidmm_observer observer;
    struct vidmm_readings readings;
    void (*quiesce)(void *ctx); /* NULL: none; see struct vidmm_adapter_config */
    void *quiesce_ctx;
    uint64_t hang_ns, transfer_chunk;

    void *gate, *lock, *fence_lock;
    bool stopped;    /* in error or stopping */
    uint32_t within; /* callbacks under way, each from inside a DDI call, that use the GPU */
    bool hung;       /* the GPU, in one of them: reset when the outermost call returns */
    struct vidmm_error error;

    struct adapter_facts facts;
    uint32_t memory_set, aperture_set; /* segment sets that may hold allocations */
    uint32_t vpr_set;                  /* of the memory segments, those with a protected range */
    bool contexts;                     /* the driver is multi-engine aware and makes contexts */

    struct fences fences;
    struct handles handles;
    struct paging paging;
    struct plan plan;
    struct outstanding outstanding;
    struct swizzling swizzling;
    uint32_t mark; /* of the newest decision; see allocation.h */

    bool gpummu;                          /* runs on GPU virtual addresses: virtual.h */
    bool iommu;                           /* runs on the CPU's addresses: iommu.h */
    uint64_t epoch;                       /* counts plans in which something moved */
    struct share shares[2];               /* by enum vidmm_memory_group */
    struct vidmm_process *processes;      /* without the system process */
    struct vidmm_process *system_process; /* runs paging, with GPU virtual addresses */
    struct vidmm_process *creating;       /* while the driver makes it: driver_range.c */
    struct spaces spaces;
    struct dirty dirty;
    struct migration migration;
    struct fence_page *fence_pages; /* paging_fence.h */
    struct vidmm_device *devices;
    uint32_t processes_made, devices_made; /* without the system's */
    struct vidmm_device *system;           /* system device with the paging context, or NULL */
    struct vidmm_resource *resources;
    struct vidmm_allocation *context_allocations;
    bool reap;                       /* some of them are dead */
    struct vidmm_reference *scratch; /* decide.c: the references, sorted */
    uint32_t scratch_size;
    struct vidmm_stats stats;
};

/* Commands name virtual addresses, of the GPU or of the CPU, and devices list what they need. */
static inline bool adapter_virtual(const struct vidmm_adapter *adapter) {
    return adapter->gpummu || adapter->iommu;
}

/* Takes gate and lock. */
void adapter_enter(struct vidmm_adapter *adapter);
/* Finishes what callbacks left behind, then releases them. */
void adapter_leave(struct vidmm_adapter *adapter);
/* VIDMM_STOPPED with a error when the adapter only serves destroy calls. */
enum vidmm_status adapter_serves(struct vidmm_adapter *adapter, const char *call);
/* Around a level-0 DDI call: only the gate is held in between. */
void adapter_open(struct vidmm_adapter *adapter);
/* Resets the adapter if the GPU hung in work that the driver asked for during the call. */
void adapter_return(struct vidmm_adapter *adapter);
/* Around what a callback does from inside such a call: the lock alone. */
void adapter_close(struct vidmm_adapter *adapter);

/* A function that the manager calls, and whether the driver has it. */
struct needed_function {
    const char *name;
    bool there;
};
/* VIDMM_DRIVER_BROKE_RULE with a error for the first that is missing. */
enum vidmm_status adapter_needs(struct vidmm_adapter *adapter, const struct needed_function *needed,
                                size_t count, const char *expected, const char *page);

/*
 * Before destroying: the GPU is done with `allocation` (NULL: with everything), by a reset if it
 * must be.
 */
void adapter_settle(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation);

/* Memory of the OS, with the block size that free() wants. */
void *adapter_alloc(struct vidmm_adapter *adapter, size_t size);
void adapter_free(struct vidmm_adapter *adapter, void *block, size_t size);
/* Grows `*array` of `*capacity` elements to at least `need`; false: no memory, nothing changed. */
bool adapter_grow(struct vidmm_adapter *adapter, void **array, uint32_t *capacity, uint32_t need,
                  size_t element);

/*
 * Resets, and again when the GPU hangs on what the reset itself has to have done; if that does not
 * help either the adapter is stopped.
 */
enum vidmm_status adapter_recover(struct vidmm_adapter *adapter);
/*
 * Runs `attempt` until it answers something else than VIDMM_GPU_LOST, with a reset after each hang.
 * VIDMM_GPU_LOST: resets did not help, the adapter is stopped.
 */
enum vidmm_status adapter_persist(struct vidmm_adapter *adapter,
                                  enum vidmm_status (*attempt)(void *ctx), void *ctx);
/* From vidmm_wait: submission `number` hangs. Takes and releases the locks. */
enum vidmm_status adapter_recover_submission(struct vidmm_adapter *adapter, uint64_t number);

/* True for a place in a memory segment. */
static inline bool adapter_in_memory(const struct vidmm_adapter *adapter,
                                     const struct vidmm_place *place) {
    return place->segment && ((adapter->memory_set >> (place->segment - 1)) & 1u);
}

static inline uint64_t page_round(uint64_t bytes) {
    return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

#endif
