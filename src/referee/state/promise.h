/*
 * promise.h - what operation/promise.c keeps between two operations.
 */
#ifndef REFEREE_STATE_PROMISE_H
#define REFEREE_STATE_PROMISE_H

#include <stdint.h>

/* Free pages of an eviction aperture when an allocation left without them; `pages` 0: none. */
struct promise_chance {
    uint32_t segment;
    uint64_t first, pages;
    uint64_t mapped, total; /* mapped pages at that time: of the aperture, of all apertures */
};

#endif
