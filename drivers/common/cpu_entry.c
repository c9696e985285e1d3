/*
 * cpu_entry.c - DriverEntry of the examples that page with the CPU (cpu_pager.h) and complete
 * submissions at once (instant.c): such an example only has to describe its segments.
 */
#include "cpu_pager.h"

static DXGKDDI_BUILDPAGINGBUFFER build_paging_buffer;
static NTSTATUS APIENTRY build_paging_buffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    struct cpu_adapter *adapter = handle;
    cpu_pager_build(&adapter->pager, args);
    return STATUS_SUCCESS;
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    DRIVER_INITIALIZATION_DATA table = {0};
    skeleton_table(&table);
    instant_table(&table);
    table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    return DxgkInitialize(driver, registry_path, &table);
}
