/*
 * budget.c - see budget.h.
 */
#include "lists/budget.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "object/candidates.h"
#include "lists/residency_list.h"

static enum vidmm_memory_group group_of(const struct segment *segment) {
    if (segment->flags.LocalBudgetGroup)
        return VIDMM_GROUP_LOCAL;
    if (segment->flags.NonLocalBudgetGroup)
        return VIDMM_GROUP_NON_LOCAL;
    return segment->aperture ? VIDMM_GROUP_NON_LOCAL : VIDMM_GROUP_LOCAL;
}

uint32_t budget_group(const struct segment *segment) {
    return group_index(segment->physical, group_of(segment));
}

/*
 * The segments whose memory is counted: those flagged ApplicationTarget, or all of the group where
 * none is.
 */
static uint32_t group_set(struct vidmm_adapter *adapter, uint32_t group) {
    struct memory_share *share = &adapter->shares[group];
    uint32_t all = 0, targets = 0;
    if (share->set)
        return share->set;
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct segment *segment = &adapter->facts.segments[i];
        if (budget_group(segment) != group)
            continue;
        all |= 1u << i;
        targets |= segment->flags.ApplicationTarget ? 1u << i : 0;
    }
    share->set = targets ? targets : all;
    return share->set;
}

static bool counts_in(struct vidmm_adapter *adapter, const struct segment *segment,
                      uint32_t group) {
    return segment && segment_in_set(segment, group_set(adapter, group));
}

/* ---- Charges --------------------------------------------------------------------------------- */

/*
 * The segment that it would lie in if there were room, whatever its state; it takes whole pages of
 * that.
 */
static const struct segment *budget_preferred(const struct vidmm_allocation *allocation) {
    struct candidate_list list;
    candidates_list(allocation, allocation->write_set | allocation->read_set, &list);
    return list.count ? list.segments[0] : NULL;
}

static bool charged_elsewhere(const struct residency_entry *entry) {
    const struct residency_entry *one = entry->allocation->residency_entries;
    for (; one; one = one->other) {
        if (one != entry && one->charged && one->device->process == entry->device->process)
            return true;
    }
    return false;
}

/* A list of the group grew or shrank: the shares of all processes are computed again. */
static void charge_listed(struct residency_entry *entry, uint32_t group, uint64_t bytes) {
    struct vidmm_process *process = entry->device->process;
    if (entry->listed[group] == bytes)
        return;
    process->listed[group] += bytes - entry->listed[group];
    process->adapter->shares[group].known = false;
    entry->listed[group] = bytes;
}

static void charge_held(struct residency_entry *entry, uint32_t group, uint64_t bytes) {
    entry->device->process->held[group] += bytes - entry->held[group];
    entry->held[group] = bytes;
}

static void budget_set_charge(struct residency_entry *entry, bool counts) {
    const struct vidmm_allocation *allocation = entry->allocation;
    const struct segment *segment = allocation->segment, *wanted = budget_preferred(allocation);
    const struct segment_request request = {.size = allocation->size,
                                            .pitch_size = allocation->info.PitchAlignedSize};
    for (uint32_t group = 0; group < group_total(&allocation->adapter->facts); group++) {
        bool holds = counts && counts_in(allocation->adapter, segment, group);
        bool lists = counts && counts_in(allocation->adapter, wanted, group);
        charge_held(entry, group, holds ? allocation->place.size : 0);
        charge_listed(entry, group, lists ? segment_reserves(wanted, &request) : 0);
    }
}

void budget_charge(struct residency_entry *entry) {
    if (!entry->device->process)
        return;
    entry->charged = entry->charged || !charged_elsewhere(entry);
    budget_set_charge(
        entry,
        entry->charged && !entry->allocation->offered &&
            !allocation_in_vpr(entry->allocation)); /* the protected range is no process's share */
}

void budget_discharge(struct residency_entry *entry) {
    if (entry->device->process)
        budget_set_charge(entry, false);
    entry->charged = false;
}

