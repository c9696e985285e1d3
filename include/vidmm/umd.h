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
    uint32_t commands; /* bit n: command n is understood */
    uint32_t reserved;
};

/* vidmm_umd_allocation.flags */
#define VIDMM_UMD_LOCAL             0x1u /* prefers GPU memory segments, may live in an aperture */
#define VIDMM_UMD_LOCAL_ONLY        0x2u /* GPU memory segments and nothing else */
#define VIDMM_UMD_CPU_VISIBLE       0x4u /* may be locked */
#define VIDMM_UMD_CACHED            0x8u /* backing store cacheable (aperture only) */
#define VIDMM_UMD_PERMANENT_SYSMEM  0x10u
#define VIDMM_UMD_SWIZZLED          0x20u /* tiled while in a memory segment */
#define VIDMM_UMD_PRIMARY           0x40u
#define VIDMM_UMD_OVERLAY           0x80u  /* pinned */
#define VIDMM_UMD_EVICT_TO_APERTURE 0x100u /* names aperture segments in EvictionSegmentSet */
#define VIDMM_UMD_FROM_END          0x200u
#define VIDMM_UMD_ALTERNATE_VA      0x400u

/* Private driver data of one allocation in DxgkDdiCreateAllocation. */
struct vidmm_umd_allocation {
    uint32_t magic;
    uint32_t flags;     /* VIDMM_UMD_*; none of LOCAL*: aperture only */
    uint64_t size;      /* bytes, not 0 */
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

/* At offset 0 of the result allocation; CHECK adds to it. */
struct vidmm_umd_result {
    uint64_t checked_bytes;
    uint64_t wrong_pages;
    uint64_t first_oracle; /* of the first wrong page since first_oracle was 0 */
    uint32_t first_page;
    uint32_t first_byte; /* in that page */
};

#endif
