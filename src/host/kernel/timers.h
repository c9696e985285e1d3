/*
 * timers.h - KTIMER objects that are set, by due time of host_now().
 *
 * With virtual time they fire as time passes, in turn with the deadlines of sleeping threads: what
 * comes earlier is first, and of a timer and a deadline of one instant the timer. Threaded runs
 * have a timer thread.
 */
#ifndef HOST_TIMERS_H
#define HOST_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

/* Fires what is due and, with virtual time, ends the sleeps whose deadline has come; false: there is
 * nothing. */
bool host_timers_run(void);
/* When the next one is due; UINT64_MAX: none is set. Any time. */
uint64_t host_timers_next(void);
/* Threaded runs: no timer is being fired. Under the lock of dispatcher.h. */
bool host_timers_rest(void);
/* Cancels every timer; returns how many were set. */
uint32_t host_timers_clear(void);

#endif
