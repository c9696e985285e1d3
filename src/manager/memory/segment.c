/*
 * segment.c - placement inside one segment, by the contract's rules.
 *
 * The placers below find holes; here is what the pages say about them: which size counts (R47),
 * where hints point (R44), how much of an aperture may be mapped (R64, R65), and what may lie in
 * the video protected range.
 */
#include "memory/segment.h"

#include <string.h>

#include "base/assert.h"

#define BANK_HINTS 4u

/* The part of the protected range that may be placed in. */
static uint64_t vpr_low(const struct segment *segment) {
    return segment->vpr.start + segment->vpr.reserve;
}

static uint64_t vpr_high(const struct segment *segment) {
    uint64_t high = segment->vpr.start + segment->vpr.size - segment->vpr.reserve;
    return high > vpr_low(segment) ? high : vpr_low(segment);
}

static bool init_vpr(struct segment *segment, const struct vidmm_os *os) {
    const struct protected_range *vpr = &segment->vpr;
    struct placer *inside = &segment->vpr_placer;
    struct placer_block *block;
    uint64_t low = vpr_low(segment);
    if (vpr->size == 0)
        return true;
    segment->kept = vpr->size;
    return placer_init(inside, os, vpr_high(segment), segment->page_size) &&
           (low == 0 || placer_alloc_at(inside, 0, low, &block) == PLACER_OK) &&
           placer_alloc_at(&segment->placer, vpr->start, vpr->size, &block) == PLACER_OK;
}

/* The part of [offset, end) in [low, high) is never given out. */
static enum placer_result segment_withhold(struct placer *placer, uint64_t offset, uint64_t end,
                                           uint64_t low, uint64_t high) {
    struct placer_block *block;
    low = offset > low ? offset : low;
    high = end < high ? end : high;
    return low < high ? placer_alloc_at(placer, low, high - low, &block) : PLACER_OK;
}

bool segment_init(struct segment *segment, const struct vidmm_os *os,
                  struct shared_memory *shared) {
    segment->shared = shared;
    return placer_init(&segment->placer, os, segment->size, segment->page_size) &&
           init_vpr(segment, os);
}

enum placer_result segment_exclude(struct segment *segment, uint64_t offset, uint64_t size) {
    uint64_t before = segment->placer.used, end = offset + size;
    uint64_t vpr_end = segment->vpr.start + segment->vpr.size;
    if (offset > segment->size || size > segment->size - offset)
        return PLACER_FULL;
    enum placer_result result =
        segment_withhold(&segment->placer, offset, end, 0, segment->vpr.start);
    if (result == PLACER_OK)
        result = segment_withhold(&segment->vpr_placer, offset, end, vpr_low(segment),
                                  vpr_high(segment));
    if (result == PLACER_OK)
        result = segment_withhold(&segment->placer, offset, end, vpr_end, segment->size);
    segment->kept += segment->placer.used - before;
    return result;
}

void segment_destroy(struct segment *segment, const struct vidmm_os *os) {
    placer_destroy(&segment->placer);
    placer_destroy(&segment->vpr_placer);
    if (segment->bank_ends)
        os->free(os->ctx, segment->bank_ends, segment->banks * sizeof(*segment->bank_ends));
    if (segment->invalid)
        os->free(os->ctx, segment->invalid, segment->invalid_count * sizeof(*segment->invalid));
    memset(segment, 0, sizeof(*segment));
}

uint64_t segment_reserves(const struct segment *segment, const struct segment_request *request) {
    uint64_t page = segment->page_size;
    uint64_t size = request->size;
    /* ns-d3dkmddi-_dxgk_segmentflags: only PitchAlignment segments pad the pitch. */
    if (segment->flags.PitchAlignment && request->pitch_size > size)
        size = request->pitch_size;
    return size > UINT64_MAX - page ? UINT64_MAX & ~(page - 1u) : (size + page - 1u) & ~(page - 1u);
}

/* First byte that an overlay may use: the last fifth (ns-d3dkmddi-_dxgk_allocationinfoflags). */
static uint64_t overlay_part(const struct segment *segment) {
    uint64_t fifth = segment->size / 5u;
    return segment->size - fifth;
}

static uint64_t segment_room(uint64_t limit, uint64_t used) {
    return limit > used ? limit - used : 0;
}

bool segment_can_hold(const struct segment *segment, const struct segment_request *request) {
    uint64_t size = segment_reserves(segment, request);
    uint64_t limit = request->overlay ? segment->size / 5u : segment->size;
    if (request->in_vpr)
        limit = vpr_high(segment) - vpr_low(segment);
    if (segment->aperture) {
        limit = segment->commit_limit < limit ? segment->commit_limit : limit;
        limit = segment->shared->limit < limit ? segment->shared->limit : limit;
    }
    return size != 0 && size <= limit;
}

