/* interrupt.c - queues and delivers interrupts; see interrupt.h. */
#include "kernel/interrupt.h"

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "kernel/kernel_stack.h"
#include "kernel/dpc.h"
#include "kernel/halted.h"
#include "kernel/irql.h"

void host_interrupt_init(struct host_interrupt *interrupt) {
    pthread_mutex_init(&interrupt->lock, NULL);
}

void host_interrupt_done(struct host_interrupt *interrupt) {
    pthread_mutex_destroy(&interrupt->lock);
}

unsigned char host_interrupt_lock(struct host_interrupt *interrupt) {
    KIRQL old = host_irql_raise(HOST_DEVICE_IRQL);
    if (pthread_mutex_trylock(&interrupt->lock) != 0) {
        host_halted_spins(0, NULL);
        pthread_mutex_lock(&interrupt->lock);
    }
    return old;
}

void host_interrupt_unlock(struct host_interrupt *interrupt, unsigned char irql) {
    pthread_mutex_unlock(&interrupt->lock);
    host_irql_lower(irql);
}

void host_interrupt_connect(struct host_interrupt *interrupt, DXGKDDI_INTERRUPT_ROUTINE *isr,
                            void *context) {
    interrupt->isr = isr;
    interrupt->context = context;
    atomic_store(&interrupt->connected, true);
}

void host_interrupt_disconnect(struct host_interrupt *interrupt) {
    KIRQL old = host_interrupt_lock(interrupt);
    atomic_store(&interrupt->connected, false);
    host_interrupt_unlock(interrupt, old);
}

void host_interrupt_raise(struct host_interrupt *interrupt, uint32_t message) {
    if (message >= HOST_MESSAGES) {
        host_violation("the hardware model raised interrupt message %u; there are %u", message,
                       HOST_MESSAGES);
        return;
    }
    if (host_world->config.line)
        message = 0;
    if (interrupt->isr && !atomic_load(&interrupt->connected))
        atomic_fetch_add(&interrupt->stray, 1);
    atomic_fetch_or(&interrupt->pending, (uint64_t)1 << message);
    host_interrupts_deliver();
}

static BOOLEAN call_isr(const struct host_interrupt *interrupt, uint32_t message) {
    const char *outer = host_self.doing;
    const uint32_t outer_board = host_self.board;
    BOOLEAN claimed = FALSE;
    struct host_stack before;
    bool own_stack = image_stack_begin(HOST_STACK_BYTES, &before);
    host_self.doing = "DxgkDdiInterruptRoutine";
    host_self.board = (uint32_t)(interrupt - host_world->interrupt) + 1;
    host_stack_soil();
    if (atomic_load(&interrupt->connected) && interrupt->isr)
        claimed = DRIVER_CALL(interrupt->isr)(interrupt->context, message);
    if (host_self.irql != HOST_DEVICE_IRQL) {
        host_violation("DxgkDdiInterruptRoutine returned at IRQL %u instead of %u", host_self.irql,
                       HOST_DEVICE_IRQL);
        host_irql_set(HOST_DEVICE_IRQL);
    }
    host_self.doing = outer;
    host_self.board = outer_board;
    if (own_stack)
        image_stack_end(&before);
    return claimed;
}

static void call_isr_of_each(const struct host_interrupt *interrupt, uint64_t messages) {
    for (; messages != 0; messages &= messages - 1)
        (void)call_isr(interrupt, (uint32_t)__builtin_ctzll(messages));
}

/* The first board with pending messages, or NULL. */
static struct host_interrupt *interrupt_pending(void) {
    for (uint32_t board = 0; board < host_world->boards; board++)
        if (atomic_load(&host_world->interrupt[board].pending) != 0)
            return &host_world->interrupt[board];
    return NULL;
}

bool host_interrupts_pending(void) {
    return interrupt_pending();
}

void host_interrupts_deliver(void) {
    struct host_interrupt *interrupt;
    if (host_self.in_model != 0 || host_self.irql >= HOST_DEVICE_IRQL ||
        atomic_load(&host_world->interrupts_held))
        return;
    while ((interrupt = interrupt_pending())) {
        KIRQL old = host_irql_raise(HOST_DEVICE_IRQL);
        pthread_mutex_lock(&interrupt->lock);
        call_isr_of_each(interrupt, atomic_exchange(&interrupt->pending, 0));
        pthread_mutex_unlock(&interrupt->lock);
        host_irql_set(old);
    }
    if (host_self.irql < DISPATCH_LEVEL)
        host_dpcs_run();
}

void host_interrupts_hold(bool held) {
    atomic_store(&host_world->interrupts_held, held);
    host_interrupts_deliver();
}

bool host_interrupt_ask(struct host_interrupt *interrupt, struct vidmm_host_asked *asked) {
    if (!atomic_load(&interrupt->connected) || !interrupt->isr)
        return false;
    KIRQL old = host_interrupt_lock(interrupt);
    asked->raised = atomic_exchange(&interrupt->pending, 0) != 0;
    asked->claimed = call_isr(interrupt, 0);
    asked->again = atomic_load(&interrupt->pending) != 0;
    host_interrupt_unlock(interrupt, old);
    if (host_self.irql < DISPATCH_LEVEL)
        host_dpcs_run();
    return true;
}

void host_model_enter(void) {
    host_self.in_model++;
}

void host_model_leave(void) {
    host_self.in_model--;
    host_interrupts_deliver();
}
