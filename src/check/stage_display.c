/*
 * stage_display.c - shows surfaces as the system does: a mode is set (display_network.c), source 0 is made visible, and
 * flipped between three primaries at vertical syncs, with everything else evicted in between. The referee judges what
 * vertical syncs report, and that the system leaves surfaces where they are; here is judged that there are any, and where
 * the hardware reads.
 */
#include "display.h"
#include "surface.h"

#include <string.h>

#define SURFACES      3u
#define FRAME_NS      UINT64_C(17000000) /* a vertical sync is in it, from 60 Hz on */
#define FRAMES_FLIP   8u
#define FRAMES_WAIT   30u
#define FRAMES_SETTLE 3u
#define HEADS_MOST    16u

struct shown {
    struct vidmm_allocation *allocation;
    UINT segment; /* as the driver counts them */
    uint64_t address;
    HANDLE handle; /* the driver's */
};

struct screen {
    struct display display;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct shown shown[SURFACES];
    uint32_t now; /* which of them was set last */
    bool flips;   /* by DxgkDdiSetVidPnSourceAddress; else the function only changes modes */
    bool enabled; /* vertical syncs are to be reported */
    bool synced;  /* some were */
};

/* ---- Time ------------------------------------------------------------------------------------ */

static void screen_frame(struct screen *screen) {
    struct vidmm_host *host = screen->display.check->harness.host;
    vidmm_host_pass(host, FRAME_NS);
    vidmm_host_run(host);
}

/* Vertical syncs so far, and whether the newest surface was reported with one. */
static uint64_t screen_syncs(struct screen *screen, bool *flipped) {
    struct vidmm_referee_vsyncs vsyncs = {.count = 0, .flipped = UINT64_MAX};
    bool any = vidmm_referee_vsyncs(screen->display.check->harness.referee, screen->display.target,
                                    &vsyncs);
    *flipped = any && vsyncs.flipped != UINT64_MAX;
    screen->synced = screen->synced || any;
    return any ? vsyncs.count : 0;
}

/* ---- Hardware -------------------------------------------------------------------------------- */

/* Some display reads the surface; `*known`: that can be seen. */
static bool screen_reads(const struct screen *screen, uint32_t index, bool *known) {
    struct vidmm_host *host = screen->display.check->harness.host;
    struct vidmm_hw_scanout out;
    bool reads = false;
    *known = false;
    for (uint32_t head = 0; head < HEADS_MOST && vidmm_host_scanout(host, 0, head, &out); head++) {
        *known = true;
        reads = reads || (out.on && out.address == screen->shown[index].address);
    }
    return reads;
}

/* R640, once what was asked for is in effect. */
static void judge_scanout(struct screen *screen, bool visible) {
    struct vidmm_ledger *ledger = &screen->display.check->shared->ledger;
    bool known, reads = false;
    for (uint32_t i = 0; i < FRAMES_SETTLE; i++)
        screen_frame(screen);
    for (uint32_t i = 0; i < SURFACES; i++)
        if (screen_reads(screen, i, &known) && (!visible || i == screen->now))
            reads = true;
    if (!known)
        ledger->unseen[640]++;
    else
        vidmm_ledger_judge(ledger, 640, VIDMM_SIDE_DRIVER, reads == visible,
                           visible ? "a display that reads at PrimaryAddress"
                                   : "no display that reads a surface of the source",
                           "source 0 is %s, and %s display reads the surface at 0x%llx",
                           visible ? "visible" : "invisible", visible ? "no" : "a",
                           (unsigned long long)screen->shown[screen->now].address);
}

