/*
 * source.h - the side that gives the guest away: a state machine over a link and a virtual GPU.
 *
 *   source.c         the states up to the pause, and what the target says
 *   source_rounds.c  rounds: pages that are due, their batches, the rate, the predicted pause
 *   source_give.c    the pause: the rest, the seal, the commit; withdrawal and doubt
 *
 *   CONNECT -> GREET -> FOLLOW -> ROUNDS -> LEAD -> LAST -> SEALED -> GIVEN -> MOVED
 *
 * Everything up to SEALED may fail; then the guest runs on (WITHDRAWN until the target knows it,
 * else OVER, or CONNECT to begin again). GIVEN ends by OWNER or by a verdict only: COMMIT
 * may have arrived. docs/migration-stream.md argues why there is never more than one owner.
 */
#ifndef VIDMM_MIGRATE_SOURCE_H
#define VIDMM_MIGRATE_SOURCE_H

#include "party.h"

enum source_state {
    SOURCE_CONNECT,
    SOURCE_GREET,     /* HELLO is out */
    SOURCE_FOLLOW,    /* the target rehearses; the migration has not begun */
    SOURCE_ROUNDS,    /* brownout */
    SOURCE_LEAD,      /* brownout, and the event to pause at is agreed on */
    SOURCE_LAST,      /* paused: the rest goes out */
    SOURCE_SEALED,    /* paused: waits for READY */
    SOURCE_GIVEN,     /* paused: COMMIT is out, waits for OWNER */
    SOURCE_MOVED,     /* the guest is the target's */
    SOURCE_WITHDRAWN, /* runs; the target may hold what it must not use, and has to be told */
    SOURCE_OVER       /* runs, and there is no migration */
};

struct migrate_source {
    struct migrate_party party;
    enum source_state state;
    uint64_t start, last; /* event to begin at; last event of the guest */
    uint64_t stand;       /* LEAD: event to pause at */
    bool quick;           /* to a file: paused at `start`, everything at once */
    bool open, up;        /* the link: opening or up; up */
    bool hung_up;         /* by this side: the news of it are no news */
    bool forced;          /* whatever the pause will be */
    uint64_t goal;        /* event up to which the target may rehearse, or where it is to stand */
    uint64_t target_at;   /* what the target said last */
    uint64_t lag, lag_at; /* events that it lagged behind, and when */
    uint64_t target_was, idle_since; /* `target_at` then; and since when it is that */
    uint32_t lag_wait;      /* the guest waits so many times as long as it ran, for the target */
    bool standing, counted; /* LEAD: the target stands there; all that is dirty is due */
    uint32_t retries;
    uint64_t again_at; /* CONNECT: not before */
    uint64_t deadline; /* of what is waited for; 0: none */

    /* Time: */
    uint64_t gate_at; /* the guest came to this event */
    bool stepped;     /* with this event before */
    uint64_t left_at; /* it was let go on */
    uint64_t slice_end, hold_until;
    uint64_t idle_until; /* the guest itself has nothing to do before, as its user says */
    uint64_t idled;      /* ns, since it came to the event before this one */
    uint64_t owed;       /* ns that the guest has yet to wait */
    uint64_t event_ns;   /* that an event of the guest takes, the mean of so many */
    uint32_t events;
    uint32_t throttle;           /* the guest waits so many times as long as it ran */
    uint64_t began, paused;      /* when */
    uint64_t followed, reported; /* when FOLLOW was sent and progress reported last */

    /* Rounds: */
    uint32_t round, stuck; /* of this attempt; in a row without getting better */
    uint32_t rounds_allowed;
    uint64_t round_at, round_pages, round_bytes, round_not_before;
    uint64_t due_bytes;   /* now */
    uint64_t dirty_bytes; /* when the round began */
    uint64_t read_bytes, read_ns;
    uint64_t traffic_start, wire_memory; /* memory that the traffic since then carried */
    uint8_t *batch;                      /* room for one */
};

void migrate_source_start(struct migrate_source *source, const struct migrate_party *party,
                          uint64_t start, uint64_t last, bool quick);
enum migrate_verdict migrate_source_step(struct migrate_source *source, uint64_t event);
/* The guest has ended here, and the virtual GPU is gone. */
void migrate_source_ended(struct migrate_source *source);
/* After that. True: step no more; false: the target has yet to be told something. */
bool migrate_source_done(struct migrate_source *source);
void migrate_source_stop(struct migrate_source *source);

/* ---- source_rounds.c ------------------------------------------------------------------------- */

/* Everything in use is due. false: the reason is the device's. */
bool source_rounds_begin(struct migrate_source *source);
/* Sends batches until `until`, or there is no room, or nothing is due. */
bool source_rounds_pump(struct migrate_source *source, uint64_t until);
/* Nothing is due: ends the round and asks what became dirty. */
bool source_rounds_next(struct migrate_source *source);
/* Bytes a second, never 0. */
uint64_t source_rounds_read_rate(const struct migrate_source *source);
/* Of a pause with what is due now. */
uint64_t source_rounds_predict(const struct migrate_source *source);
void source_rounds_progress(struct migrate_source *source);

/* ---- source_give.c --------------------------------------------------------------------------- */

/* Pauses at this event and sends what is left. */
enum migrate_verdict source_give_pause(struct migrate_source *source);
enum migrate_verdict source_give_step(struct migrate_source *source);
/* READY, OWNER, HELLO of a side that was lost. */
void source_give_message(struct migrate_source *source, const struct migrate_message *message);
/* The link came up, or broke, once the migration was sealed. */
void source_give_up(struct migrate_source *source);
void source_give_down(struct migrate_source *source, const char *why);
/* It fails, and nothing was committed: the guest goes on here. */
void source_withdraw(struct migrate_source *source, const char *why);

#endif
