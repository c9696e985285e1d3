/*
 * mmu.c - what the driver says of its page tables: GPUMMUCAPS, PAGETABLELEVELDESC and
 * DxgkDdiGetRootPageTableSize. Fills tables_mmu, by which tables are then known.
 */
#include <string.h>

#include "state/given.h"
#include "watch/query.h"
#include "watch/watch.h"

#define TWO_LEVELS 2u

/* ---- GPUMMUCAPS ------------------------------------------------------------------------------ */

static void mmu_judge_caps(struct vidmm_referee *referee, const DXGK_GPUMMUCAPS *caps) {
    DRIVER_MUST(250, caps->PageTableLevelCount >= DXGK_MIN_PAGE_TABLE_LEVEL_COUNT,
                "2 levels of page tables or more", "PageTableLevelCount is %u",
                caps->PageTableLevelCount);
    DRIVER_MUST(426, caps->PageTableLevelCount <= DXGK_MAX_PAGE_TABLE_LEVEL_COUNT,
                "DXGK_MAX_PAGE_TABLE_LEVEL_COUNT levels of page tables or fewer",
                "PageTableLevelCount is %u, the most is %u", caps->PageTableLevelCount,
                (unsigned)DXGK_MAX_PAGE_TABLE_LEVEL_COUNT);
    DRIVER_MUST(254, caps->LeafPageTableSizeFor64KPagesInBytes % SHADOW_PAGE == 0,
                "LeafPageTableSizeFor64KPagesInBytes in multiples of 4096", "it is %u",
                caps->LeafPageTableSizeFor64KPagesInBytes);
}

/* linked-display-adapter.md: all else may differ from adapter to adapter. */
static void mmu_judge_linked(struct vidmm_referee *referee, uint32_t physical,
                             const DXGK_GPUMMUCAPS *caps) {
    const DXGK_GPUMMUCAPS *first = &tables_mmu(referee, 0)->caps;
    if (physical != 0 && tables_mmu(referee, 0)->levels != 0)
        DRIVER_MUST(261, caps->VirtualAddressBitCount == first->VirtualAddressBitCount,
                    "one VirtualAddressBitCount on all adapters of a link",
                    "%u on adapter %u, %u on the first", caps->VirtualAddressBitCount, physical,
                    first->VirtualAddressBitCount);
}

static void mmu_take_caps(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_QUERYGPUMMUCAPSIN *in = query->args->pInputData;
    DXGK_GPUMMUCAPS caps;
    if (query->out.size < sizeof(caps) || !in || query->args->InputDataSize < sizeof(*in))
        return;
    memcpy(&caps, query->out.bytes, sizeof(caps));
    mmu_judge_caps(referee, &caps);
    mmu_judge_linked(referee, in->PhysicalAdapterIndex, &caps);
    if (in->PhysicalAdapterIndex >= linked_count(referee))
        return;
    struct tables_mmu *mmu = tables_mmu(referee, in->PhysicalAdapterIndex);
    bool same = memcmp(&mmu->caps, &caps, sizeof(caps)) == 0;
    if (!same)
        *mmu = (struct tables_mmu){.known = false};
    mmu->caps = caps;
    mmu->levels = caps.PageTableLevelCount;
    mmu->pages = caps.DualPteSupported                           ? TABLES_DUAL
                 : caps.LeafPageTableSizeFor64KPagesInBytes != 0 ? TABLES_SINGLE
                                                                 : TABLES_4K;
}

/* ---- PAGETABLELEVELDESC ---------------------------------------------------------------------- */

/* The root of two levels grows: it may begin with fewer bytes than entries need, or with none. */
static bool mmu_grows(const struct tables_mmu *mmu, uint32_t level) {
    return level == 1 && mmu->levels == 2;
}

