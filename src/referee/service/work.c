/*
 * work.c - work is about to be submitted, and user mode says where the addresses that it
 * may use have to lead: every page of theirs has an entry that says so, and the GPU has written it,
 * or will have before it comes to the work (residency-overview.md).
 */
#include "service/services.h"

/* On one node the paging work that was submitted before is done before. */
static bool work_behind_paging(struct vidmm_referee *referee,
                               const struct vidmm_request_work *work) {
    return linked_node(work->physical, work->node) ==
           referee->adapter.physical[work->physical].paging_node;
}

static enum tables_when work_when_used(struct vidmm_referee *referee,
                                       const struct vidmm_request_work *work) {
    return work_behind_paging(referee, work) ? TABLES_ASKED : TABLES_DONE;
}

/* `va` leads to byte `offset` of the allocation. */
static bool work_is_for(const struct tables_found *found, HANDLE allocation, uint64_t va,
                        uint64_t offset) {
    const struct tables_owner *owner =
        found->table->owner ? &found->table->owner[found->index] : NULL;
    return !owner || !owner->allocation ||
           (owner->allocation == allocation && owner->page == offset - (va & (found->page - 1)));
}

/* True when there is no more to say of the range. */
static bool work_judge_page(struct vidmm_referee *referee, const struct tables_process *process,
                            const struct vidmm_request_work *work, uint64_t at) {
    struct tables_found found;
    uint64_t va = work->va + at;
    tables_walk(referee, process, va, work_when_used(referee, work), &found);
    MANAGER_MUST(374, !found.other_kind,
                 "the kind of pages in the parent's entry that the table has",
                 "0x%llx is translated by a table of the other kind", LLU(va));
    if (!found.known)
        return true;
    bool there = found.valid && !found.zero;
    MANAGER_MUST(287, there, "addresses that lead to what the device lists when work is submitted",
                 "0x%llx leads nowhere", LLU(va));
    if (!there)
        return true;
    MANAGER_MUST(287, found.settled || work_behind_paging(referee, work),
                 "page tables that are written when work is submitted",
                 "the entry of 0x%llx is still being written", LLU(va));
    MANAGER_MUST(231, !found.stale, "FLUSH_TLB, and its completion, before the addresses are used",
                 "what 0x%llx led to before may still be in a TLB", LLU(va));
    bool same = work_is_for(&found, work->allocation, va, work->offset + at);
    MANAGER_MUST(287, same, "addresses that lead to what the device lists when work is submitted",
                 "0x%llx leads to another page", LLU(va));
    return !same || !found.settled || found.stale;
}

/* The first address of the range that a table translates, or `end`. */
static uint64_t work_leads_at(struct vidmm_referee *referee, const struct tables_table *table,
                              enum tables_when when, uint64_t start, uint64_t end) {
    uint32_t first, last;
    if (!tables_cut(referee, table, start, end, &first, &last))
        return end;
    for (uint32_t i = first; i <= last; i++) {
        const struct tables_entry *entry = tables_entry(table, 0, i);
        const DXGK_PTE *value = &entry->value[when];
        if (entry->known[when] && value->Valid && !value->Zero && tables_is_page(table, value))
            return table->start + ((uint64_t)i << tables_entry_shift(referee, table));
    }
    return end;
}

static void work_judge_nowhere(struct vidmm_referee *referee, const struct tables_process *process,
                               const struct vidmm_request_work *work) {
    uint64_t end = work->va + work->size;
    enum tables_when when = work_when_used(referee, work);
    const struct tables_table *table =
        tables_translating(referee, process->handle, work->va, end, NULL);
    for (; table; table = tables_translating(referee, process->handle, work->va, end, table)) {
        uint64_t at = work_leads_at(referee, table, when, work->va, end);
        MANAGER_MUST(287, at == end,
                     "addresses that lead nowhere as long as nothing resident is mapped there",
                     "0x%llx still leads to memory", LLU(at));
    }
}

/* The work that comes next uses the allocation. */
static void work_note_use(struct vidmm_referee *referee, const struct vidmm_request_work *work) {
    struct shadow_allocation *allocation = shadow_allocation(referee, work->allocation);
    if (!allocation)
        return;
    owners_add_next(referee, allocation);
    MANAGER_MUST(287, allocation->moving_virtual == 0 || work_behind_paging(referee, work),
                 "contents that are there when work is submitted",
                 "%u transfers or fills of what is mapped at 0x%llx are under way",
                 allocation->moving_virtual, LLU(work->va));
}

void service_work(struct vidmm_referee *referee, const struct vidmm_request_work *work) {
    if (work->physical >= linked_count(referee))
        return;
    const struct tables_process *process =
        tables_process(referee, linked_space(work->physical, work->process));
    if (!process || !tables_mmu(referee, work->physical)->known)
        return;
    if (!work->allocation) {
        work_judge_nowhere(referee, process, work);
        return;
    }
    bool said = false;
    for (uint64_t at = 0; !said && at < work->size; at += SHADOW_PAGE)
        said = work_judge_page(referee, process, work, at);
    work_note_use(referee, work);
}
