/* left.h - judging what is left behind at the end of a host. */
#ifndef HOST_LEFT_H
#define HOST_LEFT_H

#include <vidmm/host.h>

/* What was counted while the host was taken apart. */
struct host_left {
    uint32_t timers;            /* still set */
    uint32_t handles;           /* thread handles and references not given back */
    uint32_t violations_before; /* how many there were before the pool was checked */
};

/* false: `error` names everything that was not given back, and damage of guard bytes. */
bool host_left_nothing(struct vidmm_host *host, const struct host_left *left,
                       struct vidmm_host_error *error);

#endif
