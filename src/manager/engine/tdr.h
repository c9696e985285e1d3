/*
 * tdr.h - the two calls around the reset of an adapter (timeout-detection-and-recovery.md).
 */
#ifndef VIDMM_MANAGER_TDR_H
#define VIDMM_MANAGER_TDR_H

#include <vidmm/manager.h>

/* DxgkDdiResetFromTimeout: the GPU stops, and has lost its memory. */
enum vidmm_status tdr_reset(struct vidmm_adapter *adapter);
/* DxgkDdiRestartFromTimeout: the GPU takes work again. */
enum vidmm_status tdr_restart(struct vidmm_adapter *adapter);

#endif
