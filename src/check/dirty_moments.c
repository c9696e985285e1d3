/* dirty_moments.c - see dirty_moments.h. */
#include "dirty_moments.h"

#include "each_moment.h"

#define MOST 64u

/* On another processor: the GPU works on. Its interrupt comes behind the query. */
static void gpu_writes(void *ctx) {
    struct vidmm_host *host = ctx;
    vidmm_host_hold_engines(host, false);
    vidmm_host_run(host);
}

static void hold(struct vidmm_host *host, bool held) {
    vidmm_host_hold_engines(host, held);
    vidmm_host_hold_interrupts(host, held);
    vidmm_host_hold_dpcs(host, held);
}

static void judge(const struct dirty_moments *moments, bool set) {
    struct check *check = moments->memory->check;
    vidmm_host_beside_place(check->harness.host, true);
    vidmm_ledger_judge(&check->shared->ledger, 323, VIDMM_SIDE_DRIVER, set,
                       "a bit in this answer or in the next for what the GPU writes meanwhile",
                       "a page that was written between two instructions of "
                       "DxgkDdiQueryDirtyBitData with CLEARDATA is in neither");
    vidmm_host_beside_place(check->harness.host, false);
}

static bool at_moment(void *ctx, uint32_t moment, uint32_t *count) {
    struct dirty_moments *moments = ctx;
    struct dirty_memory *memory = moments->memory;
    struct vidmm_host *host = memory->check->harness.host;
    bool good = dirty_memory_apply(memory, moments->before) && dirty_memory_rest(memory);
    hold(host, true);
    good = good && dirty_memory_apply(memory, moments->within);
    if (!vidmm_host_beside_at(host, "DxgkDdiQueryDirtyBitData", moment, VIDMM_HOST_CALL, gpu_writes,
                              host))
        vidmm_host_hold_engines(host, false); /* it writes when time passes in the call */
    bool set = moments->query(moments->ctx);
    *count = vidmm_host_beside_moments(host);
    (void)vidmm_host_beside_end(host);
    hold(host, false);
    good = good && dirty_memory_rest(memory);
    set = moments->query(moments->ctx) || set;
    if (good && memory->by_address) /* else the referee does */
        judge(moments, set);
    moments->lost = good && !set;
    return good && set;
}

bool dirty_moments_show(struct dirty_moments *moments) {
    struct dirty_memory *memory = moments->memory;
    if (!dirty_memory_applies(memory, moments->before) ||
        !dirty_memory_applies(memory, moments->within))
        return true;
    if (!dirty_memory_apply(memory, moments->within) || !dirty_memory_rest(memory))
        return false;
    bool good = each_moment(&(struct each_moment){.check = memory->check,
                                                  .call = "DxgkDdiQueryDirtyBitData",
                                                  .other = "dirty: the GPU writes",
                                                  .most = MOST,
                                                  .make = at_moment,
                                                  .ctx = moments});
    return good || moments->lost;
}
