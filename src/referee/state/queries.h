/*
 * queries.h - what the answers to DxgkDdiQueryAdapterInfo told so far, as far as later answers are
 * judged by it: segment queries (watch/segment.c), capabilities (watch/caps.c), memory behind an
 * IOMMU (watch/iommu.c). What the driver reported for good is in shadow.h.
 */
#ifndef REFEREE_STATE_QUERIES_H
#define REFEREE_STATE_QUERIES_H

#include "state/shadow.h"

/* What the driver described last since its device was started (R19). */
struct queries_described {
    bool any;
    uint32_t count;
    uint32_t type[SHADOW_SEGMENTS]; /* flags Aperture and Agp */
};

struct queries_segments {
    struct {
        uint32_t counted; /* version of the query whose first call was answered; 0: none */
        uint32_t count;
    } physical[LINKED_MOST];
    bool agp;
    uint64_t agp_base, agp_size;
    uint32_t announced[SHADOW_SEGMENTS]; /* NumInvalidMemoryRanges */
    bool ranges[SHADOW_SEGMENTS];        /* were asked for */
    bool used;                           /* the manager went on from asking to using */
    struct queries_described described[LINKED_MOST];
};

struct queries_caps {
    bool remaps;  /* IOMMU_CAPS: DmaRemappingSupported */
    bool refused; /* PHYSICAL_MEMORY_CAPS: HighestAcceptableAddress is all that is told */
    size_t size;  /* bytes of DXGK_DRIVERCAPS that are known */
};

struct queries_iommu {
    bool adapter_caps;  /* PHYSICALADAPTERCAPS was asked */
    bool ranges;        /* HARDWARERESERVEDRANGES was asked */
    bool taken;         /* a reserved range is memory of the system */
    bool exclusive;     /* between DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess */
    bool remapping;     /* the driver reported DmaRemappingSupported */
    bool older;         /* the driver used a callback that gives physical addresses */
    const char *kernel; /* kernel function by which the driver took memory; NULL: none */
};

#endif
