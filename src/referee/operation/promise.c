/*
 * promise.c - what an allocation was promised by its flags and preferences, beyond a
 * place that is possible at all (operation/place.c): where it comes first, how it leaves, what
 * stays, and that a submission finds it in one piece.
 *
 * The manager may always have a reason that cannot be seen from here, so a promise is only held
 * against it where none is left: R97 while one segment has room for everything that was ever
 * created, R101 if the room in the aperture was there before and after, R118 if others stayed.
 */
#include <string.h>

#include "operation/operation.h"

/* ---- Where it comes first: R97, R119 --------------------------------------------------------- */

static uint32_t promise_first_preference(const DXGK_ALLOCATIONINFO *info) {
    UINT left = info->PreferredSegment.Value;
    for (uint32_t i = 0; i < 5; i++, left >>= 6) {
        if ((left & 31u) != 0)
            return left & 31u;
    }
    return 0;
}

/* Nothing that was placed and freed in between can have broken up the rest. */
static bool promise_room_for_all(struct vidmm_referee *referee,
                                 const struct shadow_segment *segment) {
    const struct shadow_adapter *adapter = &referee->adapter;
    uint64_t rounding = (uint64_t)adapter->created * (segment->page_size - SHADOW_PAGE);
    return segment->invalid_count == 0 && !adapter->hinted &&
           adapter->created_bytes + rounding <= segment->size;
}

/*
 * A CPU-visible allocation may be locked, and then stays where its pointer leads; an allocation
 * without an open handle belongs to no application.
 */
static void promise_judge_preference(struct vidmm_referee *referee,
                                     const struct shadow_allocation *allocation,
                                     const struct shadow_segment *segment) {
    DXGK_ALLOCATIONINFOFLAGS flags = allocation->info.Flags;
    uint32_t id = promise_first_preference(&allocation->info);
    const struct shadow_segment *wanted =
        shadow_memory(referee, linked_segment(allocation->physical, id));
    /* Addresses of the CPU lead to system memory only (gpu-virtual-memory-in-wddm-2-0.md). */
    if (!wanted || referee->placed_first || referee->adapter.shared ||
        allocation->opens.count == 0 || allocation->placed_before || flags.CpuVisible ||
        flags.Overlay || flags.Capture ||
        ((allocation->read_set & allocation->write_set) >> (id - 1) & 1u) == 0 ||
        !promise_room_for_all(referee, wanted))
        return;
    MANAGER_MUST(97, segment == wanted, "the first preferred segment, which has room for all",
                 "segment %u, the first preference is segment %u", segment->id, id);
}

void promise_place(struct vidmm_referee *referee, const struct shadow_allocation *allocation,
                   const struct shadow_segment *segment, uint64_t offset) {
    promise_judge_preference(referee, allocation, segment);
    if (allocation->info.Flags.Overlay && shadow_memory(referee, segment->id))
        MANAGER_MUST(119, offset >= segment->size / 5 * 4, "the last fifth of the segment",
                     "an overlay at offset 0x%llx of segment %u, which has 0x%llx bytes",
                     LLU(offset), segment->id, LLU(segment->size));
}

/* ---- How it leaves: R101, R107 --------------------------------------------------------------- */

static uint64_t promise_mapped_in_all(struct vidmm_referee *referee) {
    uint64_t total = 0;
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id))
        total += shadow_segment(referee, id)->mapped;
    return total;
}

static bool promise_unmapped(const struct shadow_segment *segment, uint64_t first, uint64_t pages) {
    for (uint64_t i = first; i < first + pages; i++) {
        if (segment->pages[i].state == SHADOW_PAGE_MAPPED)
            return false;
    }
    return true;
}

/* The last place for so many pages, or false. */
static bool promise_find_room(const struct shadow_segment *segment, uint64_t pages,
                              uint64_t *first) {
    uint64_t run = 0;
    for (uint64_t i = segment->size / SHADOW_PAGE; i-- > 0;) {
        run = segment->pages[i].state == SHADOW_PAGE_MAPPED ? 0 : run + 1;
        if (run == pages) {
            *first = i;
            return true;
        }
    }
    return false;
}

static void promise_note_chance(struct vidmm_referee *referee,
                                const struct shadow_allocation *allocation) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0 && referee->chance.pages == 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_aperture(referee, id);
        uint64_t first = 0;
        if (!segment || !shadow_in_set(allocation, allocation->evict_set, segment) ||
            segment->flags.PitchAlignment || !segment->pages || segment->invalid_count != 0)
            continue;
        uint64_t pages = (allocation->size + segment->page_size - 1) / segment->page_size * 2 *
                         (segment->page_size / SHADOW_PAGE);
        if (!promise_find_room(segment, pages, &first))
            continue;
        referee->chance.segment = id;
        referee->chance.first = first;
        referee->chance.pages = pages;
        referee->chance.mapped = segment->mapped;
        referee->chance.total = promise_mapped_in_all(referee);
    }
}

/* What came in may be out again by the next submission; the room was not there all the same. */
void promise_taken(struct vidmm_referee *referee, const struct shadow_segment *segment,
                   uint64_t first, uint64_t pages) {
    if (segment->id == referee->chance.segment &&
        first < referee->chance.first + referee->chance.pages &&
        referee->chance.first < first + pages)
        referee->chance.pages = 0;
}

