/*
 * ask_line.c - DxgkDdiInterruptRoutine for an interrupt of another device on the same line, which systems
 * call at any moment while it is connected: when the hardware has nothing to say, and when it has no power.
 */
#include "stage.h"

/* Judged before a DPC tells of what the routine reported, which follows from it. */
bool check_ask_line(struct check *check, const char *when) {
    struct vidmm_host *host = check->harness.host;
    struct vidmm_host_asked asked;
    vidmm_host_hold_dpcs(host, true);
    bool there = vidmm_host_ask_interrupt(host, &asked);
    if (there && !asked.raised && !asked.again)
        vidmm_ledger_judge(&check->shared->ledger, 520, VIDMM_SIDE_DRIVER, !asked.claimed,
                           "FALSE for an interrupt that the adapter did not generate",
                           "DxgkDdiInterruptRoutine returned TRUE %s", when);
    vidmm_host_hold_dpcs(host, false);
    return there;
}
