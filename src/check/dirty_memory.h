/*
 * dirty_memory.h - the memory that stage dirty (stage_dirty.c) watches, and how the GPU writes it: by
 * FILL without a manager (raw.h); of a driver that pages by GPU virtual address by moves of the manager,
 * of one surface for each unit, since VIRTUAL_FILL and VIRTUAL_TRANSFER need page tables.
 */
#ifndef VIDMM_CHECK_DIRTY_MEMORY_H
#define VIDMM_CHECK_DIRTY_MEMORY_H

#include "raw.h"
#include "user.h"

#define DIRTY_UNITS     16u   /* that are written */
#define DIRTY_UNITS_FAR 4400u /* the same where there are so many */

struct dirty_memory {
    struct check *check;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE adapter;
    uint32_t version;
    struct vidmm_segment_info segment;
    uint32_t unit; /* bytes: a page of dirty bits, or of the segment where that is larger (R316) */
    uint64_t origin; /* of unit 0, bytes from the start of the segment */
    bool by_address;
    struct raw_submitter raw; /* by hand */
    struct user user;         /* by address */
    struct user_surface surface[DIRTY_UNITS];
    bool inside;    /* `segment` is where surfaces lie, and has room for as many units */
    uint64_t fence; /* of the move that is under way */
};

/* After check_open with `setup`. DONE, or another outcome with check->shared->told.text; then it is closed. */
enum vidmm_stage_outcome dirty_memory_open(struct dirty_memory *memory, struct check *check,
                                           const struct check_setup *setup);
/* The same by hand with another memory segment than `first`; SKIPPED: there is none. */
enum vidmm_stage_outcome dirty_memory_open_other(struct dirty_memory *memory, struct check *check,
                                                 uint32_t first);
/* DxgkDdiQueryAdapterInfo of a type that answers with one number; `segment` may be NULL. */
bool dirty_memory_query(const struct dirty_memory *memory, DXGK_QUERYADAPTERINFOTYPE type,
                        UINT *segment, UINT32 *value);
/* Whether the driver reports that it tracks dirty pages at all. */
bool dirty_memory_tracked(const struct dirty_memory *memory);
/* Makes ready to write units of `unit` bytes, or of more where the driver's surfaces are larger, in `segment`; false: it
 * cannot, and the stage ends. */
bool dirty_memory_prepare(struct dirty_memory *memory, uint32_t unit);
/* There is room for DIRTY_UNITS of `unit` bytes. */
bool dirty_memory_holds(const struct dirty_memory *memory, uint32_t unit);
/* Units from `origin` on that a basis may have. */
uint64_t dirty_memory_units(const struct dirty_memory *memory);
/* By hand alone: the GPU begins to write `units` units from `unit` on by one operation. */
bool dirty_memory_fill(struct dirty_memory *memory, uint32_t unit, uint32_t units);
/* As dirty_memory_begin, by work of an application where it is by address: nothing is paged for it, once it was done.
 * The referee does not know what such work writes. */
bool dirty_memory_apply(struct dirty_memory *memory, uint32_t unit);
/* Waits for what was applied. */
bool dirty_memory_rest(struct dirty_memory *memory);
/* That can be done, and unit `unit` is where it is counted from. */
bool dirty_memory_applies(struct dirty_memory *memory, uint32_t unit);
/* The GPU begins to write unit `unit` of DIRTY_UNITS, or of DIRTY_UNITS_FAR by hand. */
bool dirty_memory_begin(struct dirty_memory *memory, uint32_t unit);
/* Waits for what has begun. */
bool dirty_memory_wait(struct dirty_memory *memory);
/* The outcome of a stage that ran to its end. */
enum vidmm_stage_outcome dirty_memory_close(struct dirty_memory *memory);

#endif
