/*
 * fault.c - see fault.h.
 */
#include "fault.h"

#include "adapter.h"

enum vidmm_status fault_report(struct vidmm_adapter *adapter, const struct vidmm_fault *fault) {
    adapter->fault = *fault;
    return fault->status;
}

enum vidmm_status fault_fatal(struct vidmm_adapter *adapter, const struct vidmm_fault *fault) {
    adapter->stopped = true;
    return fault_report(adapter, fault);
}

enum vidmm_status fault_no_memory(struct vidmm_adapter *adapter, const char *call) {
    return FAULT(adapter, .status = VIDMM_NO_MEMORY, .call = call, .index = FAULT_NO_INDEX);
}

enum vidmm_status fault_argument(struct vidmm_adapter *adapter, const char *call,
                                 const char *expected) {
    return FAULT(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call, .expected = expected,
                 .index = FAULT_NO_INDEX);
}

enum vidmm_status fault_unless_success(struct vidmm_adapter *adapter, const char *call,
                                       const char *page, NTSTATUS nt) {
    if (nt == STATUS_SUCCESS)
        return VIDMM_OK;
    return FAULT(adapter, .status = VIDMM_DRIVER_REFUSED, .call = call, .field = "return value",
                 .expected = "STATUS_SUCCESS", .page = page, .index = FAULT_NO_INDEX,
                 .value = (uint32_t)nt, .nt = nt);
}
