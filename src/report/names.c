/*
 * names.c - the stable names of things in reports. Scripts read them: add, never change.
 */
#include "names.h"

#include <inttypes.h>
#include <stdio.h>

#include <vidmm/interfaces.h>

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

/* ---- Interface versions ---------------------------------------------------------------------- */

const char *report_interface(uint32_t version, char *text, size_t size) {
    const char *name = vidmm_run_ddi_name(version);
    snprintf(text, size, "0x%" PRIX32, version);
    return name ? name : text;
}

bool report_interface_note(uint32_t registered, uint32_t wddm, uint32_t spoken, char *text,
                           size_t size) {
    const struct vidmm_interface *table = vidmm_interface(registered);
    const struct vidmm_interface *caps = vidmm_interface_of_wddm(wddm);
    char numbers[3][16];
    text[0] = '\0';
    if (table && wddm == 0 && spoken >= DXGKDDI_INTERFACE_VERSION_WIN8) {
        snprintf(text, size,
                 "DRIVERCAPS says no WDDMVersion, as its page asks for, and Windows 11 was seen to "
                 "show Code 43 then (vidmm rules W3): 0x%" PRIX32 " is %s",
                 table->wddm, report_interface(registered, numbers[0], sizeof(numbers[0])));
        return true;
    }
    if (!table || !caps || table->wddm == caps->wddm)
        return false;
    snprintf(text, size,
             "DRIVER_INITIALIZATION_DATA.Version is 0x%" PRIX32
             " (%s), DRIVERCAPS.WDDMVersion 0x%" PRIX32
             " (%s): vidmm speaks %s; build the driver with -DDXGKDDI_INTERFACE_VERSION=%s",
             registered, report_interface(registered, numbers[0], sizeof(numbers[0])), wddm,
             report_interface(caps->version, numbers[1], sizeof(numbers[1])),
             report_interface(spoken, numbers[2], sizeof(numbers[2])), caps->defined);
    return true;
}
