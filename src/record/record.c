/*
 * record.c - makes events of what a host, a manager and a ledger tell, one at a time; see vidmm/record.h.
 */
#include "record.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fields.h"

/* A variable of the process, like the ledger's lock: a process that dies keeps it from no other. */
static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

static void record_give(struct vidmm_record *record, struct vidmm_record_event *event) {
    pthread_mutex_lock(&record_lock);
    uint64_t now = vidmm_host_time();
    *record->ns = event->ns = now != 0 ? now : *record->ns;
    for (uint32_t i = 0; i < record->sinks; i++)
        record->sink[i].event(record->sink[i].ctx, event);
    pthread_mutex_unlock(&record_lock);
}

/* ---- A host ---------------------------------------------------------------------------------- */

/* The referee counts a call after this. */
static uint64_t record_next_call(struct vidmm_record *record) {
    return record->ledger ? record->ledger->calls + 1
                          : __atomic_add_fetch(&record->calls, 1, __ATOMIC_RELAXED);
}

static void record_called(void *ctx, struct vidmm_host_call *call) {
    struct vidmm_record *record = ctx;
    struct vidmm_record_event event = {.kind = VIDMM_RECORD_CALL, .ddi = call};
    event.call = call->counted ? record_next_call(record) : 0;
    fields_keep(call);
    call->kept[FIELDS_NUMBER] = event.call;
    record_give(record, &event);
}

static void record_returned(void *ctx, const struct vidmm_host_call *call) {
    struct vidmm_record *record = ctx;
    struct vidmm_record_event event = {
        .kind = VIDMM_RECORD_RETURN, .call = call->kept[FIELDS_NUMBER], .ddi = call};
    record_give(record, &event);
    pthread_mutex_lock(&record_lock);
    fields_forget(record, call);
    pthread_mutex_unlock(&record_lock);
}

static void record_reported(void *ctx, const struct vidmm_interrupt *report) {
    struct vidmm_record_event event = {.kind = VIDMM_RECORD_INTERRUPT, .interrupt = report};
    record_give(ctx, &event);
}

const struct vidmm_host_watcher *vidmm_record_watcher(struct vidmm_record *record) {
    pthread_mutex_lock(&record_lock);
    handle_forget(&record->handles);
    record->surface.kind = 0;
    *record->ns = 0;
    pthread_mutex_unlock(&record_lock);
    return &record->watcher;
}

/* ---- A manager ------------------------------------------------------------------------------- */

static void record_op_done(void *ctx, const struct vidmm_op *op, uint64_t first_buffer,
                           uint64_t last_buffer) {
    struct vidmm_record *record = ctx;
    struct vidmm_record_event event = {
        .kind = VIDMM_RECORD_OPERATION,
        .operation = {*op, op->allocation ? vidmm_allocation_handle(op->allocation) : 0,
                      first_buffer, last_buffer}};
    record_give(record, &event);
    if (record->inner.op_done)
        record->inner.op_done(record->inner.ctx, op, first_buffer, last_buffer);
}

static void record_content_lost(void *ctx, struct vidmm_allocation *allocation) {
    struct vidmm_record *record = ctx;
    struct vidmm_record_event event = {.kind = VIDMM_RECORD_LOST,
                                       .lost = vidmm_allocation_handle(allocation)};
    record_give(record, &event);
    if (record->inner.content_lost)
        record->inner.content_lost(record->inner.ctx, allocation);
}

static void record_plan(void *ctx, const struct vidmm_plan *plan) {
    struct vidmm_record *record = ctx;
    record->plans++;
    for (uint32_t i = 0; plan->status == VIDMM_OK && i < plan->moves; i++) {
        struct vidmm_record_event event = {
            .kind = VIDMM_RECORD_MOVE,
            .move = {.plan = plan->reason, .plan_number = record->plans, .of = plan, .index = i}};
        if (vidmm_plan_move(plan, i, &event.move.move))
            record_give(record, &event);
    }
    if (record->inner.plan)
        record->inner.plan(record->inner.plan_ctx, plan);
}

const struct vidmm_observer *vidmm_record_observer(struct vidmm_record *record,
                                                   const struct vidmm_observer *observer) {
    record->inner = observer ? *observer : (struct vidmm_observer){.ctx = NULL};
    return &record->observer;
}

/* ---- A ledger -------------------------------------------------------------------------------- */

