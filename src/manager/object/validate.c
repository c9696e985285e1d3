/*
 * validate.c - see validate.h. The rules are those of group D, from
 * ns-d3dkmddi-_dxgk_allocationinfo.md and ns-d3dkmddi-_dxgk_allocationinfoflags.md.
 */
#include "object/validate.h"

#include "object/allocation.h"
#include "object/aperture.h"

#define CALL             "DxgkDdiCreateAllocation"
#define INFO_PAGE        "ns-d3dkmddi-_dxgk_allocationinfo"
#define FLAGS_PAGE       "ns-d3dkmddi-_dxgk_allocationinfoflags"
#define WDDM2_FLAGS_PAGE FLAGS_PAGE "_wddm2_0"

/* Bits 19..31 are reserved in every version, 15..18 before WDDM 2.0, 14 before WDDM 1.3. */
static UINT reserved_flags(UINT version) {
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return 0xfff80000u;
    return version >= DXGKDDI_INTERFACE_VERSION_WDDM1_3 ? 0xffff8000u : 0xffffc000u;
}

struct validation {
    struct vidmm_adapter *adapter;
    uint32_t home;
    uint32_t index;
    bool broken;
};

static void validate_broke(struct validation *validation, const char *field, const char *expected,
                           const char *rule, const char *page, uint64_t value) {
    if (validation->broken)
        return;
    validation->broken = true;
    (void)FAIL(validation->adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = CALL, .field = field,
               .expected = expected, .rule = rule, .page = page, .index = validation->index,
               .value = value);
}

static void validate_size(struct validation *validation, const DXGK_ALLOCATIONINFO *info) {
    if (info->Size == 0)
        validate_broke(validation, "DXGK_ALLOCATIONINFO.Size", "not 0", "R92", INFO_PAGE, 0);
    if (info->Alignment & (info->Alignment - 1))
        validate_broke(validation, "DXGK_ALLOCATIONINFO.Alignment", "0 or a power of two", "R92",
                       INFO_PAGE, info->Alignment);
    if (info->PitchAlignedSize && info->PitchAlignedSize < info->Size)
        validate_broke(validation, "DXGK_ALLOCATIONINFO.PitchAlignedSize", "0 or at least Size",
                       "R94", INFO_PAGE, info->PitchAlignedSize);
    if (info->Size > UINT64_MAX / 2)
        validate_broke(validation, "DXGK_ALLOCATIONINFO.Size", "a size that memory can have", "R92",
                       INFO_PAGE, info->Size);
}

/* A home that there is not counts as the first one in what follows. */
static void validate_home(struct validation *validation, const DXGK_ALLOCATIONINFO *info) {
    const struct vidmm_adapter *adapter = validation->adapter;
    uint32_t home = allocation_home_of(adapter, info);
    if (home >= adapter->facts.linked)
        validate_broke(validation, "DXGK_ALLOCATIONINFO.PhysicalAdapterIndex",
                       "less than the number of linked adapters", "R12", INFO_PAGE, home);
    else
        validation->home = home;
}

static void validate_preference(struct validation *validation, const DXGK_ALLOCATIONINFO *info,
                                uint32_t supported) {
    UINT preference = info->PreferredSegment.Value;
    for (uint32_t i = 0; i < 5; i++, preference >>= 6) {
        UINT id = preference & 31u;
        if (id && !((supported >> (id - 1)) & 1u))
            validate_broke(validation, "DXGK_ALLOCATIONINFO.PreferredSegment",
                           "segments of the supported segment sets", "R95", INFO_PAGE, id);
    }
}

static void validate_sets(struct validation *validation, const DXGK_ALLOCATIONINFO *info) {
    const struct vidmm_adapter *adapter = validation->adapter;
    const struct adapter_facts *facts = &adapter->facts;
    const struct physical_facts *physical = &facts->physical[validation->home];
    uint32_t all = driver_segment_set(facts, validation->home, UINT32_MAX);
    uint32_t both = allocation_read_set_of(adapter, info) | info->SupportedWriteSegmentSet;
    if ((both & ~all) || both == 0)
        validate_broke(validation, "DXGK_ALLOCATIONINFO.SupportedWriteSegmentSet",
                       "segments that the adapter has, at least one", "R16", INFO_PAGE, both);
    validate_preference(validation, info, both);
    if (info->EvictionSegmentSet &
        ~driver_segment_set(facts, validation->home, adapter->sets.aperture))
        validate_broke(validation, "DXGK_ALLOCATIONINFO.EvictionSegmentSet",
                       "aperture segments only", "R99", INFO_PAGE, info->EvictionSegmentSet);
    for (uint32_t i = 0; i < physical->segment_count; i++) {
        const struct segment *segment = &facts->segments[physical->first_segment + i];
        if (segment->flags.Use64KBPages && (both >> i & 1u) && info->Alignment &&
            info->Alignment % 65536)
            validate_broke(validation, "DXGK_ALLOCATIONINFO.Alignment",
                           "a multiple of 64 KB where a segment with Use64KBPages is supported",
                           "R57", "ns-d3dkmddi-_dxgk_segmentflags", info->Alignment);
    }
}

