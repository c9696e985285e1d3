/*
 * display_interrupt.c - turns the interrupt of vertical syncs on and off, and judges that no other one goes with it; see
 * display.h.
 */
#include "display.h"
#include "user.h"

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
                                                .VidPnSourceId = 0};
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
    struct vidmm_context *context;
    struct user *user; /* NULL: work has physical addresses, and is the context's */
    uint64_t fence;
};

static bool meanwhile_told(const void *ctx) {
    const struct meanwhile *work = ctx;
    return vidmm_completed(work->display->check->harness.adapter, work->fence);
}

/* Submits work without commands. False: the driver takes none. */
static bool meanwhile_submit(struct meanwhile *work) {
    const struct vidmm_submission nothing = {.count = 0};
    if (!work->user)
        return vidmm_submit(work->context, &nothing, &work->fence) == VIDMM_OK;
    if (!user_send(work->user, "", 0))
        return false;
    work->fence = work->user->fence;
    return true;
}

static bool meanwhile_completes(struct meanwhile *work) {
    return vidmm_host_run_until(work->display->check->harness.host, meanwhile_told, work);
}

/* Of drivers whose work is told of while it is on. */
static void judge_meanwhile(struct meanwhile *work, DXGK_CRTC_VSYNC_STATE state) {
    const struct display *display = work->display;
    if (!meanwhile_submit(work) || !meanwhile_completes(work))
        return;
    if (display_control(display, state) && meanwhile_submit(work))
        vidmm_ledger_judge(&display->check->shared->ledger, 643, VIDMM_SIDE_DRIVER,
                           meanwhile_completes(work),
                           "DMA_COMPLETED with the fence of work that was submitted",
                           "work was not reported complete while DXGK_INTERRUPT_CRTC_VSYNC was "
                           "disabled; work before that was");
}

void display_pause(const struct display *display, struct vidmm_context *context,
                   DXGK_CRTC_VSYNC_STATE state) {
    struct meanwhile work = {.display = display, .context = context};
    struct user user;
    if (!check_virtual(display->check)) {
        judge_meanwhile(&work, state);
    } else if (user_describes(display->check) && user_open(display->check, &user)) {
        work.user = &user;
        judge_meanwhile(&work, state);
        (void)display_control(display, DXGK_VSYNC_ENABLE); /* whoever closes it waits for it */
        user_close(&user);
    }
}
