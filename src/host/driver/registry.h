/* registry.h - how drivers name a key (registry.c): by a path relative to a known one, or a handle. */
#ifndef HOST_REGISTRY_H
#define HOST_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include <ntddk.h>

struct host_key;

/* Units before the terminator. */
size_t host_wide_length(const WCHAR *text);
/* The key of RTL_REGISTRY_*, and whether it is new. A bad handle is a violation by `function`. */
NTSTATUS host_registry_key(ULONG relative, PCWSTR path, const char *function, struct host_key **key,
                           bool *created);
/* The key of a handle, for a function that runs at PASSIVE_LEVEL. */
NTSTATUS host_registry_handle(HANDLE handle, const char *function, struct host_key **key);

#endif
