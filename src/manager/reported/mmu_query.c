/*
 * mmu_query.c - asks the driver for its MMU: GPUMMUCAPS, then PAGETABLELEVELDESC for every level.
 * Every answer is checked before it is used (gpu-virtual-address.md, support-for-64kb-pages.md).
 */
#include <string.h>

#include "reported/ask.h"
#include "reported/physical.h"

#define PAGE_CAPS  "ns-d3dkmddi-_dxgk_gpummucaps"
#define PAGE_LEVEL "ns-d3dkmddi-_dxgk_page_table_level_desc"
#define CALL_CAPS  "DxgkDdiQueryAdapterInfo(GPUMMUCAPS)"
#define CALL_LEVEL "DxgkDdiQueryAdapterInfo(PAGETABLELEVELDESC)"

#define ADDRESS_BITS_MIN 22u
#define ADDRESS_BITS_MAX 57u
#define INDEX_BITS_MAX   18u /* of a level; the root of two may have more */
#define ROOT_BITS_MAX    30u
#define WIDE_BITS        (PAGE_SHIFT_LARGE - PAGE_SHIFT)

/* ---- Caps ------------------------------------------------------------------------------------ */

static enum vidmm_status validate_caps(const struct question *question,
                                       const DXGK_GPUMMUCAPS *caps) {
    struct complaint complaint = {.page = PAGE_CAPS};
    if (caps->PageTableLevelCount < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT ||
        caps->PageTableLevelCount > VIDMM_LEVELS_MAX) {
        complaint.field = "DXGK_GPUMMUCAPS.PageTableLevelCount";
        complaint.expected = "2 to 6";
        complaint.rule =
            caps->PageTableLevelCount < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT ? "R250" : "R426";
        complaint.value = caps->PageTableLevelCount;
    } else if (caps->VirtualAddressBitCount < ADDRESS_BITS_MIN ||
               caps->VirtualAddressBitCount > ADDRESS_BITS_MAX) {
        complaint.field = "DXGK_GPUMMUCAPS.VirtualAddressBitCount";
        complaint.expected = "22 to 57";
        complaint.rule = "R251";
        complaint.value = caps->VirtualAddressBitCount;
    } else if (caps->LeafPageTableSizeFor64KPagesInBytes % 4096u != 0) {
        complaint.field = "DXGK_GPUMMUCAPS.LeafPageTableSizeFor64KPagesInBytes";
        complaint.expected = "a multiple of 4096";
        complaint.rule = "R254";
        complaint.value = caps->LeafPageTableSizeFor64KPagesInBytes;
    } else if (caps->DualPteSupported && caps->LeafPageTableSizeFor64KPagesInBytes == 0) {
        complaint.field = "DXGK_GPUMMUCAPS.DualPteSupported";
        complaint.expected = "only with LeafPageTableSizeFor64KPagesInBytes";
        complaint.rule = "R254";
        complaint.value = caps->Value;
    } else if ((uint32_t)caps->PageTableUpdateMode > DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) {
        complaint.field = "DXGK_GPUMMUCAPS.PageTableUpdateMode";
        complaint.expected = "a value of DXGK_PAGETABLEUPDATEMODE";
        complaint.value = (uint64_t)caps->PageTableUpdateMode;
    } else {
        return VIDMM_OK;
    }
    return query_refuse(question, &complaint);
}