/* Places for what comes in are mapped by now, and windows are unmapped: what is free still was. */
static void promise_judge_chance(struct vidmm_referee *referee) {
    const struct shadow_adapter *adapter = &referee->adapter;
    const struct shadow_segment *segment = shadow_aperture(referee, referee->chance.segment);
    uint64_t limit = adapter->caps_known ? adapter->caps.ApertureSegmentCommitLimit : 0;
    if (referee->chance.pages == 0 || !segment || !segment->pages)
        return;
    uint64_t here = referee->chance.mapped + segment->mapped + referee->chance.pages;
    uint64_t total = referee->chance.total + promise_mapped_in_all(referee) + referee->chance.pages;
    bool free = promise_unmapped(segment, referee->chance.first, referee->chance.pages) &&
                here * SHADOW_PAGE <= segment->commit_limit &&
                (limit == 0 || total * SHADOW_PAGE <= limit);
    if (free)
        MANAGER_MUST(101, false, "an eviction through EvictionSegmentSet as long as it has room",
                     "an eviction straight to the MDL with %llu pages free from page %llu of "
                     "segment %u",
                     LLU(referee->chance.pages), LLU(referee->chance.first), segment->id);
    referee->chance.pages = 0;
}

/* A lock brings their system pages up to date without an eviction. */
static bool promise_pages_are_the_clients(const struct shadow_allocation *allocation) {
    DXGK_ALLOCATIONINFOFLAGS flags = allocation->info.Flags;
    return flags.PermanentSysMem || flags.ExistingSysMem || flags.ExistingKernelSysMem;
}

void promise_leave(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                   uint32_t to) {
    bool window = to != 0 && (allocation->evict_set >> (to - 1) & 1u) != 0;
    if (window)
        MANAGER_MUST(101, true, "", "%s", "");
    else if (to == 0 && allocation->evict_set != 0 && !promise_pages_are_the_clients(allocation))
        promise_note_chance(referee, allocation);
    /* Of an allocation that is not known to be open, submissions are not known either. */
    if (allocation->info.Flags.PermanentSysMem && allocation->opens.count != 0)
        MANAGER_MUST(107, !shadow_is_clean(allocation),
                     "DISCARD_CONTENT for a PermanentSysMem allocation that was not written",
                     "TRANSFER out of its segment, and no submission has written it since it was "
                     "paged in");
    if (shadow_stays(allocation)) {
        allocation->left = referee->ledger->calls;
        chain_join(&referee->objects.left, &allocation->of_left);
    }
}

void promise_discard(struct vidmm_referee *referee, const struct shadow_allocation *allocation) {
    if (allocation->info.Flags.PermanentSysMem && shadow_is_clean(allocation))
        MANAGER_MUST(107, true, "", "%s", "");
}

/* ---- What stays: R118 ------------------------------------------------------------------------ */

/* One that was in GPU memory all the time since that call: it was no eviction of everything. */
static bool promise_another_stayed(struct vidmm_referee *referee, uint64_t call) {
    struct chain_link *oldest = referee->objects.settled.first;
    return oldest && CHAIN_OWNER(struct shadow_allocation, of_settled, oldest)->since < call;
}

static void promise_judge_left(struct vidmm_referee *referee) {
    struct chain_link *at = referee->objects.left.first;
    for (; at; at = at->after) {
        uint64_t left = CHAIN_OWNER(struct shadow_allocation, of_left, at)->left;
        MANAGER_MUST(118, !promise_another_stayed(referee, left),
                     "overlay and capture allocations to stay where they are",
                     "one was transferred out of its segment while others stayed");
    }
    chain_part(&referee->objects.left);
}

/* ---- One piece: R124, R133 ------------------------------------------------------------------- */

/* Whether all of it is where the list says; true, too, when that is not known (after a reset). */
static bool promise_whole(struct vidmm_referee *referee, const struct shadow_allocation *allocation,
                          const struct shadow_segment *segment, uint64_t offset) {
    if (shadow_memory(referee, segment->id))
        return !allocation->placed ||
               (allocation->segment == segment->id && allocation->offset == offset);
    if (!segment->pages)
        return true;
    uint64_t have = segment->size / SHADOW_PAGE, first = offset / SHADOW_PAGE;
    uint64_t pages = allocation->size / SHADOW_PAGE;
    for (uint64_t i = 0; i < pages; i++) {
        if (first + i >= have || segment->pages[first + i].state != SHADOW_PAGE_MAPPED)
            return false;
    }
    return true;
}

void promise_listed(struct vidmm_referee *referee, const DXGK_ALLOCATIONLIST *entry,
                    uint32_t physical, struct shadow_allocation *allocation) {
    const struct shadow_segment *segment =
        shadow_segment(referee, linked_segment(physical, entry->SegmentId));
    ULONG version = referee->adapter.version;
    if (entry->WriteOperation)
        chain_leave(&allocation->of_clean);
    if (!segment || version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return;
    uint64_t offset = (uint64_t)entry->PhysicalAddress.QuadPart - segment->base;
    bool kept = promise_whole(referee, allocation, segment, offset);
    if (allocation->info.Flags.AccessedPhysically)
        MANAGER_MUST(124, kept, "all of the allocation from one address on",
                     "offset 0x%llx of segment %u, where not all of its 0x%llx bytes are",
                     LLU(offset), segment->id, LLU(allocation->size));
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM3_2 &&
        (allocation->info.Flags2.RestrictedToSingleSegment ||
         allocation->info.Flags2.DisablePartialResidency))
        MANAGER_MUST(133, kept, "all of the allocation in one segment",
                     "a submission while not all of its 0x%llx bytes are in segment %u",
                     LLU(allocation->size), segment->id);
}

/* ---- Between them ---------------------------------------------------------------------------- */

void promise_submitted(struct vidmm_referee *referee) {
    promise_judge_chance(referee);
    promise_judge_left(referee);
}

void promise_forget(struct vidmm_referee *referee) {
    chain_part(&referee->objects.clean);
    chain_part(&referee->objects.left);
    memset(&referee->chance, 0, sizeof(referee->chance));
}
