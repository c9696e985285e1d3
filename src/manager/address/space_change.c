/*
 * space_change.c - see space_change.h.
 */
#include "address/space_change.h"

#include "base/assert.h"
#include "base/process.h"
#include "object/allocation.h"
#include "address/companion.h"
#include "address/gather.h"
#include "address/privileged.h"

#define CALL "vidmm page tables"

/* ---- Roots ----------------------------------------------------------------------------------- */

/* On a physical adapter or several. */
static bool root_grew(const struct space *space) {
    while (space && !space->old_root.size)
        space = space->peer;
    return space;
}

/* The root has grown, or moved: the contexts run with the new one from now on (R256). Companion contexts are
 * idle: what they do is waited for. */
static enum vidmm_status tell_contexts(struct space *space) {
    struct vidmm_adapter *adapter = space->adapter;
    enum vidmm_status status = VIDMM_OK;
    if (!root_grew(space))
        return VIDMM_OK;
    if (!space_is_privileged(space))
        status = fence_wait_idle(adapter, UINT64_MAX, adapter->fences.submitted);
    if (status)
        return status;
    space_tell_contexts(space);
    return VIDMM_OK;
}

/* The root that has grown, or moved, is in use: the old one goes, whatever becomes of what is written there.
 */
static enum vidmm_status retire_root(struct space *space) {
    enum vidmm_status status = VIDMM_OK;
    struct plan plan;
    bool emitted = true;
    if (!root_grew(space))
        return VIDMM_OK;
    plan_begin(&plan, space->adapter, VIDMM_PLAN_ADDRESSES);
    for (; emitted && space; space = space->peer)
        emitted = !space->old_root.size || tables_emit_old_root(&plan, space);
    if (emitted)
        status = plan_run(&plan);
    plan_end(&plan);
    return status;
}

/* ---- A change -------------------------------------------------------------------------------- */

struct change {
    struct space *space;
    uint64_t start, end;
    const struct va_use *use; /* NULL: nothing, or what is copied */
    bool leads;               /* somewhere: it needs tables */
    bool tables;              /* only they are made: entries are another plan's */
    bool moves;               /* only the root does */
    /* An update of tiles: */
    const struct companion *companion; /* NULL: by the paging process */
    uint64_t from;                     /* what that led to is copied; 0: it is as the VA map says */
    const struct gathered *gathered;   /* NULL: [start, end) alone */
};

/* Of a change of one range, or of all that are gathered. */
static struct gathered_range change_part(const struct change *change, uint32_t index) {
    return change->gathered ? change->gathered->ranges[index]
                            : (struct gathered_range){change->start, change->end};
}

static uint32_t change_parts(const struct change *change) {
    return change->gathered ? change->gathered->count : change->end > change->start;
}

/* A new root leads to the same tables; hardware may remember that it led nowhere. */
static bool change_flush(struct plan *plan, struct space *space) {
    while (space && table_flush(plan, space))
        space = space->peer;
    return !space;
}

/* On each physical adapter. */
static bool change_write(struct plan *plan, const struct change *change) {
    struct space *space = change->tables ? NULL : change->space;
    if (change->moves)
        return change_flush(plan, space);
    for (; space; space = space->peer) {
        for (uint32_t i = 0; i < change_parts(change); i++) {
            const struct gathered_range part = change_part(change, i);
            if (!table_write_ptes(plan, space, part.start, part.end))
                return false;
        }
    }
    return true;
}

/* The GPU writes the fence behind the entries that it stands for. */
static bool change_signal(struct plan *plan, const struct gathered *gathered) {
    if (!gathered || !gathered->fence.address)
        return true;
    struct plan_op *op = plan_add(plan, VIDMM_OP_SIGNAL_FENCE, NULL);
    if (!op)
        return false;
    op->op.size = sizeof(gathered->fence.value);
    op->op.va_to = gathered->fence.address;
    op->op.value = gathered->fence.value;
    return true;
}

static bool change_emit(struct plan *plan, struct change *change, struct table **dying) {
    struct space *space = change->space;
    if (!change_write(plan, change))
        return false;
    if (!change->leads)
        *dying = tables_detach(space, change->start, change->end);
    return tables_emit_end(plan, *dying) && change_signal(plan, change->gathered);
}

