/*
 * table.c - UPDATE_PAGE_TABLE: what the manager asks for, the tables as the operation
 * leaves them, and the hardware's view of it once it is done
 * (ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md).
 */
#include "operation/table.h"

#include <stdlib.h>
#include <string.h>

#include "operation/dirty_bits.h"
#include "operation/operation.h"
#include "state/memory.h"

/* ---- The operation as it is kept ------------------------------------------------------------- */

static const struct tables_mmu *table_mmu(struct vidmm_referee *referee,
                                          const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    return tables_mmu(referee, linked_space_physical(update->hProcess));
}

/* The driver reads the second array for entries of level 1 beside the first, and for tables of 64
 * KB pages instead of it. */
static struct table_change *table_keep(struct vidmm_referee *referee,
                                       const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update,
                                       bool now) {
    bool dual = table_mmu(referee, update)->pages == TABLES_DUAL, wide = update->Flags.Use64KBPages;
    const DXGK_PTE *first = update->pPageTableEntries, *second = update->pPageTableEntries64KB;
    size_t count = update->Flags.Repeat ? 1 : update->NumPageTableEntries;
    if (dual && wide && second)
        first = second;
    if (!dual || update->PageTableLevel != 1)
        second = NULL;
    uint8_t kinds = (uint8_t)((!!first) | (!!second << 1));
    struct table_change *change = memory_calloc(1, sizeof(*change) + 2 * count * sizeof(DXGK_PTE));
    if (!change)
        return NULL;
    change->process = update->hProcess;
    change->allocation = update->hAllocation;
    change->level = update->PageTableLevel;
    change->start = update->StartIndex;
    change->count = update->NumPageTableEntries;
    change->wide = wide && change->level == 0;
    change->repeat = update->Flags.Repeat;
    change->initial = update->Flags.InitialUpdate;
    change->now = now;
    change->kinds = kinds;
    change->offset = update->AllocationOffsetInBytes;
    change->protection = update->DriverProtection;
    change->va = update->FirstPteVirtualAddress;
    if (first)
        memcpy(change->entry, first, count * sizeof(DXGK_PTE));
    if (second)
        memcpy(change->entry + (first ? count : 0), second, count * sizeof(DXGK_PTE));
    return change;
}

/* ---- What is asked for ----------------------------------------------------------------------- */

static void table_judge_mode(struct vidmm_referee *referee,
                             const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, bool now) {
    const struct tables_process *process = tables_process(referee, update->hProcess);
    bool first =
        now && process && process->system && update->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    DXGK_PAGETABLEUPDATEMODE mode = table_mmu(referee, update)->caps.PageTableUpdateMode;
    MANAGER_MUST(209, first || update->UpdateMode == mode,
                 "PageTableUpdateMode, or CPU_VIRTUAL while the paging process is initialised",
                 "UpdateMode %u where the driver reported %u", (unsigned)update->UpdateMode,
                 (unsigned)mode);
}

static bool table_physical_exists(struct vidmm_referee *referee, D3DGPU_PHYSICAL_ADDRESS place) {
    const struct shadow_segment *segment = shadow_segment(referee, place.SegmentId);
    uint64_t end = segment ? segment->size : world_memory_end(referee);
    return (place.SegmentId == 0 || segment) && place.SegmentOffset % SHADOW_PAGE == 0 &&
           (end == 0 || place.SegmentOffset < end);
}

/* Bytes of the table that the entries of an update are in: from *first to *end; none: not
 * known. */
static void table_written_bytes(struct vidmm_referee *referee,
                                const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update,
                                uint64_t *first, uint64_t *end) {
    const struct tables_mmu *mmu = table_mmu(referee, update);
    uint32_t level = update->PageTableLevel;
    bool wide = update->Flags.Use64KBPages && level == 0;
    *first = *end = 0;
    if (level >= mmu->levels)
        return;
    uint32_t entries = tables_entries(mmu, level, wide);
    uint64_t bytes = tables_bytes(mmu, level, wide, entries), each = bytes / entries;
    *first = update->StartIndex * each;
    *end = *first + update->NumPageTableEntries * each;
    *end = *end < bytes ? *end : bytes;
}