static void validate_backing(struct validation *validation, DXGK_ALLOCATIONINFOFLAGS flags,
                             const struct vidmm_allocation_request *request) {
    bool existing = flags.ExistingSysMem || flags.ExistingKernelSysMem;
    if (flags.PermanentSysMem && (!flags.CpuVisible || request->primary))
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS.PermanentSysMem",
                       "only with CpuVisible, and not on a primary", "R106", FLAGS_PAGE,
                       flags.Value);
    if (flags.Cached && (!flags.CpuVisible || request->primary))
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS.Cached",
                       "only with CpuVisible, and not on a primary", "R109", FLAGS_PAGE,
                       flags.Value);
    if (flags.Protected && (flags.PermanentSysMem || existing || request->primary))
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS.Protected",
                       "not with PermanentSysMem or existing system memory, and not on a primary",
                       "R111", FLAGS_PAGE, flags.Value);
    if (existing && (flags.PermanentSysMem || flags.Protected || request->primary ||
                     (flags.ExistingSysMem && flags.ExistingKernelSysMem)))
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS.ExistingSysMem",
                       "alone among the kinds of backing store, and not on a primary", "R112",
                       FLAGS_PAGE, flags.Value);
    if (existing && !request->existing)
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS.ExistingSysMem",
                       "only for an allocation that was given existing system memory", "R112",
                       FLAGS_PAGE, flags.Value);
}

static void validate_flags(struct validation *validation, const DXGK_ALLOCATIONINFO *info,
                           const struct vidmm_allocation_request *request) {
    DXGK_ALLOCATIONINFOFLAGS flags = info->Flags;
    UINT version = validation->adapter->facts.interface_version;
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 && info->FlagsWddm2.MapApertureCpuVisible &&
        !aperture_second_form(validation->adapter))
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.MapApertureCpuVisible",
                       "only from a driver with DXGK_VIDMMCAPS.MapAperture2Supported", NULL,
                       WDDM2_FLAGS_PAGE, flags.Value);
    if (version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1 && info->FlagsWddm2.CreateInVpr &&
        !(info->SupportedWriteSegmentSet & driver_segment_set(&validation->adapter->facts,
                                                              validation->home,
                                                              validation->adapter->sets.vpr)))
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.CreateInVpr",
                       "only where a supported segment has a video protected range", NULL,
                       WDDM2_FLAGS_PAGE, flags.Value);
    if (flags.Value & reserved_flags(version))
        validate_broke(validation, "DXGK_ALLOCATIONINFO.Flags", "reserved bits 0", "R117",
                       FLAGS_PAGE, flags.Value);
    validate_backing(validation, flags, request);
    if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_1 && flags.UseAlternateVA && !request->primary)
        validate_broke(validation, "DXGK_ALLOCATIONINFOFLAGS.UseAlternateVA", "only on a primary",
                       "R121", FLAGS_PAGE, flags.Value);
}

enum vidmm_status validate_allocation(struct vidmm_adapter *adapter,
                                      const DXGK_ALLOCATIONINFO *info,
                                      const struct vidmm_allocation_request *request,
                                      uint32_t index) {
    struct validation validation = {.adapter = adapter, .index = index};
    validate_size(&validation, info);
    validate_home(&validation, info);
    validate_sets(&validation, info);
    validate_flags(&validation, info, request);
    if (!info->hAllocation)
        validate_broke(&validation, "DXGK_ALLOCATIONINFO.hAllocation", "a handle that is not NULL",
                       "R102", INFO_PAGE, 0);
    if (info->AllocationPriority == 0)
        validate_broke(&validation, "DXGK_ALLOCATIONINFO.AllocationPriority", "not 0", "R103",
                       INFO_PAGE, 0);
    return validation.broken ? VIDMM_DRIVER_BROKE_RULE : VIDMM_OK;
}

enum vidmm_status validate_status(struct vidmm_adapter *adapter, const char *call, const char *rule,
                                  const char *page, NTSTATUS nt) {
    if (nt == STATUS_SUCCESS)
        return VIDMM_OK;
    bool allowed = nt == STATUS_INVALID_PARAMETER || nt == STATUS_NO_MEMORY ||
                   nt == STATUS_GRAPHICS_DRIVER_MISMATCH;
    return FAIL(adapter, .status = allowed ? VIDMM_DRIVER_REFUSED : VIDMM_DRIVER_BROKE_RULE,
                .call = call, .field = "return value",
                .expected = allowed
                                ? "STATUS_SUCCESS"
                                : "STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY or "
                                  "STATUS_GRAPHICS_DRIVER_MISMATCH",
                .rule = allowed ? NULL : rule, .page = page, .index = ERROR_NO_INDEX,
                .value = (uint32_t)nt, .nt = nt);
}
