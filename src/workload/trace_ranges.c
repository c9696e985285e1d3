/*
 * trace_ranges.c - the lines of a recording with events of ranges of GPU addresses; see trace.h.
 */
#include "trace.h"

/* A number of bytes that is whole tiles. */
static bool read_tiles(const struct member_line *line, const char *key, uint64_t least,
                       uint64_t most, uint64_t *value) {
    if (!member_number(line, key, least, most, value))
        return false;
    if (*value % VIDMM_TILE_BYTES == 0)
        return true;
    return member_fail(line, key, MEMBER_WHOLE, "\"%s\" must be a multiple of %llu", key,
                       (unsigned long long)VIDMM_TILE_BYTES);
}

/* The range of that id, made before; its builder index, or UINT32_MAX with the error filled in. */
static uint32_t find_range(struct trace *trace, const struct member_line *line, const char *key,
                           bool live) {
    uint64_t id;
    if (!member_number(line, key, 0, INT64_MAX, &id))
        return UINT32_MAX;
    uint32_t index = trace_ids_find(&trace->ranges, id);
    if (index != TRACE_NO_INDEX && trace->builder.ranges[index].live == live)
        return index;
    member_fail(line, key, MEMBER_WHOLE, "range %llu was %s", (unsigned long long)id,
                index == TRACE_NO_INDEX ? "never made"
                : live                  ? "released"
                                        : "not released, expected one whose addresses are free");
    return UINT32_MAX;
}

/* The allocation and where in it; the part must lie inside. */
static bool read_target(struct trace *trace, const struct member_line *line,
                        struct vidmm_event *event) {
    uint64_t id;
    if (!member_number(line, "id", 0, INT64_MAX, &id))
        return false;
    event->allocation = trace_find_usable(trace, line, "id", MEMBER_WHOLE, id);
    if (event->allocation == UINT32_MAX)
        return false;
    uint64_t bytes = trace->builder.allocations[event->allocation].size;
    return (event->size <= bytes ||
            member_fail(line, "size", MEMBER_WHOLE, "id %llu has %llu bytes",
                        (unsigned long long)id, (unsigned long long)bytes)) &&
           read_tiles(line, "offset", 0, bytes - event->size, &event->offset);
}

static bool made_range(struct trace *trace, const struct member_line *line,
                       struct vidmm_event *event) {
    uint64_t id;
    return trace_new_id(line, "range", &trace->ranges, &id) &&
           trace_built(line, builder_range(&trace->builder, event)) &&
           trace_keep_id(line, &trace->ranges, id, event->range);
}

bool trace_reserve(struct trace *trace, const struct member_line *line) {
    struct vidmm_event event = {.kind = VIDMM_EVENT_RESERVE};
    return read_tiles(line, "size", 1, BUILDER_RANGE_BYTES_MAX, &event.size) &&
           made_range(trace, line, &event);
}

bool trace_view(struct trace *trace, const struct member_line *line) {
    struct vidmm_event event = {.kind = VIDMM_EVENT_VIEW, .like = VIDMM_EVENT_NOTHING};
    if (json_object_get(line->object, "like")) {
        event.like = find_range(trace, line, "like", false);
        if (event.like == UINT32_MAX)
            return false;
    }
    return read_tiles(line, "size", 1, BUILDER_RANGE_BYTES_MAX, &event.size) &&
           read_target(trace, line, &event) && made_range(trace, line, &event);
}

bool trace_release(struct trace *trace, const struct member_line *line) {
    struct vidmm_event event = {.kind = VIDMM_EVENT_RELEASE,
                                .range = find_range(trace, line, "range", true)};
    return event.range != UINT32_MAX && trace_built(line, builder_range(&trace->builder, &event));
}

/* The part of a reserved range that an event names. */
static bool read_part(struct trace *trace, const struct member_line *line,
                      struct vidmm_event *event) {
    event->range = find_range(trace, line, "range", true);
    if (event->range == UINT32_MAX)
        return false;
    const struct builder_range *range = &trace->builder.ranges[event->range];
    if (!range->reserved)
        return member_fail(line, "range", MEMBER_WHOLE,
                           "this range is a view, expected a reserved one");
    return read_tiles(line, "size", 1, range->size, &event->size) &&
           read_tiles(line, "at", 0, range->size - event->size, &event->at);
}

bool trace_bind(struct trace *trace, const struct member_line *line) {
    struct vidmm_event event = {.kind = VIDMM_EVENT_BIND};
    return read_part(trace, line, &event) && read_target(trace, line, &event) &&
           trace_built(line, builder_range(&trace->builder, &event));
}

bool trace_unbind(struct trace *trace, const struct member_line *line) {
    struct vidmm_event event = {.kind = VIDMM_EVENT_UNBIND};
    return read_part(trace, line, &event) &&
           trace_built(line, builder_range(&trace->builder, &event));
}

bool trace_copy(struct trace *trace, const struct member_line *line) {
    struct vidmm_event event = {.kind = VIDMM_EVENT_COPY};
    return read_part(trace, line, &event) &&
           read_tiles(line, "from", 0, trace->builder.ranges[event.range].size - event.size,
                      &event.offset) &&
           trace_built(line, builder_range(&trace->builder, &event));
}
