/* left.h - reports leaks at the end of a host. */
#ifndef HOST_LEFT_H
#define HOST_LEFT_H

#include <vidmm/host.h>

#include "base/tracking.h"

/* Counts from destroying the host. */
struct host_left {
    uint32_t timers;    /* still set */
    uint32_t ex_timers; /* of ExAllocateTimer */
    uint32_t work_items, callbacks;
    uint32_t resources, lookasides;       /* not deleted */
    uint32_t handles;                     /* thread handles and references not released */
    uint32_t events;                      /* events with handles or references */
    uint32_t keys, sections, directories; /* handles that are open */
    uint32_t violations_before;           /* their number before the pool was checked */
};

/* A sentence of its own of what was left. */
void host_left_tell(enum host_tracked kind, const char *sentence);
/* Nothing was left so far. */
void host_left_begin(void);
/* The code that made what vidmm_host_leak told last; NULL: it told nothing. */
const struct host_trace *host_left_told(void);
/* false: `error` lists everything that was not freed, and damage of guard bytes. */
bool host_left_nothing(struct vidmm_host *host, const struct host_left *left,
                       struct vidmm_host_error *error);

#endif
