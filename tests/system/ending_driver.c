/*
 * ending_driver.c - an example driver that ends its process, or does not end, by the setting Break:
 * for what replays and records say of it. It is cpu-vram with one function in front of the example's.
 */
#include "../../drivers/common/cpu_pager.h"

#include <stdlib.h>
#include <unistd.h>

#define DriverEntry    example_entry
#define DxgkInitialize take_table
static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table);
#include "../../drivers/common/cpu_entry.c"
#undef DriverEntry
#undef DxgkInitialize

enum breaks {
    BREAK_EXIT = 1,      /* CreateDevice calls exit */
    BREAK_ABORT = 2,     /* ... abort */
    BREAK_ENDLESS = 3,   /* ... never returns */
    BREAK_UNCHECKED = 4, /* CreateAllocation uses memory without asking whether it got some */
    BREAK_STATUS = 5,    /* CreateContext answers what no function answers */
};

static SIZE_T breaks;
static DXGKDDI_CREATEDEVICE *create_device;
static DXGKDDI_CREATEALLOCATION *create_allocation;
static DXGKDDI_CREATECONTEXT *create_context;
static volatile int nothing;

static NTSTATUS APIENTRY ending_create_device(HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    if (breaks == BREAK_EXIT)
        exit(0);
    if (breaks == BREAK_ABORT)
        abort();
    while (breaks == BREAK_ENDLESS && !nothing)
        ;
    return create_device(adapter, args);
}

static NTSTATUS APIENTRY ending_create_allocation(HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    if (breaks == BREAK_UNCHECKED) {
        volatile char *bytes = ExAllocatePoolWithTag(NonPagedPool, 64, 0x646e65u);
        bytes[0] = 1;
        ExFreePoolWithTag((void *)bytes, 0x646e65u);
    }
    return create_allocation(adapter, args);
}

static NTSTATUS APIENTRY ending_create_context(HANDLE device, DXGKARG_CREATECONTEXT *args) {
    return breaks == BREAK_STATUS ? STATUS_TIMEOUT : create_context(device, args);
}

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table) {
    create_device = table->DxgkDdiCreateDevice;
    create_allocation = table->DxgkDdiCreateAllocation;
    create_context = table->DxgkDdiCreateContext;
    table->DxgkDdiCreateDevice = ending_create_device;
    table->DxgkDdiCreateAllocation = ending_create_allocation;
    if (create_context)
        table->DxgkDdiCreateContext = ending_create_context;
    return DxgkInitialize(driver, path, table);
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    static WCHAR name[] = u"Break";
    breaks = skeleton_setting(name);
    return example_entry(driver, registry_path);
}
