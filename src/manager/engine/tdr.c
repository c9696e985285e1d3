/*
 * tdr.c - see tdr.h.
 */
#include "engine/tdr.h"

#include "base/adapter.h"

static enum vidmm_status tdr_call(struct vidmm_adapter *adapter, const char *call, const char *page,
                                  NTSTATUS(APIENTRY *function)(const HANDLE adapter)) {
    NTSTATUS nt = function ? function(adapter->hadapter) : STATUS_SUCCESS;
    if (nt == STATUS_SUCCESS)
        return VIDMM_OK;
    return FATAL(adapter, .status = VIDMM_GPU_LOST, .call = call, .field = "return value",
                 .expected = "STATUS_SUCCESS", .page = page, .index = ERROR_NO_INDEX,
                 .value = (uint32_t)nt, .nt = nt);
}

enum vidmm_status tdr_reset(struct vidmm_adapter *adapter) {
    return tdr_call(adapter, "DxgkDdiResetFromTimeout", "nc-d3dkmddi-dxgkddi_resetfromtimeout",
                    adapter->ddi->DxgkDdiResetFromTimeout);
}

enum vidmm_status tdr_restart(struct vidmm_adapter *adapter) {
    return tdr_call(adapter, "DxgkDdiRestartFromTimeout", "nc-d3dkmddi-dxgkddi_restartfromtimeout",
                    adapter->ddi->DxgkDdiRestartFromTimeout);
}
