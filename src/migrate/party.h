/*
 * party.h - members that both state machines have: the link, the virtual GPU, a clock, a journal.
 *
 * A machine is stepped before each event of the guest, and again while it answers HOLD. One thread
 * uses it, and it never waits.
 */
#ifndef VIDMM_MIGRATE_PARTY_H
#define VIDMM_MIGRATE_PARTY_H

#include <vidmm/migrate.h>

#include "area.h"
#include "greeting.h"
#include "link.h"

enum migrate_verdict {
    MIGRATE_RUN,  /* the guest plays the event */
    MIGRATE_HOLD, /* the guest waits: step again soon with the same event */
    MIGRATE_LEAVE /* the guest ends here */
};

/* Entries of the journal: what this process does with the guest from now on. */
enum migrate_deed {
    MIGRATE_RUNS,   /* plays on from the event, as its owner */
    MIGRATE_PAUSES, /* stands still at it */
    MIGRATE_GIVES,  /* source: sent COMMIT; plays on only if an operator decides so */
    MIGRATE_WAITS,  /* target: said READY */
    MIGRATE_DOUBTS,
    MIGRATE_TAKES, /* target: is the owner from here on */
    MIGRATE_DROPS, /* gives the guest up */
    MIGRATE_DEEDS
};

struct migrate_world {
    void *ctx;
    uint64_t (*now)(void *ctx); /* ns */
    uint64_t (*draw)(void *ctx);
    /* True: the entry is durable. Else `text` says why not, and what needs it must not be done. */
    bool (*deed)(void *ctx, enum migrate_deed deed, uint64_t session, uint64_t event, char *text,
                 size_t text_size);
    /* The operator's decision since the last call; ASK: none. */
    enum vidmm_migrate_verdict (*verdict)(void *ctx);
    void (*progress)(void *ctx, const struct vidmm_migrate_progress *progress);
};

struct migrate_party {
    struct migrate_link link;
    struct migrate_device device;
    struct migrate_world world;
    const char *config; /* lines NAME=VALUE */
    const struct vidmm_migrate_options *options;
    struct vidmm_migrate_result *result;
    struct migrate_areas areas;
    uint64_t session;
    uint64_t event; /* of the step */
    enum vidmm_migrate_phase phase;
    bool prepared;         /* DxgkDdiPrepareLiveMigration was called */
    char undone[320];      /* why the last entry of the journal failed */
    char unmentioned[320]; /* the same of one that nothing hung on; empty: none failed */
    uint64_t doubt_at;     /* when the doubt began, or was reported last */
};

uint64_t migrate_now(const struct migrate_party *party);
/* A message without, and with, an event. */
void migrate_say(struct migrate_party *party, enum migrate_type type);
void migrate_say_event(struct migrate_party *party, enum migrate_type type, uint64_t event);
void migrate_say_hello(struct migrate_party *party, enum migrate_stance stance);
void migrate_say_abort(struct migrate_party *party, const char *why);
/* `size` bytes in pieces, of which the first says how many there are. false: out of memory. */
bool migrate_say_data(struct migrate_party *party, enum migrate_type type, const uint8_t *data,
                      size_t size);
/* Saves the driver's data, and its size. false: the reason is the device's. */
bool migrate_say_saved(struct migrate_party *party, enum vidmm_migration_data kind,
                       uint64_t *bytes);
/* False: it is not in the journal, for the reason in `undone`. */
bool migrate_deed(struct migrate_party *party, enum migrate_deed deed);
/* An entry that nothing hangs on: if it fails, the operator is told, and the journal lacks it. */
void migrate_mention(struct migrate_party *party, enum migrate_deed deed);
/* The sentence of the result. */
void migrate_conclude(struct migrate_party *party, const char *why);
/* A message for the operator. */
void migrate_tell(struct migrate_party *party, const char *text);
/* In doubt, or still in doubt: reports to the operator WHAT is undecided, WHY, and what this side
 * is DOING. */
void migrate_doubt(struct migrate_party *party, const char *what, const char *why,
                   const char *doing);
/* Calls DxgkDdiEndLiveMigration if the migration was prepared; a paused guest may go on. */
void migrate_end(struct migrate_party *party);

#endif
