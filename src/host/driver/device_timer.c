/*
 * device_timer.c - a timer for each device, whose routine is called once a second at DISPATCH_LEVEL
 * (pages nf-wdm-ioinitializetimer, nf-wdm-iostarttimer).
 */
#include "driver/device_timer.h"

#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"

#define SECOND_100NS (-10000000)
#define SECOND_MS    1000

struct device_timer {
    struct device_timer *next;
    PDEVICE_OBJECT device;
    PIO_TIMER_ROUTINE routine;
    PVOID context;
    KTIMER timer;
    KDPC dpc;
};

static struct device_timer *device_timers;

static VOID NTAPI device_timer_tick(struct _KDPC *dpc, PVOID context, PVOID one, PVOID two) {
    const struct device_timer *timer = context;
    (void)dpc, (void)one, (void)two;
    DRIVER_CALL(timer->routine)(timer->device, timer->context);
}

static struct device_timer *device_timer_of(PDEVICE_OBJECT device, const char *function) {
    struct device_timer *timer = device_timers;
    while (timer && timer->device != device)
        timer = timer->next;
    if (!timer && function)
        host_violation("%s of a device for which IoInitializeTimer was not called", function);
    return timer;
}

NTKERNELAPI NTSTATUS NTAPI IoInitializeTimer(PDEVICE_OBJECT DeviceObject,
                                             PIO_TIMER_ROUTINE TimerRoutine, PVOID Context) {
    if (!host_irql_at_most(PASSIVE_LEVEL, "IoInitializeTimer"))
        return STATUS_UNSUCCESSFUL;
    if (device_timer_of(DeviceObject, NULL)) {
        host_violation("IoInitializeTimer was called twice for a device");
        return STATUS_INVALID_PARAMETER;
    }
    struct device_timer *timer = host_may_allocate() ? calloc(1, sizeof(*timer)) : NULL;
    if (!timer)
        return STATUS_INSUFFICIENT_RESOURCES;
    timer->next = device_timers;
    device_timers = timer;
    timer->device = DeviceObject;
    timer->routine = TimerRoutine;
    timer->context = Context;
    KeInitializeTimer(&timer->timer);
    KeInitializeDpc(&timer->dpc, device_timer_tick, timer);
    return STATUS_SUCCESS;
}

NTKERNELAPI VOID NTAPI IoStartTimer(PDEVICE_OBJECT DeviceObject) {
    LARGE_INTEGER second = {.QuadPart = SECOND_100NS};
    host_irql_at_most(DISPATCH_LEVEL, "IoStartTimer");
    struct device_timer *timer = device_timer_of(DeviceObject, "IoStartTimer");
    if (timer)
        KeSetTimerEx(&timer->timer, second, SECOND_MS, &timer->dpc);
}

NTKERNELAPI VOID NTAPI IoStopTimer(PDEVICE_OBJECT DeviceObject) {
    host_irql_at_most(DISPATCH_LEVEL, "IoStopTimer");
    struct device_timer *timer = device_timer_of(DeviceObject, "IoStopTimer");
    if (timer)
        KeCancelTimer(&timer->timer);
}

void host_device_timers_forget(void) {
    while (device_timers) {
        struct device_timer *timer = device_timers;
        device_timers = timer->next;
        free(timer);
    }
}
