/*
 * session.h - a state machine in a process: its link, clock, journal, control socket, and the
 * function that the player calls before each event.
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
    struct vidmm_migrate_options options; /* with all defaults filled in */
    struct vidmm_run_options run;
    const struct vidmm_workload *workload;
    struct vidmm_migrate_result *result;
    struct migrate_address address;
    struct migrate_channel channel;
    struct migrate_journal journal;
    struct migrate_control control;
    struct migrate_adapter adapter;
    char *config;
    char unlogged[320]; /* why the journal lacks a word or was not closed; "": it has all */
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
/* Where the guest moved and the journal does not tell all of it, the result is VIDMM_MIGRATE_WRONG. */
void migrate_session_close(struct migrate_session *session);
struct migrate_party migrate_session_party(struct migrate_session *session);
/* A word in the journal that no step waits for. */
void migrate_session_word(struct migrate_session *session, const char *word, uint64_t event);
/* Sleeps until an event may have arrived. */
void migrate_session_wait(struct migrate_session *session);

#endif
