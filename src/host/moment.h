/*
 * moment.h - what comes between two instructions of a call of the driver's table.
 */
#ifndef HOST_MOMENT_H
#define HOST_MOMENT_H

#include <stdint.h>

/* Where in the driver the last moment was, while vidmm_host_beside_place tells it; else 0 frames. */
uint32_t host_moment_told(uint64_t *frame, uint32_t most);

#endif
