/*
 * stage_start.c - starts and stops the driver twice in one process, with all queries of the
 * manager's start. In the second run the device is stopped and started again without being removed, with
 * its resources at other addresses (stopping-a-device-to-rebalance-resources.md), loses its power, gets it back,
 * and plays a short game.
 */
#include "stage.h"

#define FRAMES 3u
#define VRAM   ((uint64_t)1 << 20)

/* Starts the driver, and the manager if there is memory to manage. */
static bool answers(struct check *check) {
    const struct check_setup setup = {.fail_at = 0};
    return check_displays_only(check) || check_manage(check, &setup);
}

static enum vidmm_stage_outcome start_twice(struct check *check) {
    const struct check_setup setup = {.fail_at = 0};
    if (!check_open(check, &setup) || !answers(check))
        return VIDMM_STAGE_STOPPED;
    vidmm_harness_stop_manager(&check->harness);
    check_step(check, "start: a second time");
    if (!check_restart(check) || !answers(check))
        return VIDMM_STAGE_STOPPED;
    check_step(check, "start: down");
    check_close(check);
    return VIDMM_STAGE_DONE;
}

/* Allocations there are none yet; page tables are lost with the power, unless the hardware keeps them. */
static bool empty_or_kept(struct vidmm_adapter *adapter) {
    struct vidmm_segment_info info;
    for (uint32_t id = 1; vidmm_segment_info(adapter, id, &info); id++) {
        DXGK_SEGMENTFLAGS flags = {.Value = info.flags};
        if (info.used != 0 && !flags.PreservedDuringStandby)
            return false;
    }
    return true;
}

/* nc-dispmprt-dxgkddi_set_power_state.md: back in D0 the device works, and interrupts, as before. */
static void power_down_and_up(struct check *check) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    HANDLE adapter = vidmm_host_adapter(check->harness.host);
    if (!table->DxgkDdiSetPowerState || vidmm_wait_idle(check->harness.adapter) != VIDMM_OK ||
        !empty_or_kept(check->harness.adapter))
        return;
    check_step(check, "start: after D3 and D0");
    (void)table->DxgkDdiSetPowerState(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3,
                                      PowerActionSleep);
    (void)table->DxgkDdiSetPowerState(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD0,
                                      PowerActionNone);
}

/* What has nothing to play with was started and asked all the same. */
static enum vidmm_stage_outcome start_elsewhere(struct check *check) {
    struct check_setup setup = {
        .settings = {{"VramBytes", VRAM}}, .rebalanced = true, .started = power_down_and_up};
    check_step(check, "start: at other addresses");
    enum vidmm_stage_outcome outcome = check_play(check, &setup, FRAMES, NULL);
    if (outcome != VIDMM_STAGE_SKIPPED)
        return outcome;
    check->displays_only = false;
    return check_say(check, VIDMM_STAGE_DONE, "%s", "");
}

enum vidmm_stage_outcome stage_start(struct check *check, uint32_t number) {
    return number == 0 ? start_twice(check) : start_elsewhere(check);
}
