/* left.h - reports leaks at the end of a host. */
#ifndef HOST_LEFT_H
#define HOST_LEFT_H

#include <vidmm/host.h>

/* Counts from destroying the host. */
struct host_left {
    uint32_t timers;    /* still set */
    uint32_t ex_timers; /* of ExAllocateTimer */
    uint32_t work_items, callbacks;
    uint32_t handles;           /* thread handles and references not released */
    uint32_t violations_before; /* their number before the pool was checked */
};

/* false: `error` lists everything that was not freed, and damage of guard bytes. */
bool host_left_nothing(struct vidmm_host *host, const struct host_left *left,
                       struct vidmm_host_error *error);

#endif
