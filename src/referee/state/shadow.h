/*
 * shadow.h - what the referee knows of the adapter, from the calls alone.
 *
 * Each part is written by the file that watches the calls it comes from, and read by all:
 * segments and caps (watch/query.c), objects (watch/allocation.c, watch/device.c), aperture pages
 * and places (operation/aperture.c, operation/place.c), paging buffers (watch/build.c), fences
 * (watch/submit.c).
 */
#ifndef REFEREE_SHADOW_H
#define REFEREE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include "state/chain.h"
#include "state/interval.h"
#include "state/keyed.h"
#include "state/linked.h"

struct vidmm_referee;

/* Numbers of segments and of nodes, over all physical adapters (linked.h), are below these; what
 * one of them calls its own is at most 32, or below 64. */
#define SHADOW_SEGMENTS    LINKED_NUMBERS
#define SHADOW_NODES       LINKED_NUMBERS
#define SHADOW_SEGMENT_IDS 32u
#define SHADOW_ORDINALS    64u
#define SHADOW_PAGE        4096u
#define SHADOW_LARGE_PAGE  65536u

/* ---- What the driver reported ---------------------------------------------------------------- */

enum shadow_page_state {
    SHADOW_PAGE_FRESH = 0, /* never mapped since the adapter started */
    SHADOW_PAGE_MAPPED,
    SHADOW_PAGE_DUMMY,
};

/* One page of an aperture. */
struct shadow_page {
    uint64_t frame; /* PFN it refers to: of an MDL page, or of the dummy page */
    uint8_t state;  /* as of the last operation that was built */
    bool settled;   /* the GPU has done that operation */
    bool given_up;  /* an UNMAP of it went with a reset: until it is mapped it may come again */
    bool used;      /* bytes went through it to or from the page that is mapped there */
};

/* A page of the AGP aperture: the GART maps it; the CPU's caches were flushed since. */
#define SHADOW_GART_MAPPED  0x1u
#define SHADOW_GART_FLUSHED 0x2u

struct shadow_segment {
    uint32_t id; /* 1-based, over all physical adapters */
    DXGK_SEGMENTFLAGS flags;
    bool aperture; /* linear (not AGP) */
    bool shown;    /* an aperture of which the hardware showed a page */
    bool proven;   /* ... where each page of a map showed its frame */
    bool returned; /* the same before the adapter was in D3, and nothing was mapped since */
    uint64_t base, size, commit_limit;
    uint64_t cpu_base;            /* CpuTranslatedAddress; 0 unless CpuVisible */
    uint64_t cpu_stray;           /* the same where it means nothing */
    uint32_t page_size;           /* 4096 or 65536 */
    uint64_t system_memory_end;   /* SystemMemoryEndAddress */
    uint32_t banks;               /* 0: it has none */
    uint64_t host_base;           /* of the CPU host aperture */
    uint32_t host_pages;          /* the same; 0: there is none */
    uint64_t vpr_start, vpr_size; /* of the protected range; of size 0: there is none */
    DXGK_MEMORYRANGE *invalid;
    uint32_t invalid_count;
    struct shadow_page *pages; /* of a linear aperture: size / 4096 of them; NULL: none */
    uint8_t *gart;             /* of an AGP segment: SHADOW_GART_*, a byte a page; NULL: none */
    uint64_t mapped;           /* pages of either that are mapped */
};

/* One physical adapter. */
struct shadow_physical {
    uint32_t query_version; /* 1, 3, 4; 0: segments not known yet */
    uint32_t segments;
    uint32_t nodes, paging_node; /* the node over all physical adapters */
    uint32_t vpr_paging_node;    /* pages in protected ranges; paging_node where no other does */
    uint32_t paging_segment, paging_size, paging_private;
    bool node_known; /* PHYSICALADAPTERCAPS told */
};