/* The next addresses in a row from `at` on, in the range, that lead somewhere still; end 0: none. */
static struct gathered_range gathered_run(const struct va *va, const struct gathered_range *range,
                                          uint64_t at) {
    const struct mapping *mapping = va_find(va, at);
    struct gathered_range run = {0};
    while (mapping && mapping->start < range->end && mapping->use.kind == VA_NOTHING)
        mapping = mapping->after;
    if (!mapping || mapping->start >= range->end)
        return run;
    run = (struct gathered_range){mapping->start, mapping->end};
    for (mapping = mapping->after; mapping && mapping->start == run.end && run.end < range->end &&
                                   mapping->use.kind != VA_NOTHING;
         mapping = mapping->after)
        run.end = mapping->end;
    return run;
}

/* Behind the last address of all that leads somewhere still; 0: nothing does. */
static uint64_t gathered_end(const struct space *space) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < space->gathered.count; i++) {
        const struct gathered_range *range = &space->gathered.ranges[i];
        struct gathered_range run = gathered_run(space->va, range, range->start);
        for (; run.end; run = gathered_run(space->va, range, run.end))
            end = run.end > end ? run.end : end;
    }
    return end;
}

/* A root, which grows once, and tables below it. */
static enum vidmm_status prepare_gathered(struct space *space, struct tables_ready *ready) {
    uint64_t end = gathered_end(space);
    enum vidmm_status status = tables_prepare(space, end, end, ready);
    for (uint32_t i = 0; i < space->gathered.count; i++) {
        const struct gathered_range *range = &space->gathered.ranges[i];
        struct gathered_range run = gathered_run(space->va, range, range->start);
        for (; status == VIDMM_OK && run.end; run = gathered_run(space->va, range, run.end))
            status = tables_prepare(space, run.start, run.end, ready);
    }
    return status;
}

static enum vidmm_status change_prepare(const struct change *change, struct tables_ready *ready) {
    if (change->moves)
        return tables_prepare_roots(change->space, ready);
    if (change->gathered)
        return prepare_gathered(change->space, ready);
    return change->leads ? tables_prepare(change->space, change->start, change->end, ready)
                         : VIDMM_OK;
}

/* The VA map is enough where there are no tables, but a fence is still the GPU's to write. */
static enum vidmm_status change_nothing(const struct change *change) {
    struct plan plan;
    if (!change->gathered || !change->gathered->fence.address)
        return VIDMM_OK;
    plan_begin(&plan, change->space->adapter, VIDMM_PLAN_FENCE);
    enum vidmm_status status = change_signal(&plan, change->gathered)
                                   ? plan_run(&plan)
                                   : error_no_memory(change->space->adapter, CALL);
    plan_end(&plan);
    return status;
}

static enum vidmm_status change_attempt(void *ctx) {
    struct change *change = ctx;
    struct space *space = change->space;
    struct vidmm_adapter *adapter = space->adapter;
    struct table *dying = NULL;
    enum vidmm_status status = VIDMM_OK;
    if (space->away)
        return change_nothing(change);
    struct tables_ready ready = {.space = space};
    struct plan plan;
    status = change_prepare(change, &ready);
    if (status)
        return status;
    bool emitted =
        tables_begin(&plan, &ready, VIDMM_PLAN_ADDRESSES) && change_emit(&plan, change, &dying);
    status = emitted ? plan_run(&plan) : error_no_memory(adapter, CALL);
    plan_end(&plan);
    if (status == VIDMM_OK)
        status = tell_contexts(space);
    if (status) {
        tables_attach(dying);
        tables_drop(space);
        return status;
    }
    status = retire_root(space);
    tables_keep(space);
    tables_free(dying);
    return status;
}

/* ---- On a companion context ------------------------------------------------------------------ */

