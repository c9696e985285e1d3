/* wait_calls.c - the ntoskrnl names that wait: for objects of waits.h, or for a time. */
#include "base/thread.h"
#include "base/world.h"
#include "kernel/clock.h"
#include "kernel/dispatcher.h"
#include "kernel/irql.h"
#include "kernel/stall.h"
#include "kernel/threads.h"
#include "kernel/waits.h"

static NTSTATUS wait_status(enum host_sleep_end end, const char *function) {
    PKTHREAD self = host_thread_self();
    if (end == HOST_SLEEP_WOKEN)
        return (NTSTATUS)((self->abandoned ? STATUS_ABANDONED : STATUS_WAIT_0) +
                          (NTSTATUS)self->satisfied);
    if (end == HOST_SLEEP_TIMEOUT)
        return STATUS_TIMEOUT;
    host_violation("%s without a timeout waits for ever: no thread, no timer and no hardware is "
                   "left that could signal the object",
                   function);
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS wait_for(PVOID *object, uint32_t count, bool all, const LARGE_INTEGER *timeout,
                         const char *function) {
    struct host_link links[MAXIMUM_WAIT_OBJECTS];
    host_irql_release();
    bool polls = timeout && timeout->QuadPart == 0;
    bool allowed = host_irql_at_most(polls ? DISPATCH_LEVEL : APC_LEVEL, function);
    for (uint32_t i = 0; i < count; i++) {
        links[i].object = object[i];
        if (!host_object_good(object[i], function))
            return STATUS_INVALID_PARAMETER;
    }
    uint64_t deadline = host_deadline(timeout);
    enum host_sleep_end end = host_wait(links, count, all, allowed && !polls ? &deadline : NULL);
    if (end == HOST_SLEEP_TIMEOUT && !allowed)
        return STATUS_UNSUCCESSFUL;
    if (end == HOST_SLEEP_TIMEOUT && polls)
        host_polled();
    NTSTATUS status = wait_status(end, function);
    host_thread_goes_on();
    return status;
}

NTKERNELAPI NTSTATUS NTAPI KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason,
                                                 KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                                 PLARGE_INTEGER Timeout) {
    (void)WaitReason;
    (void)WaitMode;
    (void)Alertable;
    return wait_for(&Object, 1, false, Timeout, "KeWaitForSingleObject");
}

NTKERNELAPI NTSTATUS NTAPI KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType,
                                                    KWAIT_REASON WaitReason,
                                                    KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                                    PLARGE_INTEGER Timeout,
                                                    PKWAIT_BLOCK WaitBlockArray) {
    (void)WaitReason;
    (void)WaitMode;
    (void)Alertable;
    if (Count == 0 || Count > MAXIMUM_WAIT_OBJECTS ||
        (Count > THREAD_WAIT_OBJECTS && !WaitBlockArray)) {
        host_violation("KeWaitForMultipleObjects of %u objects%s", Count,
                       Count <= MAXIMUM_WAIT_OBJECTS ? " needs wait blocks" : "");
        return STATUS_INVALID_PARAMETER;
    }
    return wait_for(Object, Count, WaitType == WaitAll, Timeout, "KeWaitForMultipleObjects");
}

/* A thread that polls with delays that are over when they begin takes time all the same: others wait for
 * the time to go on. */
#define NO_DELAY_NS UINT64_C(100000)

NTKERNELAPI NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                                  PLARGE_INTEGER Interval) {
    (void)WaitMode;
    (void)Alertable;
    if (!host_irql_at_most(APC_LEVEL, "KeDelayExecutionThread"))
        return STATUS_UNSUCCESSFUL;
    uint64_t deadline = host_deadline(Interval), now = host_now();
    host_dispatcher_lock();
    (void)host_thread_sleep(NULL, 0, deadline <= now ? now + NO_DELAY_NS : deadline);
    host_dispatcher_unlock();
    host_thread_goes_on();
    return STATUS_SUCCESS;
}