struct shadow_adapter {
    uint32_t registered_version; /* DRIVER_INITIALIZATION_DATA.Version */
    uint32_t wanted_version;     /* that the manager was told to speak; 0: the driver says it */
    uint32_t version;            /* which is spoken: the table's until caps are known */
    bool caps_known;
    DXGK_DRIVERCAPS caps;
    struct shadow_physical physical[LINKED_MOST];
    HANDLE moving;          /* allocation between TransferStart and TransferEnd, or NULL */
    uint64_t created_bytes; /* that all allocations ever created could take up */
    uint32_t created;       /* so many */
    bool hinted;            /* one of them names banks */
    uint32_t sources;       /* of video present networks */
    bool shared;            /* some process has a PASID: the GPU uses addresses of the CPU */
    struct shadow_segment segment[SHADOW_SEGMENTS]; /* id - 1 */
};

/* Segment `id`, or NULL: 0, or none of the driver's. */
struct shadow_segment *shadow_segment(struct vidmm_referee *referee, uint32_t id);
/* Segments of a physical adapter. */
uint32_t shadow_segments(const struct vidmm_referee *referee, uint32_t physical);
/* The id of the segment after `after`, of all physical adapters; `after` 0: the first. 0: none. */
uint32_t shadow_next_segment(const struct vidmm_referee *referee, uint32_t after);
/* Its bit in a set of segments of its physical adapter. */
static inline uint32_t shadow_bit(const struct shadow_segment *segment) {
    return 1u << (linked_own(segment->id) - 1);
}
/* GPU physical address of its byte at `offset`. */
static inline uint64_t shadow_address(const struct shadow_segment *segment, uint64_t offset) {
    return linked_address(linked_physical(segment->id), segment->base + offset);
}
/* Node numbers that are in use are below it. */
uint32_t shadow_node_end(const struct vidmm_referee *referee);
/* [address, address + size) of GPU physical addresses lies in the segment. */
bool shadow_holds(const struct shadow_segment *segment, uint64_t address, uint64_t size);
/* The segment in which [address, address + size) of GPU physical addresses lies, or NULL. */
struct shadow_segment *shadow_segment_at(struct vidmm_referee *referee, uint64_t address,
                                         uint64_t size);

/* Segment `id` if it is GPU memory, or an aperture; else NULL. */
struct shadow_segment *shadow_memory(struct vidmm_referee *referee, uint32_t id);
struct shadow_segment *shadow_aperture(struct vidmm_referee *referee, uint32_t id);
/* True: the platform has an AGP aperture, as the segment query's input said. */
bool segment_agp(struct vidmm_referee *referee, uint64_t *base, uint64_t *size);

/* ---- Objects --------------------------------------------------------------------------------- */

/* The first member of each: `key` is the driver's handle. */
struct shadow_head {
    struct keyed keyed;
    HANDLE handle;
};

struct shadow_device {
    struct shadow_head head;
    bool system;
    bool faulted;                  /* a page fault was reported */
    bool refused;                  /* its work was malformed, the driver said */
    DXGK_CONTEXTINFO context_info; /* of a driver without contexts: its DMA buffers */
    HANDLE process;                /* its owner */
    uint32_t pasid;                /* of that, behind an IOMMU; else 0 */
    struct chain contexts, opens;  /* in it */
    struct chain allocations;      /* that it created */
};

struct shadow_context {
    struct shadow_head head;
    bool system;
    struct shadow_device *owner; /* NULL: not known */
    HANDLE device;               /* its handle */
    uint32_t physical, node;     /* by EngineAffinity; over all physical adapters */
    DXGK_CONTEXTINFO context_info;
    D3DGPU_PHYSICAL_ADDRESS root; /* as DxgkDdiSetRootPageTable said */
    uint32_t root_entries;        /* of that; 0: it has none */
    struct chain_link of_device;  /* its owner */
    bool counted;                 /* by shadow_count_context */
    bool companion;               /* it is one of tables_process.companions */
    uint32_t repeated; /* buffers in a row that left MultipassOffset of Render as it was */
};

