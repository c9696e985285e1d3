/* event_handles.h - events with a handle (event_handles.c), as objects with references. */
#ifndef HOST_EVENT_HANDLES_H
#define HOST_EVENT_HANDLES_H

#include <ntddk.h>

/* Counts a reference more (+1) or less (-1); the references left. 0: the object is gone, or none of
 * these events. */
LONG host_event_reference(void *object, LONG change);
/* Its name; NULL: it is none of these events. */
const UNICODE_STRING *host_event_name(const void *object);
/* A handle more; NULL: it is no event, or no memory. */
HANDLE host_event_handle(void *object);
/* At the end of the host: frees what is left; how many still had handles or references. */
uint32_t host_events_forget(void);

#endif
