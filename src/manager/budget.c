/*
 * budget.c - see budget.h.
 */
#include "budget.h"

#include "allocation.h"
#include "candidates.h"
#include "decide.h"

enum vidmm_memory_group budget_group(const struct segment *segment) {
    if (segment->flags.LocalBudgetGroup)
        return VIDMM_GROUP_LOCAL;
    if (segment->flags.NonLocalBudgetGroup)
        return VIDMM_GROUP_NON_LOCAL;
    return segment->aperture ? VIDMM_GROUP_NON_LOCAL : VIDMM_GROUP_LOCAL;
}

enum vidmm_memory_group budget_group_of(const struct vidmm_allocation *allocation) {
    struct candidate_list list;
    candidates_list(allocation, allocation->write_set, &list);
    return list.count ? budget_group(list.segments[0]) : VIDMM_GROUP_NON_LOCAL;
}

static uint64_t group_bytes(const struct vidmm_adapter *adapter, enum vidmm_memory_group group) {
    uint64_t bytes = 0, shared = adapter->facts.shared.limit;
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct segment *segment = &adapter->facts.segments[i];
        if (budget_group(segment) == group && !segment->agp)
            bytes += segment->aperture ? segment->commit_limit : segment->size;
    }
    return group == VIDMM_GROUP_NON_LOCAL && bytes > shared ? shared : bytes;
}

/* Equal shares; those who list less than theirs leave the difference to the others. */
uint64_t budget_of(const struct vidmm_process *process, enum vidmm_memory_group group) {
    const struct vidmm_adapter *adapter = process->adapter;
    uint64_t left = group_bytes(adapter, group), share = left;
    uint32_t claims = 0;
    if (process->fixed[group] != UINT64_MAX)
        return process->fixed[group];
    for (const struct vidmm_process *one = adapter->processes; one; one = one->next)
        claims += one->listed[group] != 0 || one == process;
    if (claims)
        share = left / claims;
    uint64_t modest = 0;
    uint32_t greedy = 0;
    for (const struct vidmm_process *one = adapter->processes; one; one = one->next) {
        if (one != process && one->listed[group] && one->listed[group] < share)
            modest += one->listed[group];
        else
            greedy += one->listed[group] != 0 || one == process;
    }
    share = greedy ? (left - modest) / greedy : left;
    return share & ~(uint64_t)(PAGE_BYTES - 1);
}

bool budget_exceeded(const struct vidmm_process *process, const struct segment *segment) {
    enum vidmm_memory_group group = budget_group(segment);
    return process && process->listed[group] > budget_of(process, group);
}

void vidmm_process_budget(struct vidmm_process *process, enum vidmm_memory_group group,
                          struct vidmm_budget *budget) {
    adapter_enter(process->adapter);
    budget->budget = budget_of(process, group);
    budget->usage = process->listed[group];
    adapter_leave(process->adapter);
}

void vidmm_process_set_budget(struct vidmm_process *process, enum vidmm_memory_group group,
                              uint64_t bytes) {
    adapter_enter(process->adapter);
    process->fixed[group] = bytes;
    adapter_leave(process->adapter);
}
