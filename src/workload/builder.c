/*
 * builder.c - appends events to a workload; see builder.h.
 */
#include "builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/printable.h>

#define PAGE 4096u

static uint64_t page_rounded(uint64_t size) {
    return (size + (PAGE - 1)) & ~(uint64_t)(PAGE - 1);
}

/* Makes room for `more` items behind `count`; `room` is what there is. */
static enum builder_result reserve(void **items, size_t *room, size_t count, size_t more,
                                   size_t item, size_t max) {
    if (more > max || count > max - more)
        return BUILDER_TOO_MUCH;
    if (count + more <= *room)
        return BUILDER_OK;
    size_t grown = *room < 64 ? 64 : *room * 2;
    if (grown < count + more)
        grown = count + more;
    void *moved = realloc(*items, grown * item);
    if (!moved)
        return BUILDER_NO_MEMORY;
    *items = moved;
    *room = grown;
    return BUILDER_OK;
}

void builder_start(struct builder *builder, const char *name) {
    memset(builder, 0, sizeof(*builder));
    vidmm_printable_copy(name, builder->workload.name, sizeof(builder->workload.name));
}

void builder_finish(struct builder *builder, struct vidmm_workload *out) {
    free(builder->allocations);
    free(builder->ranges);
    *out = builder->workload;
    memset(builder, 0, sizeof(*builder));
}

void builder_abandon(struct builder *builder) {
    struct vidmm_workload workload;
    builder_finish(builder, &workload);
    vidmm_workload_free(&workload);
}

void vidmm_workload_free(struct vidmm_workload *workload) {
    free(workload->events);
    free(workload->lists);
    memset(workload, 0, sizeof(*workload));
}

static enum builder_result append(struct builder *builder, const struct vidmm_event *event) {
    struct vidmm_workload *workload = &builder->workload;
    void *events = workload->events;
    enum builder_result result = reserve(&events, &builder->event_room, workload->event_count, 1,
                                         sizeof(*workload->events), BUILDER_EVENTS_MAX);
    workload->events = events;
    if (result != BUILDER_OK)
        return result;
    workload->events[workload->event_count++] = *event;
    if (workload->process_count <= event->process)
        workload->process_count = event->process + 1;
    return BUILDER_OK;
}

enum builder_result builder_alloc(struct builder *builder, const struct builder_alloc *alloc,
                                  uint32_t *index) {
    struct vidmm_workload *workload = &builder->workload;
    void *allocations = builder->allocations;
    enum builder_result result =
        reserve(&allocations, &builder->allocation_room, workload->allocation_count, 1,
                sizeof(*builder->allocations), BUILDER_ALLOCATIONS_MAX);
    builder->allocations = allocations;
    if (result != BUILDER_OK)
        return result;
    const struct vidmm_event event = {.kind = VIDMM_EVENT_ALLOC,
                                      .process = alloc->process,
                                      .allocation = workload->allocation_count,
                                      .size = alloc->size,
                                      .umd_flags = alloc->umd_flags,
                                      .priority = alloc->priority};
    result = append(builder, &event);
    if (result != BUILDER_OK)
        return result;
    *index = workload->allocation_count++;
    builder->allocations[*index] =
        (struct builder_allocation){.size = alloc->size, .process = alloc->process, .live = true};
    builder->live_bytes += page_rounded(alloc->size);
    if (workload->peak_live_bytes < builder->live_bytes)
        workload->peak_live_bytes = builder->live_bytes;
    return BUILDER_OK;
}

enum builder_result builder_touch(struct builder *builder, enum vidmm_event_kind kind,
                                  uint32_t index) {
    struct builder_allocation *allocation = &builder->allocations[index];
    const struct vidmm_event event = {
        .kind = kind, .process = allocation->process, .allocation = index};
    enum builder_result result = append(builder, &event);
    if (result == BUILDER_OK && kind == VIDMM_EVENT_FREE) {
        allocation->live = false;
        builder->live_bytes -= page_rounded(allocation->size);
    }
    if (kind == VIDMM_EVENT_OFFER || kind == VIDMM_EVENT_RECLAIM)
        allocation->offered = kind == VIDMM_EVENT_OFFER;
    return result;
}

static enum builder_result add_range(struct builder *builder, struct vidmm_event *event) {
    struct vidmm_workload *workload = &builder->workload;
    void *ranges = builder->ranges;
    enum builder_result result = reserve(&ranges, &builder->range_room, workload->range_count, 1,
                                         sizeof(*builder->ranges), BUILDER_RANGES_MAX);
    builder->ranges = ranges;
    if (result != BUILDER_OK)
        return result;
    if (event->size > BUILDER_RANGE_BYTES_MAX - builder->range_bytes)
        return BUILDER_TOO_MUCH;
    builder->range_bytes += event->size;
    event->range = workload->range_count++;
    builder->ranges[event->range] =
        (struct builder_range){.size = event->size,
                               .process = event->process,
                               .live = true,
                               .reserved = event->kind == VIDMM_EVENT_RESERVE};
    return BUILDER_OK;
}

enum builder_result builder_range(struct builder *builder, struct vidmm_event *event) {
    enum builder_result result = BUILDER_OK;
    if (event->kind == VIDMM_EVENT_RESERVE || event->kind == VIDMM_EVENT_VIEW)
        result = add_range(builder, event);
    else
        event->process = builder->ranges[event->range].process;
    if (result == BUILDER_OK)
        result = append(builder, event);
    if (result == BUILDER_OK && event->kind == VIDMM_EVENT_RELEASE) {
        builder->ranges[event->range].live = false;
        builder->range_bytes -= builder->ranges[event->range].size;
    }
    return result;
}

enum builder_result builder_present(struct builder *builder, uint32_t process) {
    const struct vidmm_event event = {.kind = VIDMM_EVENT_PRESENT, .process = process};
    return append(builder, &event);
}

/* Appends those `indices` to the lists that this submission has not named yet. */
static uint32_t name_all(struct builder *builder, const uint32_t *indices, size_t count,
                         uint32_t *to) {
    uint32_t named = 0;
    for (size_t i = 0; i < count; i++) {
        struct builder_allocation *allocation = &builder->allocations[indices[i]];
        if (allocation->named != builder->submissions) {
            allocation->named = builder->submissions;
            to[named++] = indices[i];
        }
    }
    return named;
}

enum builder_result builder_submit(struct builder *builder, uint32_t process, const uint32_t *reads,
                                   size_t read_count, const uint32_t *writes, size_t write_count) {
    struct vidmm_workload *workload = &builder->workload;
    void *lists = workload->lists;
    enum builder_result result =
        reserve(&lists, &builder->list_room, workload->list_count, read_count + write_count,
                sizeof(*workload->lists), BUILDER_LISTS_MAX);
    workload->lists = lists;
    if (result != BUILDER_OK)
        return result;
    builder->submissions++;
    uint32_t read_named = 0, write_named = 0;
    if (read_count + write_count != 0) {
        /* Writes are added first, because a write replaces a read, but stored behind the reads. */
        uint32_t *list = workload->lists + workload->list_count;
        write_named = name_all(builder, writes, write_count, list + read_count);
        read_named = name_all(builder, reads, read_count, list);
        memmove(list + read_named, list + read_count, write_named * sizeof(*list));
    }
    const struct vidmm_event event = {.kind = VIDMM_EVENT_SUBMIT,
                                      .process = process,
                                      .first = (uint32_t)workload->list_count,
                                      .reads = read_named,
                                      .writes = write_named};
    workload->list_count += write_named + read_named;
    return append(builder, &event);
}
