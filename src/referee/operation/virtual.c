/*
 * virtual.c - VIRTUAL_TRANSFER and VIRTUAL_FILL: their addresses are looked up in the
 * paging process's tables when they are asked for, and the bytes there are compared when they are
 * done (ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md, ..._fillvirtual.md). What TRANSFER
 * and FILL are for places in segments: operation/transfer.c, operation/fill.c.
 */
#include <stdlib.h>
#include <string.h>

#include "operation/beside.h"
#include "operation/dirty_bits.h"
#include "operation/operation.h"
#include "state/memory.h"

#define PAGES_MAX (UINT64_C(1) << 20) /* of an operation whose bytes are compared */

/* What an operation keeps: the GPU physical address of each page, as asked for. */
struct virtual_copy {
    uint64_t pages;
    bool known;         /* every address led somewhere */
    bool fill;          /* there is no source */
    bool beside_work;   /* of applications, that may write its source meanwhile */
    uint64_t births;    /* of tables, so far */
    uint64_t low, high; /* of the destination's pages */
    struct beside beside;
    uint16_t *segment; /* of each page; 0: system memory */
    uint64_t page[];   /* of the destination, then of the source */
};

/* One side as it is looked up. */
struct side {
    const char *name;
    uint64_t va, size;
    uint32_t rule; /* of an address that leads nowhere: 240, 245 */
    HANDLE allocation;
    uint64_t offset; /* of the first byte, in the allocation */
    bool target;
    bool known, memory, other; /* some of it is in memory segments, some elsewhere */
    bool wide;
};

/* ---- Looking up ------------------------------------------------------------------------------ */

static uint64_t virtual_pages_of(uint64_t va, uint64_t size) {
    return (va % SHADOW_PAGE + size + SHADOW_PAGE - 1) / SHADOW_PAGE;
}

/* False: it leads nowhere, or the place is not known. */
static bool virtual_judge_page(struct vidmm_referee *referee, struct side *side, uint64_t at,
                               const struct tables_found *found) {
    bool there = found->valid && !found->zero;
    if (!found->known)
        return false;
    if (side->rule == 245)
        MANAGER_MUST(245, there, "addresses of the paging process that lead to memory",
                     "0x%llx leads nowhere", LLU(at));
    else
        MANAGER_MUST(240, there, "addresses of the paging process that lead to memory",
                     "%s 0x%llx leads nowhere", side->name, LLU(at));
    MANAGER_MUST(231, !found->stale, "FLUSH_TLB between an update and the use of its addresses",
                 "%s 0x%llx changed and was not flushed", side->name, LLU(at));
    return there && !found->stale; /* what a TLB still has is no place */
}

/* The entry was written for the page that is moved, as far as updates say what they are for. */
static void virtual_judge_owner(struct vidmm_referee *referee, const struct side *side, uint64_t at,
                                const struct tables_found *found) {
    const struct tables_owner *owner =
        found->table->owner ? &found->table->owner[found->index] : NULL;
    uint64_t page = side->offset + (at - side->va);
    if (!owner || !owner->allocation || !side->allocation || at < side->va)
        return;
    bool same = owner->allocation == side->allocation &&
                owner->page == (page & ~(uint64_t)(found->page - 1));
    if (side->rule == 245)
        MANAGER_MUST(245, same, "addresses that lead to the allocation",
                     "0x%llx leads to another page than 0x%llx of it", LLU(at), LLU(page));
    else
        MANAGER_MUST(240, same, "addresses that lead to the allocation",
                     "%s 0x%llx leads to another page than 0x%llx of it", side->name, LLU(at),
                     LLU(page));
}

