/*
 * work.h - work items: routines that a thread of the system runs at PASSIVE_LEVEL.
 */
#ifndef HOST_WORK_H
#define HOST_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* Some were queued in this host. */
bool host_work_used(void);
/* Work items that IoAllocateWorkItem made and nothing freed; frees them. */
uint32_t host_work_forget(void);

#endif
