/*
 * builder.h - builds a workload: events are appended one by one and checked for consistency.
 *
 * Both sources of workloads, the reader of recordings (trace.c) and the generators (generate_*.c),
 * append through here, so that the player (player.c) does not check events again. Guaranteed:
 * indices of allocations and ranges count up from 0 in the order of creation; an allocation is used
 * only between its ALLOC and its FREE and not while it is offered; a submission names it once,
 * either read or written; a range is used only by the process that created it, in whole tiles,
 * inside its bounds and those of the allocation it leads to.
 */
#ifndef VIDMM_WORKLOAD_BUILDER_H
#define VIDMM_WORKLOAD_BUILDER_H

#include <vidmm/workload.h>

/* Limits far above real workloads, so that a hostile recording cannot exhaust the machine. */
#define BUILDER_EVENTS_MAX      (1u << 24)
#define BUILDER_LISTS_MAX       (1u << 28)
#define BUILDER_ALLOCATIONS_MAX (1u << 22)
#define BUILDER_SIZE_MAX        (UINT64_C(1) << 40)
#define BUILDER_RANGES_MAX      (1u << 16)
#define BUILDER_RANGE_BYTES_MAX (UINT64_C(1) << 37) /* of all live ranges together */

struct builder_allocation {
    uint64_t size;
    uint32_t process;
    uint32_t named; /* the last submission that named it, counted from 1 */
    bool live, offered;
};

struct builder_range {
    uint64_t size;
    uint32_t process;
    bool live, reserved; /* otherwise it is a view */
};

struct builder {
    struct vidmm_workload workload;
    size_t event_room, list_room, allocation_room;
    struct builder_allocation *allocations;
    struct builder_range *ranges;
    size_t range_room;
    uint64_t live_bytes; /* page-rounded */
    uint64_t range_bytes;
    uint32_t submissions;
};

enum builder_result { BUILDER_OK, BUILDER_NO_MEMORY, BUILDER_TOO_MUCH };

void builder_start(struct builder *builder, const char *name);
/* Moves the workload to `out`. */
void builder_finish(struct builder *builder, struct vidmm_workload *out);
/* Frees everything; for failures. */
void builder_abandon(struct builder *builder);

/* Data of an ALLOC event. */
struct builder_alloc {
    uint64_t size;
    uint32_t process, umd_flags, priority;
};
enum builder_result builder_alloc(struct builder *builder, const struct builder_alloc *alloc,
                                  uint32_t *index);
/* FREE, MAP, UNMAP, OFFER or RECLAIM of a live allocation. */
enum builder_result builder_touch(struct builder *builder, enum vidmm_event_kind kind,
                                  uint32_t index);
/*
 * RESERVE, VIEW, RELEASE, BIND, UNBIND or COPY, the events of ranges. The caller fills in the
 * members of the kind; RESERVE and VIEW get their index. Only the totals are checked here.
 */
enum builder_result builder_range(struct builder *builder, struct vidmm_event *event);
enum builder_result builder_present(struct builder *builder, uint32_t process);

/* A submission: first all reads, then all writes; an allocation in both lists is a write only. */
enum builder_result builder_submit(struct builder *builder, uint32_t process, const uint32_t *reads,
                                   size_t read_count, const uint32_t *writes, size_t write_count);

#endif
