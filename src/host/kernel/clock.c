/* clock.c - the clock of clock.h. */
#include "kernel/clock.h"

#include <time.h>

#include "base/world.h"
#include "kernel/engines.h"

#define SECOND 1000000000u
/* From 1601, where the time of day begins, to 1970 and to the day on which virtual time begins:
 * 2026-01-01 00:00 UTC. */
#define UNITS_TO_1970 UINT64_C(116444736000000000)
#define UNITS_TO_2026 UINT64_C(134116992000000000)

uint64_t host_real_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

uint64_t host_now(void) {
    struct host_engines *engines = host_world->engines;
    return engines->threaded ? host_real_now() : atomic_load(&engines->virtual_now);
}

uint64_t vidmm_host_time(void) {
    return host_world ? host_now() : 0;
}

void host_advance(uint64_t ns) {
    struct host_engines *engines = host_world->engines;
    if (!engines->threaded)
        atomic_fetch_add(&engines->virtual_now, ns);
}

void host_advance_to(uint64_t when) {
    _Atomic uint64_t *clock = &host_world->engines->virtual_now;
    uint64_t now = atomic_load(clock);
    while (now < when && !atomic_compare_exchange_weak(clock, &now, when))
        ;
}

uint64_t host_system_time(void) {
    struct timespec t;
    if (!host_world->engines->threaded)
        return UNITS_TO_2026 + host_now() / HOST_TIME_UNIT_NS;
    clock_gettime(CLOCK_REALTIME, &t);
    return UNITS_TO_1970 + (uint64_t)t.tv_sec * (SECOND / HOST_TIME_UNIT_NS) +
           (uint64_t)t.tv_nsec / HOST_TIME_UNIT_NS;
}

uint64_t host_deadline(const LARGE_INTEGER *time) {
    if (!time)
        return UINT64_MAX;
    uint64_t now = host_now(), units;
    if (time->QuadPart > 0) {
        uint64_t today = host_system_time();
        units = (uint64_t)time->QuadPart > today ? (uint64_t)time->QuadPart - today : 0;
    } else {
        units = 0 - (uint64_t)time->QuadPart;
    }
    /* One that no clock reaches is still a deadline: UINT64_MAX is none. */
    uint64_t furthest = UINT64_MAX - 1 - now;
    return now + (units < furthest / HOST_TIME_UNIT_NS ? units * HOST_TIME_UNIT_NS : furthest);
}
