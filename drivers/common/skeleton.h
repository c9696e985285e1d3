/*
 * skeleton.h - the common part of the example drivers, so that each of them shows one idea only.
 *
 * skeleton.c is a render-only adapter: start and stop, capabilities, allocations, and devices and
 * contexts without a state. instant.c completes every submission at once, for examples whose paging
 * is done while it is built. cpu_pager.c does that with the CPU.
 *
 * An example defines `skeleton_driver`, makes struct skeleton the first member of its adapter, and
 * in DriverEntry takes the table of skeleton_table, adds what is its own, and calls DxgkInitialize.
 */
#ifndef DRIVERS_SKELETON_H
#define DRIVERS_SKELETON_H

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

struct skeleton {
    DXGKRNL_INTERFACE dxgk;
    UINT fence; /* the last completed one; instant.c keeps it */
};

/* Description of an example for the skeleton. `adapter` points to its struct skeleton. */
struct skeleton_driver {
    ULONG version;             /* DXGKDDI_INTERFACE_VERSION_* */
    DXGK_WDDMVERSION wddm;     /* what the capabilities say */
    SIZE_T adapter_bytes;      /* of the example's adapter */
    SIZE_T aperture_bytes;     /* that all aperture segments may commit */
    UINT preferred, alternate; /* segment ids for allocations; alternate 0: none */
    NTSTATUS (*start)(struct skeleton *adapter, const DXGK_DEVICE_INFO *info);
    VOID (*stop)(struct skeleton *adapter);
    /* QUERYSEGMENT* with an output of some size: skeleton_segments3 for most. */
    NTSTATUS (*segments)(struct skeleton *adapter, const DXGKARG_QUERYADAPTERINFO *args);
    BOOLEAN gpu_mmu; /* the capabilities say that it has GPU virtual addresses */
    /* NULL, or sets HintedBank of an allocation. */
    VOID (*hint)(struct skeleton *adapter, DXGK_ALLOCATIONINFO *info);
};

extern const struct skeleton_driver skeleton_driver;

/* Everything but the driver's own DDIs: segments and paging, submission and interrupts. */
VOID skeleton_table(DRIVER_INITIALIZATION_DATA *table);
/* The DDIs of submission and interrupts for an adapter whose work is done when it is built. */
VOID instant_table(DRIVER_INITIALIZATION_DATA *table);

/* Zeroed non-paged pool. */
PVOID skeleton_allocate(SIZE_T bytes);
VOID skeleton_release(PVOID block);

/* The n-th memory resource of the device, counted from 0. */
BOOLEAN skeleton_resource(const DXGK_DEVICE_INFO *info, UINT n, PHYSICAL_ADDRESS *start,
                          SIZE_T *bytes);
/* A number of the registry, as --set gives it; 0: there is none. */
ULONG skeleton_setting(PWSTR value_name);
/* A size that the registry may make smaller, in whole pages; invalid values are ignored. */
SIZE_T skeleton_size(PWSTR value_name, SIZE_T most);

/* Answers a query. The system's structure ends where its interface version does; ours may be
 * longer. */
NTSTATUS skeleton_answer(const DXGKARG_QUERYADAPTERINFO *args, const void *data, SIZE_T bytes);

/* Describes memory that the CPU sees at `bar`, with CpuVisible and PreservedDuringStandby. */
DXGK_SEGMENTDESCRIPTOR3 skeleton_vram3(ULONGLONG base, PHYSICAL_ADDRESS bar, SIZE_T bytes);
/* Describes a linear aperture, with Aperture and CacheCoherent. It has no address for the CPU,
 * which has the pages themselves. */
DXGK_SEGMENTDESCRIPTOR3 skeleton_aperture3(ULONGLONG base, SIZE_T bytes);
/*
 * Answers QUERYSEGMENT3 in both of its calls: the first asks for the number of segments, the second
 * for all of them. The paging buffer is one of system memory.
 */
NTSTATUS skeleton_segments3(const DXGKARG_QUERYADAPTERINFO *args,
                            const DXGK_SEGMENTDESCRIPTOR3 *segments, UINT count,
                            UINT paging_buffer_bytes);

#endif
