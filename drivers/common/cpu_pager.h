/*
 * cpu_pager.h - paging by the CPU, for examples without an engine: a memory segment behind a BAR, a
 * linear aperture segment, or both.
 *
 * DxgkDdiBuildPagingBuffer may do an operation on the spot instead of writing commands for the GPU
 * (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md). There is no engine that could still be at work on
 * what is moved, so the order of building is the order of execution.
 */
#ifndef DRIVERS_CPU_PAGER_H
#define DRIVERS_CPU_PAGER_H

#include "skeleton.h"

struct cpu_pager {
    /* The memory segment; every other segment that is not 0 is the aperture. */
    UINT memory_segment; /* 0: there is none */
    ULONGLONG memory_base;
    PUCHAR memory;
    /* The page table of the aperture: page numbers of system memory. */
    ULONGLONG aperture_base;
    PFN_NUMBER *table;
    PMDL window[2]; /* of one page each: the source's and the destination's */
};

/*
 * An adapter that pages so begins with this. cpu_entry.c has DriverEntry for it, and the
 * DxgkDdiBuildPagingBuffer that calls cpu_pager_build.
 */
struct cpu_adapter {
    struct skeleton skeleton;
    struct cpu_pager pager;
};

/* Makes the page table and the windows; the caller has set the other members. */
NTSTATUS cpu_pager_start(struct cpu_pager *pager, SIZE_T aperture_pages);
VOID cpu_pager_stop(struct cpu_pager *pager);

/* What BuildPagingBuffer has to do. It cannot fail, and writes nothing into the paging buffer. */
VOID cpu_pager_build(struct cpu_pager *pager, const DXGKARG_BUILDPAGINGBUFFER *args);

#endif
