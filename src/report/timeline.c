/*
 * timeline.c - the record of events as a trace that ui.perfetto.dev opens; docs/timeline.md says what
 * each track and event means. timeline_track.c makes packets of what is put on a track here.
 *
 * Work that was submitted is kept until its engine reports it, then a slice on the engine's track is
 * written; so memory is bounded by what may be under way. All of it is shared with the processes that
 * are forked afterwards: whoever writes the end closes what a driver that died left open.
 */
#include <vidmm/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "timeline_track.h"

#define WORK    4096u /* under way at most; of more the oldest is written as if it had ended */
#define CHANGES 64u   /* counters that are kept back; of more they are put at once */

struct timeline_work {
    uint64_t ns, flow;
    uint32_t engine, fence;
    bool paging, live;
};

/* Shared with forked processes; a driver may damage it. */
struct timeline_shared {
    struct timeline_packets packets;
    uint64_t base, last; /* what is added to times of this start of the driver; the newest of it */
    uint64_t flows;
    uint64_t busy_until[TRACK_SEGMENT]; /* by track: where its last slice ended */
    struct timeline_work work[WORK];
    uint32_t first, count;              /* of work, a ring */
    uint64_t used[TRACKS];              /* bytes, of counters */
    uint32_t changes, changed[CHANGES]; /* counters whose new value is not put yet */
};

struct vidmm_report_timeline {
    struct timeline_file file;
    struct timeline_shared *shared;
};

static struct timeline_event instant(const struct vidmm_report_timeline *timeline, uint32_t track,
                                     const char *name) {
    return (struct timeline_event){.type = TIMELINE_INSTANT,
                                   .track = track,
                                   .ns = timeline->shared->base + timeline->shared->last,
                                   .name = name};
}

static void put_instant(struct vidmm_report_timeline *timeline, uint32_t track, const char *name) {
    struct timeline_event event = instant(timeline, track, name);
    timeline_put(&timeline->file, &event);
}

static void put_counter(struct vidmm_report_timeline *timeline, uint32_t track, uint64_t value) {
    struct timeline_event event = instant(timeline, track, NULL);
    timeline->shared->used[track] = value;
    event.type = TIMELINE_COUNTER;
    event.counter = value;
    timeline_put(&timeline->file, &event);
}

/* The moves of a plan are told one after the other, and what comes before what leaves for it: in between more would lie
 * in a segment than it has. */
static void put_changed(struct vidmm_report_timeline *timeline) {
    struct timeline_shared *shared = timeline->shared;
    for (uint32_t i = 0; i < shared->changes && i < CHANGES; i++)
        if (shared->changed[i] < TRACKS)
            put_counter(timeline, shared->changed[i], shared->used[shared->changed[i]]);
    shared->changes = 0;
}

static void change_counter(struct vidmm_report_timeline *timeline, uint32_t track, uint64_t value) {
    struct timeline_shared *shared = timeline->shared;
    shared->used[track] = value;
    for (uint32_t i = 0; i < shared->changes && i < CHANGES; i++)
        if (shared->changed[i] == track)
            return;
    if (shared->changes >= CHANGES)
        put_changed(timeline);
    shared->changed[shared->changes++] = track;
}

/* ---- Work of engines ------------------------------------------------------------------------- */

/* Slices of a track follow each other: work begins when it was submitted and what was before it is
 * done. */
static void put_slice(struct vidmm_report_timeline *timeline, uint32_t track,
                      const struct timeline_work *work, bool flows, const char *end) {
    static const char *const names[] = {"commands", "paging buffer"};
    struct timeline_shared *shared = timeline->shared;
    struct timeline_event event = instant(timeline, track, names[work->paging]);
    uint64_t now = event.ns, start = work->ns, *busy = &shared->busy_until[track];
    start = start > *busy ? start : *busy;
    event.ns = start < now ? start : now;
    event.type = TIMELINE_BEGIN;
    event.flow_ending = flows ? work->flow : 0;
    timeline_note_number(&event, "fence", work->fence);
    timeline_note_text(&event, "end", end);
    timeline_put(&timeline->file, &event);
    event = (struct timeline_event){.type = TIMELINE_END, .track = track, .ns = now};
    timeline_put(&timeline->file, &event);
    *busy = now;
}

static void end_work(struct vidmm_report_timeline *timeline, struct timeline_work *work,
                     const char *end) {
    uint32_t engine = work->engine % TIMELINE_ENGINES;
    if (!work->live)
        return;
    work->live = false;
    if (work->paging)
        put_slice(timeline, TRACK_PAGING + engine / TIMELINE_NODES, work, false, end);
    put_slice(timeline, TRACK_ENGINE + engine, work, true, end);
}

