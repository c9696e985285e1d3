/*
 * plans.c - the plans of a run as JSON Lines, one plan a line. Member names are stable;
 * docs/plan.md says what each means.
 */
#include <vidmm/report.h>

#include "write.h"

#include <jansson.h>
#include <stdlib.h>

struct vidmm_report_plans {
    struct report_stream stream;
    uint64_t count;
    bool out_of_memory;
};

/* A place in a segment; null: system memory. */
static json_t *plans_place(const struct vidmm_place *place, bool memory) {
    if (place->segment == 0)
        return json_null();
    return json_pack("{s:I, s:b, s:I}", "segment", (json_int_t)place->segment, "memory",
                     (int)memory, "offset", (json_int_t)place->offset);
}

static json_t *plans_moves(const struct vidmm_plan *plan) {
    json_t *moves = json_array();
    for (uint32_t i = 0; i < plan->moves; i++) {
        struct vidmm_plan_move move;
        if (!vidmm_plan_move(plan, i, &move))
            continue;
        json_array_append_new(moves,
                              json_pack("{s:I, s:s, s:o, s:o, s:I, s:b}", "allocation",
                                        (json_int_t)move.allocation, "reason",
                                        vidmm_move_reason_name(move.reason), "from",
                                        plans_place(&move.from, move.from_memory), "to",
                                        plans_place(&move.to, move.to_memory), "bytes",
                                        (json_int_t)move.size, "discard", (int)move.discard));
    }
    return moves;
}

static json_t *plans_operations(const struct vidmm_plan *plan) {
    json_t *operations = json_array();
    for (uint32_t i = 0; i < plan->ops; i++) {
        struct vidmm_plan_op op;
        if (!vidmm_plan_op(plan, i, &op))
            continue;
        json_array_append_new(operations, json_pack("{s:s, s:I, s:o, s:o, s:I, s:I, s:b}",
                                                    "operation", vidmm_op_json(op.op.kind),
                                                    "allocation", (json_int_t)op.allocation, "from",
                                                    plans_place(&op.op.from, op.from_memory), "to",
                                                    plans_place(&op.op.to, op.to_memory), "at",
                                                    (json_int_t)op.op.at, "bytes",
                                                    (json_int_t)op.op.size, "done", (int)op.done));
    }
    return operations;
}

struct vidmm_report_plans *vidmm_report_plans_open(const char *path, char *text, size_t text_size) {
    struct vidmm_report_plans *plans = calloc(1, sizeof(*plans));
    if (!plans) {
        snprintf(text, text_size, "out of memory for the plans");
        return NULL;
    }
    if (report_stream_open(&plans->stream, path, text, text_size))
        return plans;
    free(plans);
    return NULL;
}

void vidmm_report_plan(void *ctx, const struct vidmm_plan *plan) {
    struct vidmm_report_plans *plans = ctx;
    json_t *line =
        json_pack("{s:I, s:s, s:b, s:I, s:o, s:o}", "plan", (json_int_t)++plans->count, "reason",
                  vidmm_plan_reason_name(plan->reason), "executed", (int)(plan->status == VIDMM_OK),
                  "submissions", (json_int_t)plan->submissions, "moves", plans_moves(plan),
                  "operations", plans_operations(plan));
    if (!line || json_dumpf(line, plans->stream.file, JSON_COMPACT) != 0)
        plans->out_of_memory = plans->out_of_memory || !line;
    (void)fputc('\n', plans->stream.file);
    json_decref(line);
}

bool vidmm_report_plans_written(void *ctx, char *text, size_t text_size) {
    struct vidmm_report_plans *plans = ctx;
    if (plans->out_of_memory)
        snprintf(text, text_size, "out of memory for the plans");
    return !plans->out_of_memory && report_stream_flush(&plans->stream, text, text_size);
}

void vidmm_report_plans_drop(struct vidmm_report_plans *plans) {
    report_stream_drop(&plans->stream);
    free(plans);
}

bool vidmm_report_plans_close(struct vidmm_report_plans *plans, char *text, size_t text_size) {
    bool done = report_stream_close(&plans->stream, text, text_size);
    if (done && plans->out_of_memory) {
        snprintf(text, text_size, "out of memory for the plans");
        done = false;
    }
    free(plans);
    return done;
}
