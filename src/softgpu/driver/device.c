/*
 * device.c - the life of the adapter: add, start (map the registers, read the straps), stop,
 * remove.
 */
#include "driver/kmd.h"

/* SetPowerState names the adapter itself so, and a child by its id. */
#ifndef DISPLAY_ADAPTER_HW_ID
#define DISPLAY_ADAPTER_HW_ID 0xffffffffu
#endif

NTSTATUS APIENTRY kmd_add_device(const PDEVICE_OBJECT PhysicalDeviceObject,
                                 PVOID *MiniportDeviceContext) {
    UNREFERENCED_PARAMETER(PhysicalDeviceObject);
    struct kmd_adapter *adapter = kmd_alloc(sizeof(*adapter));
    if (!adapter)
        return STATUS_NO_MEMORY;
    adapter->settings = *kmd_settings();
    kmd_link_add(adapter);
    *MiniportDeviceContext = adapter;
    return STATUS_SUCCESS;
}

/* The n-th memory resource of the device; false when it has fewer. */
static bool memory_resource(const DXGK_DEVICE_INFO *info, UINT n, PHYSICAL_ADDRESS *start) {
    const CM_RESOURCE_LIST *list = info->TranslatedResourceList;
    if (!list || list->Count == 0)
        return false;
    const CM_PARTIAL_RESOURCE_LIST *partial = &list->List[0].PartialResourceList;
    for (ULONG i = 0; i < partial->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &partial->PartialDescriptors[i];
        if (resource->Type != CmResourceTypeMemory && resource->Type != CmResourceTypeMemoryLarge)
            continue;
        if (n-- == 0) {
            RtlCopyMemory(start, &resource->u.Memory.Start, sizeof(*start));
            return true;
        }
    }
    return false;
}

static void read_straps(struct kmd_adapter *adapter) {
    adapter->nodes = kmd_read(adapter, GPU_REG_NODES);
    adapter->ranges = kmd_read(adapter, GPU_REG_RANGES);
    adapter->vram_bytes = kmd_read64(adapter, GPU_REG_VRAM);
    adapter->visible_bytes = kmd_read64(adapter, GPU_REG_VISIBLE);
    for (UINT i = 0; i < GPU_APERTURES; i++)
        adapter->aperture_bytes[i] = kmd_read64(adapter, GPU_REG_APERTURE(i));
    /* The MMU of a driver that is older than GpuMmu stays unused. */
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        adapter->mmu.format =
            gpu_mmu_format(kmd_read(adapter, GPU_REG_MMU), kmd_read64(adapter, GPU_REG_MMU_BITS));
    /* So does the plane of one that is older than dirty bits. */
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        adapter->dirty.page = kmd_read(adapter, GPU_REG_DIRTY_PAGE);
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        adapter->host_bytes = kmd_read64(adapter, GPU_REG_HOST_BYTES);
    adapter->iommu = adapter->settings.iommu != 0 &&
                     adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
                     kmd_read(adapter, GPU_REG_IOMMU) != 0;
}

/* BARs that the board does not have leave no hole in the resource list. */
static NTSTATUS find_bars(struct kmd_adapter *adapter, const DXGK_DEVICE_INFO *info,
                          PHYSICAL_ADDRESS *plane, PHYSICAL_ADDRESS *entries) {
    UINT next = 1;
    if ((adapter->visible_bytes != 0 && !memory_resource(info, next++, &adapter->vram)) ||
        (adapter->ranges != 0 && !memory_resource(info, next++, &adapter->windows)) ||
        (adapter->dirty.page != 0 && !memory_resource(info, next++, plane)))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    bool apertures = adapter->aperture_bytes[0] != 0 || adapter->aperture_bytes[1] != 0;
    if (adapter->dirty.page != 0 && kmd_mmu_on(adapter) && apertures &&
        !memory_resource(info, next++, entries))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    if (adapter->host_bytes != 0 && !memory_resource(info, next, &adapter->host_window))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    return STATUS_SUCCESS;
}

/* At the interrupt's level: one that is being served has ended, and the next finds nothing. */
static BOOLEAN NTAPI forget_registers(PVOID context) {
    struct kmd_adapter *adapter = context;
    adapter->registers = NULL;
    return TRUE;
}

