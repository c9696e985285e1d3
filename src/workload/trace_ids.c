/*
 * trace_ids.c - see trace_ids.h.
 */
#include "trace_ids.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_LEAST 1024u

struct trace_id {
    uint64_t id;
    uint32_t index;
};

static int compare_ids(const void *a, const void *b) {
    uint64_t left = ((const struct trace_id *)a)->id, right = ((const struct trace_id *)b)->id;
    return (left > right) - (left < right);
}

uint32_t trace_ids_find(const struct trace_ids *ids, uint64_t id) {
    if (id < ids->room && ids->near[id] != 0)
        return ids->near[id] - 1;
    const struct trace_id wanted = {.id = id};
    struct trace_id *const *found = ids->far ? tfind(&wanted, &ids->far, compare_ids) : NULL;
    return found ? (*found)->index : TRACE_NO_INDEX;
}

static bool ids_grow(struct trace_ids *ids, uint64_t id) {
    size_t room = 2 * ids->room > id ? 2 * ids->room : (size_t)id + 1;
    uint32_t *grown = realloc(ids->near, room * sizeof(*grown));
    if (!grown)
        return false;
    memset(grown + ids->room, 0, (room - ids->room) * sizeof(*grown));
    ids->near = grown;
    ids->room = room;
    return true;
}

static bool ids_add_far(struct trace_ids *ids, uint64_t id, uint32_t index) {
    struct trace_id *entry = malloc(sizeof(*entry));
    if (!entry)
        return false;
    *entry = (struct trace_id){id, index};
    bool added = tsearch(entry, &ids->far, compare_ids);
    if (!added)
        free(entry);
    return added;
}

bool trace_ids_add(struct trace_ids *ids, uint64_t id, uint32_t index) {
    if (id >= ids->room && id >= 2 * ids->count + NEAR_LEAST) {
        if (!ids_add_far(ids, id, index))
            return false;
    } else {
        if (id >= ids->room && !ids_grow(ids, id))
            return false;
        ids->near[id] = index + 1;
    }
    ids->count++;
    return true;
}

void trace_ids_free(struct trace_ids *ids) {
    free(ids->near);
    tdestroy(ids->far, free);
    memset(ids, 0, sizeof(*ids));
}
