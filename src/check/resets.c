/*
 * resets.c - resets of the GPU that the manager made for work that did not complete, where the run had provoked
 * none: each is a finding, however well the reset helps.
 */
#include "stage.h"

#include <stdio.h>

/* The functions below the hooks, and the first such reset of the driver's life. */
static struct {
    struct check *check;
    PDXGKDDI_RESETENGINE reset_engine;
    PDXGKDDI_RESETFROMTIMEOUT reset_from_timeout;
    bool found;
    uint32_t since; /* as of check_unreported */
    char step[sizeof(((struct vidmm_ledger *)0)->step)], text[112];
} resets;

/* Work that faulted is told of in another way. */
static bool resets_unprovoked(const struct check *check) {
    return check->managed && !check->provokes && !check->resetting &&
           vidmm_referee_faults(check->harness.referee) == 0;
}

static void resets_note(const char *format, uint32_t node) {
    struct check *check = resets.check;
    if (resets.found || !resets_unprovoked(check))
        return;
    resets.found = true;
    resets.since = vidmm_referee_deaf(check->harness.referee);
    snprintf(resets.step, sizeof(resets.step), "%s", check->shared->ledger.step);
    snprintf(resets.text, sizeof(resets.text), format, node);
}

static NTSTATUS APIENTRY resets_of_engine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    uint32_t node = args->NodeOrdinal;
    NTSTATUS status = resets.reset_engine(adapter, args);
    resets_note(
        "work that was submitted to node %u did not complete, and its engine had to be reset",
        node);
    return status;
}

static NTSTATUS APIENTRY resets_of_adapter(const HANDLE adapter) {
    NTSTATUS status = resets.reset_from_timeout(adapter);
    resets_note("work that was submitted did not complete, and the adapter had to be reset", 0);
    return status;
}

void check_watch_resets(struct check *check) {
    DRIVER_INITIALIZATION_DATA *table = &check->harness.table;
    resets.check = check;
    if (table->DxgkDdiResetEngine && table->DxgkDdiResetEngine != resets_of_engine) {
        resets.reset_engine = table->DxgkDdiResetEngine;
        table->DxgkDdiResetEngine = resets_of_engine;
    }
    if (table->DxgkDdiResetFromTimeout && table->DxgkDdiResetFromTimeout != resets_of_adapter) {
        resets.reset_from_timeout = table->DxgkDdiResetFromTimeout;
        table->DxgkDdiResetFromTimeout = resets_of_adapter;
    }
    check->managed = true;
}

void check_judge_resets(struct check *check) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    bool found = resets.found;
    resets.found = false;
    if (!found || check->starving)
        return;
    vidmm_ledger_step(ledger, resets.step);
    if (check_explained(check))
        vidmm_ledger_hold(ledger, resets.since != 0 ? resets.since : 597);
    else
        check_unreported(check, false, resets.since, resets.text);
}
