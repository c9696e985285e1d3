/*
 * swizzle.c - swizzling ranges, the CPU's windows on swizzled memory of drivers before
 * WDDM 2.0: which allocation has which, and what the CPU sees through the others while one goes
 * (nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md, nc-d3dkmddi-dxgkddi_releaseswizzlingrange.md).
 */
#include <string.h>

#include "state/grow.h"
#include "state/hash.h"
#include "watch/own_memory.h"
#include "watch/thunk.h"

static bool swizzle_judged(struct vidmm_referee *referee) {
    return referee->adapter.version <= DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION;
}

static void swizzle_judge_class(struct vidmm_referee *referee, const struct referee_call *call) {
    MANAGER_MUST(483, call->alone, "one thread at a time in the calls of swizzling ranges",
                 "another of them is under way");
}

static bool swizzle_alternates(const struct shadow_allocation *allocation) {
    return allocation && allocation->info.Flags.UseAlternateVA;
}

static void swizzle_judge_request(struct vidmm_referee *referee,
                                  const DXGKARG_ACQUIRESWIZZLINGRANGE *args,
                                  const struct shadow_allocation *allocation) {
    const struct shadow_segment *segment = shadow_segment(referee, args->SegmentId);
    const struct shadow_adapter *adapter = &referee->adapter;
    if (segment)
        MANAGER_MUST(349, segment->flags.CpuVisible || swizzle_alternates(allocation),
                     "an allocation in a segment with CpuVisible, or with UseAlternateVA",
                     "segment %u has flags 0x%x", args->SegmentId, segment->flags.Value);
    if (adapter->caps_known)
        MANAGER_MUST(350, args->RangeId < adapter->caps.NumberOfSwizzlingRanges,
                     "RangeId below NumberOfSwizzlingRanges", "RangeId is %u of %u", args->RangeId,
                     adapter->caps.NumberOfSwizzlingRanges);
    bool serves =
        args->RangeId < referee->swizzle.ranges && referee->swizzle.range[args->RangeId].allocation;
    MANAGER_MUST(350, !serves, "a range that was released before it is used again",
                 "range %u still serves another request", args->RangeId);
}

/*
 * Tried again at once, by no other call than this. Two attempts may be two locks of an application;
 * three are one that does not give up.
 */
static void swizzle_judge_retry(struct vidmm_referee *referee,
                                const DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    bool same = referee->swizzle.refused.allocation &&
                referee->swizzle.refused.allocation == args->hAllocation;
    bool at_once = referee->ledger->calls ==
                   referee->swizzle.refused.call + 1 + (referee->swizzle.refused.released ? 1 : 0);
    referee->swizzle.refused.again = same && at_once ? referee->swizzle.refused.again + 1 : 0;
    if (referee->swizzle.refused.again < 2)
        return;
    if (referee->swizzle.refused.status == STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED)
        MANAGER_MUST(353, false, "no second attempt after UNSUPPORTED",
                     "the same request came again and again");
    else
        MANAGER_MUST(353, referee->swizzle.refused.released,
                     "a range released before UNAVAILABLE is tried again",
                     "the same request came again and again without");
}

static void swizzle_note_refusal(struct vidmm_referee *referee,
                                 const DXGKARG_ACQUIRESWIZZLINGRANGE *args, SIZE_T wanted,
                                 NTSTATUS status) {
    referee->swizzle.refused.allocation = args->hAllocation;
    referee->swizzle.refused.status = status;
    referee->swizzle.refused.call = referee->ledger->calls;
    referee->swizzle.refused.released = false;
    if (status != STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED)
        return;
    const struct shadow_allocation *allocation = shadow_allocation(referee, args->hAllocation);
    referee->swizzle.unsupported.name = allocation ? allocation->name : 0;
    referee->swizzle.unsupported.bytes = wanted;
    referee->swizzle.unsupported.range = args->RangeId;
    referee->swizzle.unsupported.segment = args->SegmentId;
}

static bool swizzle_held(const struct vidmm_referee *referee) {
    for (uint32_t i = 0; i < referee->swizzle.ranges; i++)
        if (referee->swizzle.range[i].allocation)
            return true;
    return false;
}

/* All ranges are equal, and what they need of the GPU was free once before. */
static void swizzle_judge_refused(struct vidmm_referee *referee, SIZE_T wanted, NTSTATUS status) {
    if (status != STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE || swizzle_held(referee) ||
        wanted > referee->swizzle.granted || world_starved(referee))
        return;
    DRIVER_MUST(550, false, "a range, when all of them were released",
                "UNAVAILABLE for 0x%llx bytes, of which a range was given before",
                (unsigned long long)wanted);
}