/* Copies the entries of the mapping from where `source` maps all of its pool, row by row. */
static bool copy_rows(struct plan *plan, const struct change *change,
                      const struct table_copied *source) {
    const struct mapping *mapping = va_find(change->space->va, change->start);
    for (uint64_t at = change->start, row; at < change->end; at += row) {
        const struct table_copied part = {source->space,
                                          source->from + va_offset(mapping, at, &row)};
        if (!table_copy(plan, &part, change->space, at, at + row))
            return false;
    }
    return true;
}

/* Maps what the entries are copied from: other tiles, or the pool that `use` leads to. `from` is 0
 * where they cannot be copied. */
static enum vidmm_status map_source(const struct change *change, const struct va_use *use,
                                    struct table_copied *source) {
    const struct companion *companion = change->companion;
    struct space *space = change->space, *privileged = space_privileged_of(space);
    enum vidmm_status status = VIDMM_OK;
    *source = (struct table_copied){change->from ? space : privileged, change->from};
    if (change->from)
        return privileged_map_tables(companion, space, change->from,
                                     change->from + (change->end - change->start));
    status = privileged_map_pool(companion, use, &source->from);
    if (status == VIDMM_OK && source->from)
        status = privileged_map_tables(companion, privileged, source->from,
                                       source->from + use->allocation->size);
    return status;
}

/* Making tables may have cost the pool its place. */
static bool write_late(struct plan *plan, const struct change *change, const struct va_use *use,
                       const struct table_copied *source) {
    if (change->from)
        return table_copy(plan, source, change->space, change->start, change->end);
    return source->from && use->allocation->segment
               ? copy_rows(plan, change, source)
               : table_write_ptes(plan, change->space, change->start, change->end);
}

/* Maps tables and pool for the companion context, which then changes the entries. */
static enum vidmm_status run_companion(const struct change *change) {
    struct vidmm_adapter *adapter = change->space->adapter;
    const struct va_use use = va_find(change->space->va, change->start)->use;
    struct table_copied source;
    enum vidmm_status status =
        privileged_map_tables(change->companion, change->space, change->start, change->end);
    if (status == VIDMM_OK)
        status = map_source(change, &use, &source);
    if (status)
        return status;
    struct plan plan;
    plan_begin(&plan, adapter, VIDMM_PLAN_ADDRESSES);
    plan.line = &change->companion->line;
    bool written = write_late(&plan, change, &use, &source);
    status = written ? plan_run(&plan) : error_no_memory(adapter, CALL);
    plan_end(&plan);
    return status;
}

/* New tables are made before, and tables without a use go afterwards: entries are
 * changed by then, so that without memory for that plan they stay. */
static enum vidmm_status attempt_update(struct change *change) {
    struct change tables = *change;
    tables.tables = true;
    if (!change->companion || !change->companion->context || change->space->away)
        return change_attempt(change);
    enum vidmm_status status = change->leads ? change_attempt(&tables) : VIDMM_OK;
    if (status == VIDMM_OK && !change->space->away)
        status = run_companion(change);
    if (status || change->leads)
        return status;
    status = change_attempt(&tables);
    return status == VIDMM_NO_MEMORY ? VIDMM_OK : status;
}

/* ---- The VA map ------------------------------------------------------------------------------ */

struct saved {
    uint64_t start, end;
    struct va_use use;
};

/* What [start, end) was used for, in order. */
struct snapshot {
    struct saved *ranges;
    uint32_t count, capacity;
};

static bool take_snapshot(struct space *space, uint64_t start, uint64_t end,
                          struct snapshot *snapshot) {
    for (const struct mapping *mapping = va_find(space->va, start); mapping && mapping->start < end;
         mapping = mapping->after) {
        if (!adapter_grow(space->adapter, (void **)&snapshot->ranges, &snapshot->capacity,
                          snapshot->count + 1, sizeof(*snapshot->ranges)))
            return false;
        snapshot->ranges[snapshot->count++] =
            (struct saved){mapping->start > start ? mapping->start : start,
                           mapping->end < end ? mapping->end : end, mapping->use};
    }
    /* To put them back shall need no memory. */
    return va_prepare(space->va, snapshot->count + 2 * VA_SET_NODES);
}

static void free_snapshot(struct space *space, struct snapshot *snapshot) {
    adapter_free(space->adapter, snapshot->ranges, snapshot->capacity * sizeof(*snapshot->ranges));
}

