/*
 * power.c - DxgkDdiSetPowerState: which memory must be empty before (R50, R51, R53, R360), what the driver answers
 * (R650), what memory has kept when power is back (R653), and that the paging process is initialised then (R363).
 * Where allocations are is known with physical addresses alone.
 */
#include "operation/dirty_bits.h"
#include "operation/operation.h"
#include "state/hash.h"
#include "watch/watch.h"
#include "work/work.h"

#include <vidmm/interfaces.h>

#define HASHED_MOST (UINT64_C(16) << 20)

/* ns-d3dkmddi-_dxgk_segmentflags.md, "Remarks": what a segment keeps. */
enum keeping { KEEPS_NOTHING, KEEPS_INVALID, KEEPS_PART, KEEPS_ALL };

static enum keeping power_keeps(const struct vidmm_referee *referee,
                                const struct shadow_segment *segment) {
    const DXGK_SEGMENTFLAGS flags = segment->flags;
    bool all = flags.PreservedDuringHibernate, part = flags.PartiallyPreservedDuringHibernate;
    if (referee->adapter.version < DXGKDDI_INTERFACE_VERSION_WIN8)
        return KEEPS_NOTHING;
    if ((all || part) && (!flags.PreservedDuringStandby || (all && part)))
        return KEEPS_INVALID;
    if (!flags.PreservedDuringStandby)
        return KEEPS_NOTHING;
    if (!referee->power.hibernates || all)
        return KEEPS_ALL;
    return part ? KEEPS_PART : KEEPS_NOTHING;
}

static bool power_is_kept(const struct vidmm_referee *referee, const struct shadow_segment *segment,
                          const struct interval *at) {
    enum keeping keeps = power_keeps(referee, segment);
    uint64_t decides = referee->readings.hibernate_end == 0 ? at->end - 1 : at->start;
    return keeps == KEEPS_ALL || (keeps == KEEPS_PART && decides <= segment->system_memory_end);
}

/* ---- Before ---------------------------------------------------------------------------------- */

static bool power_left(struct vidmm_referee *referee, const struct shadow_segment *segment) {
    const struct interval_index *places = &referee->objects.places[segment->id - 1];
    for (const struct interval *at = NULL; (at = interval_meets(places, 0, UINT64_MAX, at));)
        if (!power_is_kept(referee, segment, at))
            return true;
    return false;
}

static void power_judge_segment(struct vidmm_referee *referee,
                                const struct shadow_segment *segment) {
    bool empty = !power_left(referee, segment);
    enum keeping keeps = power_keeps(referee, segment);
    const char *expected = "memory purged that does not keep its content";
    if (referee->adapter.version < DXGKDDI_INTERFACE_VERSION_WIN8)
        MANAGER_MUST(360, empty, "video memory that is evicted",
                     "an allocation is in memory segment %u", segment->id);
    else if (keeps == KEEPS_INVALID)
        MANAGER_MUST(50, empty, expected, "an allocation is in segment %u, whose flags are invalid",
                     segment->id);
    else if (keeps == KEEPS_PART)
        MANAGER_MUST(53, empty, expected,
                     "an allocation is behind SystemMemoryEndAddress of segment %u", segment->id);
    else
        MANAGER_MUST(51, empty, expected, "an allocation is in segment %u, for %s", segment->id,
                     referee->power.hibernates ? "hibernation" : "standby");
}

static void power_judge_evicted(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0 && !tables_known(referee);
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_memory(referee, id);
        if (segment)
            power_judge_segment(referee, segment);
    }
}

/* ---- What is kept ---------------------------------------------------------------------------- */

static void power_hash_segment(struct vidmm_referee *referee, const struct shadow_segment *segment,
                               uint64_t *hash, uint64_t *bytes) {
    const struct interval_index *places = &referee->objects.places[segment->id - 1];
    for (const struct interval *at = NULL; (at = interval_meets(places, 0, UINT64_MAX, at));) {
        uint64_t size = at->end - at->start;
        const uint8_t *seen = power_is_kept(referee, segment, at) && *bytes + size <= HASHED_MOST
                                  ? world_peek(referee, shadow_address(segment, at->start), size)
                                  : NULL;
        if (!seen)
            continue;
        *hash = hash_bytes(*hash, seen, (size_t)size);
        *bytes += size;
    }
}