static struct timeline_work *work_at(struct timeline_shared *shared, uint32_t index) {
    return &shared->work[(shared->first + index) % WORK];
}

static void forget_ended(struct timeline_shared *shared) {
    while (shared->count != 0 && !work_at(shared, 0)->live) {
        shared->first = (shared->first + 1) % WORK;
        shared->count--;
    }
}

static uint32_t work_count(const struct timeline_shared *shared) {
    return shared->count < WORK ? shared->count : WORK;
}

/* Of an engine what is up to a fence, or what is after it. */
static void end_until(struct vidmm_report_timeline *timeline, uint32_t engine, uint32_t fence,
                      bool after, const char *end) {
    struct timeline_shared *shared = timeline->shared;
    for (uint32_t i = 0; i < work_count(shared); i++) {
        struct timeline_work *work = work_at(shared, i);
        bool later = (int32_t)(work->fence - fence) > 0; /* fences wrap */
        if (work->engine == engine && later == after)
            end_work(timeline, work, end);
    }
    forget_ended(shared);
}

static void end_all(struct vidmm_report_timeline *timeline, const char *end) {
    struct timeline_shared *shared = timeline->shared;
    for (uint32_t i = 0; i < work_count(shared); i++)
        end_work(timeline, work_at(shared, i), end);
    shared->count = 0;
}

/* false: a driver's number that no engine has. */
static bool find_engine(uint32_t physical, uint32_t node, uint32_t *engine) {
    *engine = physical * TIMELINE_NODES + node;
    return physical < TIMELINE_PHYSICAL && node < TIMELINE_NODES;
}

static void begin_work(struct vidmm_report_timeline *timeline, uint32_t physical, uint32_t node,
                       uint32_t fence, bool paging) {
    struct timeline_shared *shared = timeline->shared;
    struct timeline_event event = instant(timeline, TRACK_SUBMISSIONS, paging ? "paging" : "work");
    uint32_t engine;
    if (!find_engine(physical, node, &engine))
        return;
    if (work_count(shared) == WORK) {
        end_work(timeline, work_at(shared, 0), "not followed");
        forget_ended(shared);
    }
    *work_at(shared, shared->count++) = (struct timeline_work){.ns = event.ns,
                                                               .flow = ++shared->flows,
                                                               .engine = engine,
                                                               .fence = fence,
                                                               .paging = paging,
                                                               .live = true};
    event.flow = shared->flows;
    timeline_note_number(&event, "adapter", physical);
    timeline_note_number(&event, "engine", node);
    timeline_note_number(&event, "fence", fence);
    timeline_put(&timeline->file, &event);
}

static void timeline_interrupt(struct vidmm_report_timeline *timeline,
                               const struct vidmm_interrupt *interrupt) {
    uint32_t engine;
    if (!find_engine(interrupt->physical, interrupt->node, &engine))
        return;
    switch ((uint32_t)interrupt->type) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        end_until(timeline, engine, interrupt->fence, false, NULL);
        break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        end_until(timeline, engine, interrupt->last_completed, false, NULL);
        end_until(timeline, engine, interrupt->last_completed, true, "preempted");
        break;
    case DXGK_INTERRUPT_DMA_FAULTED:
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
        end_until(timeline, engine, interrupt->fence - 1, false, NULL);
        end_until(timeline, engine, interrupt->fence, false,
                  interrupt->type == DXGK_INTERRUPT_DMA_FAULTED ? "faulted" : "page fault");
        break;
    }
}

/* ---- Where allocations are ------------------------------------------------------------------- */

/* Adds an allocation to what lies in a place, or takes it from there. */
static void count_place(struct vidmm_report_timeline *timeline, const struct vidmm_plan_move *move,
                        const struct vidmm_place *place, bool memory, bool adds) {
    struct timeline_shared *shared = timeline->shared;
    uint32_t most = TIMELINE_PROCESSES - 1;
    uint32_t process = move->process < most ? move->process : most, segment = place->segment;
    if (segment == 0 || segment >= TIMELINE_SEGMENTS)
        return;
    const uint32_t tracks[] = {TRACK_SEGMENT + segment,
                               (memory ? TRACK_MEMORY : TRACK_APERTURE) + process};
    for (uint32_t i = 0; i < (process != 0 ? 2u : 1u); i++) {
        uint64_t used = shared->used[tracks[i]], less = used > move->size ? used - move->size : 0;
        change_counter(timeline, tracks[i], adds ? used + move->size : less);
    }
}

