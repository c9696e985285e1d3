/*
 * resets.c - resets of the GPU that the manager made for work that did not complete, where the run had provoked
 * none: each is a finding, however well the reset helps.
 */
#include "stage.h"

#include <stdio.h>

/* The functions below the hooks. One reset of a driver's life is told of. */
static struct {
    struct check *check;
    PDXGKDDI_RESETENGINE reset_engine;
    PDXGKDDI_RESETFROMTIMEOUT reset_from_timeout;
    bool found;
} resets;

uint64_t check_resets_made(const struct check *check) {
    struct vidmm_stats stats;
    vidmm_stats(check->harness.adapter, &stats);
    return stats.resets + stats.engine_resets;
}

/* Work that faulted is told of in another way. */
static bool resets_unprovoked(const struct check *check) {
    return check->managed && !check->provokes && !check->resetting && !check->starving &&
           vidmm_referee_faults(check->harness.referee) == 0;
}

/* As soon as the driver has answered: what is wrong behind the reset comes of it. */
static void resets_note(const char *format, uint32_t node) {
    struct check *check = resets.check;
    char text[112];
    if (resets.found || !resets_unprovoked(check))
        return;
    resets.found = true;
    uint32_t since = vidmm_referee_deaf(check->harness.referee);
    snprintf(text, sizeof(text), format, node);
    if (check_explained(check))
        vidmm_ledger_hold(&check->shared->ledger, since != 0 ? since : 597);
    else
        check_unreported(check, false, since, text);
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
    resets.found = false;
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
