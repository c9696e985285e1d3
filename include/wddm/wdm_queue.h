/* SPDX-License-Identifier: MIT */
/*
 * Cancel-safe queues of requests: the driver's routines keep the queue, these its order with
 * cancellation (pages nf-wdm-iocsqinitialize, nf-wdm-iocsqinsertirpex and their neighbours). The members of
 * IO_CSQ are opaque; no page gives them.
 */
#ifndef WDDM_WDM_QUEUE_H
#define WDDM_WDM_QUEUE_H

#include "wdm_irp.h"

WDDM_BEGIN_DECLS

struct _IO_CSQ;
typedef VOID NTAPI IO_CSQ_INSERT_IRP(struct _IO_CSQ *Csq, PIRP Irp);
typedef IO_CSQ_INSERT_IRP *PIO_CSQ_INSERT_IRP;
typedef NTSTATUS NTAPI IO_CSQ_INSERT_IRP_EX(struct _IO_CSQ *Csq, PIRP Irp, PVOID InsertContext);
typedef IO_CSQ_INSERT_IRP_EX *PIO_CSQ_INSERT_IRP_EX;
typedef VOID NTAPI IO_CSQ_REMOVE_IRP(struct _IO_CSQ *Csq, PIRP Irp);
typedef IO_CSQ_REMOVE_IRP *PIO_CSQ_REMOVE_IRP;
typedef PIRP NTAPI IO_CSQ_PEEK_NEXT_IRP(struct _IO_CSQ *Csq, PIRP Irp, PVOID PeekContext);
typedef IO_CSQ_PEEK_NEXT_IRP *PIO_CSQ_PEEK_NEXT_IRP;
typedef VOID NTAPI IO_CSQ_ACQUIRE_LOCK(struct _IO_CSQ *Csq, PKIRQL Irql);
typedef IO_CSQ_ACQUIRE_LOCK *PIO_CSQ_ACQUIRE_LOCK;
typedef VOID NTAPI IO_CSQ_RELEASE_LOCK(struct _IO_CSQ *Csq, KIRQL Irql);
typedef IO_CSQ_RELEASE_LOCK *PIO_CSQ_RELEASE_LOCK;
typedef VOID NTAPI IO_CSQ_COMPLETE_CANCELED_IRP(struct _IO_CSQ *Csq, PIRP Irp);
typedef IO_CSQ_COMPLETE_CANCELED_IRP *PIO_CSQ_COMPLETE_CANCELED_IRP;

typedef struct WDDM_LAYOUT _IO_CSQ_IRP_CONTEXT {
    ULONG Type;
    PIRP Irp;
    struct _IO_CSQ *Csq;
} IO_CSQ_IRP_CONTEXT, *PIO_CSQ_IRP_CONTEXT;
typedef struct WDDM_LAYOUT _IO_CSQ {
    ULONG Type;
    PIO_CSQ_INSERT_IRP CsqInsertIrp;
    PIO_CSQ_REMOVE_IRP CsqRemoveIrp;
    PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp;
    PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock;
    PIO_CSQ_RELEASE_LOCK CsqReleaseLock;
    PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp;
    PVOID ReservePointer;
} IO_CSQ, *PIO_CSQ;

NTKERNELAPI NTSTATUS NTAPI IoCsqInitialize(PIO_CSQ Csq, PIO_CSQ_INSERT_IRP CsqInsertIrp,
                                           PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                                           PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                                           PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                                           PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                                           PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp);
NTKERNELAPI NTSTATUS NTAPI IoCsqInitializeEx(PIO_CSQ Csq, PIO_CSQ_INSERT_IRP_EX CsqInsertIrp,
                                             PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                                             PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                                             PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                                             PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                                             PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp);
NTKERNELAPI VOID NTAPI IoCsqInsertIrp(PIO_CSQ Csq, PIRP Irp, PIO_CSQ_IRP_CONTEXT Context);
NTKERNELAPI NTSTATUS NTAPI IoCsqInsertIrpEx(PIO_CSQ Csq, PIRP Irp, PIO_CSQ_IRP_CONTEXT Context,
                                            PVOID InsertContext);
NTKERNELAPI PIRP NTAPI IoCsqRemoveNextIrp(PIO_CSQ Csq, PVOID PeekContext);
NTKERNELAPI PIRP NTAPI IoCsqRemoveIrp(PIO_CSQ Csq, PIO_CSQ_IRP_CONTEXT Context);

WDDM_END_DECLS

#endif
