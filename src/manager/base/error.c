/*
 * error.c - see error.h.
 */
#include "base/error.h"

#include "base/adapter.h"

enum vidmm_status error_report(struct vidmm_adapter *adapter, const struct vidmm_error *error) {
    adapter->error = *error;
    return error->status;
}

enum vidmm_status error_fatal(struct vidmm_adapter *adapter, const struct vidmm_error *error) {
    adapter->stopped = true;
    return error_report(adapter, error);
}

enum vidmm_status error_no_memory(struct vidmm_adapter *adapter, const char *call) {
    return FAIL(adapter, .status = VIDMM_NO_MEMORY, .call = call, .index = ERROR_NO_INDEX);
}

enum vidmm_status error_argument(struct vidmm_adapter *adapter, const char *call,
                                 const char *expected) {
    return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call, .expected = expected,
                .index = ERROR_NO_INDEX);
}

enum vidmm_status error_unless_success(struct vidmm_adapter *adapter, const char *call,
                                       const char *page, NTSTATUS nt) {
    if (nt == STATUS_SUCCESS)
        return VIDMM_OK;
    return FAIL(adapter, .status = VIDMM_DRIVER_REFUSED, .call = call, .field = "return value",
                .expected = "STATUS_SUCCESS", .page = page, .index = ERROR_NO_INDEX,
                .value = (uint32_t)nt, .nt = nt);
}
