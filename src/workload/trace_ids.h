/*
 * trace_ids.h - which index an id of a recording has.
 *
 * Ids may be any numbers, and no choice of them may make looking one up slow. Those that count up, as most do, are
 * places of an array, which is never much longer than there are ids; the others are in a balanced tree.
 */
#ifndef VIDMM_WORKLOAD_TRACE_IDS_H
#define VIDMM_WORKLOAD_TRACE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NO_INDEX UINT32_MAX

/* Empty when it is zeroed. */
struct trace_ids {
    uint32_t *near; /* by id: index + 1, or 0 */
    size_t room;
    uint64_t count;
    void *far; /* a tsearch(3) tree */
};

/* TRACE_NO_INDEX: there is none. */
uint32_t trace_ids_find(const struct trace_ids *ids, uint64_t id);
/* An id that is not there yet; false: no memory. */
bool trace_ids_add(struct trace_ids *ids, uint64_t id, uint32_t index);
void trace_ids_free(struct trace_ids *ids);

#endif