/* Where no call tells which part of it is in use; but what a driver made for contexts it may write anew in D0. */
static void power_hash_all(struct vidmm_referee *referee, const struct shadow_segment *segment,
                           uint64_t *hash, uint64_t *bytes) {
    bool whole = power_keeps(referee, segment) == KEEPS_ALL && segment->invalid_count == 0 &&
                 referee->contexts.made.count == 0 && segment->vpr_size == 0 &&
                 *bytes + segment->size <= HASHED_MOST;
    const uint8_t *seen =
        whole ? world_peek(referee, shadow_address(segment, 0), segment->size) : NULL;
    if (!seen)
        return;
    *hash = hash_bytes(*hash, seen, (size_t)segment->size);
    *bytes += segment->size;
}

/* Of all allocations that stay where they are; nothing moves between two calls of this. */
static uint64_t power_hash(struct vidmm_referee *referee, uint64_t *bytes) {
    uint64_t hash = HASH_START;
    *bytes = 0;
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_memory(referee, id);
        if (segment && tables_known(referee))
            power_hash_all(referee, segment, &hash, bytes);
        else if (segment)
            power_hash_segment(referee, segment, &hash, bytes);
    }
    return hash;
}

static void power_judge_kept(struct vidmm_referee *referee) {
    uint64_t bytes, hash = power_hash(referee, &bytes);
    if (!referee->power.lost || referee->power.hashed == 0 || bytes != referee->power.hashed)
        return;
    DRIVER_MUST(653, hash == referee->power.hash,
                "the content of memory that the flags say is preserved", "other bytes in %s for %s",
                tables_known(referee) ? "memory segments that are preserved"
                                      : "allocations that stayed there",
                referee->power.hibernates ? "hibernation" : "standby");
}

/* ---- The adapter ----------------------------------------------------------------------------- */

/* Before the call; only the way from D0 empties memory. */
static void power_leaves(struct vidmm_referee *referee, POWER_ACTION action) {
    referee->power.hibernates = action == PowerActionHibernate;
    if (!submit_gave_up(referee))
        power_judge_evicted(referee);
    display_lost(referee);
    referee->power.lost = false;
    referee->power.hash = power_hash(referee, &referee->power.hashed);
}

/* Whether ranges that were held lead to their memory still is R651's: R352 says nothing of them. */
static void power_forget_ranges(struct vidmm_referee *referee) {
    for (uint32_t i = 0; i < referee->swizzle.ranges; i++)
        referee->swizzle.range[i].elsewhere = true;
}

/* Of memory that is not kept, or not all of it. */
static void power_forget_written(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_memory(referee, id);
        if (segment && power_keeps(referee, segment) != KEEPS_ALL)
            dirty_forget_segment(referee, id);
    }
}

/* Behind it: what tables held may be lost. */
static void power_returns(struct vidmm_referee *referee) {
    power_judge_kept(referee);
    referee->power.blank = tables_known(referee);
    reset_begin_anew(referee, 651);
    for (uint32_t i = 0; i < shadow_node_end(referee); i++)
        referee->node[i].woken = referee->node[i].any;
    tables_forget(referee);
    if (referee->power.lost)
        apertures_returned(referee);
    power_forget_ranges(referee);
    power_forget_written(referee);
}

void power_judge_initialised(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *args) {
    bool table = args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
    if (!referee->power.blank || (!table && !args->pDmaBuffer))
        return;
    bool now = table && args->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    referee->power.blank = false;
    MANAGER_MUST(363, now, "the paging process initialised first when power is back",
                 "operation %u comes before", (unsigned)args->Operation);
}

static NTSTATUS watch_SetPowerState(struct vidmm_referee *referee, const PVOID context,
                                    ULONG device, DEVICE_POWER_STATE state, POWER_ACTION action) {
    struct referee_call call;
    bool adapter = device == DISPLAY_ADAPTER_HW_ID, on = state == PowerDeviceD0;
    referee_enter(referee, &call, "DxgkDdiSetPowerState", REFEREE_ALONE);
    reports_drain(referee);
    reset_judge_at_rest(referee, &call);
    if (adapter && !on && !referee->power.away)
        power_leaves(referee, action);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiSetPowerState(context, device, state, action);
    referee_return(referee);
    DRIVER_MUST(650, NT_SUCCESS(status), "a status that NT_SUCCESS accepts", "status 0x%08x of %s",
                (unsigned)status, adapter ? "the adapter" : "a child device");
    if (adapter && on && referee->power.away)
        power_returns(referee);
    else if (!adapter && referee->reset.silent == 0)
        referee->reset.silent = 652;
    if (adapter)
        referee->power.away = !on;
    referee_exit(referee, &call);
    return status;
}
WATCHED_4(NTSTATUS, SetPowerState, const PVOID, ULONG, DEVICE_POWER_STATE, POWER_ACTION)

void referee_watch_power(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->power = (struct power){.away = false};
    WATCH(table, SetPowerState);
}
