/*
 * table_entries.c - what the entries of an update say (ns-d3dukmdt-_dxgk_pte.md,
 * support-for-64kb-pages.md): their bits, where they lead, and how that goes together with what the
 * tables hold already.
 */
#include "state/judge.h"
#include "operation/operation.h"
#include "operation/table.h"

#define WIDE_BYTES (UINT64_C(1) << TABLES_WIDE_SHIFT)
#define WIDE_MASK  (WIDE_BYTES - 1)

/* One entry and where it is. */
struct looked {
    const struct table_change *change;
    const DXGK_PTE *entry;
    uint64_t va;
    uint64_t offset;  /* in the allocation */
    uint64_t address; /* where it leads: in its segment, or in system memory */
    uint64_t covers;  /* bytes */
    bool page;        /* leads to memory, not to a table */
};

/* ---- Bits ------------------------------------------------------------------------------------ */

static void entry_judge_bits(struct vidmm_referee *referee, const struct looked *looked) {
    const DXGK_PTE *entry = looked->entry;
    const DXGK_GPUMMUCAPS *caps = &change_mmu(referee, looked->change)->caps;
    uint32_t level = looked->change->level;
    MANAGER_MUST(225, entry->Reserved == 0 && entry->SystemReserved0 == 0,
                 "reserved bits that are 0", "entry 0x%llx of level %u", LLU(entry->Flags), level);
    MANAGER_MUST(221, !entry->Zero || caps->ZeroInPteSupported, "Zero with ZeroInPteSupported only",
                 "Zero with Valid %u, and it was not reported", (unsigned)entry->Valid);
    if (!entry->Valid)
        return;
    if (entry->LargePage)
        MANAGER_MUST(219, level != 0 && caps->LargePageSupported,
                     "LargePage above the leaves only, and with LargePageSupported",
                     "LargePage in an entry of level %u, LargePageSupported %u", level,
                     caps->LargePageSupported);
    MANAGER_MUST(222,
                 (!entry->ReadOnly || caps->ReadOnlyMemorySupported) &&
                     (!entry->NoExecute || caps->NoExecuteMemorySupported),
                 "ReadOnly and NoExecute only where the driver reported them",
                 "ReadOnly %u, NoExecute %u", (unsigned)entry->ReadOnly,
                 (unsigned)entry->NoExecute);
    MANAGER_MUST(424, !entry->CacheCoherent || caps->CacheCoherentMemorySupported,
                 "CacheCoherent only with CacheCoherentMemorySupported",
                 "CacheCoherent in an entry of level %u, and it was not reported", level);
    MANAGER_MUST(376, entry->PageTablePageSize == 0 || level == 1,
                 "PageTablePageSize in entries of level 1 only", "%u in an entry of level %u",
                 (unsigned)entry->PageTablePageSize, level);
}

/* ---- Where it leads -------------------------------------------------------------------------- */

static bool entry_inside(struct vidmm_referee *referee, uint32_t id, uint64_t address,
                         uint64_t size) {
    const struct shadow_segment *segment = shadow_segment(referee, id);
    uint64_t end = segment ? segment->size : world_memory_end(referee);
    return end == 0 || (address < end && size <= end - address);
}

static void entry_judge_address(struct vidmm_referee *referee, const struct looked *looked) {
    const DXGK_PTE *entry = looked->entry;
    uint32_t id = tables_entry_segment(entry), physical = (uint32_t)entry->PhysicalAdapterIndex;
    const DXGK_GPUMMUCAPS *caps = &change_mmu(referee, looked->change)->caps;
    uint64_t size = looked->page ? looked->covers : 1;
    MANAGER_MUST(508, physical < linked_count(referee),
                 "the index of a physical adapter of the link, 0 where adapters are not linked",
                 "PhysicalAdapterIndex is %u of %u in an entry of level %u", physical,
                 linked_count(referee), looked->change->level);
    bool known = id == 0 || shadow_segment(referee, id);
    bool there = known && entry_inside(referee, id, looked->address, size);
    /* An address in bytes where pages are counted. */
    bool bytes = known && !there && (entry->PageAddress & (SHADOW_PAGE - 1)) == 0 &&
                 entry_inside(referee, id, entry->PageAddress, 1);
    MANAGER_MUST(224, !bytes && entry->PageAddress >> 52 == 0,
                 "the number of a page of 4 KB from the start of the segment",
                 "address member 0x%llx of an entry of segment %u", LLU(entry->PageAddress), id);
    MANAGER_MUST(223, there || bytes,
                 "a page of system memory where the segment is 0, or one of the segment",
                 "0x%llx bytes at 0x%llx of segment %u", LLU(size), LLU(looked->address), id);
    if (entry->LargePage && !(tables_has(referee, DXGKDDI_INTERFACE_VERSION_WDDM2_1,
                                         caps->AllowNonAlignedLargePageAddress)))
        MANAGER_MUST(220, looked->address % looked->covers == 0,
                     "a large page at a multiple of what it covers",
                     "0x%llx, covering 0x%llx bytes", LLU(looked->address), LLU(looked->covers));
}

