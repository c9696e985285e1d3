/* irps_test.c - requests to the bus, DMA adapters, registrations for power, and what is not there. */
#include "fixture/tiny.h"

#include <ntddk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The device of the bus, as DxgkDdiAddDevice gets it. */
static PDEVICE_OBJECT bus(void) {
    return tiny.bus;
}

/* ---- Requests ----------------------------------------------------------------------------------------- */

static struct {
    NTSTATUS seen, answer;
    uint32_t calls;
} completed;

static NTSTATUS NTAPI complete(PDEVICE_OBJECT device, PIRP irp, PVOID context) {
    (void)device;
    assert_ptr_equal(context, &completed);
    completed.calls++;
    completed.seen = irp->IoStatus.Status;
    return completed.answer;
}

static void a_request_comes_back_through_its_completion_routine(void **state) {
    static const struct {
        UCHAR major;
        NTSTATUS sent, back;
        bool on_success, on_error;
        uint32_t calls;
    } rows[] = {
        {IRP_MJ_PNP, STATUS_NOT_SUPPORTED, STATUS_NOT_SUPPORTED, true, true, 1},
        {IRP_MJ_PNP, STATUS_SUCCESS, STATUS_SUCCESS, true, false, 1},
        {IRP_MJ_PNP, STATUS_NOT_SUPPORTED, STATUS_NOT_SUPPORTED, false, true, 1},
        {IRP_MJ_DEVICE_CONTROL, STATUS_SUCCESS, STATUS_INVALID_DEVICE_REQUEST, true, true, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        PIRP irp = IoAllocateIrp(1, FALSE);
        memset(&completed, 0, sizeof(completed));
        completed.answer = STATUS_MORE_PROCESSING_REQUIRED; /* it stays the driver's */
        irp->IoStatus.Status = rows[i].sent;
        IoGetNextIrpStackLocation(irp)->MajorFunction = rows[i].major;
        IoSetCompletionRoutine(irp, complete, &completed, rows[i].on_success, rows[i].on_error,
                               FALSE);
        assert_int_equal(IoCallDriver(bus(), irp), rows[i].back);
        assert_int_equal(completed.calls, rows[i].calls);
        assert_int_equal(completed.seen, rows[i].back);
        IoReuseIrp(irp, STATUS_CANCELLED);
        assert_int_equal(irp->IoStatus.Status, STATUS_CANCELLED);
        assert_int_equal(irp->CurrentLocation, 2);
        IoFreeIrp(irp);
    }
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void locations_are_copied_skipped_and_counted(void **state) {
    PIRP irp = IoAllocateIrp(2, FALSE);
    (void)state;
    assert_int_equal(irp->StackCount, 2);
    assert_int_equal(IoSizeOfIrp(2), sizeof(IRP) + 2 * sizeof(IO_STACK_LOCATION));
    IoSetNextIrpStackLocation(irp);
    IoGetCurrentIrpStackLocation(irp)->MajorFunction = IRP_MJ_PNP;
    IoGetCurrentIrpStackLocation(irp)->Control = SL_INVOKE_ON_SUCCESS;
    IoCopyCurrentIrpStackLocationToNext(irp);
    assert_int_equal(IoGetNextIrpStackLocation(irp)->MajorFunction, IRP_MJ_PNP);
    assert_int_equal(IoGetNextIrpStackLocation(irp)->Control, 0);
    IoMarkIrpPending(irp);
    assert_true(IoGetCurrentIrpStackLocation(irp)->Control & SL_PENDING_RETURNED);
    IoSkipCurrentIrpStackLocation(irp);
    assert_int_equal(irp->CurrentLocation, 3);
    IoFreeIrp(irp);
    irp = IoAllocateIrp(0, FALSE);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    IoCallDriver(bus(), irp);
    assert_true(tiny_violated(tiny_host, "no stack location left"));
    IoFreeIrp(irp);
    IRP small;
    IoInitializeIrp(&small, sizeof(small), 1);
    assert_true(tiny_violated(tiny_host, "too few for 1 locations"));
    IoInitializeIrp(&small, sizeof(small), 0);
    assert_int_equal(small.CurrentLocation, 1);
}

static void a_synchronous_request_tells_its_event(void **state) {
    IO_STATUS_BLOCK block = {.Status = STATUS_PENDING};
    KEVENT event;
    (void)state;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    PIRP irp = IoBuildSynchronousFsdRequest(IRP_MJ_PNP, bus(), NULL, 0, NULL, &event, &block);
    irp->IoStatus.Status = STATUS_NOT_SUPPORTED;
    assert_int_equal(IoCallDriver(bus(), irp), STATUS_NOT_SUPPORTED);
    assert_int_equal(KeReadStateEvent(&event), 1);
    assert_int_equal(block.Status, STATUS_NOT_SUPPORTED);
    assert_null(IoBuildSynchronousFsdRequest(IRP_MJ_PNP, NULL, NULL, 0, NULL, &event, &block));
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static VOID NTAPI cancelled(PDEVICE_OBJECT device, PIRP irp) {
    (void)device;
    IoReleaseCancelSpinLock(irp->CancelIrql);
    completed.calls++;
}

static void a_cancelled_request_calls_its_routine_once(void **state) {
    PIRP irp = IoAllocateIrp(1, FALSE);
    KIRQL irql;
    (void)state;
    completed.calls = 0;
    assert_false(IoCancelIrp(irp));
    assert_true(irp->Cancel);
    assert_null(IoSetCancelRoutine(irp, cancelled));
    assert_true(IoCancelIrp(irp));
    assert_false(IoCancelIrp(irp));
    assert_int_equal(completed.calls, 1);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    IoAcquireCancelSpinLock(&irql);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    IoReleaseCancelSpinLock(irql);
    IoFreeIrp(irp);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    IoFreeIrp(NULL);
    assert_true(tiny_violated(tiny_host, "IoFreeIrp of a request"));
    IRP other = {.Type = 0};
    IoCompleteRequest(&other, IO_NO_INCREMENT);
    assert_true(tiny_violated(tiny_host, "IoCompleteRequest of a request"));
}

/* ---- DMA -------------------------------------------------------------------------------------------------- */

static struct {
    uint32_t calls, elements;
    uint64_t bytes, first;
    PSCATTER_GATHER_LIST list;
} gathered;

static VOID NTAPI gather(PDEVICE_OBJECT device, PIRP irp, PSCATTER_GATHER_LIST list,
                         PVOID context) {
    (void)device, (void)irp;
    assert_ptr_equal(context, &gathered);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    gathered.calls++;
    gathered.elements = list->NumberOfElements;
    gathered.list = list;
    gathered.bytes = 0;
    for (ULONG i = 0; i < list->NumberOfElements; i++)
        gathered.bytes += list->Elements[i].Length;
    gathered.first = (uint64_t)list->Elements[0].Address.QuadPart;
}

static IO_ALLOCATION_ACTION NTAPI channel(PDEVICE_OBJECT device, PIRP irp, PVOID base,
                                          PVOID context) {
    (void)device, (void)irp;
    assert_non_null(base);
    *(bool *)context = true;
    return DeallocateObjectKeepRegisters;
}

static PDMA_ADAPTER adapter_of(ULONG version) {
    DEVICE_DESCRIPTION description = {
        .Version = version, .Master = TRUE, .ScatterGather = TRUE, .MaximumLength = 1 << 20};
    ULONG registers = 0;
    PDMA_ADAPTER adapter = IoGetDmaAdapter(bus(), &description, &registers);
    assert_true(!adapter || registers >= 257);
    return adapter;
}

static void a_common_buffer_lies_where_the_device_reaches_it(void **state) {
    PHYSICAL_ADDRESS logical;
    (void)state;
    assert_null(adapter_of(DEVICE_DESCRIPTION_VERSION3)); /* as a system without it answers */
    PDMA_ADAPTER adapter = adapter_of(DEVICE_DESCRIPTION_VERSION2);
    const DMA_OPERATIONS *dma = adapter->DmaOperations;
    char *buffer = dma->AllocateCommonBuffer(adapter, 10000, &logical, TRUE);
    assert_true(logical.QuadPart + 10000 <= INT64_C(1) << 32);
    assert_int_equal(MmGetPhysicalAddress(buffer).QuadPart, logical.QuadPart);
    buffer[9999] = 7;
    assert_int_equal(dma->GetDmaAlignment(adapter), 1);
    assert_int_equal(dma->ReadDmaCounter(adapter), 0);
    dma->FreeCommonBuffer(adapter, 10000, logical, buffer, TRUE);
    dma->PutDmaAdapter(adapter);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
}

static void a_list_has_an_element_for_each_run(void **state) {
    PHYSICAL_ADDRESS all = {.QuadPart = -1};
    PDMA_ADAPTER adapter = adapter_of(DEVICE_DESCRIPTION_VERSION1);
    const DMA_OPERATIONS *dma = adapter->DmaOperations;
    char *memory = MmAllocateContiguousMemory(3 * PAGE_SIZE, all);
    PMDL mdl = IoAllocateMdl(memory + 100, 2 * PAGE_SIZE, FALSE, FALSE, NULL);
    SCATTER_GATHER_LIST *own;
    PMDL same;
    ULONG size, registers, length = PAGE_SIZE;
    bool ran = false;
    KIRQL old;
    (void)state;
    MmBuildMdlForNonPagedPool(mdl);
    assert_int_equal(dma->GetScatterGatherList(adapter, NULL, mdl, memory + 100, 2 * PAGE_SIZE,
                                               gather, &gathered, TRUE),
                     STATUS_SUCCESS);
    assert_true(tiny_violated(tiny_host, "GetScatterGatherList at IRQL 0"));
    dma->PutScatterGatherList(adapter, gathered.list, TRUE);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    memset(&gathered, 0, sizeof(gathered));
    assert_int_equal(dma->GetScatterGatherList(adapter, NULL, mdl, memory + 200, PAGE_SIZE, gather,
                                               &gathered, TRUE),
                     STATUS_SUCCESS);
    assert_int_equal(gathered.calls, 1);
    assert_int_equal(gathered.elements, 1);
    assert_int_equal(gathered.bytes, PAGE_SIZE);
    assert_int_equal(gathered.first, MmGetPhysicalAddress(memory + 200).QuadPart);
    assert_int_equal(dma->BuildMdlFromScatterGatherList(adapter, gathered.list, mdl, &same),
                     STATUS_SUCCESS);
    assert_int_equal(dma->BuildMdlFromScatterGatherList(adapter, gathered.list, NULL, &same),
                     STATUS_INVALID_PARAMETER);
    dma->PutScatterGatherList(adapter, gathered.list, TRUE);
    /* Pages in another order: an element each. */
    PPFN_NUMBER frames = MmGetMdlPfnArray(mdl);
    PFN_NUMBER first = frames[0];
    frames[0] = frames[1];
    frames[1] = first;
    assert_int_equal(dma->CalculateScatterGatherList(adapter, mdl, memory + 100, 2 * PAGE_SIZE,
                                                     &size, &registers),
                     STATUS_SUCCESS);
    assert_int_equal(registers, 3);
    own = calloc(1, size);
    assert_int_equal(dma->BuildScatterGatherList(adapter, NULL, mdl, memory + 100, 2 * PAGE_SIZE,
                                                 gather, &gathered, TRUE, own, 24),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(dma->BuildScatterGatherList(adapter, NULL, mdl, memory + 100, 2 * PAGE_SIZE,
                                                 gather, &gathered, TRUE, own, size),
                     STATUS_SUCCESS);
    assert_int_equal(gathered.elements, 3);
    assert_int_equal(gathered.bytes, 2 * PAGE_SIZE);
    dma->PutScatterGatherList(adapter, own, TRUE);
    free(own);
    assert_int_equal(dma->AllocateAdapterChannel(adapter, NULL, 2, channel, &ran), STATUS_SUCCESS);
    assert_true(ran);
    KeLowerIrql(old);
    assert_int_equal(dma->MapTransfer(adapter, mdl, adapter, memory + 100, &length, TRUE).QuadPart,
                     (LONGLONG)(frames[0] * PAGE_SIZE + 100));
    assert_int_equal(length, PAGE_SIZE - 100);
    assert_true(dma->FlushAdapterBuffers(adapter, mdl, adapter, memory + 100, length, TRUE));
    dma->FreeMapRegisters(adapter, adapter, 2);
    dma->FreeAdapterChannel(adapter);
    IoFreeMdl(mdl);
    MmFreeContiguousMemory(memory);
    dma->PutDmaAdapter(adapter);
}

/* ---- Power ------------------------------------------------------------------------------------------------- */

static struct { uint32_t active, idle, done; } power;

static VOID NTAPI component_active(PVOID context, ULONG component) {
    assert_ptr_equal(context, &power);
    assert_int_equal(component, 0);
    power.active++;
}

static VOID NTAPI component_idle(PVOID context, ULONG component) {
    (void)component;
    assert_ptr_equal(context, &power);
    power.idle++;
}

static void components_tell_their_first_and_last_reference(void **state) {
    PO_FX_COMPONENT_IDLE_STATE f0 = {0, 0, PO_FX_UNKNOWN_POWER};
    PO_FX_DEVICE device = {.Version = PO_FX_VERSION_V1,
                           .ComponentCount = 1,
                           .ComponentActiveConditionCallback = component_active,
                           .ComponentIdleConditionCallback = component_idle,
                           .DeviceContext = &power,
                           .Components = {{.IdleStateCount = 1, .IdleStates = &f0}}};
    GUID code = {0};
    SIZE_T returned = 7;
    POHANDLE handle;
    (void)state;
    assert_int_equal(PoFxRegisterDevice(NULL, &device, &handle), STATUS_INVALID_PARAMETER);
    device.Version = 77;
    assert_int_equal(PoFxRegisterDevice(bus(), &device, &handle), STATUS_INVALID_PARAMETER);
    device.Version = PO_FX_VERSION_V1;
    device.ComponentCount = 0;
    assert_int_equal(PoFxRegisterDevice(bus(), &device, &handle), STATUS_INVALID_PARAMETER);
    device.ComponentCount = 1;
    device.Components[0].IdleStateCount = 0;
    assert_int_equal(PoFxRegisterDevice(bus(), &device, &handle), STATUS_INVALID_PARAMETER);
    device.Components[0].IdleStateCount = 1;
    assert_int_equal(PoFxRegisterDevice(bus(), &device, &handle), STATUS_SUCCESS);
    PoFxSetComponentLatency(handle, 0, PO_FX_UNKNOWN_TIME);
    PoFxSetComponentResidency(handle, 0, 1);
    PoFxSetComponentWake(handle, 0, FALSE);
    PoFxSetDeviceIdleTimeout(handle, 1);
    PoFxStartDevicePowerManagement(handle);
    memset(&power, 0, sizeof(power));
    PoFxActivateComponent(handle, 0, PO_FX_FLAG_BLOCKING);
    PoFxActivateComponent(handle, 0, 0);
    PoFxIdleComponent(handle, 0, 0);
    assert_int_equal(power.active * 10 + power.idle, 10);
    PoFxIdleComponent(handle, 0, 0);
    PoFxCompleteIdleCondition(handle, 0);
    assert_int_equal(power.active * 10 + power.idle, 11);
    PoFxReportDevicePoweredOn(handle);
    assert_int_equal(PoFxPowerControl(handle, &code, NULL, 0, NULL, 0, &returned),
                     STATUS_NOT_SUPPORTED);
    assert_int_equal(returned, 0);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    PoFxIdleComponent(handle, 0, 0);
    assert_true(tiny_violated(tiny_host, "which is not active"));
    PoFxActivateComponent(handle, 1, 0);
    assert_true(tiny_violated(tiny_host, "no component 1"));
    PoFxCompleteIdleState(handle, 0);
    PoFxCompleteDevicePowerNotRequired(handle);
    PoFxStartDevicePowerManagement(handle);
    assert_true(tiny_violated(tiny_host, "called twice"));
    PoFxUnregisterDevice(handle);
}

static VOID NTAPI power_done(PDEVICE_OBJECT device, UCHAR minor, POWER_STATE to, PVOID context,
                             PIO_STATUS_BLOCK status) {
    (void)device, (void)minor, (void)to;
    assert_ptr_equal(context, &power);
    power.done += NT_SUCCESS(status->Status);
}

static void requests_for_power_are_counted(void **state) {
    POWER_STATE d0 = {.DeviceState = PowerDeviceD0};
    PVOID request;
    (void)state;
    assert_int_equal(PoCreatePowerRequest(&request, NULL, NULL), STATUS_INVALID_PARAMETER);
    assert_int_equal(PoCreatePowerRequest(&request, bus(), NULL), STATUS_SUCCESS);
    assert_int_equal(PoSetPowerRequest(request, PowerRequestSystemRequired), STATUS_SUCCESS);
    assert_int_equal(PoSetPowerRequest(request, PowerRequestDisplayRequired), STATUS_NOT_SUPPORTED);
    assert_int_equal(PoClearPowerRequest(request, PowerRequestSystemRequired), STATUS_SUCCESS);
    memset(&power, 0, sizeof(power));
    assert_int_equal(PoRequestPowerIrp(bus(), IRP_MN_SET_POWER, d0, power_done, &power, NULL),
                     STATUS_PENDING);
    assert_int_equal(PoRequestPowerIrp(bus(), IRP_MN_WAIT_WAKE, d0, power_done, &power, NULL),
                     STATUS_PENDING);
    assert_int_equal(power.done, 1);
    assert_int_equal(PoRequestPowerIrp(bus(), 99, d0, power_done, &power, NULL),
                     STATUS_INVALID_PARAMETER_2);
    assert_int_equal(PoSetPowerState(bus(), DevicePowerState, d0).DeviceState, PowerDeviceD0);
    PIRP irp = IoAllocateIrp(1, FALSE);
    memset(&completed, 0, sizeof(completed));
    completed.answer = STATUS_MORE_PROCESSING_REQUIRED;
    IoGetNextIrpStackLocation(irp)->MajorFunction = IRP_MJ_POWER;
    IoSetCompletionRoutine(irp, complete, &completed, TRUE, TRUE, TRUE);
    PoStartNextPowerIrp(irp);
    assert_int_equal(PoCallDriver(bus(), irp), STATUS_SUCCESS);
    assert_int_equal(completed.calls, 1);
    IoFreeIrp(irp);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    PoClearPowerRequest(request, PowerRequestSystemRequired);
    assert_true(tiny_violated(tiny_host, "more often than PoSetPowerRequest"));
    PoDeletePowerRequest(request);
}

/* ---- Stacks, extensions, what is not there ------------------------------------------------------------------- */

static void a_thread_knows_its_stack(void **state) {
    ULONG_PTR low, high, here = (ULONG_PTR)&low;
    (void)state;
    IoGetStackLimits(&low, &high);
    assert_true(low < here && here < high);
    assert_true(IoGetRemainingStackSize() < high - low);
    assert_ptr_equal(IoGetInitialStack(), high);
}

static VOID NTAPI count_callout(PVOID parameter) {
    (*(ULONG *)parameter)++;
}

static VOID NTAPI callout_at_dispatch(PVOID parameter) {
    KeRaiseIrql(DISPATCH_LEVEL, parameter);
}

static void a_callout_runs_with_the_stack_that_it_asked_for(void **state) {
    ULONG calls = 0;
    KIRQL old;
    (void)state;
    assert_int_equal(KeExpandKernelStackAndCallout(count_callout, &calls, MAXIMUM_EXPANSION_SIZE),
                     STATUS_SUCCESS);
    assert_int_equal(KeExpandKernelStackAndCalloutEx(count_callout, &calls, 4096, TRUE, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(calls, 2);
    assert_int_equal(
        KeExpandKernelStackAndCallout(count_callout, &calls, MAXIMUM_EXPANSION_SIZE + 1),
        STATUS_INVALID_PARAMETER_3);
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    assert_int_equal(KeExpandKernelStackAndCallout(callout_at_dispatch, &old, 4096),
                     STATUS_SUCCESS);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    assert_true(tiny_violated(tiny_host, "was called at IRQL 0 and returned at IRQL 2"));
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    assert_int_equal(KeExpandKernelStackAndCalloutEx(count_callout, &calls, 4096, TRUE, NULL),
                     STATUS_INVALID_PARAMETER_4);
    KeLowerIrql(old);
    assert_int_equal(calls, 2);
}

static void an_extension_is_found_by_driver_and_client(void **state) {
    DRIVER_OBJECT driver;
    PVOID one, two;
    (void)state;
    assert_null(IoGetDriverObjectExtension(&driver, &one));
    assert_int_equal(IoAllocateDriverObjectExtension(&driver, &one, 64, &one), STATUS_SUCCESS);
    assert_ptr_equal(IoGetDriverObjectExtension(&driver, &one), one);
    assert_null(IoGetDriverObjectExtension(&driver, &two));
    assert_int_equal(IoAllocateDriverObjectExtension(&driver, &one, 64, &two),
                     STATUS_OBJECT_NAME_COLLISION);
    assert_null(two);
}

static void what_a_miniport_cannot_have_says_so(void **state) {
    UNICODE_STRING name = {0, 0, NULL};
    DEVPROPKEY key = {.pid = 1};
    PKINTERRUPT interrupt;
    DEVPROPTYPE type;
    HANDLE handle;
    ULONG size;
    (void)state;
    assert_int_equal(IoConnectInterrupt(&interrupt, NULL, NULL, NULL, 0, 0, 0, 0, FALSE, 0, FALSE),
                     STATUS_INVALID_PARAMETER);
    assert_null(IoAttachDeviceToDeviceStack(bus(), bus()));
    assert_int_equal(IoGetDevicePropertyData(bus(), &key, 0, 0, 0, NULL, &size, &type),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(IoSetDevicePropertyData(bus(), &key, 0, 0, 0, 0, NULL), STATUS_NOT_SUPPORTED);
    assert_int_equal(IoOpenDeviceInterfaceRegistryKey(&name, 0, &handle),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    IoRequestDeviceEject(bus());
    assert_int_equal(vidmm_host_violations(tiny_host), 0);
    assert_false(KeSynchronizeExecution(NULL, NULL, NULL));
    assert_true(tiny_violated(tiny_host, "KeSynchronizeExecution"));
    KeReleaseInterruptSpinLock(NULL, KeAcquireInterruptSpinLock(NULL));
    assert_true(tiny_violated(tiny_host, "KeReleaseInterruptSpinLock"));
    IoDisconnectInterrupt(NULL);
    IoDetachDevice(bus());
    assert_true(tiny_violated(tiny_host, "IoDetachDevice"));
}

#define IRPS_TEST(test) cmocka_unit_test_setup_teardown(test, tiny_setup, tiny_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IRPS_TEST(a_request_comes_back_through_its_completion_routine),
        IRPS_TEST(locations_are_copied_skipped_and_counted),
        IRPS_TEST(a_synchronous_request_tells_its_event),
        IRPS_TEST(a_cancelled_request_calls_its_routine_once),
        IRPS_TEST(a_common_buffer_lies_where_the_device_reaches_it),
        IRPS_TEST(a_list_has_an_element_for_each_run),
        IRPS_TEST(components_tell_their_first_and_last_reference),
        IRPS_TEST(requests_for_power_are_counted),
        IRPS_TEST(a_thread_knows_its_stack),
        IRPS_TEST(a_callout_runs_with_the_stack_that_it_asked_for),
        IRPS_TEST(an_extension_is_found_by_driver_and_client),
        IRPS_TEST(what_a_miniport_cannot_have_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
