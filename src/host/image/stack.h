/*
 * stack.h - calls into a driver image: from our stack to the driver's, which is as small as Windows
 * gives a thread, with addresses below it that lead nowhere.
 *
 * A call into the driver from a call out of it goes on where the driver stands, as it does on
 * Windows' one stack for both. Interrupts and DPCs have stacks of their own there and here, and so
 * has what KeExpandKernelStackAndCallout calls. Drivers that are shared objects run on our stack:
 * nothing tells their calls out of them from calls among themselves, and a sanitizer would not know
 * of the other stack.
 *
 * Signals that arrive on the driver's stack are put on a stack for signals, from where their handler
 * goes on on ours (trap/faults.c).
 */
#ifndef HOST_IMAGE_STACK_H
#define HOST_IMAGE_STACK_H

#include <stdbool.h>

#include "base/stack.h"

/* Addresses below a stack of the driver that lead nowhere: more than one page, since a function
 * may leave out a compiler's probes of each page. */
#define STACK_GUARD_BYTES (UINT64_C(8) << 20)

/* The address that a stub jumps to with a function of an image in r11: calls it on the driver's
 * stack, with up to twelve arguments. */
extern const unsigned char image_call_in[];

/* To call `function`, which may be an image's, a shared object's or one of ours:
 * DRIVER_CALL(function)(argument, ...). */
#define DRIVER_CALL(function)                                                                      \
    ((__typeof__(function))(uintptr_t)image_callable((const void *)(uintptr_t)(function)))
const void *image_callable(const void *function);

/* A stack of `size` bytes instead of the current one, if an image is loaded. False: there is none, and nothing has
 * changed. */
bool image_stack_begin(uint64_t size, struct host_stack *before);
void image_stack_end(const struct host_stack *before);
/* On the driver's stack, bytes of those that are there for it to use. */
uint64_t image_stack_left(void);
/* The address is below the driver's stack, and what used it needs more. */
bool image_stack_overflows(uint64_t address);

#endif