static bool within_commit_limits(const struct segment *segment, uint64_t size) {
    return !segment->aperture ||
           (size <= segment_room(segment->commit_limit, segment->used) &&
            size <= segment_room(segment->shared->limit, segment->shared->used));
}

bool segment_shared_is_full(const struct segment *segment, const struct segment_request *request) {
    uint64_t size = segment_reserves(segment, request);
    uint64_t own = segment->commit_limit < segment->size ? segment->commit_limit : segment->size;
    return segment->aperture && size <= segment_room(own, segment->used) &&
           size > segment_room(segment->shared->limit, segment->shared->used);
}

/* Counts a place that was taken. */
static void segment_account(struct segment *segment, const struct placement *placement) {
    segment->used += placement->size;
    segment->peak = segment->used > segment->peak ? segment->used : segment->peak;
    segment->residents++;
    if (segment->aperture)
        segment->shared->used += placement->size;
}

static void segment_describe(struct placer_block *block, struct placement *placement) {
    placement->block = block;
    placement->offset = placer_offset(placement->placer, block);
    placement->size = placer_size(placement->placer, block);
}

/* The hint's banks in order; direction 0 searches from the bottom, 1 from the top. */
static enum placer_result place_in_banks(struct segment *segment, DXGK_SEGMENTBANKPREFERENCE hint,
                                         struct placer_request want, struct placer_block **block) {
    for (uint32_t i = 0; i < BANK_HINTS; i++) {
        uint32_t entry = hint.Value >> (8u * i);
        uint32_t bank = entry & 0x7fu;
        if (bank == 0 || bank > segment->banks)
            continue;
        want.low = bank > 1 ? segment->bank_ends[bank - 2] : 0;
        want.high = segment->bank_ends[bank - 1];
        want.from_end = (entry & 0x80u) != 0;
        want.from_start = !want.from_end;
        enum placer_result result = placer_alloc(&segment->placer, &want, block);
        if (result != PLACER_FULL)
            return result;
    }
    return PLACER_FULL;
}

/* At a multiple of a large page if there is room. */
static enum placer_result place_whole(struct segment *segment,
                                      const struct segment_request *request, struct placer *placer,
                                      const struct placer_request *want,
                                      struct placer_block **block) {
    struct placer_request aligned = *want;
    for (uint64_t sizes = request->large; sizes > want->alignment; sizes -= aligned.alignment) {
        aligned.alignment = segment_largest(sizes);
        if (aligned.alignment <= want->alignment || segment->base % aligned.alignment)
            continue;
        enum placer_result result = placer_alloc(placer, &aligned, block);
        if (result != PLACER_FULL)
            return result;
    }
    return placer_alloc(placer, want, block);
}

/* A list has room for the next power of two. */
static size_t list_bytes(uint32_t count) {
    size_t room = 4;
    while (room < count)
        room *= 2;
    return room * sizeof(struct extent);
}

static void free_list(struct segment *segment, struct placement *placement) {
    const struct vidmm_os *os = segment->placer.os;
    if (placement->extents)
        os->free(os->ctx, placement->extents, list_bytes(placement->extent_count));
    placement->extents = NULL;
    placement->extent_count = 0;
}

static struct extent *add_extent(struct segment *segment, struct placement *placement) {
    const struct vidmm_os *os = segment->placer.os;
    uint32_t count = placement->extent_count;
    if (count != 0 && list_bytes(count + 1u) == list_bytes(count))
        return &placement->extents[placement->extent_count++];
    struct extent *list = os->alloc(os->ctx, list_bytes(count + 1u));
    if (!list)
        return NULL;
    if (count)
        memcpy(list, placement->extents, count * sizeof(*list));
    free_list(segment, placement);
    placement->extents = list;
    placement->extent_count = count + 1u;
    return &list[count];
}

