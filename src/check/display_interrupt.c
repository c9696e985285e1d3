/*
 * display_interrupt.c - turns the interrupt of vertical syncs on and off, and judges that no other one goes with it; see
 * display.h.
 */
#include "display.h"
#include "each_moment.h"
#include "empty_work.h"

#define MOMENTS_MOST 64u

/* ---- The call -------------------------------------------------------------------------------- */

/*
 * nc-d3dkmddi-dxgkddi_controlinterrupt2.md: a driver of WDDM 2.7 without the third gets calls of the second alone, and
 * one of the two is used during the lifetime of an adapter. No page says which of the first two a system calls where
 * both are there; this one calls the newest that the interface version has. The function's name, or NULL.
 */
static const char *control_call(const struct display *display, DXGK_CRTC_VSYNC_STATE state,
                                NTSTATUS *status) {
    const DRIVER_INITIALIZATION_DATA *ddi = display->ddi;
    if (ddi->DxgkDdiControlInterrupt3) {
        const DXGKARG_CONTROLINTERRUPT3 args = {.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC,
                                                .CrtcVsyncState = state,
                                                .VidPnSourceId = display->source};
        *status = ddi->DxgkDdiControlInterrupt3(display->adapter, &args);
        return "DxgkDdiControlInterrupt3";
    }
    if (ddi->DxgkDdiControlInterrupt2) {
        const DXGKARG_CONTROLINTERRUPT2 args = {.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC,
                                                .CrtcVsyncState = state};
        *status = ddi->DxgkDdiControlInterrupt2(display->adapter, args);
        return "DxgkDdiControlInterrupt2";
    }
    if (!ddi->DxgkDdiControlInterrupt)
        return NULL;
    *status = ddi->DxgkDdiControlInterrupt(display->adapter, DXGK_INTERRUPT_CRTC_VSYNC,
                                           state == DXGK_VSYNC_ENABLE);
    return "DxgkDdiControlInterrupt";
}

bool display_control(const struct display *display, DXGK_CRTC_VSYNC_STATE state) {
    NTSTATUS status = STATUS_NOT_IMPLEMENTED;
    const char *name = control_call(display, state, &status);
    if (name)
        vidmm_ledger_judge(&display->check->shared->ledger, 643, VIDMM_SIDE_DRIVER,
                           status == STATUS_SUCCESS || status == STATUS_NOT_IMPLEMENTED,
                           "STATUS_SUCCESS, or STATUS_NOT_IMPLEMENTED",
                           "status 0x%08x of %s for DXGK_INTERRUPT_CRTC_VSYNC", (unsigned)status,
                           name);
    return status == STATUS_SUCCESS;
}

/* nc-d3dkmddi-dxgkddi_controlinterrupt.md; of the later functions the pages say no such thing. */
void display_control_other(const struct display *display) {
    const DRIVER_INITIALIZATION_DATA *ddi = display->ddi;
    if (!ddi->DxgkDdiControlInterrupt || ddi->DxgkDdiControlInterrupt2 ||
        ddi->DxgkDdiControlInterrupt3)
        return;
    NTSTATUS status =
        ddi->DxgkDdiControlInterrupt(display->adapter, DXGK_INTERRUPT_DMA_COMPLETED, TRUE);
    vidmm_ledger_judge(&display->check->shared->ledger, 643, VIDMM_SIDE_DRIVER,
                       status == STATUS_NOT_IMPLEMENTED,
                       "STATUS_NOT_IMPLEMENTED of an interrupt that is no vertical sync",
                       "status 0x%08x of DxgkDdiControlInterrupt for DXGK_INTERRUPT_DMA_COMPLETED",
                       (unsigned)status);
}

/* ---- Work while it is off -------------------------------------------------------------------- */

struct meanwhile {
    const struct display *display;
    DXGK_CRTC_VSYNC_STATE state;
};

