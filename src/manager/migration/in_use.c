/*
 * in_use.c - see in_use.h.
 */
#include "migration/in_use.h"

#include "base/bitmap.h"
#include "base/process.h"
#include "object/allocation.h"
#include "lists/budget.h"

/* What is marked where. */
struct marking {
    const struct segment *segment;
    uint32_t unit;
    uint8_t *map;
};

static void in_use_mark_one(const struct marking *marking, uint64_t offset, uint64_t size) {
    uint64_t last = offset + size + marking->unit - 1;
    bitmap_set(marking->map, offset / marking->unit, last / marking->unit, true);
}

static void mark_place(const struct marking *marking, const struct segment *segment,
                       const struct placement *place) {
    if (segment != marking->segment)
        return;
    for (uint32_t i = 0; i < place->extent_count; i++)
        in_use_mark_one(marking, place->extents[i].offset, place->extents[i].size);
    if (!place->extents)
        in_use_mark_one(marking, place->offset, place->size);
}

static void mark_allocation(void *ctx, struct vidmm_allocation *allocation) {
    if (allocation->segment)
        mark_place(ctx, allocation->segment, &allocation->place);
}

static void mark_memory(const struct marking *marking, const struct table_memory *memory) {
    if (memory->size && memory->segment)
        mark_place(marking, memory->segment, &memory->place);
}

static void mark_table(const struct marking *marking, const struct table *table) {
    mark_memory(marking, &table->memory[0]);
    mark_memory(marking, &table->memory[1]);
    for (uint32_t i = 0; table->child && i < table->entries; i++) {
        if (table->child[i])
            mark_table(marking, table->child[i]);
    }
}

static void mark_space(const struct marking *marking, const struct space *space) {
    if (space && space->root)
        mark_table(marking, space->root);
    if (space)
        mark_memory(marking, &space->old_root);
}

void in_use_mark(struct vidmm_adapter *adapter, const struct segment *segment, uint32_t unit,
                 uint8_t *map) {
    struct marking marking = {segment, unit, map};
    allocation_each(adapter, mark_allocation, &marking);
    for (const struct vidmm_process *process = adapter->processes.first; process;
         process = process->next)
        mark_space(&marking, process->space);
}

/* Every page of [offset, end) that is not in use. */
static enum vidmm_status take_rest(struct vidmm_adapter *adapter, struct segment *segment,
                                   uint64_t offset, uint64_t end) {
    for (uint64_t at = offset; at < end; at += segment->page_size) {
        struct placer_block *block;
        enum placer_result result =
            placer_alloc_at(&segment->placer, at, segment->page_size, &block);
        if (result == PLACER_NO_MEMORY)
            return error_no_memory(adapter, "vidmm_adapter_start");
        if (result == PLACER_OK)
            budget_keep(adapter, segment, segment->page_size, false);
    }
    return VIDMM_OK;
}

enum vidmm_status in_use_separate(struct vidmm_adapter *adapter, struct segment *segment,
                                  uint32_t unit) {
    uint64_t units = (segment->size + unit - 1) / unit;
    uint8_t *map = adapter_alloc(adapter, bitmap_bytes(units));
    struct marking marking = {segment, unit, map};
    enum vidmm_status status = VIDMM_OK;
    if (!map)
        return error_no_memory(adapter, "vidmm_adapter_start");
    mark_space(&marking, adapter->physical[0].process->space);
    for (struct bitmap_run run = bitmap_run(map, 0, units);
         status == VIDMM_OK && run.first < run.end; run = bitmap_run(map, run.end, units)) {
        uint64_t end = run.end * unit;
        status = take_rest(adapter, segment, run.first * unit,
                           end < segment->size ? end : segment->size);
    }
    adapter_free(adapter, map, bitmap_bytes(units));
    return status;
}
