/* tiny.c - driver and hardware of tiny.h. */
#include "tiny.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define TAG          0x796e6954u /* "Tiny" */
#define MEMORY_BYTES 65536u

struct tiny tiny;

/* ---- Hardware -------------------------------------------------------------------------------- */

struct tiny_hw {
    const struct vidmm_hw_host *host;
    pthread_mutex_t lock;
    uint32_t rung, done;
    uint64_t wide;
    void *memory;
};

static void *hw_create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    struct tiny_hw *hw = host->alloc(host->ctx, sizeof(*hw));
    if (!hw)
        return NULL;
    hw->host = host;
    hw->memory = host->alloc(host->ctx, MEMORY_BYTES + 4096);
    if (!hw->memory) {
        host->free(host->ctx, hw, sizeof(*hw));
        return NULL;
    }
    pthread_mutex_init(&hw->lock, NULL);
    uintptr_t aligned = ((uintptr_t)hw->memory + 4095) & ~(uintptr_t)4095;
    bars[0] = (struct vidmm_hw_bar){VIDMM_HW_BAR_REGISTERS, 4096, NULL};
    bars[1] = (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, MEMORY_BYTES, (void *)aligned};
    return hw;
}

static void hw_destroy(void *p) {
    struct tiny_hw *hw = p;
    pthread_mutex_destroy(&hw->lock);
    hw->host->free(hw->host->ctx, hw->memory, MEMORY_BYTES + 4096);
    hw->host->free(hw->host->ctx, hw, sizeof(*hw));
}

static uint64_t hw_read(void *p, uint32_t bar, uint64_t offset, uint32_t width) {
    struct tiny_hw *hw = p;
    uint64_t value = 0;
    (void)bar;
    (void)width;
    pthread_mutex_lock(&hw->lock);
    if (offset == TINY_FENCE)
        value = hw->done;
    else if (offset == TINY_WIDE)
        value = hw->wide;
    pthread_mutex_unlock(&hw->lock);
    return value;
}

static void hw_write(void *p, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
    struct tiny_hw *hw = p;
    (void)bar;
    (void)width;
    pthread_mutex_lock(&hw->lock);
    if (offset == TINY_DOORBELL)
        hw->rung = (uint32_t)value;
    else if (offset == TINY_WIDE)
        hw->wide = value;
    pthread_mutex_unlock(&hw->lock);
}

static bool hw_step(void *p, uint32_t engine) {
    struct tiny_hw *hw = p;
    (void)engine;
    pthread_mutex_lock(&hw->lock);
    bool work = hw->done != hw->rung;
    if (work) {
        hw->done++;
        hw->host->advance(hw->host->ctx, 1000);
        hw->host->interrupt(hw->host->ctx, 0);
    }
    pthread_mutex_unlock(&hw->lock);
    return work;
}

const struct vidmm_hw_model tiny_model = {
    .name = "tiny",
    .create = hw_create,
    .destroy = hw_destroy,
    .reg_read = hw_read,
    .reg_write = hw_write,
    .engines = 1,
    .step = hw_step,
};

/* ---- Driver ---------------------------------------------------------------------------------- */

struct tiny_device {
    KSPIN_LOCK lock;
    KEVENT event;
    void *ring; /* contiguous */
    uint32_t reported;
};

static NTSTATUS APIENTRY add_device(const PDEVICE_OBJECT pdo, PVOID *context) {
    (void)pdo;
    struct tiny_device *device = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*device), TAG);
    if (!device)
        return STATUS_NO_MEMORY;
    memset(device, 0, sizeof(*device));
    KeInitializeSpinLock(&device->lock);
    KeInitializeEvent(&device->event, SynchronizationEvent, FALSE);
    *context = device;
    return STATUS_SUCCESS;
}

static void misbehave_in_pool(void) {
    uint8_t *block = ExAllocatePoolWithTag(NonPagedPoolNx, 40, TAG);
    if (!block)
        return;
    if (tiny.overrun)
        block[40] = 1;
    if (tiny.underrun)
        block[-1] = 1;
    if (tiny.leak_pool)
        return;
    ExFreePoolWithTag(block, TAG);
    if (tiny.double_free)
        ExFreePoolWithTag(block, TAG);
    if (tiny.write_after_free)
        block[3] = 1;
}

