/*
 * allocation_info.c - what a driver may say about an allocation it created: sizes, segment sets and
 * the flags, whose meaning depends on the interface version (DXGK_ALLOCATIONINFO and its flags).
 */
#include "watch/allocation.h"

/* Bits 19 to 31 are reserved in every version, 15 to 18 before WDDM 2.0. */
#define RESERVED    0xfff80000u
#define RESERVED_1X 0xffff8000u
/* What the flags of WDDM 1.x called UseAlternateVA, SynchronousPaging, LinkMirrored and
 * LinkInstanced. */
#define BIT_10 0x400u
#define BIT_11 0x800u
#define BIT_12 0x1000u
#define BIT_13 0x2000u
/* HistoryBuffer from WDDM 1.3 on. */
#define BIT_14 0x4000u

static uint32_t info_version(struct vidmm_referee *referee) {
    return referee->adapter.version;
}

/* The segments of its sets are those of its home. */
static uint32_t info_home(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info) {
    return info_version(referee) >= DXGKDDI_INTERFACE_VERSION_WDDM2_0
               ? linked_index(referee, info->PhysicalAdapterIndex)
               : 0;
}

static DXGK_SEGMENTFLAGS info_flags_of(struct vidmm_referee *referee, uint32_t physical,
                                       uint32_t id) {
    return shadow_segment(referee, linked_segment(physical, id))->flags;
}

static uint32_t info_all_segments(struct vidmm_referee *referee, uint32_t physical) {
    return (uint32_t)((UINT64_C(1) << shadow_segments(referee, physical)) - 1);
}

uint32_t allocation_apertures(struct vidmm_referee *referee, uint32_t physical) {
    uint32_t set = 0;
    for (uint32_t id = 1; id <= shadow_segments(referee, physical); id++) {
        DXGK_SEGMENTFLAGS flags = info_flags_of(referee, physical, id);
        if (flags.Aperture || flags.Agp)
            set |= 1u << (id - 1);
    }
    return set;
}

