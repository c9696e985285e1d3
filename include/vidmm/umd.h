/*
 * umd.h - the private language between a user-mode driver and its kernel-mode driver, as spoken by
 * the player (src/workload) and understood by the reference driver (src/softgpu).
 *
 * WDDM leaves private driver data, and the commands handed to DxgkDdiRender, to the driver. The
 * player is a user-mode driver for any miniport that answers DXGKQAITYPE_UMDRIVERPRIVATE with
 * vidmm_umd_caps. For every other driver the player uses standard allocations
 * (DxgkDdiGetStandardAllocationDriverData) and CPU locks, and submits empty DMA buffers.
 *
 * All structs are plain little-endian data without padding.
 */
#ifndef VIDMM_UMD_H
#define VIDMM_UMD_H

#include <stdint.h>

#define VIDMM_UMD_MAGIC   0x444d4d56u /* "VMMD" */
#define VIDMM_UMD_VERSION 1u

/* Answer to DXGKQAITYPE_UMDRIVERPRIVATE. */
struct vidmm_umd_caps {
    uint32_t magic;
    uint32_t version;
    /* Bit n: command n is understood by DxgkDdiRender. */
    uint32_t commands;
    /* Bit n: the GPU executes packet n from GPU virtual memory; 0: none. A driver with GPU virtual addresses is given
     * packets for its work, and commands only in contexts without such addresses. */
    uint32_t packets;
};

/* vidmm_umd_allocation.flags. A driver need not honour one: what it answers in DXGK_ALLOCATIONINFO holds. LOCAL_ONLY
 * and CPU_VISIBLE together it may refuse (STATUS_INVALID_PARAMETER), if its memory cannot be seen. */
#define VIDMM_UMD_LOCAL             0x1u /* prefers GPU memory segments, may live in an aperture */
#define VIDMM_UMD_LOCAL_ONLY        0x2u /* GPU memory segments and nothing else */
#define VIDMM_UMD_CPU_VISIBLE       0x4u /* may be locked */
#define VIDMM_UMD_CACHED            0x8u /* backing store cacheable (aperture only) */
#define VIDMM_UMD_PERMANENT_SYSMEM  0x10u
#define VIDMM_UMD_SWIZZLED          0x20u /* tiled while in a memory segment, as the driver likes */
#define VIDMM_UMD_PRIMARY           0x40u
#define VIDMM_UMD_OVERLAY           0x80u  /* pinned; of drivers with MaxOverlays alone */
#define VIDMM_UMD_EVICT_TO_APERTURE 0x100u /* names aperture segments in EvictionSegmentSet */
#define VIDMM_UMD_FROM_END          0x200u
#define VIDMM_UMD_ALTERNATE_VA      0x400u
/* With GPU virtual addresses: it also needs an address of its own in a segment, and then wants to
 * be told which (NOTIFY_RESIDENCY). Without them the first is so for all. */
#define VIDMM_UMD_ACCESSED_PHYSICALLY 0x800u
#define VIDMM_UMD_RESIDENCY_NOTIFIED  0x1000u /* needs the one above */
/* In protected memory, where the board has some; an allocation like any other elsewhere. Needs one
 * of LOCAL*. */
#define VIDMM_UMD_IN_VPR 0x2000u
/* The physical adapter that it is at home on, in the highest bits. */
#define VIDMM_UMD_PHYSICAL(n)        ((uint32_t)(n) << 26)
#define VIDMM_UMD_PHYSICAL_OF(flags) ((uint32_t)(flags) >> 26)

/* Private driver data of one allocation in DxgkDdiCreateAllocation. */
struct vidmm_umd_allocation {
    uint32_t magic;
    uint32_t flags; /* VIDMM_UMD_*; none of LOCAL*: aperture only */
    /* Bytes, not 0. Where they end within a page a command may be about all of that page: the driver refuses it, or the
     * GPU reaches what was asked for at least. */
    uint64_t size;
    uint32_t alignment; /* bytes, 0 or a power of two */
    uint32_t priority;  /* D3DDDI_ALLOCATIONPRIORITY_*; 0: the driver's default */
    uint32_t pitch;     /* bytes a row of a swizzled surface, a multiple of 512; else 0 */
    uint32_t segments;  /* 0, or: restrict the supported set to these segments (bit id-1) */
};

