/*
 * flush.c - FLUSH_TLB: which changes it covers, and what the hardware makes of their
 * addresses afterwards (ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb.md).
 */
#include "state/grow.h"
#include "operation/compare.h"
#include "operation/operation.h"

#define SAMPLES 32u /* tables looked at, at most, in a range */

static void flush_range_of(const DXGKARG_BUILDPAGINGBUFFER *arg, uint64_t *start, uint64_t *end) {
    *start = (uint64_t)arg->FlushTlb.StartVirtualAddress;
    *end = (uint64_t)arg->FlushTlb.EndVirtualAddress;
    if (*start == 0 && *end == 0)
        *end = UINT64_MAX;
}

static void flush_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush = &operation->arg.FlushTlb;
    const struct tables_process *process = tables_process(referee, flush->hProcess);
    uint64_t start = (uint64_t)flush->StartVirtualAddress, end = (uint64_t)flush->EndVirtualAddress;
    if (!tables_mmu(referee, operation->physical)->known)
        return;
    MANAGER_MUST(233, start <= end && (start | end) % SHADOW_PAGE == 0,
                 "whole pages from StartVirtualAddress to EndVirtualAddress", "0x%llx to 0x%llx",
                 LLU(start), LLU(end));
    MANAGER_MUST(233, !linked_space_process(flush->hProcess) || process,
                 "hProcess as DxgkDdiCreateProcess gave it", "hProcess %p is no process's",
                 linked_space_process(flush->hProcess));
    /* All of it is said by both being 0: an empty range covers nothing. */
    MANAGER_MUST(232, start != end || start == 0, "two zeros, or a range that is not empty",
                 "0x%llx to 0x%llx", LLU(start), LLU(end));
    if (process && process->rooted)
        MANAGER_MUST(233,
                     flush->RootPageTableAddress.SegmentId == process->root.SegmentId &&
                         flush->RootPageTableAddress.SegmentOffset == process->root.SegmentOffset,
                     "the root table of the process", "0x%llx of segment %u",
                     LLU(flush->RootPageTableAddress.SegmentOffset),
                     flush->RootPageTableAddress.SegmentId);
    table_judge_idle(referee, flush->hProcess);
}

/* A page is taken out of a TLB by a flush of any part of it; of a table, pages may be left there
 * that no flush named. */
static bool flush_covers(struct vidmm_referee *referee, const struct tables_table *table,
                         uint32_t index, uint64_t start, uint64_t end) {
    uint32_t shift = tables_entry_shift(referee, table);
    uint64_t va = table->start + ((uint64_t)index << shift);
    return table->level == 0 || (va >= start && va + (UINT64_C(1) << shift) <= end);
}

/* Nothing of the table in the range is stale any more. */
static void flush_cover_table(struct vidmm_referee *referee, struct tables_table *table,
                              uint64_t start, uint64_t end, enum tables_when when) {
    uint32_t first, last;
    if (!tables_cut(referee, table, start, end, &first, &last))
        return;
    for (uint32_t kind = 0; kind < table->kinds; kind++) {
        for (uint32_t i = first; i <= last; i++) {
            bool flushed = tables_entry(table, kind, i)->stale[when] &&
                           flush_covers(referee, table, i, start, end);
            struct tables_entry *entry = flushed ? tables_own_entry(table, kind, i) : NULL;
            if (entry)
                tables_set_stale(referee, table, entry, when, false);
        }
    }
}

static void flush_cover_space(struct vidmm_referee *referee, const struct tables_space *space,
                              uint64_t start, uint64_t end, enum tables_when when) {
    struct tables_table *next = tables_to_flush(space, start, end, when, NULL);
    while (next) {
        struct tables_table *table = next;
        next = tables_to_flush(space, start, end, when, table);
        flush_cover_table(referee, table, start, end, when);
    }
}

/* Without a process: of all on the physical adapter. */
static void flush_cover(struct vidmm_referee *referee, HANDLE handle, uint64_t start, uint64_t end,
                        enum tables_when when) {
    uint32_t physical = linked_space_physical(handle);
    bool one = linked_space_process(handle);
    const struct tables_space *space =
        one ? tables_space(referee, handle) : tables_next_space(referee, NULL);
    for (; space; space = one ? NULL : tables_next_space(referee, space))
        if (linked_space_physical(space->process) == physical)
            flush_cover_space(referee, space, start, end, when);
}

static void flush_built(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    uint64_t start, end;
    flush_range_of(&operation->arg, &start, &end);
    owners_flush_built(referee);
    flush_cover(referee, operation->arg.FlushTlb.hProcess, start, end, TABLES_ASKED);
}

/* The parts of the range that leaf tables translate, and tables that have had large pages. */
static void flush_compare(struct vidmm_referee *referee, const struct tables_process *process,
                          uint64_t start, uint64_t end, struct tables_blame blame) {
    const struct tables_table *table =
        tables_translating(referee, process->handle, start, end, NULL);
    for (uint32_t looked = 0; table && looked < SAMPLES;
         table = tables_translating(referee, process->handle, start, end, table)) {
        uint64_t stop = table->addresses.end;
        if (table->level != 0 && !table->owner)
            continue;
        looked++;
        tables_compare_range(referee, process, table->start > start ? table->start : start,
                             stop < end ? stop : end, blame);
    }
}

/*
 * A flush without bytes in the paging buffer is over before what was built in front of it: whether
 * it was any good is seen when that is complete.
 */
static void flush_owe(struct vidmm_referee *referee, HANDLE process, uint64_t start, uint64_t end,
                      uint32_t rule) {
    struct tables_owed *owed = &referee->tables.owed;
    if (!grow(&owed->flush, &owed->room, owed->count + 1, sizeof(*owed->flush)))
        return;
    owed->flush[owed->count].process = process;
    owed->flush[owed->count].start = start;
    owed->flush[owed->count].end = end;
    owed->flush[owed->count++].rule = rule;
}

void flush_settle(struct vidmm_referee *referee, bool compares) {
    for (uint32_t i = 0; compares && i < referee->tables.owed.count; i++) {
        const struct tables_process *process =
            tables_process(referee, referee->tables.owed.flush[i].process);
        flush_cover(referee, referee->tables.owed.flush[i].process,
                    referee->tables.owed.flush[i].start, referee->tables.owed.flush[i].end,
                    TABLES_DONE);
        if (process)
            flush_compare(referee, process, referee->tables.owed.flush[i].start,
                          referee->tables.owed.flush[i].end,
                          (struct tables_blame){.rule_tlb = referee->tables.owed.flush[i].rule});
    }
    referee->tables.owed.count = 0;
}

static void flush_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush = &operation->arg.FlushTlb;
    const struct tables_process *process = tables_process(referee, flush->hProcess);
    bool all = flush->StartVirtualAddress == 0 && flush->EndVirtualAddress == 0;
    uint32_t rule = all ? 232 : 230;
    uint64_t start, end;
    flush_range_of(&operation->arg, &start, &end);
    if (operation->swallowed)
        flush_owe(referee, flush->hProcess, start, end, rule);
    owners_flush_done(referee);
    flush_cover(referee, flush->hProcess, start, end, TABLES_DONE);
    if (process)
        flush_compare(referee, process, start, end, (struct tables_blame){.rule_tlb = rule});
}

const struct operation_judge op_judge_flush = {
    .asked = flush_asked, .built = flush_built, .done = flush_done};
