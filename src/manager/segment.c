/*
 * segment.c - placement inside one segment, by the contract's rules.
 *
 * The placer below finds holes; here is what the pages say about them: which size counts (R47),
 * where hints point (R44), how much of an aperture may be mapped (R64, R65).
 */
#include "segment.h"

#include <string.h>

#define BANK_HINTS 4u

bool segment_init(struct segment *segment, const struct vidmm_os *os,
                  struct shared_memory *shared) {
    segment->shared = shared;
    return placer_init(&segment->placer, os, segment->size, segment->page_size);
}

void segment_destroy(struct segment *segment, const struct vidmm_os *os) {
    placer_destroy(&segment->placer);
    if (segment->bank_ends) {
        os->free(os->ctx, segment->bank_ends, segment->banks * sizeof(*segment->bank_ends));
    }
    memset(segment, 0, sizeof(*segment));
}

uint64_t segment_reserves(const struct segment *segment, const struct segment_request *request) {
    uint64_t page = segment->page_size;
    uint64_t size = request->size;
    /* ns-d3dkmddi-_dxgk_segmentflags: only PitchAlignment segments pad the pitch. */
    if (segment->flags.PitchAlignment && request->pitch_size > size) {
        size = request->pitch_size;
    }
    return size > UINT64_MAX - page ? UINT64_MAX & ~(page - 1u) : (size + page - 1u) & ~(page - 1u);
}

/* First byte that an overlay may use: the last fifth (ns-d3dkmddi-_dxgk_allocationinfoflags). */
static uint64_t overlay_part(const struct segment *segment) {
    uint64_t fifth = segment->size / 5u;
    return segment->size - fifth;
}

static uint64_t room(uint64_t limit, uint64_t used) {
    return limit > used ? limit - used : 0;
}

bool segment_can_hold(const struct segment *segment, const struct segment_request *request) {
    uint64_t size = segment_reserves(segment, request);
    uint64_t limit = request->overlay ? segment->size / 5u : segment->size;
    if (segment->aperture) {
        limit = segment->commit_limit < limit ? segment->commit_limit : limit;
        limit = segment->shared->limit < limit ? segment->shared->limit : limit;
    }
    return size != 0 && size <= limit;
}

static bool within_commit_limits(const struct segment *segment, uint64_t size) {
    return !segment->aperture || (size <= room(segment->commit_limit, segment->used) &&
                                  size <= room(segment->shared->limit, segment->shared->used));
}

static void account(struct segment *segment, struct placement *placement,
                    struct placer_block *block) {
    placement->block = block;
    placement->offset = placer_offset(&segment->placer, block);
    placement->size = placer_size(&segment->placer, block);
    segment->used += placement->size;
    segment->peak = segment->used > segment->peak ? segment->used : segment->peak;
    segment->residents++;
    if (segment->aperture) {
        segment->shared->used += placement->size;
    }
}

/* The hint's banks in order; direction 0 searches from the bottom, 1 from the top. */
static enum placer_result place_in_banks(struct segment *segment, DXGK_SEGMENTBANKPREFERENCE hint,
                                         struct placer_request want, struct placer_block **block) {
    for (uint32_t i = 0; i < BANK_HINTS; i++) {
        uint32_t entry = hint.Value >> (8u * i);
        uint32_t bank = entry & 0x7fu;
        if (bank == 0 || bank > segment->banks) {
            continue;
        }
        want.low = bank > 1 ? segment->bank_ends[bank - 2] : 0;
        want.high = segment->bank_ends[bank - 1];
        want.from_end = (entry & 0x80u) != 0;
        want.from_start = !want.from_end;
        enum placer_result result = placer_alloc(&segment->placer, &want, block);
        if (result != PLACER_FULL) {
            return result;
        }
    }
    return PLACER_FULL;
}

enum placer_result segment_place(struct segment *segment, const struct segment_request *request,
                                 struct placement *placement) {
    struct placer_request want = {
        .size = segment_reserves(segment, request),
        .alignment = request->alignment,
        .low = request->overlay ? overlay_part(segment) : 0,
        .from_end = request->from_end || request->overlay,
    };
    if (!within_commit_limits(segment, want.size)) {
        return PLACER_FULL;
    }
    struct placer_block *block = NULL;
    enum placer_result result = PLACER_FULL;
    if (segment->banks != 0 && request->banks.Value != 0 && !request->overlay) {
        result = place_in_banks(segment, request->banks, want, &block);
    }
    if (result == PLACER_FULL) {
        result = placer_alloc(&segment->placer, &want, &block);
    }
    if (result == PLACER_OK) {
        account(segment, placement, block);
    }
    return result;
}

enum placer_result segment_place_at(struct segment *segment, uint64_t offset, uint64_t size,
                                    struct placement *placement) {
    if (!within_commit_limits(segment, size)) {
        return PLACER_FULL;
    }
    struct placer_block *block;
    enum placer_result result = placer_alloc_at(&segment->placer, offset, size, &block);
    if (result == PLACER_OK) {
        account(segment, placement, block);
    }
    return result;
}

void segment_release(struct segment *segment, struct placement *placement) {
    placer_free(&segment->placer, placement->block);
    segment->used -= placement->size;
    segment->residents--;
    if (segment->aperture) {
        segment->shared->used -= placement->size;
    }
    memset(placement, 0, sizeof(*placement));
}
