/*
 * names.c - the stable names of things in reports. Scripts read them: add, never change.
 */
#include "names.h"

#include <inttypes.h>

const char *report_op_name(enum vidmm_op_kind kind) {
    static const char *const names[VIDMM_OP_KINDS] = {
        [VIDMM_OP_TRANSFER] = "transfer",
        [VIDMM_OP_FILL] = "fill",
        [VIDMM_OP_DISCARD] = "discard",
        [VIDMM_OP_READ_PHYSICAL] = "read_physical",
        [VIDMM_OP_WRITE_PHYSICAL] = "write_physical",
        [VIDMM_OP_MAP] = "map_aperture",
        [VIDMM_OP_UNMAP] = "unmap_aperture",
        [VIDMM_OP_SPECIAL_LOCK_TRANSFER] = "special_lock_transfer",
        [VIDMM_OP_INIT_CONTEXT_RESOURCE] = "init_context_resource",
        [VIDMM_OP_UPDATE_PAGE_TABLE] = "update_page_table",
        [VIDMM_OP_FLUSH_TLB] = "flush_tlb",
        [VIDMM_OP_VIRTUAL_TRANSFER] = "virtual_transfer",
        [VIDMM_OP_VIRTUAL_FILL] = "virtual_fill",
        [VIDMM_OP_COPY_ENTRIES] = "copy_page_table_entries",
        [VIDMM_OP_UPDATE_CONTEXT_ALLOCATION] = "update_context_allocation",
        [VIDMM_OP_NOTIFY_RESIDENCY] = "notify_residency",
        [VIDMM_OP_SIGNAL_FENCE] = "signal_monitored_fence",
    };
    return names[kind];
}

const char *report_status_name(enum vidmm_run_status status) {
    static const char *const names[] = {
        [VIDMM_RUN_VERIFIED] = "verified",
        [VIDMM_RUN_WRONG] = "wrong",
        [VIDMM_RUN_BAD_INPUT] = "bad input",
        [VIDMM_RUN_DRIVER_FAILED] = "failed",
    };
    return names[status];
}

const char *report_migrate_status_name(enum vidmm_migrate_status status) {
    static const char *const names[] = {
        [VIDMM_MIGRATE_DONE] = "done",           [VIDMM_MIGRATE_WRONG] = "wrong",
        [VIDMM_MIGRATE_BAD_INPUT] = "bad input", [VIDMM_MIGRATE_DRIVER_FAILED] = "failed",
        [VIDMM_MIGRATE_STAYED] = "stayed",       [VIDMM_MIGRATE_IN_DOUBT] = "in doubt",
    };
    return names[status];
}

/* Names of DXGK_SEGMENTFLAGS by bit (ns-d3dkmddi-_dxgk_segmentflags). */
static const char *const segment_flags[] = {
    "Aperture",
    "Agp",
    "CpuVisible",
    "UseBanking",
    "CacheCoherent",
    "PitchAlignment",
    "PopulatedFromSystemMemory",
    "PreservedDuringStandby",
    "PreservedDuringHibernate",
    "PartiallyPreservedDuringHibernate",
    "DirectFlip",
    "Use64KBPages",
    "ReservedSysMem",
    "SupportsCpuHostAperture",
    "SupportsCachedCpuHostAperture",
    "ApplicationTarget",
    "VprSupported",
    "VprPreservedDuringStandby",
    "EncryptedPagingSupported",
    "LocalBudgetGroup",
    "NonLocalBudgetGroup",
    "PopulatedByReservedDDRByFirmware",
};

const char *report_segment_flag(unsigned bit, char name[16]) {
    if (bit < sizeof(segment_flags) / sizeof(segment_flags[0]))
        return segment_flags[bit];
    snprintf(name, 16, "bit %u", bit % 32);
    return name;
}

const char *report_model(const struct vidmm_gpummu_info *mmu) {
    return mmu->on ? "gpummu" : mmu->iommu ? "iommu" : "physical";
}

const char *report_mmu_feature(unsigned bit) {
    /* Bits of DXGK_GPUMMUCAPS (ns-d3dkmddi-_dxgk_gpummucaps). */
    static const char *const names[] = {
        "ReadOnlyMemorySupported",
        "NoExecuteMemorySupported",
        "ZeroInPteSupported",
        "ExplicitPageTableInvalidation",
        "CacheCoherentMemorySupported",
        "PageTableUpdateRequireAddressSpaceIdle",
        "LargePageSupported",
        "DualPteSupported",
        "AllowNonAlignedLargePageAddress",
        "SysMem64KBPageSupported",
        "InvalidTlbEntriesNotCached",
        "SysMemLargePageSupported",
        "CachedPageTables",
    };
    return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

const char *report_update_mode(DXGK_PAGETABLEUPDATEMODE mode) {
    switch (mode) {
    case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL:
        return "cpu_virtual";
    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL:
        return "gpu_virtual";
    case DXGK_PAGETABLEUPDATE_GPU_PHYSICAL:
        break;
    }
    return "gpu_physical";
}

const char *report_page_sizes(const DXGK_GPUMMUCAPS *caps) {
    if (caps->LeafPageTableSizeFor64KPagesInBytes == 0)
        return "4 KiB";
    return caps->DualPteSupported ? "4 KiB and 64 KiB, both below an entry"
                                  : "4 KiB or 64 KiB, by leaf table";
}

const char *report_table_home(uint32_t segment, char *text, size_t size) {
    if (segment == 0)
        return "system";
    snprintf(text, size, "%" PRIu32, segment);
    return text;
}

uint64_t report_level_bytes(const struct vidmm_gpummu_info *mmu, uint32_t level) {
    uint64_t bits = 12;
    for (uint32_t below = 0; below <= level; below++)
        bits += mmu->level[below].index_bits;
    return level + 1 == mmu->levels ? UINT64_C(1) << mmu->caps.VirtualAddressBitCount
                                    : UINT64_C(1) << bits;
}
