/*
 * stage_display.c - shows surfaces as the system does: a mode is set (display_network.c), source 0 is made visible, and
 * flipped between three primaries at vertical syncs, with everything else evicted in between (screen.c); a primary is shown
 * from each segment that the driver wants it in, while the source is invisible another is set, and a mode while the monitors
 * are off; source 1 shows surfaces beside it (two_sources.c). The referee judges what vertical syncs report, and that the
 * system leaves surfaces where they are; here is judged that there are any, and where the hardware reads.
 */
#include "power_cycle.h"
#include "screen.h"
#include "two_sources.h"

/*
 * R633. seamless-state-transitions-in-wddm-1-2-and-later.md and ns-d3dkmddi-_dxgkarg_commitvidpn_flags.md: the system commits
 * an empty network, without flags.
 */
static void judge_blank(struct screen *screen) {
    struct display *display = &screen->display;
    check_step(display->check, "display: nothing is displayed");
    NTSTATUS status = display_commit(display, display->none, display->source, NULL, as_usual);
    if (status != STATUS_NO_MEMORY && status != STATUS_INSUFFICIENT_RESOURCES)
        vidmm_ledger_judge(&display->check->shared->ledger, 633, VIDMM_SIDE_DRIVER,
                           status == STATUS_SUCCESS,
                           "STATUS_SUCCESS for a network without paths, which is always supported",
                           "status 0x%08x of DxgkDdiCommitVidPn", (unsigned)status);
}

static bool screen_on(struct screen *screen, DXGKARG_COMMITVIDPN_FLAGS flags, const char **why) {
    *why = "the driver does not commit a network that it supports";
    if (!screen_commit(screen, screen->display.network, screen->shown[0].handle, flags))
        return false;
    *why = "the driver sets no address of a primary, or makes no source visible";
    if (screen_set(screen, 0, true) != STATUS_SUCCESS || !screen_visible(screen, true))
        return false;
    screen_interrupts(screen, DXGK_VSYNC_ENABLE);
    screen_judge_syncs(screen);
    screen_judge_scanout(screen, true);
    return true;
}

static bool screen_flips(struct screen *screen, const char **why) {
    static const uint32_t order[] = {1, 2, 0, 2, 1};
    struct check *check = screen->display.check;
    check_step(check, "display: flips");
    for (uint32_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        *why = "the driver refuses a flip";
        if (!screen_flip(screen, order[i]))
            return false;
        *why = NULL;
        if (i == 1 && !check_good(check, vidmm_evict_all(check->harness.adapter)))
            return false;
    }
    screen_judge_scanout(screen, true);
    return true;
}

/*
 * gpu-segments.md: a primary that is displayed is in a memory segment, or mapped into the aperture. Which of those in its
 * sets is the system's choice (ns-d3dkmddi-_dxgk_allocationinfo.md: "regardless of performance").
 */
static bool screen_elsewhere(struct screen *screen, const char **why) {
    struct check *check = screen->display.check;
    struct vidmm_adapter_info info;
    uint32_t index;
    check_step(check, "display: a surface in each segment of its sets");
    vidmm_adapter_info(check->harness.adapter, &info);
    for (uint32_t id = 1; id <= info.segments; id++) {
        struct vidmm_segment_info segment;
        /* What is in an AGP segment no operation has put there, so that nobody follows it. */
        if (!vidmm_segment_info(check->harness.adapter, id, &segment) || segment.agp ||
            !screen_make_in(screen, id, &index))
            continue;
        NTSTATUS status = screen_set(screen, index, !screen->flips);
        vidmm_ledger_judge(&check->shared->ledger, 647, VIDMM_SIDE_DRIVER, status == STATUS_SUCCESS,
                           "STATUS_SUCCESS for a primary in a segment of its sets",
                           "status 0x%08x of DxgkDdiSetVidPnSourceAddress, and the segment sets of "
                           "the primary have segment %u",
                           (unsigned)status, screen->shown[index].segment);
        if (status != STATUS_SUCCESS)
            continue;
        screen_judge_scanout(screen, true);
        *why = "the driver refuses a flip";
        if (!screen_flip(screen, 0))
            return false;
    }
    return true;
}

/* What disables them without a phase is the same call of an older function. */
static void screen_pauses(struct screen *screen) {
    static const DXGK_CRTC_VSYNC_STATE states[] = {DXGK_VSYNC_DISABLE_KEEP_PHASE,
                                                   DXGK_VSYNC_DISABLE_NO_PHASE};
    check_step(screen->display.check, "display: no vertical syncs, and again");
    for (uint32_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        display_pause(&screen->display, screen->context, states[i]);
        screen_interrupts(screen, states[i]);
        screen_judge_quiet(screen);
        screen_interrupts(screen, DXGK_VSYNC_ENABLE);
        screen_judge_syncs(screen);
    }
}