static void note_place(struct timeline_event *event, const char *segment, const char *offset,
                       const struct vidmm_place *place) {
    timeline_note_number(event, segment, place->segment);
    if (place->segment != 0)
        timeline_note_number(event, offset, place->offset);
}

static void timeline_move(struct vidmm_report_timeline *timeline,
                          const struct vidmm_record_move *moved) {
    const struct vidmm_plan_move *move = &moved->move;
    const char *name = move->to_memory ? "page-in" : move->from_memory ? "eviction" : "move";
    struct timeline_event event = instant(timeline, TRACK_MOVES, name);
    timeline_note_number(&event, "allocation", move->allocation);
    timeline_note_number(&event, "process", move->process);
    timeline_note_text(&event, "reason", vidmm_move_reason_name(move->reason));
    timeline_note_text(&event, "plan", vidmm_plan_reason_name(moved->plan));
    note_place(&event, "from_segment", "from_offset", &move->from);
    note_place(&event, "to_segment", "to_offset", &move->to);
    timeline_note_number(&event, "bytes", move->size);
    timeline_note_text(&event, "eviction", move->from_memory ? "true" : NULL);
    timeline_put(&timeline->file, &event);
    count_place(timeline, move, &move->from, move->from_memory, false);
    count_place(timeline, move, &move->to, move->to_memory, true);
}

static void empty_counters(struct vidmm_report_timeline *timeline, uint32_t end) {
    for (uint32_t i = TRACK_SEGMENT; i < end; i++)
        if (timeline->shared->used[i] != 0)
            put_counter(timeline, i, 0);
}

/* The reset of the adapter: segments are empty without a move, and nothing is under way. */
static void timeline_reset(struct vidmm_report_timeline *timeline) {
    end_all(timeline, "reset");
    put_instant(timeline, TRACK_RUN, "reset of the adapter");
    empty_counters(timeline, TRACK_BUDGET);
}

