/*
 * cpu_pager.h - paging by the CPU, for examples without an engine: a memory segment behind a BAR, a
 * linear aperture segment, or both.
 *
 * DxgkDdiBuildPagingBuffer may do an operation at once instead of writing commands for the GPU
 * (nc-d3dkmddi-dxgkddi_buildpagingbuffer.md). There is no engine that could still use the memory,
 * so the order of building is the order of execution.
 */
#ifndef DRIVERS_CPU_PAGER_H
#define DRIVERS_CPU_PAGER_H

#include "skeleton.h"

struct cpu_pager {
    /* The memory segment; every other segment that is not 0 is the aperture. */
    UINT memory_segment; /* 0: there is none */
    ULONGLONG memory_base;
    PUCHAR memory;
    PHYSICAL_ADDRESS bar;
    SIZE_T bar_bytes, memory_bytes; /* the segment may be smaller than the BAR */
    /* The page table of the aperture: page numbers of system memory. */
    ULONGLONG aperture_base;
    PFN_NUMBER *table;
    PMDL window[2]; /* of one page each: the source's and the destination's */
};

/*
 * The first member of an adapter that pages with the CPU. cpu_entry.c has DriverEntry for it, and
 * the DxgkDdiBuildPagingBuffer that calls cpu_pager_build.
 */
struct cpu_adapter {
    struct skeleton skeleton;
    struct cpu_pager pager;
};

/* Makes the page table and the windows; the caller has set segment and bases. */
NTSTATUS cpu_pager_start(struct cpu_pager *pager, SIZE_T aperture_pages);
/* And maps VRAM: the second memory resource, or as much of it as the setting VramBytes says. */
NTSTATUS cpu_pager_start_vram(struct cpu_pager *pager, const DXGK_DEVICE_INFO *info,
                              SIZE_T aperture_pages);
VOID cpu_pager_stop(struct cpu_pager *pager);
/* The same for skeleton_driver.stop, where the adapter is a struct cpu_adapter. */
VOID cpu_adapter_stop(struct skeleton *adapter);

/* Bytes that follow each other: in the memory segment, or in a page of system memory. */
struct cpu_place {
    PUCHAR memory; /* NULL: `page` */
    PFN_NUMBER page;
    SIZE_T offset; /* in the page */
    SIZE_T run;
};

struct cpu_place cpu_place_in_page(PFN_NUMBER page, SIZE_T offset);
/* `address` in a segment that is not 0, its base included; `left` bytes of it are wanted. */
struct cpu_place cpu_place_in_segment(const struct cpu_pager *pager, UINT segment,
                                      ULONGLONG address, SIZE_T left);
/* No more bytes than follow each other. Where nothing was ever mapped, nothing happens. */
VOID cpu_copy(const struct cpu_pager *pager, const struct cpu_place *from,
              const struct cpu_place *to, SIZE_T bytes);
/* With the pattern from its byte `phase` on. */
VOID cpu_fill(const struct cpu_pager *pager, const struct cpu_place *place, ULONG pattern,
              ULONGLONG phase, SIZE_T bytes);
/* The 64 bits at a place, or 0. */
ULONG64 cpu_read(const struct cpu_pager *pager, const struct cpu_place *place);

/* Does the work of BuildPagingBuffer. It cannot fail and does not write to the paging buffer. */
VOID cpu_pager_build(struct cpu_pager *pager, const DXGKARG_BUILDPAGINGBUFFER *args);

#endif
