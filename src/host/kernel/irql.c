/* irql.c - raises, lowers and checks the IRQL; see irql.h. */
#include "kernel/irql.h"

#include "base/thread.h"
#include "base/world.h"
#include "image/paged.h"
#include "kernel/dpc.h"
#include "kernel/interrupt.h"
#include "memory/paged_pool.h"

void host_irql_set(KIRQL level) {
    host_self.irql = level;
    host_self.wait_follows = host_self.wait_follows && level >= DISPATCH_LEVEL;
    if (image_paged)
        image_paged_reach(level < DISPATCH_LEVEL);
    if (host_paged_pool)
        (void)host_paged_pool_reach(level < DISPATCH_LEVEL);
}

KIRQL host_irql_raise(KIRQL level) {
    KIRQL old = host_self.irql;
    host_irql_set(level);
    return old;
}

void host_irql_lower(KIRQL level) {
    host_irql_set(level);
    if (level < HOST_DEVICE_IRQL)
        host_interrupts_deliver();
    if (level < DISPATCH_LEVEL)
        host_dpcs_run();
}

void host_irql_hold(void) {
    if (host_self.irql >= DISPATCH_LEVEL)
        return;
    host_self.before_wait = host_irql_raise(DISPATCH_LEVEL);
    host_self.wait_follows = true;
}

void host_irql_release(void) {
    if (host_self.wait_follows)
        host_irql_lower(host_self.before_wait);
}

NTKERNELAPI KIRQL NTAPI KeGetCurrentIrql(VOID) {
    return host_self.irql;
}

NTKERNELAPI KIRQL NTAPI KfRaiseIrql(KIRQL NewIrql) {
    KIRQL old = host_self.irql;
    if (NewIrql < old)
        host_violation("KeRaiseIrql to IRQL %u was called at IRQL %u: that is not a raise", NewIrql,
                       old);
    else
        host_irql_raise(NewIrql);
    return old;
}

NTKERNELAPI VOID NTAPI KeLowerIrql(KIRQL NewIrql) {
    if (NewIrql > host_self.irql)
        host_violation("KeLowerIrql to IRQL %u was called at IRQL %u: that is not a lowering",
                       NewIrql, host_self.irql);
    else
        host_irql_lower(NewIrql);
}
