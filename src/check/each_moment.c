/* each_moment.c - see each_moment.h. */
#include "each_moment.h"

#define COUNT UINT32_MAX /* none: they are counted */

bool each_moment(const struct each_moment *each) {
    uint32_t count, now;
    bool good = each->make(each->ctx, COUNT, &count);
    uint32_t step = count / each->most + 1;
    for (uint32_t moment = 0; good && moment < count; moment += step) {
        check_step(each->check, "%s at moment %u of %s", each->other, moment, each->call);
        good = each->make(each->ctx, moment, &now);
    }
    return good;
}

void each_moment_work_ends(void *ctx) {
    struct vidmm_host *host = ctx;
    vidmm_host_hold_interrupts(host, true);
    vidmm_host_hold_engines(host, false);
    vidmm_host_run(host);
}