static enum vidmm_status ask_caps(const struct query_context *context, struct mmu *mmu,
                                  uint32_t index, struct vidmm_error *error) {
    const struct question question = {context, error, CALL_CAPS};
    DXGK_QUERYGPUMMUCAPSIN input = {.PhysicalAdapterIndex = index};
    enum vidmm_status status = query_ask(&question, DXGKQAITYPE_GPUMMUCAPS, &input, sizeof(input),
                                         &mmu->caps, sizeof(mmu->caps));
    if (status == VIDMM_OK)
        status = validate_caps(&question, &mmu->caps);
    if (status != VIDMM_OK)
        return status;
    mmu->levels = mmu->caps.PageTableLevelCount;
    mmu->limit = UINT64_C(1) << mmu->caps.VirtualAddressBitCount;
    mmu->wide_size = mmu->caps.LeafPageTableSizeFor64KPagesInBytes;
    if (mmu->wide_size != 0)
        mmu->pages = mmu->caps.DualPteSupported ? MMU_PAGES_DUAL : MMU_PAGES_SINGLE;
    return VIDMM_OK;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

struct level_question {
    struct question question;
    const struct adapter_facts *facts;
    uint32_t index; /* of the physical adapter */
    const struct mmu *mmu;
    uint32_t level;
    bool root_grows; /* this is the root of two levels: sizes are initial ones, or 0 */
};

static enum vidmm_status mmu_query_wrong(const struct level_question *question, const char *field,
                                         const char *expected, const char *rule, uint64_t value) {
    return query_refuse(&question->question, &(struct complaint){.field = field,
                                                                 .expected = expected,
                                                                 .rule = rule,
                                                                 .page = PAGE_LEVEL,
                                                                 .value = value});
}

/* System memory, or a memory segment; `*id` is 0 for the alias that some drivers use, and else
 * becomes segment.id. */
static enum vidmm_status validate_segment(const struct level_question *question, const char *field,
                                          uint32_t size, uint32_t *id) {
    const struct adapter_facts *facts = question->facts;
    if (question->question.context->readings.system_segment == 1 &&
        *id == facts->physical[question->index].segment_count + 1)
        *id = 0;
    const struct segment *segment = physical_segment(facts, question->index, *id);
    if (*id != 0 && (!segment || segment->aperture))
        return mmu_query_wrong(question, field, "a memory segment, or 0 for system memory", "R546",
                               *id);
    if (*id == 0 && size > 4096u)
        return mmu_query_wrong(question, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes",
                               "at most 4096 where page tables are in system memory", "R252", size);
    *id = segment ? segment->id : 0;
    return VIDMM_OK;
}

static enum vidmm_status mmu_query_validate_size(const struct level_question *question,
                                                 uint32_t bits, uint32_t size) {
    if (bits > INDEX_BITS_MAX || (bits == 0 && !question->root_grows))
        return mmu_query_wrong(question, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableIndexBitCount",
                               "1 to 18; or 0 for a root page table that grows", "R251", bits);
    if (question->level == 0 && question->mmu->pages != MMU_PAGES_4K && bits < WIDE_BITS)
        return mmu_query_wrong(question, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableIndexBitCount",
                               "at least 4 for leaf page tables where there are pages of 64 KB",
                               NULL, bits);
    if (size % 4096u != 0 || (size < (1u << bits) && !question->root_grows))
        return mmu_query_wrong(question, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSizeInBytes",
                               "a multiple of 4096 with room for all entries", "R253", size);
    return VIDMM_OK;
}

/* By a BAR, or by the CPU host aperture, which page tables may be mapped into, too
 * (ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md). */
static bool cpu_reaches(const struct segment *segment) {
    return segment->flags.CpuVisible || segment->host_aperture_size != 0;
}

/* How the CPU is to write tables decides where they can be. */
static enum vidmm_status validate_reach(const struct level_question *question,
                                        const struct vidmm_level_info *level) {
    const struct segment *segment = query_segment(question->facts, level->segment);
    const struct segment *paging = query_segment(question->facts, level->paging_segment);
    bool by_cpu = question->mmu->caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    if (by_cpu && segment && !cpu_reaches(segment))
        return mmu_query_wrong(
            question, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId",
            "memory that the CPU reaches where PageTableUpdateMode is CPU_VIRTUAL", "R212",
            level->segment);
    if (paging && !cpu_reaches(paging))
        return mmu_query_wrong(question,
                               "DXGK_PAGE_TABLE_LEVEL_DESC.PagingProcessPageTableSegmentId",
                               "memory that the CPU reaches: it initializes these tables", "R211",
                               level->paging_segment);
    return VIDMM_OK;
}

static enum vidmm_status validate_level(const struct level_question *question,
                                        struct vidmm_level_info *level) {
    uint32_t size = level->size;
    if (question->level == 0 && question->mmu->wide_size > size)
        size = question->mmu->wide_size;
    enum vidmm_status status = mmu_query_validate_size(question, level->index_bits, level->size);
    if (status == VIDMM_OK)
        status = validate_segment(question, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId", size,
                                  &level->segment);
    if (status == VIDMM_OK)
        status =
            validate_segment(question, "DXGK_PAGE_TABLE_LEVEL_DESC.PagingProcessPageTableSegmentId",
                             size, &level->paging_segment);
    if (status == VIDMM_OK && (level->alignment & (level->alignment - 1)) != 0)
        status = mmu_query_wrong(question, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableAlignmentInBytes",
                                 "0 or a power of two", NULL, level->alignment);
    return status == VIDMM_OK ? validate_reach(question, level) : status;
}

static enum vidmm_status ask_level(const struct query_context *context, struct adapter_facts *facts,
                                   uint32_t index, uint32_t level, struct vidmm_error *error) {
    struct mmu *mmu = &facts->physical[index].mmu;
    struct level_question question = {.question = {context, error, CALL_LEVEL},
                                      .facts = facts,
                                      .index = index,
                                      .mmu = mmu,
                                      .level = level,
                                      .root_grows = mmu_root_grows(mmu) && level == 1};
    DXGK_QUERYPAGETABLELEVELDESCIN input = {.LevelIndex = (WORD)level,
                                            .PhysicalAdapterIndex = (WORD)index};
    DXGK_PAGE_TABLE_LEVEL_DESC desc;
    memset(&desc, 0, sizeof(desc));
    enum vidmm_status status = query_ask(&question.question, DXGKQAITYPE_PAGETABLELEVELDESC, &input,
                                         sizeof(input), &desc, sizeof(desc));
    if (status != VIDMM_OK)
        return status;
    mmu->level[level] =
        (struct vidmm_level_info){.index_bits = desc.PageTableIndexBitCount,
                                  .segment = desc.PageTableSegmentId,
                                  .paging_segment = desc.PagingProcessPageTableSegmentId,
                                  .size = desc.PageTableSizeInBytes,
                                  .alignment = desc.PageTableAlignmentInBytes};
    return validate_level(&question, &mmu->level[level]);
}

/* R251: more than two levels reach every address; of two the leaves leave something to the root. */
static enum vidmm_status validate_coverage(const struct query_context *context,
                                           const struct mmu *mmu, struct vidmm_error *error) {
    const struct question question = {context, error, CALL_LEVEL};
    uint32_t bits = mmu->caps.VirtualAddressBitCount;
    uint32_t below = mmu_shift(mmu, mmu->levels - 1);
    uint32_t all = below + mmu->level[mmu->levels - 1].index_bits;
    uint32_t most = mmu_root_grows(mmu) ? ROOT_BITS_MAX : INDEX_BITS_MAX;
    bool root = bits > below && bits - below <= most;
    if (root && (mmu_root_grows(mmu) || all >= bits))
        return VIDMM_OK;
    return query_refuse(
        &question, &(struct complaint){
                       .field = "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableIndexBitCount",
                       .expected = "of all levels, with 12, the bits of VirtualAddressBitCount",
                       .rule = "R251",
                       .page = "gpu-virtual-address",
                       .value = all});
}

/* A driver that fails this, or says 0, leaves it to the system (allocation-notification.md). */
static void ask_paging_size(const struct query_context *context, const struct adapter_facts *facts,
                            struct mmu *mmu, UINT index) {
    struct vidmm_error unwanted;
    const struct question question = {context, &unwanted,
                                      "DxgkDdiQueryAdapterInfo(PAGINGPROCESSGPUVASIZE)"};
    UINT megabytes = 0;
    if (facts->interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM3_2 &&
        query_ask(&question, DXGKQAITYPE_PAGINGPROCESSGPUVASIZE, &index, sizeof(index), &megabytes,
                  sizeof(megabytes)) == VIDMM_OK)
        mmu->paging = (uint64_t)megabytes << 20;
}

/* R261: a process has the same addresses on each physical adapter. */
static enum vidmm_status validate_link(const struct question *question, const struct mmu *first,
                                       const struct mmu *mmu) {
    uint32_t bits = mmu->caps.VirtualAddressBitCount;
    if (bits == first->caps.VirtualAddressBitCount)
        return VIDMM_OK;
    return query_refuse(question,
                        &(struct complaint){.field = "DXGK_GPUMMUCAPS.VirtualAddressBitCount",
                                            .expected = "the same on all linked adapters",
                                            .rule = "R261",
                                            .page = "linked-display-adapter",
                                            .value = bits});
}

enum vidmm_status query_mmu(const struct query_context *context, struct adapter_facts *facts,
                            uint32_t index, struct vidmm_error *error) {
    const struct question question = {context, error, CALL_CAPS};
    struct mmu *mmu = &facts->physical[index].mmu;
    if (!mmu->has)
        return VIDMM_OK;
    enum vidmm_status status = ask_caps(context, mmu, index, error);
    if (status == VIDMM_OK && facts->physical[0].mmu.has)
        status = validate_link(&question, &facts->physical[0].mmu, mmu);
    mmu->large = mmu->caps.LargePageSupported &&
                 facts->interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1;
    mmu->large_system = mmu->large && mmu->caps.SysMemLargePageSupported &&
                        facts->interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9;
    for (uint32_t i = 0; status == VIDMM_OK && i < mmu->levels; i++)
        status = ask_level(context, facts, index, i, error);
    if (status == VIDMM_OK)
        status = validate_coverage(context, mmu, error);
    if (status == VIDMM_OK)
        ask_paging_size(context, facts, mmu, index);
    mmu->on = status == VIDMM_OK &&
              (context->model == VIDMM_MODEL_ANY || context->model == VIDMM_MODEL_GPUMMU);
    return status;
}
