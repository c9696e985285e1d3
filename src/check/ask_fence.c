/*
 * ask_fence.c - DxgkDdiQueryCurrentFence, at moments at which no system has a reason to ask: what it
 * answers is the referee's to judge. That it fails, of a node that exists and of an adapter that
 * works, is a refusal.
 */
#include "stage.h"

bool check_ask_fence(struct check *check, uint32_t node, uint32_t physical) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    DXGKARG_QUERYCURRENTFENCE args = {.NodeOrdinal = node, .EngineOrdinal = physical};
    if (!table->DxgkDdiQueryCurrentFence)
        return true;
    NTSTATUS status =
        table->DxgkDdiQueryCurrentFence(vidmm_host_adapter(check->harness.host), &args);
    vidmm_host_run(check->harness.host);
    if (status == STATUS_SUCCESS)
        return true;
    check_refused(check, "DxgkDdiQueryCurrentFence", status);
    return false;
}