/* From WDDM 2.0 on the write set stands for both. */
static uint32_t info_read_set(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info) {
    return info_version(referee) >= DXGKDDI_INTERFACE_VERSION_WDDM2_0
               ? info->SupportedWriteSegmentSet
               : info->SupportedReadSegmentSet;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static void info_judge_size(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                            UINT index) {
    UINT alignment = info->Alignment;
    DRIVER_MUST(92, info->Size != 0 && info->Size <= UINT64_MAX / 2, "a size that memory can have",
                "allocation %u: Size is 0x%llx", index, (unsigned long long)info->Size);
    DRIVER_MUST(92, (alignment & (alignment - 1)) == 0, "an Alignment of 0 or a power of two",
                "allocation %u: Alignment is 0x%x", index, alignment);
    DRIVER_MUST(94, info->PitchAlignedSize == 0 || info->PitchAlignedSize >= info->Size,
                "PitchAlignedSize 0 or at least Size",
                "allocation %u: PitchAlignedSize is 0x%llx, Size 0x%llx", index,
                (unsigned long long)info->PitchAlignedSize, (unsigned long long)info->Size);
    DRIVER_MUST(103, info->AllocationPriority != 0, "an AllocationPriority other than 0",
                "allocation %u: AllocationPriority is 0", index);
}

/* ---- Segment sets ---------------------------------------------------------------------------- */

/* Preferences count for reads and for writes; of a list none of which will do for one of them, the
 * page says that the memory manager asserts. */
static void info_judge_preference(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                                  UINT index, uint32_t supported) {
    UINT preference = info->PreferredSegment.Value;
    uint32_t reads = info_read_set(referee, info), set = 0;
    for (UINT i = 0; i < 5; i++, preference >>= 6) {
        UINT id = preference & 31u;
        set |= id != 0 ? 1u << (id - 1) : 0;
        DRIVER_MUST(95, id == 0 || (supported >> (id - 1) & 1u) != 0,
                    "preferred segments of the supported sets",
                    "allocation %u: preferred segment %u is %u, the supported set 0x%x", index, i,
                    id, supported);
    }
    if (set == 0 || (set & ~supported) != 0)
        return; /* or said already */
    DRIVER_MUST(95, (set & reads) != 0 && (set & info->SupportedWriteSegmentSet) != 0,
                "a preferred segment that is supported for reads, and one for writes",
                "allocation %u: the preferred set is 0x%x, the read set 0x%x, the write set 0x%x",
                index, set, reads, info->SupportedWriteSegmentSet);
}

/* Banks have ids from 1 on, of the segment that is preferred most. */
static void info_judge_banks(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                             UINT index) {
    uint32_t id = info->PreferredSegment.Value & 31u;
    if (info_version(referee) >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 || id == 0 ||
        id > shadow_segments(referee, 0) || shadow_segment(referee, id)->banks == 0)
        return;
    uint32_t banks = shadow_segment(referee, id)->banks, hint = info->HintedBank.Value;
    for (UINT i = 0; i < 4; i++, hint >>= 8)
        DRIVER_MUST(563, (hint & 127u) <= banks, "banks that the most preferred segment has",
                    "allocation %u: Bank%u of HintedBank is %u, segment %u has %u banks", index, i,
                    hint & 127u, id, banks);
}

/* A segment with pages of 64 KB takes only what is aligned to them. */
static void info_judge_large_pages(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                                   UINT index, uint32_t supported) {
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return;
    uint32_t home = info_home(referee, info);
    for (uint32_t id = 1; id <= shadow_segments(referee, home); id++) {
        if ((supported >> (id - 1) & 1u) == 0 || !info_flags_of(referee, home, id).Use64KBPages)
            continue;
        DRIVER_MUST(57, info->Alignment % SHADOW_LARGE_PAGE == 0,
                    "a multiple of 64 KB as Alignment",
                    "allocation %u: Alignment is 0x%x, segment %u has pages of 64 KB", index,
                    info->Alignment, id);
    }
}

/* What the CPU may look at must have a place where it can. */
static void info_judge_cpu_place(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                                 UINT index, uint32_t supported) {
    uint32_t hidden = 0, home = info_home(referee, info);
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return;
    for (uint32_t id = 1; id <= shadow_segments(referee, home); id++) {
        if (!info_flags_of(referee, home, id).CpuVisible)
            hidden |= 1u << (id - 1);
    }
    hidden &= supported & ~allocation_apertures(referee, home);
    DRIVER_MUST(134,
                !(info->FlagsWddm2.CpuVisible || info->FlagsWddm2.CpuVisibleOnDemand) ||
                    hidden == 0 || (supported & allocation_apertures(referee, home)) != 0,
                "an aperture segment in the supported set of an allocation that the CPU sees",
                "allocation %u: supported set 0x%x has memory segments 0x%x that the CPU cannot "
                "see, and no aperture",
                index, supported, hidden);
}

/* Apertures that overlays may be in. */
static uint32_t info_overlay_apertures(struct vidmm_referee *referee, uint32_t physical) {
    uint32_t set = 0, first = linked_segment(physical, 1) - 1;
    for (uint32_t i = 0; i < SHADOW_SEGMENT_IDS; i++)
        set |= referee->objects.overlays[first + i] != 0 ? 1u << i : 0;
    return set & allocation_apertures(referee, physical);
}

/* Overlays stay where they are, in a fifth of it: the rest must do for what is evicted. */
static void info_judge_eviction_room(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                                     UINT index) {
    uint32_t home = info_home(referee, info);
    uint32_t shared = info->EvictionSegmentSet != 0 && !info->Flags.Overlay
                          ? info->EvictionSegmentSet & info_overlay_apertures(referee, home)
                          : 0;
    for (uint32_t id = 1; shared != 0 && id <= shadow_segments(referee, home); id++) {
        uint64_t size = shadow_segment(referee, linked_segment(home, id))->size;
        if ((shared >> (id - 1) & 1u) != 0)
            DRIVER_MUST(120, info->Size <= size - size / 5,
                        "at most 80 % of an aperture that overlays share, for what is evicted "
                        "through it",
                        "allocation %u: Size is 0x%llx, segment %u has 0x%llx bytes", index,
                        (unsigned long long)info->Size, id, (unsigned long long)size);
    }
}

static uint32_t info_pitch_aligned(struct vidmm_referee *referee, uint32_t physical) {
    uint32_t set = 0;
    for (uint32_t id = 1; id <= shadow_segments(referee, physical); id++)
        set |= info_flags_of(referee, physical, id).PitchAlignment ? 1u << (id - 1) : 0;
    return set;
}

static void info_judge_shared_store(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                                    UINT index, uint32_t both) {
    bool existing = info->Flags.ExistingSysMem || info->Flags.ExistingKernelSysMem;
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM3_0 ||
        !info->Flags2.ShareBackingStoreWithKmd)
        return;
    DRIVER_MUST(132, (both & ~allocation_apertures(referee, info_home(referee, info))) == 0,
                "ShareBackingStoreWithKmd in apertures only",
                "allocation %u: it is set, and the supported set is 0x%x", index, both);
    DRIVER_MUST(132, !existing, "ShareBackingStoreWithKmd for memory that the system allocates",
                "allocation %u: it is set over existing memory, Flags are 0x%x", index,
                info->Flags.Value);
}

