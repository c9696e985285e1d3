/*
 * virtual_build.c - see virtual_build.h.
 *
 * Entries are computed into two arrays of the adapter, which the driver may read until its call
 * returns. A valid entry that is replaced, and on hardware that remembers what was not mapped also
 * one that becomes valid, makes its addresses stale; the next FLUSH_TLB of the space covers them.
 */
#include "paging/virtual_build.h"

#include "base/assert.h"
#include "base/process.h"
#include "object/allocation.h"
#include "paging/table.h"

/* ---- What the hardware's tables hold --------------------------------------------------------- */

struct entries {
    struct table_memory *memory;
    uint32_t first, count;
    uint32_t shift; /* an entry covers 1 << shift bytes */
};

static bool is_valid(const struct table_memory *memory, uint32_t index) {
    return memory->valid[index / 64u] >> (index % 64u) & 1u;
}

static void virtual_mark(struct table_memory *memory, uint32_t index, bool valid) {
    uint64_t bit = UINT64_C(1) << (index % 64u);
    memory->valid[index / 64u] =
        valid ? memory->valid[index / 64u] | bit : memory->valid[index / 64u] & ~bit;
}

/* The bits of word `index` that stand for these entries. */
static uint64_t bits_of(const struct entries *entries, uint32_t index) {
    uint32_t end = entries->first + entries->count;
    uint64_t bits = UINT64_MAX;
    if (index == entries->first / 64u)
        bits <<= entries->first % 64u;
    return index == end / 64u ? bits & ~(UINT64_MAX << end % 64u) : bits;
}

static uint32_t words_end(const struct entries *entries) {
    return (entries->first + entries->count + 63u) / 64u;
}

static bool any_valid(const struct entries *entries) {
    for (uint32_t i = entries->first / 64u; i < words_end(entries); i++) {
        if (entries->memory->valid[i] & bits_of(entries, i))
            return true;
    }
    return false;
}

static void mark_all(const struct entries *entries, bool valid) {
    for (uint32_t i = entries->first / 64u; i < words_end(entries); i++) {
        uint64_t *word = &entries->memory->valid[i], bits = bits_of(entries, i);
        *word = valid ? *word | bits : *word & ~bits;
    }
}

static void make_stale(struct space *space, uint64_t start, uint64_t end) {
    if (space->stale_start == space->stale_end) {
        space->stale_start = start;
        space->stale_end = end;
        return;
    }
    space->stale_start = start < space->stale_start ? start : space->stale_start;
    space->stale_end = end > space->stale_end ? end : space->stale_end;
}

static bool cap_invalid_not_cached(const struct space *space) {
    return space->adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_6 &&
           space->mmu->caps.InvalidTlbEntriesNotCached;
}

/* A TLB may know what was there before. */
static bool outdates(const struct space *space, bool valid_before, bool valid) {
    return valid_before || (valid && !cap_invalid_not_cached(space));
}

void virtual_outdate(struct space *space, uint64_t start, uint64_t end) {
    if (outdates(space, false, true))
        make_stale(space, start, end);
}

/* ---- UPDATE_PAGE_TABLE ----------------------------------------------------------------------- */

static bool wide_entries(const struct table_op *op) {
    return op->table->level == 0 && (op->wide || op->table->wide);
}

/* Contexts run with the old root until the one that has grown is written, and told to them. */
static bool is_growing(const struct space *space) {
    return space->old_root.size && !space->grown;
}

static struct table_memory *memory_of(const struct table_op *op) {
    struct space *space = op->space;
    bool growing = op->table == space->root && is_growing(space) && op->write != TABLE_INIT;
    return op->old || growing ? &space->old_root : &op->table->memory[op->wide];
}

static struct entries entries_of(const struct table_op *op) {
    struct table *table = op->table;
    struct entries entries = {.memory = memory_of(op)};
    bool whole = op->write == TABLE_INIT || op->write == TABLE_CONVERT ||
                 op->write == TABLE_LEAVE || op->write == TABLE_EVICT;
    entries.shift = wide_entries(op) ? PAGE_SHIFT_LARGE : mmu_shift(op->space->mmu, table->level);
    entries.first = (uint32_t)((op->start - table->start) >> entries.shift);
    entries.count = (uint32_t)((op->end - op->start) >> entries.shift);
    if (whole)
        entries.count = (uint32_t)((table_end(table) - table->start) >> entries.shift);
    if (op->old)
        entries.count = entries.memory->entries;
    return entries;
}