static void timeline_operation(struct vidmm_report_timeline *timeline,
                               const struct vidmm_record_operation *done) {
    uint32_t physical = done->op.physical % TIMELINE_PHYSICAL;
    struct timeline_event event =
        instant(timeline, TRACK_PAGING + physical, vidmm_op_json(done->op.kind));
    timeline_note_number(&event, "allocation", done->allocation);
    note_place(&event, "from_segment", "from_offset", &done->op.from);
    note_place(&event, "to_segment", "to_offset", &done->op.to);
    timeline_note_number(&event, "at", done->op.at);
    timeline_note_number(&event, "bytes", done->op.size);
    timeline_put(&timeline->file, &event);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void timeline_call(struct vidmm_report_timeline *timeline,
                          const struct vidmm_host_call *call) {
    const DXGKARG_SUBMITCOMMAND *submit = call->args;
    const DXGKARG_SUBMITCOMMANDVIRTUAL *submit_virtual = call->args;
    if (strcmp(call->name, "DxgkDdiSubmitCommand") == 0)
        begin_work(timeline, submit->EngineOrdinal, submit->NodeOrdinal, submit->SubmissionFenceId,
                   submit->Flags.Paging);
    else if (strcmp(call->name, "DxgkDdiSubmitCommandVirtual") == 0)
        begin_work(timeline, submit_virtual->EngineOrdinal, submit_virtual->NodeOrdinal,
                   submit_virtual->SubmissionFenceId, submit_virtual->Flags.Paging);
}

static void timeline_return(struct vidmm_report_timeline *timeline,
                            const struct vidmm_host_call *call) {
    const DXGKARG_RESETENGINE *reset = call->args;
    uint32_t engine;
    if (strcmp(call->name, "DxgkDdiResetFromTimeout") == 0)
        timeline_reset(timeline);
    else if (strcmp(call->name, "DxgkDdiResetEngine") == 0 &&
             find_engine(reset->EngineOrdinal, reset->NodeOrdinal, &engine))
        end_until(timeline, engine, reset->LastAbortedFenceId, false, "reset of the engine");
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void timeline_finding(struct vidmm_report_timeline *timeline,
                             const struct vidmm_finding *finding) {
    char id[8];
    struct timeline_event event =
        instant(timeline, TRACK_FINDINGS, vidmm_rule_id(finding->rule, id));
    timeline_note_text(&event, "side", vidmm_side_text(finding->who));
    timeline_note_text(&event, "where", finding->where);
    timeline_note_text(&event, "found", finding->found);
    timeline_note_text(&event, "expected", finding->expected);
    timeline_put(&timeline->file, &event);
}

static void timeline_submitted(struct vidmm_report_timeline *timeline,
                               const struct vidmm_record_submitted *submitted) {
    struct timeline_event event = instant(timeline, TRACK_RUN, "submission");
    timeline_note_number(&event, "event", submitted->number);
    timeline_note_number(&event, "process", submitted->process);
    timeline_put(&timeline->file, &event);
    uint32_t track = TRACK_BUDGET + submitted->process;
    if (submitted->process == 0 || submitted->process >= TIMELINE_PROCESSES ||
        timeline->shared->used[track] == submitted->budget)
        return;
    put_counter(timeline, track, submitted->budget);
}

static void timeline_say(struct vidmm_report_timeline *timeline,
                         const struct vidmm_record_event *event) {
    switch (event->kind) {
    case VIDMM_RECORD_CALL:
        timeline_call(timeline, event->ddi);
        break;
    case VIDMM_RECORD_RETURN:
        timeline_return(timeline, event->ddi);
        break;
    case VIDMM_RECORD_INTERRUPT:
        timeline_interrupt(timeline, event->interrupt);
        break;
    case VIDMM_RECORD_OPERATION:
        timeline_operation(timeline, &event->operation);
        break;
    case VIDMM_RECORD_MOVE:
        timeline_move(timeline, &event->move);
        break;
    case VIDMM_RECORD_SUBMITTED:
        timeline_submitted(timeline, &event->submitted);
        break;
    case VIDMM_RECORD_FINDING:
        timeline_finding(timeline, event->finding);
        break;
    case VIDMM_RECORD_STEP:
        put_instant(timeline, TRACK_RUN, event->text);
        break;
    case VIDMM_RECORD_COUNTED:
        put_instant(timeline, TRACK_RUN, "counted");
        break;
    case VIDMM_RECORD_END:
        end_all(timeline, "not reported");
        put_instant(timeline, TRACK_RUN, event->text);
        break;
    case VIDMM_RECORD_LOST:
    case VIDMM_RECORD_SEGMENT:
    case VIDMM_RECORD_KINDS:
        break;
    }
}

/* Another start of a driver begins at 0: its times follow those of the one before, of which nothing is
 * left. */
static void timeline_again(struct vidmm_report_timeline *timeline) {
    struct timeline_shared *shared = timeline->shared;
    end_all(timeline, "not reported");
    empty_counters(timeline, TRACKS);
    shared->base += shared->last;
}

static void timeline_event(void *ctx, const struct vidmm_record_event *event) {
    struct vidmm_report_timeline *timeline = ctx;
    if (event->kind != VIDMM_RECORD_MOVE || event->ns != timeline->shared->last)
        put_changed(timeline);
    if (event->ns < timeline->shared->last)
        timeline_again(timeline);
    timeline->shared->last = event->ns;
    timeline_say(timeline, event);
}

/* ---- From beginning to end ------------------------------------------------------------------- */

static void timeline_free(struct vidmm_report_timeline *timeline) {
    if (timeline->shared)
        munmap(timeline->shared, sizeof(*timeline->shared));
    free(timeline);
}

struct vidmm_report_timeline *vidmm_report_timeline_open(const char *path, char *text,
                                                         size_t text_size) {
    struct vidmm_report_timeline *timeline = calloc(1, sizeof(*timeline));
    void *shared = mmap(NULL, sizeof(*timeline->shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!timeline || shared == MAP_FAILED) {
        snprintf(text, text_size, "out of memory for the timeline");
        if (shared != MAP_FAILED)
            munmap(shared, sizeof(*timeline->shared));
        free(timeline);
        return NULL;
    }
    timeline->shared = shared;
    timeline->file.packets = &timeline->shared->packets;
    if (report_stream_open(&timeline->file.stream, path, text, text_size))
        return timeline;
    timeline_free(timeline);
    return NULL;
}

struct vidmm_record_sink vidmm_report_timeline_sink(struct vidmm_report_timeline *timeline) {
    return (struct vidmm_record_sink){.ctx = timeline, .event = timeline_event};
}

bool vidmm_report_timeline_close(struct vidmm_report_timeline *timeline, char *text,
                                 size_t text_size) {
    struct report_stream *stream = &timeline->file.stream;
    timeline_flush(&timeline->file);
    int error = timeline->shared->packets.error;
    if (error != 0) {
        snprintf(text, text_size, "cannot write '%s': %s", stream->path, strerror(error));
        report_stream_drop(stream);
    }
    bool written = error == 0 && report_stream_close(stream, text, text_size);
    timeline_free(timeline);
    return written;
}