/* The page at `at` of the table is where the first one says that it is. */
static void table_judge_page(struct vidmm_referee *referee, const struct tables_process *runs,
                             uint64_t window, D3DGPU_PHYSICAL_ADDRESS place, uint64_t at) {
    struct tables_found way;
    uint64_t va = window + at;
    tables_walk(referee, runs, va, TABLES_ASKED, &way);
    if (!way.known)
        return;
    MANAGER_MUST(213,
                 way.valid && !way.zero && way.segment == place.SegmentId &&
                     way.offset == place.SegmentOffset + at,
                 "the addresses of all of a table in the process that updates it",
                 "0x%llx, of the table at 0x%llx, %s", LLU(va), LLU(window),
                 way.valid && !way.zero ? "leads elsewhere" : "leads nowhere");
    MANAGER_MUST(231, !way.stale, "FLUSH_TLB between an update and the use of its addresses",
                 "the table's address 0x%llx changed", LLU(va));
}

void window_judge(struct vidmm_referee *referee, const struct tables_process *runs, uint64_t window,
                  uint64_t first, uint64_t end) {
    struct tables_found way = {.known = false};
    if (runs)
        tables_walk(referee, runs, window, TABLES_ASKED, &way);
    if (!way.known)
        return;
    bool found = way.valid && !way.zero;
    MANAGER_MUST(213, found && window % SHADOW_PAGE == 0,
                 "a table's address in the process that updates it", "0x%llx leads nowhere there",
                 LLU(window));
    const D3DGPU_PHYSICAL_ADDRESS place = {.SegmentId = way.segment, .SegmentOffset = way.offset};
    for (uint64_t at = first - first % SHADOW_PAGE; found && at < end; at += SHADOW_PAGE)
        table_judge_page(referee, runs, window, place, at);
}

/* False: the place of the table is not known. */
static bool table_judge_where(struct vidmm_referee *referee,
                              const struct shadow_operation *operation,
                              D3DGPU_PHYSICAL_ADDRESS *place) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &operation->arg.UpdatePageTable;
    const struct tables_process *runs = tables_running(referee, operation);
    bool found = tables_place(referee, runs, &update->PageTableAddress, update->UpdateMode, place);
    bool by_cpu = update->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    uint64_t first, end;
    if (update->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
        table_written_bytes(referee, update, &first, &end);
        window_judge(referee, runs, update->PageTableAddress.GpuVirtual, first, end);
        return found;
    }
    if (!by_cpu)
        found = table_physical_exists(referee, *place);
    if (!by_cpu || referee->world.memory)
        MANAGER_MUST(210, found, "the member of PageTableAddress that belongs to UpdateMode",
                     "it leads nowhere by UpdateMode %u", (unsigned)update->UpdateMode);
    return found;
}

static void table_judge_members(struct vidmm_referee *referee,
                                const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const struct tables_process *process = tables_process(referee, update->hProcess);
    enum tables_pages pages = table_mmu(referee, update)->pages;
    bool leaf = update->PageTableLevel == 0, narrow = pages == TABLES_4K;
    HANDLE handle = update->hAllocation;
    uint64_t protection = update->DriverProtection;
    if (referee->callbacks.Size != 0)
        MANAGER_MUST(217, !handle || shadow_allocation(referee, handle),
                     "NULL, or a handle that the driver gave an allocation",
                     "hAllocation %p is no allocation's", handle);
    MANAGER_MUST(226, leaf || protection == 0, "DriverProtection in updates of level 0 only",
                 "DriverProtection 0x%llx for level %u", LLU(protection), update->PageTableLevel);
    if (process && process->system)
        MANAGER_MUST(227, protection == 0 || (protection & OWNERS_UNIQUE) != 0,
                     "no DriverProtection for paging but a unique one", "DriverProtection 0x%llx",
                     LLU(protection));
    MANAGER_MUST(378, pages == TABLES_DUAL || !update->pPageTableEntries64KB,
                 "pPageTableEntries64KB with DualPteSupported only", "it is %p",
                 (const void *)update->pPageTableEntries64KB);
    MANAGER_MUST(379, !update->Flags.Use64KBPages || (leaf && !narrow),
                 "Use64KBPages for leaf tables, where the driver has those of 64 KB pages",
                 "Use64KBPages for level %u", update->PageTableLevel);
}