struct shadow_resource {
    struct shadow_head head;
    struct chain allocations;
};

struct shadow_allocation {
    struct shadow_head head;
    struct shadow_resource *resource;
    HANDLE device;                            /* that created it; NULL when that is gone */
    D3DKMT_HANDLE name;                       /* the system's handle */
    struct chain opens;                       /* bindings that are open */
    struct chain_link of_resource, of_device; /* `resource`, `device` */
    DXGK_ALLOCATIONINFO info;                 /* as the driver filled it; its pointers are stale */
    uint32_t standard;              /* D3DKMDT_STANDARDALLOCATION_TYPE it is; 0: not known */
    uint32_t width, height, format; /* of a standard surface; 0: not known */
    D3DDDI_RATIONAL rate;           /* of a standard primary; Denominator 0: not known */
    uint32_t physical;              /* its home; the sets are of that one's segments */
    uint32_t read_set, write_set, evict_set;
    uint64_t size; /* rounded to pages */
    /* Where its content is, as far as completed operations tell; changed by shadow_place. */
    uint32_t segment; /* 0: system memory, or nowhere */
    uint64_t offset;
    bool placed;           /* in `segment` */
    struct interval place; /* among those of the segment, while `placed` */
    bool content;          /* has content that must survive */
    bool linear;           /* Swizzled, and its system pages were unswizzled when it left */
    bool placed_before;    /* got a place once */
    uint64_t since, left;  /* calls: that gave it its place; that took one away that it was to
                            * keep, while it is in objects.left */
    struct chain_link of_settled, of_left, of_clean; /* the lists of shadow_objects */
    const uint8_t *cpu; /* CpuVisibleAddress of its mapping; NULL: none */
    uint64_t cpu_frame; /* page that it leads to */
    /* The TRANSFER under way, between TransferStart and TransferEnd. */
    bool moving;
    uint64_t moved; /* bytes of it that were asked for */
    uint32_t uses;  /* submissions under way that reference it */
    /* With GPU virtual addresses (watch/process.c, operation/virtual.c): */
    bool displayed; /* a display may read it (state/display.h) */
    bool arrived;   /* it was filled, or copied to where it is */
    bool notified;  /* NOTIFY_RESIDENCY said that it is resident */
    /* Entries of processes that lead to it, that TLBs may still have, that are being made invalid
     * (owners.h). */
    uint32_t led, held, leaving;
    uint64_t flushed;        /* the newest flush of TLBs that had it */
    uint32_t moving_virtual; /* transfers and fills that were built and are not done */
    /* User mode said that the next work uses it (service/work.c); the last such work. */
    bool in_next, used;
    uint32_t used_node, used_fence;
};

/* An allocation that is open in a device. */
struct shadow_opened {
    struct shadow_head head; /* hDeviceSpecificAllocation */
    HANDLE device;
    struct shadow_allocation *allocation; /* NULL: not known */
    struct chain_link of_device, of_allocation;
};

/* Of each kind all, in the order of their creation; and those that a judgement asks for. */
/* Kinds of handles that a driver may have no use for, and then leaves NULL for all. */
enum shadow_handle { SHADOW_DEVICE_HANDLE, SHADOW_CONTEXT_HANDLE, SHADOW_PROCESS_HANDLE };
#define SHADOW_HANDLES 3u

struct shadow_objects {
    struct {
        bool given, none; /* some were not NULL, some were */
    } handles[SHADOW_HANDLES];
    struct keyed_table device, context, resource, allocation, opened;
    struct interval_index places[SHADOW_SEGMENTS]; /* of the allocations in segment id - 1 */
    struct chain settled; /* allocations in GPU memory that may leave it, by `since` */
    struct chain left;    /* allocations that left what they were to keep */
    struct chain clean;   /* allocations to which nothing wrote since they were paged in */
    uint32_t overlays[SHADOW_SEGMENTS]; /* allocations with Overlay that may be in segment id - 1 */
    uint32_t system_contexts;
    uint32_t companion_nodes[SHADOW_NODES]; /* contexts of processes that chose the node */
};

