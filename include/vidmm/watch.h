/*
 * watch.h - runs a driver in a process of its own, which is not trusted, and sees its end.
 *
 * The caller forks a guard, which forks the driver's process. What that process says to its caller
 * goes into a pipe: it can add to it, and take nothing back. A crash, an exit, a hang, or words that are
 * not vidmm's end in a `struct vidmm_watch_end`, from which one finding and one sentence are made. The
 * guard is the parent that the driver's process sees, and ends whatever processes that one leaves
 * behind.
 *
 * A signal that ends the caller ends them first (vidmm/stop.h). A process may begin several drivers' processes,
 * and hears them one after the other. One thread uses these functions.
 */
#ifndef VIDMM_WATCH_H
#define VIDMM_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/referee.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VIDMM_WATCH_TIMEOUT_MS 10000u
/* The kinds of what is said are numbers from this one on. */
#define VIDMM_WATCH_SAID 16u
/* Bytes of one thing that is said, at most. */
#define VIDMM_WATCH_MOST ((size_t)1 << 20)

struct vidmm_watch_options {
    uint32_t timeout_ms; /* in which no call begins or returns; 0: VIDMM_WATCH_TIMEOUT_MS */
    uint32_t most;       /* of all, about, in times of timeout_ms; 0: no limit */
    /* Findings of the driver's process go into its own copy; the caller's gets them as they come.
     * NULL: there is none. */
    struct vidmm_ledger *ledger;
    /* In the driver's process, a copy of the caller: starts and stops the driver. */
    void (*run)(void *ctx);
    /* In the caller: something was said, whose bytes may be anything; false: that cannot be. May be
     * NULL. */
    bool (*heard)(void *ctx, uint32_t kind, const void *bytes, size_t size);
    void *ctx;
};

enum vidmm_watch_how {
    VIDMM_WATCH_DONE,      /* `run` returned */
    VIDMM_WATCH_SIGNALLED, /* `number`: the signal */
    VIDMM_WATCH_STOPPED,   /* the same of one that stops a process */
    VIDMM_WATCH_EXITED,    /* `number`: the exit code */
    VIDMM_WATCH_HUNG,      /* it did not end in time, and was ended */
    VIDMM_WATCH_CUT_OFF,   /* it lost what it speaks through */
    VIDMM_WATCH_FORGED,    /* what came from it is not what vidmm says */
    VIDMM_WATCH_UNGUARDED, /* the guard was ended */
    VIDMM_WATCH_NONE,      /* no process could be made */
    VIDMM_WATCH_STARVED,   /* the caller had no memory to hear what it said */
};

struct vidmm_watch_end {
    enum vidmm_watch_how how;
    int32_t number;
    uint32_t timeout_ms;
    char where[96];    /* what the driver was called for; "vidmm"; or "no call of the system's" */
    char step[96];     /* of the conformance check */
    char reason[160];  /* what a crash was, if that is more than its signal says */
    char changed[192]; /* what the driver changed of the process, though it ended well; or empty */
    bool own;          /* vidmm did that, and not the driver */
    uint64_t settings; /* bit i: setting i of the host was read */
    uint32_t frames;   /* where in the driver it was */
    uint64_t frame[VIDMM_PLACES];
};

struct vidmm_watch_run; /* a driver's process that was begun */

/* true: `run` returned, and nothing was forged. */
bool vidmm_watch(const struct vidmm_watch_options *options, struct vidmm_watch_end *end);
/*
 * The same in two steps: between them the driver's process goes on beside its caller, whose ledger may count calls, but
 * must get no finding. What it says waits until the second step, and the deadline begins there. NULL: there is no memory,
 * or no process could be made. To be ended by vidmm_watch_finish or vidmm_watch_drop, which free it.
 */
struct vidmm_watch_run *vidmm_watch_begin(const struct vidmm_watch_options *options);
/* As vidmm_watch. */
bool vidmm_watch_finish(struct vidmm_watch_run *run, struct vidmm_watch_end *end);
/* Ends the driver's process; nothing of what it said is taken. */
void vidmm_watch_drop(struct vidmm_watch_run *run);
/* In the driver's process: says `size` bytes. Elsewhere nothing. */
void vidmm_watch_say(uint32_t kind, const void *bytes, size_t size);
/* In the driver's process: a sign of life of one that waits for something else than its driver. */
void vidmm_watch_alive(void);
/* Makes the finding of an end that is not VIDMM_WATCH_DONE, or of what was changed; or none. Its
 * symbols are not read yet. */
void vidmm_watch_note(const struct vidmm_watch_end *end, struct vidmm_ledger *ledger);
/* What is noted, in one sentence without full stop; empty: nothing is. */
void vidmm_watch_text(const struct vidmm_watch_end *end, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
