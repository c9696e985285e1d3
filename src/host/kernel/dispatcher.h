/*
 * dispatcher.h - waitable objects: events, mutexes, semaphores, timers, threads.
 *
 * All begin with a DISPATCHER_HEADER. One lock guards every object. Signalling one wakes all
 * sleepers (engines.h), and each checks its object again.
 */
#ifndef HOST_DISPATCHER_H
#define HOST_DISPATCHER_H

#include <stdbool.h>

#include <ntddk.h>

enum host_object {
    HOST_OBJECT_NOTIFICATION_EVENT = 0,
    HOST_OBJECT_SYNCHRONIZATION_EVENT = 1,
    HOST_OBJECT_MUTEX = 2,
    HOST_OBJECT_SEMAPHORE = 5,
    HOST_OBJECT_THREAD = 6,
    HOST_OBJECT_NOTIFICATION_TIMER = 8,
    HOST_OBJECT_SYNCHRONIZATION_TIMER = 9,
};

void host_object_init(DISPATCHER_HEADER *header, enum host_object type, LONG state);
/* Sets the state and wakes sleepers if it is signalled; returns the old one. */
LONG host_object_set(DISPATCHER_HEADER *header, LONG state);

#endif