/* R639: of hardware that shows that it has displays, or has had a vertical sync before. */
static void judge_syncs(struct screen *screen) {
    struct vidmm_ledger *ledger = &screen->display.check->shared->ledger;
    bool flipped, known;
    uint64_t before = screen_syncs(screen, &flipped), after = before;
    for (uint32_t i = 0; i < FRAMES_WAIT && after == before; i++) {
        screen_frame(screen);
        after = screen_syncs(screen, &flipped);
    }
    (void)screen_reads(screen, 0, &known);
    if (!screen->enabled || (!known && !screen->synced)) {
        ledger->unseen[639]++;
        ledger->unseen[621]++;
        ledger->unseen[624]++;
    } else {
        vidmm_ledger_judge(ledger, 639, VIDMM_SIDE_DRIVER, after != before,
                           "a report of each vertical sync while it is enabled",
                           "target %u is on, and no vertical sync was reported in %u frames",
                           screen->display.target, FRAMES_WAIT);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static HANDLE screen_context; /* the driver's, of the last context that was created */
static PDXGKDDI_CREATECONTEXT screen_create_context;

static NTSTATUS APIENTRY screen_note_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = screen_create_context(device, args);
    if (status == STATUS_SUCCESS)
        screen_context = args->hContext;
    return status;
}

static void screen_table(DRIVER_INITIALIZATION_DATA *table) {
    screen_context = NULL;
    screen_create_context = table->DxgkDdiCreateContext;
    if (screen_create_context)
        table->DxgkDdiCreateContext = screen_note_context;
}

static void screen_interrupts(struct screen *screen, DXGK_CRTC_VSYNC_STATE state) {
    screen->enabled = display_control(&screen->display, state) && state == DXGK_VSYNC_ENABLE;
}

static bool screen_commit(struct screen *screen, struct vidmm_vidpn *network, HANDLE primary) {
    struct display *display = &screen->display;
    const DXGKARG_COMMITVIDPN args = {.hFunctionalVidPn = vidmm_vidpn_handle(network),
                                      .MonitorConnectivityChecks = D3DKMDT_MCC_IGNORE,
                                      .hPrimaryAllocation = primary};
    NTSTATUS status = display->ddi->DxgkDdiCommitVidPn(display->adapter, &args);
    display_judge_kept(display, network, "DxgkDdiCommitVidPn");
    return status == STATUS_SUCCESS;
}

static bool screen_visible(struct screen *screen, bool visible) {
    const struct display *display = &screen->display;
    const DXGKARG_SETVIDPNSOURCEVISIBILITY args = {.VidPnSourceId = 0, .Visible = visible};
    return display->ddi->DxgkDdiSetVidPnSourceVisibility(display->adapter, &args) == STATUS_SUCCESS;
}

static bool screen_set(struct screen *screen, uint32_t index, bool mode_change) {
    const struct display *display = &screen->display;
    const struct shown *shown = &screen->shown[index];
    DXGKARG_SETVIDPNSOURCEADDRESS args = {.PrimarySegment = shown->segment,
                                          .hAllocation = shown->handle};
    args.PrimaryAddress.QuadPart = (LONGLONG)shown->address;
    if (mode_change)
        args.Flags.ModeChange = 1;
    else
        args.Flags.FlipOnNextVSync = 1;
    if (!mode_change && screen_context) {
        args.ContextCount = 1;
        args.Context[0] = screen_context;
    }
    screen->now = index;
    return display->ddi->DxgkDdiSetVidPnSourceAddress(display->adapter, &args) == STATUS_SUCCESS;
}

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool screen_surface(struct screen *screen, const struct check_surface *surface,
                           struct shown *shown) {
    struct check *check = screen->display.check;
    const struct vidmm_allocation_request request = check_surface_request(surface, true);
    struct vidmm_allocation_info info;
    struct vidmm_segment_info segment;
    if (!check_good(check, vidmm_allocation_create(screen->device, &request, &shown->allocation)) ||
        !check_good(check, vidmm_allocation_pin(shown->allocation, true)))
        return false;
    vidmm_allocation_info(shown->allocation, &info);
    if (!vidmm_segment_info(check->harness.adapter, info.segment, &segment))
        return false;
    shown->segment = segment.driver_id;
    shown->address = segment.base + info.offset;
    shown->handle = info.driver.hAllocation;
    return true;
}

/* `*why` NULL: a finding says why not. */
static bool screen_surfaces(struct screen *screen, const char **why) {
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &screen->display.mode.Format.Graphics;
    struct check *check = screen->display.check;
    struct check_surface surface;
    bool good = check_surface_open_as(check, &surface, CHECK_SURFACE_PRIMARY, format->PixelFormat,
                                      format->PrimSurfSize.cx, format->PrimSurfSize.cy);
    *why = good ? NULL : "the driver describes no shared primary of its mode";
    for (uint32_t i = 0; i < SURFACES && good; i++)
        good = screen_surface(screen, &surface, &screen->shown[i]);
    check_surface_close(&surface);
    return good;
}

static void screen_release(struct screen *screen) {
    for (uint32_t i = 0; i < SURFACES; i++)
        if (screen->shown[i].allocation) {
            (void)vidmm_allocation_pin(screen->shown[i].allocation, false);
            vidmm_allocation_destroy(screen->shown[i].allocation);
        }
    if (screen->context)
        vidmm_context_destroy(screen->context);
    if (screen->device)
        vidmm_device_destroy(screen->device);
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

/* Waits until it is shown, where vertical syncs say so. */
static bool screen_flip(struct screen *screen, uint32_t index) {
    bool flipped = false;
    if (!screen_set(screen, index, !screen->flips))
        return false;
    for (uint32_t i = 0; i < FRAMES_FLIP && !flipped; i++) {
        screen_frame(screen);
        (void)screen_syncs(screen, &flipped);
    }
    return true;
}

static bool screen_on(struct screen *screen, const char **why) {
    check_step(screen->display.check, "display: a mode is set");
    *why = "the driver does not commit a network that it supports";
    if (!screen_commit(screen, screen->display.network, screen->shown[0].handle))
        return false;
    *why = "the driver sets no address of a primary, or makes no source visible";
    if (!screen_set(screen, 0, true) || !screen_visible(screen, true))
        return false;
    screen_interrupts(screen, DXGK_VSYNC_ENABLE);
    judge_syncs(screen);
    judge_scanout(screen, true);
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
    judge_scanout(screen, true);
    return true;
}

/* What disables them without a phase is the same call of an older function. */
static void screen_pauses(struct screen *screen) {
    static const DXGK_CRTC_VSYNC_STATE states[] = {DXGK_VSYNC_DISABLE_KEEP_PHASE,
                                                   DXGK_VSYNC_DISABLE_NO_PHASE};
    check_step(screen->display.check, "display: no vertical syncs, and again");
    for (uint32_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        display_pause(&screen->display, screen->context, states[i]);
        screen_interrupts(screen, DXGK_VSYNC_ENABLE);
        judge_syncs(screen);
    }
}

static bool screen_hidden(struct screen *screen, const char **why) {
    *why = "the driver does not change the visibility of a source";
    check_step(screen->display.check, "display: invisible and visible again");
    if (!screen_visible(screen, false))
        return false;
    judge_scanout(screen, false);
    if (!screen_visible(screen, true) || !screen_flip(screen, 0))
        return false;
    judge_scanout(screen, true);
    screen_pauses(screen);
    return true;
}

/* Whatever came of it: nothing is read any more when the surfaces go. */
static void screen_off(struct screen *screen) {
    check_step(screen->display.check, "display: off");
    (void)screen_visible(screen, false);
    screen_interrupts(screen, DXGK_VSYNC_DISABLE_NO_PHASE);
    (void)screen_commit(screen, screen->display.none, NULL);
    for (uint32_t i = 0; i < FRAMES_SETTLE; i++)
        screen_frame(screen);
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
    for (uint32_t i = 0; i < FRAMES_SETTLE; i++)
        screen_frame(screen);
    return true;
}

/* One for flips, and for work without virtual addresses. */
static bool screen_context_made(struct screen *screen) {
    struct check *check = screen->display.check;
    enum vidmm_status status = vidmm_context_create(screen->device, 0, 0, &screen->context);
    bool refused = status == VIDMM_DRIVER_REFUSED && check_virtual(check); /* as it may */
    return refused || check_good(check, status);
}

/* `*why` NULL: a finding says it. */
static bool screen_play(struct screen *screen, const char **why) {
    struct vidmm_adapter *adapter = screen->display.check->harness.adapter;
    struct check *check = screen->display.check;
    struct vidmm_adapter_info info;
    vidmm_adapter_info(adapter, &info);
    screen->flips = info.caps.FlipCaps.FlipOnVSyncMmIo;
    *why = NULL;
    if (!check_good(check, vidmm_device_create(adapter, &screen->device)) ||
        !screen_context_made(screen) || !screen_surfaces(screen, why))
        return false;
    bool good = screen_on(screen, why) && screen_flips(screen, why) && screen_hidden(screen, why);
    if (!good || !screen_leave(screen))
        screen_off(screen);
    return good;
}

static bool has_functions(const DRIVER_INITIALIZATION_DATA *ddi) {
    return ddi->DxgkDdiIsSupportedVidPn && ddi->DxgkDdiEnumVidPnCofuncModality &&
           ddi->DxgkDdiCommitVidPn && ddi->DxgkDdiSetVidPnSourceAddress &&
           ddi->DxgkDdiSetVidPnSourceVisibility;
}

static enum vidmm_stage_outcome screen_examine(struct screen *screen) {
    struct display *display = &screen->display;
    struct check *check = display->check;
    const char *why;
    if (!display_children(display, &why))
        return check_say(check, VIDMM_STAGE_SKIPPED, "%s", why);
    if (!has_functions(display->ddi))
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "the driver has not all functions of networks and flips");
    bool good = display_network(display, &why) && screen_play(screen, &why);
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
    (void)number;
    check_step(check, "display: start");
    if (check->options->linked > 1)
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "displays are shown of an adapter without links");
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    screen.display.ddi = &check->harness.spoken;
    screen.display.adapter = vidmm_host_adapter(check->harness.host);
    return screen_examine(&screen);
}
