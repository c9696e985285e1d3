/*
 * threads.h - system threads of the driver, and their objects to wait for.
 *
 * A handle and a pointer to the object are the same here; the object lives until the thread has
 * ended and every handle and reference was released.
 */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* System threads that still run. Joins those that have ended. */
uint32_t host_threads_left(void);
/* Handles and references of threads that were not released; frees the objects. */
uint32_t host_threads_forget(void);

/* A system thread that waits without a timeout has no work: it sleeps until the next wake of any
 * thread and does not advance the clock. false: the caller is no system thread. */
bool host_thread_idles(void);

#endif
