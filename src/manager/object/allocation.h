/*
 * allocation.h - an allocation: what the driver said of it, where it is, and what of its content
 * is where.
 *
 * Its system pages (the backing store) are committed when it is created and stay for its whole
 * life; the pages docs let go of while content is in a memory segment are kept here, so that an
 * eviction never needs memory. Three facts say all about content:
 *   content  it was written to; without, it reads as zero, or as anything after it was lost
 *   stale    the system pages do not hold it
 *   segment  where it is resident; in an aperture segment it *is* the system pages, and never stale
 * An allocation in a memory segment that is not stale is clean: it leaves by DISCARD_CONTENT.
 */
#ifndef VIDMM_MANAGER_ALLOCATION_H
#define VIDMM_MANAGER_ALLOCATION_H

#include <vidmm/virtual.h>

#include "base/adapter.h"
#include "base/device.h"

enum lock_kind {
    LOCK_NONE,
    LOCK_SYSTEM,  /* pointer to the system pages */
    LOCK_SEGMENT, /* pointer into a CPU-visible segment: it must stay */
    LOCK_RANGE,   /* pointer into a swizzling range: it must stay, unless `alternate` */
};

/* The allocations of one DxgkDdiCreateAllocation call. */
struct vidmm_resource {
    struct vidmm_adapter *adapter;
    struct vidmm_resource *next, **link; /* of the adapter's */
    struct vidmm_device *creator;
    HANDLE handle;      /* hResource */
    bool grouped;       /* made with Flags.Resource */
    void *private_data; /* our copy; NULL: none */
    uint32_t private_size;
    uint32_t size, count, alive; /* allocations: of the arrays, made, not destroyed */
    struct binding *bindings;
    struct vidmm_allocation *allocations; /* `count` of them */
    HANDLE *handles;                      /* room for all, so that destroying needs no memory */
};

struct vidmm_allocation {
    struct vidmm_adapter *adapter;
    struct vidmm_resource *resource; /* NULL: a context allocation */
    void *user;
    bool primary, dead;

    DXGK_ALLOCATIONINFO info; /* as the driver filled it in */
    HANDLE handle;            /* the driver's */
    D3DKMT_HANDLE kernel;     /* ours, as the driver sees it */
    void *private_data;       /* our copy */
    uint32_t home;            /* the physical adapter whose segments may hold it */
    uint32_t read_set, write_set, evict_set;
    uint64_t size; /* bytes, rounded to pages */

    PMDL mdl;
    bool own_pages;
    PMDL *parts; /* backing_part(); NULL until wanted */
    void *cpu;   /* view of the pages; NULL until wanted */

    struct segment *segment; /* NULL: system memory */
    struct placement place;
    bool content, stale;
    bool assumed;             /* `stale` only because a device that lists it may have written it */
    struct resident resident; /* in segment->queue unless it must stay */

    bool pinned;
    enum lock_kind lock_kind;
    uint32_t locks;
    bool lock_write, alternate, acquired;
    void *lock_cpu;
    struct host_window *window;    /* host_aperture.h; NULL: none */
    struct swizzling_range *range; /* swizzle.h; NULL: none */

    struct residency_entry *residency_entries; /* devices that list it: residency_list.h */
    struct mapping *mappings;                  /* addresses that lead to it: va.h */
    enum vidmm_offer_priority offered;         /* 0: not offered */
    bool offered_content;                      /* when it was offered, it had content */
    uint32_t offered_priority;                 /* its own */

    uint64_t last_number; /* newest submission that references it */
    uint64_t last_nodes;  /* bit mask of the nodes it went to since it was idle */
    uint32_t mark;        /* adapter->mark: the decision at hand references it */
    uint32_t move;        /* index + 1 of its move in the plan at hand */

    /* A context allocation: */
    struct vidmm_allocation *next;
    struct vidmm_device *device;
    struct vidmm_context *context; /* NULL: of the device */

    struct vidmm_allocation_info shown; /* under fence_lock */
};

/* An allocation's pages and constants from `info`; false: no memory. */
bool allocation_init(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                     const DXGK_ALLOCATIONINFO *info, PMDL existing);
/* DXGK_ALLOCATIONINFO.PhysicalAdapterIndex, which is another member before WDDM 2.0. */
uint32_t allocation_home_of(const struct vidmm_adapter *adapter, const DXGK_ALLOCATIONINFO *info);
/* Segments for reading, as the driver counts: from WDDM 2.0 on the write set stands for both (R96). */
uint32_t allocation_read_set_of(const struct vidmm_adapter *adapter,
                                const DXGK_ALLOCATIONINFO *info);
/* Runs for each allocation of the adapter. */
void allocation_each(struct vidmm_adapter *adapter,
                     void (*visit)(void *ctx, struct vidmm_allocation *allocation), void *ctx);

/* The device that answers for it. */
struct vidmm_device *allocation_device(const struct vidmm_allocation *allocation);
/* The CPU's view of its system pages, or NULL. */
void *allocation_cpu(struct vidmm_allocation *allocation);
/* INIT_CONTEXT_RESOURCE tells the driver of that view: CpuVisible, Protected and in apertures only
 * (nc-d3dkmddi-dxgkcb_createcontextallocation.md). */
bool allocation_init_shows_cpu(const struct vidmm_allocation *allocation);
/* True while it must stay exactly where it is. */
bool allocation_fixed(const struct vidmm_allocation *allocation);
/* Flagged Swizzled: tiled in a memory segment, linear everywhere else. */
bool allocation_swizzled(const struct vidmm_allocation *allocation);
/* Entries with LargePage may lead to it: not with DisableLargePageMapping. */
bool allocation_may_be_large(const struct vidmm_allocation *allocation);
/* Must lie in one row, or in an aperture range: the GPU, or the display, reads it physically. */
bool allocation_contiguous(const struct vidmm_allocation *allocation);
/* Belongs into a video protected range, and nowhere else: CreateInVpr. */
bool allocation_in_vpr(const struct vidmm_allocation *allocation);
/* Its going may make room for `request` (NULL: for anything): both in the range, or neither. */
bool allocation_in_the_way(const struct vidmm_allocation *allocation,
                           const struct segment_request *request);
/* With GPU virtual addresses: the driver gets NOTIFY_RESIDENCY when it comes and goes (R246). */
bool allocation_announced(const struct vidmm_allocation *allocation);
/* Overlay and capture allocations stay once they are resident. */
bool allocation_stays(const struct vidmm_allocation *allocation);
/* Puts it into, or takes it out of, its segment's victim queue, as its state wants it. */
void allocation_queue(struct vidmm_allocation *allocation);
void allocation_unqueue(struct vidmm_allocation *allocation);
/* Makes the current state visible to vidmm_allocation_info; where the fence lock is held already. */
void allocation_publish(struct vidmm_allocation *allocation);
void allocation_show(struct vidmm_allocation *allocation);
/* The same, after `info` changed. */
void allocation_publish_info(struct vidmm_allocation *allocation);
/* Tells the observer. */
void allocation_lost_content(struct vidmm_allocation *allocation);

#endif
