/*
 * space.c - see space.h: the spaces' part in plans, and the pages that the paging process maps for
 * ever.
 */
#include "paging/space.h"

#include "base/process.h"
#include "reported/needed.h"
#include "object/allocation.h"
#include "paging/plan.h"
#include "paging/table.h"
#include "paging/virtual_build.h"

#define CALL "vidmm paging process"

/* ---- Kept pages ------------------------------------------------------------------------------ */

/* Runs the plan under construction, which the CPU carries out at once. */
enum vidmm_status space_run_now(struct plan *plan, struct space *space, bool emitted) {
    enum vidmm_status status = emitted ? plan_run(plan) : error_no_memory(space->adapter, CALL);
    plan_end(plan);
    space->now = false;
    return status;
}

static bool emit_kept(struct plan *plan, struct space *paging, const struct kept_pages *kept) {
    struct table_source source = {.mdl = kept->mdl};
    return table_scratch(plan, paging, kept->start, kept->start + kept->size, &source);
}

bool space_keep_pages_at(struct vidmm_adapter *adapter, uint32_t physical, PMDL mdl, uint64_t size,
                         uint64_t start) {
    struct spaces *spaces = &adapter->physical[physical].spaces;
    struct space *space = spaces->paging;
    const struct kept_pages kept = {.start = start, .size = size, .mdl = mdl};
    if (!adapter_grow(adapter, (void **)&spaces->kept, &spaces->kept_capacity,
                      spaces->kept_count + 1, sizeof(*spaces->kept)))
        return false;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_START);
    space->now = true;
    if (space_run_now(&plan, space, emit_kept(&plan, space, &kept)))
        return false;
    spaces->kept[spaces->kept_count++] = kept;
    return true;
}

void space_kept_late(struct vidmm_adapter *adapter, uint32_t physical, uint64_t start,
                     uint64_t size) {
    virtual_outdate(adapter->physical[physical].spaces.paging, start, start + size);
}

bool space_flush_kept(struct plan *plan, uint32_t physical) {
    return table_flush(plan, plan->adapter->physical[physical].spaces.paging);
}

uint64_t space_keep_pages(struct vidmm_adapter *adapter, uint32_t physical, PMDL mdl,
                          uint64_t size) {
    struct va *va = adapter->physical[physical].spaces.paging->va;
    const struct va_use nothing = {.kind = VA_NOTHING};
    uint64_t start;
    if (!va_pick(va, size, PAGE_BYTES, va->from, va->limit, &start) ||
        !va_set(va, start, start + size, &nothing))
        return 0;
    return space_keep_pages_at(adapter, physical, mdl, size, start) ? start : 0;
}

/* ---- Roots ----------------------------------------------------------------------------------- */

enum vidmm_status space_enter(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    const struct space *space =
        space_on(context->device->process->space, node_physical(&adapter->facts, context->node));
    if (space->away || !context->handle)
        return VIDMM_OK; /* with all others, when it is back; or when it is made */
    DXGKARG_SETROOTPAGETABLE arg = {.hContext = context->handle,
                                    .Address = table_address(&space->root->memory[0]),
                                    .NumEntries = space->root->entries};
    adapter_open(
        adapter); /* the driver may update context allocations that say where the root is */
    adapter->ddi->DxgkDdiSetRootPageTable(adapter->hadapter, &arg);
    adapter_return(adapter);
    return VIDMM_OK;
}

static void space_tell_device(const struct vidmm_device *device) {
    for (struct vidmm_context *context = device->contexts; context; context = context->next)
        (void)space_enter(context);
}

void space_tell_contexts(const struct space *space) {
    const struct vidmm_process *process = space->process;
    for (struct vidmm_device *device = space->adapter->devices.first; device;
         device = device->next) {
        if (device->process == process)
            space_tell_device(device);
    }
    if (process->device)
        space_tell_device(process->device);
}

/* ---- Mappings in plans ----------------------------------------------------------------------- */

bool space_clear_ptes(struct plan *plan, struct vidmm_allocation *allocation) {
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        if (!table_map_view(plan, mapping, NULL))
            return false;
    }
    return true;
}

bool space_write_ptes(struct plan *plan, struct vidmm_allocation *allocation, struct view view) {
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        if (!table_map_view(plan, mapping, &view))
            return false;
    }
    return table_join_moved(plan, allocation, &view);
}

/* ---- After a reset --------------------------------------------------------------------------- */

/* Not plan_run: the plan that hung is still looked at. */
static enum vidmm_status restore_paging(struct vidmm_adapter *adapter, uint32_t physical) {
    const struct spaces *spaces = &adapter->physical[physical].spaces;
    struct space *space = spaces->paging;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_RESET);
    space->now = true;
    bool emitted = tables_emit_again(&plan, space);
    for (uint32_t i = 0; emitted && i < spaces->kept_count; i++)
        emitted = emit_kept(&plan, space, &spaces->kept[i]);
    enum vidmm_status status = emitted ? plan_execute(&plan) : error_no_memory(adapter, CALL);
    plan_end(&plan);
    space->now = false;
    return status;
}

enum vidmm_status space_restore_paging(struct vidmm_adapter *adapter) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->facts.linked; i++)
        status = restore_paging(adapter, i);
    return status;
}

static bool restore_peers(struct plan *plan, struct space *space) {
    while (space && (!space->root || tables_emit_again(plan, space)))
        space = space->peer;
    return !space;
}

enum vidmm_status space_restore(struct vidmm_adapter *adapter) {
    struct vidmm_process *process = adapter->processes.first;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_RESET);
    while (process && restore_peers(&plan, process->space))
        process = process->next;
    enum vidmm_status status = process ? error_no_memory(adapter, "vidmm reset") : plan_run(&plan);
    plan_end(&plan);
    return status;
}
