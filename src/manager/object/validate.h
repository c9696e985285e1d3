/*
 * validate.h - what DxgkDdiCreateAllocation may answer.
 */
#ifndef VIDMM_MANAGER_VALIDATE_H
#define VIDMM_MANAGER_VALIDATE_H

#include "base/adapter.h"

/*
 * Checks one DXGK_ALLOCATIONINFO, number `index` of its call: VIDMM_OK or VIDMM_DRIVER_BROKE_RULE
 * with an error that names member and rule.
 */
enum vidmm_status validate_allocation(struct vidmm_adapter *adapter,
                                      const DXGK_ALLOCATIONINFO *info,
                                      const struct vidmm_allocation_request *request,
                                      uint32_t index);
/* Checks the status of CreateAllocation or OpenAllocation, `rule` NULL for the latter. */
enum vidmm_status validate_status(struct vidmm_adapter *adapter, const char *call, const char *rule,
                                  const char *page, NTSTATUS nt);

#endif
