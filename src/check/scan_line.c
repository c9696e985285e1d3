/*
 * scan_line.c - asks which line a target displays (DxgkDdiGetScanLine), as programs that draw behind the beam do; see
 * display.h.
 */
#include "display.h"

#define MOMENTS       64u /* of a frame */
#define NOT_SAID_LINE 0xfffffff0u
#define NOT_SAID_FLAG 0xa5u /* neither TRUE nor FALSE */

/* Drivers of hardware that counts no lines refuse. */
static bool line_asked(const struct display *display, DXGKARG_GETSCANLINE *args) {
    *args = (DXGKARG_GETSCANLINE){.VidPnTargetId = display->target,
                                  .InVerticalBlank = (BOOLEAN)NOT_SAID_FLAG,
                                  .ScanLine = NOT_SAID_LINE};
    return display->ddi->DxgkDdiGetScanLine(display->adapter, args) == STATUS_SUCCESS;
}

static void line_judge(const struct display *display, const DXGKARG_GETSCANLINE *args) {
    struct vidmm_ledger *ledger = &display->check->shared->ledger;
    vidmm_ledger_judge(
        ledger, 657, VIDMM_SIDE_DRIVER,
        args->InVerticalBlank != (BOOLEAN)NOT_SAID_FLAG && args->ScanLine != NOT_SAID_LINE,
        "InVerticalBlank and ScanLine of the target", "STATUS_SUCCESS, and %s was not written",
        args->ScanLine == NOT_SAID_LINE ? "ScanLine" : "InVerticalBlank");
    if (args->ScanLine != NOT_SAID_LINE)
        vidmm_ledger_judge(ledger, 657, VIDMM_SIDE_DRIVER,
                           args->InVerticalBlank || args->ScanLine <= display->lines,
                           "InVerticalBlank TRUE behind the last line that is displayed",
                           "ScanLine is %u and InVerticalBlank FALSE, where target %u displays %u "
                           "lines",
                           args->ScanLine, display->target, display->lines);
}

void display_scan_lines(const struct display *display) {
    struct vidmm_host *host = display->check->harness.host;
    DXGKARG_GETSCANLINE args;
    if (!display->ddi->DxgkDdiGetScanLine)
        return;
    /* Hardware that waits for the next vertical sync would have the time pass up to it. */
    vidmm_host_hold_engines(host, true);
    for (uint32_t i = 0; i < MOMENTS && line_asked(display, &args); i++) {
        line_judge(display, &args);
        vidmm_host_pass(host, DISPLAY_FRAME_NS / MOMENTS);
    }
    vidmm_host_hold_engines(host, false);
}