static void virtual_look_up(struct vidmm_referee *referee, const struct tables_process *paging,
                            struct side *side, struct virtual_copy *copy, uint64_t at) {
    uint64_t *page = copy->page + at;
    uint64_t first = side->va & ~(uint64_t)(SHADOW_PAGE - 1),
             count = virtual_pages_of(side->va, side->size);
    side->known = paging;
    for (uint64_t i = 0; side->known && i < count; i++) {
        struct tables_found found;
        tables_walk(referee, paging, first + i * SHADOW_PAGE, TABLES_ASKED, &found);
        side->known = virtual_judge_page(referee, side, first + i * SHADOW_PAGE, &found);
        bool memory = shadow_memory(referee, found.segment);
        side->memory = side->memory || memory;
        side->other = side->other || !memory;
        side->wide = found.wide;
        page[i] = tables_gpu_address(referee, found.segment, found.offset);
        copy->segment[at + i] = (uint16_t)found.segment;
        if (side->known)
            virtual_judge_owner(referee, side, first + i * SHADOW_PAGE, &found);
        if (side->known && memory && side->target && side->allocation)
            owners_judge_page(referee, side->allocation, page[i]);
        if (side->known && memory && side->target && side->allocation)
            place_judge_host_aperture(referee, shadow_segment(referee, found.segment), found.offset,
                                      SHADOW_PAGE, side->allocation);
    }
}

static struct virtual_copy *virtual_copy_of(struct vidmm_referee *referee, const struct side *to,
                                            bool fill) {
    uint64_t pages = virtual_pages_of(to->va, to->size);
    size_t all = (size_t)pages * (fill ? 1 : 2);
    if (pages > PAGES_MAX)
        return NULL;
    struct virtual_copy *copy =
        memory_calloc(1, sizeof(*copy) + all * (sizeof(copy->page[0]) + sizeof(copy->segment[0])));
    if (copy) {
        copy->segment = (uint16_t *)(void *)(copy->page + all);
        copy->pages = pages;
        copy->fill = fill;
        copy->births = tables_births(referee);
    }
    return copy;
}

static void virtual_note_bounds(struct vidmm_referee *referee, struct shadow_operation *operation) {
    struct virtual_copy *copy = operation->own;
    copy->low = UINT64_MAX;
    for (uint64_t i = 0; i < copy->pages; i++) {
        copy->low = copy->page[i] < copy->low ? copy->page[i] : copy->low;
        copy->high =
            copy->page[i] + SHADOW_PAGE > copy->high ? copy->page[i] + SHADOW_PAGE : copy->high;
    }
    later_enter_pages(referee, operation, copy->low, copy->high);
}

void virtual_note_target(struct vidmm_referee *referee, struct shadow_operation *operation,
                         const struct tables_process *paging, uint64_t va, uint64_t size) {
    const struct side to = {.va = va, .size = size};
    struct virtual_copy *copy = virtual_copy_of(referee, &to, true);
    operation->own = copy;
    for (uint64_t i = 0; copy && i < copy->pages; i++) {
        struct tables_found found;
        tables_walk(referee, paging, va - va % SHADOW_PAGE + i * SHADOW_PAGE, TABLES_ASKED, &found);
        copy->page[i] = found.known && found.valid && !found.zero
                            ? tables_gpu_address(referee, found.segment, found.offset)
                            : UINT64_MAX - SHADOW_PAGE;
    }
    if (copy)
        virtual_note_bounds(referee, operation);
}

/* ---- What is asked for ----------------------------------------------------------------------- */

static const char *virtual_direction_text(DXGK_MEMORY_TRANSFER_DIRECTION direction) {
    return direction == DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM   ? "LOCAL_TO_SYSTEM"
           : direction == DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL ? "SYSTEM_TO_LOCAL"
           : direction == DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL  ? "LOCAL_TO_LOCAL"
                                                               : "no direction";
}