static void change_put_back(struct space *space, uint64_t start, uint64_t end,
                            const struct snapshot *snapshot) {
    (void)va_set(space->va, start, end, NULL);
    for (uint32_t i = 0; i < snapshot->count; i++)
        (void)va_set(space->va, snapshot->ranges[i].start, snapshot->ranges[i].end,
                     &snapshot->ranges[i].use);
}

/* The VA map of a copy: what was read of the source goes to the target's reservation. */
static bool set_copies(const struct change *change, const struct snapshot *source) {
    struct va *va = change->space->va;
    const struct va_use target = va_find(va, change->start)->use;
    uint64_t by = change->start - change->from;
    for (uint32_t i = 0; i < source->count; i++) {
        struct va_use use = source->ranges[i].use;
        use.origin += by;
        use.reservation = target.reservation;
        use.reserved_kind = target.reserved_kind;
        use.reserved_protection = target.reserved_protection;
        use.owner = target.owner;
        if (!va_set(va, source->ranges[i].start + by, source->ranges[i].end + by, &use))
            return false;
    }
    return true;
}

static bool set_va_map(const struct change *change) {
    struct space *space = change->space;
    uint64_t size = change->end - change->start;
    struct snapshot source = {0};
    if (!change->from)
        return va_set(space->va, change->start, change->end, change->use);
    bool set = take_snapshot(space, change->from, change->from + size, &source) &&
               set_copies(change, &source);
    free_snapshot(space, &source);
    return set;
}

/* Changes the VA map and the tables, or neither. The VA map is put back before a GPU that hangs is
 * reset: the reset writes the tables from it, and what follows may fail, or copy from there. */
static enum vidmm_status attempt_change(void *ctx) {
    struct change *change = ctx;
    struct space *space = change->space;
    struct snapshot before = {0};
    enum vidmm_status status = VIDMM_OK;
    bool taken = take_snapshot(space, change->start, change->end, &before);
    if (!taken || !set_va_map(change))
        status = error_no_memory(space->adapter, CALL);
    else if (!space->adapter->stopped)
        status = attempt_update(change);
    if (taken && status)
        change_put_back(space, change->start, change->end, &before);
    free_snapshot(space, &before);
    return status;
}

static struct change change_to(struct space *space, uint64_t start, uint64_t end,
                               const struct va_use *use) {
    return (struct change){.space = space,
                           .start = start,
                           .end = end,
                           .use = use,
                           .leads = use && use->kind != VA_NOTHING};
}

enum vidmm_status space_change_once(struct space *space, uint64_t start, uint64_t end,
                                    const struct va_use *use) {
    struct change change = change_to(space, start, end, use);
    return attempt_change(&change);
}

enum vidmm_status space_change(struct space *space, uint64_t start, uint64_t end,
                               const struct va_use *use) {
    return space_retarget(space, NULL, start, end, use);
}

enum vidmm_status space_change_gathered(struct space *space) {
    VIDMM_ASSERT_LOCKED(space->adapter);
    struct change change = {.space = space, .leads = true, .gathered = &space->gathered};
    return adapter_persist(space->adapter, change_attempt, &change);
}

enum vidmm_status space_retarget(struct space *space, const struct companion *companion,
                                 uint64_t start, uint64_t end, const struct va_use *use) {
    VIDMM_ASSERT_LOCKED(space->adapter);
    struct change change = change_to(space, start, end, use);
    change.companion = companion;
    return adapter_persist(space->adapter, attempt_change, &change);
}

enum vidmm_status space_copy(struct space *space, const struct companion *companion, uint64_t from,
                             uint64_t to, uint64_t size) {
    struct change change = {.space = space,
                            .start = to,
                            .end = to + size,
                            .leads = true,
                            .companion = companion,
                            .from = from};
    return adapter_persist(space->adapter, attempt_change, &change);
}

