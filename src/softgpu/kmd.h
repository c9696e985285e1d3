/*
 * kmd.h - the kernel-mode driver of the software GPU: its objects, and what kmd_*.c call of each
 * other.
 *
 * Written as a driver for the real kernel would be: it knows the contract headers, its registers
 * and nothing of whoever drives it. It addresses GPU memory physically in every interface version
 * that it declares (no GPU virtual addresses), so paging uses TRANSFER, FILL and the aperture
 * operations.
 */
#ifndef SOFTGPU_KMD_H
#define SOFTGPU_KMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/umd.h>

#include "softgpu_regs.h"

#define KMD_TAG 0x75504753u /* "SGPu" */

/* What the registry says (vidmm/softgpu.h). */
struct kmd_settings {
    ULONG version;
    ULONG paging_bytes, paging_segment, paging_private;
    ULONG banks, vram_segments, busy_every, agp;
};

/* ---- Segments
 * ------------------------------------------------------------------------------------ */

enum kmd_segment_kind {
    KMD_SEGMENT_APERTURE, /* linear, the general one */
    KMD_SEGMENT_VISIBLE,  /* VRAM behind the BAR */
    KMD_SEGMENT_INVISIBLE,
    KMD_SEGMENT_EVICTION, /* linear aperture meant for evictions */
    KMD_SEGMENT_AGP,
    KMD_SEGMENT_KINDS
};

struct kmd_segment {
    enum kmd_segment_kind kind;
    ULONGLONG base, size;
    UINT hardware; /* apertures: number that the GPU knows it by */
};

#define KMD_SEGMENTS_MAX 31u /* an id has five bits */
#define KMD_BANKS_MAX    127u

/* ---- Objects
 * --------------------------------------------------------------------------------------- */

#define KMD_MAGIC_ALLOCATION 0x636f6c61u
#define KMD_MAGIC_OPEN       0x6e65706fu
#define KMD_MAGIC_DEVICE     0x69766564u
#define KMD_MAGIC_CONTEXT    0x74786574u

struct kmd_allocation {
    ULONG magic;
    ULONG flags; /* VIDMM_UMD_* */
    ULONGLONG size;
    ULONG pitch;
    /* Where paging operations last put it; segment 0: system memory. For swizzling ranges. */
    UINT segment;
    ULONGLONG address;
    /* For DxgkDdiDescribeAllocation. */
    UINT width, height;
    D3DDDIFORMAT format;
    D3DDDI_RATIONAL refresh;
};

/* Private data of a standard allocation: what a user-mode driver says, and what it looks like. */
struct kmd_standard {
    struct vidmm_umd_allocation umd;
    UINT width, height, format;
    UINT refresh_numerator, refresh_denominator;
    UINT reserved;
};

struct kmd_device {
    ULONG magic;
    struct kmd_adapter *adapter;
};

/* hDeviceSpecificAllocation. */
struct kmd_open {
    ULONG magic;
    struct kmd_allocation *allocation;
};

struct kmd_context {
    ULONG magic;
    struct kmd_device *device;
    UINT node;
};

/* One record a paging operation in the paging buffer's private data; for CollectDbgInfo. */
struct kmd_paging_record {
    UINT operation;
    UINT bytes; /* of commands */
};

struct kmd_adapter {
    struct kmd_settings settings;
    DXGKRNL_INTERFACE dxgk;
    PUCHAR registers;
    PHYSICAL_ADDRESS vram, windows; /* BARs as the CPU sees them */
    ULONGLONG vram_bytes, visible_bytes, aperture_bytes[GPU_APERTURES];
    UINT nodes, ranges;

    UINT segments;
    struct kmd_segment segment[KMD_SEGMENTS_MAX];
    SIZE_T bank_ends[KMD_BANKS_MAX];

    UINT transfers; /* that could have been busy; scheduler class */
    struct kmd_paging_record last_paging;
    struct kmd_allocation *range_owner[GPU_RANGE_LIMIT];
};

/* ---- Registers
 * ---------------------------------------------------------------------------------------- */

static inline ULONG kmd_read(const struct kmd_adapter *adapter, ULONG offset) {
    return READ_REGISTER_ULONG((volatile ULONG *)(void *)(adapter->registers + offset));
}

static inline void kmd_write(const struct kmd_adapter *adapter, ULONG offset, ULONG value) {
    WRITE_REGISTER_ULONG((volatile ULONG *)(void *)(adapter->registers + offset), value);
}

static inline ULONG64 kmd_read64(const struct kmd_adapter *adapter, ULONG offset) {
    return READ_REGISTER_ULONG64((volatile ULONG64 *)(void *)(adapter->registers + offset));
}

