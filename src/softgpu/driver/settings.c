/* settings.c - what the registry says (vidmm/softgpu.h). */
#include "driver/kmd.h"

/* One copy for the loaded driver, as with any driver's registry parameters. */
static struct kmd_settings settings;

const struct kmd_settings *kmd_settings(void) {
    return &settings;
}

static RTL_QUERY_REGISTRY_TABLE settings_number(const void *name, ULONG *value) {
    RTL_QUERY_REGISTRY_TABLE entry = {0};
    entry.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    entry.Name = (PWSTR)(uintptr_t)name;
    entry.EntryContext = value;
    entry.DefaultType = ((ULONG)REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT) | REG_DWORD;
    entry.DefaultData = value;
    entry.DefaultLength = sizeof(*value);
    return entry;
}

NTSTATUS kmd_refuse(const char *why) {
    (void)DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "%s\n", why);
    return STATUS_INVALID_PARAMETER;
}

static NTSTATUS settings_judge(void) {
    if (!IS_OFFICIAL_DDI_INTERFACE_VERSION(settings.version))
        return kmd_refuse("InterfaceVersion is of no Windows");
    if (settings.banks > KMD_BANKS_MAX)
        return kmd_refuse("Banks is at most 127");
    if (settings.paging_bytes == 0)
        return kmd_refuse("PagingBufferBytes is 0");
    if (settings.paging_segment > 1)
        return kmd_refuse("PagingBufferSegment is at most 1");
    if (settings.dma_segment > 1)
        return kmd_refuse("DmaBufferSegment is at most 1");
    if (settings.displays > GPU_DISPLAYS)
        return kmd_refuse("Displays is at most 2");
    if (settings.displays != 0 && settings.linked > 1)
        return kmd_refuse("Displays goes without Linked");
    if (settings.linked > GPU_LINK_LIMIT)
        return kmd_refuse("Linked is at most 4");
    if (settings.context_bytes % GPU_PAGE != 0 ||
        settings.context_bytes > GPU_SAVE_PAGES_MAX * GPU_PAGE)
        return kmd_refuse("ContextBytes is not made of pages, or of too many");
    if (settings.mmu_update_mode > DXGK_PAGETABLEUPDATE_GPU_PHYSICAL)
        return kmd_refuse("MmuUpdateMode is at most 2");
    return STATUS_SUCCESS;
}

NTSTATUS kmd_read_settings(PUNICODE_STRING registry_path) {
    settings = (struct kmd_settings){
        .version = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .paging_bytes = 65536,
        .vram_segments = 1,
        .mmu_update_mode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL,
    };
    RTL_QUERY_REGISTRY_TABLE table[] = {
        settings_number(u"InterfaceVersion", &settings.version),
        settings_number(u"PagingBufferBytes", &settings.paging_bytes),
        settings_number(u"PagingBufferSegment", &settings.paging_segment),
        settings_number(u"PagingPrivateBytes", &settings.paging_private),
        settings_number(u"DmaBufferSegment", &settings.dma_segment),
        settings_number(u"Banks", &settings.banks),
        settings_number(u"VramSegments", &settings.vram_segments),
        settings_number(u"BusyEvery", &settings.busy_every),
        settings_number(u"Agp", &settings.agp),
        settings_number(u"AgpCommitLimit", &settings.agp_commit_limit),
        settings_number(u"MmuLevels", &settings.mmu_levels),
        settings_number(u"MmuUpdateMode", &settings.mmu_update_mode),
        settings_number(u"MmuTableSegment", &settings.mmu_table_segment),
        settings_number(u"MmuDemands", &settings.mmu_demands),
        settings_number(u"ContextBytes", &settings.context_bytes),
        settings_number(u"CpuHostApertureBytes", &settings.host_aperture_bytes),
        settings_number(u"VprBytes", &settings.vpr_bytes),
        settings_number(u"DirtyPageBytes", &settings.dirty_page_bytes),
        settings_number(u"DirtyPerformant", &settings.dirty_performant),
        settings_number(u"MapAperture2", &settings.map_aperture2),
        settings_number(u"Iommu", &settings.iommu),
        settings_number(u"Gdi", &settings.gdi),
        settings_number(u"Linked", &settings.linked),
        settings_number(u"Displays", &settings.displays),
        {0},
    };
    NTSTATUS status =
        RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, registry_path->Buffer, table, NULL, NULL);
    return NT_SUCCESS(status) ? settings_judge() : status;
}
