/*
 * beside.h - another processor, while a call of the driver's goes on.
 */
#ifndef HOST_BESIDE_H
#define HOST_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

struct host_beside {
    pthread_mutex_t lock;
    void (*run)(void *ctx); /* NULL: nothing is to be done */
    void *ctx;
    bool at_instruction; /* else when a DPC has synchronized */
    pthread_t thread;
    bool started;
};

void host_beside_init(struct host_beside *beside);
void host_beside_done(struct host_beside *beside);
/* `run` is done, once, when the moment comes. */
void host_beside_ask(struct host_beside *beside, bool at_instruction, void (*run)(void *ctx),
                     void *ctx);
/* A routine was synchronized with the interrupt, by the calling thread. */
void host_beside_synchronized(struct host_beside *beside);
/* The calling thread is at the instruction. */
void host_beside_reached(struct host_beside *beside);

#endif
