/*
 * place.c - where the manager puts things, read off the operations: addresses, invalid
 * ranges, alignment, supported segments, and no two allocations at one place.
 */
#include "operation/operation.h"

/* R69: not in one of the ranges that the driver announced as invalid. */
static void place_judge_invalid(struct vidmm_referee *referee, const struct shadow_segment *segment,
                                uint64_t offset, uint64_t size) {
    const DXGK_MEMORYRANGE *hit = NULL;
    for (uint32_t i = 0; i < segment->invalid_count; i++) {
        const DXGK_MEMORYRANGE *range = &segment->invalid[i];
        if (offset < range->SegmentOffset + range->SizeInBytes &&
            range->SegmentOffset < offset + size)
            hit = range;
    }
    if (segment->invalid_count != 0)
        MANAGER_MUST(69, !hit, "no bytes of an invalid range",
                     "0x%llx bytes at offset 0x%llx of segment %u meet the invalid range at 0x%llx",
                     LLU(size), LLU(offset), segment->id, LLU(hit->SegmentOffset));
}

bool place_range(struct vidmm_referee *referee, uint32_t id, LARGE_INTEGER address, uint64_t at,
                 uint64_t size, uint64_t *offset) {
    const struct shadow_segment *segment = shadow_segment(referee, id);
    MANAGER_MUST(175, segment, "a SegmentId that the driver reported", "SegmentId %u", id);
    if (!segment)
        return false;
    if (segment->flags.Agp) {
        MANAGER_MUST(35, shadow_holds(segment, (uint64_t)address.QuadPart + at, size),
                     "addresses in the AGP aperture that the bus has",
                     "0x%llx bytes at 0x%llx of AGP segment %u", LLU(size),
                     LLU(address.QuadPart) + LLU(at), id);
        return false;
    }
    uint64_t start = (uint64_t)address.QuadPart - segment->base;
    bool inside = (uint64_t)address.QuadPart >= segment->base && start <= segment->size &&
                  at <= segment->size - start && size <= segment->size - start - at;
    MANAGER_MUST(170, inside && start % SHADOW_PAGE == 0,
                 "BaseAddress and a page-aligned offset, with the range inside the segment",
                 "0x%llx bytes, 0x%llx behind address 0x%llx of segment %u (base 0x%llx, size "
                 "0x%llx)",
                 LLU(size), LLU(at), LLU(address.QuadPart), id, LLU(segment->base),
                 LLU(segment->size));
    if (!inside)
        return false;
    place_judge_invalid(referee, segment, start + at, size);
    *offset = start;
    return true;
}

/* R96: WDDM 2 looks at the write set alone. */
static uint32_t place_supported(struct vidmm_referee *referee,
                                const struct shadow_allocation *allocation) {
    bool second = referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    return allocation->write_set | (second ? 0 : allocation->read_set);
}

/* R368: another allocation at the same place; `pitch`: both as large as their pitch makes them. */
static const struct shadow_allocation *place_neighbour(struct vidmm_referee *referee,
                                                       const struct shadow_allocation *allocation,
                                                       const struct shadow_segment *segment,
                                                       uint64_t offset, bool pitch) {
    if (tables_paging(referee, 0)) /* what leaves without a copy leaves unseen */
        return NULL;
    return shadow_neighbour(referee, allocation, segment->id, offset, pitch);
}

static void place_judge_pitch(struct vidmm_referee *referee,
                              const struct shadow_allocation *allocation,
                              const struct shadow_segment *segment, uint64_t offset) {
    const struct shadow_allocation *other =
        place_neighbour(referee, allocation, segment, offset, true);
    bool inside =
        offset <= segment->size && shadow_pitch_size(allocation) <= segment->size - offset;
    MANAGER_MUST(47, !other && inside,
                 "PitchAlignedSize bytes for each allocation in a PitchAlignment segment",
                 "0x%llx bytes at offset 0x%llx of segment %u are not its own alone",
                 LLU(shadow_pitch_size(allocation)), LLU(offset), segment->id);
}

static void place_judge_set(struct vidmm_referee *referee, const struct shadow_segment *segment,
                            uint32_t set) {
    uint32_t bit = shadow_bit(segment), own = linked_own(segment->id);
    MANAGER_MUST(17, (set & bit) != 0 || own == SHADOW_SEGMENT_IDS || (set & bit << 1) == 0,
                 "bit n of a set for segment n + 1",
                 "segment %u, whose id is a bit of the supported set 0x%x and not the bit + 1",
                 segment->id, set);
    MANAGER_MUST(96, (set & bit) != 0, "a segment of the supported set",
                 "segment %u, the supported set is 0x%x", segment->id, set);
}

