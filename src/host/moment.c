/*
 * moment.c - another processor's work (driver/beside.h) between two instructions of a call of the driver's table, a DPC
 * routine or a system thread (trap/single_step.h), and where that was.
 */
#include "moment.h"

#include <string.h>

#include "base/world.h"
#include "driver/beside.h"
#include "kernel/dpc.h"
#include "kernel/halted.h"
#include "kernel/threads.h"
#include "kernel/work.h"
#include "places.h"
#include "trap/single_step.h"

#define PLACES_MOST 16u

/* Of the one host of the process. */
static struct {
    uint64_t frame[PLACES_MOST];
    uint32_t frames;
    bool told;
    struct single_step step;
} last;

static bool of_driver(uint64_t address) {
    uint64_t offset;
    return host_place_of(address, &offset);
}

static void reached(void *ctx, const ucontext_t *user) {
    last.frames = vidmm_host_crash_places(user, last.frame, PLACES_MOST);
    host_beside_reached(ctx);
}

/* The driver's own, of its table if the routine is the one that calls that. */
static void dpc_begins(const void *routine) {
    bool its_own = of_driver((uintptr_t)routine);
    uint64_t listed = its_own ? 0 : host_place_function("DxgkDdiDpcRoutine");
    last.step.function = its_own ? routine : (const void *)(uintptr_t)listed;
    (void)single_step_begin(&last.step);
}

static void thread_goes_on(void) {
    single_step_here(&last.step);
}

bool vidmm_host_beside_at(struct vidmm_host *host, const char *call, uint32_t moment,
                          enum vidmm_host_between between, void (*run)(void *ctx), void *ctx) {
    memset(&last, 0, sizeof(last));
    last.step = (struct single_step){.function = (const void *)(uintptr_t)host_place_function(call),
                                     .of_driver = of_driver,
                                     .for_interrupts = between == VIDMM_HOST_INTERRUPT,
                                     .moment = moment,
                                     .reached = reached,
                                     .ctx = host->beside};
    bool dpc = strcmp(call, "a DPC routine") == 0, thread = strcmp(call, "a system thread") == 0;
    host_beside_ask(host->beside, true, run, ctx);
    host_dpcs_tell(dpc ? dpc_begins : NULL);
    host_threads_tell(thread ? thread_goes_on : NULL);
    if (thread)
        return (host_threads_alive() || host_work_used()) && single_step_can();
    return dpc || single_step_begin(&last.step);
}

uint32_t vidmm_host_beside_moments(struct vidmm_host *host) {
    (void)host;
    host_dpcs_tell(NULL);
    host_threads_tell(NULL);
    host_halted_over();
    return single_step_end();
}

void vidmm_host_beside_place(struct vidmm_host *host, bool told) {
    (void)host;
    last.told = told;
}

uint32_t host_moment_told(uint64_t *frame, uint32_t most) {
    uint32_t count = !last.told ? 0 : last.frames < most ? last.frames : most;
    memcpy(frame, last.frame, count * sizeof(*frame));
    return count;
}