static inline void kmd_write64(const struct kmd_adapter *adapter, ULONG offset, ULONG64 value) {
    WRITE_REGISTER_ULONG64((volatile ULONG64 *)(void *)(adapter->registers + offset), value);
}

/* ---- Between files
 * --------------------------------------------------------------------------------------- */

/* Zeroed nonpaged memory or NULL. */
PVOID kmd_alloc(SIZE_T bytes);
void kmd_free(PVOID block);

const struct kmd_settings *kmd_settings(void);
/* Adds the display entry points that an adapter without outputs still has to have. */
void kmd_display_entries(DRIVER_INITIALIZATION_DATA *table);

/* kmd_segment.c */
void kmd_segments_build(struct kmd_adapter *adapter);
NTSTATUS kmd_query_segments(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args);
/* NULL for id 0 and ids that do not exist. */
const struct kmd_segment *kmd_segment(const struct kmd_adapter *adapter, UINT id);
bool kmd_segment_is_memory(const struct kmd_adapter *adapter, UINT id);
/* Segment set of all segments of a kind. */
UINT kmd_segment_set(const struct kmd_adapter *adapter, enum kmd_segment_kind kind);

/* kmd_allocation.c: the driver's object behind a handle, or NULL. */
struct kmd_allocation *kmd_allocation_of(HANDLE handle);
struct kmd_allocation *kmd_open_of(HANDLE handle);
static inline ULONGLONG kmd_round_to_page(ULONGLONG bytes) {
    return (bytes + GPU_PAGE - 1) & ~(ULONGLONG)(GPU_PAGE - 1);
}

/* kmd_submit.c */
void kmd_interrupts(const struct kmd_adapter *adapter, bool enable);

/* ---- Entry points
 * --------------------------------------------------------------------------------------------- */

DXGKDDI_ADD_DEVICE kmd_add_device;
DXGKDDI_START_DEVICE kmd_start_device;
DXGKDDI_STOP_DEVICE kmd_stop_device;
DXGKDDI_REMOVE_DEVICE kmd_remove_device;
DXGKDDI_SET_POWER_STATE kmd_set_power_state;
DXGKDDI_RESET_DEVICE kmd_reset_device;
DXGKDDI_QUERYADAPTERINFO kmd_query_adapter_info;
DXGKDDI_GETNODEMETADATA kmd_get_node_metadata;
DXGKDDI_CREATEDEVICE kmd_create_device;
DXGKDDI_DESTROYDEVICE kmd_destroy_device;
DXGKDDI_CREATECONTEXT kmd_create_context;
DXGKDDI_DESTROYCONTEXT kmd_destroy_context;
DXGKDDI_CREATEPROCESS kmd_create_process;
DXGKDDI_DESTROYPROCESS kmd_destroy_process;
DXGKDDI_CREATEALLOCATION kmd_create_allocation;
DXGKDDI_DESTROYALLOCATION kmd_destroy_allocation;
DXGKDDI_DESCRIBEALLOCATION kmd_describe_allocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA kmd_get_standard_allocation;
DXGKDDI_OPENALLOCATIONINFO kmd_open_allocation;
DXGKDDI_CLOSEALLOCATION kmd_close_allocation;
DXGKDDI_BUILDPAGINGBUFFER kmd_build_paging_buffer;
DXGKDDI_ACQUIRESWIZZLINGRANGE kmd_acquire_swizzling_range;
DXGKDDI_RELEASESWIZZLINGRANGE kmd_release_swizzling_range;
DXGKDDI_RENDER kmd_render;
DXGKDDI_PATCH kmd_patch;
DXGKDDI_SUBMITCOMMAND kmd_submit_command;
DXGKDDI_PREEMPTCOMMAND kmd_preempt_command;
DXGKDDI_QUERYCURRENTFENCE kmd_query_current_fence;
DXGKDDI_INTERRUPT_ROUTINE kmd_interrupt_routine;
DXGKDDI_DPC_ROUTINE kmd_dpc_routine;
DXGKDDI_RESETFROMTIMEOUT kmd_reset_from_timeout;
DXGKDDI_RESTARTFROMTIMEOUT kmd_restart_from_timeout;
DXGKDDI_COLLECTDBGINFO kmd_collect_dbg_info;
DXGKDDI_QUERYDEPENDENTENGINEGROUP kmd_query_dependent_engine_group;
DXGKDDI_QUERYENGINESTATUS kmd_query_engine_status;
DXGKDDI_RESETENGINE kmd_reset_engine;

#endif
