/*
 * trace.c - reads recordings (docs/workloads.md): a header line, then one event a line.
 *
 * A recording is not trusted: ids must be new at their ALLOC and live elsewhere, sizes and counts
 * are bounded, and the first error ends the reading with its line and column. Times are ignored:
 * the order of the lines is the order of the events.
 */
#include <stdlib.h>
#include <string.h>

#include <vidmm/umd.h>

#include "trace.h"

static bool no_memory(const struct member_line *line) {
    return lines_fail(line->error, line->name, 0, 0, "out of memory");
}

bool trace_built(const struct member_line *line, enum builder_result result) {
    if (result == BUILDER_NO_MEMORY)
        return no_memory(line);
    if (result == BUILDER_TOO_MUCH)
        return lines_fail(
            line->error, line->name, line->number, 1,
            "a recording may have at most %u events, %u allocations, %u references, %u ranges "
            "and %llu bytes in ranges at once",
            BUILDER_EVENTS_MAX, BUILDER_ALLOCATIONS_MAX, BUILDER_LISTS_MAX, BUILDER_RANGES_MAX,
            (unsigned long long)BUILDER_RANGE_BYTES_MAX);
    return true;
}

/* The live allocation with this id, or UINT32_MAX with the error filled in. */
static uint32_t find_live(struct trace *trace, const struct member_line *line, const char *key,
                          size_t item, uint64_t id) {
    uint32_t index = trace_ids_find(&trace->ids, id);
    if (index == TRACE_NO_INDEX) {
        member_fail(line, key, item, "id %llu was never allocated", (unsigned long long)id);
        return UINT32_MAX;
    }
    if (!trace->builder.allocations[index].live) {
        member_fail(line, key, item, "id %llu has been freed", (unsigned long long)id);
        return UINT32_MAX;
    }
    return index;
}

uint32_t trace_find_usable(struct trace *trace, const struct member_line *line, const char *key,
                           size_t item, uint64_t id) {
    uint32_t index = find_live(trace, line, key, item, id);
    if (index == UINT32_MAX || !trace->builder.allocations[index].offered)
        return index;
    member_fail(line, key, item, "id %llu is offered, expected it to be reclaimed first",
                (unsigned long long)id);
    return UINT32_MAX;
}

bool trace_new_id(const struct member_line *line, const char *key, const struct trace_ids *ids,
                  uint64_t *id) {
    if (!member_number(line, key, 0, INT64_MAX, id))
        return false;
    return trace_ids_find(ids, *id) == TRACE_NO_INDEX ||
           member_fail(line, key, MEMBER_WHOLE, "%s %llu was %s before, expected a new one", key,
                       (unsigned long long)*id, strcmp(key, "id") == 0 ? "allocated" : "made");
}

bool trace_keep_id(const struct member_line *line, struct trace_ids *ids, uint64_t id,
                   uint32_t index) {
    return trace_ids_add(ids, id, index) || no_memory(line);
}

bool trace_make_room(struct trace *trace, size_t indices) {
    if (indices <= trace->named_room)
        return true;
    uint32_t *named = realloc(trace->named, 2 * indices * sizeof(*named));
    if (!named)
        return false;
    trace->named = named;
    trace->named_room = 2 * indices;
    return true;
}

/* ---- One function an op ---------------------------------------------------------------------- */

static bool has_flag(const json_t *flags, const char *name) {
    size_t i;
    json_t *flag;
    json_array_foreach(flags, i, flag) {
        if (json_is_string(flag) && strcmp(json_string_value(flag), name) == 0)
            return true;
    }
    return false;
}

uint32_t trace_umd_flags(uint64_t heap, const struct trace_alloc_flags *flags) {
    uint32_t out = heap == 0 ? VIDMM_UMD_LOCAL : 0;
    if (heap == 0 && flags->in_vpr)
        out |= VIDMM_UMD_IN_VPR;
    if (!flags->host_visible)
        return out;
    return out | VIDMM_UMD_CPU_VISIBLE | (heap != 0 && flags->host_cached ? VIDMM_UMD_CACHED : 0);
}