/* An interrupt that was raised before they were disabled may be served until it is disconnected. */
static void device_unmap(struct kmd_adapter *adapter) {
    PUCHAR registers = adapter->registers;
    BOOLEAN forgotten;
    kmd_migration_stop(adapter);
    kmd_dirty_stop(adapter);
    (void)adapter->dxgk.DxgkCbSynchronizeExecution(adapter->dxgk.DeviceHandle, forget_registers,
                                                   adapter, 0, &forgotten);
    MmUnmapIoSpace(registers, GPU_REGISTER_BYTES);
}

static NTSTATUS bring_up(struct kmd_adapter *adapter, const DXGK_DEVICE_INFO *info) {
    PHYSICAL_ADDRESS registers, plane = {0}, entries = {0};
    if (!memory_resource(info, 0, &registers))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    adapter->registers = MmMapIoSpace(registers, GPU_REGISTER_BYTES, MmNonCached);
    if (!adapter->registers)
        return STATUS_NO_MEMORY;
    NTSTATUS status = STATUS_DEVICE_DOES_NOT_EXIST;
    if (kmd_read(adapter, GPU_REG_ID) == GPU_ID_VALUE) {
        read_straps(adapter);
        status = find_bars(adapter, info, &plane, &entries);
    }
    KeInitializeSpinLock(&adapter->host_lock);
    if (NT_SUCCESS(status) && !kmd_link_sound(adapter))
        status = STATUS_DEVICE_CONFIGURATION_ERROR;
    if (NT_SUCCESS(status))
        status = kmd_segments_build(adapter);
    if (NT_SUCCESS(status))
        status = kmd_mmu_build(adapter);
    if (NT_SUCCESS(status))
        status = kmd_dirty_start(adapter, plane);
    if (NT_SUCCESS(status))
        status = kmd_migration_start(adapter, entries);
    if (!NT_SUCCESS(status)) {
        device_unmap(adapter);
        return status;
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_start_device(const PVOID MiniportDeviceContext,
                                   PDXGK_START_INFO DxgkStartInfo, PDXGKRNL_INTERFACE DxgkInterface,
                                   PULONG NumberOfVideoPresentSources, PULONG NumberOfChildren) {
    struct kmd_adapter *adapter = MiniportDeviceContext;
    DXGK_DEVICE_INFO info = {0};
    UNREFERENCED_PARAMETER(DxgkStartInfo);
    /* Size says how much of the interface this system has. */
    SIZE_T known = sizeof(adapter->dxgk);
    RtlZeroMemory(&adapter->dxgk, known);
    RtlCopyMemory(&adapter->dxgk, DxgkInterface,
                  DxgkInterface->Size < known ? DxgkInterface->Size : known);
    NTSTATUS status = adapter->dxgk.DxgkCbGetDeviceInformation(adapter->dxgk.DeviceHandle, &info);
    if (NT_SUCCESS(status))
        status = bring_up(adapter, &info);
    if (!NT_SUCCESS(status))
        return status;
    *NumberOfVideoPresentSources = *NumberOfChildren = adapter->settings.displays;
    kmd_engines_begin(adapter);
    kmd_interrupts(adapter, true);
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_stop_device(const PVOID MiniportDeviceContext) {
    struct kmd_adapter *adapter = MiniportDeviceContext;
    if (adapter->registers) {
        kmd_interrupts(adapter, false);
        kmd_displays_off(adapter);
        device_unmap(adapter);
    }
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_remove_device(const PVOID MiniportDeviceContext) {
    kmd_link_remove(MiniportDeviceContext);
    kmd_free(MiniportDeviceContext);
    return STATUS_SUCCESS;
}

/* Engines forget the fences that they completed; VRAM is the system's. */
NTSTATUS APIENTRY kmd_set_power_state(const PVOID MiniportDeviceContext, ULONG DeviceUid,
                                      DEVICE_POWER_STATE DevicePowerState,
                                      POWER_ACTION ActionType) {
    struct kmd_adapter *adapter = MiniportDeviceContext;
    UNREFERENCED_PARAMETER(ActionType);
    if (DeviceUid != DISPLAY_ADAPTER_HW_ID)
        return STATUS_SUCCESS;
    if (DevicePowerState != PowerDeviceD0)
        kmd_settle_all(adapter);
    else
        kmd_swizzle_restore(adapter);
    kmd_interrupts(adapter, DevicePowerState == PowerDeviceD0);
    return STATUS_SUCCESS;
}

/* The system is going down and wants a plain frame buffer, which this GPU never had. */
VOID APIENTRY kmd_reset_device(const PVOID MiniportDeviceContext) {
    const struct kmd_adapter *adapter = MiniportDeviceContext;
    if (adapter->registers)
        kmd_interrupts(adapter, false);
}
