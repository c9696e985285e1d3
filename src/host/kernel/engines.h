/*
 * engines.h - time, and the hardware that runs in it.
 *
 * Virtual time: the hardware runs when a thread sleeps, stalls or polls; one thread at a time pumps
 * the engines of all boards in turn; the model advances the time, which jumps to the sleeper's deadline
 * when no engine has work. Threads: an engine is a thread, time is the wall clock.
 *
 * Waking: `wakes` counts every wake of the process. A thread remembers the count at its last
 * return, so that a wake between checking its condition and going to sleep is never lost.
 */
#ifndef HOST_ENGINES_H
#define HOST_ENGINES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/world.h"

#define HOST_ENGINES_MOST 32u /* of a board */

struct host_engine {
    pthread_t thread;
    uint32_t board, index;
};

struct host_engines {
    bool threaded;
    uint64_t run; /* number of this host in the process */
    _Atomic uint64_t virtual_now;
    pthread_mutex_t pump;   /* virtual time: held by the thread that steps the hardware */
    _Atomic uint32_t users; /* threads that ever slept here: more than one makes idle ambiguous */
    _Atomic uint32_t system_threads; /* of the driver, alive */
    pthread_mutex_t sleep_lock;
    pthread_cond_t sleep;
    _Atomic uint32_t sleepers;
    _Atomic uint64_t
        idle; /* wakes << 16 | system threads that have nothing to do since that wake */
    struct host_engine engine[HOST_LINKED_MOST * HOST_ENGINES_MOST];
    uint32_t started;
    _Atomic bool stop;
    _Atomic uint64_t kicks;  /* register writes so far */
    _Atomic uint32_t dozing; /* engine threads without work */
    pthread_mutex_t kick_lock;
    pthread_cond_t kick;
};

void host_engines_init(struct host_engines *engines, bool threaded);
void host_engines_done(struct host_engines *engines);
/* Threaded runs: starts the engine threads. false: no thread. */
bool host_engines_start(struct host_engines *engines);
void host_engines_stop(struct host_engines *engines);
/* A register was written: engines look for work. */
void host_engines_kick(void);

uint64_t host_now(void);
/* Virtual time: advances the clock. */
void host_advance(uint64_t ns);
/* Virtual time: each engine of each board does one step, if this thread may run the hardware. false: nothing
 * done. */
bool host_pump(void);
/* Busy waiting, during which the hardware runs. */
void host_stall(uint64_t ns);
/* Sleeps until a wake (true, also early) or until `deadline` of host_now() (false). */
bool host_sleep(uint64_t deadline);
void host_wake(void);
/* Sleeps until a wake or for a short real time; other threads advance clock and hardware. */
void host_idle(void);
/* Waits, briefly, until every system thread of the driver has nothing to do. */
void host_settle(void);

#endif
