/*
 * event_handles.c - events that are objects with a handle, with a name or without (pages
 * nf-ntifs-zwcreateevent, nf-wdm-iocreatenotificationevent and their neighbours). One lives as long
 * as a handle or a reference.
 */
#include "kernel/event_handles.h"

#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/handles.h"

struct event_object {
    KEVENT event; /* first: what drivers get is its address */
    struct event_object *next;
    LONG references;
    UNICODE_STRING name; /* of length 0: none */
    WCHAR text[];
};

static pthread_mutex_t event_guard = PTHREAD_MUTEX_INITIALIZER;
static struct event_object *event_list;

/* Under the guard. */
static struct event_object *event_named(PCUNICODE_STRING name) {
    struct event_object *at = name && name->Length != 0 ? event_list : NULL;
    while (at && !RtlEqualUnicodeString(&at->name, name, TRUE))
        at = at->next;
    return at;
}

static struct event_object *event_find(const void *object) {
    struct event_object *at = event_list;
    while (at && at != object)
        at = at->next;
    return at;
}

LONG host_event_reference(void *object, LONG change) {
    pthread_mutex_lock(&event_guard);
    struct event_object *event = event_find(object), **link = &event_list;
    LONG left = event ? event->references += change : 0;
    bool dead = event && left == 0;
    while (dead && *link != event)
        link = &(*link)->next;
    if (dead)
        *link = event->next;
    pthread_mutex_unlock(&event_guard);
    if (dead) {
        host_untrack(HOST_TRACKED_EVENT, event);
        free(event);
    }
    return left;
}

static void event_counts(void *object, LONG change) {
    (void)host_event_reference(object, change);
}

const UNICODE_STRING *host_event_name(const void *object) {
    pthread_mutex_lock(&event_guard);
    const struct event_object *event = event_find(object);
    pthread_mutex_unlock(&event_guard);
    return event ? &event->name : NULL;
}

HANDLE host_event_handle(void *object) {
    return host_event_name(object) ? host_handle_open(HOST_HANDLE_EVENT, object, event_counts)
                                   : NULL;
}

uint32_t host_events_forget(void) {
    uint32_t left = 0;
    (void)host_handles_forget(HOST_HANDLE_EVENT);
    while (event_list) {
        struct event_object *event = event_list;
        event_list = event->next;
        left += event->references > 0;
        free(event);
    }
    return left;
}

static struct event_object *event_make(PCUNICODE_STRING name, EVENT_TYPE type, BOOLEAN state) {
    size_t length = name ? name->Length : 0;
    struct event_object *event = host_may_allocate() ? calloc(1, sizeof(*event) + length) : NULL;
    if (!event)
        return NULL;
    if (length != 0)
        memcpy(event->text, name->Buffer, length);
    event->name = (UNICODE_STRING){(USHORT)length, (USHORT)length, event->text};
    KeInitializeEvent(&event->event, type, state);
    pthread_mutex_lock(&event_guard);
    event->next = event_list;
    event_list = event;
    pthread_mutex_unlock(&event_guard);
    return event;
}

static NTSTATUS event_open(struct event_object *event, PHANDLE handle) {
    *handle = event ? host_handle_open(HOST_HANDLE_EVENT, event, event_counts) : NULL;
    if (*handle) {
        host_track(HOST_TRACKED_EVENT, event);
        return STATUS_SUCCESS;
    }
    if (event)
        event_counts(event, 0); /* new, and without a reference: gone */
    return STATUS_INSUFFICIENT_RESOURCES;
}

static struct event_object *event_look_up(PCUNICODE_STRING name) {
    pthread_mutex_lock(&event_guard);
    struct event_object *event = event_named(name);
    pthread_mutex_unlock(&event_guard);
    return event;
}

/* ---- Names of ntoskrnl --------------------------------------------------------------------------- */

