/*
 * fixture.h - a migration in one thread: a guest that is a block of memory, a link that is two
 * arrays, time that passes by ticks. Everything follows from a seed, and the link breaks, or a side
 * is killed, exactly where it is told to.
 */
#ifndef VIDMM_TESTS_MIGRATE_FIXTURE_H
#define VIDMM_TESTS_MIGRATE_FIXTURE_H

#include "frame.h"
#include "journal.h"
#include "source.h"
#include "target.h"

#define FIXTURE_SEGMENTS 2u
#define FIXTURE_PAGE     4096u
#define FIXTURE_STATE    64u
#define FIXTURE_NEVER    UINT64_MAX

/* Bytes of one direction of one connection. */
struct fixture_pipe {
    uint8_t *bytes;
    size_t size, room, read, allowed;
    uint64_t carried;          /* over all connections */
    uint64_t busy;             /* ticks with something on its way */
    uint64_t cut_at, spoil_at; /* of `carried`; FIXTURE_NEVER: not */
    uint64_t lost_at;          /* from here on nothing arrives, though the connection stays */
};

struct fixture_side;

struct fixture_link {
    struct fixture_pipe to_target, to_source;
    bool connected;
    uint64_t rate; /* bytes a tick; 0: all at once */
};

struct fixture_side {
    struct fixture *fixture;
    bool is_target, alive, ended;
    /* The guest, pages by segment: */
    uint8_t *memory[FIXTURE_SEGMENTS];
    bool *dirty[FIXTURE_SEGMENTS], *used[FIXTURE_SEGMENTS];
    uint8_t state[FIXTURE_STATE];
    uint64_t next; /* event */
    uint64_t calls;
    bool paused, prepared;
    unsigned fail_at, asked; /* the n-th request of the device fails; 0: none */
    /* The link: */
    bool wants, up, told_up, told_down;
    struct migrate_reader reader;
    uint32_t number;
    uint64_t bond;
    struct migrate_message hello; /* the source's */
    char why[256];
    enum vidmm_migrate_verdict verdict;
    struct migrate_journal journal; /* none, unless a test opens one */
    unsigned deeds[MIGRATE_DEEDS];
    uint64_t own_event;
    struct vidmm_migrate_options options;
    struct vidmm_migrate_result result;
    struct migrate_source source;
    struct migrate_target target;
};

struct fixture {
    uint64_t now, ticks;
    uint64_t connections; /* so far */
    struct fixture_link link;
    struct fixture_side source, target;
    unsigned pages;   /* of each segment */
    unsigned events;  /* of the guest, a tick each while nothing holds it */
    unsigned writes;  /* pages that an event writes */
    unsigned hot;     /* it writes only the first ones of each segment; 0: any */
    unsigned read_ns; /* that a page takes to be read from the device */
    bool full;        /* all memory is in use from the beginning, and does not compress */
    unsigned idle;    /* ticks that the source's guest has nothing to do, at each event */
    unsigned lag;     /* the target steps every so many ticks only; 0: twice a tick */
    bool two_owners;
    char said[512]; /* the last news for people */
};

/* Everything as it is before the first tick. */
void fixture_start(struct fixture *fixture, unsigned writes);
/* After options were changed: makes the guests and the machines. */
void fixture_go(struct fixture *fixture);
/* The guest of this side is at its beginning again. */
void fixture_restart(struct fixture_side *side);
/* Both sides step, the guest plays what it may. */
void fixture_tick(struct fixture *fixture);
void fixture_kill(struct fixture *fixture, struct fixture_side *side);
/* Until both have ended, or `ticks` have passed. */
void fixture_run(struct fixture *fixture, uint64_t ticks);
void fixture_stop(struct fixture *fixture);

/* What the guest's memory and state must be at its end. */
bool fixture_right(const struct fixture_side *side);

#endif
