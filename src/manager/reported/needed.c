/*
 * needed.c - see needed.h.
 */
#include "reported/needed.h"

#include "base/adapter.h"
#include "reported/also.h"

enum vidmm_status adapter_needs(struct vidmm_adapter *adapter, const struct needed_function *needed,
                                size_t count, const char *expected, const char *page) {
    enum vidmm_status status = VIDMM_OK;
    for (size_t i = 0; i < count; i++) {
        if (needed[i].there)
            continue;
        if (status == VIDMM_OK)
            status = FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = needed[i].name,
                          .field = "its place in DRIVER_INITIALIZATION_DATA", .expected = expected,
                          .page = page, .index = ERROR_NO_INDEX);
        else
            error_also(&adapter->error, needed[i].name);
    }
    return status;
}
