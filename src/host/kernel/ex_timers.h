/* ex_timers.h - timers of ExAllocateTimer (ex_timers.c) at the end of a host. */
#ifndef HOST_EX_TIMERS_H
#define HOST_EX_TIMERS_H

#include <stdint.h>

/* Timers that ExDeleteTimer did not delete; frees them. None is set any more. */
uint32_t host_ex_timers_forget(void);

#endif
