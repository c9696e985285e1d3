/* handles.c - the table of handles.h. */
#include "kernel/handles.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/tracking.h"
#include "base/world.h"

/* Handles of the kernel are numbers in its half of the addresses, four apart. */
#define FIRST_HANDLE UINT64_C(0xffffffff80000000)

struct host_handle {
    void *object; /* NULL: closed */
    enum host_handle_kind kind;
    host_handle_counts *counts;
};

/* Objects of the others are looked at themselves at the end. */
static bool handle_is_tracked(enum host_handle_kind kind) {
    return kind == HOST_HANDLE_KEY || kind == HOST_HANDLE_SECTION || kind == HOST_HANDLE_DIRECTORY;
}

static struct {
    pthread_mutex_t lock;
    struct host_handle *at; /* by number: from 1 on */
    uint32_t count, room;
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool handles_grow(void) {
    uint32_t room = handles.room != 0 ? 2 * handles.room : 64;
    struct host_handle *more =
        host_may_allocate() ? realloc(handles.at, room * sizeof(*more)) : NULL;
    if (!more)
        return false;
    handles.at = more;
    handles.room = room;
    return true;
}

HANDLE host_handle_open(enum host_handle_kind kind, void *object, host_handle_counts *counts) {
    HANDLE handle = NULL;
    pthread_mutex_lock(&handles.lock);
    if (handles.count < handles.room || handles_grow()) {
        handles.at[handles.count++] = (struct host_handle){object, kind, counts};
        handle = (HANDLE)(uintptr_t)(FIRST_HANDLE + 4 * (uint64_t)handles.count);
    }
    pthread_mutex_unlock(&handles.lock);
    if (handle && counts)
        counts(object, 1);
    if (handle && handle_is_tracked(kind))
        host_track(HOST_TRACKED_HANDLE, handle);
    return handle;
}

/* Under the lock; NULL: no such number was ever given. */
static struct host_handle *handle_at(HANDLE handle) {
    uint64_t offset = (uintptr_t)handle - FIRST_HANDLE;
    if (offset == 0 || offset % 4 != 0 || offset / 4 > handles.count)
        return NULL;
    return &handles.at[offset / 4 - 1];
}

/* The entry, and closes it if it is open; the violation if it is not there or closed. */
static struct host_handle handle_take(HANDLE handle, enum host_handle_kind kind, bool close,
                                      const char *function) {
    struct host_handle found = {.object = NULL};
    const char *wrong = "which is no handle";
    pthread_mutex_lock(&handles.lock);
    struct host_handle *entry = handle_at(handle);
    if (entry && !entry->object)
        wrong = "a handle that was closed";
    else if (entry && kind != HOST_HANDLE_ANY && entry->kind != kind)
        wrong = "a handle of another kind of object";
    else if (entry)
        found = *entry;
    if (found.object && close)
        entry->object = NULL;
    pthread_mutex_unlock(&handles.lock);
    if (!found.object)
        host_violation("%s gets 0x%llx, %s", function, (unsigned long long)(uintptr_t)handle,
                       wrong);
    return found;
}

void *host_handle_object(HANDLE handle, enum host_handle_kind kind, const char *function) {
    return handle_take(handle, kind, false, function).object;
}

void *host_handle_reference(HANDLE handle, const char *function) {
    struct host_handle found = handle_take(handle, HOST_HANDLE_ANY, false, function);
    if (!found.object)
        return NULL;
    if (!found.counts) {
        host_violation("%s gets 0x%llx, a handle of another kind of object", function,
                       (unsigned long long)(uintptr_t)handle);
        return NULL;
    }
    found.counts(found.object, 1);
    return found.object;
}

NTSYSAPI NTSTATUS NTAPI ZwClose(HANDLE Handle) {
    host_irql_at_most(PASSIVE_LEVEL, "ZwClose");
    struct host_handle closed = handle_take(Handle, HOST_HANDLE_ANY, true, "ZwClose");
    if (!closed.object)
        return STATUS_INVALID_HANDLE;
    if (closed.counts)
        closed.counts(closed.object, -1);
    if (handle_is_tracked(closed.kind))
        host_untrack(HOST_TRACKED_HANDLE, Handle);
    return STATUS_SUCCESS;
}

uint32_t host_handles_forget(enum host_handle_kind kind) {
    uint32_t open = 0;
    pthread_mutex_lock(&handles.lock);
    for (uint32_t i = 0; i < handles.count; i++) {
        open += handles.at[i].object && handles.at[i].kind == kind;
        if (handles.at[i].kind == kind)
            handles.at[i].object = NULL;
    }
    pthread_mutex_unlock(&handles.lock);
    return open;
}

void host_handles_done(void) {
    free(handles.at);
    handles.at = NULL;
    handles.count = handles.room = 0;
}
