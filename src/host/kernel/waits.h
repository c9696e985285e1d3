/*
 * waits.h - objects that threads wait for: events, mutexes, semaphores, timers, threads.
 *
 * All begin with a DISPATCHER_HEADER, whose list holds the waiting threads, first in, first out. A
 * signal satisfies their waits when it is given: a thread that is woken owns what it waited for,
 * whatever happens to the object before it runs. All under the lock of dispatcher.h.
 */
#ifndef HOST_WAITS_H
#define HOST_WAITS_H

#include <stdbool.h>

#include <ntddk.h>

#include "kernel/dispatcher.h"

/* The values of EVENT_TYPE and of the public type numbers of kernel objects. */
enum host_object {
    HOST_OBJECT_NOTIFICATION_EVENT = 0,
    HOST_OBJECT_SYNCHRONIZATION_EVENT = 1,
    HOST_OBJECT_MUTEX = 2,
    HOST_OBJECT_SEMAPHORE = 5,
    HOST_OBJECT_THREAD = 6,
    HOST_OBJECT_NOTIFICATION_TIMER = 8,
    HOST_OBJECT_SYNCHRONIZATION_TIMER = 9,
};

/* Takes the lock itself. A wait for the object at this address, if there is one, is a violation by
 * `function`; the list of waiting threads then stays. */
void host_object_init(DISPATCHER_HEADER *header, enum host_object type, LONG state,
                      const char *function);
/* True if the object was initialized; otherwise a violation by `function`. */
bool host_object_good(const DISPATCHER_HEADER *header, const char *function);
/* Sets the state and satisfies the waits that this allows; returns the old one. Under the lock. */
LONG host_object_set(DISPATCHER_HEADER *header, LONG state);
/*
 * A wait of the calling thread for all objects of the links or for any of them. NULL for a deadline:
 * it does not sleep, and times out unless it is satisfied at once. `satisfied` and `abandoned` of
 * the thread say more. Takes the lock.
 */
enum host_sleep_end host_wait(struct host_link *links, uint32_t count, bool all,
                              const uint64_t *deadline);

#endif
