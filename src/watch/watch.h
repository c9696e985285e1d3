/*
 * watch.h - what the files of this room share.
 *
 *   watch.c    the caller: makes the processes, listens, keeps the deadline
 *   guard.c    the guard between the caller and the driver's process
 *   child.c    the driver's process: what it says, and its last words
 *   ledger.c   the ledger, from the driver's process to the caller
 *   changes.c  what a driver changed of its process
 *   words.c    an end as a finding and as a sentence
 *   stop.c     signals that end the caller
 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include <sys/types.h>

#include <vidmm/host.h>
#include <vidmm/stop.h>
#include <vidmm/watch.h>

/* Exit codes of the driver's process. */
#define WATCH_CODE    86
#define WATCH_CUT_OFF 87

/* Where a driver is that is in no call. */
#define WATCH_NO_CALL "no call of the system's"
/* And where a process is that ran vidmm's own code when it was ended. */
#define WATCH_OWN_CODE "vidmm"

/* What this room itself says. */
enum watch_kind {
    WATCH_DONE = 1, /* no bytes */
    WATCH_CHANGED,  /* a text */
    WATCH_FOUND,    /* struct watch_found */
    WATCH_AGAIN,    /* struct watch_again */
    WATCH_COUNTS,   /* struct watch_counts, and what it counts */
};

/* Before the bytes of each thing that is said. Zeros follow them up to where anything may begin. */
#define WATCH_ALIGNED 8u
struct watch_record {
    uint64_t sum;   /* of the bytes and of the rest of the record */
    uint64_t order; /* number of records before it */
    uint32_t kind, size;
};

/*
 * Shared with the driver's process, which may write anything to it: where it is, for the words of an
 * end. No verdict is made of it.
 */
struct watch_hint {
    struct vidmm_host_shown shown;
    char calling[96], step[96]; /* of the ledger */
    char died_in[96];           /* code outside of calls that a thread ran when it died */
    char died_of[160];
    uint32_t died_own; /* of what vidmm itself did */
    uint32_t frames;
    uint64_t frame[VIDMM_PLACES];
    uint32_t asked; /* its last words were said */
};

struct watch {
    const struct vidmm_watch_options *options;
    struct watch_hint *hint;
    uint64_t secret; /* that sums begin with */
    int said[2];     /* from the driver's process: read end, write end */
    int news[2];     /* from the guard */
    pid_t caller, guard, driver;
    struct vidmm_stop stop; /* of the caller's */
    struct watch *next;     /* that the caller began as well, and has not finished */
};

/* What the guard says: first the driver's process, then its end. */
struct watch_news {
    int32_t pid;
    int32_t status;   /* as waitpid has it */
    uint32_t stopped; /* not 0: a signal that stopped it, and it was killed */
    uint32_t left;    /* processes that it left behind */
    uint32_t signals; /* that it sent to the guard */
    uint32_t ended;   /* 0: `pid` alone is known */
};

static inline size_t watch_padded(size_t size) {
    return (size + WATCH_ALIGNED - 1) / WATCH_ALIGNED * WATCH_ALIGNED;
}
uint64_t watch_sum(uint64_t secret, const struct watch_record *record, const void *bytes);
uint64_t watch_now_ms(void);
/* In a child of the caller: leaves what the caller has of drivers' processes but `watch`. */
void watch_leave_others(const struct watch *watch);

/* guard.c: in the guard; does not return. */
void watch_guard(struct watch *watch);
/* child.c: in the driver's process; does not return. */
void watch_child(const struct watch *watch);

/* ---- ledger.c -------------------------------------------------------------------------------- */

/* A finding without the words of its places. */
struct watch_found {
    uint32_t index;
    uint32_t places;
    uint64_t place[VIDMM_PLACES];
    uint8_t kind, who;
    uint16_t rule, after;
    uint64_t after_call, call, until_call;
    uint32_t until, kept_until;
    char where[96], step[96], found[VIDMM_FOUND], expected[192];
};

struct watch_again {
    uint32_t index;
    uint64_t call;
};

struct watch_count {
    uint32_t index; /* a rule, or a finding */
    uint32_t kept, broken, unseen, held;
    uint32_t unseen_in; /* bits */
    uint32_t times;     /* of a finding */
};

/* What was added since the last one. */
struct watch_counts {
    uint64_t calls;
    uint32_t dropped;
    uint32_t short_of_memory;
    uint32_t rules, findings; /* of the struct watch_count that follow */
};

/* In the driver's process: from here on what comes into the ledger is said. */
void watch_ledger_begin(struct vidmm_ledger *ledger, struct watch_hint *hint);
/* Says the counts, too. */
void watch_ledger_flush(void);

/* In the caller. */
struct watch_book {
    struct vidmm_ledger *ledger;
    uint64_t calls, kept; /* of this life of the driver */
    uint64_t late; /* calls that the ledger has counted since the driver's process was begun */
};
/* false: no ledger gets to this from where it was. */
bool watch_book_take(struct watch_book *book, uint32_t kind, const void *bytes, size_t size);

/* ---- changes.c ------------------------------------------------------------------------------- */

#define WATCH_LIMITS  16
#define WATCH_SIGNALS 64

/* Of the process, which no driver has to do with. */
struct watch_state {
    char directory[512];
    uint64_t limit[WATCH_LIMITS][2];
    int32_t priority;
    uint32_t mask, threads; /* `mask`: of new files */
    uint64_t blocked;       /* signals */
    uintptr_t handler[WATCH_SIGNALS + 1];
    uint64_t timer[3];
    uint64_t stream[3][2]; /* device and inode of descriptors 0 to 2 */
    char name[16];
    int32_t dumpable;
};

void watch_state_read(struct watch_state *state);
/* One sentence about the first thing that differs; false: nothing does. */
bool watch_state_differs(const struct watch_state *before, const struct watch_state *now,
                         char *text, size_t size);

#endif
