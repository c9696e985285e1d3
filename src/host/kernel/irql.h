/*
 * irql.h - the interrupt request level of each thread.
 *
 * Every thread of the process is a processor of its own: it has an IRQL, starts at PASSIVE_LEVEL,
 * and what waits for a lower level (interrupts, DPCs) runs on it as it comes down.
 */
#ifndef HOST_IRQL_H
#define HOST_IRQL_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

/* DIRQL of the display adapter: any level between DISPATCH_LEVEL and CLOCK_LEVEL. */
#define HOST_DEVICE_IRQL 9

struct host_thread {
    KIRQL irql;
    uint32_t in_model;   /* depth of calls into the hardware model */
    bool called, locked; /* inside a DDI call; one during which the memory manager is locked */
    const char *doing;   /* of the driver's code: what no DDI call is the name of; or NULL */
    bool pumping;        /* this thread runs the hardware right now */
    uint64_t seen_wakes; /* see engines.h */
    uint64_t run;        /* number of the host that has counted this thread */
    uint64_t id;         /* 0: not given yet */
};

extern _Thread_local struct host_thread host_self;

/* Identity of the calling thread: never 0, never used twice. */
uint64_t host_thread_id(void);
/* Sets a higher level, or the same; returns the old one. */
KIRQL host_irql_raise(KIRQL level);
/* Comes down to `level` after running what had waited for it. */
void host_irql_lower(KIRQL level);
/* Records a violation unless the caller's IRQL is at most `highest`; true when it was. */
bool host_irql_at_most(KIRQL highest, const char *function);

#endif
