/*
 * process.h - a process: an address space of the GPU, the devices that run in it, and its share of
 * memory.
 *
 * process.c makes and ends processes and the addresses of space.h; device.c makes their devices;
 * budget.c says how much of the memory is theirs.
 */
#ifndef VIDMM_MANAGER_PROCESS_H
#define VIDMM_MANAGER_PROCESS_H

#include <vidmm/virtual.h>

#include "adapter/adapter.h"

struct space;

#define PROCESS_GROUPS 2u /* enum vidmm_memory_group */

struct vidmm_process {
    struct vidmm_adapter *adapter;
    struct vidmm_process *next; /* of the adapter */
    HANDLE handle;              /* the driver's hKmdProcess */
    uint32_t number;            /* counted from 1 as they were created; 0: the system's */
    struct space *space;        /* with page tables of the GPU */
    struct va shared;           /* behind an IOMMU: what the CPU's addresses lead to (iommu.h) */
    uint32_t pasid;             /* and who the process is to the IOMMU; 0: there is none */
    /* The address space beside its own, a process to the driver (privileged.h): */
    struct vidmm_process *privileged; /* NULL: it needed none so far */
    struct vidmm_process *owner;      /* of a privileged one: whose it is */
    struct vidmm_device *device;      /* the same: the system's, for companion contexts */
    uint64_t buffers;                 /* the same: where the paging buffers are */
    uint32_t devices;                 /* of it that live */
    uint64_t listed[PROCESS_GROUPS];  /* bytes on residency lists of its devices */
    uint64_t held[PROCESS_GROUPS];    /* those of them that are resident in the group */
    uint64_t fixed[PROCESS_GROUPS];   /* budgets set from outside; UINT64_MAX: none */
    uint64_t told;                    /* 1 + the local budget it was last told to keep; 0: none */
};

/* DxgkDdiCreateProcess and an empty address space without tables; `number` 0: the system's. */
enum vidmm_status process_make(struct vidmm_adapter *adapter, uint32_t number,
                               struct vidmm_process **out);
/* It is one of the adapter's from now on: those have page tables that can be lost, or leave. */
void process_list(struct vidmm_process *process);
/* Out of that list if it is in it, its spaces, and DxgkDdiDestroyProcess. */
void process_end(struct vidmm_process *process);
/* All that are left, when the adapter goes. */
void processes_end(struct vidmm_adapter *adapter);

#endif
