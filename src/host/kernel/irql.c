/* irql.c - raising, lowering and judging the IRQL; see irql.h. */
#include "kernel/irql.h"
#include "world.h"

#include <stdatomic.h>

_Thread_local struct host_thread host_self;

uint64_t host_thread_id(void) {
    static _Atomic uint64_t last;
    if (host_self.id == 0)
        host_self.id = atomic_fetch_add(&last, 1) + 1;
    return host_self.id;
}

KIRQL host_irql_raise(KIRQL level) {
    KIRQL old = host_self.irql;
    host_self.irql = level;
    return old;
}

void host_irql_lower(KIRQL level) {
    host_self.irql = level;
    if (level < HOST_DEVICE_IRQL)
        host_interrupts_deliver();
    if (level < DISPATCH_LEVEL)
        host_dpcs_run();
}

bool host_irql_at_most(KIRQL highest, const char *function) {
    if (host_self.irql <= highest)
        return true;
    host_violation("%s was called at IRQL %u; it may be called at IRQL %u at most", function,
                   host_self.irql, highest);
    return false;
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
