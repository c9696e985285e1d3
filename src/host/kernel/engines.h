/*
 * engines.h - the hardware that runs in the machine's time (clock.h).
 *
 * Virtual time: the hardware runs when a thread stalls or polls, and when every thread sleeps; one
 * thread at a time pumps the engines of all boards in turn. A model advances the time for all of them, or says
 * how long an engine is busy while the others work. Threads: an engine is a thread.
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
    uint64_t seen; /* while it dozes: register writes before that; under kick_lock */
};

struct host_engines {
    bool threaded;
    _Atomic uint64_t virtual_now;
    pthread_mutex_t pump; /* virtual time: held by the thread that steps the hardware */
    uint64_t busy[HOST_LINKED_MOST][HOST_ENGINES_MOST]; /* virtual time: until when */
    struct host_engine engine[HOST_LINKED_MOST * HOST_ENGINES_MOST];
    uint32_t started;
    _Atomic bool held; /* virtual time: none makes a step */
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

/* The same where the hardware is eager: they do all that they find at once. */
void host_engines_at_once(void);

/* Before a register is written where interrupts are served: the hardware does one step if it works on
 * meanwhile, so that what it has to tell comes between what the driver read and what it writes. */
void host_engines_meanwhile(void);

/* Virtual time: each engine of each board that is not busy does one step, if this thread may run the
 * hardware; then time passes until the first busy one has something to show. false: nothing done. */
bool host_pump(void);
/* Virtual time: an engine of a board is busy for `ns` from now on. false: time is real. */
bool host_engine_busy(uint32_t board, uint32_t engine, uint64_t ns);
/* Virtual time: runs hardware and threads until none of them has work left for this moment. */
void host_run_all(void);

#endif
