/*
 * recv.c - vidmm_migrate_recv: the run of the target.
 */
#include "apart.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

static bool gate(void *ctx, struct vidmm_harness *harness, uint64_t event) {
    struct migrate_session *session = ctx;
    session->adapter.harness = harness;
    for (;;) {
        enum migrate_verdict verdict = migrate_target_step(&session->target, event);
        if (verdict != MIGRATE_HOLD) {
            migrate_control_phase(&session->control, session->target.party.phase);
            if (verdict == MIGRATE_LEAVE)
                migrate_end(&session->target.party); /* while there is an adapter */
            return verdict == MIGRATE_RUN;
        }
        migrate_session_wait(session);
    }
}

static void conclude(struct migrate_session *session) {
    struct vidmm_migrate_result *result = session->result;
    if (result->status == VIDMM_MIGRATE_IN_DOUBT)
        return;
    if (result->run.status != VIDMM_RUN_VERIFIED) {
        result->status = (enum vidmm_migrate_status)result->run.status;
        snprintf(result->text, sizeof(result->text), "%s", result->run.text);
        return;
    }
    result->status = result->moved ? VIDMM_MIGRATE_DONE : VIDMM_MIGRATE_STAYED;
    if (result->moved)
        result->text[0] = '\0';
}

static void recv_run(struct migrate_session *session) {
    struct migrate_party party = migrate_session_party(session);
    migrate_target_start(&session->target, &party, session->address.kind == MIGRATE_FILE);
    session->run.gate = gate;
    session->run.gate_ctx = session;
    vidmm_run(session->workload, &session->run, &session->result->run);
    while (migrate_target_again(&session->target)) {
        vidmm_run_result_free(&session->result->run);
        migrate_apart_again();
        vidmm_run(session->workload, &session->run, &session->result->run);
    }
    migrate_session_word(session, "end", session->target.party.event);
    while (!migrate_target_done(&session->target))
        migrate_session_wait(session);
    session->target.party.prepared = false; /* the adapter is gone */
    migrate_target_stop(&session->target);
    conclude(session);
}

enum vidmm_migrate_status migrate_recv_here(const struct vidmm_workload *workload,
                                            const struct vidmm_run_options *options,
                                            const struct vidmm_migrate_options *migration,
                                            struct vidmm_migrate_result *result) {
    struct migrate_session session;
    if (migrate_session_open(&session, workload, options, migration, true, result))
        recv_run(&session);
    migrate_session_close(&session);
    return result->status;
}

enum vidmm_migrate_status vidmm_migrate_recv(const struct vidmm_workload *workload,
                                             const struct vidmm_run_options *options,
                                             const struct vidmm_migrate_options *migration,
                                             struct vidmm_migrate_result *result) {
    return options->apart ? migrate_apart(migrate_recv_here, workload, options, migration, result)
                          : migrate_recv_here(workload, options, migration, result);
}
