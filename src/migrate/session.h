/*
 * session.h - what surrounds a state machine in a real process: the link by its address, clock,
 * journal, control socket, and the gate through which the player comes.
 */
#ifndef VIDMM_MIGRATE_SESSION_H
#define VIDMM_MIGRATE_SESSION_H

#include "adapter.h"
#include "channel.h"
#include "control.h"
#include "journal.h"
#include "source.h"
#include "target.h"

struct migrate_session {
    struct vidmm_migrate_options options; /* nothing in it is 0 for a default */
    struct vidmm_run_options run;
    const struct vidmm_workload *workload;
    struct vidmm_migrate_result *result;
    struct migrate_address address;
    struct migrate_channel channel;
    struct migrate_journal journal;
    struct migrate_control control;
    struct migrate_adapter adapter;
    char *config;
    bool receives, has_channel, has_control;
    uint64_t last; /* event */
    enum vidmm_event_kind frame_end;
    uint64_t frame_at; /* source: when the frame that ended last was due, if it is paced */
    struct migrate_source source;
    struct migrate_target target;
};

/* false: `result` says why not; close it all the same. */
bool migrate_session_open(struct migrate_session *session, const struct vidmm_workload *workload,
                          const struct vidmm_run_options *run,
                          const struct vidmm_migrate_options *options, bool receives,
                          struct vidmm_migrate_result *result);
void migrate_session_close(struct migrate_session *session);
struct migrate_party migrate_session_party(struct migrate_session *session);
/* Sleeps until there may be news. */
void migrate_session_wait(struct migrate_session *session);

#endif
