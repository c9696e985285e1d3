/*
 * power.c - see wdm_power.h. A registered device is in D0 and its components in F0 for good: to
 * activate one calls back at once, and an idle one goes into no deeper state.
 */
#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "driver/irps.h"

struct _POHANDLE {
    PO_FX_DEVICE_V1 device; /* without its components */
    LONG *active;           /* references of each component */
    bool started;
};

static size_t power_size(ULONG components) {
    return sizeof(struct _POHANDLE) + components * sizeof(LONG);
}

static bool components_good(const PO_FX_DEVICE *device) {
    const PO_FX_COMPONENT *components = device->Components;
    for (ULONG i = 0; i < device->ComponentCount; i++)
        if (components[i].IdleStateCount == 0 || !components[i].IdleStates ||
            components[i].DeepestWakeableIdleState >= components[i].IdleStateCount)
            return false;
    return device->ComponentCount != 0;
}

NTKERNELAPI NTSTATUS NTAPI PoFxRegisterDevice(PDEVICE_OBJECT Pdo, PPO_FX_DEVICE Device,
                                              POHANDLE *Handle) {
    *Handle = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "PoFxRegisterDevice"))
        return STATUS_UNSUCCESSFUL;
    if (!Pdo || Device->Version != PO_FX_VERSION_V1 || !components_good(Device))
        return STATUS_INVALID_PARAMETER;
    struct _POHANDLE *power = host_block_alloc(HOST_OWNER_IO, power_size(Device->ComponentCount));
    if (!power)
        return STATUS_INSUFFICIENT_RESOURCES;
    power->device = *Device;
    power->active = (LONG *)(power + 1);
    *Handle = power;
    return STATUS_SUCCESS;
}

NTKERNELAPI VOID NTAPI PoFxUnregisterDevice(POHANDLE Handle) {
    if (host_irql_at_most(PASSIVE_LEVEL, "PoFxUnregisterDevice"))
        host_block_free(HOST_OWNER_IO, Handle, power_size(Handle->device.ComponentCount));
}

NTKERNELAPI VOID NTAPI PoFxStartDevicePowerManagement(POHANDLE Handle) {
    host_irql_at_most(PASSIVE_LEVEL, "PoFxStartDevicePowerManagement");
    if (Handle->started)
        host_violation("PoFxStartDevicePowerManagement was called twice");
    Handle->started = true;
}

static bool component_good(POHANDLE handle, ULONG component, const char *function) {
    if (!host_irql_at_most(DISPATCH_LEVEL, function))
        return false;
    if (component < handle->device.ComponentCount)
        return true;
    host_violation("%s: there is no component %u", function, component);
    return false;
}

/* The first reference is told to the driver, in F0 as each component is. */
NTKERNELAPI VOID NTAPI PoFxActivateComponent(POHANDLE Handle, ULONG Component, ULONG Flags) {
    if ((Flags & PO_FX_FLAG_BLOCKING) != 0)
        host_irql_at_most(APC_LEVEL, "PoFxActivateComponent that blocks");
    if (component_good(Handle, Component, "PoFxActivateComponent") &&
        InterlockedIncrement(&Handle->active[Component]) == 1 &&
        Handle->device.ComponentActiveConditionCallback)
        DRIVER_CALL(Handle->device.ComponentActiveConditionCallback)
    (Handle->device.DeviceContext, Component);
}

NTKERNELAPI VOID NTAPI PoFxIdleComponent(POHANDLE Handle, ULONG Component, ULONG Flags) {
    if ((Flags & PO_FX_FLAG_BLOCKING) != 0)
        host_irql_at_most(APC_LEVEL, "PoFxIdleComponent that blocks");
    if (!component_good(Handle, Component, "PoFxIdleComponent"))
        return;
    LONG left = InterlockedDecrement(&Handle->active[Component]);
    if (left < 0)
        host_violation("PoFxIdleComponent of component %u, which is not active", Component);
    if (left == 0 && Handle->device.ComponentIdleConditionCallback)
        DRIVER_CALL(Handle->device.ComponentIdleConditionCallback)
    (Handle->device.DeviceContext, Component);
}

NTKERNELAPI VOID NTAPI PoFxCompleteIdleCondition(POHANDLE Handle, ULONG Component) {
    component_good(Handle, Component, "PoFxCompleteIdleCondition");
}

/* No component is ever told to change its state. */
NTKERNELAPI VOID NTAPI PoFxCompleteIdleState(POHANDLE Handle, ULONG Component) {
    if (component_good(Handle, Component, "PoFxCompleteIdleState"))
        host_violation("PoFxCompleteIdleState without a change of state");
}

NTKERNELAPI VOID NTAPI PoFxCompleteDevicePowerNotRequired(POHANDLE Handle) {
    (void)Handle;
    host_irql_at_most(DISPATCH_LEVEL, "PoFxCompleteDevicePowerNotRequired");
    host_violation("PoFxCompleteDevicePowerNotRequired, which nothing asked for");
}

NTKERNELAPI VOID NTAPI PoFxReportDevicePoweredOn(POHANDLE Handle) {
    (void)Handle;
    host_irql_at_most(DISPATCH_LEVEL, "PoFxReportDevicePoweredOn");
}

NTKERNELAPI VOID NTAPI PoFxSetComponentLatency(POHANDLE Handle, ULONG Component,
                                               ULONGLONG Latency) {
    (void)Latency;
    component_good(Handle, Component, "PoFxSetComponentLatency");
}