/* Commands of DxgkDdiRender, back to back. */
enum vidmm_umd_opcode {
    VIDMM_UMD_NOP = 0,
    VIDMM_UMD_STAMP = 1, /* write the pattern of `version` to pages [page, page + pages) */
    VIDMM_UMD_CHECK = 2, /* compare the same pages, add what is wrong to the result */
    VIDMM_UMD_SPIN = 3,  /* `pages` steps of doing nothing; UINT32_MAX: hang for ever */
};

struct vidmm_umd_command {
    uint32_t opcode;
    uint32_t index;  /* of the allocation in the submission's list */
    uint64_t oracle; /* id of the allocation in vidmm_pattern_key */
    uint32_t page;   /* first page, from the start of the allocation */
    uint32_t pages;
    uint32_t version;
    uint32_t result; /* CHECK: list index of the allocation that holds struct vidmm_umd_result */
};

/*
 * Packets, back to back: what a command buffer holds that DxgkDdiSubmitCommandVirtual submits. The
 * GPU executes them as they are; all addresses are GPU virtual ones. `size` counts the whole
 * packet. A command buffer begins at a multiple of 64 bytes.
 */
enum vidmm_umd_packet_opcode {
    VIDMM_UMD_PACKET_NOP = 0,    /* only the head */
    VIDMM_UMD_PACKET_COPY = 1,   /* struct vidmm_umd_copy */
    VIDMM_UMD_PACKET_FILL = 2,   /* struct vidmm_umd_fill */
    VIDMM_UMD_PACKET_READ = 5,   /* struct vidmm_umd_touch: fetches a byte */
    VIDMM_UMD_PACKET_WRITE = 6,  /* struct vidmm_umd_touch: and stores it again */
    VIDMM_UMD_PACKET_STAMP = 7,  /* struct vidmm_umd_draw */
    VIDMM_UMD_PACKET_CHECK = 8,  /* struct vidmm_umd_draw */
    VIDMM_UMD_PACKET_SPIN = 9,   /* struct vidmm_umd_spin */
    VIDMM_UMD_PACKET_SIGNAL = 16 /* struct vidmm_umd_signal */
};

struct vidmm_umd_packet {
    uint16_t opcode;
    uint16_t flags; /* 0 */
    uint32_t size;
};

struct vidmm_umd_copy {
    struct vidmm_umd_packet head;
    uint64_t destination;
    uint64_t source;
    uint64_t bytes;
};

struct vidmm_umd_fill {
    struct vidmm_umd_packet head;
    uint32_t pattern; /* repeated, low byte first */
    uint32_t reserved;
    uint64_t destination;
    uint64_t bytes;
};

struct vidmm_umd_touch {
    struct vidmm_umd_packet head;
    uint64_t address;
};

/* STAMP and CHECK, as in struct vidmm_umd_command. */
struct vidmm_umd_draw {
    struct vidmm_umd_packet head;
    uint64_t address; /* of page 0 of the allocation */
    uint64_t result;  /* CHECK: of a struct vidmm_umd_result */
    uint64_t oracle;
    uint64_t bytes; /* of the allocation, a multiple of the page size */
    uint32_t page;
    uint32_t pages;
    uint32_t version;
    uint32_t reserved;
};

struct vidmm_umd_spin {
    struct vidmm_umd_packet head;
    uint32_t steps; /* UINT32_MAX: for ever */
    uint32_t reserved;
};

/* One 64-bit store, after everything before it: a monitored fence. */
struct vidmm_umd_signal {
    struct vidmm_umd_packet head;
    uint64_t address; /* a multiple of 8 */
    uint64_t value;
};

/* At offset 0 of the result allocation; CHECK adds to it. */
struct vidmm_umd_result {
    uint64_t checked_bytes;
    uint64_t wrong_pages;
    uint64_t first_oracle; /* of the first wrong page since first_oracle was 0 */
    uint32_t first_page;
    uint32_t first_byte; /* in that page */
};

#endif
