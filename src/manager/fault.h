/*
 * fault.h - what went wrong, kept as data.
 *
 * Every failing path fills one struct vidmm_fault; the adapter keeps the newest for
 * vidmm_last_fault. A driver that breaks a rule on the paging path leaves the GPU in an unknown
 * state, so the adapter goes into error as Windows goes into a bugcheck.
 */
#ifndef VIDMM_MANAGER_FAULT_H
#define VIDMM_MANAGER_FAULT_H

#include <vidmm/manager.h>

#define FAULT_NO_INDEX UINT32_MAX

/* Records `fault` and returns its status. */
enum vidmm_status fault_report(struct vidmm_adapter *adapter, const struct vidmm_fault *fault);
/* The same, and the adapter serves only destroy calls from now on. */
enum vidmm_status fault_fatal(struct vidmm_adapter *adapter, const struct vidmm_fault *fault);

#define FAULT(adapter, ...) fault_report((adapter), &(struct vidmm_fault){__VA_ARGS__})
#define FATAL(adapter, ...) fault_fatal((adapter), &(struct vidmm_fault){__VA_ARGS__})

/* The two faults without details that the driver had no part in. */
enum vidmm_status fault_no_memory(struct vidmm_adapter *adapter, const char *call);
enum vidmm_status fault_argument(struct vidmm_adapter *adapter, const char *call,
                                 const char *expected);
/*
 * For a `call` that the driver may refuse: VIDMM_OK with STATUS_SUCCESS, with any other status
 * VIDMM_DRIVER_REFUSED and a fault that names the call and its `page`.
 */
enum vidmm_status fault_unless_success(struct vidmm_adapter *adapter, const char *call,
                                       const char *page, NTSTATUS nt);

#endif