static NTSTATUS map_bars(PDXGKRNL_INTERFACE dxgkrnl) {
    DXGK_DEVICE_INFO info;
    NTSTATUS status = dxgkrnl->DxgkCbGetDeviceInformation(dxgkrnl->DeviceHandle, &info);
    if (!NT_SUCCESS(status))
        return status;
    CM_PARTIAL_RESOURCE_LIST *list = &info.TranslatedResourceList->List[0].PartialResourceList;
    void *mapped[2] = {NULL, NULL};
    for (ULONG i = 0, n = 0; i < list->Count && n < 2; i++) {
        CM_PARTIAL_RESOURCE_DESCRIPTOR *d = &list->PartialDescriptors[i];
        if (d->Type != CmResourceTypeMemory)
            continue;
        status =
            dxgkrnl->DxgkCbMapMemory(dxgkrnl->DeviceHandle, d->u.Memory.Start, d->u.Memory.Length,
                                     FALSE, FALSE, MmNonCached, &mapped[n++]);
        if (!NT_SUCCESS(status)) {
            if (mapped[0])
                dxgkrnl->DxgkCbUnmapMemory(dxgkrnl->DeviceHandle, mapped[0]);
            return status;
        }
        tiny.memory_length = d->u.Memory.Length;
    }
    tiny.registers = mapped[0];
    tiny.memory = mapped[1];
    return STATUS_SUCCESS;
}

static void unmap_bars(void) {
    tiny.dxgkrnl.DxgkCbUnmapMemory(tiny.dxgkrnl.DeviceHandle, (PVOID)(uintptr_t)tiny.registers);
    if (!tiny.leak_mapping)
        tiny.dxgkrnl.DxgkCbUnmapMemory(tiny.dxgkrnl.DeviceHandle, tiny.memory);
}