static bool screen_hidden(struct screen *screen, const char **why) {
    *why = "the driver does not change the visibility of a source";
    check_step(screen->display.check, "display: invisible and visible again");
    if (!screen_visible(screen, false))
        return false;
    screen_judge_scanout(screen, false);
    *why = "the driver refuses a surface while its source is invisible";
    if (screen_set(screen, 2, true) != STATUS_SUCCESS || !screen_visible(screen, true))
        return false;
    screen_judge_scanout(screen, true);
    *why = "the driver refuses a flip";
    if (!screen_flip(screen, 0))
        return false;
    screen_judge_scanout(screen, true);
    screen_pauses(screen);
    if (screen->enabled)
        display_work_beside(&screen->display, screen->context);
    return true;
}

/*
 * ns-d3dkmddi-_dxgkarg_commitvidpn_flags.md: the monitors are turned off, an application changes the mode, which turns none
 * on, and they are turned on again. What a driver makes of a PathPoweredOff while they are on is not said; Microsoft's
 * sample KMDOD, which displays only, ignores a network that comes with it.
 */
static bool screen_powers(struct screen *screen, const char **why) {
    const DXGKARG_COMMITVIDPN_FLAGS transition = {.PathPowerTransition = 1};
    const DXGKARG_COMMITVIDPN_FLAGS off = {.PathPoweredOff = 1};
    const struct display *display = &screen->display;
    if (display->ddi->Version < DXGKDDI_INTERFACE_VERSION_WIN8)
        return true;
    *why = "the driver does not commit a network with PathPowerTransition or PathPoweredOff";
    check_step(display->check, "display: monitors are off, and the mode is set meanwhile");
    screen_interrupts(screen, DXGK_VSYNC_DISABLE_NO_PHASE);
    if (!screen_visible(screen, false) || !screen_commit(screen, display->none, NULL, transition) ||
        !screen_commit(screen, display->network, screen->shown[0].handle, off))
        return false;
    screen_judge_scanout(screen, false);
    check_step(display->check, "display: monitors are on again");
    return screen_on(screen, transition, why);
}

/*
 * No page says what of it a driver restores by itself: when the system has asked for all of it again, it is there. Surfaces
 * and their device may be lost, so that there are others behind it.
 */
static bool screen_again(struct screen *screen, bool sleeps, const char **why) {
    struct check *check = screen->display.check;
    check_step(check, sleeps ? "display: D3 and D0" : "display: a reset");
    *why = "the driver does not change the visibility of a source";
    if (!screen_visible(screen, false))
        return false;
    screen_settle(screen);
    screen_release(screen);
    *why = NULL;
    if (sleeps ? !power_go_round(check) : !check_good(check, check_reset(check)))
        return false;
    return screen_make(screen, why) && screen_on(screen, as_usual, why);
}

static bool screen_restarts(struct screen *screen, const char **why) {
    const struct display *display = &screen->display;
    return (!check_resets(display->check) || screen_again(screen, false, why)) &&
           (!display->ddi->DxgkDdiSetPowerState || screen_again(screen, true, why));
}

/* Whatever came of it: nothing is read any more when the surfaces go. */
static void screen_off(struct screen *screen) {
    check_step(screen->display.check, "display: off");
    (void)screen_visible(screen, false);
    screen_interrupts(screen, DXGK_VSYNC_DISABLE_NO_PHASE);
    (void)screen_commit(screen, screen->display.none, NULL, as_usual);
    screen_settle(screen);
}

/*
 * A mode that is set when the device stops (nc-dispmprt-dxgkddi_stop_device_and_release_post_display_ownership.md: TargetId
 * could be for the target that DxgkDdiCommitVidPn left). The surfaces go before, so their source is invisible: drivers
 * release what they have of an allocation that is destroyed (nc-d3dkmddi-dxgkddi_destroyallocation.md). False: nothing
 * asks the driver then.
 */
static bool screen_leave(struct screen *screen) {
    const struct display *display = &screen->display;
    if (!display->ddi->DxgkDdiStopDeviceAndReleasePostDisplayOwnership ||
        !screen_visible(screen, false) ||
        !vidmm_host_leave_display(display->check->harness.host, display->target))
        return false;
    check_step(display->check, "display: a mode is left");
    screen_interrupts(screen, DXGK_VSYNC_DISABLE_NO_PHASE);
    screen_settle(screen);
    return true;
}

