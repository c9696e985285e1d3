/*
 * faults.h - signals that a driver's instructions raise.
 *
 * Handlers run where a function runs that an image calls, on our stack (image/stack.h), and for a shared object on the stack that
 * it uses, or on the thread's stack for signals if it has one. The driver waits for one instruction: they may call whatever a
 * function that the driver called may call, and may nest.
 */
#ifndef HOST_FAULTS_H
#define HOST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "image/context.h"

/* The handlers of now are those to which the signals go back in the end: the hardware's come and go
 * with it. */
void host_faults_begin(void);
/* From here on faults of driver code are looked at; all others go to the handlers from before.
 * False: the signals could not be taken over. */
bool host_faults_install(void);
/* From here on `places` tells frames of the driver behind an interrupted instruction, as vidmm_host_crash_places. */
void host_faults_ask(uint32_t (*places)(const void *interrupted, uint64_t *frame, uint32_t most));
void host_faults_remove(void);
/* The interrupted registers, as handlers of an image see them. */
void host_faults_context(const ucontext_t *user, struct host_context *to);

#endif
