/*
 * mmu.c - what the driver says of its page tables: GPUMMUCAPS, PAGETABLELEVELDESC and
 * DxgkDdiGetRootPageTableSize. Fills tables_mmu, by which tables are then known.
 */
#include <string.h>

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

static void mmu_take_caps(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_QUERYGPUMMUCAPSIN *in = query->args->pInputData;
    DXGK_GPUMMUCAPS caps;
    if (query->out.size < sizeof(caps) || !in || query->args->InputDataSize < sizeof(*in))
        return;
    memcpy(&caps, query->out.bytes, sizeof(caps));
    mmu_judge_caps(referee, &caps);
    if (in->PhysicalAdapterIndex != 0) {
        if (referee->tables.mmu.levels != 0)
            DRIVER_MUST(
                261, caps.VirtualAddressBitCount == referee->tables.mmu.caps.VirtualAddressBitCount,
                "one VirtualAddressBitCount on all adapters of a link",
                "%u on adapter %u, %u on the first", caps.VirtualAddressBitCount,
                in->PhysicalAdapterIndex, referee->tables.mmu.caps.VirtualAddressBitCount);
        return;
    }
    bool same = memcmp(&referee->tables.mmu.caps, &caps, sizeof(caps)) == 0;
    if (!same)
        referee->tables.mmu = (struct tables_mmu){.known = false};
    referee->tables.mmu.caps = caps;
    referee->tables.mmu.levels = caps.PageTableLevelCount;
    referee->tables.mmu.pages = caps.DualPteSupported                           ? TABLES_DUAL
                                : caps.LeafPageTableSizeFor64KPagesInBytes != 0 ? TABLES_SINGLE
                                                                                : TABLES_4K;
}

/* ---- PAGETABLELEVELDESC ---------------------------------------------------------------------- */

/* The root of two levels grows: it may begin with fewer bytes than entries need, or with none. */
static bool mmu_grows(const struct vidmm_referee *referee, uint32_t level) {
    return level == 1 && referee->tables.mmu.levels == 2;
}

static void mmu_judge_size(struct vidmm_referee *referee, uint32_t level,
                           const DXGK_PAGE_TABLE_LEVEL_DESC *desc) {
    uint64_t size = desc->PageTableSizeInBytes;
    uint32_t bits = desc->PageTableIndexBitCount;
    bool holds = size != 0 && bits < 32 && size >> bits != 0;
    DRIVER_MUST(253, size % SHADOW_PAGE == 0 && (holds || mmu_grows(referee, level)),
                "PageTableSizeInBytes of whole pages, with room for all entries",
                "%llu bytes for 2 to the power of %u entries of level %u", LLU(size), bits, level);
    if (level == 0 && referee->tables.mmu.caps.LeafPageTableSizeFor64KPagesInBytes > size)
        size = referee->tables.mmu.caps.LeafPageTableSizeFor64KPagesInBytes;
    DRIVER_MUST(252,
                (desc->PageTableSegmentId != 0 && desc->PagingProcessPageTableSegmentId != 0) ||
                    size <= SHADOW_PAGE,
                "tables of a page where they are in system memory",
                "%llu bytes for a table of level %u in segments %u and %u", LLU(size), level,
                desc->PageTableSegmentId, desc->PagingProcessPageTableSegmentId);
}

/* Directories are the tables above the leaves. */
static void mmu_judge_mode(struct vidmm_referee *referee, uint32_t level,
                           const DXGK_PAGE_TABLE_LEVEL_DESC *desc) {
    const struct shadow_segment *segment = shadow_memory(referee, desc->PageTableSegmentId);
    bool local = segment && !segment->flags.PopulatedFromSystemMemory;
    if (level != 0)
        DRIVER_MUST(212,
                    !local || referee->tables.mmu.caps.PageTableUpdateMode !=
                                  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
                    "another update mode than CPU_VIRTUAL for directories in local memory",
                    "CPU_VIRTUAL, and tables of level %u in segment %u", level,
                    desc->PageTableSegmentId);
}

