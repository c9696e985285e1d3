/*
 * query.h - the adapter as its driver describes it.
 *
 * query_adapter asks DxgkDdiQueryAdapterInfo for caps and segments in the version that the driver
 * was built for, checks every answer before it is used, and makes the segments. caps.c does the
 * driver and physical-adapter caps, query.c the segments, mmu_query.c the MMU, dirty_query.c what
 * is known of writes. Of linked adapters each is asked, by its index; what must be the same for all
 * is compared. Nothing else in the manager calls DxgkDdiQueryAdapterInfo.
 */
#ifndef VIDMM_MANAGER_QUERY_H
#define VIDMM_MANAGER_QUERY_H

#include <stdint.h>

#include <vidmm/manager.h>

#include <vidmm/readings.h>

#include "reported/mmu.h"
#include "memory/segment.h"

#define LINKED_MAX 4u /* physical adapters */

struct query_context {
    const struct vidmm_os *os;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE hadapter;
    const struct policy_run *policy; /* for the segments' queues; it starts later */
    uint64_t agp_base, agp_size;     /* AGP aperture of the platform; size 0: none */
    struct vidmm_readings readings;
    enum vidmm_model model;
    uint32_t linked;            /* physical adapters; 0: one */
    uint32_t interface_version; /* to speak; 0: the one that the driver says */
};

/* Which writes of the GPU the driver can tell of. */
struct dirty_facts {
    bool tracking, performant;
    bool migration;              /* of the whole adapter to another machine */
    uint32_t page[SEGMENTS_MAX]; /* bytes that a bit stands for; 0: the segment is not tracked */
};

/* What one physical adapter says of itself. */
struct physical_facts {
    uint32_t first_segment, segment_count; /* its part of adapter_facts.segments */
    uint32_t paging_node;
    uint32_t paging_segment; /* segment.id of an aperture, or 0: contiguous system memory */
    uint32_t paging_size;    /* bytes, as reported */
    uint32_t paging_private; /* bytes */
    struct mmu mmu;
    bool iommu; /* has IoMmu */
};

/* Must stay where it is: the segments point into it. */
struct adapter_facts {
    uint32_t registered_version; /* DRIVER_INITIALIZATION_DATA.Version */
    uint32_t interface_version;  /* which is spoken (vidmm/interfaces.h) */
    uint32_t query_version;      /* 1, 3 or 4: which QUERYSEGMENT was used */
    DXGK_DRIVERCAPS caps;        /* members that the version does not have are 0 */
    bool caps_known;             /* the driver answered DRIVERCAPS */
    uint32_t linked;             /* physical adapters */
    uint32_t nodes;              /* execution nodes of each; at least 1 */
    struct physical_facts physical[LINKED_MAX];
    struct dirty_facts dirty;

    struct segment *segments; /* segments[id - 1], physical adapter after physical adapter */
    uint32_t segment_count, segment_room;

    uint64_t available;                         /* bytes of system memory for graphics */
    uint64_t dedicated_video, dedicated_system; /* bytes of memory segments */
    struct shared_memory shared;
};

/*
 * Fills `facts`. On failure nothing is left allocated, `facts` is zero and `error` (may be NULL)
 * names call, field and rule.
 */
enum vidmm_status query_adapter(const struct query_context *context, struct adapter_facts *facts,
                                struct vidmm_error *error);
/* Gives back what query_adapter allocated. A zeroed `facts` is fine. */
void query_release(const struct vidmm_os *os, struct adapter_facts *facts);

/* The segment of a 1-based id, or NULL. */
static inline struct segment *query_segment(const struct adapter_facts *facts, uint32_t id) {
    return id != 0 && id <= facts->segment_count ? &facts->segments[id - 1] : NULL;
}

#endif