NTSYSAPI NTSTATUS NTAPI ZwCreateEvent(PHANDLE EventHandle, ACCESS_MASK DesiredAccess,
                                      POBJECT_ATTRIBUTES ObjectAttributes, EVENT_TYPE EventType,
                                      BOOLEAN InitialState) {
    PCUNICODE_STRING name = ObjectAttributes ? ObjectAttributes->ObjectName : NULL;
    (void)DesiredAccess;
    *EventHandle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwCreateEvent"))
        return STATUS_UNSUCCESSFUL;
    if (EventType != NotificationEvent && EventType != SynchronizationEvent)
        return STATUS_INVALID_PARAMETER_4;
    struct event_object *there = event_look_up(name);
    if (!there)
        return event_open(event_make(name, EventType, InitialState), EventHandle);
    if ((ObjectAttributes->Attributes & OBJ_OPENIF) == 0)
        return STATUS_OBJECT_NAME_COLLISION;
    NTSTATUS status = event_open(there, EventHandle);
    return NT_SUCCESS(status) ? STATUS_OBJECT_NAME_EXISTS : status;
}

NTSYSAPI NTSTATUS NTAPI ZwOpenEvent(PHANDLE EventHandle, ACCESS_MASK DesiredAccess,
                                    POBJECT_ATTRIBUTES ObjectAttributes) {
    (void)DesiredAccess;
    *EventHandle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwOpenEvent"))
        return STATUS_UNSUCCESSFUL;
    if (!ObjectAttributes)
        return STATUS_INVALID_PARAMETER;
    struct event_object *event = event_look_up(ObjectAttributes->ObjectName);
    return event ? event_open(event, EventHandle) : STATUS_OBJECT_NAME_NOT_FOUND;
}

static NTSTATUS event_change(HANDLE handle, PLONG previous, bool set, const char *function) {
    if (!host_irql_at_most(PASSIVE_LEVEL, function))
        return STATUS_UNSUCCESSFUL;
    struct event_object *event = host_handle_object(handle, HOST_HANDLE_EVENT, function);
    if (!event)
        return STATUS_INVALID_HANDLE;
    LONG old = set ? KeSetEvent(&event->event, 0, FALSE) : KeResetEvent(&event->event);
    if (previous)
        *previous = old;
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI ZwSetEvent(HANDLE EventHandle, PLONG PreviousState) {
    return event_change(EventHandle, PreviousState, true, "ZwSetEvent");
}

NTSYSAPI NTSTATUS NTAPI ZwResetEvent(HANDLE EventHandle, PLONG PreviousState) {
    return event_change(EventHandle, PreviousState, false, "ZwResetEvent");
}

NTSYSAPI NTSTATUS NTAPI ZwClearEvent(HANDLE EventHandle) {
    return event_change(EventHandle, NULL, false, "ZwClearEvent");
}

/* For an event or a thread. */
NTSYSAPI NTSTATUS NTAPI ZwWaitForSingleObject(HANDLE Handle, BOOLEAN Alertable,
                                              PLARGE_INTEGER Timeout) {
    if (!host_irql_at_most(PASSIVE_LEVEL, "ZwWaitForSingleObject"))
        return STATUS_UNSUCCESSFUL;
    PVOID object = host_handle_reference(Handle, "ZwWaitForSingleObject");
    if (!object)
        return STATUS_INVALID_HANDLE;
    NTSTATUS status = KeWaitForSingleObject(object, UserRequest, KernelMode, Alertable, Timeout);
    ObDereferenceObject(object);
    return status;
}

/* Signalled when it is new. */
static PKEVENT event_by_name(PUNICODE_STRING name, EVENT_TYPE type, PHANDLE handle,
                             const char *function) {
    *handle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, function))
        return NULL;
    struct event_object *event = event_look_up(name);
    if (!event)
        event = event_make(name, type, TRUE);
    return NT_SUCCESS(event_open(event, handle)) ? &event->event : NULL;
}

NTKERNELAPI PKEVENT NTAPI IoCreateNotificationEvent(PUNICODE_STRING EventName,
                                                    PHANDLE EventHandle) {
    return event_by_name(EventName, NotificationEvent, EventHandle, "IoCreateNotificationEvent");
}

NTKERNELAPI PKEVENT NTAPI IoCreateSynchronizationEvent(PUNICODE_STRING EventName,
                                                       PHANDLE EventHandle) {
    return event_by_name(EventName, SynchronizationEvent, EventHandle,
                         "IoCreateSynchronizationEvent");
}
