/*
 * record.h - the record of events: the calls of a driver with their arguments and answers, its
 * reports, paging operations, moves of allocations, and findings, in the order in which they happen.
 *
 * A record makes events of what passes a host, a manager's observer and a ledger, and gives each to
 * its sink, such as the one that writes JSON Lines (report.h). It keeps nothing but names for the
 * handles of living objects.
 */
#ifndef VIDMM_RECORD_H
#define VIDMM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/host.h>
#include <vidmm/manager.h>
#include <vidmm/referee.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vidmm_record_kind {
    VIDMM_RECORD_STEP,      /* of the conformance check */
    VIDMM_RECORD_CALL,      /* of a function of the driver: it is entered next */
    VIDMM_RECORD_RETURN,    /* of that function */
    VIDMM_RECORD_INTERRUPT, /* the driver reports work as completed, preempted or faulted */
    VIDMM_RECORD_OPERATION, /* the GPU completed a paging operation */
    VIDMM_RECORD_MOVE,      /* an allocation moved: a page-in, an eviction */
    VIDMM_RECORD_LOST,      /* the content of an allocation is gone */
    VIDMM_RECORD_FINDING,
    VIDMM_RECORD_SUBMITTED, /* the manager accepted a submission of the workload that is replayed */
    VIDMM_RECORD_COUNTED,   /* what follows is in no figure of a run's report */
    VIDMM_RECORD_SEGMENT,   /* the manager started: a segment that the driver reported */
    VIDMM_RECORD_END,       /* of the record */
    VIDMM_RECORD_KINDS
};

/* A paging operation that the GPU completed, in these paging buffers. */
struct vidmm_record_operation {
    struct vidmm_op op;
    uint32_t allocation; /* D3DKMT_HANDLE; 0: none */
    uint64_t first_buffer, last_buffer;
};

struct vidmm_record_move {
    struct vidmm_plan_move move;
    enum vidmm_plan_reason plan; /* what the manager was asked for */
    uint64_t plan_number;        /* moves of one plan have the same; from 1 */
    const struct vidmm_plan *of; /* for vidmm_plan_part, with `index` */
    uint32_t index;
};

/* An allocation of the workload that a submission references. */
struct vidmm_record_reference {
    uint32_t allocation; /* D3DKMT_HANDLE */
    uint32_t number;     /* of the workload's allocation, in order of ALLOC events, from 1 */
    bool write;
};

struct vidmm_record_submitted {
    uint64_t number;  /* of the workload's event, from 1 */
    uint32_t process; /* as of struct vidmm_plan_move */
    uint64_t budget;  /* bytes of GPU memory of that process; 0: it has none */
    uint32_t count;   /* of references; the record of calls does not tell them */
    const struct vidmm_record_reference *references;
};

struct vidmm_record_segment {
    uint32_t id; /* vidmm_segment_info.id */
    bool aperture;
    uint64_t size; /* bytes */
};

/* Of the members of the union the one of the kind is there. All pointers are good until the sink
 * returns. */
struct vidmm_record_event {
    enum vidmm_record_kind kind;
    uint64_t ns;   /* vidmm_host_time */
    uint64_t call; /* CALL, RETURN, FINDING: its number, as findings have it; 0: not counted */
    union {
        const struct vidmm_host_call *ddi;       /* CALL, RETURN */
        const struct vidmm_interrupt *interrupt; /* INTERRUPT */
        struct vidmm_record_operation operation; /* OPERATION */
        struct vidmm_record_move move;           /* MOVE */
        uint32_t lost;                           /* LOST: D3DKMT_HANDLE */
        struct vidmm_record_submitted submitted; /* SUBMITTED */
        struct vidmm_record_segment segment;     /* SEGMENT */
        const struct vidmm_finding *finding;     /* FINDING */
        const char *text;                        /* STEP, END: a sentence */
    };
};

/* Called for one event at a time, on any thread and at any IRQL. */
struct vidmm_record_sink {
    void *ctx;
    void (*event)(void *ctx, const struct vidmm_record_event *event);
};

struct vidmm_record;

/* NULL: out of memory. The processes that are forked afterwards go on with the record. */
struct vidmm_record *vidmm_record_create(const struct vidmm_record_sink *sink);
#define VIDMM_RECORD_SINKS 4u
/* One more sink, of VIDMM_RECORD_SINKS at most: it gets each event after those before it have got it. */
void vidmm_record_also(struct vidmm_record *record, const struct vidmm_record_sink *sink);
/* NULL is allowed. */
void vidmm_record_submitted(struct vidmm_record *record,
                            const struct vidmm_record_submitted *submitted);
/* What follows is in no figure of a run's report: an event VIDMM_RECORD_COUNTED. NULL is allowed. */
void vidmm_record_counted(struct vidmm_record *record);
/* The manager over a harness started: its segments. NULL is allowed. */
void vidmm_record_segments(struct vidmm_record *record, struct vidmm_adapter *adapter);
/* The last event: one sentence about how it ended. NULL is allowed. */
void vidmm_record_end(struct vidmm_record *record, const char *text);
/*
 * Ends what vidmm_record_ledger began and frees the record, not its sinks. NULL is allowed. After
 * all harnesses that it records.
 */
void vidmm_record_destroy(struct vidmm_record *record);

/* For vidmm_host_config. A new host begins: what handles named is forgotten. */
const struct vidmm_host_watcher *vidmm_record_watcher(struct vidmm_record *record);
/* What is told to `observer` (may be NULL) is recorded, too. Good as long as the record. */
const struct vidmm_observer *vidmm_record_observer(struct vidmm_record *record,
                                                   const struct vidmm_observer *observer);
/* The findings of this ledger, and its steps; NULL: of none any more. */
void vidmm_record_ledger(struct vidmm_record *record, struct vidmm_ledger *ledger);

/* ---- What an event says of a call ------------------------------------------------------------ */

/* Gets arguments or answers, member by member. `name` is NULL in a list. */
struct vidmm_field_visitor {
    void *ctx;
    void (*number)(void *ctx, const char *name, uint64_t value);
    void (*hex)(void *ctx, const char *name, uint64_t value);     /* an address, flags, a mask */
    void (*text)(void *ctx, const char *name, const char *value); /* NULL: there is none */
    void (*begin)(void *ctx, const char *name, bool list);
    void (*end)(void *ctx);
};
/* The arguments of a CALL; of a RETURN the status and what the driver wrote. From a sink only. */
void vidmm_record_fields(const struct vidmm_record *record, const struct vidmm_record_event *event,
                         const struct vidmm_field_visitor *visitor);
/* "call", "return", "interrupt" ... */
const char *vidmm_record_event_name(enum vidmm_record_kind kind);
/* "DMA_COMPLETED"; NULL: of no known type. */
const char *vidmm_interrupt_name(uint32_t type);

#ifdef __cplusplus
}
#endif

#endif
