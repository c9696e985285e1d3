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

#include <ntddk.h>

/* Fires what is due and, with virtual time, ends the sleeps whose deadline has come; false: there is
 * nothing. */
bool host_timers_run(void);
/* When the next one is due; UINT64_MAX: none is set. Any time. */
uint64_t host_timers_next(void);
/* A timer is set that may wake a thread: one with a DPC, one that a thread waits for, or one that
 * comes only once. Periodic timers that nothing hears go on for ever and change nothing. Under the
 * lock of dispatcher.h. */
bool host_timers_heard(void);
/* Threaded runs: no timer is being fired, and none is set that may wake a thread. Under the lock. */
bool host_timers_rest(void);
/* The timer is set. */
bool host_timer_set(const KTIMER *timer);
/* Cancels every timer; returns how many were set. */
uint32_t host_timers_clear(void);

#endif