void budget_keep(struct vidmm_adapter *adapter, struct segment *segment, uint64_t bytes,
                 bool back) {
    VIDMM_ASSERT_LOCKED(adapter);
    segment->kept += back ? 0 - bytes : bytes;
    adapter->shares[budget_group(segment)].known = false;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

static uint64_t group_bytes(struct vidmm_adapter *adapter, uint32_t group) {
    uint64_t bytes = 0, shared = adapter->facts.shared.limit;
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct segment *segment = &adapter->facts.segments[i];
        if (counts_in(adapter, segment, group))
            bytes += (segment->aperture ? segment->commit_limit : segment->size) - segment->kept;
    }
    return group_kind(group) == VIDMM_GROUP_NON_LOCAL && bytes > shared ? shared : bytes;
}

static uint64_t budget_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/*
 * What is left for each of those that take all they are given, when every other process has what it
 * lists of `bytes`. `greedy` (NULL: no process in particular) is one of them.
 */
static uint64_t round_of_shares(const struct vidmm_adapter *adapter, uint32_t group,
                                const struct vidmm_process *greedy, uint64_t bytes,
                                uint64_t share) {
    uint64_t modest = 0;
    uint32_t takers = 0;
    for (const struct vidmm_process *one = adapter->processes.first; one; one = one->next) {
        uint64_t limit = budget_least(share, one->fixed[group]);
        if (one == greedy || one->listed[group] > limit)
            takers += one == greedy || limit == share;
        if (one != greedy && (one->listed[group] <= limit || limit < share))
            modest += budget_least(one->listed[group], limit);
    }
    bytes = bytes > modest ? bytes - modest : 0;
    return takers ? bytes / takers : UINT64_MAX;
}

/* Rounds, until what is left unused is shared among the processes that want more: at most one for each
 * process. */
static uint64_t fair_share(struct vidmm_adapter *adapter, uint32_t group,
                           const struct vidmm_process *greedy) {
    uint64_t bytes = group_bytes(adapter, group), share = 0, next = 0;
    do {
        share = next;
        next = round_of_shares(adapter, group, greedy, bytes, share);
    } while (next > share && next != UINT64_MAX);
    return next == UINT64_MAX ? bytes : share & ~(uint64_t)(PAGE_BYTES - 1);
}

uint64_t budget_of(const struct vidmm_process *process, uint32_t group) {
    return process->fixed[group] != UINT64_MAX ? process->fixed[group]
                                               : fair_share(process->adapter, group, process);
}

static uint64_t budget_over(const struct vidmm_process *process, uint32_t group, uint64_t bytes) {
    struct memory_share *share = &process->adapter->shares[group];
    uint64_t budget = process->fixed[group];
    if (budget == UINT64_MAX && !share->known) {
        share->bytes = fair_share(process->adapter, group, NULL);
        share->known = true;
    }
    if (budget == UINT64_MAX)
        budget = share->bytes;
    return bytes > budget ? bytes - budget : 0;
}

uint64_t budget_excess(const struct vidmm_process *process, uint32_t group, uint64_t more) {
    return process ? budget_over(process, group, process->held[group] + more) : 0;
}

uint64_t budget_overdraft(const struct vidmm_process *process, uint32_t group) {
    return budget_over(process, group, process->listed[group]);
}

uint64_t budget_overdraft_local(const struct vidmm_process *process) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < process->adapter->facts.linked; i++)
        bytes += budget_overdraft(process, group_index(i, VIDMM_GROUP_LOCAL));
    return bytes;
}

void vidmm_process_budget(struct vidmm_process *process, uint32_t physical,
                          enum vidmm_memory_group group, struct vidmm_budget *budget) {
    uint32_t index = group_index(physical, group);
    adapter_enter(process->adapter);
    budget->budget = budget_of(process, index);
    budget->usage = process->listed[index];
    adapter_leave(process->adapter);
}
