/* interrupt.c - queues and delivers interrupts; see interrupt.h. */
#include "kernel/interrupt.h"

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dpc.h"
#include "kernel/irql.h"

void host_interrupt_init(struct host_interrupt *interrupt) {
    pthread_mutex_init(&interrupt->lock, NULL);
}

void host_interrupt_done(struct host_interrupt *interrupt) {
    pthread_mutex_destroy(&interrupt->lock);
}

unsigned char host_interrupt_lock(void) {
    KIRQL old = host_irql_raise(HOST_DEVICE_IRQL);
    pthread_mutex_lock(&host_world->interrupt->lock);
    return old;
}

void host_interrupt_unlock(unsigned char irql) {
    pthread_mutex_unlock(&host_world->interrupt->lock);
    host_irql_lower(irql);
}

void host_interrupt_connect(DXGKDDI_INTERRUPT_ROUTINE *isr, void *context) {
    struct host_interrupt *interrupt = host_world->interrupt;
    interrupt->isr = isr;
    interrupt->context = context;
    atomic_store(&interrupt->connected, true);
}

void host_interrupt_disconnect(void) {
    KIRQL old = host_interrupt_lock();
    atomic_store(&host_world->interrupt->connected, false);
    host_interrupt_unlock(old);
}

void host_interrupt_raise(uint32_t message) {
    struct host_interrupt *interrupt = host_world->interrupt;
    if (message >= HOST_MESSAGES) {
        host_violation("the hardware model raised interrupt message %u; there are %u", message,
                       HOST_MESSAGES);
        return;
    }
    atomic_fetch_or(&interrupt->pending, (uint64_t)1 << message);
    host_interrupts_deliver();
}

static void call_isr(uint64_t messages) {
    struct host_interrupt *interrupt = host_world->interrupt;
    const char *outer = host_self.doing;
    host_self.doing = "DxgkDdiInterruptRoutine";
    while (messages != 0) {
        uint32_t message = (uint32_t)__builtin_ctzll(messages);
        messages &= messages - 1;
        if (atomic_load(&interrupt->connected) && interrupt->isr)
            interrupt->isr(interrupt->context, message);
        if (host_self.irql != HOST_DEVICE_IRQL) {
            host_violation("DxgkDdiInterruptRoutine returned at IRQL %u instead of %u",
                           host_self.irql, HOST_DEVICE_IRQL);
            host_self.irql = HOST_DEVICE_IRQL;
        }
    }
    host_self.doing = outer;
}

void host_interrupts_deliver(void) {
    struct host_interrupt *interrupt = host_world->interrupt;
    if (host_self.in_model != 0 || host_self.irql >= HOST_DEVICE_IRQL)
        return;
    while (atomic_load(&interrupt->pending) != 0) {
        KIRQL old = host_irql_raise(HOST_DEVICE_IRQL);
        pthread_mutex_lock(&interrupt->lock);
        call_isr(atomic_exchange(&interrupt->pending, 0));
        pthread_mutex_unlock(&interrupt->lock);
        host_self.irql = old;
    }
    if (host_self.irql < DISPATCH_LEVEL)
        host_dpcs_run();
}

void host_model_enter(void) {
    host_self.in_model++;
}

void host_model_leave(void) {
    host_self.in_model--;
    host_interrupts_deliver();
}
