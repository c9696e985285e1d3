/* event_handles.h - events with a handle (event_handles.c), as objects with references. */
#ifndef HOST_EVENT_HANDLES_H
#define HOST_EVENT_HANDLES_H

#include <ntddk.h>

/* Counts a reference more (+1) or less (-1); the references left. 0: the object is gone, or none of
 * these events. */
LONG host_event_reference(void *object, LONG change);
/* At the end of the host: frees what is left. */
void host_events_forget(void);

#endif