static void virtual_judge_direction(struct vidmm_referee *referee,
                                    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer,
                                    const struct side *from, const struct side *to) {
    if (!from->known || !to->known || (from->memory && from->other) || (to->memory && to->other))
        return;
    DXGK_MEMORY_TRANSFER_DIRECTION want = !to->memory     ? DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM
                                          : !from->memory ? DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL
                                                          : DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL;
    if (from->memory || to->memory)
        MANAGER_MUST(243, transfer->TransferDirection == want,
                     "TransferDirection as the two sides are", "%s from %s memory to %s memory",
                     virtual_direction_text(transfer->TransferDirection),
                     from->memory ? "local" : "system", to->memory ? "local" : "system");
    MANAGER_MUST(242,
                 (transfer->Flags.Src64KBPages != 0) == from->wide &&
                     (transfer->Flags.Dst64KBPages != 0) == to->wide,
                 "Src64KBPages and Dst64KBPages as the tables of the addresses are",
                 "%u and %u, where the tables have pages of %s KB and %s KB",
                 transfer->Flags.Src64KBPages, transfer->Flags.Dst64KBPages,
                 from->wide ? "64" : "4", to->wide ? "64" : "4");
}

static bool virtual_leads_to_table(struct vidmm_referee *referee,
                                   const struct tables_process *paging,
                                   D3DGPU_VIRTUAL_ADDRESS table, uint64_t va) {
    DXGK_PAGETABLEUPDATEADDRESS address;
    D3DGPU_PHYSICAL_ADDRESS place;
    memset(&address, 0, sizeof(address));
    address.GpuVirtual = table;
    const struct tables_table *leaf =
        tables_place(referee, paging, &address, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL, &place)
            ? tables_find(referee, place)
            : NULL;
    return leaf && leaf->level == 0 && va >= leaf->start;
}

/* Of an eviction: no page promises more of both members (docs/readings.md). */
static void virtual_judge_tables(struct vidmm_referee *referee,
                                 const struct shadow_operation *operation, const struct side *from,
                                 const struct side *to) {
    const DXGK_GPUMMUCAPS *caps = &tables_mmu(referee, operation->physical)->caps;
    D3DGPU_VIRTUAL_ADDRESS table = operation->arg.TransferVirtual.SourcePageTable;
    if (!caps->LegacyBehaviors.SourcePageTableVaInTransfer || !from->known || !to->known ||
        !from->memory || to->memory)
        return;
    MANAGER_MUST(
        241, virtual_leads_to_table(referee, tables_paging_of(referee, operation), table, from->va),
        "the address of the leaf table of what is evicted", "SourcePageTable is 0x%llx",
        LLU(table));
}

/* A leaf table to which the root does not lead, or NULL. */
static const struct tables_table *virtual_unlinked(struct vidmm_referee *referee,
                                                   const struct tables_process *process) {
    HANDLE handle = process->handle;
    const struct tables_table *table = tables_translating(referee, handle, 0, UINT64_MAX, NULL);
    for (; table; table = tables_translating(referee, handle, 0, UINT64_MAX, table)) {
        struct tables_found found;
        if (table->level != 0 || table->wide)
            continue;
        tables_walk(referee, process, table->start, TABLES_ASKED, &found);
        if (found.known && found.table != table && !found.entry.LargePage)
            return table;
    }
    return NULL;
}

#define PAGING_BYTES (UINT64_C(1) << 30)
#define TABLE_SHARE  8u /* of their segment is the least that tables may take for it */

/* Where the tables have a segment that is too small for those of 1 GB, what there is room for. */
static uint64_t virtual_paging_least(struct vidmm_referee *referee, uint32_t physical) {
    const struct tables_mmu *mmu = tables_mmu(referee, physical);
    const DXGK_PAGE_TABLE_LEVEL_DESC *leaf = &mmu->level[0];
    const struct shadow_segment *segment =
        shadow_segment(referee, linked_segment(physical, leaf->PagingProcessPageTableSegmentId));
    uint64_t least = tables_limit(mmu) < PAGING_BYTES ? tables_limit(mmu) : PAGING_BYTES;
    uint32_t shift = leaf->PageTableIndexBitCount + TABLES_PAGE_SHIFT;
    uint64_t page = segment ? segment->page_size : 1;
    uint64_t each = (leaf->PageTableSizeInBytes + page - 1) / page * page;
    while (segment && least >> shift > 1 && (least >> shift) * each > segment->size / TABLE_SHARE)
        least /= 2;
    return least;
}

