/* thread.c - the calling thread; see thread.h. */
#include "base/thread.h"

#include <stdatomic.h>
#include <string.h>

#include <vidmm/host.h>

#include "base/world.h"

_Thread_local struct host_thread host_self;

struct vidmm_host_shown *host_shown;

void vidmm_host_show(struct vidmm_host_shown *in) {
    host_shown = in;
}

/* Of threads that call at once any one's: it is read when one of them does not return. */
void host_show_begun(struct vidmm_host_shown *to, const char *call, bool slot) {
    static const char prefix[] = "DxgkDdi";
    size_t before = call && slot ? sizeof(prefix) - 1 : 0;
    size_t length = call ? strnlen(call, sizeof(to->call) - before - 1) : 0;
    memcpy(to->call, prefix, before);
    memcpy(to->call + before, call ? call : "", length);
    to->call[before + length] = '\0';
    to->turns++;
}

void host_show_setting(uint32_t index) {
    if (host_shown && index < 64)
        __atomic_fetch_or(&host_shown->settings, (uint64_t)1 << index, __ATOMIC_RELAXED);
}

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
