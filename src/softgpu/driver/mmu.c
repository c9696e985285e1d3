/*
 * mmu.c - what the GPU's page tables are: their shape and home as the system is told, and their
 * entries (ns-d3dkmddi-_dxgk_gpummucaps.md, ns-d3dkmddi-_dxgk_page_table_level_desc.md,
 * ns-d3dukmdt-_dxgk_pte.md).
 *
 * Home is the segment of the setting MmuTableSegment, or system memory. Tables that are larger than
 * a page cannot be there: they are in the first memory segment, unless the root is the only one;
 * then it has no more entries than fit a page. Tables of the paging process are written by the CPU
 * when they are new, so they are where it reaches them.
 */
#include "driver/kmd.h"

/* ---- Shape ----------------------------------------------------------------------------------- */

static bool is_root(const struct kmd_mmu *mmu, UINT level) {
    return level + 1 == mmu->format.levels;
}

/* A root of two levels grows and shrinks (kmd_get_root_page_table_size). */
static bool mmu_resizable(const struct kmd_mmu *mmu) {
    return mmu->format.levels == GPU_LEVELS_MIN;
}

static UINT entry_bytes(const struct kmd_mmu *mmu, UINT level) {
    return (UINT)sizeof(uint64_t) * gpu_mmu_words(&mmu->format, level);
}

static UINT index_bits(const struct kmd_mmu *mmu, UINT level) {
    return is_root(mmu, level) ? mmu->root_bits : mmu->format.bits[level];
}

static UINT table_bytes(const struct kmd_mmu *mmu, UINT level) {
    return (UINT)kmd_round_to_page((ULONGLONG)entry_bytes(mmu, level) << index_bits(mmu, level));
}

/* Index bits of a root that fits a page. */
static UINT page_bits(const struct kmd_mmu *mmu) {
    UINT bits = mmu->root_bits;
    while ((entry_bytes(mmu, mmu->format.levels - 1) << bits) > GPU_PAGE)
        bits--;
    return bits;
}

/* ---- Home ------------------------------------------------------------------------------------ */

/* The lowest id of a set of segments, or 0. */
static UINT first_of(UINT set) {
    UINT id = set != 0 ? 1 : 0;
    while (id != 0 && (set >> (id - 1) & 1u) == 0)
        id++;
    return id;
}

/* Of tables that do not fit a page, and with MmuTableSegment of all; 0: there are none. */
static bool choose_home(const struct kmd_adapter *adapter, UINT *home) {
    const struct kmd_mmu *mmu = &adapter->mmu;
    UINT visible = kmd_segment_set(adapter, KMD_SEGMENT_VISIBLE);
    UINT memory = visible | kmd_segment_set(adapter, KMD_SEGMENT_INVISIBLE);
    bool large = false;
    for (UINT level = 0; !is_root(mmu, level); level++)
        large = large || table_bytes(mmu, level) > GPU_PAGE;
    *home = adapter->settings.mmu_table_segment;
    if (*home == 0 && large)
        *home = first_of(memory);
    if (*home == 0)
        return !large;
    return kmd_segment_is_memory(adapter, *home);
}

/* Where the CPU reaches a table of `level`; false: nowhere. */
static bool choose_paging_home(const struct kmd_adapter *adapter, UINT home, UINT level, UINT *id) {
    const struct kmd_segment *segment = kmd_segment(adapter, home);
    bool visible = segment && segment->kind == KMD_SEGMENT_VISIBLE;
    bool small = table_bytes(&adapter->mmu, level) <= GPU_PAGE;
    if (visible)
        *id = home;
    else
        *id = small ? 0 : first_of(kmd_segment_set(adapter, KMD_SEGMENT_VISIBLE));
    return small || *id != 0;
}

