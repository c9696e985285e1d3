/*
 * planted.c - five mistakes that user mode reaches, on top of the example cpu-vram: one behind a
 * value of four bytes, one after three calls in this order, one of a length in private data, one of an
 * index into private data that is only read, one of a count in the private data of a present.
 */
#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#define TAG   0x6e616c50u /* "Plan" */
#define MAGIC 0x5ec0de17u
#define NAME  64u /* bytes of a name */

static DXGKDDI_CREATEALLOCATION *create_allocation;
static ULONG step; /* of the three calls */
static volatile ULONG planted_flags;

NTSTATUS planted_initialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                            DRIVER_INITIALIZATION_DATA *table);

/* Behind a value: the second field is used as an address. */
static DXGKDDI_ESCAPE planted_escape;
static NTSTATUS APIENTRY planted_escape(const HANDLE adapter, const DXGKARG_ESCAPE *args) {
    const ULONG *data = args->pPrivateDriverData;
    UNREFERENCED_PARAMETER(adapter);
    if (args->PrivateDriverDataSize < 8)
        return STATUS_INVALID_PARAMETER;
    if (data[0] == MAGIC)
        *(volatile ULONG *)(ULONG_PTR)data[1] = 1;
    step = data[0] == 1 ? 1 : 0;
    return STATUS_SUCCESS;
}

static DXGKDDI_CREATECONTEXT *create_context;
static DXGKDDI_CREATECONTEXT planted_context;
static NTSTATUS APIENTRY planted_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    step = step == 1 && args->PrivateDriverDataSize >= 4 ? 2 : 0;
    return create_context(device, args);
}

/* Private data: a length and a name of at most 64 bytes; the length is compared with what there is. */
static void planted_name(const ULONG *data, ULONG size) {
    UCHAR *name = ExAllocatePoolZero(NonPagedPoolNx, NAME, TAG);
    if (name && data[0] <= size - sizeof(ULONG))
        RtlCopyMemory(name, data + 1, data[0]);
    if (name)
        ExFreePoolWithTag(name, TAG);
}

/* A flag is read at an index that user mode chooses. */
static ULONG planted_flag(const UCHAR *data) {
    return data[2 + data[1] % 64u];
}

/* Third of three: what the second one prepared is used after it was freed. */
static DXGKDDI_CREATEALLOCATION planted_allocation;
static NTSTATUS APIENTRY planted_allocation(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    const DXGK_ALLOCATIONINFO *info = args->pAllocationInfo;
    if (step == 2) {
        ULONG *block = ExAllocatePoolZero(NonPagedPoolNx, NAME, TAG);
        ExFreePoolWithTag(block, TAG);
        ExFreePoolWithTag(block, TAG);
    }
    step = 0;
    if (info->PrivateDriverDataSize >= 2 && info->PrivateDriverDataSize < 16 &&
        ((const UCHAR *)info->pPrivateDriverData)[0] == 0x77)
        planted_flags += planted_flag(info->pPrivateDriverData);
    for (UINT i = 0; i < args->NumAllocations; i++)
        if (info[i].PrivateDriverDataSize >= 32)
            planted_name(info[i].pPrivateDriverData, info[i].PrivateDriverDataSize);
    return create_allocation(adapter, args);
}

/* Colours of a palette: how many there are is not held against their size. */
static DXGKDDI_PRESENT planted_present;
static NTSTATUS APIENTRY planted_present(const HANDLE context, DXGKARG_PRESENT *args) {
    const ULONG *data = args->pPrivateDriverData;
    UNREFERENCED_PARAMETER(context);
    if (args->PrivateDriverDataSize < 2 * sizeof(ULONG))
        return STATUS_INVALID_PARAMETER;
    for (ULONG i = 0; i < data[0] && i < 256; i++)
        planted_flags += data[1 + i];
    return STATUS_NOT_SUPPORTED;
}

/* In the place of DxgkInitialize (-DDxgkInitialize=planted_initialize). */
#undef DxgkInitialize
NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                              DRIVER_INITIALIZATION_DATA *table);
NTSTATUS planted_initialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                            DRIVER_INITIALIZATION_DATA *table) {
    create_allocation = table->DxgkDdiCreateAllocation;
    create_context = table->DxgkDdiCreateContext;
    table->DxgkDdiCreateAllocation = planted_allocation;
    table->DxgkDdiCreateContext = planted_context;
    table->DxgkDdiEscape = planted_escape;
    table->DxgkDdiPresent = planted_present;
    return DxgkInitialize(driver, path, table);
}
