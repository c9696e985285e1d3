/*
 * table_eviction.c - see table_eviction.h.
 */
#include "residency/table_eviction.h"

#include "base/device.h"
#include "base/process.h"
#include "object/va.h"
#include "paging/plan.h"
#include "paging/space.h"

#define CALL "vidmm page tables"

/* `segment` NULL: any. */
static bool has_tables_in(const struct mmu *mmu, const struct segment *segment) {
    for (uint32_t level = 0; level < mmu->levels; level++) {
        uint32_t id = mmu->level[level].segment;
        if (id != 0 && (!segment || id == segment->id))
            return true;
    }
    return false;
}

static bool tables_in(const struct vidmm_adapter *adapter, const struct segment *segment) {
    for (uint32_t i = 0; i < adapter->facts.linked; i++) {
        if (has_tables_in(&adapter->facts.physical[i].mmu, segment))
            return true;
    }
    return false;
}

/* The one that was made first: of equals it has had the most of the memory. */
static struct vidmm_process *someone(struct vidmm_adapter *adapter,
                                     const struct vidmm_process *runs) {
    struct vidmm_process *found = NULL;
    for (struct vidmm_process *process = adapter->processes.first; process;
         process = process->next) {
        bool needed =
            process == runs || (runs && (process->owner == runs || runs->owner == process));
        if (!needed && process->space->root && !process->space->fresh)
            found = process;
    }
    return found;
}

enum vidmm_status table_eviction_send(struct vidmm_adapter *adapter,
                                      const struct vidmm_process *runs,
                                      const struct segment *segment) {
    struct vidmm_process *process = tables_in(adapter, segment) ? someone(adapter, runs) : NULL;
    if (!process)
        return VIDMM_DOES_NOT_FIT;
    enum vidmm_status status = fence_wait_idle(adapter, UINT64_MAX, adapter->fences.submitted);
    if (status)
        return status;
    struct plan plan;
    bool emitted = true;
    plan_begin(&plan, adapter, VIDMM_PLAN_TABLE_EVICTION);
    for (struct space *space = process->space; emitted && space; space = space->peer)
        emitted = tables_emit_away(&plan, space);
    status = emitted ? plan_run(&plan) : error_no_memory(adapter, CALL);
    plan_end(&plan);
    for (struct space *space = status ? NULL : process->space; space; space = space->peer) {
        tables_end(space);
        space->away = true;
    }
    return status;
}

/* A root that need not grow, and a table for everything that is mapped. */
static enum vidmm_status prepare(struct space *space, struct tables_ready *ready) {
    uint64_t end = space->va->root ? space->va->root->high : 0;
    enum vidmm_status status = tables_prepare(space, end, end, ready);
    for (const struct mapping *mapping = va_find(space->va, 0); mapping && status == VIDMM_OK;
         mapping = mapping->after) {
        if (mapping->use.kind != VA_NOTHING)
            status = tables_prepare(space, mapping->start, mapping->end, ready);
    }
    return status;
}

enum vidmm_status table_eviction_return(struct vidmm_process *process) {
    struct space *space = process->space;
    struct vidmm_adapter *adapter = process->adapter;
    if (!space->away)
        return VIDMM_OK;
    struct tables_ready ready;
    struct plan plan;
    enum vidmm_status status = prepare(space, &ready);
    if (status)
        return status;
    bool emitted = tables_begin(&plan, &ready, VIDMM_PLAN_TABLE_RETURN);
    for (struct space *one = space; emitted && one; one = one->peer)
        emitted = table_write_ptes(&plan, one, 0, one->va->limit);
    status = emitted ? plan_run(&plan) : error_no_memory(adapter, CALL);
    plan_end(&plan);
    if (status) {
        tables_drop(space);
        return status;
    }
    tables_keep(space);
    for (struct space *one = space; one; one = one->peer)
        one->away = false;
    space_tell_contexts(space);
    return VIDMM_OK;
}
