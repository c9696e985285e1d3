/*
 * irps.c - requests: allocated, sent to the driver of the bus, completed, cancelled (pages
 * nf-wdm-ioallocateirp, nf-wdm-iocompleterequest, nf-wdm-iocancelirp and their neighbours). The bus
 * completes each at once: Plug and Play and power requests with the status that they came with, all
 * others as not supported.
 */
#include "driver/irps.h"

#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "driver/device.h"

#define IRP_TYPE 6 /* of IO_TYPE_IRP */

static KSPIN_LOCK irp_cancel_lock;

static size_t irp_size(CHAR stack) {
    return sizeof(IRP) + (size_t)stack * sizeof(IO_STACK_LOCATION);
}

static void irp_init(PIRP irp, CHAR stack) {
    size_t size = irp_size(stack);
    memset(irp, 0, size);
    irp->Type = IRP_TYPE;
    irp->Size = (USHORT)size;
    irp->StackCount = stack;
    irp->CurrentLocation = (CHAR)(stack + 1);
    irp->Tail.Overlay.CurrentStackLocation = (PIO_STACK_LOCATION)(PVOID)(irp + 1) + stack;
    InitializeListHead(&irp->ThreadListEntry);
}

static bool irp_good(const IRP *irp, const char *function) {
    bool good = irp && irp->Type == IRP_TYPE && irp->CurrentLocation > 0 &&
                irp->CurrentLocation <= irp->StackCount + 1;
    if (!good)
        host_violation("%s of a request that no function here made", function);
    return good;
}

/* ---- Made and freed --------------------------------------------------------------------------------- */

NTKERNELAPI USHORT NTAPI IoSizeOfIrp(CHAR StackSize) {
    return (USHORT)irp_size(StackSize);
}

NTKERNELAPI VOID NTAPI IoInitializeIrp(PIRP Irp, USHORT PacketSize, CHAR StackSize) {
    host_irql_at_most(DISPATCH_LEVEL, "IoInitializeIrp");
    if (StackSize < 0 || PacketSize < irp_size(StackSize))
        host_violation("IoInitializeIrp: %u bytes are too few for %d locations", PacketSize,
                       StackSize);
    else
        irp_init(Irp, StackSize);
}

NTKERNELAPI PIRP NTAPI IoAllocateIrp(CHAR StackSize, BOOLEAN ChargeQuota) {
    (void)ChargeQuota;
    if (!host_irql_at_most(DISPATCH_LEVEL, "IoAllocateIrp") || StackSize < 0)
        return NULL;
    PIRP irp = host_block_alloc(HOST_OWNER_IO, irp_size(StackSize));
    if (irp)
        irp_init(irp, StackSize);
    return irp;
}

NTKERNELAPI VOID NTAPI IoFreeIrp(PIRP Irp) {
    host_irql_at_most(DISPATCH_LEVEL, "IoFreeIrp");
    if (!irp_good(Irp, "IoFreeIrp"))
        return;
    Irp->Type = 0;
    host_block_free(HOST_OWNER_IO, Irp, irp_size(Irp->StackCount));
}

NTKERNELAPI VOID NTAPI IoReuseIrp(PIRP Irp, NTSTATUS Iostatus) {
    host_irql_at_most(DISPATCH_LEVEL, "IoReuseIrp");
    if (!irp_good(Irp, "IoReuseIrp"))
        return;
    irp_init(Irp, Irp->StackCount);
    Irp->IoStatus.Status = Iostatus;
}

/* A request that tells its end to an event, and is freed then. */
NTKERNELAPI PIRP NTAPI IoBuildSynchronousFsdRequest(ULONG MajorFunction,
                                                    PDEVICE_OBJECT DeviceObject, PVOID Buffer,
                                                    ULONG Length, PLARGE_INTEGER StartingOffset,
                                                    PKEVENT Event, PIO_STATUS_BLOCK IoStatusBlock) {
    (void)Length;
    (void)StartingOffset;
    if (!host_irql_at_most(APC_LEVEL, "IoBuildSynchronousFsdRequest") ||
        !host_device_of_bus(DeviceObject))
        return NULL;
    PIRP irp = IoAllocateIrp(1, FALSE);
    if (!irp)
        return NULL;
    IoGetNextIrpStackLocation(irp)->MajorFunction = (UCHAR)MajorFunction;
    irp->UserBuffer = Buffer;
    irp->UserEvent = Event;
    irp->UserIosb = IoStatusBlock;
    return irp;
}

/* ---- Completed ----------------------------------------------------------------------------------------- */