/* The entries exist, and are those of the address. */
static bool table_judge_range(struct vidmm_referee *referee,
                              const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    const struct tables_mmu *mmu = table_mmu(referee, update);
    uint32_t level = update->PageTableLevel;
    bool wide = update->Flags.Use64KBPages && level == 0;
    if (level >= mmu->levels) {
        MANAGER_MUST(214, false, "a level that the driver described", "level %u of %u", level,
                     mmu->levels);
        return false;
    }
    uint64_t entries = tables_entries(mmu, level, wide);
    uint64_t end = (uint64_t)update->StartIndex + update->NumPageTableEntries;
    uint32_t shift = wide ? TABLES_WIDE_SHIFT : tables_shift(mmu, level);
    uint64_t va = update->FirstPteVirtualAddress, index = va >> shift;
    if (level + 1 < mmu->levels)
        index &= entries - 1;
    MANAGER_MUST(214, update->NumPageTableEntries != 0 && end <= entries,
                 "entries inside the table", "%u entries from %u on of %llu",
                 update->NumPageTableEntries, update->StartIndex, LLU(entries));
    MANAGER_MUST(218, (va & ((UINT64_C(1) << shift) - 1)) == 0 && index == update->StartIndex,
                 "entries in steps of what each covers, StartIndex that of the first address",
                 "StartIndex %u for address 0x%llx of level %u", update->StartIndex, LLU(va),
                 level);
    return end <= entries && update->NumPageTableEntries != 0 && index == update->StartIndex;
}

/* ---- How it goes together with the table ----------------------------------------------------- */

/* Contexts of the process that work now. */
static uint32_t table_running(struct vidmm_referee *referee, HANDLE process) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < shadow_node_end(referee); i++) {
        const struct shadow_submission *at = referee->node[i].first;
        for (; at; at = at->next)
            count += !at->paging && at->process == process;
    }
    return count;
}

static bool table_says_invalid(const struct table_change *change) {
    for (uint32_t kind = 0; kind < 2; kind++) {
        for (uint32_t i = 0; i < change_elements(change); i++) {
            const DXGK_PTE *entry = change_entry(change, kind, i);
            if (entry && entry->Valid)
                return false;
        }
    }
    return true;
}

static void table_judge_first(struct vidmm_referee *referee, const struct table_change *change,
                              const struct tables_table *table) {
    const struct tables_mmu *mmu = change_mmu(referee, change);
    bool root = change->level + 1 == mmu->levels;
    bool whole =
        change->start == 0 && (change->count == tables_entries(mmu, change->level, change->wide) ||
                               (root && mmu->levels == 2));
    if (change->initial)
        MANAGER_MUST(208, whole && table_says_invalid(change),
                     "a table that begins with nothing but invalid entries",
                     "InitialUpdate of %u entries from %u on, %s", change->count, change->start,
                     table_says_invalid(change) ? "all invalid" : "some valid");
    else if (tables_intact(referee))
        MANAGER_MUST(208, table, "InitialUpdate for a table that was never filled",
                     "the first entries of level %u for address 0x%llx", change->level,
                     LLU(change->va));
    if (change->initial && root && change_entry(change, 0, 0))
        MANAGER_MUST(258, !change_entry(change, 0, 0)->Valid, "entry 0 of a new root invalid",
                     "it is valid%s", "");
    if (change->initial && table && mmu->caps.ExplicitPageTableInvalidation)
        MANAGER_MUST(235, tables_valid_entries(table) == 0,
                     "every entry made invalid before the table's memory is used anew",
                     "entries of level %u are valid", table->level);
}