/* Of drivers whose work is told of while it is on. */
static void judge_meanwhile(struct empty_work *work, void *ctx) {
    const struct meanwhile *meanwhile = ctx;
    const struct display *display = meanwhile->display;
    if (!empty_work_submit(work) || !empty_work_completes(work))
        return;
    if (display_control(display, meanwhile->state) && empty_work_submit(work))
        vidmm_ledger_judge(&display->check->shared->ledger, 643, VIDMM_SIDE_DRIVER,
                           empty_work_completes(work),
                           "DMA_COMPLETED with the fence of work that was submitted",
                           "work was not reported complete while DXGK_INTERRUPT_CRTC_VSYNC was "
                           "disabled; work before that was");
    if (work->user)
        (void)display_control(display, DXGK_VSYNC_ENABLE); /* whoever closes it waits for it */
}

void display_pause(const struct display *display, struct vidmm_context *context,
                   DXGK_CRTC_VSYNC_STATE state) {
    struct meanwhile meanwhile = {.display = display, .state = state};
    empty_work_show(display->check, context, judge_meanwhile, &meanwhile);
}

/* ---- Work whose end comes beside a vertical sync ------------------------------------------------ */

/* The interrupt routine serves a vertical sync when the work, which was submitted before, ends. */
static bool serve_sync(struct empty_work *work, uint32_t moment, uint32_t *count, bool *came) {
    struct vidmm_host *host = work->check->harness.host;
    vidmm_host_hold_interrupts(host, true);
    vidmm_host_pass(host, DISPLAY_FRAME_NS);
    vidmm_host_run(host);
    vidmm_host_hold_engines(host, true);
    bool good = empty_work_submit(work);
    if (!vidmm_host_beside_at(host, "DxgkDdiInterruptRoutine", moment, VIDMM_HOST_CALL,
                              each_moment_work_ends, host))
        vidmm_host_hold_engines(host, false); /* it works when time passes in the routine */
    vidmm_host_hold_interrupts(host, false);
    *count = vidmm_host_beside_moments(host);
    *came = vidmm_host_beside_end(host);
    vidmm_host_hold_engines(host, false);
    vidmm_host_hold_interrupts(host, false);
    return good;
}

static void tell_lost(const struct empty_work *work) {
    struct check *check = work->check;
    vidmm_host_beside_place(check->harness.host, true);
    vidmm_ledger_note(&check->shared->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                      "DxgkDdiInterruptRoutine: work ended between two instructions, while a "
                      "vertical sync was served, and was not reported");
    vidmm_host_beside_place(check->harness.host, false);
}

static bool at_moment(void *ctx, uint32_t moment, uint32_t *count) {
    struct empty_work *work = ctx;
    bool came;
    if (!serve_sync(work, moment, count, &came))
        return false;
    bool told = empty_work_completes(work);
    if (!told && came)
        tell_lost(work);
    return told;
}

/* Its DMA buffers lie in a segment, and are mapped by paging work, for which engines that stand still have no end. */
static bool submits_paging(struct empty_work *work) {
    struct vidmm_stats before, after;
    vidmm_stats(work->check->harness.adapter, &before);
    bool good = empty_work_submit(work) && empty_work_completes(work);
    vidmm_stats(work->check->harness.adapter, &after);
    return !good || after.paging_buffers != before.paging_buffers;
}

static void judge_beside(struct empty_work *work, void *ctx) {
    (void)ctx;
    if (!empty_work_submit(work) || !empty_work_completes(work) || submits_paging(work))
        return;
    (void)each_moment(&(struct each_moment){.check = work->check,
                                            .call = "DxgkDdiInterruptRoutine",
                                            .other = "display: work ends",
                                            .most = MOMENTS_MOST,
                                            .make = at_moment,
                                            .ctx = work});
}

void display_work_beside(const struct display *display, struct vidmm_context *context) {
    empty_work_show(display->check, context, judge_beside, NULL);
}
