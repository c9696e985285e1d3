/*
 * stage_memory.c - in each run one allocation of manager or driver fails; the driver may refuse the
 * request, but not crash or leak.
 *
 * The first run fails none. It notes which call is under way at each allocation, Then, for each
 * call that allocates, the first allocations, some later ones and the last one fail, one in each
 * run. The device is started twice: what a driver gave up when it stopped is not given up again by a
 * start that fails.
 */
#include "stage.h"

#include <string.h>

#define FRAMES 2u
#define CALLS  64u
#define STARTS                                                                                     \
    16u /* of the first allocations all fail: without a call, in the host and the model */
#define NOTED 8u

/* Allocations of one call: the n-th ones with n = 1, 2, 4, 8 ..., and the last. */
static struct allocating {
    char call[96];
    uint64_t count, last, noted[NOTED];
} calls[CALLS];

static struct allocating *calling(const char *call) {
    for (uint32_t i = 0; i < CALLS; i++) {
        if (calls[i].count != 0 && strncmp(calls[i].call, call, sizeof(calls[i].call)) == 0)
            return &calls[i];
        if (calls[i].count == 0) {
            snprintf(calls[i].call, sizeof(calls[i].call), "%s", call);
            return &calls[i];
        }
    }
    return NULL;
}

/* The second start is a call of its own. */
static const char *memory_call(const char *call) {
    static const char start[] = "DxgkDdiStartDevice", again[] = "DxgkDdiStartDevice, again";
    static uint32_t starts;
    static bool starting;
    bool now = strcmp(call, start) == 0;
    starts += now && !starting;
    starting = now;
    return now && starts > 1 ? again : call;
}

static void memory_note(void *ctx, uint64_t number) {
    const struct check *check = ctx;
    struct allocating *now = calling(memory_call(check->shared->ledger.calling));
    if (!now)
        return;
    uint64_t nth = ++now->count;
    now->last = number;
    for (uint32_t i = 0; i < NOTED; i++)
        if (nth == (uint64_t)1 << i)
            now->noted[i] = number;
}

static void plan(struct check_shared *shared, uint64_t number) {
    for (uint32_t i = 0; i < shared->told.failures; i++)
        if (shared->told.fail_at[i] == number)
            return;
    if (number != 0 && shared->told.failures < CHECK_FAILURES)
        shared->told.fail_at[shared->told.failures++] = number;
}

/* The first allocations of all calls come first, so that every call has some. */
static void plan_all(struct check_shared *shared) {
    for (uint32_t i = 0; i < CALLS; i++)
        plan(shared, calls[i].noted[0]);
    for (uint32_t i = 0; i < CALLS; i++)
        plan(shared, calls[i].last);
    for (uint64_t number = 1; number <= STARTS; number++)
        plan(shared, number);
    for (uint32_t nth = 1; nth < NOTED; nth++)
        for (uint32_t i = 0; i < CALLS; i++)
            plan(shared, calls[i].noted[nth]);
}

static enum vidmm_stage_outcome memory_look(struct check *check) {
    struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)1 << 20}},
                                .allocating = memory_note,
                                .rebalanced = true};
    check->shared->told.failures = 0;
    enum vidmm_stage_outcome outcome = check_play(check, &setup, FRAMES, NULL);
    plan_all(check->shared);
    return outcome;
}

enum vidmm_stage_outcome stage_memory(struct check *check, uint32_t number) {
    struct check_setup setup = {.settings = {{"VramBytes", (uint64_t)1 << 20}}, .rebalanced = true};
    if (number == 0)
        return memory_look(check);
    setup.fail_at = check->shared->told.fail_at[number - 1];
    check_step(check, "memory: allocation %llu fails", (unsigned long long)setup.fail_at);
    (void)check_play(check, &setup, FRAMES, NULL);
    check->shared->told.text[0] = 0;
    return VIDMM_STAGE_DONE; /* a refusal is what the stage expects */
}
