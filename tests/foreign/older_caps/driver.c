/*
 * driver.c - a miniport whose build does not define DXGKDDI_INTERFACE_VERSION: its table is of the
 * newest interface, and it knows no more than DRIVERCAPS.WDDMVersion says.
 *
 * OLDER_CAPS_WDDM is that WDDMVersion, OLDER_CAPS_TYPES the newest query type of that version. A newer
 * query, and a call of a function that a newer interface has, ends in a bugcheck.
 */
#include "../../../drivers/common/cpu_pager.h"

enum { APERTURE = 1 };

#define APERTURE_BASE  0x100000000ull
#define APERTURE_PAGES 262144u
#define APERTURE_BYTES ((SIZE_T)APERTURE_PAGES * PAGE_SIZE)
#define UNKNOWN_TYPE   0x7000u /* beyond all types: what no driver knows may be asked */

static DXGKDDI_QUERYADAPTERINFO *query_known;

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    struct cpu_adapter *adapter = (struct cpu_adapter *)base;
    UNREFERENCED_PARAMETER(info);
    adapter->pager.aperture_base = APERTURE_BASE;
    return cpu_pager_start(&adapter->pager, APERTURE_PAGES);
}

static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_SEGMENTDESCRIPTOR3 aperture = skeleton_aperture3(APERTURE_BASE, APERTURE_BYTES);
    UNREFERENCED_PARAMETER(base);
    return skeleton_segments3(args, &aperture, 1, PAGE_SIZE);
}

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION,
    .wddm = OLDER_CAPS_WDDM,
    .adapter_bytes = sizeof(struct cpu_adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = APERTURE,
    .start = start,
    .stop = cpu_adapter_stop,
    .segments = segments,
};

static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static NTSTATUS APIENTRY query_adapter_info(const HANDLE handle,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    UINT type = (UINT)args->Type;
    if (type > OLDER_CAPS_TYPES && type < UNKNOWN_TYPE)
        KeBugCheckEx(0x119, type, 0, 0, 0); /* VIDEO_SCHEDULER_INTERNAL_ERROR */
    return query_known(handle, args);
}

static DXGKDDI_CREATEPROCESS create_process;
static NTSTATUS APIENTRY create_process(const HANDLE handle, DXGKARG_CREATEPROCESS *args) {
    UNREFERENCED_PARAMETER(args);
    KeBugCheckEx(0x119, (ULONG_PTR)handle, 0, 0, 1);
    return STATUS_NOT_SUPPORTED;
}

static DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY validate_update;
static NTSTATUS APIENTRY validate_update(const HANDLE handle,
                                         const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *args) {
    UNREFERENCED_PARAMETER(args);
    KeBugCheckEx(0x119, (ULONG_PTR)handle, 0, 0, 2);
    return STATUS_NOT_SUPPORTED;
}

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
    query_known = table.DxgkDdiQueryAdapterInfo;
    table.DxgkDdiQueryAdapterInfo = query_adapter_info;
    table.DxgkDdiCreateProcess = create_process;
    table.DxgkDdiValidateUpdateAllocationProperty = validate_update;
    table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    return DxgkInitialize(driver, registry_path, &table);
}
