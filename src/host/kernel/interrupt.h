/*
 * interrupt.h - interrupts from a board to DxgkDdiInterruptRoutine: message-signalled, or all of them
 * as message 0 where the interrupt is line-based.
 *
 * A model raises a message from inside step() or a register access. It waits until the call into
 * the model returned, so that no driver code runs under a lock of the model, and until the thread's
 * IRQL is below the device's. A message that is pending twice arrives once, as they do in a real
 * interrupt controller. One lock of each board stands for its interrupt spin
 * lock: ISR and DxgkCbSynchronizeExecution exclude each other.
 */
#ifndef HOST_INTERRUPT_H
#define HOST_INTERRUPT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>

#include <vidmm/host.h>

#define HOST_MESSAGES 64u

struct host_interrupt {
    pthread_mutex_t lock;
    _Atomic uint64_t pending; /* bit n: message n */
    _Atomic bool connected;   /* between StartDevice and StopDevice */
    _Atomic uint32_t stray;   /* messages raised behind StopDevice */
    /* While it is connected: */
    DXGKDDI_INTERRUPT_ROUTINE *isr; /* or NULL */
    void *context;                  /* the driver's, from AddDevice */
};

void host_interrupt_init(struct host_interrupt *interrupt);
void host_interrupt_done(struct host_interrupt *interrupt);
/* From now on messages run `isr`, which may be NULL. */
void host_interrupt_connect(struct host_interrupt *interrupt, DXGKDDI_INTERRUPT_ROUTINE *isr,
                            void *context);
/* No ISR runs when this returns. Messages that come later are dropped. */
void host_interrupt_disconnect(struct host_interrupt *interrupt);
void host_interrupt_raise(struct host_interrupt *interrupt, uint32_t message);
bool host_interrupts_pending(void);
/* Held interrupts are not delivered. */
void host_interrupts_hold(bool held);
/* Runs the ISR whether there is a message or not; see vidmm_host_ask_interrupt. */
bool host_interrupt_ask(struct host_interrupt *interrupt, struct vidmm_host_asked *asked);
/* Runs the ISR for pending messages of all boards, if the thread's state allows it. */
void host_interrupts_deliver(void);
/* Around every call into the model. */
void host_model_enter(void);
void host_model_leave(void);
/* A board's interrupt lock and its IRQL. */
unsigned char host_interrupt_lock(struct host_interrupt *interrupt);
void host_interrupt_unlock(struct host_interrupt *interrupt, unsigned char irql);

#endif
