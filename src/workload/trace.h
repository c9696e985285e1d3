/*
 * trace.h - the reader of recordings: trace.c reads files, lines and events of allocations,
 * trace_ranges.c events of ranges of GPU addresses,
 * trace_quick.c plain lines of allocations and submissions.
 */
#ifndef VIDMM_WORKLOAD_TRACE_H
#define VIDMM_WORKLOAD_TRACE_H

#include <vidmm/workload.h>

#include "builder.h"
#include "lines.h"
#include "member.h"
#include "trace_ids.h"

struct trace {
    const char *name;
    struct vidmm_workload_error *error;
    struct builder builder;
    struct trace_ids ids, ranges;
    bool header;
    uint32_t *named; /* scratch: the indices of one submission's lists */
    size_t named_room;
};

/* ---- trace.c --------------------------------------------------------------------------------- */

/* True when the builder took it; otherwise the error is filled in. */
bool trace_built(const struct member_line *line, enum builder_result result);
/* The id of `key`, which `ids` must not have yet; false with the error filled in. */
bool trace_new_id(const struct member_line *line, const char *key, const struct trace_ids *ids,
                  uint64_t *id);
bool trace_keep_id(const struct member_line *line, struct trace_ids *ids, uint64_t id,
                   uint32_t index);
/* What of its flags counts for an allocation. */
struct trace_alloc_flags {
    bool in_vpr, host_visible, host_cached;
};
uint32_t trace_umd_flags(uint64_t heap, const struct trace_alloc_flags *flags); /* VIDMM_UMD_* */
/* Room for so many indices in `named`; false: no memory. */
bool trace_make_room(struct trace *trace, size_t indices);
/*
 * The live allocation with this id, which is not offered; or UINT32_MAX with the error filled in.
 */
uint32_t trace_find_usable(struct trace *trace, const struct member_line *line, const char *key,
                           size_t item, uint64_t id);

/* ---- trace_quick.c --------------------------------------------------------------------------- */

/* A line that is plain, and what the builder said to it; false: it is not, and nothing was done. */
bool trace_quick(struct trace *trace, const char *text, size_t size, enum builder_result *result);

/* ---- trace_ranges.c -------------------------------------------------------------------------- */

/* A line each; false with the error filled in. */
bool trace_reserve(struct trace *trace, const struct member_line *line);
bool trace_view(struct trace *trace, const struct member_line *line);
bool trace_release(struct trace *trace, const struct member_line *line);
bool trace_bind(struct trace *trace, const struct member_line *line);
bool trace_unbind(struct trace *trace, const struct member_line *line);
bool trace_copy(struct trace *trace, const struct member_line *line);

#endif
