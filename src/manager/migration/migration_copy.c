/*
 * migration_copy.c - see migration.h: bytes of scattered pages, through the paging process.
 *
 * Its staging pages lie at addresses of their own for ever; beside them the pages that are wanted
 * are mapped one after another, so that one VIRTUAL_TRANSFER moves all of them.
 */
#include "base/adapter.h"
#include "base/bitmap.h"
#include "paging/space.h"
#include "migration/migration.h"

/* What a call moves. */
struct copy {
    struct vidmm_adapter *adapter;
    const char *call;
    uint32_t id;
    const struct vidmm_memory_range *ranges;
    uint32_t count;
    bool in; /* to the segment */
    uint64_t size;
};

/* ---- What may be asked for ------------------------------------------------------------------- */

static enum vidmm_status copy_measure(struct copy *copy) {
    const struct segment *segment = query_segment(&copy->adapter->facts, copy->id);
    for (uint32_t i = 0; i < copy->count; i++) {
        const struct vidmm_memory_range *range = &copy->ranges[i];
        if (range->size == 0 || (range->offset | range->size) % PAGE_BYTES ||
            range->offset > segment->size || range->size > segment->size - range->offset ||
            range->size > VIDMM_MIGRATION_STAGING - copy->size)
            return error_argument(copy->adapter, copy->call,
                                  "pages of the segment, as many as there are staging pages");
        copy->size += range->size;
    }
    return VIDMM_OK;
}

/* Only what belongs to processes is written: the rest is the manager's own (R339). */
static enum vidmm_status check_used(const struct copy *copy) {
    struct vidmm_adapter *adapter = copy->adapter;
    uint64_t page = adapter->facts.dirty.page[copy->id - 1];
    uint8_t *map = migration_map(adapter, copy->id, copy->call);
    bool used = true;
    if (!map)
        return VIDMM_NO_MEMORY;
    for (uint32_t i = 0; used && i < copy->count; i++) {
        uint64_t end = (copy->ranges[i].offset + copy->ranges[i].size + page - 1) / page;
        used = bitmap_next(map, copy->ranges[i].offset / page, end, false) == end;
    }
    adapter_free(adapter, map, bitmap_bytes(dirty_plane_of(adapter, copy->id)->pages));
    return used ? VIDMM_OK
                : error_argument(adapter, copy->call, "pages that are in use on the target");
}

/* ---- The move -------------------------------------------------------------------------------- */

/* The ranges as one place. */
static struct placement copy_gather(const struct copy *copy) {
    struct extent *extents = copy->adapter->migration.extents;
    struct placement place = {.extents = extents, .extent_count = copy->count, .size = copy->size};
    uint64_t at = 0;
    for (uint32_t i = 0; i < copy->count; i++) {
        extents[i] = (struct extent){
            .offset = copy->ranges[i].offset, .size = copy->ranges[i].size, .at = at};
        at += copy->ranges[i].size;
    }
    place.offset = extents[0].offset;
    return place;
}

static bool copy_emit(struct plan *plan, const struct copy *copy, const struct placement *place) {
    struct vidmm_adapter *adapter = copy->adapter;
    const struct migration *migration = &adapter->migration;
    const struct segment *segment = query_segment(&adapter->facts, copy->id);
    const struct table_source source = {.view = {.segment = segment, .place = place}};
    const struct vidmm_place staging = {.mdl = migration->staging};
    const struct vidmm_place memory = {.segment = copy->id, .offset = place->offset};
    struct space *paging = adapter->physical[0].spaces.paging;
    if (!table_scratch(plan, paging, migration->window_va, migration->window_va + copy->size,
                       &source) ||
        !table_flush(plan, paging))
        return false;
    struct plan_op *op = plan_add(plan, VIDMM_OP_VIRTUAL_TRANSFER, NULL);
    if (!op)
        return false;
    op->op.size = copy->size;
    op->op.from = copy->in ? staging : memory;
    op->op.to = copy->in ? memory : staging;
    op->op.va_from = copy->in ? migration->staging_va : migration->window_va;
    op->op.va_to = copy->in ? migration->window_va : migration->staging_va;
    return true;
}

/* Restores the figures, except the cost of a GPU that hung: it concerns all devices. */
static void restore_figures(struct vidmm_adapter *adapter, struct vidmm_stats figures) {
    figures.resets = adapter->stats.resets;
    figures.engine_resets = adapter->stats.engine_resets;
    figures.preemptions = adapter->stats.preemptions;
    figures.resubmissions = adapter->stats.resubmissions;
    adapter->stats = figures;
}

/*
 * The copy leaves no trace outside of the migration: neither in the observer nor in the figures nor
 * in the next paging operations, which go into the buffer that they would have gone into.
 */
static enum vidmm_status run_aside(struct plan *plan) {
    struct vidmm_adapter *adapter = plan->adapter;
    const struct vidmm_stats figures = adapter->stats;
    const struct vidmm_observer observer = adapter->settings.observer;
    const uint32_t current = adapter->physical[0].paging.current;
    adapter->settings.observer.op_done = NULL;
    adapter->settings.observer.plan = NULL;
    enum vidmm_status status = plan_run(plan);
    adapter->settings.observer = observer;
    if (status == VIDMM_OK) {
        restore_figures(adapter, figures);
        adapter->physical[0].paging.current = current;
    }
    return status;
}

/* A GPU that hangs here is reset, and what was in use is then somewhere else: no second attempt. */
static enum vidmm_status copy_move(const struct copy *copy) {
    struct vidmm_adapter *adapter = copy->adapter;
    if (copy->count == 0)
        return VIDMM_OK;
    const struct placement place = copy_gather(copy);
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_MIGRATION);
    enum vidmm_status status =
        copy_emit(&plan, copy, &place) ? run_aside(&plan) : error_no_memory(adapter, copy->call);
    plan_end(&plan);
    if (status == VIDMM_GPU_LOST)
        (void)adapter_recover(adapter);
    return status;
}

enum vidmm_status vidmm_migration_read(struct vidmm_adapter *adapter, uint32_t id,
                                       const struct vidmm_memory_range *ranges, uint32_t count,
                                       void *out) {
    struct copy copy = {adapter, "vidmm_migration_read", id, ranges, count, false, 0};
    adapter_enter(adapter);
    enum vidmm_status status = migration_is(adapter, VIDMM_MIGRATION_SOURCE, copy.call);
    if (status == VIDMM_OK && migration_plane(adapter, id, copy.call, &status))
        status = copy_measure(&copy);
    if (status == VIDMM_OK)
        status = copy_move(&copy);
    if (status == VIDMM_OK && copy.size)
        memcpy(out, adapter->migration.cpu, (size_t)copy.size);
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_migration_write(struct vidmm_adapter *adapter, uint32_t id,
                                        const struct vidmm_memory_range *ranges, uint32_t count,
                                        const void *in) {
    struct copy copy = {adapter, "vidmm_migration_write", id, ranges, count, true, 0};
    adapter_enter(adapter);
    enum vidmm_status status = migration_is(adapter, VIDMM_MIGRATION_TARGET, copy.call);
    if (status == VIDMM_OK && migration_plane(adapter, id, copy.call, &status))
        status = copy_measure(&copy);
    if (status == VIDMM_OK)
        status = check_used(&copy);
    if (status == VIDMM_OK && copy.size)
        memcpy(adapter->migration.cpu, in, (size_t)copy.size);
    if (status == VIDMM_OK)
        status = copy_move(&copy);
    adapter_leave(adapter);
    return status;
}
