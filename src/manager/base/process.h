/*
 * process.h - the record of a process: an address space of the GPU, the devices that run in it, and
 * its share of memory.
 */
#ifndef VIDMM_MANAGER_BASE_PROCESS_H
#define VIDMM_MANAGER_BASE_PROCESS_H

#include <vidmm/virtual.h>

#include "base/adapter.h"
#include "object/va.h"

struct space;

struct vidmm_process {
    struct vidmm_adapter *adapter;
    struct vidmm_process *next; /* of the adapter */
    HANDLE handle;              /* the driver's hKmdProcess */
    uint32_t number;            /* counted from 1 as they were created; 0: the system's */
    struct space *space;        /* with page tables of the GPU */
    struct va shared;           /* behind an IOMMU: what the CPU's addresses lead to (iommu.h) */
    uint32_t pasid;             /* its number at the IOMMU; 0: none */
    /* The address space beside its own, a process to the driver (privileged.h): */
    struct vidmm_process *privileged; /* NULL: it needed none so far */
    struct vidmm_process *owner;      /* of a privileged one: the process that it serves */
    struct vidmm_device *device;      /* the same: the system's, for companion contexts */
    uint64_t buffers;                 /* the same: where the paging buffers are */
    uint32_t devices;                 /* of it that live */
    uint64_t listed[MEMORY_GROUPS];   /* bytes on residency lists of its devices */
    uint64_t held[MEMORY_GROUPS];     /* those of them that are resident in the group */
    uint64_t fixed[MEMORY_GROUPS];    /* budgets set from outside; UINT64_MAX: none */
    uint64_t trimmed_to; /* 1 + the local budget that it was last asked to trim to; 0: none */
};

/* What the paging process of its physical adapter has. */
static inline struct spaces *spaces_of(const struct space *space) {
    return &space->adapter->physical[space->physical].spaces;
}
/* That of the same process on a physical adapter. */
static inline struct space *space_on(struct space *space, uint32_t physical) {
    while (space->peer && space->physical != physical)
        space = space->peer;
    return space;
}
/* The one of them that has the VA map. */
static inline struct space *space_first(const struct space *space) {
    return (struct space *)(void *)((char *)space->va - offsetof(struct space, own));
}
/* `space` is the privileged one of its process (privileged.h). */
static inline bool space_is_privileged(const struct space *space) {
    return space->process->owner;
}
/* The space that shows the tables of `space`, or NULL. */
static inline struct space *space_privileged_of(const struct space *space) {
    const struct vidmm_process *process =
        space_is_privileged(space) ? space->process : space->process->privileged;
    return process ? process->space : NULL;
}

#endif
