/*
 * target.h - the side that gets the guest: a state machine over a link and a virtual GPU.
 *
 *   target.c        greeting, rehearsal, standing at the event, the seal
 *   target_take.c   from READY on: doubt, ownership
 *
 *   AWAIT -> REHEARSE -> STANDING -> READY -> OWNER
 *
 * Up to READY any failure ends it (OVER: the guest leaves). READY is left by COMMIT, ABORT or a
 * verdict only.
 */
#ifndef VIDMM_MIGRATE_TARGET_H
#define VIDMM_MIGRATE_TARGET_H

#include "party.h"
#include "store.h"

enum target_state {
    TARGET_AWAIT,    /* no source has connected, or it has not said what it runs */
    TARGET_REHEARSE, /* the same guest, up to where the source is or wants to pause */
    TARGET_STANDING, /* at the event; what comes goes into memory */
    TARGET_READY,    /* has everything, and waits for COMMIT */
    TARGET_OWNER,    /* the guest is this side's */
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
    bool file; /* the source is a file: it neither answers nor asks */
    bool open, up;
    bool greeted;      /* HELLO came */
    uint32_t segments; /* how many of the source's came and were like ours */
    uint64_t follow;   /* rehearse up to here */
    bool stand;        /* `follow` is where the source will pause */
    bool filled;       /* STANDING: what came before is in memory */
    bool sealed;       /* SEAL came: `seal` */
    struct migrate_message seal;
    struct target_data fixed, state_data;
    struct migrate_store store;
    uint64_t reported_at; /* when AT was sent last, and with which event */
    uint64_t reported_event;
    uint64_t linger;   /* OWNER, and the guest has ended: until when; 0: not yet */
    bool acknowledged; /* OWNER: the source knows */
    bool again;        /* OVER: not the end, the guest has to rehearse from its beginning */
};

void migrate_target_start(struct migrate_target *target, const struct migrate_party *party,
                          bool file);
enum migrate_verdict migrate_target_step(struct migrate_target *target, uint64_t event);
/*
 * The guest left because it has to begin again: true, and with the device of the new one in
 * `party.device` the machine is ready for it.
 */
bool migrate_target_again(struct migrate_target *target);
/* The guest has ended. False: the source does not know yet which side owns the guest. */
bool migrate_target_done(struct migrate_target *target);
void migrate_target_stop(struct migrate_target *target);

/* It fails, and nothing was promised. */
void target_give_up(struct migrate_target *target, const char *why);

/* ---- target_take.c --------------------------------------------------------------------------- */

/* Everything is there and right: promises to wait for the source's word. */
void target_take_ready(struct migrate_target *target);
enum migrate_verdict target_take_step(struct migrate_target *target);
void target_take_message(struct migrate_target *target, const struct migrate_message *message);
void target_take_down(struct migrate_target *target, const char *why);
/* A source connected that names a migration under way, which this target does not know. */
void target_take_stranger(struct migrate_target *target);

#endif