/* `*why` NULL: a finding says it. */
static bool screen_play(struct screen *screen, const char **why) {
    struct vidmm_adapter *adapter = screen->display.check->harness.adapter;
    struct check *check = screen->display.check;
    struct vidmm_adapter_info info;
    vidmm_adapter_info(adapter, &info);
    screen->flips = info.caps.FlipCaps.FlipOnVSyncMmIo;
    if (!screen_make(screen, why))
        return false;
    judge_blank(screen);
    check_step(check, "display: a mode is set");
    bool good = screen_on(screen, as_usual, why);
    if (good)
        display_scan_lines(&screen->display);
    good = good && screen_flips(screen, why) && screen_elsewhere(screen, why) &&
           screen_hidden(screen, why) && screen_powers(screen, why) &&
           screen_restarts(screen, why) && two_sources_play(screen, why);
    if (good) {
        check_step(check, "display: an interrupt that is no vertical sync");
        display_control_other(&screen->display);
    }
    if (!good || !screen_leave(screen))
        screen_off(screen);
    return good;
}

/* ---- Stopped --------------------------------------------------------------------------------- */

/* R649: the adapter has been reset (nc-dispmprt-dxgkddi_stop_device.md), and nobody serves its interrupts. */
static void judge_stopped(struct check *check, void *ctx) {
    struct screen *screen = ctx;
    uint32_t before = vidmm_host_stray_interrupts(check->harness.host);
    screen_settle(screen);
    uint32_t stray = vidmm_host_stray_interrupts(check->harness.host) - before;
    vidmm_ledger_judge(&check->shared->ledger, 649, VIDMM_SIDE_DRIVER, stray == 0,
                       "no interrupt of an adapter that was reset",
                       "%u interrupts behind the end of the function that stops the device, when "
                       "vertical syncs were enabled",
                       stray);
}

/* The device stops while vertical syncs are enabled. Its surfaces and its manager have gone before. */
static bool screen_stop(struct screen *screen, const char **why) {
    struct check *check = screen->display.check;
    if (!screen_make(screen, why))
        return false;
    check_step(check, "display: a mode is set");
    if (!screen_on(screen, as_usual, why))
        return false;
    *why = "the driver does not change the visibility of a source";
    if (!screen_visible(screen, false))
        return false;
    *why = NULL;
    screen_settle(screen);
    screen_release(screen);
    if (!screen->synced)
        return true;
    check_step(check, "display: the device stops while vertical syncs are enabled");
    check_unmanage(check);
    return check_restart_behind(check, judge_stopped, screen);
}

/* ---------------------------------------------------------------------------------------------- */

static bool has_functions(const DRIVER_INITIALIZATION_DATA *ddi) {
    return ddi->DxgkDdiIsSupportedVidPn && ddi->DxgkDdiEnumVidPnCofuncModality &&
           ddi->DxgkDdiCommitVidPn && ddi->DxgkDdiSetVidPnSourceAddress &&
           ddi->DxgkDdiSetVidPnSourceVisibility;
}

static enum vidmm_stage_outcome screen_examine(struct screen *screen,
                                               bool (*play)(struct screen *, const char **)) {
    struct display *display = &screen->display;
    struct check *check = display->check;
    const char *why;
    if (!display_children(display, &why))
        return check_say(check, VIDMM_STAGE_SKIPPED, "%s", why);
    if (!has_functions(display->ddi))
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "the driver has not all functions of networks and flips");
    bool good = display_network(display, &why) && play(screen, &why);
    screen_release(screen);
    display_close(display);
    if (good)
        return VIDMM_STAGE_DONE;
    return why ? check_say(check, VIDMM_STAGE_SKIPPED, "not examined: %s", why)
               : VIDMM_STAGE_STOPPED;
}

enum vidmm_stage_outcome stage_display(struct check *check, uint32_t number) {
    const struct check_setup setup = {.settings = {{"Displays", 2}}, .table = screen_table};
    struct screen screen = {.display = {.check = check}};
    check_step(check, "display: start");
    if (check->options->linked > 1)
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "displays are shown of an adapter without links");
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    screen.display.ddi = &check->harness.spoken;
    screen.display.adapter = vidmm_host_adapter(check->harness.host);
    return screen_examine(&screen, number == 0 ? screen_play : screen_stop);
}
