/*
 * candidates.c - see candidates.h.
 */
#include "object/candidates.h"

#include "object/allocation.h"
#include "object/aperture.h"

#define PREFERENCES     5u /* SegmentId0 .. SegmentId4 */
#define PREFERENCE_BITS 6u /* five of the id, one of the direction */

static void candidates_add(struct candidate_list *list, struct segment *segment, bool from_end) {
    list->segments[list->count] = segment;
    list->from_end[list->count++] = from_end;
}

static uint64_t free_bytes(const struct segment *segment) {
    return segment->commit_limit > segment->used ? segment->commit_limit - segment->used : 0;
}

static bool candidates_goes_before(const struct segment *a, const struct segment *b) {
    return a->aperture != b->aperture ? b->aperture : free_bytes(a) > free_bytes(b);
}

static void add_sorted(struct candidate_list *list, struct segment *segment) {
    uint32_t at = list->count;
    for (; at > list->preferred && candidates_goes_before(segment, list->segments[at - 1]); at--)
        list->segments[at] = list->segments[at - 1];
    list->segments[at] = segment;
    list->from_end[list->count++] = false;
}

static bool candidates_goes_first(const struct vidmm_allocation *allocation,
                                  const struct segment *segment) {
    uint32_t first = allocation->adapter->settings.place_first;
    return first == VIDMM_MEMORY_FIRST ? !segment->aperture : first == segment->id;
}

/* What vidmm_place_first names comes before the driver's preferences; the rest keeps its order. */
static void candidates_place_first(const struct vidmm_allocation *allocation,
                                   struct candidate_list *list) {
    for (uint32_t i = 0, front = 0; i < list->count; i++) {
        struct segment *segment = list->segments[i];
        bool from_end = list->from_end[i];
        if (!candidates_goes_first(allocation, segment))
            continue;
        for (uint32_t at = i; at > front; at--) {
            list->segments[at] = list->segments[at - 1];
            list->from_end[at] = list->from_end[at - 1];
        }
        list->preferred = i > front && front == 0 ? 0 : list->preferred;
        list->segments[front] = segment;
        list->from_end[front++] = from_end;
    }
}

void candidates_list(const struct vidmm_allocation *allocation, uint32_t set,
                     struct candidate_list *list) {
    struct adapter_facts *facts = &allocation->adapter->facts;
    UINT preference = allocation->info.PreferredSegment.Value;
    list->count = list->alike = 0;
    for (uint32_t i = 0; i < PREFERENCES; i++, preference >>= PREFERENCE_BITS) {
        struct segment *segment = physical_segment(facts, allocation->home, preference & 31u);
        if (!segment || !segment_in_set(segment, set))
            continue;
        set &= ~(1u << (segment->id - 1u));
        candidates_add(list, segment, ((preference >> 5) & 1u) != 0);
    }
    list->preferred = list->count;
    for (uint32_t i = 0; i < facts->segment_count; i++) {
        if (segment_in_set(&facts->segments[i], set))
            add_sorted(list, &facts->segments[i]);
    }
    if (allocation->adapter->settings.place_first)
        candidates_place_first(allocation, list);
    while (list->alike < list->count &&
           list->segments[list->alike]->aperture == list->segments[0]->aperture)
        list->alike++;
}

struct segment_request candidate_request(const struct vidmm_allocation *allocation,
                                         const struct candidate_list *list, uint32_t index) {
    const struct adapter_facts *facts = &allocation->adapter->facts;
    struct segment_request request = {
        .size = allocation->size,
        .pitch_size = allocation->info.PitchAlignedSize,
        .alignment = allocation->info.Alignment,
        .from_end = list->from_end[index] || allocation->info.Flags.FromEndOfSegment ||
                    allocation->adapter->settings.place_at_end,
        .overlay = allocation->info.Flags.Overlay,
        .in_vpr = allocation_in_vpr(allocation),
    };
    if (adapter_virtual(allocation->adapter) && !allocation_contiguous(allocation)) {
        request.floating = list->segments[index]->aperture;
        request.scattered = allocation->adapter->gpummu && !request.floating;
    }
    if (allocation_may_be_large(allocation))
        request.large = mmu_large_sizes(&facts->physical[allocation->home].mmu, allocation->size);
    /* Bank hints are about the most preferred segment (ns-d3dkmddi-_dxgk_allocationinfo.md). */
    if (index == 0 && list->preferred)
        request.banks = allocation->info.HintedBank;
    return request;
}

/* Swizzled content that left a memory segment lies linear, and the GPU takes it for swizzled: it is used in
 * memory segments alone, or in apertures alone where a set names no memory segment (R476). */
static uint32_t candidate_swizzled(const struct vidmm_allocation *allocation, uint32_t set) {
    uint32_t memory = allocation->adapter->sets.memory;
    bool both = (allocation->read_set & memory) && (allocation->write_set & memory);
    uint32_t kept = both ? set & memory : set & ~memory;
    return kept ? kept : set;
}

uint32_t candidate_set(const struct vidmm_allocation *allocation, bool write) {
    const struct vidmm_adapter *adapter = allocation->adapter;
    uint32_t set = write ? allocation->write_set : allocation->read_set;
    set &= adapter->sets.memory | adapter->sets.aperture;
    if (allocation_swizzled(allocation))
        set = candidate_swizzled(allocation, set);
    if (allocation_in_vpr(allocation))
        set &= adapter->sets.vpr;
    /* The CPU has a pointer to the system pages: only an aperture shows the GPU the same bytes. */
    if (allocation->lock_kind == LOCK_SYSTEM && !allocation->info.Flags.PermanentSysMem &&
        !allocation->info.Flags.ExistingSysMem && !allocation->info.Flags.ExistingKernelSysMem)
        set &= adapter->sets.aperture;
    if (!aperture_serves(allocation) &&
        !(adapter_virtual(adapter) && !allocation_contiguous(allocation))) /* no range of it */
        set &= ~adapter->sets.aperture;
    return set;
}

bool candidates_prefer_memory(const struct vidmm_allocation *allocation) {
    struct candidate_list list;
    candidates_list(allocation, candidate_set(allocation, true), &list);
    return list.count && !list.segments[0]->aperture;
}
