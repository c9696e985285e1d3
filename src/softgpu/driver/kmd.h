/*
 * kmd.h - the kernel-mode driver of the software GPU: its objects, and what its files call of each
 * other.
 *
 * Written as a driver for the real kernel would be: it knows the contract headers, its registers
 * and nothing of the system that calls it. On a board without an MMU, and before WDDM 2.0, it
 * addresses GPU memory physically: paging is TRANSFER, FILL and the aperture operations. On a board
 * with one it offers GPU virtual addresses (GpuMmu): mmu.c says what page tables are, context.c
 * which root a context has, paging_virtual.c writes them, submit_virtual.c runs what uses them.
 * Behind an IOMMU it offers the CPU's addresses (IoMmu): there are no page tables to write, paging
 * is physical and knows apertures only, and a device's PASID says whose addresses its commands use.
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

#include "registers/softgpu_regs.h"

#define KMD_TAG 0x75504753u /* "SGPu" */

/* What the registry says (vidmm/softgpu.h). */
struct kmd_settings {
    ULONG version;
    ULONG paging_bytes, paging_segment, paging_private, dma_segment;
    ULONG banks, vram_segments, busy_every, agp, agp_commit_limit;
    ULONG map_aperture2; /* from WDDM 2.9 on */
    ULONG gdi;           /* from Windows 7 on, and without virtual addresses */
    ULONG displays;      /* connectors; 0: the adapter only renders */
    ULONG iommu;
    ULONG linked; /* boards of the chain; 0 and 1: the board is alone */
    ULONG mmu_levels, mmu_update_mode, mmu_table_segment, mmu_demands;
    ULONG context_bytes, host_aperture_bytes;
    ULONG vpr_bytes;                          /* from WDDM 2.1 on */
    ULONG dirty_page_bytes, dirty_performant; /* from WDDM 3.2 on */
};

/* ---- Segments -------------------------------------------------------------------------------- */

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

/* ---- Objects --------------------------------------------------------------------------------- */

#define KMD_MAGIC_ALLOCATION 0x636f6c61u
#define KMD_MAGIC_OPEN       0x6e65706fu
#define KMD_MAGIC_DEVICE     0x69766564u
#define KMD_MAGIC_CONTEXT    0x74786574u
#define KMD_MAGIC_PROCESS    0x636f7270u