static void info_judge_sets(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                            UINT index) {
    uint32_t home = info_home(referee, info);
    uint32_t all = info_all_segments(referee, home),
             both = info_read_set(referee, info) | info->SupportedWriteSegmentSet;
    uint32_t apertures = allocation_apertures(referee, home);
    if (all == 0)
        return;
    DRIVER_MUST(16, both != 0 && ((both | info->EvictionSegmentSet) & ~all) == 0,
                "sets of segments that the adapter reported, the supported one not empty",
                "allocation %u: read set 0x%x, write set 0x%x, eviction set 0x%x of segments 0x%x",
                index, info_read_set(referee, info), info->SupportedWriteSegmentSet,
                info->EvictionSegmentSet, all);
    DRIVER_MUST(17, ((both | info->EvictionSegmentSet) & ~all) == 0,
                "bit n of a set for segment n + 1, and none beyond the last segment",
                "allocation %u: read set 0x%x, write set 0x%x, eviction set 0x%x with %u segments",
                index, info_read_set(referee, info), info->SupportedWriteSegmentSet,
                info->EvictionSegmentSet, shadow_segments(referee, home));
    info_judge_preference(referee, info, index, both);
    DRIVER_MUST(99, (info->EvictionSegmentSet & all & ~apertures) == 0,
                "aperture segments only in EvictionSegmentSet",
                "allocation %u: EvictionSegmentSet is 0x%x, the aperture segments are 0x%x", index,
                info->EvictionSegmentSet, apertures);
    DRIVER_MUST(46, (info->EvictionSegmentSet & info_pitch_aligned(referee, home)) == 0,
                "no segment with PitchAlignment in EvictionSegmentSet",
                "allocation %u: EvictionSegmentSet is 0x%x, segments 0x%x have PitchAlignment",
                index, info->EvictionSegmentSet, info_pitch_aligned(referee, home));
    info_judge_eviction_room(referee, info, index);
    info_judge_large_pages(referee, info, index, both);
    info_judge_cpu_place(referee, info, index, both & all);
    info_judge_shared_store(referee, info, index, both);
}

/* ---- Flags ----------------------------------------------------------------------------------- */

/* It is pinned (R118) for an overlay that cannot be: not even a plane of several is one. */
static void info_judge_overlay(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                               UINT index) {
    const struct shadow_adapter *adapter = &referee->adapter;
    bool possible = adapter->caps.MaxOverlays != 0 || adapter->caps.SupportMultiPlaneOverlay ||
                    adapter->caps.MaxOverlayPlanes != 0;
    if (info->Flags.Overlay && adapter->caps_known)
        DRIVER_MUST(616, possible, "Overlay for a driver that supports overlays",
                    "allocation %u: Flags are 0x%x, MaxOverlays is 0", index, info->Flags.Value);
}

/* Kinds of backing store, and the allocations that may have them. */
static void info_judge_backing(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                               UINT index, bool primary) {
    DXGK_ALLOCATIONINFOFLAGS flags = info->Flags;
    bool existing = flags.ExistingSysMem || flags.ExistingKernelSysMem;
    bool visible = flags.CpuVisible && !primary;
    DRIVER_MUST(106, !flags.PermanentSysMem || visible,
                "PermanentSysMem with CpuVisible, and not on a primary",
                "allocation %u: Flags are 0x%x", index, flags.Value);
    DRIVER_MUST(109, !flags.Cached || visible, "Cached with CpuVisible, and not on a primary",
                "allocation %u: Flags are 0x%x", index, flags.Value);
    DRIVER_MUST(111, !flags.Protected || (!flags.PermanentSysMem && !existing && !primary),
                "Protected without another kind of backing store, and not on a primary",
                "allocation %u: Flags are 0x%x", index, flags.Value);
    DRIVER_MUST(112,
                !existing || (!(flags.ExistingSysMem && flags.ExistingKernelSysMem) &&
                              !flags.PermanentSysMem && !flags.Protected && !primary &&
                              info->Size % SHADOW_PAGE == 0),
                "existing memory of whole pages, no other kind of backing store, no primary",
                "allocation %u: Flags are 0x%x, Size 0x%llx", index, flags.Value,
                (unsigned long long)info->Size);
}

static bool info_coherent_aperture(struct vidmm_referee *referee, uint32_t physical) {
    for (uint32_t id = 1; id <= shadow_segments(referee, physical); id++) {
        DXGK_SEGMENTFLAGS flags = info_flags_of(referee, physical, id);
        if (flags.Aperture && flags.CacheCoherent)
            return true;
    }
    return false;
}