/* Pieces of the largest holes, until there is enough. */
static enum placer_result place_scattered(struct segment *segment,
                                          const struct placer_request *want,
                                          struct placement *placement) {
    struct placer *placer = placement->placer;
    enum placer_result result = PLACER_OK;
    uint64_t got = 0;
    if (segment_room(placer->size, placer->used) < want->size)
        return PLACER_FULL;
    while (result == PLACER_OK && got < want->size) {
        uint64_t hole = placer_largest_free(placer), left = want->size - got;
        struct placer_request part = {.size = hole < left ? hole : left};
        struct placer_block *block = NULL;
        struct extent *extent = part.size ? add_extent(segment, placement) : NULL;
        if (!extent) {
            result = part.size ? PLACER_NO_MEMORY : PLACER_FULL;
            break;
        }
        *extent = (struct extent){0};
        result = placer_alloc(placer, &part, &block);
        if (result != PLACER_OK)
            break;
        *extent =
            (struct extent){block, placer_offset(placer, block), placer_size(placer, block), got};
        got += extent->size;
    }
    if (result == PLACER_OK) {
        placement->offset = placement->extents[0].offset;
        placement->size = got;
        return PLACER_OK;
    }
    for (uint32_t i = 0; i < placement->extent_count; i++) {
        if (placement->extents[i].block)
            placer_free(placer, placement->extents[i].block);
    }
    segment_drop(segment, placement);
    return result;
}

enum placer_result segment_place(struct segment *segment, const struct segment_request *request,
                                 struct placement *placement) {
    struct placer_request want = {
        .size = segment_reserves(segment, request),
        .alignment = request->alignment,
        .low = request->overlay ? overlay_part(segment) : 0,
        .from_end = request->from_end || request->overlay,
    };
    if (!within_commit_limits(segment, want.size))
        return PLACER_FULL;
    memset(placement, 0, sizeof(*placement));
    placement->placer = request->in_vpr ? &segment->vpr_placer : &segment->placer;
    struct placer_block *block = NULL;
    enum placer_result result = PLACER_FULL;
    if (request->floating && segment->aperture) {
        placement->floating = true;
        placement->size = want.size;
        segment_account(segment, placement);
        return PLACER_OK;
    }
    if (segment->banks != 0 && request->banks.Value != 0 && !request->overlay)
        result = place_in_banks(segment, request->banks, want, &block);
    if (result == PLACER_FULL)
        result = place_whole(segment, request, placement->placer, &want, &block);
    if (result == PLACER_OK)
        segment_describe(block, placement);
    else if (result == PLACER_FULL && request->scattered)
        result = place_scattered(segment, &want, placement);
    if (result == PLACER_OK)
        segment_account(segment, placement);
    return result;
}

/* Gives back the bytes of the first `count` extents. */
static void free_extents(struct placement *placement, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        placer_free(placement->placer, placement->extents[i].block);
        placement->extents[i].block = NULL;
    }
}

void segment_vacate(struct segment *segment, struct placement *placement) {
    VIDMM_ASSERT_WITH(segment->placer.os,
                      segment->used >= placement->size && segment->residents != 0);
    if (placement->extents) {
        free_extents(placement, placement->extent_count);
    } else if (!placement->floating) {
        placer_free(placement->placer, placement->block);
        placement->block = NULL;
    }
    segment->used -= placement->size;
    segment->residents--;
    if (segment->aperture)
        segment->shared->used -= placement->size;
}

static enum placer_result retake_extents(struct placement *placement) {
    for (uint32_t i = 0; i < placement->extent_count; i++) {
        struct extent *extent = &placement->extents[i];
        enum placer_result result =
            placer_alloc_at(placement->placer, extent->offset, extent->size, &extent->block);
        if (result != PLACER_OK) {
            free_extents(placement, i);
            return result;
        }
    }
    return PLACER_OK;
}

enum placer_result segment_retake(struct segment *segment, struct placement *placement) {
    enum placer_result result = PLACER_OK;
    if (!within_commit_limits(segment, placement->size))
        return PLACER_FULL;
    if (placement->extents)
        result = retake_extents(placement);
    else if (!placement->floating)
        result = placer_alloc_at(placement->placer, placement->offset, placement->size,
                                 &placement->block);
    if (result == PLACER_OK)
        segment_account(segment, placement);
    return result;
}

void segment_drop(struct segment *segment, struct placement *placement) {
    free_list(segment, placement);
    memset(placement, 0, sizeof(*placement));
}

void segment_release(struct segment *segment, struct placement *placement) {
    segment_vacate(segment, placement);
    segment_drop(segment, placement);
}

uint32_t placement_extent(const struct placement *placement, uint64_t at) {
    uint32_t first = 0, end = placement->extent_count;
    while (end - first > 1u) {
        uint32_t middle = first + (end - first) / 2u;
        if (placement->extents[middle].at <= at)
            first = middle;
        else
            end = middle;
    }
    return first;
}

uint64_t placement_at(const struct placement *placement, uint64_t at, uint64_t *run) {
    if (!placement->extents) {
        *run = placement->size - at;
        return placement->offset + at;
    }
    const struct extent *extent = &placement->extents[placement_extent(placement, at)];
    *run = extent->size - (at - extent->at);
    return extent->offset + (at - extent->at);
}