/* Of each kind: shadow_KIND finds an object by its handle, NULL: there is none; shadow_add_KIND makes
 * one, NULL: out of memory, and what asks judges nothing. */
#define SHADOW_KIND(kind)                                                                          \
    struct shadow_##kind *shadow_##kind(struct vidmm_referee *referee, HANDLE handle);             \
    struct shadow_##kind *shadow_add_##kind(struct vidmm_referee *referee, HANDLE handle);         \
    void shadow_remove_##kind(struct vidmm_referee *referee, struct shadow_##kind *kind);
SHADOW_KIND(device)
SHADOW_KIND(context)
SHADOW_KIND(resource)
SHADOW_KIND(allocation)
SHADOW_KIND(opened)
#undef SHADOW_KIND

/* All, one after the other: for a reset, which forgets something of each. No other call walks them.
 */
struct shadow_allocation *shadow_next_allocation(struct vidmm_referee *referee,
                                                 const struct shadow_allocation *after);

/* What was made is part of what it belongs to: its other members are set by now. */
void shadow_count_context(struct vidmm_referee *referee, struct shadow_context *context);
void shadow_count_allocation(struct vidmm_referee *referee,
                             const struct shadow_allocation *allocation);
void shadow_join_resource(struct shadow_allocation *allocation, struct shadow_resource *resource);
void shadow_join_device(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                        HANDLE device);
void shadow_join_opened(struct vidmm_referee *referee, struct shadow_opened *opened, HANDLE device,
                        struct shadow_allocation *allocation);
/* The segment is one of its home's that is in the set. */
static inline bool shadow_in_set(const struct shadow_allocation *allocation, uint32_t set,
                                 const struct shadow_segment *segment) {
    return linked_physical(segment->id) == allocation->physical && (set & shadow_bit(segment)) != 0;
}
/* Nothing wrote to it since it was paged in. */
static inline bool shadow_is_clean(const struct shadow_allocation *allocation) {
    return allocation->of_clean.chain;
}
/* It is promised its place (R118). */
static inline bool shadow_stays(const struct shadow_allocation *allocation) {
    return allocation->info.Flags.Overlay || allocation->info.Flags.Capture;
}
/* An open in one device: a driver may give the same handle in several. */
struct shadow_opened *shadow_find_opened(struct vidmm_referee *referee, HANDLE device,
                                         HANDLE handle);
/* The allocation has its place at `offset` of segment `id`, or (shadow_displace) none. */
void shadow_place(struct vidmm_referee *referee, struct shadow_allocation *allocation, uint32_t id,
                  uint64_t offset);
void shadow_displace(struct vidmm_referee *referee, struct shadow_allocation *allocation);
/* R641: the system is about to take its place away. */
void shadow_judge_displayed(struct vidmm_referee *referee, struct shadow_allocation *allocation);
/* Another allocation that has a place in bytes [start, end) of segment `id`, or NULL. `pitch`: each
 * is as large as its pitch makes it (shadow_pitch_size). */
const struct shadow_allocation *shadow_neighbour(struct vidmm_referee *referee,
                                                 const struct shadow_allocation *allocation,
                                                 uint32_t id, uint64_t start, bool pitch);
/* R47: what an allocation takes of a segment with PitchAlignment. */
uint64_t shadow_pitch_size(const struct shadow_allocation *allocation);

/* ---- Work ------------------------------------------------------------------------------------ */

