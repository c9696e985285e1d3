/*
 * kernel_stack.h - whether the calling thread is in a routine of KeExpandKernelStackAndCallout, and what
 * lies on the stack below a call into the driver.
 */
#ifndef HOST_KERNEL_STACK_H
#define HOST_KERNEL_STACK_H

#include <stdbool.h>

bool host_stack_expanded(void);

/* Just before a call into the driver: what its functions have on the stack and do not write is no zero, and no
 * address, as on a stack that others used before. */
void host_stack_soil(void);
/* A driver's life begins on this thread: its calls count from 0. */
void host_stack_begin(void);

#endif