static void info_judge_history(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                               UINT index) {
    DXGK_ALLOCATIONINFOFLAGS flags = info->Flags, allowed = {.Value = 0};
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
        return;
    allowed.HistoryBuffer = 1;
    allowed.CpuVisible = 1;
    allowed.Cached = 1;
    DRIVER_MUST(128,
                !flags.HistoryBuffer ||
                    (flags.CpuVisible &&
                     (flags.Cached || !info_coherent_aperture(referee, info_home(referee, info))) &&
                     (flags.Value & ~allowed.Value) == 0),
                "HistoryBuffer with CpuVisible, with Cached where an aperture is cache-coherent, "
                "and with nothing else",
                "allocation %u: Flags are 0x%x", index, flags.Value);
}

static void info_judge_flags_1x(struct vidmm_referee *referee, UINT flags, UINT index,
                                uint32_t standard) {
    UINT reserved = info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM1_3 ? RESERVED_1X | BIT_14
                                                                              : RESERVED_1X;
    DRIVER_MUST(117, (flags & reserved) == 0, "reserved flags 0", "allocation %u: Flags are 0x%x",
                index, flags);
    if (standard == 0) /* a primary of a user-mode driver looks like anything else from here */
        return;
    DRIVER_MUST(
        121, (flags & BIT_10) == 0 || standard == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
        "UseAlternateVA on primaries only",
        "allocation %u: Flags are 0x%x for a standard allocation of type %u", index, flags,
        standard);
}

void allocation_judge_open(struct vidmm_referee *referee,
                           const struct shadow_allocation *allocation) {
    bool primary = allocation->standard == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
    UINT flags = allocation->info.Flags.Value;
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM2_0 && allocation->standard != 0)
        MANAGER_MUST(121, (flags & BIT_10) == 0 || primary,
                     "no allocation with UseAlternateVA that is no primary",
                     "Flags are 0x%x for a standard allocation of type %u", flags,
                     allocation->standard);
}

static void info_judge_flags_2(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                               UINT index) {
    UINT flags = info->Flags.Value, old = BIT_11 | BIT_12;
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        old |= BIT_10;
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        old |= BIT_13;
    DRIVER_MUST(117, (flags & RESERVED) == 0, "reserved flags 0", "allocation %u: Flags are 0x%x",
                index, flags);
    DRIVER_MUST(116, (flags & old) == 0, "flags of WDDM 2, not those of WDDM 1.x in bits 10 to 13",
                "allocation %u: Flags are 0x%x", index, flags);
    DRIVER_MUST(127, !info->Flags.ExplicitResidencyNotification || info->Flags.AccessedPhysically,
                "ExplicitResidencyNotification together with AccessedPhysically",
                "allocation %u: Flags are 0x%x", index, flags);
}

void allocation_judge_info(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info,
                           UINT index, uint32_t standard) {
    info_judge_size(referee, info, index);
    if (info_version(referee) >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        DRIVER_MUST(510, info->PhysicalAdapterIndex < linked_count(referee),
                    "the index of a physical adapter of the link, 0 where adapters are not linked",
                    "allocation %u: PhysicalAdapterIndex is %u of %u", index,
                    info->PhysicalAdapterIndex, linked_count(referee));
    info_judge_sets(referee, info, index);
    info_judge_banks(referee, info, index);
    info_judge_backing(referee, info, index,
                       standard == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE);
    info_judge_overlay(referee, info, index);
    info_judge_history(referee, info, index);
    if (info_version(referee) < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        info_judge_flags_1x(referee, info->Flags.Value, index, standard);
    else
        info_judge_flags_2(referee, info, index);
}

/* What could be taken up in a segment at most; more than a segment can have is as good as all. */
static void info_count_created(struct vidmm_referee *referee, const DXGK_ALLOCATIONINFO *info) {
    struct shadow_adapter *adapter = &referee->adapter;
    uint64_t most = (uint64_t)1 << 48, size = info->Size, pitched = info->PitchAlignedSize;
    uint64_t bytes = pitched > size ? pitched : size;
    adapter->created++;
    if (bytes > most || info->Alignment > most || adapter->created_bytes > most)
        adapter->created_bytes = most;
    else
        adapter->created_bytes += bytes + info->Alignment + SHADOW_PAGE;
    adapter->hinted |= info->HintedBank.Value != 0;
}

void allocation_take_info(struct vidmm_referee *referee, struct shadow_allocation *allocation,
                          const DXGK_ALLOCATIONINFO *info) {
    allocation->info = *info;
    allocation->physical = info_home(referee, info);
    allocation->read_set = info_read_set(referee, info);
    allocation->write_set = info->SupportedWriteSegmentSet;
    allocation->evict_set = info->EvictionSegmentSet;
    allocation->size = ((uint64_t)info->Size + SHADOW_PAGE - 1) / SHADOW_PAGE * SHADOW_PAGE;
    info_count_created(referee, info);
    shadow_count_allocation(referee, allocation);
}