/* At its first use the addresses have tables; they stay. */
static void virtual_judge_first_use(struct vidmm_referee *referee,
                                    const struct tables_process *paging) {
    const struct tables_table *lost = virtual_unlinked(referee, paging);
    uint64_t have = tables_leaf_bytes(referee, paging);
    MANAGER_MUST(263, have >= virtual_paging_least(referee, paging->physical),
                 "1 GB of addresses for paging, or as many as there is room for tables of",
                 "tables of the paging process for 0x%llx bytes", LLU(have));
    MANAGER_MUST(263, !lost, "addresses for paging whose tables the root leads to",
                 "no entry leads to the table of 0x%llx", LLU(lost->start));
}

static void virtual_judge_space(struct vidmm_referee *referee, const struct tables_process *paging,
                                uint64_t size, uint32_t sides) {
    if (!paging || !paging->rooted || !tables_intact(referee))
        return;
    if (referee->tables.first_used[paging->physical] != paging)
        virtual_judge_first_use(referee, paging);
    referee->tables.first_used[paging->physical] = paging;
    uint64_t have = tables_leaf_bytes(referee, paging);
    MANAGER_MUST(264, size <= have / sides, "pieces that fit the addresses for paging",
                 "0x%llx bytes on each of %u sides, where there are 0x%llx", LLU(size), sides,
                 LLU(have));
}

static void virtual_judge_migration(struct vidmm_referee *referee, bool from_memory,
                                    bool to_memory) {
    if (!referee->migration.active)
        return;
    bool right = referee->migration.target ? !from_memory && to_memory : from_memory && !to_memory;
    MANAGER_MUST(339, right,
                 referee->migration.target ? "a target's pages written from system memory"
                                           : "a source's pages read to system memory",
                 "from %s memory to %s memory", from_memory ? "local" : "system",
                 to_memory ? "local" : "system");
}

/* A migration reads memory that applications go on using: nobody waits for them before the pause. */
static bool virtual_beside_work(struct vidmm_referee *referee,
                                const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer) {
    const struct shadow_submission *submission = NULL;
    while (!transfer->hAllocation && (submission = submit_next(referee, submission)))
        if (!submission->paging)
            return true;
    return false;
}

static void virtual_transfer_asked_for(struct vidmm_referee *referee,
                                       struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &operation->arg.TransferVirtual;
    struct side from = {.name = "SourceVirtualAddress",
                        .va = (uint64_t)transfer->SourceVirtualAddress,
                        .size = transfer->TransferSizeInBytes,
                        .allocation = transfer->hAllocation,
                        .offset = transfer->AllocationOffsetInBytes,
                        .rule = 240};
    struct side to = {.name = "DestinationVirtualAddress",
                      .va = (uint64_t)transfer->DestinationVirtualAddress,
                      .size = transfer->TransferSizeInBytes,
                      .allocation = transfer->hAllocation,
                      .offset = transfer->AllocationOffsetInBytes,
                      .target = true,
                      .rule = 240};
    const struct tables_process *paging = tables_paging_of(referee, operation);
    virtual_judge_space(referee, paging, to.size, 2);
    struct virtual_copy *copy = virtual_copy_of(referee, &to, false);
    operation->own = copy;
    if (!copy || virtual_pages_of(from.va, from.size) > copy->pages)
        return;
    virtual_look_up(referee, paging, &to, copy, 0);
    virtual_look_up(referee, paging, &from, copy, copy->pages);
    copy->known = to.known && from.known;
    copy->beside_work = virtual_beside_work(referee, transfer);
    virtual_note_bounds(referee, operation);
    beside_note(referee, operation, paging, to.va, to.size, &copy->beside);
    virtual_judge_direction(referee, transfer, &from, &to);
    virtual_judge_tables(referee, operation, &from, &to);
    if (copy->known && !transfer->hAllocation)
        virtual_judge_migration(referee, from.memory, to.memory);
    notice_content(referee, shadow_allocation(referee, transfer->hAllocation),
                   from.memory && !to.memory);
}