/* ---- Large pages ----------------------------------------------------------------------------- */

static void entry_judge_large(struct vidmm_referee *referee, const struct looked *looked) {
    uint32_t id = tables_entry_segment(looked->entry);
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, looked->change->allocation);
    const DXGK_GPUMMUCAPS *caps = &change_mmu(referee, looked->change)->caps;
    bool system =
        tables_has(referee, DXGKDDI_INTERFACE_VERSION_WDDM2_9, caps->SysMemLargePageSupported);
    bool refused = allocation && tables_has(referee, DXGKDDI_INTERFACE_VERSION_WDDM2_1,
                                            allocation->info.FlagsWddm2.DisableLargePageMapping);
    MANAGER_MUST(440, !refused, "page tables where the allocation has DisableLargePageMapping",
                 "0x%llx leads to it by an entry with LargePage", LLU(looked->va));
    if (allocation)
        MANAGER_MUST(441,
                     looked->offset <= allocation->size &&
                         looked->covers <= allocation->size - looked->offset,
                     "a large page that lies inside one allocation",
                     "0x%llx bytes from byte 0x%llx of an allocation of 0x%llx",
                     LLU(looked->covers), LLU(looked->offset), LLU(allocation->size));
    MANAGER_MUST(442, id != 0 || system,
                 "large pages of system memory with SysMemLargePageSupported only",
                 "0x%llx leads there by an entry with LargePage", LLU(looked->va));
}

/* ---- Pages of 64 KB -------------------------------------------------------------------------- */

static void entry_judge_wide(struct vidmm_referee *referee, const struct looked *looked) {
    uint32_t id = tables_entry_segment(looked->entry);
    const struct shadow_segment *segment = shadow_segment(referee, id);
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, looked->change->allocation);
    const DXGK_GPUMMUCAPS *caps = &change_mmu(referee, looked->change)->caps;
    bool system =
        tables_has(referee, DXGKDDI_INTERFACE_VERSION_WDDM2_1, caps->SysMem64KBPageSupported);
    MANAGER_MUST(369, id != 0 || system, "pages of 4 KB in system memory",
                 "an entry of 64 KB leads to system memory%s", "");
    MANAGER_MUST(371, ((looked->va ^ looked->address) & WIDE_MASK) == 0,
                 "the same low 16 bits in the virtual and the physical address",
                 "0x%llx leads to 0x%llx", LLU(looked->va), LLU(looked->address));
    if (segment)
        MANAGER_MUST(
            372,
            segment->flags.Use64KBPages &&
                (!allocation || ((allocation->size | looked->offset) & WIDE_MASK) == 0),
            "entries of 64 KB for allocations of whole 64 KB in segments with Use64KBPages",
            "segment %u has Use64KBPages %u; 0x%llx bytes, offset 0x%llx", id,
            (unsigned)segment->flags.Use64KBPages, LLU(allocation ? allocation->size : 0),
            LLU(looked->offset));
}