NTKERNELAPI VOID NTAPI PoFxSetComponentResidency(POHANDLE Handle, ULONG Component,
                                                 ULONGLONG Residency) {
    (void)Residency;
    component_good(Handle, Component, "PoFxSetComponentResidency");
}

NTKERNELAPI VOID NTAPI PoFxSetComponentWake(POHANDLE Handle, ULONG Component, BOOLEAN WakeHint) {
    (void)WakeHint;
    component_good(Handle, Component, "PoFxSetComponentWake");
}

NTKERNELAPI VOID NTAPI PoFxSetDeviceIdleTimeout(POHANDLE Handle, ULONGLONG IdleTimeout) {
    (void)Handle;
    (void)IdleTimeout;
    host_irql_at_most(DISPATCH_LEVEL, "PoFxSetDeviceIdleTimeout");
}

/* There is no plug-in of a power engine. */
NTKERNELAPI NTSTATUS NTAPI PoFxPowerControl(POHANDLE Handle, LPCGUID PowerControlCode,
                                            PVOID InBuffer, SIZE_T InBufferSize, PVOID OutBuffer,
                                            SIZE_T OutBufferSize, PSIZE_T BytesReturned) {
    (void)Handle, (void)PowerControlCode, (void)InBuffer, (void)InBufferSize;
    (void)OutBuffer, (void)OutBufferSize;
    host_irql_at_most(DISPATCH_LEVEL, "PoFxPowerControl");
    if (BytesReturned)
        *BytesReturned = 0;
    return STATUS_NOT_SUPPORTED;
}

/* ---- Requests for power: how often one is set ----------------------------------------------------- */

struct power_request {
    LONG set;
};

NTKERNELAPI NTSTATUS NTAPI PoCreatePowerRequest(PVOID *PowerRequest, PDEVICE_OBJECT DeviceObject,
                                                PVOID Context) {
    (void)Context;
    *PowerRequest = NULL;
    host_irql_at_most(APC_LEVEL, "PoCreatePowerRequest");
    if (!DeviceObject)
        return STATUS_INVALID_PARAMETER;
    *PowerRequest = host_block_alloc(HOST_OWNER_IO, sizeof(struct power_request));
    return *PowerRequest ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

/* The page allows a driver one type. */
static NTSTATUS power_request_add(struct power_request *request, POWER_REQUEST_TYPE type, LONG by,
                                  const char *function) {
    host_irql_at_most(DISPATCH_LEVEL, function);
    if (type != PowerRequestSystemRequired)
        return STATUS_NOT_SUPPORTED;
    if (InterlockedAdd(&request->set, by) < 0)
        host_violation("%s more often than PoSetPowerRequest", function);
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI PoSetPowerRequest(PVOID PowerRequest, POWER_REQUEST_TYPE Type) {
    return power_request_add(PowerRequest, Type, 1, "PoSetPowerRequest");
}

NTKERNELAPI NTSTATUS NTAPI PoClearPowerRequest(PVOID PowerRequest, POWER_REQUEST_TYPE Type) {
    return power_request_add(PowerRequest, Type, -1, "PoClearPowerRequest");
}

NTKERNELAPI VOID NTAPI PoDeletePowerRequest(PVOID PowerRequest) {
    host_irql_at_most(APC_LEVEL, "PoDeletePowerRequest");
    host_block_free(HOST_OWNER_IO, PowerRequest, sizeof(struct power_request));
}

/* ---- Power requests of drivers' stacks -------------------------------------------------------------------- */

NTKERNELAPI POWER_STATE NTAPI PoSetPowerState(PDEVICE_OBJECT DeviceObject, POWER_STATE_TYPE Type,
                                              POWER_STATE State) {
    POWER_STATE before = {.DeviceState = PowerDeviceD0};
    (void)DeviceObject;
    bool to_d0 = Type == DevicePowerState && State.DeviceState == PowerDeviceD0;
    host_irql_at_most(to_d0 ? DISPATCH_LEVEL : APC_LEVEL, "PoSetPowerState");
    if (Type == SystemPowerState)
        before.SystemState = PowerSystemWorking;
    return before;
}

/* Its driver is told at once that the request is complete. */
NTKERNELAPI NTSTATUS NTAPI PoRequestPowerIrp(PDEVICE_OBJECT DeviceObject, UCHAR MinorFunction,
                                             POWER_STATE PowerState,
                                             PREQUEST_POWER_COMPLETE CompletionFunction,
                                             PVOID Context, PIRP *Irp) {
    IO_STATUS_BLOCK done = {.Status = STATUS_SUCCESS};
    host_irql_at_most(DISPATCH_LEVEL, "PoRequestPowerIrp");
    if (MinorFunction != IRP_MN_QUERY_POWER && MinorFunction != IRP_MN_SET_POWER &&
        MinorFunction != IRP_MN_WAIT_WAKE)
        return STATUS_INVALID_PARAMETER_2;
    if (Irp)
        *Irp = NULL;
    if (MinorFunction == IRP_MN_WAIT_WAKE)
        done.Status = STATUS_NOT_SUPPORTED; /* no device wakes the system */
    if (CompletionFunction)
        DRIVER_CALL(CompletionFunction)(DeviceObject, MinorFunction, PowerState, Context, &done);
    return STATUS_PENDING;
}

NTKERNELAPI VOID NTAPI PoStartNextPowerIrp(PIRP Irp) {
    (void)Irp; /* the page: does nothing since Windows Vista */
    host_irql_at_most(DISPATCH_LEVEL, "PoStartNextPowerIrp");
}

NTKERNELAPI NTSTATUS NTAPI PoCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    return IofCallDriver(DeviceObject, Irp);
}
