/* timers.h - KTIMER objects that are set, by due time of host_now(). Threaded runs have a timer
 * thread. */
#ifndef HOST_TIMERS_H
#define HOST_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

/* Fires what is due. */
void host_timers_run(void);
/* When the next one is due; UINT64_MAX: none is set. */
uint64_t host_timers_next(void);
/* Cancels every timer; returns how many were set. */
uint32_t host_timers_clear(void);

#endif