/* From 64 KB pages to 4 KB pages, or back, which there is not. */
static void table_judge_kind(struct vidmm_referee *referee, const struct table_change *change,
                             const struct tables_table *table) {
    if (!table || change->initial || change->level != 0 || table->level != 0)
        return;
    const struct tables_mmu *mmu = change_mmu(referee, change);
    if (mmu->pages == TABLES_DUAL) {
        MANAGER_MUST(
            379, table->wide == change->wide, "Use64KBPages as the kind of the table wants it",
            "Use64KBPages %u for a table of %s KB pages", change->wide, table->wide ? "64" : "4");
        return;
    }
    MANAGER_MUST(375, table->wide || !change->wide, "a table of 4 KB pages that stays one",
                 "Use64KBPages for a table of 4 KB pages%s", "");
    if (!table->wide || change->wide)
        return;
    MANAGER_MUST(374, table_running(referee, change->process) == 0,
                 "contexts that are suspended while a table becomes one of 4 KB pages",
                 "%u submissions of the process are under way",
                 table_running(referee, change->process));
    MANAGER_MUST(208,
                 change->start == 0 && change->count == tables_entries(mmu, 0, false) &&
                     table_says_invalid(change),
                 "nothing but invalid entries in a table that becomes one of 4 KB pages",
                 "the first %u entries, from %u on, %s", change->count, change->start,
                 table_says_invalid(change) ? "are invalid" : "are valid");
}

static void table_judge_first_page(struct vidmm_referee *referee,
                                   const struct table_change *change) {
    const struct tables_process *process = tables_process(referee, change->process);
    const DXGK_PTE *entry = change_entry(change, 0, 0);
    if (process && process->system && change->level == 0 && change->va == 0 && entry)
        MANAGER_MUST(262, !entry->Valid, "the paging process's first page invalid",
                     "address 0 of it is valid%s", "");
}

/* Where the driver wants tables of the level to lie. */
static void table_judge_segment(struct vidmm_referee *referee,
                                const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update,
                                D3DGPU_PHYSICAL_ADDRESS place) {
    const struct tables_process *process = tables_process(referee, update->hProcess);
    const DXGK_PAGE_TABLE_LEVEL_DESC *level =
        &table_mmu(referee, update)->level[update->PageTableLevel];
    if (!process)
        return;
    UINT wanted =
        process->system ? level->PagingProcessPageTableSegmentId : level->PageTableSegmentId;
    UINT alignment = level->PageTableAlignmentInBytes;
    wanted = linked_segment(process->physical, wanted);
    MANAGER_MUST(428, place.SegmentId == wanted,
                 "a table in the segment that its level was described with",
                 "a table of level %u in segment %u instead of %u", update->PageTableLevel,
                 place.SegmentId, wanted);
    MANAGER_MUST(428, alignment == 0 || place.SegmentOffset % alignment == 0,
                 "a table at a multiple of PageTableAlignmentInBytes",
                 "a table of level %u at 0x%llx, PageTableAlignmentInBytes 0x%x",
                 update->PageTableLevel, LLU(place.SegmentOffset), alignment);
}

/* linked-display-adapter.md: each physical adapter has an MMU of its own, which is asked for. */
static bool table_judge_described(struct vidmm_referee *referee, uint32_t physical) {
    bool known = tables_mmu(referee, physical)->known;
    MANAGER_MUST(
        513, known,
        "GPUMMUCAPS and PAGETABLELEVELDESC asked of each physical adapter before it is used",
        "page tables of physical adapter %u, which was not asked", physical);
    return known;
}