static void record_finding(void *ctx, const struct vidmm_finding *finding) {
    struct vidmm_record_event event = {
        .kind = VIDMM_RECORD_FINDING, .call = finding->call, .finding = finding};
    record_give(ctx, &event);
}

static void record_step(void *ctx, const char *step) {
    struct vidmm_record_event event = {.kind = VIDMM_RECORD_STEP, .text = step};
    record_give(ctx, &event);
}

void vidmm_record_ledger(struct vidmm_record *record, struct vidmm_ledger *ledger) {
    const struct vidmm_ledger_watcher watcher = {
        .ctx = record, .finding = record_finding, .step = record_step};
    record->ledger = ledger;
    if (ledger)
        vidmm_ledger_watch(&watcher);
    else
        vidmm_ledger_unwatch(record);
}

/* ---- The record ------------------------------------------------------------------------------ */

struct vidmm_record *vidmm_record_create(const struct vidmm_record_sink *sink) {
    struct vidmm_record *record = calloc(1, sizeof(*record));
    void *ns =
        mmap(NULL, sizeof(*record->ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!record || ns == MAP_FAILED) {
        if (ns != MAP_FAILED)
            munmap(ns, sizeof(*record->ns));
        free(record);
        return NULL;
    }
    record->ns = ns;
    record->sink[record->sinks++] = *sink;
    record->watcher = (struct vidmm_host_watcher){.ctx = record,
                                                  .called = record_called,
                                                  .returned = record_returned,
                                                  .reported = record_reported};
    record->observer = (struct vidmm_observer){.ctx = record,
                                               .op_done = record_op_done,
                                               .content_lost = record_content_lost,
                                               .plan = record_plan,
                                               .plan_ctx = record};
    return record;
}

void vidmm_record_also(struct vidmm_record *record, const struct vidmm_record_sink *sink) {
    record->sink[record->sinks++] = *sink;
}

void vidmm_record_submitted(struct vidmm_record *record,
                            const struct vidmm_record_submitted *submitted) {
    struct vidmm_record_event event = {.kind = VIDMM_RECORD_SUBMITTED, .submitted = *submitted};
    if (record)
        record_give(record, &event);
}

void vidmm_record_segments(struct vidmm_record *record, struct vidmm_adapter *adapter) {
    struct vidmm_segment_info info;
    for (uint32_t id = 1; record && vidmm_segment_info(adapter, id, &info); id++) {
        struct vidmm_record_event event = {.kind = VIDMM_RECORD_SEGMENT,
                                           .segment = {id, info.aperture, info.size}};
        record_give(record, &event);
    }
}

void vidmm_record_counted(struct vidmm_record *record) {
    struct vidmm_record_event event = {.kind = VIDMM_RECORD_COUNTED};
    if (record)
        record_give(record, &event);
}

void vidmm_record_end(struct vidmm_record *record, const char *text) {
    struct vidmm_record_event event = {.kind = VIDMM_RECORD_END, .text = text};
    if (record)
        record_give(record, &event);
}

void vidmm_record_destroy(struct vidmm_record *record) {
    if (!record)
        return;
    if (record->ledger)
        vidmm_record_ledger(record, NULL);
    handle_forget(&record->handles);
    munmap(record->ns, sizeof(*record->ns));
    free(record);
}

/* ---- Names ----------------------------------------------------------------------------------- */

const char *vidmm_record_event_name(enum vidmm_record_kind kind) {
    static const char *const names[VIDMM_RECORD_KINDS] = {
        [VIDMM_RECORD_STEP] = "step",           [VIDMM_RECORD_CALL] = "call",
        [VIDMM_RECORD_RETURN] = "return",       [VIDMM_RECORD_INTERRUPT] = "interrupt",
        [VIDMM_RECORD_OPERATION] = "operation", [VIDMM_RECORD_MOVE] = "move",
        [VIDMM_RECORD_LOST] = "lost",           [VIDMM_RECORD_FINDING] = "finding",
        [VIDMM_RECORD_SUBMITTED] = "submitted", [VIDMM_RECORD_COUNTED] = "counted",
        [VIDMM_RECORD_SEGMENT] = "segment",     [VIDMM_RECORD_END] = "end",
    };
    return names[kind];
}

const char *vidmm_interrupt_name(uint32_t type) {
    switch (type) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        return "DMA_COMPLETED";
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        return "DMA_PREEMPTED";
    case DXGK_INTERRUPT_DMA_FAULTED:
        return "DMA_FAULTED";
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
        return "DMA_PAGE_FAULTED";
    default:
        return NULL;
    }
}