static void virtual_fill_asked_for(struct vidmm_referee *referee,
                                   struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *fill = &operation->arg.FillVirtual;
    struct side to = {.name = "DestinationVirtualAddress",
                      .va = (uint64_t)fill->DestinationVirtualAddress,
                      .size = fill->FillSizeInBytes,
                      .allocation = fill->hAllocation,
                      .offset = fill->AllocationOffsetInBytes,
                      .target = true,
                      .rule = 245};
    const struct tables_process *paging = tables_paging_of(referee, operation);
    virtual_judge_space(referee, paging, to.size, 1);
    struct virtual_copy *copy = virtual_copy_of(referee, &to, true);
    operation->own = copy;
    if (!copy)
        return;
    virtual_look_up(referee, paging, &to, copy, 0);
    copy->known = to.known;
    virtual_note_bounds(referee, operation);
    beside_note(referee, operation, paging, to.va, to.size, &copy->beside);
    if (to.known)
        MANAGER_MUST(245, !to.other, "a fill of memory segments only",
                     "0x%llx leads to other memory", LLU(to.va));
}

static void virtual_copy_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    if (!tables_mmu(referee, operation->physical)->known)
        return;
    if (operation->arg.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
        virtual_transfer_asked_for(referee, operation);
    else
        virtual_fill_asked_for(referee, operation);
}

static struct shadow_allocation *virtual_moved(struct vidmm_referee *referee,
                                               const struct shadow_operation *operation) {
    bool transfer = operation->arg.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
    return shadow_allocation(referee, transfer ? operation->arg.TransferVirtual.hAllocation
                                               : operation->arg.FillVirtual.hAllocation);
}

static void virtual_copy_built(struct vidmm_referee *referee,
                               const struct shadow_operation *operation) {
    bool transfer = operation->arg.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *arm = &operation->arg.TransferVirtual;
    struct shadow_allocation *allocation = virtual_moved(referee, operation);
    if (!allocation)
        return;
    allocation->moving_virtual++;
    allocation->arrived =
        !transfer || arm->TransferDirection != DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
    shadow_judge_displayed(referee, allocation);
    shadow_displace(referee, allocation); /* perhaps in many places: only its addresses tell */
}

/* ---- What came of it ------------------------------------------------------------------------- */

static bool virtual_holds(const struct virtual_copy *copy, uint64_t address) {
    if (address + SHADOW_PAGE <= copy->low || address >= copy->high)
        return false;
    for (uint64_t i = 0; i < copy->pages; i++) {
        if (copy->page[i] < address + SHADOW_PAGE && address < copy->page[i] + SHADOW_PAGE)
            return true;
    }
    return false;
}

/* An operation behind this one writes to a page of it, of `count` from `page` on. */
static bool virtual_overwritten(struct vidmm_referee *referee,
                                const struct shadow_operation *operation, const uint64_t *page,
                                uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        const struct shadow_operation *at = NULL;
        while ((at = later_pages(referee, operation, page[i], page[i] + SHADOW_PAGE, at)))
            if (virtual_holds(at->own, page[i]))
                return true;
    }
    return false;
}

/* Its memory is something else's by now. */
static bool virtual_outdated(struct vidmm_referee *referee,
                             const struct shadow_operation *operation,
                             const struct virtual_copy *copy) {
    uint64_t count = copy->pages * (copy->fill ? 1 : 2);
    if (virtual_overwritten(referee, operation, copy->page, count))
        return true;
    for (uint64_t i = 0; i < count; i++) {
        if (tables_take(referee, copy->segment[i], copy->page[i], copy->births))
            return true;
    }
    return false;
}

