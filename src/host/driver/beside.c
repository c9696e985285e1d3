/*
 * beside.c - what another processor does between the moment at which a DPC has reported work to the
 * system (DxgkCbSynchronizeExecution) and the next instruction of that DPC: with threads alone it
 * almost never happens then.
 *
 * The DPC waits for the other thread, unless that waits for a lock that the DPC holds.
 */
#include "driver/beside.h"

#include <time.h>

#include "base/thread.h"
#include "base/world.h"

#define WAIT_MS 100 /* until the other thread is taken for one that waits for the DPC */

void host_beside_init(struct host_beside *beside) {
    pthread_mutex_init(&beside->lock, NULL);
    pthread_cond_init(&beside->changed, NULL);
}

void host_beside_done(struct host_beside *beside) {
    pthread_cond_destroy(&beside->changed);
    pthread_mutex_destroy(&beside->lock);
}

static void *other_processor(void *context) {
    struct host_beside *beside = context;
    beside->run(beside->ctx);
    pthread_mutex_lock(&beside->lock);
    beside->done = true;
    pthread_cond_signal(&beside->changed);
    pthread_mutex_unlock(&beside->lock);
    return NULL;
}

static void beside_start(struct host_beside *beside) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += WAIT_MS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000L;
    end.tv_nsec %= 1000000000L;
    beside->started = pthread_create(&beside->thread, NULL, other_processor, beside) == 0;
    while (beside->started && !beside->done &&
           pthread_cond_timedwait(&beside->changed, &beside->lock, &end) == 0)
        continue;
}

void host_beside_synchronized(struct host_beside *beside) {
    if (host_self.called || !host_self.doing || host_self.irql != DISPATCH_LEVEL)
        return;
    pthread_mutex_lock(&beside->lock);
    if (beside->run && !beside->started)
        beside_start(beside);
    pthread_mutex_unlock(&beside->lock);
}

void vidmm_host_beside(struct vidmm_host *host, void (*run)(void *ctx), void *ctx) {
    struct host_beside *beside = host->beside;
    pthread_mutex_lock(&beside->lock);
    beside->run = run;
    beside->ctx = ctx;
    beside->started = beside->done = false;
    pthread_mutex_unlock(&beside->lock);
}

bool vidmm_host_beside_end(struct vidmm_host *host) {
    struct host_beside *beside = host->beside;
    pthread_mutex_lock(&beside->lock);
    bool started = beside->started;
    beside->run = NULL;
    pthread_mutex_unlock(&beside->lock);
    if (started)
        pthread_join(beside->thread, NULL);
    beside->started = false;
    return started;
}
