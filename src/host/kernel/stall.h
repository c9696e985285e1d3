/*
 * stall.h - threads that do not sleep but spend time: busy waiting, and polling.
 *
 * Virtual time stands still while a thread runs, so that a thread that polls for what comes with
 * time, or with another thread's work, would do so for ever. A number of polls in a row counts as a
 * stall.
 */
#ifndef HOST_STALL_H
#define HOST_STALL_H

#include <stdint.h>

/* Busy waiting, during which hardware and other threads run. */
void host_stall(uint64_t ns);
/* The thread looked at something that has not changed, or at the time. */
void host_polled(void);

#endif
