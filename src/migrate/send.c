/*
 * send.c - vidmm_migrate_send: the run of the source.
 */
#include "apart.h"
#include "io.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

/* As with a display: waits until the next frame is due. Missed frames are not made up for. */
static void pace(struct migrate_session *session, uint64_t event) {
    const struct vidmm_workload *workload = session->workload;
    uint64_t frames = session->options.frames_per_s;
    if (frames == 0 || event == 0 || workload->events[event - 1].kind != session->frame_end)
        return;
    uint64_t now = migrate_clock_ns();
    session->frame_at += UINT64_C(1000000000) / frames;
    if (session->frame_at < now)
        session->frame_at = now;
    session->source.idle_until = session->frame_at;
}

static bool gate(void *ctx, struct vidmm_harness *harness, uint64_t event) {
    struct migrate_session *session = ctx;
    session->adapter.harness = harness;
    pace(session, event);
    for (;;) {
        enum migrate_verdict verdict = migrate_source_step(&session->source, event);
        if (verdict != MIGRATE_HOLD) {
            migrate_control_phase(&session->control, session->source.party.phase);
            if (verdict == MIGRATE_LEAVE)
                migrate_source_stop(&session->source); /* while there is an adapter */
            return verdict == MIGRATE_RUN;
        }
        migrate_session_wait(session);
    }
}

static uint64_t start_event(const struct migrate_session *session) {
    const struct vidmm_migrate_options *options = &session->options;
    if (options->start_percent == 0)
        return options->start_event;
    return session->last * (options->start_percent > 100 ? 100 : options->start_percent) / 100;
}

/* The result of the run comes first: if the run failed, the migration did not succeed. */
static void conclude(struct migrate_session *session) {
    struct vidmm_migrate_result *result = session->result;
    struct migrate_traffic traffic;
    session->channel.link.traffic(session->channel.link.ctx, &traffic);
    result->wire_bytes = traffic.bytes;
    if (result->run.status != VIDMM_RUN_VERIFIED) {
        result->status = (enum vidmm_migrate_status)result->run.status;
        snprintf(result->text, sizeof(result->text), "%s", result->run.text);
    } else if (result->status != VIDMM_MIGRATE_IN_DOUBT) {
        result->status = result->moved ? VIDMM_MIGRATE_DONE : VIDMM_MIGRATE_STAYED;
    }
}

static void send_run(struct migrate_session *session) {
    struct migrate_party party = migrate_session_party(session);
    migrate_source_start(&session->source, &party, start_event(session), session->last,
                         session->address.kind == MIGRATE_FILE);
    session->run.gate = gate;
    session->run.gate_ctx = session;
    vidmm_run(session->workload, &session->run, &session->result->run);
    migrate_session_word(session, session->result->moved ? "left" : "end",
                         session->source.party.event);
    migrate_source_ended(&session->source);
    while (!migrate_source_done(&session->source))
        migrate_session_wait(session);
    migrate_source_stop(&session->source);
    conclude(session);
}

enum vidmm_migrate_status migrate_send_here(const struct vidmm_workload *workload,
                                            const struct vidmm_run_options *options,
                                            const struct vidmm_migrate_options *migration,
                                            struct vidmm_migrate_result *result) {
    struct migrate_session session;
    if (migrate_session_open(&session, workload, options, migration, false, result))
        send_run(&session);
    migrate_session_close(&session);
    return result->status;
}

enum vidmm_migrate_status vidmm_migrate_send(const struct vidmm_workload *workload,
                                             const struct vidmm_run_options *options,
                                             const struct vidmm_migrate_options *migration,
                                             struct vidmm_migrate_result *result) {
    return options->apart ? migrate_apart(migrate_send_here, workload, options, migration, result)
                          : migrate_send_here(workload, options, migration, result);
}
