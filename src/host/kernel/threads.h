/*
 * threads.h - system threads of the driver, and their objects to wait for.
 *
 * An object lives until the end of the host; handles and references to it are counted.
 */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

/* System threads that have not ended, after those that were asked to end got the time for it. */
uint32_t host_threads_left(void);
/* Handles and references of threads that were not released; frees the objects. */
uint32_t host_threads_forget(void);

/* One that has not ended. */
bool host_threads_alive(void);
/* `goes_on` is called, once, by the next one that comes back from a wait, or did not have to wait, and by one of the system's
 * that begins a work item; NULL: not any more. */
void host_threads_tell(void (*goes_on)(void));
/* The calling thread comes back from a wait, or begins a work item. Last of what is done before. */
void host_thread_goes_on(void);

/* A handle more of a system thread; NULL: it is none, or no memory. */
HANDLE host_thread_handle(void *object);

#endif
