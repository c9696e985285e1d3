/*
 * room.h - the one place that makes room in a segment by eviction: for a reference of a decision
 * (on paper, in its plan), for a DMA buffer, for a page table.
 */
#ifndef VIDMM_MANAGER_ROOM_H
#define VIDMM_MANAGER_ROOM_H

#include "base/adapter.h"

/* On whose behalf, and what may leave. Allocations with the mark of the decision at hand stay. */
struct room {
    struct vidmm_adapter *adapter;
    struct plan *plan; /* evictions join it; NULL: each is executed at once */
    /* Whose residency list asks; NULL: none in particular, which may take from every list. */
    const struct vidmm_device *device;
    uint64_t oldest; /* victims were last used at this submission or before; UINT64_MAX: whenever */
    const struct segment_request *request; /* what room is made for; NULL: all leave */
    /* It can do without: the policy is asked whether a victim leaves for it. NULL: it must come. */
    const struct vidmm_allocation *coming;
};

struct room_victim {
    struct vidmm_allocation *allocation; /* NULL: none */
    enum vidmm_move_reason reason;
};

/*
 * What leaves `segment` next: first what no device lists, by the policy, then what processes list
 * beyond their budgets, lower priorities first.
 */
struct room_victim room_next_victim(const struct room *room, struct segment *segment);
/*
 * A place for room->request. VIDMM_DOES_NOT_FIT, without an error: not even with all that may leave
 * out of the way. With a plan nothing has changed on failure, and only what must leave leaves.
 */
enum vidmm_status room_place(const struct room *room, struct segment *segment,
                             struct placement *place);
/* Takes back evictions from move `first` on that turn out not to be needed. */
void room_spare(struct plan *plan, uint32_t first);
/* For spaces.make_place (table.h): the last to leave are page tables of processes that do not run. */
enum vidmm_status room_for_table(struct vidmm_adapter *adapter, const struct table_place *wanted,
                                 struct placement *place);

#endif
