/* dpc.c - the queue of dpc.h and the ntoskrnl names over it. */
#include "kernel/dpc.h"

#include <sched.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "kernel/interrupt.h"
#include "kernel/irql.h"

#define DPC_TYPE 19 /* KOBJECTS: DpcObject */

void host_dpcs_init(struct host_dpcs *dpcs) {
    pthread_mutex_init(&dpcs->lock, NULL);
}

void host_dpcs_done(struct host_dpcs *dpcs) {
    pthread_mutex_destroy(&dpcs->lock);
}

bool host_dpc_good(const KDPC *dpc, const char *function) {
    bool good = dpc->Type == DPC_TYPE && dpc->DeferredRoutine;
    if (!good)
        host_violation("%s gets an object that was not initialized", function);
    return good;
}

bool host_dpc_queue(PKDPC dpc, PVOID argument1, PVOID argument2) {
    struct host_dpcs *dpcs = host_world->dpcs;
    bool queue;
    pthread_mutex_lock(&dpcs->lock);
    queue = !dpc->DpcData;
    if (queue) {
        dpc->DpcData = dpcs;
        dpc->SystemArgument1 = argument1;
        dpc->SystemArgument2 = argument2;
        dpc->DpcListEntry.Next = NULL;
        if (dpcs->last)
            dpcs->last->Next = &dpc->DpcListEntry;
        else
            dpcs->first = &dpc->DpcListEntry;
        dpcs->last = &dpc->DpcListEntry;
        atomic_fetch_add(&dpcs->queued, 1);
    }
    pthread_mutex_unlock(&dpcs->lock);
    return queue;
}

/* Takes the oldest DPC off the queue and copies it: the object may be queued again, or freed, at
 * once. */
static bool dpc_take(struct host_dpcs *dpcs, PKDPC *object, KDPC *copy) {
    pthread_mutex_lock(&dpcs->lock);
    SINGLE_LIST_ENTRY *entry = dpcs->first;
    if (entry) {
        *object = CONTAINING_RECORD(entry, KDPC, DpcListEntry);
        dpcs->first = entry->Next;
        if (!dpcs->first)
            dpcs->last = NULL;
        (*object)->DpcData = NULL;
        *copy = **object;
        atomic_fetch_sub(&dpcs->queued, 1);
    }
    pthread_mutex_unlock(&dpcs->lock);
    return entry;
}

static _Thread_local uint32_t dpcs_executing;

void host_dpcs_tell(void (*begins)(const void *routine)) {
    atomic_store(&host_world->dpcs->begins, begins);
}

static void tell_begins(PKDEFERRED_ROUTINE routine) {
    struct host_dpcs *dpcs = host_world->dpcs;
    if (!atomic_load_explicit(&dpcs->begins, memory_order_relaxed))
        return;
    void (*begins)(const void *routine) = atomic_exchange(&dpcs->begins, NULL);
    if (begins)
        begins((const void *)(uintptr_t)routine);
}

static void dpc_call(PKDPC object, const KDPC *dpc) {
    const char *outer = host_self.doing;
    struct host_stack before;
    bool own_stack = image_stack_begin(HOST_STACK_BYTES, &before);
    host_self.doing = "a DPC routine";
    dpcs_executing++;
    tell_begins(dpc->DeferredRoutine);
    DRIVER_CALL(dpc->DeferredRoutine)
    (object, dpc->DeferredContext, dpc->SystemArgument1, dpc->SystemArgument2);
    dpcs_executing--;
    host_self.doing = outer;
    if (own_stack)
        image_stack_end(&before);
}

static void run_queue(struct host_dpcs *dpcs) {
    PKDPC object = NULL;
    KDPC dpc;
    while (dpc_take(dpcs, &object, &dpc)) {
        dpc_call(object, &dpc);
        if (host_self.irql != DISPATCH_LEVEL) {
            host_violation("a DPC routine returned at IRQL %u instead of %u", host_self.irql,
                           DISPATCH_LEVEL);
            host_irql_set(DISPATCH_LEVEL);
        }
        host_interrupts_deliver();
    }
}

void host_dpcs_run(void) {
    struct host_dpcs *dpcs = host_world->dpcs;
    while (atomic_load(&dpcs->queued) != 0) {
        if (host_self.in_model != 0 || atomic_load(&dpcs->held) ||
            atomic_exchange(&dpcs->running, true))
            return;
        KIRQL old = host_irql_raise(DISPATCH_LEVEL);
        run_queue(dpcs);
        host_irql_set(old);
        atomic_store(&dpcs->running, false);
    }
}

void host_dpcs_hold(bool held) {
    atomic_store(&host_world->dpcs->held, held);
    if (!held)
        host_dpcs_run();
}

bool host_dpcs_pending(void) {
    struct host_dpcs *dpcs = host_world->dpcs;
    return atomic_load(&dpcs->queued) != 0 || atomic_load(&dpcs->running);
}

NTKERNELAPI VOID NTAPI KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine,
                                       PVOID DeferredContext) {
    memset(Dpc, 0, sizeof(*Dpc));
    Dpc->Type = DPC_TYPE;
    Dpc->Importance = MediumImportance;
    Dpc->DeferredRoutine = DeferredRoutine;
    Dpc->DeferredContext = DeferredContext;
}

NTKERNELAPI BOOLEAN NTAPI KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1,
                                           PVOID SystemArgument2) {
    bool queued = host_dpc_good(Dpc, "KeInsertQueueDpc") &&
                  host_dpc_queue(Dpc, SystemArgument1, SystemArgument2);
    if (host_self.irql < DISPATCH_LEVEL)
        host_dpcs_run();
    return queued;
}

NTKERNELAPI BOOLEAN NTAPI KeRemoveQueueDpc(PRKDPC Dpc) {
    struct host_dpcs *dpcs = host_world->dpcs;
    SINGLE_LIST_ENTRY *before = NULL;
    bool removed = false;
    pthread_mutex_lock(&dpcs->lock);
    for (SINGLE_LIST_ENTRY *entry = dpcs->first; entry; entry = entry->Next) {
        if (entry == &Dpc->DpcListEntry) {
            if (before)
                before->Next = entry->Next;
            else
                dpcs->first = entry->Next;
            if (dpcs->last == entry)
                dpcs->last = before;
            Dpc->DpcData = NULL;
            atomic_fetch_sub(&dpcs->queued, 1);
            removed = true;
            break;
        }
        before = entry;
    }
    pthread_mutex_unlock(&dpcs->lock);
    return removed;
}

NTKERNELAPI VOID NTAPI KeFlushQueuedDpcs(VOID) {
    if (!host_irql_at_most(PASSIVE_LEVEL, "KeFlushQueuedDpcs"))
        return;
    while (host_dpcs_pending()) {
        host_dpcs_run();
        sched_yield();
    }
}

/* Of this processor, which is the thread. */
NTKERNELAPI ULONG NTAPI KeIsExecutingDpc(VOID) {
    host_irql_at_least(DISPATCH_LEVEL, "KeIsExecutingDpc");
    return dpcs_executing != 0;
}
