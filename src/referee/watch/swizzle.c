/*
 * swizzle.c - swizzling ranges, the CPU's windows on swizzled memory of drivers before
 * WDDM 2.0: who has which, and what the CPU sees through the others while one goes
 * (nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md, nc-d3dkmddi-dxgkddi_releaseswizzlingrange.md).
 */
#include "state/hash.h"
#include "state/own_memory.h"

#include <string.h>

#define RANGES 64u

static struct {
    HANDLE allocation; /* NULL: free */
    uint64_t cpu;      /* where the CPU sees it */
    uint64_t sample;   /* of what it sees there, while another goes */
} range[RANGES];

/* The last refusal: nothing has happened since if no call came between. */
static struct {
    HANDLE allocation;
    NTSTATUS status;
    uint64_t call;
    bool released;  /* a range was given up since */
    uint32_t again; /* repeats in a row */
} refused;

static bool judged(void) {
    return referee->adapter.version <= DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION;
}

static bool alternates(const struct shadow_object *allocation) {
    return allocation && allocation->info.Flags.UseAlternateVA;
}

static void judge_request(const DXGKARG_ACQUIRESWIZZLINGRANGE *args,
                          const struct shadow_object *allocation) {
    const struct shadow_segment *segment = shadow_segment(args->SegmentId);
    const struct shadow_adapter *adapter = &referee->adapter;
    if (segment)
        MANAGER_MUST(349, segment->flags.CpuVisible || alternates(allocation),
                     "an allocation in a segment with CpuVisible, or with UseAlternateVA",
                     "segment %u has flags 0x%x", args->SegmentId, segment->flags.Value);
    if (adapter->caps_known)
        MANAGER_MUST(350, args->RangeId < adapter->caps.NumberOfSwizzlingRanges,
                     "RangeId below NumberOfSwizzlingRanges", "RangeId is %u of %u", args->RangeId,
                     adapter->caps.NumberOfSwizzlingRanges);
    if (args->RangeId < RANGES)
        MANAGER_MUST(350, !range[args->RangeId].allocation,
                     "a range that was released before it is used again",
                     "range %u still serves another request", args->RangeId);
}

/*
 * Tried again at once, by no other call than this. Two attempts may be two locks of an application;
 * three are one that does not give up.
 */
static void judge_retry(const DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    bool same = refused.allocation && refused.allocation == args->hAllocation;
    bool at_once = referee->ledger->calls == refused.call + 1 + (refused.released ? 1 : 0);
    refused.again = same && at_once ? refused.again + 1 : 0;
    if (refused.again < 2)
        return;
    if (refused.status == STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED)
        MANAGER_MUST(353, false, "no second attempt after UNSUPPORTED",
                     "the same request came again and again");
    else
        MANAGER_MUST(353, refused.released, "a range released before UNAVAILABLE is tried again",
                     "the same request came again and again without");
}

static void note_refusal(const DXGKARG_ACQUIRESWIZZLINGRANGE *args, NTSTATUS status) {
    refused.allocation = args->hAllocation;
    refused.status = status;
    refused.call = referee->ledger->calls;
    refused.released = false;
}

static const void *seen(uint64_t cpu) {
    const struct vidmm_referee_world *world = &referee->world;
    return world->io ? world->io(world->ctx, cpu, SHADOW_PAGE) : NULL;
}

static void judge_granted(const DXGKARG_ACQUIRESWIZZLINGRANGE *args, SIZE_T wanted,
                          const struct shadow_object *allocation) {
    uint64_t cpu = (uint64_t)args->CPUTranslatedAddress.QuadPart;
    DRIVER_MUST(351, args->RangeSize == wanted || alternates(allocation),
                "RangeSize unchanged without UseAlternateVA", "it is 0x%llx instead of 0x%llx",
                (unsigned long long)args->RangeSize, (unsigned long long)wanted);
    if (referee->world.io)
        DRIVER_MUST(351, seen(cpu), "an address in CPUTranslatedAddress",
                    "nothing that the CPU can reach is at 0x%llx", (unsigned long long)cpu);
    if (args->RangeId >= RANGES)
        return;
    range[args->RangeId].allocation = args->hAllocation;
    range[args->RangeId].cpu = cpu;
}

