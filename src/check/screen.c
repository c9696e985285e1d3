/* screen.c - see screen.h. */
#include "screen.h"

#include "surface.h"

#include <stdlib.h>

#define FRAMES_FLIP   8u
#define FRAMES_WAIT   30u
#define FRAMES_SETTLE 3u
#define HEADS_MOST    16u
#define FLIP_PATCHES  4u

/* ---- Time ------------------------------------------------------------------------------------ */

static void screen_frame(struct screen *screen) {
    struct vidmm_host *host = screen->display.check->harness.host;
    vidmm_host_pass(host, DISPLAY_FRAME_NS);
    vidmm_host_run(host);
}

void screen_settle(struct screen *screen) {
    for (uint32_t i = 0; i < FRAMES_SETTLE; i++)
        screen_frame(screen);
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

void screen_judge_scanout(struct screen *screen, bool visible) {
    struct vidmm_ledger *ledger = &screen->display.check->shared->ledger;
    bool known = false, reads = false;
    screen_settle(screen);
    for (uint32_t i = 0; i < SCREEN_SURFACES && screen->shown[i].allocation; i++)
        if (screen_reads(screen, i, &known) && (!visible || i == screen->now))
            reads = true;
    if (!known)
        ledger->unseen[640]++;
    else
        vidmm_ledger_judge(ledger, 640, VIDMM_SIDE_DRIVER, reads == visible,
                           visible ? "a display that reads at PrimaryAddress"
                                   : "no display that reads a surface of the source",
                           "source %u is %s, and %s display reads the surface at 0x%llx",
                           screen->display.source, visible ? "visible" : "invisible",
                           visible ? "no" : "a",
                           (unsigned long long)screen->shown[screen->now].address);
}

void screen_judge_syncs(struct screen *screen) {
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

/* One may have been on its way. */
void screen_judge_quiet(struct screen *screen) {
    struct vidmm_ledger *ledger = &screen->display.check->shared->ledger;
    bool flipped;
    if (!screen->controlled || screen->enabled || !screen->synced)
        return;
    screen_frame(screen);
    uint64_t before = screen_syncs(screen, &flipped);
    screen_settle(screen);
    uint64_t after = screen_syncs(screen, &flipped);
    vidmm_ledger_judge(ledger, 643, VIDMM_SIDE_DRIVER, after == before,
                       "no report of a vertical sync while they are disabled",
                       "%llu vertical syncs were reported behind the request to disable them",
                       (unsigned long long)(after - before));
}

/* ---- The driver's objects -------------------------------------------------------------------- */

/* Of the last context that was created, and the last allocation that was opened. */
static struct {
    HANDLE context, opened;
    UINT private_size; /* of its DMA buffers */
    PDXGKDDI_CREATECONTEXT create_context;
    PDXGKDDI_OPENALLOCATIONINFO open_allocation;
} screen_driver;

static NTSTATUS APIENTRY screen_note_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    NTSTATUS status = screen_driver.create_context(device, args);
    if (status == STATUS_SUCCESS) {
        screen_driver.context = args->hContext;
        screen_driver.private_size = args->ContextInfo.DmaBufferPrivateDataSize;
    }
    return status;
}

static NTSTATUS APIENTRY screen_note_opened(const HANDLE device,
                                            const DXGKARG_OPENALLOCATION *args) {
    NTSTATUS status = screen_driver.open_allocation(device, args);
    if (status == STATUS_SUCCESS && args->NumAllocations == 1)
        screen_driver.opened = args->pOpenAllocation[0].hDeviceSpecificAllocation;
    return status;
}

void screen_table(DRIVER_INITIALIZATION_DATA *table) {
    screen_driver.context = screen_driver.opened = NULL;
    screen_driver.create_context = table->DxgkDdiCreateContext;
    screen_driver.open_allocation = table->DxgkDdiOpenAllocation;
    if (screen_driver.create_context)
        table->DxgkDdiCreateContext = screen_note_context;
    if (screen_driver.open_allocation)
        table->DxgkDdiOpenAllocation = screen_note_opened;
}

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool screen_describe(struct screen *screen, struct check_surface *surface) {
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &screen->display.mode.Format.Graphics;
    return check_surface_open_as(screen->display.check, surface, CHECK_SURFACE_PRIMARY,
                                 format->PixelFormat, format->PrimSurfSize.cx,
                                 format->PrimSurfSize.cy);
}

static enum vidmm_status shown_create(struct screen *screen, const struct check_surface *surface,
                                      struct shown *shown) {
    const struct vidmm_allocation_request request = check_surface_request(surface, true);
    screen_driver.opened = NULL;
    enum vidmm_status status =
        vidmm_allocation_create(screen->device, &request, &shown->allocation);
    shown->opened = screen_driver.opened;
    return status == VIDMM_OK ? vidmm_allocation_pin(shown->allocation, true) : status;
}

static void shown_drop(struct shown *shown) {
    if (shown->allocation) {
        (void)vidmm_allocation_pin(shown->allocation, false);
        vidmm_allocation_destroy(shown->allocation);
    }
    *shown = (struct shown){.allocation = NULL};
}

static bool shown_locate(const struct screen *screen, struct shown *shown,
                         struct vidmm_allocation_info *info) {
    struct vidmm_segment_info segment;
    vidmm_allocation_info(shown->allocation, info);
    if (!vidmm_segment_info(screen->display.check->harness.adapter, info->segment, &segment))
        return false;
    shown->id = info->segment;
    shown->segment = segment.driver_id;
    shown->address = segment.base + info->offset;
    shown->handle = info->driver.hAllocation;
    return true;
}

/* From WDDM 2.0 on the set of segments for reading need not say anything (ns-d3dkmddi-_dxgk_allocationinfo.md). */
static bool shown_wanted(const struct shown *shown, const DXGK_ALLOCATIONINFO *driver) {
    UINT bit = 1u << (shown->segment - 1);
    return (driver->SupportedWriteSegmentSet & bit) != 0 &&
           (driver->SupportedReadSegmentSet == 0 || (driver->SupportedReadSegmentSet & bit) != 0);
}

bool screen_make_in(struct screen *screen, uint32_t segment, uint32_t *index) {
    struct vidmm_adapter *adapter = screen->display.check->harness.adapter;
    struct vidmm_allocation_info info;
    struct check_surface surface;
    for (*index = 0; *index < SCREEN_SURFACES && screen->shown[*index].allocation; (*index)++)
        if (screen->shown[*index].id == segment)
            return false;
    if (*index == SCREEN_SURFACES)
        return false;
    struct shown *shown = &screen->shown[*index];
    vidmm_place_first(adapter, segment);
    bool there = screen_describe(screen, &surface) &&
                 shown_create(screen, &surface, shown) == VIDMM_OK &&
                 shown_locate(screen, shown, &info) && shown->id == segment &&
                 shown_wanted(shown, &info.driver);
    vidmm_place_first(adapter, 0);
    check_surface_close(&surface);
    if (!there)
        shown_drop(shown);
    return there;
}

static bool screen_surfaces(struct screen *screen, const char **why) {
    struct check *check = screen->display.check;
    struct vidmm_allocation_info info;
    struct check_surface surface;
    bool good = screen_describe(screen, &surface);
    *why = good ? NULL : "the driver describes no shared primary of its mode";
    for (uint32_t i = 0; i < SCREEN_FLIPPED && good; i++)
        good = check_good(check, shown_create(screen, &surface, &screen->shown[i])) &&
               shown_locate(screen, &screen->shown[i], &info);
    check_surface_close(&surface);
    return good;
}

/* One for flips, and for work without virtual addresses. */
static bool screen_context_made(struct screen *screen) {
    struct check *check = screen->display.check;
    screen_driver.context = NULL;
    enum vidmm_status status = vidmm_context_create(screen->device, 0, 0, &screen->context);
    screen->opened = screen_driver.context;
    screen->private_size = screen_driver.private_size;
    bool refused = status == VIDMM_DRIVER_REFUSED && check_virtual(check); /* as it may */
    return refused || check_good(check, status);
}

bool screen_make(struct screen *screen, const char **why) {
    struct check *check = screen->display.check;
    *why = NULL;
    return check_good(check, vidmm_device_create(check->harness.adapter, &screen->device)) &&
           screen_context_made(screen) && screen_surfaces(screen, why);
}

void screen_release(struct screen *screen) {
    for (uint32_t i = 0; i < SCREEN_SURFACES; i++)
        shown_drop(&screen->shown[i]);
    if (screen->context)
        vidmm_context_destroy(screen->context);
    if (screen->device)
        vidmm_device_destroy(screen->device);
    screen->context = NULL;
    screen->device = NULL;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void screen_interrupts(struct screen *screen, DXGK_CRTC_VSYNC_STATE state) {
    screen->controlled = display_control(&screen->display, state);
    screen->enabled = screen->controlled && state == DXGK_VSYNC_ENABLE;
}

bool screen_commit(struct screen *screen, struct vidmm_vidpn *network, HANDLE primary,
                   DXGKARG_COMMITVIDPN_FLAGS flags) {
    return display_commit(&screen->display, network, screen->display.source, primary, flags) ==
           STATUS_SUCCESS;
}

bool screen_visible(struct screen *screen, bool visible) {
    const struct display *display = &screen->display;
    const DXGKARG_SETVIDPNSOURCEVISIBILITY args = {.VidPnSourceId = display->source,
                                                   .Visible = visible};
    return display->ddi->DxgkDdiSetVidPnSourceVisibility(display->adapter, &args) == STATUS_SUCCESS;
}

/* R624: no engine works in the call, so that there is no vertical sync in it either. */
static NTSTATUS screen_set_still(const struct screen *screen, uint32_t index,
                                 const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    const struct display *display = &screen->display;
    struct vidmm_host *host = display->check->harness.host;
    bool known = false, before = screen->now != index && screen_reads(screen, screen->now, &known);
    vidmm_host_hold_engines(host, true);
    NTSTATUS status = display->ddi->DxgkDdiSetVidPnSourceAddress(display->adapter, args);
    bool at_once = screen_reads(screen, index, &known);
    vidmm_host_hold_engines(host, false);
    if (known && before && status == STATUS_SUCCESS)
        vidmm_ledger_judge(&display->check->shared->ledger, 624, VIDMM_SIDE_DRIVER, !at_once,
                           "the surface of before until the vertical sync that follows",
                           "a display reads the surface at 0x%llx when "
                           "DxgkDdiSetVidPnSourceAddress with FlipOnNextVSync has returned",
                           (unsigned long long)screen->shown[index].address);
    return status;
}

NTSTATUS screen_set(struct screen *screen, uint32_t index, bool mode_change) {
    const struct display *display = &screen->display;
    const struct shown *shown = &screen->shown[index];
    DXGKARG_SETVIDPNSOURCEADDRESS args = {.VidPnSourceId = display->source,
                                          .PrimarySegment = shown->segment,
                                          .hAllocation = shown->handle};
    args.PrimaryAddress.QuadPart = (LONGLONG)shown->address;
    if (mode_change)
        args.Flags.ModeChange = 1;
    else
        args.Flags.FlipOnNextVSync = 1;
    if (!mode_change && screen->opened) {
        args.ContextCount = 1;
        args.Context[0] = screen->opened;
    }
    NTSTATUS status = mode_change
                          ? display->ddi->DxgkDdiSetVidPnSourceAddress(display->adapter, &args)
                          : screen_set_still(screen, index, &args);
    if (status == STATUS_SUCCESS)
        screen->now = index;
    return status;
}

/* ---- Flips ----------------------------------------------------------------------------------- */

static NTSTATUS flip_present(const struct screen *screen, const struct shown *shown,
                             void *private_data) {
    const D3DKMDT_2DREGION size = screen->display.mode.Format.Graphics.PrimSurfSize;
    DXGK_ALLOCATIONLIST list[DXGK_PRESENT_MAX_INDEX + 1] = {0};
    D3DDDI_PATCHLOCATIONLIST patches[FLIP_PATCHES] = {0};
    const RECT all = {.right = (LONG)size.cx, .bottom = (LONG)size.cy};
    DXGKARG_PRESENT args = {.pDmaBuffer = NULL,
                            .pDmaBufferPrivateData = private_data,
                            .DmaBufferPrivateDataSize = screen->private_size,
                            .pAllocationList = list,
                            .pPatchLocationListOut = patches,
                            .PatchLocationListOutSize = FLIP_PATCHES,
                            .DstRect = all,
                            .SrcRect = all,
                            .SubRectCnt = 1,
                            .pDstSubRects = &all,
                            .FlipInterval = D3DDDI_FLIPINTERVAL_ONE};
    list[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation = shown->opened;
    list[DXGK_PRESENT_SOURCE_INDEX].SegmentId = shown->segment;
    list[DXGK_PRESENT_SOURCE_INDEX].PhysicalAddress.QuadPart = (LONGLONG)shown->address;
    args.Flags.Flip = 1;
    return screen->display.ddi->DxgkDdiPresent(screen->opened, &args);
}

/* R648: what the system asks for before a flip by registers, which has no DMA buffer. */
static void judge_present(struct screen *screen, const struct shown *shown) {
    struct check *check = screen->display.check;
    if (!screen->display.ddi->DxgkDdiPresent || !screen->opened || !shown->opened)
        return;
    void *private_data = check_memory(check, (size_t)screen->private_size + 1);
    if (!private_data)
        return;
    NTSTATUS status = flip_present(screen, shown, private_data);
    free(private_data);
    if (status != STATUS_NO_MEMORY && status != STATUS_INSUFFICIENT_RESOURCES)
        vidmm_ledger_judge(&check->shared->ledger, 648, VIDMM_SIDE_DRIVER, status == STATUS_SUCCESS,
                           "STATUS_SUCCESS for a flip without a DMA buffer",
                           "status 0x%08x of DxgkDdiPresent for Flags.Flip with pDmaBuffer NULL",
                           (unsigned)status);
}

bool screen_flip(struct screen *screen, uint32_t index) {
    bool flipped = false;
    if (screen->flips)
        judge_present(screen, &screen->shown[index]);
    if (screen_set(screen, index, !screen->flips) != STATUS_SUCCESS)
        return false;
    for (uint32_t i = 0; i < FRAMES_FLIP && !flipped; i++) {
        screen_frame(screen);
        (void)screen_syncs(screen, &flipped);
    }
    return true;
}
