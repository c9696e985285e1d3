/*
 * interrupt.h - message-signalled interrupts from the model to DxgkDdiInterruptRoutine.
 *
 * A model raises a message from inside step() or a register access. It waits until the call into
 * the model returned, so that no driver code runs under a lock of the model, and until the thread's
 * IRQL is below the device's. A message that is pending twice arrives once, as they do in a real
 * interrupt controller. One lock stands for the interrupt spin lock: ISR and
 * DxgkCbSynchronizeExecution exclude each other.
 */
#ifndef HOST_INTERRUPT_H
#define HOST_INTERRUPT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>

#define HOST_MESSAGES 64u

struct host_interrupt {
    pthread_mutex_t lock;
    _Atomic uint64_t pending; /* bit n: message n */
    _Atomic bool connected;   /* between StartDevice and StopDevice */
    /* While it is connected: */
    DXGKDDI_INTERRUPT_ROUTINE *isr; /* or NULL */
    void *context;                  /* the driver's, from AddDevice */
};

void host_interrupt_init(struct host_interrupt *interrupt);
void host_interrupt_done(struct host_interrupt *interrupt);
/* From now on messages run `isr`, which may be NULL. */
void host_interrupt_connect(DXGKDDI_INTERRUPT_ROUTINE *isr, void *context);
/* No ISR runs when this returns. Messages that come later are dropped. */
void host_interrupt_disconnect(void);
void host_interrupt_raise(uint32_t message);
/* Runs the ISR for pending messages, if the thread's state allows it. */
void host_interrupts_deliver(void);
/* Around every call into the model. */
void host_model_enter(void);
void host_model_leave(void);
/* The interrupt lock and its IRQL. */
unsigned char host_interrupt_lock(void);
void host_interrupt_unlock(unsigned char irql);

#endif