struct kmd_allocation {
    ULONG magic;
    ULONG flags; /* VIDMM_UMD_* */
    ULONGLONG size;
    ULONG pitch;
    UINT physical; /* the adapter that it is at home on */
    UINT segments; /* set of those of it that it may live in */
    /* Where paging operations last put it; segment 0: system memory. For swizzling ranges. */
    UINT segment;
    ULONGLONG address;
    struct kmd_saved *saves; /* the state of a context; NULL: anything else */
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

/* hKmdProcess where commands use virtual addresses. */
struct kmd_process {
    ULONG magic;
    UINT space; /* tag of its translations in the TLB, and of its faults */
};

struct kmd_device {
    ULONG magic;
    struct kmd_adapter *adapter; /* the lead */
    UINT space;                  /* of its process */
    HANDLE runtime;              /* the system's */
    ULONG pasid; /* its contexts use the CPU's addresses of the process; 0: they do not */
};

/* hDeviceSpecificAllocation. */
struct kmd_open {
    ULONG magic;
    struct kmd_allocation *allocation;
};

struct kmd_context {
    ULONG magic;
    struct kmd_device *device;
    struct kmd_adapter *board; /* that its commands run on */
    UINT node;
    BOOLEAN virtual_addresses; /* VirtualAddressing */
    /* As DxgkDdiSetRootPageTable said: a GPU physical address, and how much of it there is. */
    ULONGLONG root;
    UINT root_entries;
    struct kmd_saved *saved; /* NULL: it is told what to use with each submission */
};

/* saved.c: a context whose state is in memory: struct gpu_context_state, then the save area. */
struct kmd_saved {
    struct kmd_allocation allocation; /* hDriverAllocation */
    struct kmd_context *context;
    HANDLE system; /* hAllocation */
    ULONGLONG va;  /* of the save area */
    bool told;     /* the state names the root that the context has now */
};

/* One record a paging operation in the paging buffer's private data; for CollectDbgInfo. */
struct kmd_paging_record {
    UINT operation;
    UINT bytes; /* of commands */
};

/* ---- GPU virtual memory ---------------------------------------------------------------------- */

/* The space of work that belongs to no process. */
#define KMD_SPACE_NONE 0u

/* MmuDemands: what the system shall do although this board would not need it. */
#define KMD_DEMAND_INVALIDATION 0x1u /* ExplicitPageTableInvalidation */
#define KMD_DEMAND_IDLE         0x2u /* PageTableUpdateRequireAddressSpaceIdle */
#define KMD_DEMAND_TABLE_VA     0x4u /* LegacyBehaviors.SourcePageTableVaInTransfer */

struct kmd_mmu {
    struct gpu_mmu_format format; /* levels 0: there are no GPU virtual addresses */
    DXGK_PAGETABLEUPDATEMODE mode;
    UINT root_bits;                                                     /* index bits at most */
    UINT table_segment[GPU_LEVELS_MAX], paging_segment[GPU_LEVELS_MAX]; /* ids; 0: system memory */
    KSPIN_LOCK lock; /* of all below, and of the registers of a flush */
    UINT spaces;
    bool taken[GPU_SPACES];
    HANDLE process[GPU_SPACES]; /* hDxgkProcess */
};

/* ---- Dirty bits and migration ---------------------------------------------------------------- */

/* dirty.h; page 0: there is no plane. */
struct kmd_dirty {
    UINT page; /* bytes that a bit stands for */
    PVOID memory;
    SIZE_T bytes;
    volatile LONG64 *plane, *summary; /* the two parts of `memory` (softgpu_dirty.h) */
    FAST_MUTEX lock;                  /* of `bases`, and of taking bits */
    struct kmd_basis *bases;
};

enum kmd_migration_role { KMD_MIGRATION_NONE, KMD_MIGRATION_SOURCE, KMD_MIGRATION_TARGET };

struct kmd_migration {
    bool offered;
    enum kmd_migration_role role; /* since PrepareLiveMigration */
    volatile LONG64 *entries;     /* of both apertures, one after the other; NULL: there are none */
    SIZE_T count;
};

/* link.c: the boards that are one adapter to the system, by their index. */
struct kmd_chain {
    UINT boards;
    struct kmd_adapter *board[GPU_LINK_LIMIT];
};

struct kmd_adapter {
    struct kmd_settings settings;
    struct kmd_adapter *lead; /* which has the chain; itself when it is alone */
    struct kmd_chain chain;   /* of the lead */
    UINT physical;            /* its index */
    DXGKRNL_INTERFACE dxgk;
    PUCHAR registers;
    PHYSICAL_ADDRESS vram, windows; /* BARs as the CPU sees them */
    ULONGLONG vram_bytes, visible_bytes, aperture_bytes[GPU_APERTURES];
    UINT nodes, ranges;
    PHYSICAL_ADDRESS host_window; /* BAR of the CPU host aperture */
    ULONGLONG host_bytes;         /* of it; 0: there is none */
    KSPIN_LOCK host_lock;         /* of its registers */

    UINT segments;
    struct kmd_segment segment[KMD_SEGMENTS_MAX];
    SIZE_T bank_ends[KMD_BANKS_MAX];

    UINT transfers; /* that could have been busy; scheduler class */
    struct kmd_paging_record last_paging;
    struct kmd_allocation *range_owner[GPU_RANGE_LIMIT];