/* Windows for eviction need no alignment and are in no supported set. */
void place_judge_protected(struct vidmm_referee *referee,
                           const struct shadow_allocation *allocation,
                           const struct shadow_segment *segment, uint64_t offset, uint64_t size) {
    uint64_t start = segment->vpr_start, end = start + segment->vpr_size;
    bool wants = referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1 &&
                 allocation->info.FlagsWddm2.CreateInVpr;
    bool inside = offset >= start && offset < end && size <= end - offset;
    bool outside = offset >= end || offset + size <= start;
    if (segment->flags.Aperture || (segment->vpr_size == 0 && !wants))
        return;
    MANAGER_MUST(
        430, wants ? inside : outside,
        "allocations with CreateInVpr in the protected range, and no others",
        "0x%llx bytes at 0x%llx of segment %u, CreateInVpr %u, the range has 0x%llx bytes at "
        "0x%llx",
        LLU(size), LLU(offset), segment->id, (unsigned)wants, LLU(segment->vpr_size), LLU(start));
}

void place_allocation(struct vidmm_referee *referee, const struct shadow_allocation *allocation,
                      const struct shadow_segment *segment, uint64_t offset) {
    place_judge_host_aperture(referee, segment, offset, allocation->size, allocation->head.handle);
    bool home = linked_physical(segment->id) == allocation->physical;
    uint32_t set = place_supported(referee, allocation);
    uint64_t alignment = allocation->info.Alignment;
    bool leaving = allocation->placed && shadow_memory(referee, allocation->segment);
    bool window = segment->flags.Aperture &&
                  (leaving || shadow_in_set(allocation, allocation->evict_set, segment));
    MANAGER_MUST(43, offset <= segment->size && allocation->size <= segment->size - offset,
                 "the whole allocation inside one segment",
                 "0x%llx bytes at offset 0x%llx of segment %u, which has 0x%llx bytes",
                 LLU(allocation->size), LLU(offset), segment->id, LLU(segment->size));
    MANAGER_MUST(512, home, "a segment of the physical adapter that is the allocation's home",
                 "segment %u, its home is physical adapter %u", segment->id, allocation->physical);
    if (set != 0 && !window && home)
        place_judge_set(referee, segment, set);
    if (alignment > SHADOW_PAGE && alignment % SHADOW_PAGE == 0 && !window)
        MANAGER_MUST(93, offset % alignment == 0, "an offset that is a multiple of Alignment",
                     "offset 0x%llx of segment %u, Alignment 0x%llx", LLU(offset), segment->id,
                     LLU(alignment));
    promise_place(referee, allocation, segment, offset);
    if (segment->flags.Aperture)
        return;
    place_judge_protected(referee, allocation, segment, offset, allocation->size);
    const struct shadow_allocation *other =
        place_neighbour(referee, allocation, segment, offset, false);
    MANAGER_MUST(368, !other, "a place that no other allocation has",
                 "offset 0x%llx of segment %u, 0x%llx bytes; another allocation has 0x%llx bytes "
                 "at 0x%llx",
                 LLU(offset), segment->id, LLU(allocation->size), LLU(other->size),
                 LLU(other->offset));
    if (segment->flags.PitchAlignment && !other)
        place_judge_pitch(referee, allocation, segment, offset);
}

void place_set(struct vidmm_referee *referee, struct shadow_allocation *allocation, uint32_t id,
               uint64_t offset) {
    if (!allocation)
        return;
    shadow_place(referee, allocation, id, offset);
    chain_leave(&allocation->of_clean);
    allocation->content = true;
}

void place_judge_host_aperture(struct vidmm_referee *referee, const struct shadow_segment *segment,
                               uint64_t offset, uint64_t size, HANDLE allocation) {
    uint32_t pages = referee->host_aperture.pages, found = pages;
    if (!segment || segment->id != referee->host_aperture.segment)
        return;
    for (uint32_t i = 0; i < pages && i < segment->host_pages; i++) {
        uint64_t start = referee->host_aperture.page[i].behind * segment->page_size;
        if (referee->host_aperture.page[i].behind != HOST_APERTURE_UNMAPPED &&
            referee->host_aperture.page[i].owner != allocation && start < offset + size &&
            offset < start + segment->page_size)
            found = i;
    }
    MANAGER_MUST(270, found == pages, "memory that no page of the host aperture leads to any more",
                 "page %u still leads to offset 0x%llx of segment %u", found,
                 (unsigned long long)offset, segment->id);
}