static NTSTATUS APIENTRY see_AcquireSwizzlingRange(const HANDLE adapter,
                                                   DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    struct referee_call call;
    SIZE_T wanted = args->RangeSize;
    referee_enter(&call, "DxgkDdiAcquireSwizzlingRange", REFEREE_SWIZZLING);
    const struct shadow_object *allocation = shadow_find(SHADOW_ALLOCATION, args->hAllocation);
    if (judged()) {
        judge_request(args, allocation);
        judge_retry(args);
    }
    refused.allocation = NULL;
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiAcquireSwizzlingRange(adapter, args);
    referee_return(&call);
    if (status == STATUS_SUCCESS && judged())
        judge_granted(args, wanted, shadow_find(SHADOW_ALLOCATION, args->hAllocation));
    else if (status != STATUS_SUCCESS)
        note_refusal(args, status);
    referee_exit(&call);
    return status;
}

/* ---- Release --------------------------------------------------------------------------------- */

static void sample_others(uint32_t gone) {
    for (uint32_t i = 0; i < RANGES; i++) {
        const void *bytes = i != gone && range[i].allocation ? seen(range[i].cpu) : NULL;
        range[i].sample = bytes ? hash_bytes(HASH_START, bytes, SHADOW_PAGE) : 0;
    }
}

static void judge_others(uint32_t gone) {
    for (uint32_t i = 0; i < RANGES; i++) {
        if (i == gone || !range[i].allocation || range[i].sample == 0)
            continue;
        const void *bytes = seen(range[i].cpu);
        DRIVER_MUST(352, bytes && hash_bytes(HASH_START, bytes, SHADOW_PAGE) == range[i].sample,
                    "the other ranges left as they are",
                    "the CPU sees other bytes through range %u after range %u was released", i,
                    gone);
    }
}

/* The memory behind a range in linear order, or NULL. */
static const uint8_t *behind_range(uint32_t id) {
    const struct shadow_object *allocation =
        id < RANGES && range[id].allocation ? shadow_find(SHADOW_ALLOCATION, range[id].allocation)
                                            : NULL;
    if (!allocation || !allocation->placed || allocation->info.Flags.Swizzled)
        return NULL;
    const struct shadow_segment *segment = shadow_segment(allocation->segment);
    return segment && !segment->aperture ? world_segment(segment, allocation->offset, SHADOW_PAGE)
                                         : NULL;
}

/* What the CPU wrote through it so far; 0: it cannot be compared. */
static uint64_t sample_own(uint32_t id) {
    const void *bytes = behind_range(id) ? seen(range[id].cpu) : NULL;
    return bytes ? hash_bytes(HASH_START, bytes, SHADOW_PAGE) : 0;
}

/* A range that went with another one no longer leads to the memory. */
static void judge_own(uint32_t id, uint64_t sample) {
    const uint8_t *bytes = sample != 0 ? behind_range(id) : NULL;
    if (bytes)
        DRIVER_MUST(352, hash_bytes(HASH_START, bytes, SHADOW_PAGE) == sample,
                    "a range that leads to its memory until it is released itself",
                    "what the CPU wrote through range %u is not there", id);
}

static NTSTATUS APIENTRY see_ReleaseSwizzlingRange(const HANDLE adapter,
                                                   const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiReleaseSwizzlingRange", REFEREE_SWIZZLING);
    refused.released = true;
    uint64_t own = 0;
    if (judged()) {
        sample_others(args->RangeId);
        own = sample_own(args->RangeId);
    }
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiReleaseSwizzlingRange(adapter, args);
    referee_return(&call);
    if (judged()) {
        judge_others(args->RangeId);
        judge_own(args->RangeId, own);
    }
    if (args->RangeId < RANGES)
        range[args->RangeId].allocation = NULL;
    referee_exit(&call);
    return status;
}

void referee_watch_swizzle(DRIVER_INITIALIZATION_DATA *table) {
    memset(range, 0, sizeof(range));
    refused.allocation = NULL;
    WATCH(table, AcquireSwizzlingRange);
    WATCH(table, ReleaseSwizzlingRange);
}
