/*
 * virtual_only.c - the example driver gpummu, which does nothing when it is asked for an operation that
 * only WDDM 1 has (ne-d3dkmddi-_dxgk_buildpagingbuffer_operation): no system asks a driver that pages by
 * GPU virtual address. With ADDRESS_ONLY it has no functions for work by physical address either.
 */
#include "../../drivers/common/skeleton.h"

#define DriverEntry    example_entry
#define DxgkInitialize take_table

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table);
#include "../../drivers/gpummu/driver.c"
#undef DriverEntry
#undef DxgkInitialize

static DXGKDDI_BUILDPAGINGBUFFER build_virtual;
static NTSTATUS APIENTRY build_virtual(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_FILL:
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL:
        return STATUS_SUCCESS;
    default:
        return build_paging_buffer(handle, args);
    }
}

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table) {
    table->DxgkDdiBuildPagingBuffer = build_virtual;
#if ADDRESS_ONLY
    table->DxgkDdiPatch = NULL;
    table->DxgkDdiSubmitCommand = NULL;
#endif
    return DxgkInitialize(driver, path, table);
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    return example_entry(driver, registry_path);
}