/* Bytes of page `index`. */
static const uint8_t *virtual_see(struct vidmm_referee *referee, const struct virtual_copy *copy,
                                  uint64_t index, uint64_t skip, uint64_t size) {
    return world_page(referee, copy->segment[index], copy->page[index] + skip, size);
}

/* Bytes of page `index` of a range that begins at `va`. */
static uint64_t virtual_part_of(uint64_t va, uint64_t size, uint64_t index, uint64_t *skip) {
    uint64_t before = index * SHADOW_PAGE, from = va % SHADOW_PAGE;
    *skip = index == 0 ? from : 0;
    uint64_t done = index == 0 ? 0 : before - from;
    uint64_t room = SHADOW_PAGE - *skip;
    return size - done < room ? size - done : room;
}

enum outcome { SAME, DIFFERENT, UNSEEN };

/* Page `index` of the copy cannot be seen, at its destination or its source. */
static void virtual_unseen(struct vidmm_referee *referee, uint32_t rule,
                           const struct virtual_copy *copy, uint64_t index) {
    uint64_t at = index;
    if (!copy->fill && virtual_see(referee, copy, index, 0, 1))
        at = copy->pages + index;
    judge_unseen(referee, rule, copy->segment[at]);
}

static enum outcome virtual_compare_page(struct vidmm_referee *referee,
                                         const struct virtual_copy *copy, uint64_t va,
                                         uint64_t size, uint64_t index) {
    uint64_t skip, part = virtual_part_of(va, size, index, &skip);
    const uint8_t *to = virtual_see(referee, copy, index, skip, part);
    const uint8_t *from = virtual_see(referee, copy, copy->pages + index, skip, part);
    if (!to || !from)
        return UNSEEN;
    return world_same(referee, to, from, part) ? SAME : DIFFERENT;
}

/* The physical pages up to `index` follow each other, on both sides. */
static bool virtual_continuous(const struct virtual_copy *copy, uint64_t index) {
    for (uint64_t i = 1; i <= index; i++) {
        if (copy->page[i] != copy->page[0] + i * SHADOW_PAGE ||
            copy->page[copy->pages + i] != copy->page[copy->pages] + i * SHADOW_PAGE)
            return false;
    }
    return true;
}

static enum outcome virtual_transfer_judge(struct vidmm_referee *referee,
                                           const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer,
                                           const struct virtual_copy *copy) {
    uint64_t va = (uint64_t)transfer->DestinationVirtualAddress, index = 0;
    uint64_t size = transfer->TransferSizeInBytes;
    enum outcome outcome = SAME;
    if (va % SHADOW_PAGE != (uint64_t)transfer->SourceVirtualAddress % SHADOW_PAGE)
        return UNSEEN;
    for (; index < copy->pages && outcome == SAME; index++)
        outcome = virtual_compare_page(referee, copy, va, size, index);
    if (outcome == UNSEEN) {
        virtual_unseen(referee, 240, copy, index - 1);
        return UNSEEN;
    }
    bool good = outcome == SAME, scattered = !virtual_continuous(copy, index - 1);
    if (scattered && (good || index > 1))
        DRIVER_MUST(244, good, "each page from where its own entry leads",
                    "page %llu of %llu is not what the source has, the pages are scattered",
                    LLU(index - 1), LLU(copy->pages));
    if (!scattered || good || index == 1)
        DRIVER_MUST(240, good, "the bytes at the source's address at the destination's",
                    "page %llu of %llu is not what the source has", LLU(index - 1),
                    LLU(copy->pages));
    return outcome;
}