NTSTATUS kmd_mmu_build(struct kmd_adapter *adapter) {
    struct kmd_mmu *mmu = &adapter->mmu;
    UINT home;
    KeInitializeSpinLock(&mmu->lock);
    mmu->spaces = GPU_SPACES;
    if (!kmd_mmu_on(adapter))
        return STATUS_SUCCESS;
    mmu->spaces = GPU_MMU_SPACES(kmd_read(adapter, GPU_REG_MMU));
    if (mmu->spaces > GPU_SPACES)
        mmu->spaces = GPU_SPACES;
    mmu->mode = (DXGK_PAGETABLEUPDATEMODE)adapter->settings.mmu_update_mode;
    mmu->root_bits = mmu->format.bits[mmu->format.levels - 1];
    /* ns-d3dkmddi-_dxgk_gpummucaps.md: page directories in local memory rule that mode out. */
    if (!choose_home(adapter, &home))
        return kmd_refuse("MmuTableSegment is no memory segment, or large tables have none");
    if (home != 0 && mmu->mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        return kmd_refuse("MmuUpdateMode is 0, and page tables are in a memory segment");
    if (home == 0)
        mmu->root_bits = page_bits(mmu);
    for (UINT level = 0; level < mmu->format.levels; level++) {
        bool stays =
            adapter->settings.mmu_table_segment == 0 && table_bytes(mmu, level) <= GPU_PAGE;
        mmu->table_segment[level] = stays ? 0 : home;
        if (!choose_paging_home(adapter, mmu->table_segment[level], level,
                                &mmu->paging_segment[level]))
            return kmd_refuse("no VRAM is visible, for page tables that are larger than a page");
    }
    return STATUS_SUCCESS;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Bits that the declared version does not have stay 0. */
static DXGK_GPUMMUCAPS caps_of(const struct kmd_adapter *adapter) {
    const struct kmd_mmu *mmu = &adapter->mmu;
    const struct gpu_mmu_format *format = &mmu->format;
    ULONG demands = adapter->settings.mmu_demands;
    DXGK_GPUMMUCAPS caps = {0};
    caps.ReadOnlyMemorySupported = (format->has & GPU_MMU_HAS_READ_ONLY) != 0;
    caps.NoExecuteMemorySupported = (format->has & GPU_MMU_HAS_NO_EXECUTE) != 0;
    /* Said of all levels: above the leaves a zero page is a large page. */
    caps.ZeroInPteSupported = (format->has & GPU_MMU_HAS_ZERO) && (format->has & GPU_MMU_HAS_LARGE);
    caps.ExplicitPageTableInvalidation = (demands & KMD_DEMAND_INVALIDATION) != 0;
    caps.PageTableUpdateRequireAddressSpaceIdle = (demands & KMD_DEMAND_IDLE) != 0;
    caps.LegacyBehaviors.SourcePageTableVaInTransfer = (demands & KMD_DEMAND_TABLE_VA) != 0;
    caps.CacheCoherentMemorySupported = 1;
    caps.LargePageSupported = (format->has & GPU_MMU_HAS_LARGE) != 0;
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        caps.AllowNonAlignedLargePageAddress =
            caps.LargePageSupported && (format->has & GPU_MMU_LARGE_ANYWHERE);
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        caps.SysMemLargePageSupported =
            caps.LargePageSupported && (format->has & GPU_MMU_LARGE_SYSTEM);
    caps.DualPteSupported = format->pages == GPU_PAGES_DUAL;
    if (adapter->settings.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
        caps.InvalidTlbEntriesNotCached = !(format->has & GPU_MMU_CACHES_INVALID);
    caps.PageTableUpdateMode = mmu->mode;
    caps.VirtualAddressBitCount = gpu_mmu_shift(format, format->levels - 1) + mmu->root_bits;
    if (format->pages != GPU_PAGES_4K)
        caps.LeafPageTableSizeFor64KPagesInBytes =
            (UINT)kmd_round_to_page(gpu_mmu_table_64k_bytes(format));
    caps.PageTableLevelCount = format->levels;
    return caps;
}

/* What a root of two levels begins with is one page. */
static DXGK_PAGE_TABLE_LEVEL_DESC level_of(const struct kmd_mmu *mmu, UINT level) {
    bool first = mmu_resizable(mmu) && is_root(mmu, level);
    DXGK_PAGE_TABLE_LEVEL_DESC desc = {0};
    desc.PageTableIndexBitCount = first ? page_bits(mmu) : index_bits(mmu, level);
    desc.PageTableSegmentId = mmu->table_segment[level];
    desc.PagingProcessPageTableSegmentId = mmu->paging_segment[level];
    desc.PageTableSizeInBytes = first ? GPU_PAGE : table_bytes(mmu, level);
    return desc;
}

static NTSTATUS query_mmu_caps(const struct kmd_adapter *adapter,
                               const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_QUERYGPUMMUCAPSIN *in = args->pInputData;
    if (args->InputDataSize < sizeof(*in) || !kmd_board(adapter, in->PhysicalAdapterIndex))
        return STATUS_INVALID_PARAMETER;
    DXGK_GPUMMUCAPS caps = caps_of(kmd_board(adapter, in->PhysicalAdapterIndex));
    return kmd_answer(args, &caps, sizeof(caps), sizeof(caps));
}

/* The two members of the input are a WORD each. */
static NTSTATUS query_level(const struct kmd_adapter *adapter,
                            const DXGKARG_QUERYADAPTERINFO *args) {
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = args->pInputData;
    if (args->InputDataSize < sizeof(*in))
        return STATUS_INVALID_PARAMETER;
    const struct kmd_adapter *board = kmd_board(adapter, in->PhysicalAdapterIndex);
    if (!board || in->LevelIndex >= board->mmu.format.levels)
        return STATUS_INVALID_PARAMETER;
    DXGK_PAGE_TABLE_LEVEL_DESC desc = level_of(&board->mmu, in->LevelIndex);
    return kmd_answer(args, &desc, sizeof(desc),
                      offsetof(DXGK_PAGE_TABLE_LEVEL_DESC, PageTableAlignmentInBytes));
}

NTSTATUS kmd_query_mmu(const struct kmd_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    if (!kmd_mmu_on(adapter) || !args->pInputData)
        return STATUS_INVALID_PARAMETER;
    return args->Type == DXGKQAITYPE_GPUMMUCAPS ? query_mmu_caps(adapter, args)
                                                : query_level(adapter, args);
}

/* Whole pages of the root's segment, so there may be more entries than were asked for. */
SIZE_T APIENTRY kmd_get_root_page_table_size(const HANDLE hAdapter,
                                             DXGKARG_GETROOTPAGETABLESIZE *args) {
    const struct kmd_adapter *adapter = kmd_board(hAdapter, args->PhysicalAdapterIndex);
    if (!adapter || !kmd_mmu_on(adapter))
        return 0;
    const struct kmd_mmu *mmu = &adapter->mmu;
    UINT root = mmu->format.levels - 1, most = 1u << mmu->root_bits;
    UINT page = kmd_segment_page(adapter, mmu->table_segment[root]);
    UINT entries = args->NumberOfPte < most ? args->NumberOfPte : most;
    ULONGLONG bytes = (ULONGLONG)(entries != 0 ? entries : 1) * entry_bytes(mmu, root);
    bytes = (bytes + page - 1) / page * page;
    entries = (UINT)(bytes / entry_bytes(mmu, root));
    args->NumberOfPte = entries < most ? entries : most;
    return (SIZE_T)bytes;
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* A protection that this board does not have was not offered, and is left out. */
static uint64_t page_bits_of(const struct kmd_mmu *mmu, const DXGK_PTE *entry) {
    UINT has = mmu->format.has;
    uint64_t word = GPU_PTE_VALID;
    if (entry->CacheCoherent)
        word |= GPU_PTE_COHERENT;
    if (entry->ReadOnly && (has & GPU_MMU_HAS_READ_ONLY))
        word |= GPU_PTE_READ_ONLY;
    if (entry->NoExecute && (has & GPU_MMU_HAS_NO_EXECUTE))
        word |= GPU_PTE_NO_EXECUTE;
    return word;
}

/* What all entries with the same flags have in common. */
struct shape {
    uint64_t bits;
    uint64_t base, address; /* of the segment; which bits of an address count */
};

static struct shape shape_of(const struct kmd_adapter *adapter, const DXGK_PTE *entry, UINT level) {
    const struct kmd_mmu *mmu = &adapter->mmu;
    const struct kmd_adapter *owner = kmd_board(adapter, (UINT)entry->PhysicalAdapterIndex);
    UINT id = (UINT)entry->Segment;
    uint64_t large = level != 0 ? GPU_PTE_LARGE : 0;
    struct shape shape = {0, 0, 0};
    if (!entry->Valid || (!entry->Zero && id != 0 && (!owner || !kmd_segment(owner, id))))
        return shape;
    if (level == 0 || entry->LargePage || entry->Zero)
        shape.bits = page_bits_of(mmu, entry) | large;
    else if (level == 1 && mmu->format.pages == GPU_PAGES_SINGLE &&
             entry->PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB)
        shape.bits = GPU_PTE_VALID | GPU_PTE_TABLE_64K;
    else
        shape.bits = GPU_PTE_VALID;
    if (entry->Zero) {
        shape.bits |= GPU_PTE_ZERO;
        return shape;
    }
    shape.base = id != 0 ? kmd_peer_address(adapter, owner, id, 0) : 0;
    shape.address = GPU_PTE_ADDRESS;
    return shape;
}

#define BLOCK 64u
/* Pages from one to the next, and after the first address, that no sum of addresses overflows. */
#define SERIES_STEPS (UINT64_C(1) << 19)
#define SERIES_PAGES (UINT64_C(1) << 32)

/*
 * How many of `count` entries have the flags of the first: by blocks, without a branch an entry,
 * which compilers make vectors of.
 */
static UINT mmu_alike(const DXGK_PTE *entry, UINT count) {
    const ULONGLONG flags = entry[0].Flags;
    UINT same = 0;
    while (same < count) {
        UINT end = count - same < BLOCK ? count : same + BLOCK;
        ULONGLONG other = 0;
        for (UINT i = same; i < end; i++)
            other |= entry[i].Flags ^ flags;
        if (other != 0)
            break;
        same = end;
    }
    while (same < count && entry[same].Flags == flags)
        same++;
    return same;
}

/* All of them have the flags of the first, and pages that are `step` apart: by blocks as well. */
static bool mmu_in_series(const DXGK_PTE *entry, UINT count, ULONGLONG step) {
    const ULONGLONG flags = entry[0].Flags;
    ULONGLONG other = 0, page = entry[0].PageAddress;
    for (UINT done = 0, end; done < count && other == 0; done = end) {
        end = count - done < BLOCK ? count : done + BLOCK;
        for (UINT i = done; i < end; i++, page += step)
            other |= (entry[i].Flags ^ flags) | (entry[i].PageAddress ^ page);
    }
    return other == 0;
}

/* Both address members count pages of 4 KiB, from the start of the segment. */
static uint64_t word_of(const struct shape *shape, const DXGK_PTE *entry) {
    return shape->bits | ((shape->base + (entry->PageAddress << GPU_PAGE_SHIFT)) & shape->address);
}

void kmd_mmu_words(const struct kmd_adapter *adapter, const DXGK_PTE *entry, UINT count, UINT level,
                   UCHAR *to) {
    for (UINT done = 0; done < count;) {
        const struct shape shape = shape_of(adapter, &entry[done], level);
        UINT end = done + mmu_alike(&entry[done], count - done);
        for (; done < end; done++) {
            uint64_t word = word_of(&shape, &entry[done]);
            RtlCopyMemory(to + done * sizeof(word), &word, sizeof(word));
        }
    }
}

bool kmd_mmu_series(const struct kmd_adapter *adapter, const DXGK_PTE *entry, UINT count,
                    UINT level, uint64_t *word, UINT *each) {
    const struct shape shape = shape_of(adapter, entry, level);
    ULONGLONG first = entry[0].PageAddress, step = count > 1 ? entry[1].PageAddress - first : 0;
    if (count < 2 || shape.address == 0 || step >= SERIES_STEPS ||
        first + count * step >= SERIES_PAGES || !mmu_in_series(entry, count, step))
        return false;
    *word = word_of(&shape, entry);
    *each = (UINT)(step << GPU_PAGE_SHIFT);
    return true;
}

/* ---- Flushing from the CPU ------------------------------------------------------------------- */

void kmd_mmu_flush(struct kmd_adapter *adapter, UINT what, UINT space, ULONGLONG start,
                   ULONGLONG end) {
    KIRQL irql;
    KeAcquireSpinLock(&adapter->mmu.lock, &irql);
    kmd_write64(adapter, GPU_REG_FLUSH_START, start);
    kmd_write64(adapter, GPU_REG_FLUSH_END, end);
    kmd_write(adapter, GPU_REG_FLUSH_SPACE, space);
    kmd_write(adapter, GPU_REG_FLUSH, what);
    KeReleaseSpinLock(&adapter->mmu.lock, irql);
}