static void mmu_judge_coverage(struct vidmm_referee *referee) {
    uint32_t below = tables_shift(referee, referee->tables.mmu.levels - 1);
    uint32_t all =
        below + referee->tables.mmu.level[referee->tables.mmu.levels - 1].PageTableIndexBitCount;
    uint32_t bits = referee->tables.mmu.caps.VirtualAddressBitCount;
    bool reach = referee->tables.mmu.levels == TWO_LEVELS ? bits > below : all >= bits;
    DRIVER_MUST(251, reach, "levels that cover the bits of VirtualAddressBitCount",
                "%u bits with those of a page, VirtualAddressBitCount %u",
                referee->tables.mmu.levels == TWO_LEVELS ? below : all, bits);
}

static void mmu_take_level(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = query->args->pInputData;
    DXGK_PAGE_TABLE_LEVEL_DESC desc = {0};
    size_t size = query->out.size < sizeof(desc) ? query->out.size : sizeof(desc);
    if (size < offsetof(DXGK_PAGE_TABLE_LEVEL_DESC, PageTableAlignmentInBytes) || !in ||
        query->args->InputDataSize < sizeof(*in) || in->PhysicalAdapterIndex != 0)
        return;
    uint32_t level = in->LevelIndex;
    if (level >= referee->tables.mmu.levels || level >= TABLES_LEVELS)
        return;
    memcpy(&desc, query->out.bytes, size);
    mmu_judge_size(referee, level, &desc);
    mmu_judge_mode(referee, level, &desc);
    referee->tables.mmu.level[level] = desc;
    referee->tables.mmu.described |= 1u << level;
    bool all = referee->tables.mmu.levels <= TABLES_LEVELS &&
               referee->tables.mmu.levels >= DXGK_MIN_PAGE_TABLE_LEVEL_COUNT &&
               referee->tables.mmu.described == (1u << referee->tables.mmu.levels) - 1;
    if (all && !referee->tables.mmu.known)
        mmu_judge_coverage(referee);
    referee->tables.mmu.known = all;
}

void mmu_answer(struct vidmm_referee *referee, const struct query *query) {
    if (query->args->Type == DXGKQAITYPE_GPUMMUCAPS)
        mmu_take_caps(referee, query);
    else if (query->args->Type == DXGKQAITYPE_PAGETABLELEVELDESC)
        mmu_take_level(referee, query);
}

/* ---- DxgkDdiGetRootPageTableSize ------------------------------------------------------------- */

static void mmu_judge_root(struct vidmm_referee *referee, const DXGKARG_GETROOTPAGETABLESIZE *in,
                           const DXGKARG_GETROOTPAGETABLESIZE *out, uint64_t bytes) {
    uint32_t root = referee->tables.mmu.levels - 1;
    const struct shadow_segment *segment =
        shadow_segment(referee, referee->tables.mmu.level[root].PageTableSegmentId);
    uint32_t page = segment ? segment->page_size : SHADOW_PAGE;
    DRIVER_MUST(255, out->NumberOfPte >= in->NumberOfPte && bytes != 0 && bytes % page == 0,
                "at least the entries asked for, in whole pages of the segment",
                "%llu bytes and %u entries where %u were asked for", LLU(bytes), out->NumberOfPte,
                in->NumberOfPte);
    if (out->NumberOfPte <= referee->tables.mmu.root_entries || bytes > UINT32_MAX)
        return;
    referee->tables.mmu.root_entries = out->NumberOfPte;
    referee->tables.mmu.root_bytes = (uint32_t)bytes;
}

static SIZE_T watch_GetRootPageTableSize(struct vidmm_referee *referee, const HANDLE adapter,
                                         DXGKARG_GETROOTPAGETABLESIZE *args) {
    struct referee_call call;
    DXGKARG_GETROOTPAGETABLESIZE in = *args;
    referee_enter(referee, &call, "DxgkDdiGetRootPageTableSize", REFEREE_REENTRANT);
    if (referee->tables.mmu.known)
        MANAGER_MUST(255, referee->tables.mmu.levels == TWO_LEVELS,
                     "the question for two levels of tables only", "there are %u",
                     referee->tables.mmu.levels);
    referee_leave(referee);
    SIZE_T bytes = referee->real.DxgkDdiGetRootPageTableSize(adapter, args);
    referee_return(referee);
    if (referee->tables.mmu.known && referee->tables.mmu.levels == TWO_LEVELS)
        mmu_judge_root(referee, &in, args, bytes);
    referee_exit(referee, &call);
    return bytes;
}
WATCHED_2(SIZE_T, GetRootPageTableSize, const HANDLE, DXGKARG_GETROOTPAGETABLESIZE *)

void mmu_watch(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, GetRootPageTableSize);
}
