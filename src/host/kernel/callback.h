/*
 * callback.h - callback objects: names under which drivers call each other's routines.
 */
#ifndef HOST_CALLBACK_H
#define HOST_CALLBACK_H

#include <stdint.h>

/* Registrations that are left; frees them and all objects. */
uint32_t host_callbacks_forget(void);

#endif
