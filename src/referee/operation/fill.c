/*
 * fill.c - FILL, which gives an allocation its first content, and DISCARD_CONTENT, which
 * takes it away.
 */
#include <string.h>

#include "operation/operation.h"

/* ---- FILL ------------------------------------------------------------------------------------ */

static void fill_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    uint32_t id = arg->Fill.Destination.SegmentId;
    const struct shadow_allocation *allocation = shadow_allocation(referee, arg->Fill.hAllocation);
    uint64_t offset;
    MANAGER_MUST(187, id != 0 && !shadow_aperture(referee, id), "FILL of memory segments only",
                 "FILL of segment %u", id);
    if (id == 0 || !place_range(referee, id, arg->Fill.Destination.SegmentAddress, 0,
                                arg->Fill.FillSize, &offset))
        return;
    if (!allocation)
        return;
    MANAGER_MUST(187, allocation->uses == 0, "FILL of an idle allocation",
                 "%u submissions under way use the allocation", allocation->uses);
    MANAGER_MUST(91, arg->Fill.FillSize % SHADOW_PAGE == 0, "a size rounded up to whole pages",
                 "FILL of 0x%llx bytes", LLU(arg->Fill.FillSize));
    if (shadow_memory(referee, id) && (!allocation->placed || allocation->segment != id ||
                                       offset - allocation->offset >= allocation->size))
        place_allocation(referee, allocation, shadow_memory(referee, id), offset);
}

/* A part of where the allocation is says nothing new. */
static void fill_built(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    uint32_t id = arg->Fill.Destination.SegmentId;
    struct shadow_allocation *allocation = shadow_allocation(referee, arg->Fill.hAllocation);
    const struct shadow_segment *segment = shadow_segment(referee, id);
    if (!allocation)
        return;
    allocation->content = true;
    chain_leave(&allocation->of_clean);
    if (!segment)
        return;
    uint64_t offset = (uint64_t)arg->Fill.Destination.SegmentAddress.QuadPart - segment->base;
    if (!allocation->placed || allocation->segment != id ||
        offset - allocation->offset >= allocation->size)
        place_set(referee, allocation, id, offset);
}

static uint64_t fill_unlike_slowly(const uint8_t *bytes, uint64_t size, uint32_t pattern,
                                   uint64_t at) {
    for (uint64_t i = 0; i < size; i++) {
        if (bytes[i] != (uint8_t)(pattern >> ((at + i) % 4 * 8)))
            return i;
    }
    return size;
}

/* Bytes of which each is what the fourth before it is repeat the first four. */
uint64_t fill_unlike(const uint8_t *bytes, uint64_t size, uint32_t pattern, uint64_t at) {
    bool repeats = size > 4 && memcmp(bytes, bytes + 4, size - 4) == 0;
    uint64_t unlike = fill_unlike_slowly(bytes, repeats ? 4 : size, pattern, at);
    return repeats && unlike == 4 ? size : unlike;
}

/* True when [start, start + size) of the segment is filled; else `*at` is the first wrong byte, or
 * `size` when it cannot be seen. */
static bool fill_filled(struct vidmm_referee *referee, const struct shadow_segment *segment,
                        uint64_t start, uint64_t size, uint32_t pattern, uint64_t *at) {
    for (uint64_t done = 0; done < size; done += SHADOW_PAGE) {
        uint64_t part = size - done < SHADOW_PAGE ? size - done : SHADOW_PAGE;
        const uint8_t *bytes = world_see(referee, segment, start + done, part);
        *at = size;
        if (!bytes)
            return false;
        uint64_t same = fill_unlike(bytes, part, pattern, done);
        if (same != part) {
            *at = done + same;
            return false;
        }
    }
    return true;
}

static void fill_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    const struct shadow_segment *segment = shadow_memory(referee, arg->Fill.Destination.SegmentId);
    if (!segment || arg->Fill.FillSize == 0)
        return;
    uint64_t at = 0;
    uint64_t start = (uint64_t)arg->Fill.Destination.SegmentAddress.QuadPart - segment->base;
    if (later_touches(referee, operation, segment->id, start, arg->Fill.FillSize))
        return;
    bool good =
        fill_filled(referee, segment, start, arg->Fill.FillSize, arg->Fill.FillPattern, &at);
    if (good || at < arg->Fill.FillSize)
        DRIVER_MUST(188, good, "FillSize bytes of the pattern",
                    "byte 0x%llx of 0x%llx is not filled with 0x%08x", LLU(at),
                    LLU(arg->Fill.FillSize), arg->Fill.FillPattern);
    else
        judge_unseen(referee, 188, segment->id);
}

const struct operation_judge op_judge_fill = {
    .asked = fill_asked, .built = fill_built, .done = fill_done};

/* ---- DISCARD_CONTENT ------------------------------------------------------------------------- */

/* An update of the system pages may have gone before: `placed` is of no interest. */
static void fill_discard_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->DiscardContent.hAllocation);
    uint32_t id = arg->DiscardContent.SegmentId;
    const struct shadow_segment *segment = shadow_memory(referee, id);
    uint64_t offset = 0;
    if (segment) {
        LARGE_INTEGER address = arg->DiscardContent.SegmentAddress;
        if (!place_range(referee, id, address, 0, 0, &offset))
            return;
    }
    if (allocation)
        promise_discard(referee, allocation);
    bool known = allocation && allocation->segment != 0;
    MANAGER_MUST(
        190, segment && (!known || (allocation->segment == id && allocation->offset == offset)),
        "the place in a memory segment where the allocation is",
        "DISCARD_CONTENT at offset 0x%llx of segment %u; the allocation is at 0x%llx of "
        "segment %u",
        LLU(offset), id, LLU(known ? allocation->offset : 0), known ? allocation->segment : 0);
}

static void fill_discard_built(struct vidmm_referee *referee,
                               const struct shadow_operation *operation) {
    struct shadow_allocation *allocation =
        shadow_allocation(referee, operation->arg.DiscardContent.hAllocation);
    if (!allocation)
        return;
    shadow_judge_displayed(referee, allocation);
    shadow_displace(referee, allocation);
}

const struct operation_judge op_judge_discard = {.asked = fill_discard_asked,
                                                 .built = fill_discard_built};
