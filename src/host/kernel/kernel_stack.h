/*
 * kernel_stack.h - whether the calling thread is in a routine of KeExpandKernelStackAndCallout.
 */
#ifndef HOST_KERNEL_STACK_H
#define HOST_KERNEL_STACK_H

#include <stdbool.h>

bool host_stack_expanded(void);

#endif