/* What one range serves another one does, too, since the system knows no kinds of them. */
static void swizzle_judge_equal(struct vidmm_referee *referee,
                                const DXGKARG_ACQUIRESWIZZLINGRANGE *args, SIZE_T wanted,
                                const struct shadow_allocation *allocation) {
    uint32_t refused = referee->swizzle.unsupported.range;
    bool same = allocation && allocation->name != 0 &&
                referee->swizzle.unsupported.name == allocation->name &&
                referee->swizzle.unsupported.segment == args->SegmentId &&
                referee->swizzle.unsupported.bytes == wanted;
    DRIVER_MUST(
        550, !same || refused == args->RangeId, "each range that NumberOfSwizzlingRanges counts",
        "range %u is UNSUPPORTED for an allocation that range %u serves", refused, args->RangeId);
    if (same)
        referee->swizzle.unsupported.name = 0;
}

static const void *swizzle_seen(struct vidmm_referee *referee, uint64_t cpu) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->io ? world->io(world->ctx, cpu, SHADOW_PAGE) : NULL;
}

/* Two allocations are never seen through one address. */
static bool swizzle_judge_apart(struct vidmm_referee *referee,
                                const DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    uint64_t cpu = (uint64_t)args->CPUTranslatedAddress.QuadPart;
    bool all = true;
    for (uint32_t i = 0; i < referee->swizzle.ranges; i++) {
        HANDLE other = referee->swizzle.range[i].allocation;
        uint64_t begin = referee->swizzle.range[i].cpu,
                 end = begin + referee->swizzle.range[i].size;
        if (i == args->RangeId || !other || other == args->hAllocation)
            continue;
        bool apart = cpu >= end || begin >= cpu + args->RangeSize;
        DRIVER_MUST(351, apart, "an address of its own in CPUTranslatedAddress",
                    "0x%llx of range %u lies in what range %u shows of another allocation",
                    (unsigned long long)cpu, args->RangeId, i);
        all = all && apart;
    }
    return all;
}

/* The memory behind a range in linear order, or NULL. */
static const uint8_t *swizzle_behind_range(struct vidmm_referee *referee, uint32_t id) {
    const struct shadow_allocation *allocation =
        id < referee->swizzle.ranges && referee->swizzle.range[id].allocation
            ? shadow_allocation(referee, referee->swizzle.range[id].allocation)
            : NULL;
    if (!allocation || !allocation->placed || allocation->info.Flags.Swizzled)
        return NULL;
    const struct shadow_segment *segment = shadow_segment(referee, allocation->segment);
    return segment && !segment->aperture
               ? world_segment(referee, segment, allocation->offset, SHADOW_PAGE)
               : NULL;
}

/* The CPU sees other bytes through it than those of its memory. */
static bool swizzle_differs(struct vidmm_referee *referee, uint32_t id) {
    const uint8_t *behind = swizzle_behind_range(referee, id);
    const void *seen = behind ? swizzle_seen(referee, referee->swizzle.range[id].cpu) : NULL;
    return seen && memcmp(seen, behind, SHADOW_PAGE) != 0;
}

static void swizzle_judge_granted(struct vidmm_referee *referee,
                                  const DXGKARG_ACQUIRESWIZZLINGRANGE *args, SIZE_T wanted,
                                  const struct shadow_allocation *allocation) {
    uint64_t cpu = (uint64_t)args->CPUTranslatedAddress.QuadPart;
    DRIVER_MUST(351, args->RangeSize == wanted || swizzle_alternates(allocation),
                "RangeSize unchanged without UseAlternateVA", "it is 0x%llx instead of 0x%llx",
                (unsigned long long)args->RangeSize, (unsigned long long)wanted);
    if (referee->world.io)
        DRIVER_MUST(351, swizzle_seen(referee, cpu), "an address in CPUTranslatedAddress",
                    "nothing that the CPU can reach is at 0x%llx", (unsigned long long)cpu);
    if (args->RangeId >= referee->adapter.caps.NumberOfSwizzlingRanges ||
        !grow(&referee->swizzle.range, &referee->swizzle.ranges, args->RangeId + 1,
              sizeof(*referee->swizzle.range)))
        return;
    swizzle_judge_equal(referee, args, wanted, allocation);
    if (!swizzle_judge_apart(referee, args))
        return; /* what both show says nothing of either */
    if (wanted > referee->swizzle.granted)
        referee->swizzle.granted = wanted;
    referee->swizzle.range[args->RangeId].allocation = args->hAllocation;
    referee->swizzle.range[args->RangeId].cpu = cpu;
    referee->swizzle.range[args->RangeId].size = args->RangeSize;
    referee->swizzle.range[args->RangeId].elsewhere = swizzle_differs(referee, args->RangeId);
}

