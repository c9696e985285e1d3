/*
 * absent_io.c - what a driver of its own device stack would use, and a display miniport cannot: its
 * interrupt is dxgkrnl's, its device is attached to nothing. Each answers as its page says of a
 * request that cannot be met.
 */
#include "base/thread.h"
#include "base/world.h"
#include "driver/irps.h"

/* ---- Interrupts ------------------------------------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTKERNELAPI NTSTATUS NTAPI IoConnectInterrupt(PKINTERRUPT *InterruptObject,
                                              PKSERVICE_ROUTINE ServiceRoutine,
                                              PVOID ServiceContext, PKSPIN_LOCK SpinLock,
                                              ULONG Vector, KIRQL Irql, KIRQL SynchronizeIrql,
                                              ULONG InterruptMode, BOOLEAN ShareVector,
                                              KAFFINITY ProcessorEnableMask, BOOLEAN FloatingSave) {
    (void)ServiceRoutine, (void)ServiceContext, (void)SpinLock, (void)Vector, (void)Irql;
    (void)SynchronizeIrql, (void)InterruptMode, (void)ShareVector, (void)ProcessorEnableMask;
    (void)FloatingSave;
    *InterruptObject = NULL;
    host_irql_at_most(PASSIVE_LEVEL, "IoConnectInterrupt");
    return STATUS_INVALID_PARAMETER;
}

static void no_interrupt(const char *function) {
    host_violation("%s of an interrupt object that IoConnectInterrupt did not make", function);
}

NTKERNELAPI VOID NTAPI IoDisconnectInterrupt(PKINTERRUPT InterruptObject) {
    (void)InterruptObject;
    host_irql_at_most(PASSIVE_LEVEL, "IoDisconnectInterrupt");
    no_interrupt("IoDisconnectInterrupt");
}

NTKERNELAPI BOOLEAN NTAPI KeSynchronizeExecution(PKINTERRUPT Interrupt,
                                                 PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                                 PVOID SynchronizeContext) {
    (void)Interrupt, (void)SynchronizeRoutine, (void)SynchronizeContext;
    host_irql_at_most(HOST_HIGHEST_DIRQL, "KeSynchronizeExecution");
    no_interrupt("KeSynchronizeExecution");
    return FALSE;
}

NTKERNELAPI KIRQL NTAPI KeAcquireInterruptSpinLock(PKINTERRUPT Interrupt) {
    (void)Interrupt;
    host_irql_at_most(HOST_HIGHEST_DIRQL, "KeAcquireInterruptSpinLock");
    no_interrupt("KeAcquireInterruptSpinLock");
    return host_self.irql;
}

NTKERNELAPI VOID NTAPI KeReleaseInterruptSpinLock(PKINTERRUPT Interrupt, KIRQL OldIrql) {
    (void)Interrupt;
    (void)OldIrql;
    no_interrupt("KeReleaseInterruptSpinLock");
}

/* ---- Devices --------------------------------------------------------------------------------------------- */

/* The page: NULL when it could not be attached. */
NTKERNELAPI PDEVICE_OBJECT NTAPI IoAttachDeviceToDeviceStack(PDEVICE_OBJECT SourceDevice,
                                                             PDEVICE_OBJECT TargetDevice) {
    (void)SourceDevice, (void)TargetDevice;
    host_irql_at_most(DISPATCH_LEVEL, "IoAttachDeviceToDeviceStack");
    return NULL;
}

NTKERNELAPI VOID NTAPI IoDetachDevice(PDEVICE_OBJECT TargetDevice) {
    (void)TargetDevice;
    host_irql_at_most(PASSIVE_LEVEL, "IoDetachDevice");
    host_violation("IoDetachDevice of a device to which nothing is attached");
}

NTKERNELAPI NTSTATUS NTAPI IoGetDevicePropertyData(PDEVICE_OBJECT Pdo,
                                                   const DEVPROPKEY *PropertyKey, LCID Lcid,
                                                   ULONG Flags, ULONG Size, PVOID Data,
                                                   PULONG RequiredSize, PDEVPROPTYPE Type) {
    (void)PropertyKey, (void)Lcid, (void)Flags, (void)Size, (void)Data, (void)Type;
    *RequiredSize = 0;
    host_irql_at_most(APC_LEVEL, "IoGetDevicePropertyData");
    return host_device_of_bus(Pdo) ? STATUS_OBJECT_NAME_NOT_FOUND : STATUS_INVALID_DEVICE_REQUEST;
}

NTKERNELAPI NTSTATUS NTAPI IoSetDevicePropertyData(PDEVICE_OBJECT Pdo,
                                                   const DEVPROPKEY *PropertyKey, LCID Lcid,
                                                   ULONG Flags, DEVPROPTYPE Type, ULONG Size,
                                                   PVOID Data) {
    (void)PropertyKey, (void)Lcid, (void)Flags, (void)Type, (void)Size, (void)Data;
    host_irql_at_most(APC_LEVEL, "IoSetDevicePropertyData");
    return host_device_of_bus(Pdo) ? STATUS_NOT_SUPPORTED : STATUS_INVALID_DEVICE_REQUEST;
}

NTKERNELAPI NTSTATUS NTAPI IoOpenDeviceInterfaceRegistryKey(PUNICODE_STRING SymbolicLinkName,
                                                            ACCESS_MASK DesiredAccess,
                                                            PHANDLE DeviceInterfaceRegKey) {
    (void)SymbolicLinkName, (void)DesiredAccess;
    *DeviceInterfaceRegKey = NULL;
    host_irql_at_most(PASSIVE_LEVEL, "IoOpenDeviceInterfaceRegistryKey");
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTKERNELAPI VOID NTAPI IoRequestDeviceEject(PDEVICE_OBJECT PhysicalDeviceObject) {
    (void)PhysicalDeviceObject;
    host_irql_at_most(DISPATCH_LEVEL, "IoRequestDeviceEject");
}
