/*
 * beside.h - another processor, while a DPC of the driver's goes on.
 */
#ifndef HOST_BESIDE_H
#define HOST_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

struct host_beside {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*run)(void *ctx); /* NULL: nothing is to be done */
    void *ctx;
    pthread_t thread;
    bool started, done;
};

void host_beside_init(struct host_beside *beside);
void host_beside_done(struct host_beside *beside);
/* A routine was synchronized with the interrupt, by the calling thread. */
void host_beside_synchronized(struct host_beside *beside);

#endif