static void mmu_judge_size(struct vidmm_referee *referee, const struct tables_mmu *mmu,
                           uint32_t level, const DXGK_PAGE_TABLE_LEVEL_DESC *desc) {
    uint64_t size = desc->PageTableSizeInBytes;
    uint32_t bits = desc->PageTableIndexBitCount;
    bool holds = size != 0 && bits < 32 && size >> bits != 0;
    DRIVER_MUST(253, size % SHADOW_PAGE == 0 && (holds || mmu_grows(mmu, level)),
                "PageTableSizeInBytes of whole pages, with room for all entries",
                "%llu bytes for 2 to the power of %u entries of level %u", LLU(size), bits, level);
    if (level == 0 && mmu->caps.LeafPageTableSizeFor64KPagesInBytes > size)
        size = mmu->caps.LeafPageTableSizeFor64KPagesInBytes;
    DRIVER_MUST(252,
                (desc->PageTableSegmentId != 0 && desc->PagingProcessPageTableSegmentId != 0) ||
                    size <= SHADOW_PAGE,
                "tables of a page where they are in system memory",
                "%llu bytes for a table of level %u in segments %u and %u", LLU(size), level,
                desc->PageTableSegmentId, desc->PagingProcessPageTableSegmentId);
}

static void mmu_judge_segments(struct vidmm_referee *referee, uint32_t physical, uint32_t level,
                               const DXGK_PAGE_TABLE_LEVEL_DESC *desc) {
    DRIVER_MUST(546,
                !shadow_aperture(referee, linked_segment(physical, desc->PageTableSegmentId)) &&
                    !shadow_aperture(
                        referee, linked_segment(physical, desc->PagingProcessPageTableSegmentId)),
                "page tables in a memory segment, or in system memory",
                "tables of level %u in segment %u, of the paging process in %u, of which one is an "
                "aperture",
                level, desc->PageTableSegmentId, desc->PagingProcessPageTableSegmentId);
}

/* Directories are the tables above the leaves. */
static void mmu_judge_mode(struct vidmm_referee *referee, uint32_t physical, uint32_t level,
                           const DXGK_PAGE_TABLE_LEVEL_DESC *desc) {
    const struct shadow_segment *segment =
        shadow_memory(referee, linked_segment(physical, desc->PageTableSegmentId));
    bool local = segment && !segment->flags.PopulatedFromSystemMemory;
    if (level != 0)
        DRIVER_MUST(212,
                    !local || tables_mmu(referee, physical)->caps.PageTableUpdateMode !=
                                  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
                    "another update mode than CPU_VIRTUAL for directories in local memory",
                    "CPU_VIRTUAL, and tables of level %u in segment %u", level,
                    desc->PageTableSegmentId);
}

static void mmu_judge_coverage(struct vidmm_referee *referee, const struct tables_mmu *mmu) {
    uint32_t below = tables_shift(mmu, mmu->levels - 1);
    uint32_t all = below + mmu->level[mmu->levels - 1].PageTableIndexBitCount;
    uint32_t bits = mmu->caps.VirtualAddressBitCount;
    bool reach = mmu->levels == TWO_LEVELS ? bits > below : all >= bits;
    DRIVER_MUST(251, reach, "levels that cover the bits of VirtualAddressBitCount",
                "%u bits with those of a page, VirtualAddressBitCount %u",
                mmu->levels == TWO_LEVELS ? below : all, bits);
}

/* R505: a driver that reads the two members of two bytes as one of four finds no such level. */
static void mmu_judge_members(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = query->args->pInputData;
    uint32_t physical = in->PhysicalAdapterIndex;
    const DXGK_PAGE_TABLE_LEVEL_DESC *desc = (const void *)query->out.bytes;
    if (physical >= linked_count(referee) || query->status == STATUS_NO_MEMORY ||
        in->LevelIndex >= tables_mmu(referee, physical)->levels)
        return;
    bool answered = query->status == STATUS_SUCCESS;
    DRIVER_MUST(505, answered && (physical == 0 || desc->PageTableIndexBitCount != 0),
                physical == 0 ? "an answer for each level of GPUMMUCAPS.PageTableLevelCount"
                              : "LevelIndex and PhysicalAdapterIndex each read as a WORD",
                "level %u of physical adapter %u was answered with status 0x%08x and "
                "PageTableIndexBitCount %u",
                in->LevelIndex, physical, (unsigned)query->status,
                answered ? desc->PageTableIndexBitCount : 0);
}

