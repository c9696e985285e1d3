/*
 * stage_power.c - the adapter goes to D3 and back in pauses of a short workload: for standby, for hibernation, and one
 * of its child devices alone. What memory does not keep is moved out before (vidmm_power_down), the hardware loses
 * what it has (hwmodel.h power), and the workload goes on from there: its bytes must be what they were.
 * Pages are mapped into an aperture before and behind, too, where the workload maps none.
 * In one run of standby another device on the interrupt's line interrupts in D3.
 */
#include "carry.h"
#include "power_aperture.h"
#include "power_cycle.h"

#define VRAM   ((uint64_t)1 << 20)
#define FRAMES 16u
#define TIMES  3u /* that the adapter goes */

enum way { STANDBY, HIBERNATION, CHILD, LINE, WAYS };

static const char *const ways[WAYS] = {[STANDBY] = "D3 and D0 for standby",
                                       [HIBERNATION] = "D3 and D0 for hibernation",
                                       [CHILD] = "D3 or D0 of the child devices",
                                       [LINE] = "D3 and D0 with a shared line"};

static struct {
    enum way way;
    uint32_t times;
    bool able, refused;
    struct power_cycle cycle;
} stage;

static bool power_good(struct check *check, enum vidmm_status status) {
    stage.refused = stage.refused || !check_good(check, status);
    return !stage.refused;
}

/* What was reported before D3 stays reported: the first questions of all behind it. */
static bool power_ask(struct check *check) {
    struct vidmm_adapter_info info;
    bool good = true;
    vidmm_adapter_info(check->harness.adapter, &info);
    for (uint32_t node = 0; good && node < info.nodes; node++)
        good = power_good(check, vidmm_preempt(check->harness.adapter, 0, node)) &&
               check_ask_fence(check, node, 0);
    return good;
}

static void power_cycle(struct check *check) {
    struct vidmm_adapter *adapter = check->harness.adapter;
    power_aperture_leave();
    if (!power_good(check,
                    vidmm_power_down(adapter, stage.cycle.hibernates ? VIDMM_POWER_HIBERNATION
                                                                     : VIDMM_POWER_STANDBY)))
        return;
    if (power_take(check, &stage.cycle) && stage.way == LINE)
        (void)check_ask_line(check, "in PowerDeviceD3");
    power_give(check, &stage.cycle);
    power_set_children(check, &stage.cycle, PowerDeviceD0);
    stage.refused = stage.refused || !power_ask(check);
    if (stage.times + 1 < TIMES)
        power_aperture_return();
    (void)power_good(check, vidmm_power_up(adapter));
}

/* The adapter is in D0 all the time, and its next work comes while the children are in D3. */
static void power_children(struct check *check) {
    if (power_good(check, vidmm_wait_idle(check->harness.adapter)))
        power_set_children(check, &stage.cycle,
                           stage.times % 2 == 0 ? PowerDeviceD3 : PowerDeviceD0);
}

static bool is_able(struct check *check) {
    stage.able = check->harness.spoken.DxgkDdiSetPowerState;
    return stage.able;
}

/* The n-th pause of the workload. */
static void between(void *ctx, uint64_t done, uint64_t events) {
    struct check *check = ctx;
    (void)events;
    if (stage.refused || stage.times == TIMES)
        return;
    if (stage.times == 0)
        power_find_children(check, &stage.cycle);
    check_step(check, "power: after event %llu, %s", (unsigned long long)done, ways[stage.way]);
    (stage.way == CHILD ? power_children : power_cycle)(check);
    stage.times++;
}

enum vidmm_stage_outcome stage_power(struct check *check, uint32_t number) {
    struct check_setup setup = {
        .settings = {{"VramBytes", VRAM}}, .line = number == LINE, .able = is_able};
    if (setup.line && check->options->device)
        return VIDMM_STAGE_DONE; /* a real device has messages of its own making */
    memset(&stage, 0, sizeof(stage));
    stage.way = number;
    stage.cycle.hibernates = number == HIBERNATION;
    if (number == STANDBY || number == HIBERNATION) {
        setup.table = carry_table;
        setup.started = power_aperture_open;
        setup.ended = power_aperture_close;
    }
    check_step(check, "power: run %u", number + 1);
    if (check->options->linked > 1)
        return check_say(check, VIDMM_STAGE_SKIPPED, "linked physical adapters keep their power");
    enum vidmm_stage_outcome outcome = check_play(check, &setup, FRAMES, between);
    if (setup.line && !stage.able && outcome == VIDMM_STAGE_STOPPED)
        return VIDMM_STAGE_DONE; /* the driver wants messages, and shares no line */
    if (outcome == VIDMM_STAGE_DONE && !stage.able)
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver has no DxgkDdiSetPowerState");
    if (outcome == VIDMM_STAGE_DONE && stage.refused)
        return VIDMM_STAGE_STOPPED;
    return outcome;
}
