/*
 * companion_life.h - making and ending the companion of a context (address/companion.h), and with
 * the first one of a process its privileged address space (address/privileged.h).
 *
 * The space is a process to the driver, with a device of its own; both are the system's.
 */
#ifndef VIDMM_MANAGER_COMPANION_LIFE_H
#define VIDMM_MANAGER_COMPANION_LIFE_H

#include <vidmm/virtual.h>

/* The context gets its companion; without a context of the driver where the CPU writes tables. */
enum vidmm_status companion_make(struct vidmm_context *context);
/* With its context. What is queued is carried out; the device is in error if it cannot be. */
void companion_end(struct vidmm_context *context);

#endif