    struct kmd_mmu mmu;
    struct kmd_dirty dirty;
    struct kmd_migration migration;
    bool iommu; /* processes may share their addresses with the GPU (IoMmu) */
    /* Newest fences of each engine (engine.c): */
    ULONG submitted[GPU_ENGINES];
    /* Ended by a page fault or a reset; counts as completed. Interrupts say so, and other threads
     * in the middle of a reset: interlocked. */
    volatile LONG settled[GPU_ENGINES];
};

/* ---- Registers ------------------------------------------------------------------------------- */

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

/* ---- Between files --------------------------------------------------------------------------- */

/* pool.c: zeroed nonpaged memory or NULL. */
PVOID kmd_alloc(SIZE_T bytes);
void kmd_free(PVOID block);

/* settings.c */
NTSTATUS kmd_read_settings(PUNICODE_STRING registry_path);
/* Says why these settings, or they on this board, make no driver; STATUS_INVALID_PARAMETER. */
NTSTATUS kmd_refuse(const char *why);
const struct kmd_settings *kmd_settings(void);
/* link.c: the adapter is the next of a chain, or the first of one. */
void kmd_link_add(struct kmd_adapter *adapter);
/* It goes. */
void kmd_link_remove(const struct kmd_adapter *adapter);
/* Started: its registers say the same. */
bool kmd_link_sound(const struct kmd_adapter *adapter);
bool kmd_linked(const struct kmd_adapter *adapter);
/* The board with that index; NULL: there is none. Of any adapter of the chain. */
struct kmd_adapter *kmd_board(const struct kmd_adapter *adapter, UINT physical);
struct kmd_adapter *kmd_board_of_affinity(const struct kmd_adapter *adapter, UINT affinity);
/* That the context is bound to; without one the adapter itself. */
struct kmd_adapter *kmd_board_of_context(struct kmd_adapter *adapter, HANDLE context);

/* display.c: adds the display entry points, which an adapter without outputs still has to have. */
void kmd_display_entries(DRIVER_INITIALIZATION_DATA *table);
/* No connector shows anything. */
void kmd_displays_off(const struct kmd_adapter *adapter);
/* Vertical syncs that were, at the device's IRQL. */
void kmd_report_vsync(struct kmd_adapter *adapter);
/* vidpn.c: those about video present networks. */
void kmd_vidpn_entries(DRIVER_INITIALIZATION_DATA *table);

/* answer.c: copies as much as the system's structure, which may be older, has room for. */
NTSTATUS kmd_answer(const DXGKARG_QUERYADAPTERINFO *args, const void *data, SIZE_T bytes,
                    SIZE_T least);

/* mmu.c */
NTSTATUS kmd_mmu_build(struct kmd_adapter *adapter);
static inline bool kmd_mmu_on(const struct kmd_adapter *adapter) {
    return adapter->mmu.format.levels != 0;
}
/* Commands may use virtual addresses: of the GPU, or of the CPU. */
static inline bool kmd_virtual_on(const struct kmd_adapter *adapter) {
    return kmd_mmu_on(adapter) || adapter->iommu;
}
NTSTATUS kmd_query_mmu(const struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args);
/* `count` page table entries of `level` as the GPU has them, to where nothing is aligned. */
void kmd_mmu_words(const struct kmd_adapter *adapter, const DXGK_PTE *entry, UINT count, UINT level,
                   UCHAR *to);
/* Are they `*word`, `*word + *each` and so on? Of pages that follow each other. */
bool kmd_mmu_series(const struct kmd_adapter *adapter, const DXGK_PTE *entry, UINT count,
                    UINT level, uint64_t *word, UINT *each);
/* GPU_FLUSH_*, done when it returns. Any IRQL up to DISPATCH_LEVEL. */
void kmd_mmu_flush(struct kmd_adapter *adapter, UINT what, UINT space, ULONGLONG start,
                   ULONGLONG end);

/* process.c: the space of hKmdProcess. */
UINT kmd_space_of(HANDLE process);

/* saved.c: false: no memory. */
bool kmd_saved_create(struct kmd_context *context, HANDLE runtime);
void kmd_saved_destroy(struct kmd_context *context);
/* The root is another one. */
void kmd_saved_update(struct kmd_context *context);
/* The state as the GPU shall find it before anything ran. */
struct gpu_context_state kmd_saved_state(const struct kmd_saved *saved);

/* context.c: the driver's object behind a handle, or NULL. */
struct kmd_context *kmd_context_of(HANDLE handle);

/* segment.c */
NTSTATUS kmd_segments_build(struct kmd_adapter *adapter);
/* Adds the AGP aperture that the arguments of a segment query tell of, if they do. */
void kmd_add_agp(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args);
/* NULL for id 0 and ids that do not exist. */
const struct kmd_segment *kmd_segment(const struct kmd_adapter *adapter, UINT id);
bool kmd_segment_is_memory(const struct kmd_adapter *adapter, UINT id);
/* Where `offset` of a segment, or of system memory (id 0), is to the GPU. */
ULONGLONG kmd_gpu_address(const struct kmd_adapter *adapter, UINT id, ULONGLONG offset);
/* The same of a segment of board `owner`, to the GPU of `adapter`. */
ULONGLONG kmd_peer_address(const struct kmd_adapter *adapter, const struct kmd_adapter *owner,
                           UINT id, ULONGLONG offset);
/* 64 KiB where a segment is managed in such pages, else 4 KiB. */
UINT kmd_segment_page(const struct kmd_adapter *adapter, UINT id);
/* Segment set of all segments of a kind. */
UINT kmd_segment_set(const struct kmd_adapter *adapter, enum kmd_segment_kind kind);
/* The id of the first memory segment; behind all ids: there is none. */
UINT kmd_first_memory(const struct kmd_adapter *adapter);
/* The segment with the video protected range; 0: the board has none. */
UINT kmd_vpr_segment(const struct kmd_adapter *adapter);
/* The range in memory segment `id`: its offset, its bytes. */
SIZE_T kmd_vpr_start(const struct kmd_adapter *adapter, UINT id);
SIZE_T kmd_vpr_size(const struct kmd_adapter *adapter, UINT id);
/* Apertures are mapped from address descriptor lists (DXGK_VIDMMCAPS.MapAperture2Supported). */
bool kmd_second_form(const struct kmd_adapter *adapter);

/* segment_query.c */
NTSTATUS kmd_query_segments(struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args);

/* host_aperture.c: segment `id` has a part of the CPU host aperture, and which. */
bool kmd_has_host_aperture(const struct kmd_adapter *adapter, UINT id);
DXGK_CPUHOSTAPERTURE kmd_describe_host_aperture(const struct kmd_adapter *adapter, UINT id);

/* allocation.c: the driver's object behind a handle, or NULL. */
struct kmd_allocation *kmd_allocation_of(HANDLE handle);
struct kmd_allocation *kmd_open_of(HANDLE handle);
/* Where it is from now on; segment 0: system memory. */
void kmd_moved(HANDLE allocation, UINT segment, ULONGLONG address);
static inline ULONGLONG kmd_round_to_page(ULONGLONG bytes) {
    return (bytes + GPU_PAGE - 1) & ~(ULONGLONG)(GPU_PAGE - 1);
}

/* basis.c: with the plane where the CPU sees it. */
NTSTATUS kmd_dirty_start(struct kmd_adapter *adapter, PHYSICAL_ADDRESS plane);
void kmd_dirty_stop(struct kmd_adapter *adapter);
NTSTATUS kmd_query_dirty(const struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args);

/* migration.c: with the entries of the apertures where the CPU sees them. */
NTSTATUS kmd_migration_start(struct kmd_adapter *adapter, PHYSICAL_ADDRESS entries);
void kmd_migration_stop(struct kmd_adapter *adapter);
NTSTATUS kmd_query_gpup(const struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args);

/* submit.c */
void kmd_interrupts(const struct kmd_adapter *adapter, bool enable);

/* engine.c: `fence` was given to the engine with these registers. */
void kmd_note_submitted(struct kmd_adapter *adapter, ULONG engine, ULONG fence);
ULONG kmd_last_completed(const struct kmd_adapter *adapter, UINT node);
/* A page fault or a reset ended what the engine had up to `fence`. Any IRQL. */
void kmd_settle(struct kmd_adapter *adapter, UINT node, ULONG fence);
/* The adapter was reset: nothing is under way (tdr-changes-in-windows-8.md). */
void kmd_settle_all(struct kmd_adapter *adapter);
/* engine.c: before the first work of a start. */
void kmd_engines_begin(struct kmd_adapter *adapter);

/* submit_virtual.c: for DxgkCbNotifyInterrupt, after what the engine says of its last fault. */
void kmd_report_page_fault(struct kmd_adapter *adapter, UINT node);
void kmd_report_signaled(struct kmd_adapter *adapter, UINT node);

/* ---- Entry points ---------------------------------------------------------------------------- */

DXGKDDI_ADD_DEVICE kmd_add_device;
DXGKDDI_LINK_DEVICE kmd_link_device;
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
DXGKDDI_SETROOTPAGETABLE kmd_set_root_page_table;
DXGKDDI_GETROOTPAGETABLESIZE kmd_get_root_page_table_size;
DXGKDDI_MAPCPUHOSTAPERTURE kmd_map_cpu_host_aperture;
DXGKDDI_UNMAPCPUHOSTAPERTURE kmd_unmap_cpu_host_aperture;
DXGKDDI_CREATEALLOCATION kmd_create_allocation;
DXGKDDI_DESTROYALLOCATION kmd_destroy_allocation;
DXGKDDI_DESCRIBEALLOCATION kmd_describe_allocation;
DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY kmd_validate_update_allocation_property;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA kmd_get_standard_allocation;
DXGKDDI_OPENALLOCATIONINFO kmd_open_allocation;
DXGKDDI_CLOSEALLOCATION kmd_close_allocation;
DXGKDDI_BUILDPAGINGBUFFER kmd_build_paging_buffer;
DXGKDDI_ACQUIRESWIZZLINGRANGE kmd_acquire_swizzling_range;
DXGKDDI_RELEASESWIZZLINGRANGE kmd_release_swizzling_range;
/* What the hardware lost of ranges while it had no power. */
void kmd_swizzle_restore(struct kmd_adapter *adapter);
DXGKDDI_RENDER kmd_render;
DXGKDDI_RENDERKM kmd_render_km;
DXGKDDI_PRESENT kmd_present;
DXGKDDI_PATCH kmd_patch;
DXGKDDI_SUBMITCOMMAND kmd_submit_command;
DXGKDDI_SUBMITCOMMANDVIRTUAL kmd_submit_command_virtual;
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
DXGKDDI_CREATEMEMORYBASIS kmd_create_memory_basis;
DXGKDDI_DESTROYMEMORYBASIS kmd_destroy_memory_basis;
DXGKDDI_STARTDIRTYTRACKING kmd_start_dirty_tracking;
DXGKDDI_STOPDIRTYTRACKING kmd_stop_dirty_tracking;
DXGKDDI_QUERYDIRTYBITDATA kmd_query_dirty_bit_data;
DXGKDDI_PREPARELIVEMIGRATION kmd_prepare_live_migration;
DXGKDDI_ENDLIVEMIGRATION kmd_end_live_migration;
DXGKDDI_SAVEIMMUTABLEMIGRATIONDATA kmd_save_immutable_migration_data;
DXGKDDI_SAVEMUTABLEMIGRATIONDATA kmd_save_mutable_migration_data;
DXGKDDI_RESTOREIMMUTABLEMIGRATIONDATA kmd_restore_immutable_migration_data;
DXGKDDI_RESTOREMUTABLEMIGRATIONDATA kmd_restore_mutable_migration_data;

#endif
