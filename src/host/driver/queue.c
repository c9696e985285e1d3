/*
 * queue.c - cancel-safe queues of requests (pages nf-wdm-iocsqinitialize, nf-wdm-iocsqinsertirpex and
 * their neighbours). A request that is in a queue has the cancel routine here and, in DriverContext[3],
 * its context, or the queue itself; whoever takes the routine off owns the request.
 */
#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"

/* Of IO_CSQ and its contexts; the pages leave them open. */
#define QUEUE_PLAIN    1u
#define QUEUE_EXTENDED 2u
#define QUEUE_CONTEXT  3u

static PVOID *queue_mark(PIRP irp) {
    return &irp->Tail.Overlay.DriverContext[3];
}

static VOID NTAPI queue_cancel(PDEVICE_OBJECT device, PIRP irp) {
    KIRQL irql;
    PIO_CSQ csq = *queue_mark(irp);
    (void)device;
    IoReleaseCancelSpinLock(irp->CancelIrql);
    if (csq->Type == QUEUE_CONTEXT) {
        PIO_CSQ_IRP_CONTEXT context = (PIO_CSQ_IRP_CONTEXT)(PVOID)csq;
        csq = context->Csq;
        context->Irp = NULL; /* a removal by it finds none */
    }
    DRIVER_CALL(csq->CsqAcquireLock)(csq, &irql);
    DRIVER_CALL(csq->CsqRemoveIrp)(csq, irp);
    *queue_mark(irp) = NULL;
    DRIVER_CALL(csq->CsqReleaseLock)(csq, irql);
    DRIVER_CALL(csq->CsqCompleteCanceledIrp)(csq, irp);
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTKERNELAPI NTSTATUS NTAPI IoCsqInitialize(PIO_CSQ Csq, PIO_CSQ_INSERT_IRP CsqInsertIrp,
                                           PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                                           PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                                           PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                                           PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                                           PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp) {
    *Csq = (IO_CSQ){QUEUE_PLAIN,    CsqInsertIrp,   CsqRemoveIrp,           CsqPeekNextIrp,
                    CsqAcquireLock, CsqReleaseLock, CsqCompleteCanceledIrp, NULL};
    return STATUS_SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of the documented function */
NTKERNELAPI NTSTATUS NTAPI IoCsqInitializeEx(PIO_CSQ Csq, PIO_CSQ_INSERT_IRP_EX CsqInsertIrp,
                                             PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                                             PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                                             PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                                             PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                                             PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp) {
    NTSTATUS status = IoCsqInitialize(Csq, NULL, CsqRemoveIrp, CsqPeekNextIrp, CsqAcquireLock,
                                      CsqReleaseLock, CsqCompleteCanceledIrp);
    Csq->Type = QUEUE_EXTENDED;
    Csq->CsqInsertIrp = (PIO_CSQ_INSERT_IRP)(PVOID)CsqInsertIrp;
    return status;
}

static NTSTATUS queue_put(PIO_CSQ csq, PIRP irp, PVOID insert_context) {
    if (csq->Type == QUEUE_EXTENDED)
        return DRIVER_CALL((PIO_CSQ_INSERT_IRP_EX)(PVOID)csq->CsqInsertIrp)(csq, irp,
                                                                            insert_context);
    DRIVER_CALL(csq->CsqInsertIrp)(csq, irp);
    return STATUS_SUCCESS;
}

/* A request that is cancelled before its routine is there goes the same way as one cancelled after. */
NTKERNELAPI NTSTATUS NTAPI IoCsqInsertIrpEx(PIO_CSQ Csq, PIRP Irp, PIO_CSQ_IRP_CONTEXT Context,
                                            PVOID InsertContext) {
    KIRQL irql;
    host_irql_at_most(DISPATCH_LEVEL, "IoCsqInsertIrp");
    *queue_mark(Irp) = Context ? (PVOID)Context : (PVOID)Csq;
    if (Context)
        *Context = (IO_CSQ_IRP_CONTEXT){QUEUE_CONTEXT, Irp, Csq};
    DRIVER_CALL(Csq->CsqAcquireLock)(Csq, &irql);
    NTSTATUS status = queue_put(Csq, Irp, InsertContext);
    if (!NT_SUCCESS(status)) {
        *queue_mark(Irp) = NULL;
        DRIVER_CALL(Csq->CsqReleaseLock)(Csq, irql);
        return status;
    }
    IoMarkIrpPending(Irp);
    IoSetCancelRoutine(Irp, queue_cancel);
    bool cancelled = Irp->Cancel && IoSetCancelRoutine(Irp, NULL);
    if (cancelled) {
        DRIVER_CALL(Csq->CsqRemoveIrp)(Csq, Irp);
        *queue_mark(Irp) = NULL;
        if (Context)
            Context->Irp = NULL;
    }
    DRIVER_CALL(Csq->CsqReleaseLock)(Csq, irql);
    if (cancelled)
        DRIVER_CALL(Csq->CsqCompleteCanceledIrp)(Csq, Irp);
    return status;
}

NTKERNELAPI VOID NTAPI IoCsqInsertIrp(PIO_CSQ Csq, PIRP Irp, PIO_CSQ_IRP_CONTEXT Context) {
    (void)IoCsqInsertIrpEx(Csq, Irp, Context, NULL);
}

/* Under the queue's lock; false: its cancel routine has it. */
static bool queue_take(PIO_CSQ csq, PIRP irp) {
    if (!IoSetCancelRoutine(irp, NULL))
        return false;
    DRIVER_CALL(csq->CsqRemoveIrp)(csq, irp);
    PIO_CSQ_IRP_CONTEXT context = *queue_mark(irp);
    if (context && context->Type == QUEUE_CONTEXT)
        context->Irp = NULL;
    *queue_mark(irp) = NULL;
    return true;
}

NTKERNELAPI PIRP NTAPI IoCsqRemoveNextIrp(PIO_CSQ Csq, PVOID PeekContext) {
    KIRQL irql;
    host_irql_at_most(DISPATCH_LEVEL, "IoCsqRemoveNextIrp");
    DRIVER_CALL(Csq->CsqAcquireLock)(Csq, &irql);
    PIRP irp = DRIVER_CALL(Csq->CsqPeekNextIrp)(Csq, NULL, PeekContext);
    while (irp && !queue_take(Csq, irp))
        irp = DRIVER_CALL(Csq->CsqPeekNextIrp)(Csq, irp, PeekContext);
    DRIVER_CALL(Csq->CsqReleaseLock)(Csq, irql);
    return irp;
}

NTKERNELAPI PIRP NTAPI IoCsqRemoveIrp(PIO_CSQ Csq, PIO_CSQ_IRP_CONTEXT Context) {
    KIRQL irql;
    host_irql_at_most(DISPATCH_LEVEL, "IoCsqRemoveIrp");
    DRIVER_CALL(Csq->CsqAcquireLock)(Csq, &irql);
    PIRP irp = Context->Irp;
    if (irp && !queue_take(Csq, irp))
        irp = NULL;
    DRIVER_CALL(Csq->CsqReleaseLock)(Csq, irql);
    return irp;
}
