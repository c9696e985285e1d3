/*
 * segment.h - one memory or aperture segment of the adapter, and the contract's rules of placement
 * inside it: alignment, pitch, bank hints, direction, the overlays' part, commit limits.
 *
 * query.c makes segments from the driver's descriptors; the rest of the manager only places, frees
 * and asks. Which segment to try, and which allocation to evict, is decided elsewhere.
 */
#ifndef VIDMM_MANAGER_SEGMENT_H
#define VIDMM_MANAGER_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/os.h>

#include "memory/placer.h"
#include "memory/policy.h"

/* Segment ids are five bits wide in preferences and page-table entries; 0 is system memory. */
#define SEGMENTS_MAX   31u
#define SEGMENTS_TOTAL 32u /* of all linked adapters: a bit of a set for each */

/* System memory that all aperture segments together may map (calculating-graphics-memory.md). */
struct shared_memory {
    uint64_t limit, used; /* bytes */
};

/*
 * The video protected range of a memory segment: for allocations with CreateInVpr, and for nothing
 * else. One protected region covers all of it, so that any NumVprSupported is enough.
 */
struct protected_range {
    uint64_t start, size; /* bytes of the segment; size 0: there is none */
    /* The driver's and the hardware's own. No page says at which end: neither is touched. */
    uint64_t reserve;
};

struct segment {
    uint32_t id;        /* 1-based, over all physical adapters */
    uint32_t physical;  /* the physical adapter that has it */
    uint32_t driver_id; /* 1-based position in the driver's array for that physical adapter */
    DXGK_SEGMENTFLAGS flags;
    bool aperture;      /* linear or AGP-type: its pages are system memory */
    bool agp;           /* the GART maps it, not the driver */
    uint32_t page_size; /* 4096, or 65536 with Use64KBPages */
    uint64_t base;      /* GPU physical address of offset 0 */
    uint64_t size;
    uint64_t commit_limit;       /* of an aperture; otherwise the size */
    uint64_t cpu_base;           /* CpuTranslatedAddress; 0 unless a CpuVisible memory segment */
    uint64_t host_aperture_base; /* CpuHostAperture; size 0: none */
    uint64_t host_aperture_size;
    struct host_aperture *host_aperture; /* host_aperture.h; NULL: not used so far */
    uint64_t system_memory_end; /* last offset kept over hibernation; 0: none in particular */
    DXGK_MEMORYRANGE *invalid;  /* the driver's invalid ranges: `invalid_count` of them */
    uint32_t invalid_count;
    uint32_t banks;      /* 0: none */
    uint64_t *bank_ends; /* `banks` exclusive end offsets, the last is `size` */
    struct protected_range vpr;

    struct placer placer;     /* the protected range is taken in it */
    struct placer vpr_placer; /* all that is outside of the range, or reserved, is taken in it */
    struct shared_memory *shared; /* of the adapter */
    uint64_t used, peak;          /* bytes placed, without the driver's invalid ranges */
    /* Bytes that are no process's share: page tables, the protected range, invalid ranges. */
    uint64_t kept;
    uint32_t residents;          /* ranges placed */
    struct resident_queue queue; /* what could be evicted, in order */
};

/* One contiguous part of a place. */
struct extent {
    struct placer_block *block; /* NULL while the place is vacated */
    uint64_t offset, size;      /* bytes */
    uint64_t at;                /* of the content, where it begins */
};

/*
 * A place that was found; all zero: nowhere. With GPU virtual addresses it may be scattered over
 * the segment's pages; and in an aperture it may be no range at all, only pages that count.
 */
struct placement {
    struct placer *placer; /* that the blocks belong to */
    struct placer_block *block;
    uint64_t offset;        /* bytes from the segment's start; scattered: of the first extent */
    uint64_t size;          /* bytes reserved, page multiple */
    bool floating;          /* an aperture's pages without a range of it */
    struct extent *extents; /* scattered: `extent_count` of them, in order of the content */
    uint32_t extent_count;
};

/* What an allocation asks of a segment (DXGK_ALLOCATIONINFO). */
struct segment_request {
    uint64_t size;
    uint64_t pitch_size; /* PitchAlignedSize; 0: as size */
    uint64_t alignment;
    /* Sizes of large pages, as a sum: multiples of the largest come first, where there are free
     * ones, then those of the next. */
    uint64_t large;
    DXGK_SEGMENTBANKPREFERENCE banks; /* HintedBank if this is the most preferred segment, else 0 */
    bool from_end;                    /* FromEndOfSegment, or the preference's direction bit */
    bool overlay;                     /* last 20 % only */
    bool floating;                    /* an aperture's pages, no range */
    bool scattered;                   /* may be cut into extents */
    bool in_vpr;                      /* in the protected range, and nowhere else */
};

/* The largest of a sum of powers of two. */
static inline uint64_t segment_largest(uint64_t sizes) {
    while (sizes & (sizes - 1))
        sizes &= sizes - 1;
    return sizes;
}

/* `segment` has id .. vpr filled in. Takes over bank_ends. False: no memory. */
bool segment_init(struct segment *segment, const struct vidmm_os *os, struct shared_memory *shared);
void segment_destroy(struct segment *segment, const struct vidmm_os *os);

/*
 * Before anything is placed: these bytes are never given out. PLACER_FULL: not in the segment, or
 * some of them are out of reach already.
 */
enum placer_result segment_exclude(struct segment *segment, uint64_t offset, uint64_t size);

/* Bytes that `request` reserves in this segment: page multiple, pitch taken into account. */
uint64_t segment_reserves(const struct segment *segment, const struct segment_request *request);
/* True when it could be placed if the segment were empty. */
bool segment_can_hold(const struct segment *segment, const struct segment_request *request);
/* An aperture whose own limit leaves room for it, where what all apertures may map together does not. */
bool segment_shared_is_full(const struct segment *segment, const struct segment_request *request);
/* PLACER_FULL also when a commit limit is reached. On failure nothing changed. */
enum placer_result segment_place(struct segment *segment, const struct segment_request *request,
                                 struct placement *placement);
/* Gives the bytes back but remembers which they were. */
void segment_vacate(struct segment *segment, struct placement *placement);
/*
 * Takes exactly a vacated place again. Cannot fail once everything that was placed since is
 * released; on failure it stays vacated.
 */
enum placer_result segment_retake(struct segment *segment, struct placement *placement);
/* Gives back the memory of a vacated place that is not wanted any more, and zeroes it. */
void segment_drop(struct segment *segment, struct placement *placement);
/* Gives the place back and zeroes it. */
void segment_release(struct segment *segment, struct placement *placement);

/* The segment offset of byte `at` of a place; `*run` is how many bytes follow it in a row. */
uint64_t placement_at(const struct placement *placement, uint64_t at, uint64_t *run);
/* The extent of byte `at` of a scattered place. */
uint32_t placement_extent(const struct placement *placement, uint64_t at);

/* GPU physical address with BaseAddress, as in SegmentAddress of
 * ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md; other members have none (docs/readings.md). */
static inline uint64_t segment_address(const struct segment *segment, uint64_t offset) {
    return segment->base + offset;
}
/* A memory segment: neither system memory (NULL) nor an aperture, which shows system pages. */
static inline bool segment_is_memory(const struct segment *segment) {
    return segment && !segment->aperture;
}
/* True when bit id - 1 of a segment set is set. */
static inline bool segment_in_set(const struct segment *segment, uint32_t set) {
    return (set >> (segment->id - 1u)) & 1u;
}

#endif