static void table_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &operation->arg.UpdatePageTable;
    bool now = !operation->arg.pDmaBuffer;
    D3DGPU_PHYSICAL_ADDRESS place;
    if (!tables_known(referee) || !table_judge_described(referee, operation->physical))
        return;
    table_judge_mode(referee, update, now);
    table_judge_members(referee, update);
    table_judge_idle(referee, update->hProcess);
    bool there = table_judge_where(referee, operation, &place);
    if (!table_judge_range(referee, update) || !there) {
        tables_forget(referee); /* what it writes over is not known */
        return;
    }
    table_judge_segment(referee, update, place);
    struct table_change *change = table_keep(referee, update, now);
    operation->own = change;
    if (!change)
        return;
    change->place = place;
    const struct tables_table *table = tables_find(referee, place);
    change->before = bits_hash(referee, change);
    table_judge_first(referee, change, table);
    table_judge_kind(referee, change, table);
    table_judge_first_page(referee, change);
    change->unsure = !entries_judge(
        referee, change,
        table && table->level == change->level && table->wide == change->wide ? table : NULL);
}

/* R234 */
void table_judge_idle(struct vidmm_referee *referee, HANDLE process) {
    const DXGK_GPUMMUCAPS *caps = &tables_mmu(referee, linked_space_physical(process))->caps;
    if (caps->PageTableUpdateRequireAddressSpaceIdle && linked_space_process(process))
        MANAGER_MUST(234, table_running(referee, process) == 0,
                     "an address space at rest during updates and flushes",
                     "%u submissions of the process are under way",
                     table_running(referee, process));
}

/* ---- Before and after ------------------------------------------------------------------------ */

static void table_built(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    if (operation->own)
        change_apply(referee, operation->own, TABLES_ASKED);
}

/* An update without a DMA buffer: something was written, and is wrong, or nothing was. */
static uint32_t table_rule_now(struct vidmm_referee *referee, const struct table_change *change) {
    return change->before != 0 && !bits_untouched(referee, change) ? 215 : 211;
}

/* The rule that the driver broke if the entries are not what they shall be: nothing is different
 * where the table is (R210), nothing was done at once (R211), it is about tables of 64 KB pages
 * beside others (R378) or instead of others (R379), or none of that. */
static uint32_t table_rule_of(struct vidmm_referee *referee, const struct table_change *change) {
    bool beside = change_mmu(referee, change)->pages == TABLES_DUAL &&
                  (change->wide || (change->kinds & 2u) != 0);
    if (change->now)
        return table_rule_now(referee, change);
    if (beside)
        return 378;
    if (change->wide)
        return 379;
    return bits_untouched(referee, change) ? 210 : 215;
}

/* For dirty bits, of a table that one of them stands for: bytes that are others now were written. */
static void table_note_written(struct vidmm_referee *referee, const struct table_change *change,
                               uint64_t asked) {
    const struct shadow_segment *segment = shadow_memory(referee, change->place.SegmentId);
    const struct tables_mmu *mmu = change_mmu(referee, change);
    uint64_t at = change->place.SegmentOffset;
    if (!segment || change->now || change->level >= mmu->levels || change->before == 0 ||
        bits_untouched(referee, change))
        return;
    uint32_t entries = tables_entries(mmu, change->level, change->wide);
    if (at % SHADOW_PAGE + tables_bytes(mmu, change->level, change->wide, entries) <= SHADOW_PAGE)
        dirty_wrote(referee, segment->id, segment->base + at, 1, asked);
}

static void table_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    struct table_change *change = operation->own;
    if (!change)
        return;
    table_note_written(referee, change, operation->asked);
    change_apply(referee, change, TABLES_DONE);
    change_compare(referee, change,
                   (struct tables_blame){.rule_table = table_rule_of(referee, change)});
    bits_done(referee, change);
}

const struct operation_judge op_judge_table = {
    .asked = table_asked, .built = table_built, .done = table_done};
