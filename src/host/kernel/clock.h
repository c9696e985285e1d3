/*
 * clock.h - the time of the machine: virtual, or the wall clock in a threaded run.
 *
 * host_now() counts nanoseconds from an arbitrary start and is what deadlines are made of. The
 * system's time of day is a fixed distance from it (host_system_time).
 */
#ifndef HOST_CLOCK_H
#define HOST_CLOCK_H

#include <stdint.h>

#include <ntddk.h>

/* Of LARGE_INTEGER times. */
#define HOST_TIME_UNIT_NS 100u

uint64_t host_now(void);
/* The wall clock of threaded runs, in any run. */
uint64_t host_real_now(void);
/* Virtual time: advances the clock. */
void host_advance(uint64_t ns);
/* The same, up to `when`; it never goes back. */
void host_advance_to(uint64_t when);
/* The time of day in units since 1601. */
uint64_t host_system_time(void);
/* When a relative (negative) or absolute time of day comes, in host_now(); NULL: UINT64_MAX. */
uint64_t host_deadline(const LARGE_INTEGER *time);

#endif
