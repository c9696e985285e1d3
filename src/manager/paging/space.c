/*
 * space.c - see space.h: the spaces' part in plans, and the pages that the paging process maps for
 * ever.
 */
#include "paging/space.h"

#include "reported/needed.h"
#include "object/allocation.h"
#include "base/process.h"
#include "paging/table.h"

#define CALL "vidmm paging process"

/* ---- Kept pages ------------------------------------------------------------------------------ */

/* Runs the plan under construction, which the CPU carries out at once. */
enum vidmm_status space_run_now(struct space *space, bool emitted) {
    enum vidmm_status status =
        emitted ? plan_execute(space->adapter) : error_no_memory(space->adapter, CALL);
    space->now = false;
    return status;
}

static bool emit_kept(struct space *space, const struct kept_pages *kept) {
    struct table_source source = {.mdl = kept->mdl};
    return table_scratch(space, kept->start, kept->start + kept->size, &source);
}

bool space_keep_pages_at(struct vidmm_adapter *adapter, PMDL mdl, uint64_t size, uint64_t start) {
    struct spaces *spaces = &adapter->spaces;
    struct space *space = spaces->paging;
    const struct kept_pages kept = {.start = start, .size = size, .mdl = mdl};
    if (!adapter_grow(adapter, (void **)&spaces->kept, &spaces->kept_capacity,
                      spaces->kept_count + 1, sizeof(*spaces->kept)))
        return false;
    plan_begin(adapter);
    space->now = true;
    if (space_run_now(space, emit_kept(space, &kept)))
        return false;
    spaces->kept[spaces->kept_count++] = kept;
    return true;
}

uint64_t space_keep_pages(struct vidmm_adapter *adapter, PMDL mdl, uint64_t size) {
    struct va *va = &adapter->spaces.paging->va;
    const struct va_use nothing = {.kind = VA_NOTHING};
    uint64_t start;
    if (!va_pick(va, size, PAGE_BYTES, 0, va->limit, &start) ||
        !va_set(va, start, start + size, &nothing))
        return 0;
    return space_keep_pages_at(adapter, mdl, size, start) ? start : 0;
}

/* ---- Roots ----------------------------------------------------------------------------------- */

enum vidmm_status space_enter(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    const struct space *space = context->device->process->space;
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
    for (struct vidmm_device *device = space->adapter->devices; device; device = device->next) {
        if (device->process == process)
            space_tell_device(device);
    }
    if (process->device)
        space_tell_device(process->device);
}

struct view space_view_of(const struct vidmm_allocation *allocation) {
    return segment_is_memory(allocation->segment)
               ? (struct view){.segment = allocation->segment, .place = &allocation->place}
               : (struct view){0};
}

/* ---- Mappings in plans ----------------------------------------------------------------------- */

bool space_hide(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    (void)adapter;
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        if (!table_show(mapping, NULL))
            return false;
    }
    return true;
}

bool space_show(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation,
                struct view view) {
    (void)adapter;
    for (const struct mapping *mapping = allocation->mappings; mapping; mapping = mapping->next) {
        if (!table_show(mapping, &view))
            return false;
    }
    return true;
}

/* ---- After a reset --------------------------------------------------------------------------- */

/* With a plan of its own: the one that hung is still looked at. */
enum vidmm_status space_restore_paging(struct vidmm_adapter *adapter) {
    struct space *space = adapter->spaces.paging;
    struct plan kept = adapter->plan;
    memset(&adapter->plan, 0, sizeof(adapter->plan));
    space->now = true;
    bool emitted = tables_emit_again(space);
    for (uint32_t i = 0; emitted && i < adapter->spaces.kept_count; i++)
        emitted = emit_kept(space, &adapter->spaces.kept[i]);
    enum vidmm_status status = space_run_now(space, emitted);
    plan_destroy(adapter);
    adapter->plan = kept;
    return status;
}

enum vidmm_status space_restore(struct vidmm_adapter *adapter) {
    plan_begin(adapter);
    for (struct vidmm_process *process = adapter->processes; process; process = process->next) {
        if (process->space->root && !tables_emit_again(process->space))
            return error_no_memory(adapter, "vidmm reset");
    }
    return plan_execute(adapter);
}
