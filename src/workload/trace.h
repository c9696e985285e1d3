/*
 * trace.h - the reader of recordings: trace.c reads files, lines and events of allocations,
 * trace_ranges.c events of ranges of GPU addresses.
 */
#ifndef VIDMM_WORKLOAD_TRACE_H
#define VIDMM_WORKLOAD_TRACE_H

#include <vidmm/workload.h>

#include "builder.h"
#include "lines.h"
#include "member.h"

/* Balanced trees, because ids may be any numbers and no choice of them may make look-up slow. */
struct trace_id {
    uint64_t id;
    uint32_t index;
};

struct trace {
    const char *name;
    struct vidmm_workload_error *error;
    struct builder builder;
    void *ids, *ranges; /* tsearch(3) trees of struct trace_id */
    bool header;
    uint32_t *named; /* scratch: the indices of one submission's lists */
    size_t named_room;
};

/* ---- trace.c --------------------------------------------------------------------------------- */

/* True when the builder took it; otherwise the error is filled in. */
bool trace_built(const struct member_line *line, enum builder_result result);
/* NULL: there is none. */
const struct trace_id *trace_find(void *const *tree, uint64_t id);
/* An entry for an id that `tree` must not have yet, or NULL with the error filled in. */
struct trace_id *trace_new_id(const struct member_line *line, const char *key, void **tree);
/*
 * The live allocation with this id, which is not offered; or UINT32_MAX with the error filled in.
 */
uint32_t trace_find_usable(struct trace *trace, const struct member_line *line, const char *key,
                           size_t item, uint64_t id);

/* ---- trace_ranges.c -------------------------------------------------------------------------- */

/* A line each; false with the error filled in. */
bool trace_reserve(struct trace *trace, const struct member_line *line);
bool trace_view(struct trace *trace, const struct member_line *line);
bool trace_release(struct trace *trace, const struct member_line *line);
bool trace_bind(struct trace *trace, const struct member_line *line);
bool trace_unbind(struct trace *trace, const struct member_line *line);
bool trace_copy(struct trace *trace, const struct member_line *line);

#endif
