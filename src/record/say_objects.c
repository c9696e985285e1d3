/*
 * say_objects.c - what calls say of devices, contexts, processes, root tables and the adapter, and
 * which objects are gone after a call.
 */
#include "fields.h"

#include <string.h>

static void say_device(const struct fields *f, const void *args) {
    const DXGKARG_CREATEDEVICE *a = args;
    FLAGS(Flags);
    HANDLE_OF(PROCESS, hKmdProcess);
}

static void say_device_answer(const struct fields *f, const void *args) {
    const DXGKARG_CREATEDEVICE *a = args;
    if (f->succeeded)
        HANDLE_OF(DEVICE, hDevice);
}

static void say_context(const struct fields *f, const void *args) {
    const DXGKARG_CREATECONTEXT *a = args;
    NUMBER(NodeOrdinal);
    HEX(EngineAffinity);
    FLAGS(Flags);
    NUMBER(PrivateDriverDataSize);
}

static void say_context_answer(const struct fields *f, const void *args) {
    const DXGKARG_CREATECONTEXT *a = args;
    if (!f->succeeded)
        return;
    HANDLE_OF(CONTEXT, hContext);
    NUMBER(ContextInfo.DmaBufferSize);
    HEX(ContextInfo.DmaBufferSegmentSet);
    NUMBER(ContextInfo.DmaBufferPrivateDataSize);
    NUMBER(ContextInfo.AllocationListSize);
    NUMBER(ContextInfo.PatchLocationListSize);
}

static void say_process(const struct fields *f, const void *args) {
    const DXGKARG_CREATEPROCESS *a = args;
    FLAGS(Flags);
    NUMBER(NumPasid);
}

static void say_process_answer(const struct fields *f, const void *args) {
    const DXGKARG_CREATEPROCESS *a = args;
    if (f->succeeded)
        HANDLE_OF(PROCESS, hKmdProcess);
}

static void say_root(const struct fields *f, const void *args) {
    const DXGKARG_SETROOTPAGETABLE *a = args;
    HANDLE_OF(CONTEXT, hContext);
    NUMBER(Address.SegmentId);
    HEX(Address.SegmentOffset);
    NUMBER(NumEntries);
}

static void say_root_size(const struct fields *f, const void *args) {
    const DXGKARG_GETROOTPAGETABLESIZE *a = args;
    NUMBER(NumberOfPte);
    NUMBER(PhysicalAdapterIndex);
}

static void say_root_size_answer(const struct fields *f, const void *args) {
    const DXGKARG_GETROOTPAGETABLESIZE *a = args;
    NUMBER(NumberOfPte);
    field_number(f, "bytes", f->call->answer);
}

static void say_descriptor(const struct fields *f, const void *args) {
    const DXGK_DEVICE_DESCRIPTOR *a = args;
    NUMBER(DescriptorOffset);
    NUMBER(DescriptorLength);
}

static void say_control(const struct fields *f, const void *args) {
    const DXGKARG_CONTROLINTERRUPT3 *a = args;
    NUMBER(InterruptType);
    NUMBER(CrtcVsyncState);
    NUMBER(VidPnSourceId);
}

static void say_scan_line(const struct fields *f, const void *args) {
    const DXGKARG_GETSCANLINE *a = args;
    NUMBER(VidPnTargetId);
}

static void say_scan_line_answer(const struct fields *f, const void *args) {
    const DXGKARG_GETSCANLINE *a = args;
    NUMBER(InVerticalBlank);
    NUMBER(ScanLine);
}

const struct said said_objects[] = {
    {.name = "DxgkDdiCreateDevice", .arguments = say_device, .answers = say_device_answer},
    {.name = "DxgkDdiDestroyDevice", .of = HANDLE_DEVICE},
    {.name = "DxgkDdiCreateContext",
     .arguments = say_context,
     .answers = say_context_answer,
     .of = HANDLE_DEVICE},
    {.name = "DxgkDdiDestroyContext", .of = HANDLE_CONTEXT},
    {.name = "DxgkDdiCreateProcess", .arguments = say_process, .answers = say_process_answer},
    {.name = "DxgkDdiDestroyProcess", .object = HANDLE_PROCESS},
    {.name = "DxgkDdiSetRootPageTable", .arguments = say_root, .no_status = true},
    {.name = "DxgkDdiGetRootPageTableSize",
     .arguments = say_root_size,
     .answers = say_root_size_answer,
     .no_status = true},
    {.name = "DxgkDdiSetPowerState", .others = {"DeviceUid", "DevicePowerState", "ActionType"}},
    {.name = "DxgkDdiQueryDeviceDescriptor", .arguments = say_descriptor, .others = {"ChildUid"}},
    {.name = "DxgkDdiGetScanLine", .arguments = say_scan_line, .answers = say_scan_line_answer},
    {.name = "DxgkDdiControlInterrupt", .others = {"InterruptType", "EnableInterrupt"}},
    {.name = "DxgkDdiControlInterrupt2", .others = {"InterruptType", "CrtcVsyncState"}},
    {.name = "DxgkDdiControlInterrupt3", .arguments = say_control},
    {.name = NULL},
};

/* ---- What is gone ---------------------------------------------------------------------------- */

static void forget_list(struct handle_names *names, enum handle_kind kind, const HANDLE *list,
                        uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        handle_gone(names, kind, list[i]);
}

static void forget_allocations(struct handle_names *names, const DXGKARG_DESTROYALLOCATION *args) {
    forget_list(names, HANDLE_ALLOCATION, args->pAllocationList, args->NumAllocations);
    if (args->Flags.DestroyResource)
        handle_gone(names, HANDLE_RESOURCE, args->hResource);
}

void fields_forget(struct vidmm_record *record, const struct vidmm_host_call *call) {
    struct handle_names *names = &record->handles;
    const DXGKARG_CLOSEALLOCATION *closed = call->args;
    const void *object = (const void *)(uintptr_t)call->others[0];
    if (!NT_SUCCESS((NTSTATUS)call->answer))
        return;
    if (strcmp(call->name, "DxgkDdiDestroyAllocation") == 0)
        forget_allocations(names, call->args);
    else if (strcmp(call->name, "DxgkDdiCloseAllocation") == 0)
        forget_list(names, HANDLE_OPENED, closed->pOpenHandleList, closed->NumAllocations);
    else if (strcmp(call->name, "DxgkDdiDestroyDevice") == 0)
        handle_gone(names, HANDLE_DEVICE, call->handle);
    else if (strcmp(call->name, "DxgkDdiDestroyContext") == 0)
        handle_gone(names, HANDLE_CONTEXT, call->handle);
    else if (strcmp(call->name, "DxgkDdiDestroyProcess") == 0)
        handle_gone(names, HANDLE_PROCESS, object);
    else if (strcmp(call->name, "DxgkDdiDestroyMemoryBasis") == 0)
        handle_gone(names, HANDLE_BASIS, object);
}
