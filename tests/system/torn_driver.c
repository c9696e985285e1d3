/*
 * torn_driver.c - the reference driver, which with the setting Torn reads dirty bits and then makes them zero, where
 * one step is asked for (dirty-bit-tracking.md). Its entry calls torn_initialize for DxgkInitialize (meson.build).
 */
#undef DxgkInitialize
#include <ntddk.h>

#include <d3dkmddi.h>
#include <dispmprt.h>

#define MOST 4096u /* bytes of an answer */

static PDXGKDDI_QUERYDIRTYBITDATA query;
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

static BOOLEAN is_torn(PUNICODE_STRING path) {
    static WCHAR key[] = u"vidmm", name[] = u"Torn";
    ULONG value = 0;
    RTL_QUERY_REGISTRY_TABLE table[2] = {{0}};
    UNREFERENCED_PARAMETER(path);
    table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    table[0].Name = name;
    table[0].EntryContext = &value;
    table[0].DefaultType = (ULONG)REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    (void)RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, key, table, NULL, NULL);
    return value != 0;
}

NTSTATUS APIENTRY torn_initialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                                  PDRIVER_INITIALIZATION_DATA table);
NTSTATUS APIENTRY torn_initialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                                  PDRIVER_INITIALIZATION_DATA table) {
    query = table->DxgkDdiQueryDirtyBitData;
    if (query && is_torn(path))
        table->DxgkDdiQueryDirtyBitData = query_in_steps;
    return DxgkInitialize(driver, path, table);
}