static DXGK_PTE link_entry(const struct table *table, const struct table_memory *memory) {
    DXGK_PTE entry = {.Flags = 0};
    D3DGPU_PHYSICAL_ADDRESS address = table_address(memory);
    entry.Valid = 1;
    entry.Segment = address.SegmentId & 31u;
    entry.PhysicalAdapterIndex = table->space->physical & 63u;
    entry.PageTablePageSize = table->level == 0 && table->wide ? DXGK_PTE_PAGE_TABLE_PAGE_64KB
                                                               : DXGK_PTE_PAGE_TABLE_PAGE_4KB;
    entry.PageTableAddress = address.SegmentOffset >> PAGE_SHIFT;
    return entry;
}

static void make_links(const struct table_op *op, const struct entries *entries, DXGK_PTE *narrow,
                       DXGK_PTE *wide) {
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct table *child = op->table->child[entries->first + i];
        bool large = child && child->large.Valid;
        narrow[i] = wide[i] = (DXGK_PTE){.Flags = 0};
        if (child)
            narrow[i] = large ? child->large : link_entry(child, &child->memory[0]);
        if (child && child->memory[1].size && !large)
            wide[i] = link_entry(child, &child->memory[1]);
        virtual_mark(entries->memory, entries->first + i, child);
    }
}

/* What all entries of an operation have in common. A segment may be a peer's; system memory is where
 * the table is. */
static DXGK_PTE page_entry(const struct table_op *op) {
    DXGK_PTE entry = {.Flags = 0};
    entry.Valid = 1;
    entry.CacheCoherent = op->coherent;
    entry.ReadOnly = op->read_only;
    entry.NoExecute = op->no_execute;
    entry.Segment = segment_driver_id(op->segment) & 31u;
    entry.PhysicalAdapterIndex = (op->segment ? op->segment->physical : op->space->physical) & 63u;
    return entry;
}

static void make_listed(const struct table_op *op, const struct entries *entries, DXGK_PTE *to) {
    const DXGK_PTE common = page_entry(op);
    const PFN_NUMBER *page = MmGetMdlPfnArray(op->mdl) + (op->offset >> PAGE_SHIFT);
    for (uint32_t i = 0; i < entries->count; i++) {
        to[i].Flags = common.Flags;
        to[i].PageAddress = page[(uint64_t)i << (entries->shift - PAGE_SHIFT)];
    }
}

/* Pages that are `step` apart. */
static void make_run(DXGK_PTE *to, uint64_t flags, uint64_t page, uint64_t step, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, page += step) {
        to[i].Flags = flags;
        to[i].PageAddress = page;
    }
}

/* Extents of one entry each, which has `bytes`: how many there are, of `most` at most. */
static uint32_t make_singles(DXGK_PTE *to, uint64_t flags, const struct extent *extent,
                             uint64_t bytes, uint32_t most) {
    uint32_t done = 0;
    for (; done < most && extent[done].size == bytes; done++) {
        to[done].Flags = flags;
        to[done].PageAddress = extent[done].offset >> PAGE_SHIFT;
    }
    return done;
}

/* Extent by extent. An entry of several pages may reach over the end of its extent. */
static void make_scattered(const struct table_op *op, const struct entries *entries, DXGK_PTE *to) {
    const uint64_t flags = page_entry(op).Flags;
    const uint64_t step = UINT64_C(1) << (entries->shift - PAGE_SHIFT);
    const struct extent *extent = &op->place.extents[placement_extent(&op->place, op->offset)];
    uint64_t inside = op->offset - extent->at;
    uint32_t done = 0;
    while (done < entries->count) {
        uint64_t whole = (extent->size - inside) >> entries->shift, left = entries->count - done;
        uint32_t count = (uint32_t)(whole < left ? whole + (whole == 0) : left);
        make_run(&to[done], flags, (extent->offset + inside) >> PAGE_SHIFT, step, count);
        inside += (uint64_t)count << entries->shift;
        done += count;
        for (; done < entries->count && inside >= extent->size; extent++)
            inside -= extent->size;
        if (inside == 0) {
            count =
                make_singles(&to[done], flags, extent, step << PAGE_SHIFT, entries->count - done);
            extent += count;
            done += count;
        }
    }
}

