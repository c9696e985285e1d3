/*
 * error.h - what went wrong, kept as data.
 *
 * Every failing path fills one struct vidmm_error; the adapter keeps the newest for
 * vidmm_last_error. A driver that breaks a rule on the paging path leaves the GPU in an unknown
 * state, so the adapter goes into error as Windows goes into a bugcheck.
 */
#ifndef VIDMM_MANAGER_ERROR_H
#define VIDMM_MANAGER_ERROR_H

#include <vidmm/manager.h>

#define ERROR_NO_INDEX UINT32_MAX

/* Records `error` and returns its status. */
enum vidmm_status error_report(struct vidmm_adapter *adapter, const struct vidmm_error *error);
/* The same, and the adapter serves only destroy calls from now on. */
enum vidmm_status error_fatal(struct vidmm_adapter *adapter, const struct vidmm_error *error);

#define FAIL(adapter, ...)  error_report((adapter), &(struct vidmm_error){__VA_ARGS__})
#define FATAL(adapter, ...) error_fatal((adapter), &(struct vidmm_error){__VA_ARGS__})

/* The two faults without details that the driver had no part in. */
enum vidmm_status error_no_memory(struct vidmm_adapter *adapter, const char *call);
enum vidmm_status error_argument(struct vidmm_adapter *adapter, const char *call,
                                 const char *expected);
/*
 * For a `call` that the driver may refuse: VIDMM_OK with STATUS_SUCCESS, with any other status
 * VIDMM_DRIVER_REFUSED and an error that names the call and its `page`.
 */
enum vidmm_status error_unless_success(struct vidmm_adapter *adapter, const char *call,
                                       const char *page, NTSTATUS nt);

#endif