/* Where an allocation is in a segment of 64 KB pages. */
static void entry_judge_place(struct vidmm_referee *referee, const struct looked *looked) {
    const struct shadow_segment *segment =
        shadow_memory(referee, tables_entry_segment(looked->entry));
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, looked->change->allocation);
    if (!segment || !allocation)
        return;
    place_judge_protected(referee, allocation, segment, looked->address, looked->covers);
    if (!segment->flags.Use64KBPages)
        return;
    MANAGER_MUST(370, ((looked->address ^ looked->offset) & WIDE_MASK) == 0,
                 "a place in multiples of 64 KB in a segment with Use64KBPages",
                 "byte 0x%llx of the allocation is at 0x%llx of segment %u", LLU(looked->offset),
                 LLU(looked->address), segment->id);
}

/* A range of 64 KB: valid in the other kind of table, too? */
static bool entry_valid_there(struct vidmm_referee *referee, const struct tables_table *other,
                              uint64_t va, uint64_t size) {
    uint32_t first, last;
    if (!other || !tables_cut(referee, other, va, va + size, &first, &last))
        return false;
    for (uint32_t i = first; i <= last; i++) {
        const struct tables_entry *entry = tables_entry(other, 0, i);
        if (entry->known[TABLES_ASKED] && entry->value[TABLES_ASKED].Valid)
            return true;
    }
    return false;
}

static void entry_judge_one_kind(struct vidmm_referee *referee, const struct looked *looked,
                                 const struct tables_table *other) {
    MANAGER_MUST(377, !entry_valid_there(referee, other, looked->va & ~WIDE_MASK, WIDE_BYTES),
                 "valid entries in one of the two tables of a range of 64 KB",
                 "0x%llx is valid in the table of %s KB pages already", LLU(looked->va),
                 looked->change->wide ? "4" : "64");
}

/* The table that an entry of level 1 leads to is of the kind that it says. */
static void entry_judge_child_kind(struct vidmm_referee *referee, const struct looked *looked,
                                   const struct tables_table *child) {
    bool wide = looked->entry->PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
    if (child->level != 0)
        return;
    MANAGER_MUST(374, wide || !child->wide,
                 "entries of 4 KB in the table before its parent's PageTablePageSize says so",
                 "the table at 0x%llx still has entries of 64 KB", LLU(looked->address));
    MANAGER_MUST(373, !wide || child->wide, "entries of 64 KB where PageTablePageSize says so",
                 "the table at 0x%llx has entries of 4 KB", LLU(looked->address));
}

static void entry_judge_child(struct vidmm_referee *referee, const struct looked *looked) {
    D3DGPU_PHYSICAL_ADDRESS place = {.SegmentId = tables_entry_segment(looked->entry),
                                     .SegmentOffset = looked->address};
    const struct tables_table *child = tables_find(referee, place);
    if (tables_intact(referee))
        MANAGER_MUST(208, child, "InitialUpdate for a table before an entry leads to it",
                     "an entry of level %u leads to 0x%llx, where no table was ever filled",
                     looked->change->level, LLU(looked->address));
    if (child && looked->change->level == 1 &&
        change_mmu(referee, looked->change)->pages == TABLES_SINGLE)
        entry_judge_child_kind(referee, looked, child);
}

/* ---- Protections that are an allocation's own ------------------------------------------------ */

static bool entry_owns(const struct tables_owner *owner, const struct tables_entry *entry) {
    return entry->known[TABLES_ASKED] && entry->value[TABLES_ASKED].Valid &&
           (owner->protection & OWNERS_UNIQUE) != 0;
}

static void entry_judge_protection(struct vidmm_referee *referee, const struct looked *looked,
                                   const struct tables_table *table, uint32_t index) {
    const struct tables_entry *entry = table ? tables_entry(table, 0, index) : NULL;
    if (!entry || !table->owner || !entry_owns(&table->owner[index], entry))
        return;
    MANAGER_MUST(229, table->owner[index].protection == looked->change->protection,
                 "NoAccess between two protections of a range that has a unique one",
                 "DriverProtection 0x%llx follows 0x%llx", LLU(looked->change->protection),
                 LLU(table->owner[index].protection));
}

