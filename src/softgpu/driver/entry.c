/*
 * entry.c - DriverEntry: the table of entry points, as far as the declared version has them.
 */
#include <vidmm/softgpu.h>

#include "driver/kmd.h"

static DXGKDDI_UNLOAD entry_unload;
static VOID APIENTRY entry_unload(VOID) {
}

static void device_entries(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiAddDevice = kmd_add_device;
    table->DxgkDdiStartDevice = kmd_start_device;
    table->DxgkDdiStopDevice = kmd_stop_device;
    table->DxgkDdiRemoveDevice = kmd_remove_device;
    table->DxgkDdiInterruptRoutine = kmd_interrupt_routine;
    table->DxgkDdiDpcRoutine = kmd_dpc_routine;
    table->DxgkDdiSetPowerState = kmd_set_power_state;
    table->DxgkDdiResetDevice = kmd_reset_device;
    table->DxgkDdiUnload = entry_unload;
    table->DxgkDdiQueryAdapterInfo = kmd_query_adapter_info;
    table->DxgkDdiResetFromTimeout = kmd_reset_from_timeout;
    table->DxgkDdiRestartFromTimeout = kmd_restart_from_timeout;
    table->DxgkDdiCollectDbgInfo = kmd_collect_dbg_info;
}

static void memory_entries(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiCreateDevice = kmd_create_device;
    table->DxgkDdiDestroyDevice = kmd_destroy_device;
    table->DxgkDdiCreateContext = kmd_create_context;
    table->DxgkDdiDestroyContext = kmd_destroy_context;
    table->DxgkDdiCreateAllocation = kmd_create_allocation;
    table->DxgkDdiDestroyAllocation = kmd_destroy_allocation;
    table->DxgkDdiDescribeAllocation = kmd_describe_allocation;
    table->DxgkDdiGetStandardAllocationDriverData = kmd_get_standard_allocation;
    table->DxgkDdiOpenAllocation = kmd_open_allocation;
    table->DxgkDdiCloseAllocation = kmd_close_allocation;
    table->DxgkDdiBuildPagingBuffer = kmd_build_paging_buffer;
    table->DxgkDdiAcquireSwizzlingRange = kmd_acquire_swizzling_range;
    table->DxgkDdiReleaseSwizzlingRange = kmd_release_swizzling_range;
    table->DxgkDdiRender = kmd_render;
    table->DxgkDdiPresent = kmd_present;
    table->DxgkDdiPatch = kmd_patch;
    table->DxgkDdiSubmitCommand = kmd_submit_command;
    table->DxgkDdiPreemptCommand = kmd_preempt_command;
    table->DxgkDdiQueryCurrentFence = kmd_query_current_fence;
}

/* Slots that the declared version does not have are not ours to fill. */
static void newer_entries(DRIVER_INITIALIZATION_DATA *table) {
    const struct kmd_settings *settings = kmd_settings();
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WIN7 && settings->gdi != 0)
        table->DxgkDdiRenderKm = kmd_render_km;
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WIN8) {
        table->DxgkDdiQueryDependentEngineGroup = kmd_query_dependent_engine_group;
        table->DxgkDdiQueryEngineStatus = kmd_query_engine_status;
        table->DxgkDdiResetEngine = kmd_reset_engine;
    }
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 && settings->linked > 1)
        table->DxgkDdiLinkDevice = kmd_link_device;
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
        table->DxgkDdiGetNodeMetadata = kmd_get_node_metadata;
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) {
        table->DxgkDdiCreateProcess = kmd_create_process;
        table->DxgkDdiDestroyProcess = kmd_destroy_process;
    }
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
        (settings->mmu_levels != 0 || settings->iommu != 0))
        table->DxgkDdiSubmitCommandVirtual = kmd_submit_command_virtual;
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 && settings->mmu_levels != 0) {
        table->DxgkDdiSetRootPageTable = kmd_set_root_page_table;
        table->DxgkDdiGetRootPageTableSize = kmd_get_root_page_table_size;
    }
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 && settings->host_aperture_bytes != 0) {
        table->DxgkDdiMapCpuHostAperture = kmd_map_cpu_host_aperture;
        table->DxgkDdiUnmapCpuHostAperture = kmd_unmap_cpu_host_aperture;
    }
    if (table->Version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        table->DxgkDdiValidateUpdateAllocationProperty = kmd_validate_update_allocation_property;
}

static void migration_entries(DRIVER_INITIALIZATION_DATA *table) {
    const struct kmd_settings *settings = kmd_settings();
    if (table->Version < DXGKDDI_INTERFACE_VERSION_WDDM3_2 || settings->dirty_page_bytes == 0)
        return;
    table->DxgkDdiCreateMemoryBasis = kmd_create_memory_basis;
    table->DxgkDdiDestroyMemoryBasis = kmd_destroy_memory_basis;
    table->DxgkDdiStartDirtyTracking = kmd_start_dirty_tracking;
    table->DxgkDdiStopDirtyTracking = kmd_stop_dirty_tracking;
    table->DxgkDdiQueryDirtyBitData = kmd_query_dirty_bit_data;
    if (settings->mmu_levels == 0)
        return;
    table->DxgkDdiPrepareLiveMigration = kmd_prepare_live_migration;
    table->DxgkDdiEndLiveMigration = kmd_end_live_migration;
    table->DxgkDdiSaveImmutableMigrationData = kmd_save_immutable_migration_data;
    table->DxgkDdiSaveMutableMigrationData = kmd_save_mutable_migration_data;
    table->DxgkDdiRestoreImmutableMigrationData = kmd_restore_immutable_migration_data;
    table->DxgkDdiRestoreMutableMigrationData = kmd_restore_mutable_migration_data;
}

NTSTATUS NTAPI vidmm_softgpu_entry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    DRIVER_INITIALIZATION_DATA table = {0};
    NTSTATUS status = kmd_read_settings(RegistryPath);
    if (!NT_SUCCESS(status))
        return status;
    table.Version = kmd_settings()->version;
    device_entries(&table);
    memory_entries(&table);
    kmd_display_entries(&table);
    newer_entries(&table);
    migration_entries(&table);
    return DxgkInitialize(DriverObject, RegistryPath, &table);
}
