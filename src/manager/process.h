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

#include "adapter.h"

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
    uint32_t devices;           /* of it that live */
    uint64_t listed[PROCESS_GROUPS]; /* bytes on residency lists of its devices */
    uint64_t held[PROCESS_GROUPS];   /* those of them that are resident in the group */
    uint64_t fixed[PROCESS_GROUPS];  /* budgets set from outside; UINT64_MAX: none */
    uint64_t told;                   /* 1 + the local budget it was last told to keep; 0: none */
};

/* DxgkDdiCreateProcess and an empty address space; a system process has no tables yet. */
enum vidmm_status process_make(struct vidmm_adapter *adapter, bool system,
                               struct vidmm_process **out);
/* Its space, and DxgkDdiDestroyProcess. Not for listed processes: vidmm_process_destroy. */
void process_end(struct vidmm_process *process);
/* All that are left, when the adapter goes. */
void processes_end(struct vidmm_adapter *adapter);

#endif