static void make_placed(const struct table_op *op, const struct entries *entries, DXGK_PTE *to) {
    if (op->place.extents)
        make_scattered(op, entries, to);
    else
        make_run(to, page_entry(op).Flags, (op->place.offset + op->offset) >> PAGE_SHIFT,
                 UINT64_C(1) << (entries->shift - PAGE_SHIFT), entries->count);
}

static struct table **children_of(const struct table_op *op, const struct entries *entries) {
    return &op->table->child[entries->first];
}

static bool any_large(const struct table_op *op, const struct entries *entries) {
    struct table **child = children_of(op, entries);
    for (uint32_t i = 0; i < entries->count; i++) {
        if (child[i] && child[i]->large.Valid)
            return true;
    }
    return false;
}

/* `entry` NULL: none. */
static void set_large(const struct table_op *op, const struct entries *entries,
                      const DXGK_PTE *entry) {
    struct table **child = children_of(op, entries);
    for (uint32_t i = 0; i < entries->count; i++) {
        VIDMM_ASSERT_WITH(&op->space->adapter->os, !entry || child[i]);
        if (child[i])
            child[i]->large = entry ? entry[i] : (DXGK_PTE){.Flags = 0};
        if (child[i] && entry && !entry[i].Zero)
            child[i]->large.LargePage = 1;
    }
}

static DXGK_PTE zero_or_nothing(bool zero) {
    DXGK_PTE entry = {.Flags = 0};
    entry.Valid = zero;
    entry.Zero = zero;
    return entry;
}

/* Entries above the leaves are written, in place of those of the tables below. */
static bool writes_large(const struct table_op *op) {
    return op->write == TABLE_LARGE || op->write == TABLE_LARGE_ZERO;
}

/* Notes what changes. False: nothing does. */
static bool virtual_note(const struct table_op *op, const struct entries *entries) {
    struct space *space = op->space;
    bool large = writes_large(op);
    bool valid = op->write == TABLE_PAGES || op->write == TABLE_ZERO || large;
    bool before = any_valid(entries);
    if ((op->write == TABLE_CLEAR || op->write == TABLE_LEAVE) && !before)
        return false;
    if (op->write == TABLE_SMALL && !any_large(op, entries))
        return false;
    /* The old root translates nothing any more. */
    if (op->write != TABLE_INIT && !op->now && !op->old && outdates(space, before, valid))
        make_stale(space, op->start, op->end);
    if (op->write != TABLE_LINKS && !large && op->write != TABLE_SMALL)
        mark_all(entries, valid);
    return true;
}

/* Where the context sees it that the plan at hand runs in. */
static uint64_t window_of(const struct vidmm_adapter *adapter, const struct table_memory *memory) {
    return adapter->line ? memory->privileged_va : memory->window;
}

