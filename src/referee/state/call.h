/*
 * call.h - what every watched call has in common: the breadcrumb in the ledger, the lock of the
 * referee, the class of calls that exclude each other.
 */
#ifndef REFEREE_CALL_H
#define REFEREE_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include <ntddk.h>

struct vidmm_referee;

/* threading-and-synchronization-*.md: calls of one class exclude each other. */
enum referee_class {
    REFEREE_REENTRANT, /* level 0 */
    REFEREE_SCHEDULER, /* level 1: BuildPagingBuffer, Patch, Submit, Preempt, engine status, reset
                        */
    REFEREE_SWIZZLING, /* level 1 */
    REFEREE_ALONE,     /* levels 2 and 3 */
};

#define REFEREE_CALL_BYTES 96u /* of the ledger's `calling` */

/* Findings are of `name` from here on, until vidmm_ledger_calling of what they were of: into `outer`. */
void referee_calling(struct vidmm_referee *referee, const char *name,
                     char outer[REFEREE_CALL_BYTES]);

struct referee_call {
    char outer[REFEREE_CALL_BYTES]; /* the call that this one is nested in */
    enum referee_class class;
    KIRQL irql;
    bool alone; /* no other thread was in the class */
};

/* Notes the call under way (`name` as findings show it) and takes the lock. */
void referee_enter(struct vidmm_referee *referee, struct referee_call *call, const char *name,
                   enum referee_class class);
/* Before referee_leave: the system has no memory for the driver's answer to this call, and says so by NULL
 * in `member`. Whoever writes there breaks R`rule`. */
void referee_gives_null(const struct referee_call *call, uint32_t rule, const char *member);
/* Before referee_leave: there are no data of user mode, which `member` says by NULL. Whoever uses them
 * breaks R`rule`. */
void referee_gives_no_data(const struct referee_call *call, uint32_t rule, const char *member);
/* Before referee_leave: the call has an address of the GPU's, which is no pointer. Whoever takes it for one
 * breaks R`rule`, 553 or 210. */
#define REFEREE_ADDRESSES 2u
void referee_gives_address(const struct referee_call *call, uint32_t rule, uint64_t address);
/* Before referee_leave: `member` has `size` bytes at `list`. Whoever goes behind them where no memory is breaks
 * R`rule`, 533 or 626. */
#define REFEREE_LISTS 2u
void referee_gives_list(const struct referee_call *call, uint32_t rule, const char *member,
                        const void *list, size_t size);
/* Around the driver's function. */
void referee_leave(struct vidmm_referee *referee);
void referee_return(struct vidmm_referee *referee);
void referee_exit(struct vidmm_referee *referee, struct referee_call *call);

#endif
