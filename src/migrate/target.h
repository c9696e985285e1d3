/*
 * target.h - the state machine of the target.
 *
 *   target.c        greeting, rehearsal, waiting at the event, SEAL
 *   target_take.c   from READY on: doubt, ownership
 *
 *   AWAIT -> REHEARSE -> STANDING -> READY -> OWNER
 *
 * Before READY a failure ends it (OVER: the guest leaves). Only COMMIT, ABORT or a decision of the
 * operator ends READY.
 */
#ifndef VIDMM_MIGRATE_TARGET_H
#define VIDMM_MIGRATE_TARGET_H

#include "party.h"
#include "store.h"

enum target_state {
    TARGET_AWAIT,    /* no source connected, or it has not sent CONFIG */
    TARGET_REHEARSE, /* plays the same guest up to the source's event */
    TARGET_STANDING, /* at the event; received pages go into memory */
    TARGET_READY,    /* has everything, waits for COMMIT */
    TARGET_OWNER,    /* owns the guest */
    TARGET_OVER
};

/* The driver's data, piece by piece. */
struct target_data {
    uint8_t *bytes;
    size_t size, whole;
    bool begun;
};

struct migrate_target {
    struct migrate_party party;
    enum target_state state;
    bool file; /* the source is a file, which does not answer */
    bool open, up;
    bool greeted;      /* HELLO came */
    bool refused;      /* AWAIT: this side ends the connection */
    uint64_t deadline; /* AWAIT, greeted: of the rest of the greeting; READY: of COMMIT */
    uint64_t whole;    /* until then everything has to come */
    uint32_t segments; /* segments that were received and agree with ours */
    uint64_t follow;   /* rehearse up to here */
    bool stand;        /* the source will pause at `follow` */
    bool filled;       /* STANDING: earlier pages are in memory */
    bool sealed;       /* SEAL came: `seal` */
    struct migrate_message seal;
    struct target_data fixed, state_data;
    struct migrate_store store;
    uint64_t reported_at; /* when AT was sent last, and with which event */
    uint64_t reported_event;
    uint64_t linger;      /* OWNER, and the guest has ended: until when; 0: not yet */
    uint64_t linger_most; /* until when at the most */
    bool acknowledged;    /* OWNER: the source knows */
    bool again;           /* OVER: the guest has to rehearse again from its start */
};

void migrate_target_start(struct migrate_target *target, const struct migrate_party *party,
                          bool file);
enum migrate_verdict migrate_target_step(struct migrate_target *target, uint64_t event);
/*
 * True: the guest left because it has to restart. The machine is ready for it when the caller has
 * put the new device into `party.device`.
 */
bool migrate_target_again(struct migrate_target *target);
/* The guest has ended. False: the source does not know yet which side owns the guest. */
bool migrate_target_done(struct migrate_target *target);
void migrate_target_stop(struct migrate_target *target);

/* The migration fails before READY. */
void target_give_up(struct migrate_target *target, const char *why);

/* ---- target_take.c --------------------------------------------------------------------------- */

/* Everything is received and correct: sends READY. */
void target_take_ready(struct migrate_target *target);
enum migrate_verdict target_take_step(struct migrate_target *target);
void target_take_message(struct migrate_target *target, const struct migrate_message *message);
void target_take_down(struct migrate_target *target, const char *why);
/* A source connected that names a migration under way, which this target does not know. */
void target_take_stranger(struct migrate_target *target);

#endif
