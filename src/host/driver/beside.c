/*
 * beside.c - what another processor does at a moment inside of the driver's code at which with threads alone it
 * almost never does: when a DPC has reported work to the system (DxgkCbSynchronizeExecution) and before its next
 * instruction, or between any two instructions of a call, or of a system thread of the driver's (moment.c).
 *
 * The driver's code waits for the other thread, unless that waits for a lock that the code holds.
 */
#include "driver/beside.h"

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dispatcher.h"
#include "kernel/halted.h"

void host_beside_init(struct host_beside *beside) {
    pthread_mutex_init(&beside->lock, NULL);
}

void host_beside_done(struct host_beside *beside) {
    pthread_mutex_destroy(&beside->lock);
}

static void *other_processor(void *context) {
    struct host_beside *beside = context;
    beside->run(beside->ctx);
    host_halted_release();
    return NULL;
}

/* True, once: its moment has come. */
static bool beside_start(struct host_beside *beside, bool at_instruction) {
    pthread_mutex_lock(&beside->lock);
    bool now = beside->run && beside->at_instruction == at_instruction && !beside->started;
    if (now) {
        host_halted_begin(host_thread_self()->driver);
        beside->started = pthread_create(&beside->thread, NULL, other_processor, beside) == 0;
        now = beside->started;
    }
    pthread_mutex_unlock(&beside->lock);
    return now;
}

static void beside_now(struct host_beside *beside, bool at_instruction) {
    if (beside_start(beside, at_instruction))
        host_halted_wait(beside->thread);
}

void host_beside_synchronized(struct host_beside *beside) {
    if (!host_self.called && host_self.doing && host_self.irql == DISPATCH_LEVEL)
        beside_now(beside, false);
}

void host_beside_reached(struct host_beside *beside) {
    beside_now(beside, true);
}

void host_beside_ask(struct host_beside *beside, bool at_instruction, void (*run)(void *ctx),
                     void *ctx) {
    pthread_mutex_lock(&beside->lock);
    beside->run = run;
    beside->ctx = ctx;
    beside->at_instruction = at_instruction;
    beside->started = false;
    pthread_mutex_unlock(&beside->lock);
}

void vidmm_host_beside(struct vidmm_host *host, void (*run)(void *ctx), void *ctx) {
    host_beside_ask(host->beside, false, run, ctx);
}

bool vidmm_host_beside_end(struct vidmm_host *host) {
    struct host_beside *beside = host->beside;
    pthread_mutex_lock(&beside->lock);
    bool started = beside->started;
    if (!started)
        beside->run = NULL;
    pthread_mutex_unlock(&beside->lock);
    if (started) { /* which may not have begun, and may wait for what this thread held */
        host_halted_over();
        vidmm_host_away(true);
        pthread_join(beside->thread, NULL);
        vidmm_host_away(false);
    }
    beside->run = NULL;
    beside->started = false;
    return started;
}
