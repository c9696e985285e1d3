/*
 * asked.h - the settings that driver and hardware asked for, whether the configuration has them or not.
 */
#ifndef HOST_ASKED_H
#define HOST_ASKED_H

#include <stddef.h>

#include <ntddk.h>

/* From here on nothing was asked for. */
void host_asked_clear(void);
/* `name` was asked for. Any thread. */
void host_asked(const char *name);
/* The same of a value of the registry. */
void host_asked_units(const WCHAR *name, size_t units);

#endif
