/*
 * thread.h - the host's record of the calling thread: its IRQL, and the code that it runs.
 *
 * Every thread of the process counts as a processor of its own: it has an IRQL and starts at
 * PASSIVE_LEVEL. kernel/irql.h raises and lowers the IRQL.
 */
#ifndef HOST_THREAD_H
#define HOST_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

/* DIRQL of the display adapter: any level between DISPATCH_LEVEL and CLOCK_LEVEL. */
#define HOST_DEVICE_IRQL 9
/* The highest level that an interrupt of a device may have. */
#define HOST_HIGHEST_DIRQL (CLOCK_LEVEL - 1)

struct host_thread {
    KIRQL irql;
    KIRQL before_wait; /* the IRQL before a call that promised a wait raised it (kernel/irql.h) */
    bool wait_follows;
    uint32_t critical, guarded; /* depth of regions without APCs (kernel/apc_regions.c) */
    uint32_t in_model;          /* depth of calls into the hardware model */
    bool looking;               /* such a call only looks: the device does nothing */
    uint32_t engine;            /* that does a step in there, and 1; 0: none */
    bool called, locked; /* inside a DDI call; the memory manager is locked during that call */
    const char *call;    /* the DDI call that the thread is in, without its prefix; or NULL */
    const char
        *refused; /* a callback that was refused inside of such a call, the last one; or NULL */
    const char *refused_in;
    const char *doing; /* driver code outside of DDI calls that the thread runs; or NULL */
    uint32_t
        board;    /* of the life-cycle call or routine of a device that it is in, and 1; 0: none */
    bool pumping; /* this thread runs the hardware right now */
    uint64_t seen_wakes;  /* see kernel/dispatcher.c */
    uint64_t polled_turn; /* see kernel/stall.h */
    uint32_t polls;
    uint64_t id;             /* 0: not given yet */
    const void *interrupted; /* ucontext_t of a fault that is being told; or NULL */
};

extern _Thread_local struct host_thread host_self;

struct vidmm_host_shown;
/* vidmm_host_show's memory, or NULL. */
extern struct vidmm_host_shown *host_shown;
void host_show_begun(struct vidmm_host_shown *to, const char *call, bool slot);
/* Tells it that `call` begins, named without its prefix "DxgkDdi" if `slot`; NULL: none is left. */
static inline void host_show_call(const char *call, bool slot) {
    if (host_shown)
        host_show_begun(host_shown, call, slot);
}
/* Setting `index` of the configuration was read. */
void host_show_setting(uint32_t index);
/* Identity of the calling thread: never 0, never used twice. */
uint64_t host_thread_id(void);
/* Records a violation unless the caller's IRQL is at most `highest`; true when it was. */
bool host_irql_at_most(KIRQL highest, const char *function);
/* The same of an IRQL of at least `lowest`. */
bool host_irql_at_least(KIRQL lowest, const char *function);
/* The same of no other IRQL. */
bool host_irql_exactly(KIRQL level, const char *function);

#endif