static bool umd_flags(const struct member_line *line, uint64_t heap, uint32_t *out) {
    struct trace_alloc_flags said = {0};
    if (json_object_get(line->object, "flags")) {
        const json_t *flags = member_array(line, "flags");
        if (!flags)
            return false;
        said = (struct trace_alloc_flags){.in_vpr = has_flag(flags, "protected"),
                                          .host_visible = has_flag(flags, "host_visible"),
                                          .host_cached = has_flag(flags, "host_cached")};
    }
    *out = trace_umd_flags(heap, &said);
    return true;
}

static bool read_alloc(struct trace *trace, const struct member_line *line) {
    struct builder_alloc alloc = {0};
    uint64_t id, heap;
    uint32_t index;
    if (!member_number(line, "id", 0, INT64_MAX, &id) ||
        !member_number(line, "size", 1, BUILDER_SIZE_MAX, &alloc.size) ||
        !member_number(line, "heap", 0, 1, &heap) || !umd_flags(line, heap, &alloc.umd_flags))
        return false;
    return trace_new_id(line, "id", &trace->ids, &id) &&
           trace_built(line, builder_alloc(&trace->builder, &alloc, &index)) &&
           trace_keep_id(line, &trace->ids, id, index);
}

static bool read_touch(struct trace *trace, const struct member_line *line,
                       enum vidmm_event_kind kind) {
    uint64_t id;
    if (!member_number(line, "id", 0, INT64_MAX, &id))
        return false;
    bool any = kind == VIDMM_EVENT_FREE || kind == VIDMM_EVENT_RECLAIM;
    uint32_t index = any ? find_live(trace, line, "id", MEMBER_WHOLE, id)
                         : trace_find_usable(trace, line, "id", MEMBER_WHOLE, id);
    if (index == UINT32_MAX)
        return false;
    if (kind == VIDMM_EVENT_RECLAIM && !trace->builder.allocations[index].offered)
        return member_fail(line, "id", MEMBER_WHOLE, "id %llu is not offered",
                           (unsigned long long)id);
    return trace_built(line, builder_touch(&trace->builder, kind, index));
}

static bool read_free(struct trace *trace, const struct member_line *line) {
    return read_touch(trace, line, VIDMM_EVENT_FREE);
}

static bool read_offer(struct trace *trace, const struct member_line *line) {
    return read_touch(trace, line, VIDMM_EVENT_OFFER);
}

static bool read_reclaim(struct trace *trace, const struct member_line *line) {
    return read_touch(trace, line, VIDMM_EVENT_RECLAIM);
}

static bool read_map(struct trace *trace, const struct member_line *line) {
    return read_touch(trace, line, VIDMM_EVENT_MAP);
}

static bool read_unmap(struct trace *trace, const struct member_line *line) {
    return read_touch(trace, line, VIDMM_EVENT_UNMAP);
}

/* The indices of one list, into `to`. */
static bool read_list(struct trace *trace, const struct member_line *line, const char *key,
                      const json_t *list, uint32_t *to) {
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) {
        if (!json_is_integer(item) || json_integer_value(item) < 0)
            return member_fail(line, key, i, "\"%s\" must be a list of ids, whole numbers from 0",
                               key);
        to[i] = trace_find_usable(trace, line, key, i, (uint64_t)json_integer_value(item));
        if (to[i] == UINT32_MAX)
            return false;
    }
    return true;
}

static bool read_submit(struct trace *trace, const struct member_line *line) {
    const json_t *reads = member_array(line, "reads");
    const json_t *writes = !reads ? NULL : member_array(line, "writes");
    if (!writes)
        return false;
    size_t read_count = json_array_size(reads), write_count = json_array_size(writes);
    if (!trace_make_room(trace, read_count + write_count))
        return no_memory(line);
    uint32_t *written = read_count == 0 ? trace->named : trace->named + read_count;
    return read_list(trace, line, "reads", reads, trace->named) &&
           read_list(trace, line, "writes", writes, written) &&
           trace_built(line, builder_submit(&trace->builder, 0, trace->named, read_count, written,
                                            write_count));
}