static bool irp_invokes(const IRP *irp, UCHAR control) {
    if (irp->Cancel && (control & SL_INVOKE_ON_CANCEL) != 0)
        return true;
    return (control &
            (NT_SUCCESS(irp->IoStatus.Status) ? SL_INVOKE_ON_SUCCESS : SL_INVOKE_ON_ERROR)) != 0;
}

/* Goes up by one location; false: its completion routine keeps the request. */
static bool irp_up(PIRP irp) {
    const IO_STACK_LOCATION below = *irp->Tail.Overlay.CurrentStackLocation;
    irp->CurrentLocation++;
    irp->Tail.Overlay.CurrentStackLocation++;
    irp->PendingReturned = (below.Control & SL_PENDING_RETURNED) != 0;
    bool top = irp->CurrentLocation > irp->StackCount;
    if (below.CompletionRoutine && irp_invokes(irp, below.Control)) {
        PDEVICE_OBJECT device = top ? NULL : irp->Tail.Overlay.CurrentStackLocation->DeviceObject;
        return DRIVER_CALL(below.CompletionRoutine)(device, irp, below.Context) !=
               STATUS_MORE_PROCESSING_REQUIRED;
    }
    if (irp->PendingReturned && !top)
        IoMarkIrpPending(irp);
    return true;
}

NTKERNELAPI VOID NTAPI IofCompleteRequest(PIRP Irp, CHAR PriorityBoost) {
    (void)PriorityBoost;
    host_irql_at_most(DISPATCH_LEVEL, "IoCompleteRequest");
    if (!irp_good(Irp, "IoCompleteRequest"))
        return;
    if (Irp->IoStatus.Status == STATUS_PENDING || Irp->CancelRoutine)
        host_violation("IoCompleteRequest of a request that %s",
                       Irp->CancelRoutine ? "has a cancel routine"
                                          : "has the status of a pending one");
    while (Irp->CurrentLocation <= Irp->StackCount)
        if (!irp_up(Irp))
            return;
    if (Irp->UserIosb)
        *Irp->UserIosb = Irp->IoStatus;
    PKEVENT event = Irp->UserEvent;
    IoFreeIrp(Irp);
    if (event)
        KeSetEvent(event, 0, FALSE);
}

/* ---- Sent ----------------------------------------------------------------------------------------------- */

bool host_device_of_bus(const DEVICE_OBJECT *object) {
    for (uint32_t board = 0; board < host_world->boards; board++)
        if (object == &host_world->device[board].physical)
            return true;
    return false;
}

NTSTATUS host_irp_call(PDEVICE_OBJECT device, PIRP irp) {
    if (!irp_good(irp, "IoCallDriver"))
        return STATUS_INVALID_DEVICE_REQUEST;
    if (irp->CurrentLocation <= 1) {
        host_violation("IoCallDriver with a request that has no stack location left");
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    irp->CurrentLocation--;
    PIO_STACK_LOCATION here = --irp->Tail.Overlay.CurrentStackLocation;
    here->DeviceObject = device;
    bool keeps = here->MajorFunction == IRP_MJ_PNP || here->MajorFunction == IRP_MJ_POWER;
    NTSTATUS status = keeps ? irp->IoStatus.Status : STATUS_INVALID_DEVICE_REQUEST;
    irp->IoStatus.Status = status;
    IofCompleteRequest(irp, IO_NO_INCREMENT);
    return status;
}

/* ---- Cancelled ------------------------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI IoAcquireCancelSpinLock(PKIRQL Irql) {
    KeAcquireSpinLock(&irp_cancel_lock, Irql);
}

NTKERNELAPI VOID NTAPI IoReleaseCancelSpinLock(KIRQL Irql) {
    KeReleaseSpinLock(&irp_cancel_lock, Irql);
}

/* The routine releases the lock. */
NTKERNELAPI BOOLEAN NTAPI IoCancelIrp(PIRP Irp) {
    KIRQL irql;
    if (!host_irql_at_most(DISPATCH_LEVEL, "IoCancelIrp") || !irp_good(Irp, "IoCancelIrp"))
        return FALSE;
    IoAcquireCancelSpinLock(&irql);
    Irp->Cancel = TRUE;
    PDRIVER_CANCEL routine = IoSetCancelRoutine(Irp, NULL);
    if (!routine) {
        IoReleaseCancelSpinLock(irql);
        return FALSE;
    }
    bool top = Irp->CurrentLocation > Irp->StackCount;
    Irp->CancelIrql = irql;
    DRIVER_CALL(routine)(top ? NULL : Irp->Tail.Overlay.CurrentStackLocation->DeviceObject, Irp);
    return TRUE;
}

NTKERNELAPI BOOLEAN NTAPI IoIs32bitProcess(PIRP Irp) {
    (void)Irp;
    host_irql_at_most(DISPATCH_LEVEL, "IoIs32bitProcess");
    return FALSE;
}
