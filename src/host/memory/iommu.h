/*
 * iommu.h - the platform's IOMMU: which pages a process, named by its PASID, lets the GPU reach at
 * the CPU's addresses.
 *
 * The manager maps through struct vidmm_iommu, the hardware translates through vidmm_hw_host.iommu;
 * both use one table of ranges for each process. The address of a range is that of the MDL's linear
 * view, which may be mapped later (mdl.h).
 */
#ifndef HOST_IOMMU_H
#define HOST_IOMMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/os.h>

struct host_iommu_range {
    uint64_t start, end;
    PMDL mdl;
    bool shown;
};

/* A process. */
struct host_iommu_space {
    uint32_t pasid;                 /* 0: the slot is free */
    struct host_iommu_range *range; /* by address */
    uint32_t ranges, room;
};

struct host_iommu {
    pthread_mutex_t lock;
    struct host_iommu_space *space; /* the PASID is the index + 1 */
    uint32_t spaces, attached;
};

extern const struct vidmm_iommu host_iommu_functions;

void host_iommu_init(struct host_iommu *iommu);
/* Frees everything that is left. */
void host_iommu_done(struct host_iommu *iommu);
/* True: a process is attached, so that addresses of submissions are the CPU's. */
bool host_iommu_in_use(void);
/* For vidmm_hw_host.iommu. */
void *host_iommu_translate(void *ctx, uint32_t pasid, uint64_t va, size_t *size);

#endif
