/*
 * space.h - an address space of the GPU as the rest of the manager sees it: mappings of
 * allocations that follow them wherever they go, and the paging process's scratch window through
 * which bytes are moved.
 *
 * Behind it: va.h (which addresses are taken, and by what), table.h (the tree of page tables and
 * where its tables live), mmu.h (what the driver said of its MMU). The functions below that
 * take a plan add operations to it and change nothing else that a plan could not take
 * back; they answer false when there is no memory.
 */
#ifndef VIDMM_MANAGER_SPACE_H
#define VIDMM_MANAGER_SPACE_H

#include <vidmm/virtual.h>

#include "memory/segment.h"

struct plan;
struct space;
struct mapping;

#define SPACE_RESERVE_UNIT 65536u /* of reservations; the first one is never given out */

/*
 * Where the bytes of an allocation are: `place` in `segment`, or its system pages. A place may be
 * scattered over the segment: placement_at() (segment.h) says where each byte is. What `place`
 * points at may move before the plan is built: take from it what is needed.
 */
struct view {
    const struct segment *segment; /* NULL: system pages */
    const struct placement *place;
};

/* Where a resident allocation is. */
struct view space_view_of(const struct vidmm_allocation *allocation);

/*
 * Runs the plan under construction, whose entries the CPU writes at once; `emitted` false: there
 * was no memory for it.
 */
enum vidmm_status space_run_now(struct plan *plan, struct space *space, bool emitted);

/*
 * System pages that the paging process of a physical adapter sees for ever, mapped with the CPU at
 * start: paging buffers. Their GPU virtual address; 0: no memory.
 */
uint64_t space_keep_pages(struct vidmm_adapter *adapter, uint32_t physical, PMDL mdl,
                          uint64_t size);
/* The same at addresses that are the caller's. False: no memory. */
bool space_keep_pages_at(struct vidmm_adapter *adapter, uint32_t physical, PMDL mdl, uint64_t size,
                         uint64_t start);
/* They were mapped while the GPU worked: a TLB may know that nothing was at their addresses. */
void space_kept_late(struct vidmm_adapter *adapter, uint32_t physical, uint64_t start,
                     uint64_t size);
/* Before an operation that uses such pages. */
bool space_flush_kept(struct plan *plan, uint32_t physical);

/*
 * A context was made in the space of its device's process: DxgkDdiSetRootPageTable now, and
 * whenever the root table moves.
 */
enum vidmm_status space_enter(struct vidmm_context *context);

/* DxgkDdiSetRootPageTable for every context of the space's process, all of which are idle. */
void space_tell_contexts(const struct space *space);

/* Makes the PTEs of every mapping of `allocation` invalid, in every space, and flushes the TLBs. */
bool space_clear_ptes(struct plan *plan, struct vidmm_allocation *allocation);
/* Writes the PTEs of every mapping of `allocation` to lead to `view`, and flushes the TLBs. */
bool space_write_ptes(struct plan *plan, struct vidmm_allocation *allocation, struct view view);
/*
 * All bytes of `allocation` from one place to another: scratch mappings, and VIRTUAL_TRANSFERs, in
 * pieces that fit the scratch space, which wait for space_send.
 */
bool space_transfer(struct plan *plan, struct vidmm_allocation *allocation, struct view from,
                    struct view to);
/* VIRTUAL_FILL of all bytes with `pattern`, which waits likewise. */
bool space_fill(struct plan *plan, struct vidmm_allocation *allocation, struct view to,
                uint32_t pattern);
/* What waits: one flush, then all of it. Before anything that needs its result. */
bool space_send(struct plan *plan);
/* INIT_CONTEXT_RESOURCE: the driver's own initial content. */
bool space_init(struct plan *plan, struct vidmm_allocation *allocation, struct view to);
/* UPDATE_CONTEXT_ALLOCATION of a resident one with `size` bytes that mean something to the driver.
 */
bool space_update(struct plan *plan, struct vidmm_allocation *allocation, void *data,
                  uint32_t size);
/* The paging process can see all of it at once. */
bool space_maps_whole(const struct vidmm_allocation *allocation);
/*
 * After a reset that lost the memory segments: the paging process's tables are written anew, by the
 * CPU, before anything is built; then, through the paging queue, those of all processes.
 */
enum vidmm_status space_restore_paging(struct vidmm_adapter *adapter);
enum vidmm_status space_restore(struct vidmm_adapter *adapter);

#endif
