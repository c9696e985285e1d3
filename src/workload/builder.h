/*
 * builder.h - how a workload comes to be: events appended one by one, kept consistent.
 *
 * Both sources of workloads, the reader of recordings (trace.c) and the generators (generate_*.c),
 * append through here, so that the player (player.c) may rely on what is written below and never
 * judges events again: indices of allocations and ranges count up from 0 in the order of their
 * making, an allocation is used only between its ALLOC and its FREE and not while it is offered, a
 * submission names it once, either read or written, and a range is used only by the process that
 * made it, in whole tiles, inside of its bounds and of those of what it leads to.
 */
#ifndef VIDMM_WORKLOAD_BUILDER_H
#define VIDMM_WORKLOAD_BUILDER_H

#include <vidmm/workload.h>

/* Nothing reasonable is larger; a hostile recording must not eat the machine. */
#define BUILDER_EVENTS_MAX      (1u << 24)
#define BUILDER_LISTS_MAX       (1u << 26)
#define BUILDER_ALLOCATIONS_MAX (1u << 20)
#define BUILDER_SIZE_MAX        (UINT64_C(1) << 40)
#define BUILDER_RANGES_MAX      (1u << 16)
#define BUILDER_RANGE_BYTES_MAX (UINT64_C(1) << 37) /* of all ranges that live at once */

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
/* Gives the workload to `out` and forgets it. */
void builder_finish(struct builder *builder, struct vidmm_workload *out);
/* Frees everything; for failures. */
void builder_abandon(struct builder *builder);

/* What an ALLOC event says. */
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
 * RESERVE, VIEW, RELEASE, BIND, UNBIND or COPY, all that concerns ranges: the caller fills in what
 * the kind has, and RESERVE and VIEW get their index. Only how much there is in all is judged here.
 */
enum builder_result builder_range(struct builder *builder, struct vidmm_event *event);
enum builder_result builder_present(struct builder *builder, uint32_t process);

/* A submission: first all reads, then all writes; what is written too loses its place among the
 * reads. */
enum builder_result builder_submit(struct builder *builder, uint32_t process, const uint32_t *reads,
                                   size_t read_count, const uint32_t *writes, size_t write_count);

#endif