static bool read_present(struct trace *trace, const struct member_line *line) {
    return trace_built(line, builder_present(&trace->builder, 0));
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static const struct {
    const char *op;
    bool (*read)(struct trace *trace, const struct member_line *line);
} ops[] = {
    {"alloc", read_alloc},      {"free", read_free},       {"map", read_map},
    {"unmap", read_unmap},      {"submit", read_submit},   {"present", read_present},
    {"reserve", trace_reserve}, {"view", trace_view},      {"release", trace_release},
    {"bind", trace_bind},       {"unbind", trace_unbind},  {"copy", trace_copy},
    {"offer", read_offer},      {"reclaim", read_reclaim},
};

static bool read_event(struct trace *trace, const struct member_line *line) {
    const char *op = member_string(line, "op");
    if (!op)
        return false;
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (strcmp(op, ops[i].op) == 0)
            return ops[i].read(trace, line);
    return member_fail(
        line, "op", MEMBER_WHOLE,
        "there is no op \"%.20s\", expected alloc, free, map, unmap, submit, present, reserve, "
        "view, release, bind, unbind, copy, offer or reclaim",
        op);
}

static bool read_header(struct trace *trace, const struct member_line *line) {
    if (!json_object_get(line->object, "vidmm_trace"))
        return lines_fail(line->error, line->name, line->number, 1,
                          "this is no recording: expected a header with \"vidmm_trace\":1");
    uint64_t version;
    if (!member_number(line, "vidmm_trace", 1, 1, &version))
        return false;
    trace->header = true;
    return true;
}

static bool is_blank(const char *text, size_t size) {
    while (size != 0 && strchr(" \t\r", *text) && *text != 0)
        text++, size--;
    return size == 0;
}

static bool take_line(void *ctx, uint64_t number, const char *text, size_t size) {
    struct trace *trace = ctx;
    if (trace->header && is_blank(text, size))
        return true;
    struct member_line line = {
        .name = trace->name, .number = number, .text = text, .size = size, .error = trace->error};
    enum builder_result result;
    if (trace->header && trace_quick(trace, text, size, &result))
        return trace_built(&line, result);
    if (!member_parse(&line))
        return false;
    bool ok = trace->header ? read_event(trace, &line) : read_header(trace, &line);
    json_decref(line.object);
    return ok;
}

/* ---- Recordings ------------------------------------------------------------------------------ */

static void trace_start(struct trace *trace, const char *name, struct vidmm_workload_error *error) {
    memset(trace, 0, sizeof(*trace));
    memset(error, 0, sizeof(*error));
    trace->name = name;
    trace->error = error;
    builder_start(&trace->builder, name);
}

static bool trace_finish(struct trace *trace, bool ok, struct vidmm_workload *out) {
    if (ok && !trace->header)
        ok = lines_fail(
            trace->error, trace->name, 1, 1,
            "this is no recording: expected a header with \"vidmm_trace\":1, found nothing");
    trace_ids_free(&trace->ids);
    trace_ids_free(&trace->ranges);
    free(trace->named);
    if (ok)
        builder_finish(&trace->builder, out);
    else
        builder_abandon(&trace->builder);
    return ok;
}

/* "a/b/vkcube.jsonl.zst" -> "vkcube" */
static void short_name(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    const char *base = !slash ? path : slash + 1;
    const char *dot = strchr(base, '.');
    size_t length = !dot || dot == base ? strlen(base) : (size_t)(dot - base);
    if (length >= size)
        length = size - 1;
    memcpy(name, base, length);
    name[length] = 0;
}

bool vidmm_workload_read(const char *path, struct vidmm_workload *out,
                         struct vidmm_workload_error *error) {
    struct trace trace;
    struct lines lines;
    trace_start(&trace, path, error);
    short_name(path, trace.builder.workload.name, sizeof(trace.builder.workload.name));
    lines_start(&lines, path, take_line, &trace, error);
    bool ok = lines_read_file(&lines, path);
    lines_free(&lines);
    return trace_finish(&trace, ok, out);
}

bool vidmm_workload_parse(const char *name, const char *text, size_t size,
                          struct vidmm_workload *out, struct vidmm_workload_error *error) {
    struct trace trace;
    struct lines lines;
    trace_start(&trace, name, error);
    lines_start(&lines, name, take_line, &trace, error);
    bool ok = lines_feed(&lines, text, size) && lines_end(&lines);
    lines_free(&lines);
    return trace_finish(&trace, ok, out);
}
