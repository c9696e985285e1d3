/*
 * handles.h - kernel handles: numbers that no pointer has, each of which stands for an object until
 * it is closed. A closed one is never given again.
 */
#ifndef HOST_HANDLES_H
#define HOST_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

enum host_handle_kind {
    HOST_HANDLE_ANY,
    HOST_HANDLE_THREAD,
    HOST_HANDLE_KEY,
    HOST_HANDLE_EVENT,
    HOST_HANDLE_SECTION,
    HOST_HANDLE_DIRECTORY
};

/* What a kind of object does when a handle of it is opened (+1) or closed (-1); NULL: nothing. */
typedef void host_handle_counts(void *object, LONG change);

/* A handle of the object, which counts for it; NULL: no memory. */
HANDLE host_handle_open(enum host_handle_kind kind, void *object, host_handle_counts *counts);
/* The object behind a handle. NULL, and a violation by `function`: there is none, the handle is
 * closed, or of another kind. */
void *host_handle_object(HANDLE handle, enum host_handle_kind kind, const char *function);
/* The object behind a handle of a kind that counts, with a reference more; NULL, and a violation by
 * `function`: there is none. */
void *host_handle_reference(HANDLE handle, const char *function);
/* Closes all that are open, which counts for nothing; returns how many of this kind were. */
uint32_t host_handles_forget(enum host_handle_kind kind);
/* Frees the table. */
void host_handles_done(void);

#endif