static NTSTATUS APIENTRY start_device(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE dxgkrnl, PULONG sources, PULONG children) {
    struct tiny_device *device = context;
    PHYSICAL_ADDRESS any = {.QuadPart = -1};
    (void)info;
    tiny.dxgkrnl = *dxgkrnl;
    if (!NT_SUCCESS(tiny.start_status))
        return tiny.start_status;
    NTSTATUS status = map_bars(dxgkrnl);
    if (!NT_SUCCESS(status))
        return status;
    device->ring = MmAllocateContiguousMemory(8192, any);
    if (!device->ring) {
        unmap_bars();
        return STATUS_NO_MEMORY;
    }
    misbehave_in_pool();
    if (tiny.leak_mdl)
        IoAllocateMdl(device->ring, 8192, FALSE, FALSE, NULL);
    if (tiny.in_start)
        tiny.in_start();
    *sources = *children = 0;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY stop_device(const PVOID context) {
    struct tiny_device *device = context;
    if (!tiny.leak_contiguous)
        MmFreeContiguousMemory(device->ring);
    unmap_bars();
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY remove_device(const PVOID context) {
    ExFreePoolWithTag(context, TAG);
    return STATUS_SUCCESS;
}

static VOID APIENTRY unload(VOID) {
}

static BOOLEAN APIENTRY interrupt_routine(const PVOID context, ULONG message) {
    struct tiny_device *device = context;
    uint32_t done = READ_REGISTER_ULONG((volatile ULONG *)(tiny.registers + TINY_FENCE));
    (void)message;
    tiny.isr_calls++;
    tiny.isr_irql = KeGetCurrentIrql();
    while (device->reported != done) {
        DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
        data.DmaCompleted.SubmissionFenceId = ++device->reported;
        tiny.dxgkrnl.DxgkCbNotifyInterrupt(tiny.dxgkrnl.DeviceHandle, &data);
    }
    tiny.dxgkrnl.DxgkCbQueueDpc(tiny.dxgkrnl.DeviceHandle);
    return TRUE;
}

static VOID APIENTRY dpc_routine(const PVOID context) {
    struct tiny_device *device = context;
    tiny.dpc_calls++;
    tiny.dpc_irql = KeGetCurrentIrql();
    tiny.dxgkrnl.DxgkCbNotifyDpc(tiny.dxgkrnl.DeviceHandle);
    KeSetEvent(&device->event, 0, FALSE);
}

static void misbehave_in_submit(struct tiny_device *device) {
    KIRQL old;
    if (tiny.paged_at_dispatch) {
        void *block = ExAllocatePoolWithTag(PagedPool, 16, TAG);
        ExFreePool(block);
    }
    if (tiny.spin_twice) {
        KeAcquireSpinLockAtDpcLevel(&device->lock);
        KeAcquireSpinLockAtDpcLevel(&device->lock);
        KeReleaseSpinLockFromDpcLevel(&device->lock);
    }
    if (tiny.raise_and_forget)
        KeRaiseIrql(HIGH_LEVEL, &old);
}

static NTSTATUS APIENTRY submit_command(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    tiny.submit_irql = KeGetCurrentIrql();
    if (tiny.in_submit)
        tiny.in_submit();
    misbehave_in_submit(adapter);
    WRITE_REGISTER_ULONG((volatile ULONG *)(tiny.registers + TINY_DOORBELL),
                         args->SubmissionFenceId);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build_paging_buffer(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *args) {
    struct tiny_device *device = adapter;
    __atomic_store_n(&tiny.paging_irql, KeGetCurrentIrql(), __ATOMIC_RELAXED);
    if (tiny.in_paging)
        tiny.in_paging();
    if (tiny.wait_for_ever)
        KeWaitForSingleObject(&device->event, Executive, KernelMode, FALSE, NULL);
    if (tiny.notify_at_passive) {
        DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
        tiny.dxgkrnl.DxgkCbNotifyInterrupt(tiny.dxgkrnl.DeviceHandle, &data);
    }
    if (tiny.read_nowhere) {
        static ULONG nowhere;
        tiny.setting = READ_REGISTER_ULONG(&nowhere);
    }
    args->pDmaBuffer = (uint8_t *)args->pDmaBuffer + 16;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_device(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    (void)adapter;
    (void)args;
    if (tiny.in_create_device)
        tiny.in_create_device();
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI tiny_driver_entry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
    DRIVER_INITIALIZATION_DATA data = {
        .Version = tiny.version != 0 ? tiny.version : DXGKDDI_INTERFACE_VERSION_WDDM2_0};
    data.DxgkDdiAddDevice = add_device;
    data.DxgkDdiStartDevice = start_device;
    data.DxgkDdiStopDevice = stop_device;
    data.DxgkDdiRemoveDevice = remove_device;
    data.DxgkDdiUnload = unload;
    data.DxgkDdiInterruptRoutine = interrupt_routine;
    data.DxgkDdiDpcRoutine = dpc_routine;
    data.DxgkDdiCreateDevice = create_device;
    data.DxgkDdiSubmitCommand = submit_command;
    data.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    return DxgkInitialize(driver, path, &data);
}

/* ---- Help for tests -------------------------------------------------------------------------- */

struct vidmm_host_config tiny_config(void) {
    memset(&tiny, 0, sizeof(tiny));
    return (struct vidmm_host_config){.driver_entry = tiny_driver_entry,
                                      .model = &tiny_model,
                                      .memory_bytes = (uint64_t)64 << 20};
}

struct vidmm_host *tiny_up(const struct vidmm_host_config *config) {
    struct vidmm_host *host = NULL;
    struct vidmm_host_error error;
    if (!vidmm_host_create(config, &host, &error) || !vidmm_host_start(host, &error))
        fail_msg("%s", error.text);
    return host;
}

bool tiny_down(struct vidmm_host *host, struct vidmm_host_error *error) {
    assert_true(vidmm_host_stop(host, error));
    return vidmm_host_destroy(host, error);
}

bool tiny_violated(struct vidmm_host *host, const char *text) {
    for (uint32_t i = 0; i < vidmm_host_violations(host); i++)
        if (strstr(vidmm_host_violation(host, i), text))
            return true;
    return false;
}

NTSTATUS tiny_submit(struct vidmm_host *host, uint32_t fence) {
    DXGKARG_SUBMITCOMMAND args = {.SubmissionFenceId = fence, .DmaBufferSize = 4096};
    return vidmm_host_ddi(host)->DxgkDdiSubmitCommand(vidmm_host_adapter(host), &args);
}
