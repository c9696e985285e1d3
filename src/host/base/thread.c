/* thread.c - the calling thread; see thread.h. */
#include "base/thread.h"

#include <stdatomic.h>

#include "base/world.h"

_Thread_local struct host_thread host_self;

uint64_t host_thread_id(void) {
    static _Atomic uint64_t last;
    if (host_self.id == 0)
        host_self.id = atomic_fetch_add(&last, 1) + 1;
    return host_self.id;
}

bool host_irql_at_most(KIRQL highest, const char *function) {
    if (host_self.irql <= highest)
        return true;
    host_violation("%s was called at IRQL %u; it may be called at IRQL %u at most", function,
                   host_self.irql, highest);
    return false;
}

bool host_irql_at_least(KIRQL lowest, const char *function) {
    if (host_self.irql >= lowest)
        return true;
    host_violation("%s was called at IRQL %u; it may be called at IRQL %u at least", function,
                   host_self.irql, lowest);
    return false;
}

bool host_irql_exactly(KIRQL level, const char *function) {
    return host_irql_at_most(level, function) && host_irql_at_least(level, function);
}
