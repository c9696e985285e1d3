/*
 * source.h - the state machine of the source.
 *
 *   source.c         the states up to the pause, and messages of the target
 *   source_rounds.c  rounds: pages that are due, their batches, the rate, the predicted pause
 *   source_give.c    the pause: the rest, the seal, the commit; withdrawal and doubt
 *
 *   CONNECT -> GREET -> FOLLOW -> ROUNDS -> LEAD -> LAST -> SEALED -> GIVEN -> MOVED
 *
 * Up to SEALED the migration may fail; then the guest runs on (WITHDRAWN until the target knows it,
 * else OVER, or CONNECT to begin again). Only OWNER or a decision of the operator ends GIVEN,
 * because COMMIT may have arrived. docs/migration-stream.md shows why there is never more than one
 * owner.
 */
#ifndef VIDMM_MIGRATE_SOURCE_H
#define VIDMM_MIGRATE_SOURCE_H

#include "party.h"

enum source_state {
    SOURCE_CONNECT,
    SOURCE_GREET,     /* HELLO was sent */
    SOURCE_FOLLOW,    /* the target rehearses; the migration has not begun */
    SOURCE_ROUNDS,    /* brownout */
    SOURCE_LEAD,      /* brownout; the event of the pause was sent */
    SOURCE_LAST,      /* paused: sends the rest */
    SOURCE_SEALED,    /* paused: waits for READY */
    SOURCE_GIVEN,     /* paused: COMMIT was sent, waits for OWNER */
    SOURCE_MOVED,     /* the target owns the guest */
    SOURCE_WITHDRAWN, /* runs; a target that sent READY has to learn it */
    SOURCE_OVER       /* runs, the migration ended */
};

struct migrate_source {
    struct migrate_party party;
    enum source_state state;
    uint64_t start, last; /* event to begin at; last event of the guest */
    uint64_t stand;       /* LEAD: event to pause at */
    bool quick;           /* to a file: paused at `start`, one round */
    bool open, up;        /* the link: opening or up; up */
    uint64_t whole;       /* until then everything has to be sent */
    bool hung_up;         /* this side ended the connection: ignore MIGRATE_DOWN */
    bool forced;          /* pause even if it will be too long */
    uint64_t goal;      /* event up to which the target may rehearse, or at which it has to stop */
    uint64_t target_at; /* event of the target's last message */
    uint64_t lag, lag_at;            /* by how many events the target lagged behind, and when */
    uint64_t target_was, idle_since; /* `target_at` at the last look; when it changed last */
    uint32_t lag_wait;      /* for the target the guest waits so many times as long as it ran */
    bool standing, counted; /* LEAD: the target reached the event; all dirty pages are due */
    uint32_t retries;
    uint64_t again_at;    /* CONNECT: earliest next attempt */
    uint64_t answer_by;   /* WITHDRAWN: then a link that is up counts as broken */
    uint64_t last_answer; /* WITHDRAWN: then it gives up, whoever is there */
    uint64_t deadline;    /* of the message that is expected; 0: none */

    /* Time: */
    uint64_t gate_at; /* when the guest came to this event */
    bool stepped;     /* it was stepped with this event before */
    uint64_t left_at; /* when the guest went on */
    uint64_t slice_end, hold_until;
    uint64_t idle_until; /* until then the guest is idle (frames_per_s) */
    uint64_t idled;      /* ns of idle time since the event before this one */
    uint64_t owed;       /* ns that the guest has yet to wait */
    uint64_t event_ns;   /* duration of an event of the guest, averaged */
    uint32_t events;
    uint32_t throttle;           /* the guest waits so many times as long as it ran */
    uint64_t began, paused;      /* when */
    uint64_t followed, reported; /* when FOLLOW was sent and progress reported last */

    /* Rounds: */
    uint32_t round,
        stuck; /* rounds of this attempt; rounds in a row that did not reduce what is due */
    uint32_t rounds_allowed;
    uint64_t round_at, round_pages, round_bytes, round_not_before;
    uint64_t due_bytes;   /* now */
    uint64_t dirty_bytes; /* when the round began */
    uint64_t read_bytes, read_ns;
    uint64_t traffic_start, wire_memory; /* memory that was sent since `traffic_start` */
};

void migrate_source_start(struct migrate_source *source, const struct migrate_party *party,
                          uint64_t start, uint64_t last, bool quick);
enum migrate_verdict migrate_source_step(struct migrate_source *source, uint64_t event);
/* The guest has ended here, and the adapter is stopped. */
void migrate_source_ended(struct migrate_source *source);
/* After migrate_source_ended. True: finished; false: the target still needs a message. */
bool migrate_source_done(struct migrate_source *source);
void migrate_source_stop(struct migrate_source *source);

/* ---- source_rounds.c ------------------------------------------------------------------------- */

/* Makes all pages in use due. false: the reason is the device's. */
bool source_rounds_begin(struct migrate_source *source);
/* Sends batches until `until`, or there is no room, or nothing is due. */
bool source_rounds_pump(struct migrate_source *source, uint64_t until);
/* To be called when no page is due: ends the round and reads the dirty bits. */
bool source_rounds_next(struct migrate_source *source);
/* Bytes a second, never 0. */
uint64_t source_rounds_read_rate(const struct migrate_source *source);
/* Of a pause with what is due now. */
uint64_t source_rounds_predict(const struct migrate_source *source);
void source_rounds_progress(struct migrate_source *source);

/* ---- source_give.c --------------------------------------------------------------------------- */

/* Connects, with a HELLO that fits the state. */
void source_give_call(struct migrate_source *source);
/* Pauses at this event and sends what is left. */
enum migrate_verdict source_give_pause(struct migrate_source *source);
enum migrate_verdict source_give_step(struct migrate_source *source);
/* READY, OWNER, or HELLO of a target that connects again. */
void source_give_message(struct migrate_source *source, const struct migrate_message *message);
/* The link went down after SEAL. */
/* A connection is made. */
void source_give_linked(struct migrate_source *source);
void source_give_down(struct migrate_source *source, const char *why);
/* The migration fails before COMMIT: the guest goes on here. */
void source_withdraw(struct migrate_source *source, const char *why);

#endif