/* One paging operation as it was asked of the driver, from its first call until the GPU is done. */
struct shadow_operation {
    struct shadow_operation *next;
    DXGKARG_BUILDPAGINGBUFFER arg; /* of the first call, with numbers over all physical adapters */
    uint32_t physical;             /* that of its system context, which carries it out */
    uint64_t bytes;                /* written for it into DMA buffers so far */
    uint32_t unwritten;            /* the last of these, which the driver left as they were */
    uint64_t build;                /* which shadow_build it ended in */
    uint64_t asked;                /* the call that first asked for it */
    bool swallowed;     /* answered with SUCCESS without bytes: done when the call returned */
    bool in_parts;      /* in several submissions */
    bool by_physical;   /* submitted at a physical address to a driver that pages by address */
    PFN_NUMBER *frames; /* the MDL's pages from MdlOffset on, as they were; NULL: no MDL */
    uint64_t frame_count;
    uint64_t sample; /* TRANSFER of nothing: hash of the first pages of its MDL before */
    void *own;       /* what the file of its kind keeps, one block of memory; NULL: nothing */
    /* operation/later.c: the table of struct shadow_changes that it is in, and its place there. */
    enum shadow_changed { CHANGED_NOTHING, CHANGED_SEGMENT, CHANGED_MDL, CHANGED_PAGES } changed;
    uint32_t changed_segment;
    union {
        struct interval bytes; /* of the segment; of GPU physical memory for CHANGED_PAGES */
        struct keyed mdl;
    } change;
};

/* What operations change that were asked for and are not done, by where it is. */
struct shadow_changes {
    struct interval_index segment[SHADOW_SEGMENTS]; /* id - 1 */
    struct interval_index pages;                    /* from virtual operations' lowest to highest */
    struct keyed_table mdl;
    bool unknown; /* some operation found no memory to be kept here */
};

struct shadow_submission {
    struct shadow_submission *next;
    uint32_t node, fence;
    bool paging;
    uint64_t address;                    /* of the DMA buffer, as submitted */
    uint32_t start, end;                 /* bytes */
    HANDLE process;                      /* whose virtual addresses it uses; NULL: none */
    HANDLE context;                      /* of those; NULL: none, or nothing of it runs */
    struct shadow_operation *operations; /* that complete with it, in order */
};

struct shadow_node {
    bool any;
    uint32_t earliest;             /* fence of the first work */
    uint32_t submitted, completed; /* newest fences */
    bool reported;                 /* `completed` is what the driver reported */
    bool told;                     /* complete since the last reset: `latest`, newest last */
    uint32_t latest;
    bool
        ended; /* by a reset of the adapter, work up to `last_ended`, as far as the driver has to count it */
    bool adapter_reset; /* ... whether it has to or not */
    uint32_t last_ended;
    bool ended_told;  /* ... of which nothing was left to report: `latest` was told before */
    bool emptied;     /* by a reset of the engine, which had work up to `last_queued` */
    bool woken;       /* nothing was reported since PowerDeviceD0 */
    bool unheard;     /* nothing was reported since that reset */
    uint32_t aborted; /* LastAbortedFenceId of that reset */
    uint32_t last_queued, preemption_emptied; /* and that preemption; 0: none */
    uint32_t last_aborted;                    /* by what the driver answered */
    /* Work was reported as faulted, `faulted_fence`, and neither a reset nor later work came behind it; what
     * was completed last before it, if that is known. */
    bool faulted, known_before_fault;
    uint32_t faulted_fence, completed_before_fault;
    struct shadow_submission *first, *last; /* under way, in order */
    /* watch/preempt.c: */
    bool preempting;                  /* asked for, not reported */
    bool asked_preemption;            /* at least once */
    uint32_t preemption, preemptable; /* its fence; newest submission before it */
    bool undone; /* work from `undone_first` to `undone_last`, by the newest preemption */
    uint32_t undone_first, undone_last;
    struct shadow_submission *preempted; /* paging work to be submitted again, in order */
};

void shadow_reset_all(
    struct vidmm_referee *referee); /* frees everything; the next adapter starts empty */

#endif
