/*
 * polled.c - the example driver ring without interrupts: a timer of the driver looks whether the
 * hardware has finished something, and reports it as from an interrupt routine.
 */
#include "../../drivers/common/skeleton.h"

#define DriverEntry    example_entry
#define DxgkInitialize take_table

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table);
#include "../../drivers/ring/driver.c"
#undef DriverEntry
#undef DxgkInitialize

#define POLL_MS 1

/* One adapter is enough for the test. */
static KTIMER poll;
static KDPC poll_dpc;
static DRIVER_INITIALIZATION_DATA ring;

static KDEFERRED_ROUTINE look;
static VOID NTAPI look(PKDPC dpc, PVOID context, PVOID first, PVOID second) {
    const struct adapter *adapter = context;
    const DXGKRNL_INTERFACE *dxgk = &adapter->base.dxgk;
    BOOLEAN served;
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    (void)dxgk->DxgkCbSynchronizeExecution(dxgk->DeviceHandle, serve, context, 0, &served);
}

static DXGKDDI_START_DEVICE polled_start;
static NTSTATUS APIENTRY polled_start(const PVOID context, PDXGK_START_INFO start_info,
                                      PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    LARGE_INTEGER soon = {.QuadPart = -10000 * POLL_MS};
    NTSTATUS status = ring.DxgkDdiStartDevice(context, start_info, dxgk, sources, children);
    if (!NT_SUCCESS(status))
        return status;
    write_register(context, REG_INT_ENABLE, 0);
    KeInitializeDpc(&poll_dpc, look, context);
    KeInitializeTimer(&poll);
    KeSetTimerEx(&poll, soon, POLL_MS, &poll_dpc);
    return status;
}

static DXGKDDI_STOP_DEVICE polled_stop;
static NTSTATUS APIENTRY polled_stop(const PVOID context) {
    KeCancelTimer(&poll);
    KeFlushQueuedDpcs();
    return ring.DxgkDdiStopDevice(context);
}

/* Whatever interrupted was another device. */
static DXGKDDI_INTERRUPT_ROUTINE polled_interrupt;
static BOOLEAN APIENTRY polled_interrupt(const PVOID context, ULONG message) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(message);
    return FALSE;
}

/* Interrupts stay off. */
static DXGKDDI_RESTARTFROMTIMEOUT polled_restart;
static NTSTATUS APIENTRY polled_restart(const HANDLE handle) {
    UNREFERENCED_PARAMETER(handle);
    return STATUS_SUCCESS;
}

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table) {
    ring = *table;
    table->DxgkDdiStartDevice = polled_start;
    table->DxgkDdiStopDevice = polled_stop;
    table->DxgkDdiInterruptRoutine = polled_interrupt;
    table->DxgkDdiRestartFromTimeout = polled_restart;
    return DxgkInitialize(driver, path, table);
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    return example_entry(driver, registry_path);
}