/* A mapping as a whole: the VA map needs no memory for it, and is never put back. */
enum vidmm_status space_unmap(const struct mapping *mapping) {
    struct space *space = space_of(mapping);
    const struct va_use *old = &mapping->use;
    const struct va_use use = {.kind = old->reserved_kind,
                               .driver_protection = old->reserved_protection,
                               .reservation = old->reservation,
                               .reserved_kind = old->reserved_kind,
                               .reserved_protection = old->reserved_protection,
                               .owner = old->owner};
    struct change change = {.space = space,
                            .start = mapping->start,
                            .end = mapping->end,
                            .leads = old->reservation && use.kind != VA_NOTHING};
    (void)va_set(space->va, change.start, change.end, old->reservation ? &use : NULL);
    return space->adapter->stopped ? VIDMM_OK
                                   : adapter_persist(space->adapter, change_attempt, &change);
}

enum vidmm_status space_forget(struct vidmm_adapter *adapter, struct vidmm_allocation *allocation) {
    enum vidmm_status status = VIDMM_OK;
    (void)adapter;
    while (allocation->mappings) {
        enum vidmm_status one = space_unmap(allocation->mappings);
        status = status ? status : one;
    }
    return status;
}

/* ---- Spaces ---------------------------------------------------------------------------------- */

static struct space *make_one(struct vidmm_process *process, uint32_t physical, bool paging) {
    struct vidmm_adapter *adapter = process->adapter;
    struct space *space = adapter_alloc(adapter, sizeof(*space));
    if (!space)
        return NULL;
    *space = (struct space){.adapter = adapter,
                            .process = process,
                            .physical = physical,
                            .mmu = &adapter->facts.physical[physical].mmu,
                            .paging = paging};
    space->va = &space->own;
    return space;
}

static void free_peers(struct space *space) {
    while (space) {
        struct space *peer = space->peer;
        adapter_free(space->adapter, space, sizeof(*space));
        space = peer;
    }
}

enum vidmm_status space_make(struct vidmm_process *process, struct space **out) {
    struct vidmm_adapter *adapter = process->adapter;
    struct space *first = make_one(process, 0, false), *last = first;
    for (uint32_t i = 1; last && i < adapter->facts.linked; i++) {
        last->peer = make_one(process, i, false);
        last = last->peer;
        if (last)
            last->va = first->va;
    }
    if (!last) {
        free_peers(first);
        return error_no_memory(adapter, "vidmm_process_create");
    }
    va_init(first->va, &adapter->os, first->mmu->limit);
    first->va->from = adapter->settings.address_from;
    *out = first;
    return VIDMM_OK;
}

enum vidmm_status space_make_paging(struct vidmm_process *process, uint32_t physical,
                                    struct space **out) {
    struct space *space = make_one(process, physical, true);
    if (!space)
        return error_no_memory(process->adapter, "vidmm_process_create");
    va_init(space->va, &process->adapter->os, space->mmu->limit);
    *out = space;
    return VIDMM_OK;
}

enum vidmm_status space_root(struct space *space) {
    uint64_t end = space->va->root ? space->va->root->high : 0; /* what the driver reserved */
    struct change change = {.space = space, .start = end, .end = end, .leads = true};
    return adapter_persist(space->adapter, change_attempt, &change);
}

enum vidmm_status space_move_root(struct space *space) {
    VIDMM_ASSERT_LOCKED(space->adapter);
    struct change change = {.space = space, .leads = true, .moves = true};
    return adapter_persist(space->adapter, change_attempt, &change);
}

static enum vidmm_status change_leave(void *ctx) {
    struct space *space = ctx;
    struct plan plan;
    bool emitted = true;
    plan_begin(&plan, space->adapter, VIDMM_PLAN_ADDRESSES);
    for (struct space *one = space; emitted && one; one = one->peer)
        emitted = tables_emit_leave(&plan, one);
    enum vidmm_status status = emitted ? plan_run(&plan) : error_no_memory(space->adapter, CALL);
    plan_end(&plan);
    return status;
}

void space_end(struct space *space) {
    struct vidmm_adapter *adapter = space->adapter;
    if (space->root && !space->paging && !adapter->stopped)
        (void)adapter_persist(adapter, change_leave, space);
    for (struct space *one = space; one; one = one->peer)
        tables_end(one);
    gather_end(space);
    va_destroy(space->va);
    free_peers(space);
}