static DXGK_PAGETABLEUPDATEADDRESS update_address(const struct vidmm_adapter *adapter,
                                                  const struct table_memory *memory,
                                                  DXGK_PAGETABLEUPDATEMODE mode) {
    DXGK_PAGETABLEUPDATEADDRESS address;
    memset(&address, 0, sizeof(address));
    if (mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        address.CpuVirtual = memory->cpu;
    else if (mode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
        address.GpuVirtual = window_of(adapter, memory);
    else
        address.GpuPhysical = table_address(memory);
    return address;
}

static void make_pages(const struct table_op *op, const struct entries *entries, DXGK_PTE *to) {
    if (op->segment)
        make_placed(op, entries, to);
    else
        make_listed(op, entries, to);
}

/* What `op` writes; true when it is one entry over and over. */
static bool make_entries(const struct table_op *op, const struct entries *entries, DXGK_PTE *to) {
    bool large = writes_large(op);
    if (op->write == TABLE_PAGES || op->write == TABLE_LARGE)
        make_pages(op, entries, to);
    if (op->write == TABLE_PAGES)
        return false;
    for (uint32_t i = 0; op->write == TABLE_LARGE_ZERO && i < entries->count; i++)
        to[i] = zero_or_nothing(true);
    if (large)
        set_large(op, entries, to);
    if (op->write == TABLE_SMALL)
        set_large(op, entries, NULL);
    if (op->write == TABLE_LINKS || large || op->write == TABLE_SMALL) {
        make_links(op, entries, to, to + TABLE_ENTRIES_MAX);
        return false;
    }
    to[0] = to[TABLE_ENTRIES_MAX] = zero_or_nothing(op->write == TABLE_ZERO);
    return true;
}

static bool encode_update(struct vidmm_adapter *adapter, struct plan_op *plan_op, HANDLE allocation,
                          DXGKARG_BUILDPAGINGBUFFER *arg) {
    const struct table_op *op = &plan_op->table;
    const struct mmu *mmu = op->space->mmu;
    struct spaces *spaces = spaces_of(op->space);
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &arg->UpdatePageTable;
    if (op->write == TABLE_CONVERT) {
        if (!op->table->wide)
            return false;
        op->table->wide = false;
    }
    struct entries entries = entries_of(op);
    if (!virtual_note(op, &entries))
        return false;
    if (op->write == TABLE_INIT && op->table == op->space->root)
        op->space->grown = true;
    plan_op->op.size = entries.count * sizeof(DXGK_PTE);
    arg->Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    update->PageTableLevel = op->table->level;
    update->hAllocation = allocation;
    update->StartIndex = entries.first;
    update->NumPageTableEntries = entries.count;
    update->Flags.Repeat = make_entries(op, &entries, spaces->entries);
    update->Flags.InitialUpdate = op->write == TABLE_INIT;
    update->Flags.NotifyEviction = op->write == TABLE_EVICT;
    update->Flags.Use64KBPages = wide_entries(op);
    update->pPageTableEntries = spaces->entries;
    if (mmu->pages == MMU_PAGES_DUAL && (op->table->level == 1 || op->wide))
        update->pPageTableEntries64KB =
            spaces->entries + (op->table->level == 1 ? TABLE_ENTRIES_MAX : 0);
    update->DriverProtection = op->table->level == 0 ? op->driver_protection : 0;
    update->AllocationOffsetInBytes = op->offset;
    update->hProcess = op->space->process->handle;
    update->UpdateMode = op->now ? DXGK_PAGETABLEUPDATE_CPU_VIRTUAL : mmu->caps.PageTableUpdateMode;
    update->PageTableAddress = update_address(adapter, entries.memory, update->UpdateMode);
    update->FirstPteVirtualAddress = op->table->start + ((uint64_t)entries.first << entries.shift);
    return true;
}

/* ---- COPY_PAGE_TABLE_ENTRIES ----------------------------------------------------------------- */

static uint32_t leaf_index(const struct table *table, uint64_t at) {
    return (uint32_t)((at - table->start) >> PAGE_SHIFT);
}

static struct table_copied copied_from(const struct table_op *op, uint64_t at) {
    return (struct table_copied){op->source, op->offset + (at - op->start)};
}

/* The entry for the page at `at` becomes a copy. */
static void note_copied(const struct table_op *op, uint64_t at) {
    const struct table_copied source = copied_from(op, at);
    struct table *from, *target;
    (void)table_copy_part(&source, op->space, at, PAGE_BYTES, &from, &target);
    if (!from)
        return;
    uint32_t index = leaf_index(target, at);
    bool valid = is_valid(&from->memory[0], leaf_index(from, source.from));
    if (outdates(op->space, is_valid(&target->memory[0], index), valid))
        make_stale(op->space, at, at + PAGE_BYTES);
    virtual_mark(&target->memory[0], index, valid);
}

static bool copies_upwards(const struct table_op *op) {
    return op->source == op->space && op->start > op->offset;
}

/* As if all were read before any is written, as the driver does it (R239). */
static void note_copy(const struct table_op *op) {
    uint64_t size = op->end - op->start;
    bool backwards = copies_upwards(op);
    for (uint64_t at = 0; at < size; at += PAGE_BYTES)
        note_copied(op, op->start + (backwards ? size - PAGE_BYTES - at : at));
}

/* Ranges may overlap each other, which no page tells a driver: whoever copies one after the other overwrites no
 * source that is still to be read when those of a copy upwards begin at its end. */
static void order_ranges(const struct table_op *op,
                         DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy) {
    for (uint32_t i = 0; copies_upwards(op) && i < copy->NumRanges / 2; i++) {
        DXGK_BUILDPAGINGBUFFER_COPY_RANGE *other = &copy->pRanges[copy->NumRanges - 1 - i];
        DXGK_BUILDPAGINGBUFFER_COPY_RANGE range = copy->pRanges[i];
        copy->pRanges[i] = *other;
        *other = range;
    }
}

static bool encode_copy(struct vidmm_adapter *adapter, const struct table_op *op,
                        DXGKARG_BUILDPAGINGBUFFER *arg) {
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy = &arg->CopyPageTableEntries;
    struct table *from, *target;
    arg->Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
    copy->pRanges = spaces_of(op->space)->ranges;
    for (uint64_t at = op->start, bytes; at < op->end; at += bytes) {
        const struct table_copied source = copied_from(op, at);
        bytes = table_copy_part(&source, op->space, at, op->end - at, &from, &target);
        if (from)
            copy->pRanges[copy->NumRanges++] = (DXGK_BUILDPAGINGBUFFER_COPY_RANGE){
                .NumPageTableEntries = (UINT)(bytes >> PAGE_SHIFT),
                .SrcPageTableAddress = window_of(adapter, &from->memory[0]),
                .DstPageTableAddress = window_of(adapter, &target->memory[0]),
                .SrcStartPteIndex = leaf_index(from, source.from),
                .DstStartPteIndex = leaf_index(target, at)};
    }
    order_ranges(op, copy);
    if (copy->NumRanges)
        note_copy(op);
    return copy->NumRanges != 0;
}

/* ---- The others ------------------------------------------------------------------------------ */

static bool encode_flush(struct plan_op *op, DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct space *space = op->table.space;
    if (space->stale_start == space->stale_end || !space->root)
        return false;
    arg->Operation = DXGK_OPERATION_FLUSH_TLB;
    arg->FlushTlb.RootPageTableAddress =
        table_address(is_growing(space) ? &space->old_root : &space->root->memory[0]);
    arg->FlushTlb.hProcess = space->process->handle;
    arg->FlushTlb.StartVirtualAddress = op->op.va_from = space->stale_start;
    arg->FlushTlb.EndVirtualAddress = op->op.va_to = space->stale_end;
    op->op.size = space->stale_end - space->stale_start;
    space->stale_start = space->stale_end = 0;
    return true;
}

/* The table that maps `at` in the paging process, where the driver wants to know. */
static D3DGPU_VIRTUAL_ADDRESS table_window(struct vidmm_adapter *adapter, uint32_t physical,
                                           uint64_t at) {
    const struct space *paging = adapter->physical[physical].spaces.paging;
    if (!paging->mmu->caps.LegacyBehaviors.SourcePageTableVaInTransfer)
        return 0;
    const struct table *table = table_leaf(paging, &at, paging->va->limit);
    return table ? table->memory[0].window : 0;
}

static bool encode_transfer(struct vidmm_adapter *adapter, const struct vidmm_op *op,
                            HANDLE allocation, DXGKARG_BUILDPAGINGBUFFER *arg) {
    DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &arg->TransferVirtual;
    bool from = adapter_in_memory(adapter, &op->from), to = adapter_in_memory(adapter, &op->to);
    arg->Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    transfer->hAllocation = allocation;
    transfer->AllocationOffsetInBytes = op->at;
    transfer->TransferSizeInBytes = op->size;
    transfer->SourceVirtualAddress = op->va_from;
    transfer->DestinationVirtualAddress = op->va_to;
    transfer->SourcePageTable = table_window(adapter, op->physical, op->va_from);
    transfer->DestinationPageTable = table_window(adapter, op->physical, op->va_to);
    transfer->TransferDirection = !to     ? DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM
                                  : !from ? DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL
                                          : DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL;
    return true;
}

static bool encode_fill(const struct vidmm_op *op, HANDLE allocation,
                        DXGKARG_BUILDPAGINGBUFFER *arg) {
    arg->Operation = DXGK_OPERATION_VIRTUAL_FILL;
    arg->FillVirtual.hAllocation = allocation;
    arg->FillVirtual.AllocationOffsetInBytes = op->at;
    arg->FillVirtual.FillSizeInBytes = op->size;
    arg->FillVirtual.FillPattern = op->pattern;
    arg->FillVirtual.DestinationVirtualAddress = op->va_to;
    return true;
}

/* Resident where `to` says, or no longer (ns-d3dkmddi-_dxgk_buildpagingbuffer_notifyresidency). */
static bool encode_notice(const struct vidmm_adapter *adapter, const struct vidmm_op *op,
                          HANDLE allocation, DXGKARG_BUILDPAGINGBUFFER *arg) {
    arg->Operation = DXGK_OPERATION_NOTIFY_RESIDENCY;
    arg->NotifyResidency.hAllocation = allocation;
    arg->NotifyResidency.PhysicalAddress.SegmentId =
        driver_segment_id(&adapter->facts, op->to.segment);
    arg->NotifyResidency.PhysicalAddress.SegmentOffset = op->to.offset;
    arg->NotifyResidency.Resident = op->to.segment != 0;
    return true;
}

static bool encode_context(const struct plan_op *plan_op, DXGKARG_BUILDPAGINGBUFFER *arg) {
    DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *update = &arg->UpdateContextAllocation;
    arg->Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
    update->ContextAllocation = plan_op->op.va_to;
    update->ContextAllocationSize = plan_op->op.allocation->info.Size;
    update->pDriverPrivateData = plan_op->driver_data;
    update->DriverPrivateDataSize = plan_op->driver_data_size;
    return true;
}

static bool encode_signal(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arg) {
    arg->Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
    arg->SignalMonitoredFence.MonitoredFenceGpuVa = op->va_to;
    arg->SignalMonitoredFence.MonitoredFenceValue = op->value;
    return true;
}

bool virtual_encode(struct vidmm_adapter *adapter, struct plan_op *op, HANDLE allocation,
                    DXGKARG_BUILDPAGINGBUFFER *arg) {
    switch (op->op.kind) {
    case VIDMM_OP_UPDATE_PAGE_TABLE:
        return encode_update(adapter, op, allocation, arg);
    case VIDMM_OP_COPY_ENTRIES:
        return encode_copy(adapter, &op->table, arg);
    case VIDMM_OP_FLUSH_TLB:
        return encode_flush(op, arg);
    case VIDMM_OP_VIRTUAL_TRANSFER:
        return encode_transfer(adapter, &op->op, allocation, arg);
    case VIDMM_OP_VIRTUAL_FILL:
        return encode_fill(&op->op, allocation, arg);
    case VIDMM_OP_NOTIFY_RESIDENCY:
        return encode_notice(adapter, &op->op, allocation, arg);
    case VIDMM_OP_UPDATE_CONTEXT_ALLOCATION:
        return encode_context(op, arg);
    case VIDMM_OP_SIGNAL_FENCE:
        return encode_signal(&op->op, arg);
    default:
        return false;
    }
}

bool virtual_now(const struct plan_op *op) {
    return op->op.kind == VIDMM_OP_UPDATE_PAGE_TABLE && op->table.now;
}

enum vidmm_status virtual_wait(struct vidmm_adapter *adapter, const struct plan_op *op) {
    const struct table_op *table = &op->table;
    bool ours = vidmm_op_effect(op->op.kind) == VIDMM_EFFECT_PAGE_TABLE;
    if (!ours || table->space->paging)
        return VIDMM_OK;
    bool suspend = op->op.kind == VIDMM_OP_UPDATE_PAGE_TABLE && table->write == TABLE_CONVERT;
    if (!suspend && !table->space->mmu->caps.PageTableUpdateRequireAddressSpaceIdle)
        return VIDMM_OK;
    return fence_wait_idle(adapter, UINT64_MAX, adapter->fences.submitted);
}