static void entry_judge_unique(struct vidmm_referee *referee, const struct looked *looked,
                               const struct tables_table *table, uint32_t index) {
    bool owned = table && table->owner && index < table->entries;
    const struct tables_owner wanted = {.allocation = looked->change->allocation,
                                        .page = looked->offset,
                                        .protection = looked->change->protection};
    const struct tables_owner *other =
        owners_conflict(referee, &wanted, owned ? &table->owner[index] : NULL);
    MANAGER_MUST(228, !other, "one unique protection for a range of an allocation",
                 "DriverProtection 0x%llx beside 0x%llx", LLU(looked->change->protection),
                 LLU(other->protection));
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void entry_judge_page(struct vidmm_referee *referee, const struct looked *looked) {
    const struct table_change *change = looked->change;
    entry_judge_place(referee, looked);
    if (change->level != 0)
        entry_judge_large(referee, looked);
    if (change->level == 0 && change->wide)
        entry_judge_wide(referee, looked);
}

static void entry_judge_entry(struct vidmm_referee *referee, const struct looked *looked) {
    entry_judge_bits(referee, looked);
    if (!looked->entry->Valid || looked->entry->Zero)
        return;
    entry_judge_address(referee, looked);
    if (looked->page)
        entry_judge_page(referee, looked);
    else
        entry_judge_child(referee, looked);
}

/* Pages of one update follow each other in the allocation, so none comes twice in a row. */
static void entry_judge_row(struct vidmm_referee *referee, const struct table_change *change,
                            const DXGK_PTE *before, const DXGK_PTE *entry) {
    if (change->level == 0 && change->allocation && before->Valid && entry->Valid &&
        !before->Zero && !entry->Zero)
        MANAGER_MUST(216,
                     tables_entry_segment(before) != tables_entry_segment(entry) ||
                         before->PageAddress != entry->PageAddress,
                     "consecutive pages of the allocation", "page 0x%llx twice in a row",
                     LLU(entry->PageAddress));
}

/* What depends on the tables: of valid leaf entries. */
static void entry_judge_tables(struct vidmm_referee *referee, const struct looked *looked,
                               const struct tables_table *table, const struct tables_table *other,
                               uint32_t index) {
    entry_judge_protection(referee, looked, table, index);
    if (other)
        entry_judge_one_kind(referee, looked, other);
    if ((looked->change->protection & OWNERS_UNIQUE) != 0 && looked->change->allocation)
        entry_judge_unique(referee, looked, table, index);
}

static void entry_judge_kind(struct vidmm_referee *referee, const struct table_change *change,
                             const struct tables_table *table, uint32_t kind) {
    const struct tables_process *process = tables_process(referee, change->process);
    const struct tables_table *other = NULL;
    uint32_t shift = change_shift(referee, change);
    bool user = process && !process->system;
    if (change_mmu(referee, change)->pages == TABLES_DUAL && change->level == 0 && process)
        other = tables_leaf(referee, process, change->va, !change->wide);
    for (uint32_t i = 0; i < change_elements(change); i++) {
        const DXGK_PTE *entry = change_entry(change, kind, i);
        struct looked looked = {.change = change,
                                .entry = entry,
                                .va = change->va + ((uint64_t)i << shift),
                                .offset = change->offset + ((uint64_t)i << shift),
                                .address = (uint64_t)entry->PageAddress << TABLES_PAGE_SHIFT,
                                .covers = UINT64_C(1) << shift,
                                .page = change->level == 0 || entry->LargePage};
        entry_judge_entry(referee, &looked);
        if (i != 0)
            entry_judge_row(referee, change, change_entry(change, kind, i - 1), entry);
        if (user && change->level == 0 && entry->Valid)
            entry_judge_tables(referee, &looked, table, other, change->start + i);
    }
}

static uint32_t entry_broken(struct vidmm_referee *referee) {
    uint32_t count = 0;
    for (uint32_t rule = 1; rule < VIDMM_RULES_SIZE; rule++)
        count += referee->ledger->broken[rule];
    return count;
}

bool entries_judge(struct vidmm_referee *referee, const struct table_change *change,
                   const struct tables_table *table) {
    uint32_t before = entry_broken(referee);
    for (uint32_t kind = 0; kind < 2; kind++) {
        if (change->kinds >> kind & 1u)
            entry_judge_kind(referee, change, table, kind);
    }
    return entry_broken(referee) == before;
}