static NTSTATUS watch_AcquireSwizzlingRange(struct vidmm_referee *referee, const HANDLE adapter,
                                            DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    struct referee_call call;
    SIZE_T wanted = args->RangeSize;
    referee_enter(referee, &call, "DxgkDdiAcquireSwizzlingRange", REFEREE_SWIZZLING);
    swizzle_judge_class(referee, &call);
    const struct shadow_allocation *allocation = shadow_allocation(referee, args->hAllocation);
    if (swizzle_judged(referee)) {
        swizzle_judge_request(referee, args, allocation);
        swizzle_judge_retry(referee, args);
    }
    referee->swizzle.refused.allocation = NULL;
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiAcquireSwizzlingRange(adapter, args);
    referee_return(referee);
    if (status == STATUS_SUCCESS && swizzle_judged(referee))
        swizzle_judge_granted(referee, args, wanted, shadow_allocation(referee, args->hAllocation));
    else if (status != STATUS_SUCCESS)
        swizzle_note_refusal(referee, args, wanted, status);
    if (status != STATUS_SUCCESS && swizzle_judged(referee))
        swizzle_judge_refused(referee, wanted, status);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, AcquireSwizzlingRange, const HANDLE, DXGKARG_ACQUIRESWIZZLINGRANGE *)

/* ---- Release --------------------------------------------------------------------------------- */

static void swizzle_sample_others(struct vidmm_referee *referee, uint32_t gone) {
    for (uint32_t i = 0; i < referee->swizzle.ranges; i++) {
        const void *bytes = i != gone && referee->swizzle.range[i].allocation
                                ? swizzle_seen(referee, referee->swizzle.range[i].cpu)
                                : NULL;
        referee->swizzle.range[i].sample = bytes ? hash_bytes(HASH_START, bytes, SHADOW_PAGE) : 0;
    }
}

static void swizzle_judge_others(struct vidmm_referee *referee, uint32_t gone) {
    for (uint32_t i = 0; i < referee->swizzle.ranges; i++) {
        if (i == gone || !referee->swizzle.range[i].allocation ||
            referee->swizzle.range[i].sample == 0)
            continue;
        const void *bytes = swizzle_seen(referee, referee->swizzle.range[i].cpu);
        DRIVER_MUST(
            352,
            bytes && hash_bytes(HASH_START, bytes, SHADOW_PAGE) == referee->swizzle.range[i].sample,
            "the other ranges left as they are",
            "the CPU sees other bytes through range %u after range %u was released", i, gone);
    }
}

/* What the CPU wrote through it so far; 0: it cannot be compared. */
static uint64_t swizzle_sample_own(struct vidmm_referee *referee, uint32_t id) {
    const void *bytes = swizzle_behind_range(referee, id) && !referee->swizzle.range[id].elsewhere
                            ? swizzle_seen(referee, referee->swizzle.range[id].cpu)
                            : NULL;
    return bytes ? hash_bytes(HASH_START, bytes, SHADOW_PAGE) : 0;
}

/* A range that went with another one no longer leads to the memory. */
static void swizzle_judge_own(struct vidmm_referee *referee, uint32_t id, uint64_t sample) {
    const uint8_t *bytes = sample != 0 ? swizzle_behind_range(referee, id) : NULL;
    if (bytes)
        DRIVER_MUST(352, hash_bytes(HASH_START, bytes, SHADOW_PAGE) == sample,
                    "a range that leads to its memory until it is released itself",
                    "what the CPU wrote through range %u is not there", id);
}

static NTSTATUS watch_ReleaseSwizzlingRange(struct vidmm_referee *referee, const HANDLE adapter,
                                            const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiReleaseSwizzlingRange", REFEREE_SWIZZLING);
    swizzle_judge_class(referee, &call);
    referee->swizzle.refused.released = true;
    uint64_t own = 0;
    if (swizzle_judged(referee)) {
        swizzle_sample_others(referee, args->RangeId);
        own = swizzle_sample_own(referee, args->RangeId);
    }
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiReleaseSwizzlingRange(adapter, args);
    referee_return(referee);
    if (swizzle_judged(referee)) {
        swizzle_judge_others(referee, args->RangeId);
        swizzle_judge_own(referee, args->RangeId, own);
    }
    if (args->RangeId < referee->swizzle.ranges)
        referee->swizzle.range[args->RangeId].allocation = NULL;
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, ReleaseSwizzlingRange, const HANDLE, const DXGKARG_RELEASESWIZZLINGRANGE *)

void referee_watch_swizzle(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    grow_free(&referee->swizzle.range, &referee->swizzle.ranges);
    referee->swizzle.refused.allocation = NULL;
    referee->swizzle.unsupported.name = 0;
    referee->swizzle.granted = 0;
    WATCH(table, AcquireSwizzlingRange);
    WATCH(table, ReleaseSwizzlingRange);
}