static void mmu_take_level(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = query->args->pInputData;
    DXGK_PAGE_TABLE_LEVEL_DESC desc = {0};
    size_t size = query->out.size < sizeof(desc) ? query->out.size : sizeof(desc);
    if (size < offsetof(DXGK_PAGE_TABLE_LEVEL_DESC, PageTableAlignmentInBytes) || !in ||
        query->args->InputDataSize < sizeof(*in) ||
        in->PhysicalAdapterIndex >= linked_count(referee))
        return;
    mmu_judge_members(referee, query);
    struct tables_mmu *mmu = tables_mmu(referee, in->PhysicalAdapterIndex);
    uint32_t level = in->LevelIndex;
    if (query->status != STATUS_SUCCESS || level >= mmu->levels || level >= TABLES_LEVELS)
        return;
    memcpy(&desc, query->out.bytes, size);
    mmu_judge_size(referee, mmu, level, &desc);
    mmu_judge_segments(referee, in->PhysicalAdapterIndex, level, &desc);
    mmu_judge_mode(referee, in->PhysicalAdapterIndex, level, &desc);
    mmu->level[level] = desc;
    mmu->described |= 1u << level;
    bool all = mmu->levels <= TABLES_LEVELS && mmu->levels >= DXGK_MIN_PAGE_TABLE_LEVEL_COUNT &&
               mmu->described == (1u << mmu->levels) - 1;
    if (all && !mmu->known)
        mmu_judge_coverage(referee, mmu);
    mmu->known = all;
}

void mmu_answer(struct vidmm_referee *referee, const struct query *query) {
    if (query->args->Type == DXGKQAITYPE_PAGETABLELEVELDESC)
        mmu_take_level(referee, query);
    else if (query->args->Type == DXGKQAITYPE_GPUMMUCAPS && query->status == STATUS_SUCCESS)
        mmu_take_caps(referee, query);
}

/* ---- DxgkDdiGetRootPageTableSize ------------------------------------------------------------- */

static void mmu_judge_root(struct vidmm_referee *referee, const DXGKARG_GETROOTPAGETABLESIZE *in,
                           const DXGKARG_GETROOTPAGETABLESIZE *out, uint64_t bytes) {
    uint32_t physical = linked_index(referee, in->PhysicalAdapterIndex);
    struct tables_mmu *mmu = tables_mmu(referee, physical);
    const struct shadow_segment *segment = shadow_segment(
        referee, linked_segment(physical, mmu->level[mmu->levels - 1].PageTableSegmentId));
    uint32_t page = segment ? segment->page_size : SHADOW_PAGE;
    DRIVER_MUST(255, out->NumberOfPte >= in->NumberOfPte && bytes != 0 && bytes % page == 0,
                "at least the entries asked for, in whole pages of the segment",
                "%llu bytes and %u entries where %u were asked for", LLU(bytes), out->NumberOfPte,
                in->NumberOfPte);
    if (out->NumberOfPte <= mmu->root_entries || bytes > UINT32_MAX)
        return;
    mmu->root_entries = out->NumberOfPte;
    mmu->root_bytes = (uint32_t)bytes;
}

static SIZE_T watch_GetRootPageTableSize(struct vidmm_referee *referee, const HANDLE adapter,
                                         DXGKARG_GETROOTPAGETABLESIZE *args) {
    struct referee_call call;
    DXGKARG_GETROOTPAGETABLESIZE in = *args;
    struct guard answer;
    referee_enter(referee, &call, "DxgkDdiGetRootPageTableSize", REFEREE_REENTRANT);
    linked_judge_index(referee, in.PhysicalAdapterIndex);
    const struct tables_mmu *mmu =
        tables_mmu(referee, linked_index(referee, in.PhysicalAdapterIndex));
    if (mmu->known)
        MANAGER_MUST(255, mmu->levels == TWO_LEVELS, "the question for two levels of tables only",
                     "there are %u", mmu->levels);
    guard_make(referee, &answer, args, sizeof(*args));
    referee_leave(referee);
    SIZE_T bytes = referee->real.DxgkDdiGetRootPageTableSize(adapter, (void *)answer.bytes);
    referee_return(referee);
    given_answered(referee, &answer);
    if (mmu->known && mmu->levels == TWO_LEVELS)
        mmu_judge_root(referee, &in, args, bytes);
    referee_exit(referee, &call);
    return bytes;
}
WATCHED_2(SIZE_T, GetRootPageTableSize, const HANDLE, DXGKARG_GETROOTPAGETABLESIZE *)

void mmu_watch(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, GetRootPageTableSize);
}