/* Bytes of a page that are not the pattern's, counted from the start of the fill. */
/* `*at`: how much of it is like the pattern. */
static enum outcome virtual_pattern_page(const uint8_t *bytes, uint64_t part, uint64_t done,
                                         uint32_t pattern, uint64_t *at) {
    *at = part;
    if (!bytes)
        return UNSEEN;
    *at = fill_unlike(bytes, part, pattern, done);
    return *at == part ? SAME : DIFFERENT;
}

static void virtual_fill_judge(struct vidmm_referee *referee,
                               const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *fill,
                               const struct virtual_copy *copy) {
    uint64_t va = (uint64_t)fill->DestinationVirtualAddress, done = 0;
    uint8_t wrong = 0;
    enum outcome outcome = SAME;
    for (uint64_t i = 0; i < copy->pages && outcome == SAME; i++) {
        uint64_t skip, alike, part = virtual_part_of(va, fill->FillSizeInBytes, i, &skip);
        const uint8_t *bytes = virtual_see(referee, copy, i, skip, part);
        outcome = virtual_pattern_page(bytes, part, done, fill->FillPattern, &alike);
        wrong = outcome == DIFFERENT ? bytes[alike] : 0;
        done += alike;
    }
    if (outcome == UNSEEN)
        virtual_unseen(referee, 188, copy, 0);
    else
        DRIVER_MUST(188, outcome == SAME, "FillSizeInBytes bytes of the pattern",
                    "byte 0x%llx of 0x%llx is 0x%02x, and the pattern 0x%08x has 0x%02x there",
                    LLU(done), LLU(fill->FillSizeInBytes), wrong, fill->FillPattern,
                    fill->FillPattern >> done % 4 * 8 & 0xffu);
}

/* Which pages it wrote, for dirty bits. */
static void virtual_note_written(struct vidmm_referee *referee,
                                 const struct shadow_operation *operation,
                                 const struct virtual_copy *copy) {
    for (uint64_t i = 0; copy && copy->known && i < copy->pages; i++)
        dirty_wrote(referee, copy->segment[i], copy->page[i] & ~(uint64_t)(SHADOW_PAGE - 1),
                    SHADOW_PAGE, operation->asked);
}

/* Pages of a migration that it read or wrote; only whole ones are known. */
static void virtual_note_moved(struct vidmm_referee *referee,
                               const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer,
                               const struct virtual_copy *copy, bool same) {
    uint64_t first = referee->migration.target ? 0 : copy->pages;
    bool whole = ((uint64_t)transfer->SourceVirtualAddress |
                  (uint64_t)transfer->DestinationVirtualAddress | transfer->TransferSizeInBytes) %
                     SHADOW_PAGE ==
                 0;
    for (uint64_t i = 0; !transfer->hAllocation && i < copy->pages; i++)
        migration_note_moved(referee, copy->segment[first + i], copy->page[first + i],
                             whole && same);
}

static void virtual_copy_done(struct vidmm_referee *referee,
                              const struct shadow_operation *operation) {
    const struct virtual_copy *copy = operation->own;
    virtual_note_written(referee, operation, copy);
    bool transfer = operation->arg.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *arm = &operation->arg.TransferVirtual;
    struct shadow_allocation *allocation = virtual_moved(referee, operation);
    if (allocation && allocation->moving_virtual != 0)
        allocation->moving_virtual--;
    if (copy && copy->known && transfer)
        virtual_note_moved(referee, arm, copy, false);
    if (copy)
        beside_judge(referee, operation, &copy->beside);
    if (!copy || !copy->known || copy->pages == 0 || copy->beside_work ||
        (transfer && operation_shared_with_cpu(referee, arm->hAllocation)) ||
        virtual_outdated(referee, operation, copy))
        return;
    if (transfer)
        virtual_note_moved(referee, arm, copy, virtual_transfer_judge(referee, arm, copy) == SAME);
    else
        virtual_fill_judge(referee, &operation->arg.FillVirtual, copy);
}

const struct operation_judge op_judge_virtual_copy = {
    .asked = virtual_copy_asked, .built = virtual_copy_built, .done = virtual_copy_done};
