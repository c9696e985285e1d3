/*
 * dpc.h - deferred procedure calls.
 *
 * One queue, first in first out. A thread that lowers its IRQL below DISPATCH_LEVEL runs it; one
 * thread at a time, so that DPCs never overlap.
 */
#ifndef HOST_DPC_H
#define HOST_DPC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>

struct host_dpcs {
    pthread_mutex_t lock;
    SINGLE_LIST_ENTRY *first, *last;
    _Atomic uint32_t queued;
    _Atomic bool running;
    _Atomic bool held; /* as behind a processor that is long at DISPATCH_LEVEL */
    void (*_Atomic begins)(const void *routine);
};

void host_dpcs_init(struct host_dpcs *dpcs);
void host_dpcs_done(struct host_dpcs *dpcs);
/* KeInitializeDpc was called for it; else a violation of `function`. */
bool host_dpc_good(const KDPC *dpc, const char *function);
/* Queues without running; false: it was queued already. */
bool host_dpc_queue(PKDPC dpc, PVOID argument1, PVOID argument2);
/* One is queued, or runs. */
bool host_dpcs_pending(void);
/* Runs what is queued at DISPATCH_LEVEL. The caller is below it, and not inside the model. */
void host_dpcs_run(void);
/* `begins` is told of the routine of the next one, before it runs, once; NULL: nobody is. */
void host_dpcs_tell(void (*begins)(const void *routine));
/* While they are held none runs. */
void host_dpcs_hold(bool held);

#endif
