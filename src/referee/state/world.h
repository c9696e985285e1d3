/*
 * world.h - what the referee sees of memory and processor besides the calls; see
 * struct vidmm_referee_world.
 */
#ifndef REFEREE_WORLD_H
#define REFEREE_WORLD_H

#include <vidmm/referee.h>

#include "state/shadow.h"

/* `size` bytes at an offset of a segment as the GPU sees them (peek, else the CPU's view,
 * else through the aperture's shadow), not across a page in an aperture; NULL: cannot be seen. */
const uint8_t *world_segment(struct vidmm_referee *referee, const struct shadow_segment *segment,
                             uint64_t offset, uint64_t size);
/* The same at a GPU physical address (linked.h), by peek alone. */
const uint8_t *world_peek(struct vidmm_referee *referee, uint64_t address, uint64_t size);
/* Up to a page at a GPU physical address to which an entry with segment `id` led; system memory (0) may
 * have the addresses of a segment, of which peek shows the segment's bytes. NULL: cannot be seen. */
const uint8_t *world_page(struct vidmm_referee *referee, uint32_t id, uint64_t address,
                          uint64_t size);
/* Up to a page of what a page table entry names: a segment, or system memory (0); NULL: cannot be
 * seen. */
const uint8_t *world_place(struct vidmm_referee *referee, uint32_t id, uint64_t offset,
                           uint64_t size);
/* Two copies have the same bytes. Without content they have, and are not read: a page of RAM that was never
 * written would be taken for it. */
bool world_same(const struct vidmm_referee *referee, const uint8_t *a, const uint8_t *b,
                uint64_t size);
/* Where a physical adapter's MMU leads `va` by the root table at the GPU physical address `root`;
 * false: it cannot be asked. The address that is found is one over all physical adapters. */
bool world_translate(struct vidmm_referee *referee, uint32_t physical, uint64_t root,
                     uint32_t entries, uint64_t va, struct vidmm_referee_translation *out);
/* The driver was refused memory. */
bool world_starved(struct vidmm_referee *referee);
/* Whether accesses to a page of an aperture snoop, at a GPU physical address (linked.h); false: it
 * cannot be asked. */
bool world_snoops(struct vidmm_referee *referee, uint64_t address, bool *snoops);
/* An address of the process with that PASID leads to memory; false: that cannot be asked, either. */
bool world_shared(struct vidmm_referee *referee, uint32_t pasid, uint64_t va);
uint8_t *world_memory(struct vidmm_referee *referee, uint64_t pa, uint64_t size);
/* The physical address behind the last byte of RAM; 0: not known. */
uint64_t world_memory_end(struct vidmm_referee *referee);
/* True when a pointer that world_segment gave is into system memory itself. */
bool world_is_memory(struct vidmm_referee *referee, const uint8_t *bytes);
KIRQL world_irql(struct vidmm_referee *referee);
/* Up to a page of a segment as the GPU sees it, an aperture's through its shadow if need be; NULL:
 * cannot be seen. */
const uint8_t *world_see(struct vidmm_referee *referee, const struct shadow_segment *segment,
                         uint64_t offset, uint64_t size);
/* The model shows GPU memory: what it does not show cannot be accessed. */
bool world_sees_all(struct vidmm_referee *referee);

#endif
