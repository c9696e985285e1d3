/*
 * torn_driver.c - the reference driver, which with the setting Torn 1 reads dirty bits and then makes them zero, where
 * one step is asked for (dirty-bit-tracking.md), with 2 acknowledges the events of all engines when it has looked
 * which have some, with 3 acknowledges the events of an engine when it has read which work is complete, with 4 flips
 * at once, and with 5 notes that it asked for a preemption when it has, and drops what comes before. With 6, which is right,
 * all linked adapters report with the handle of the lead, which is started last, and have DPCs of their own. Its entry
 * calls torn_initialize for DxgkInitialize (meson.build).
 */
#undef DxgkInitialize
#include "driver/kmd.h"

#define MOST 4096u /* bytes of an answer */

static PDXGKDDI_QUERYDIRTYBITDATA query;
static PDXGKDDI_INTERRUPT_ROUTINE serve;
static PDXGKDDI_SETVIDPNSOURCEADDRESS set_address;
static UCHAR taken[MOST];

static NTSTATUS APIENTRY query_in_steps(const HANDLE adapter, DXGKARG_QUERYDIRTYBITDATA *args) {
    DXGKARG_QUERYDIRTYBITDATA look = *args, clear = *args;
    look.Flags = 0;
    clear.Buffer = taken;
    NTSTATUS status = query(adapter, args->BufferSize <= MOST ? &look : args);
    if (status != STATUS_SUCCESS || args->Flags == 0 || args->BufferSize > MOST)
        return status;
    return query(adapter, &clear);
}

/* Of a vertical sync; what engines have to tell was not looked at. */
static BOOLEAN APIENTRY serve_all(const PVOID context, ULONG message) {
    const struct kmd_adapter *adapter = context;
    ULONG status = adapter->registers ? kmd_read(adapter, GPU_REG_INT_STATUS) : 0;
    for (UINT node = 0; (status & GPU_INT_VSYNC) != 0 && node < adapter->nodes; node++)
        if ((status >> node & 1u) == 0)
            kmd_write(adapter, GPU_ENGINE(node) + GPU_ENGINE_EVENTS, MAXULONG);
    return serve(context, message);
}

static BOOLEAN APIENTRY serve_late(const PVOID context, ULONG message) {
    const struct kmd_adapter *adapter = context;
    ULONG status = adapter->registers ? kmd_read(adapter, GPU_REG_INT_STATUS) : 0;
    BOOLEAN served = serve(context, message);
    for (UINT node = 0; node < adapter->nodes; node++)
        if ((status >> node & 1u) != 0)
            kmd_write(adapter, GPU_ENGINE(node) + GPU_ENGINE_EVENTS, MAXULONG);
    return served;
}

/* A display that is turned on reads what was set last. */
static NTSTATUS APIENTRY set_at_once(const HANDLE adapter,
                                     const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    const ULONG control = GPU_DISPLAY(args->VidPnSourceId) + GPU_DISPLAY_CONTROL;
    NTSTATUS status = set_address(adapter, args);
    if (args->Flags.FlipOnNextVSync) {
        kmd_write(adapter, control, 0);
        kmd_write(adapter, control, GPU_DISPLAY_SYNC | GPU_DISPLAY_READ);
    }
    return status;
}

#define NODES 32u

static PDXGKDDI_PREEMPTCOMMAND preempt;
static volatile BOOLEAN asked[NODES];

static NTSTATUS APIENTRY preempt_and_note(const HANDLE adapter,
                                          const DXGKARG_PREEMPTCOMMAND *args) {
    NTSTATUS status = preempt(adapter, args);
    asked[args->NodeOrdinal % NODES] = TRUE;
    return status;
}

static BOOLEAN APIENTRY serve_asked(const PVOID context, ULONG message) {
    const struct kmd_adapter *adapter = context;
    ULONG status = adapter->registers ? kmd_read(adapter, GPU_REG_INT_STATUS) : 0;
    for (UINT node = 0; node < adapter->nodes; node++) {
        const ULONG events = GPU_ENGINE(node) + GPU_ENGINE_EVENTS;
        if ((status >> node & 1u) == 0 || (kmd_read(adapter, events) & GPU_EVENT_PREEMPTED) == 0)
            continue;
        if (!asked[node % NODES])
            kmd_write(adapter, events, GPU_EVENT_PREEMPTED);
        asked[node % NODES] = FALSE;
    }
    return serve(context, message);
}

static PDXGKDDI_START_DEVICE start;
static DXGKCB_NOTIFY_INTERRUPT notify;
static HANDLE lead;

static VOID APIENTRY notify_by_lead(const HANDLE device,
                                    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    UNREFERENCED_PARAMETER(device);
    notify(lead, data);
}

static NTSTATUS APIENTRY start_by_lead(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    notify = calls->DxgkCbNotifyInterrupt;
    lead = calls->DeviceHandle;
    mine.DxgkCbNotifyInterrupt = notify_by_lead;
    return start(context, info, &mine, sources, children);
}

static ULONG torn(PUNICODE_STRING path) {
    static WCHAR key[] = u"vidmm", name[] = u"Torn";
    ULONG value = 0;
    RTL_QUERY_REGISTRY_TABLE table[2] = {{0}};
    UNREFERENCED_PARAMETER(path);
    table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    table[0].Name = name;
    table[0].EntryContext = &value;
    table[0].DefaultType = (ULONG)REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    (void)RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, key, table, NULL, NULL);
    return value;
}

NTSTATUS APIENTRY torn_initialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                                  PDRIVER_INITIALIZATION_DATA table);
NTSTATUS APIENTRY torn_initialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                                  PDRIVER_INITIALIZATION_DATA table) {
    query = table->DxgkDdiQueryDirtyBitData;
    serve = table->DxgkDdiInterruptRoutine;
    if (query && torn(path) == 1)
        table->DxgkDdiQueryDirtyBitData = query_in_steps;
    else if (torn(path) == 2)
        table->DxgkDdiInterruptRoutine = serve_all;
    else if (torn(path) == 3)
        table->DxgkDdiInterruptRoutine = serve_late;
    preempt = table->DxgkDdiPreemptCommand;
    if (torn(path) == 5) {
        table->DxgkDdiPreemptCommand = preempt_and_note;
        table->DxgkDdiInterruptRoutine = serve_asked;
    }
    start = table->DxgkDdiStartDevice;
    if (torn(path) == 6)
        table->DxgkDdiStartDevice = start_by_lead;
    set_address = table->DxgkDdiSetVidPnSourceAddress;
    if (torn(path) == 4)
        table->DxgkDdiSetVidPnSourceAddress = set_at_once;
    return DxgkInitialize(driver, path, table);
}
