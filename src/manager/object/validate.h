/*
 * validate.h - what DxgkDdiCreateAllocation may answer.
 */
#ifndef VIDMM_MANAGER_JUDGE_H
#define VIDMM_MANAGER_JUDGE_H

#include "adapter/adapter.h"

/*
 * Judges one DXGK_ALLOCATIONINFO, number `index` of its call: VIDMM_OK or VIDMM_DRIVER_BROKE_RULE
 * with a error that names member and rule.
 */
enum vidmm_status judge_allocation(struct vidmm_adapter *adapter, const DXGK_ALLOCATIONINFO *info,
                                   const struct vidmm_allocation_request *request, uint32_t index);
/* Segments for reading: from WDDM 2.0 on the write set stands for both (R96). */
uint32_t judge_read_set(const struct vidmm_adapter *adapter, const DXGK_ALLOCATIONINFO *info);
/* Judges the status of CreateAllocation or OpenAllocation, `rule` NULL for the latter. */
enum vidmm_status judge_status(struct vidmm_adapter *adapter, const char *call, const char *rule,
                               const char *page, NTSTATUS nt);

#endif
