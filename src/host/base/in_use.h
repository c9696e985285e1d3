/*
 * in_use.h - objects of the kernel that lie in memory of the driver's and are in a list of the system's:
 * executive resources, lookaside lists, timers that are set. They end before their memory does.
 */
#ifndef HOST_IN_USE_H
#define HOST_IN_USE_H

#include <stddef.h>
#include <stdint.h>

enum host_in_use {
    HOST_IN_USE_RESOURCE,
    HOST_IN_USE_LOOKASIDE,
    HOST_IN_USE_TIMER,
};

/* The system has it in a list from now on; one that is there already stays there once. `take_out` takes it
 * out of that list when its memory ends too early; NULL: there is no such list. */
void host_in_use(enum host_in_use kind, const void *object, void (*take_out)(const void *object));
/* It is in no list any more. */
void host_in_use_end(const void *object);
/* Memory of the driver's ends, `what` of it being said in a violation: each object in it is told of once. */
void host_in_use_freed(const void *memory, size_t bytes, const char *what);
/* How many of a kind are left, for a driver that was unloaded; the last call for a host forgets all. */
uint32_t host_in_use_left(enum host_in_use kind);
void host_in_use_forget(void);

#endif
