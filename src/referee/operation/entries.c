/*
 * entries.c - COPY_PAGE_TABLE_ENTRIES: ranges of entries that the GPU copies from table
 * to table, all of them read before the first is written
 * (ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md).
 */
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "operation/table.h"
#include "state/memory.h"

#define TABLE_UNIT (UINT64_C(1) << 16) /* table addresses are multiples of it */
#define RANGES     1024u
#define ENTRIES    65536u

/* One range, as the tables were when it was asked for. */
struct copied_range {
    D3DGPU_PHYSICAL_ADDRESS to;
    uint32_t start, count;
    uint32_t first; /* element of `value` */
    uint64_t made;  /* as in struct table_change */
    bool unsure;    /* not all sources are known */
};

struct copies {
    uint32_t ranges;
    struct copied_range *range; /* behind `value`, in the same block */
    struct tables_owner *owner; /* of each `value`, behind that */
    DXGK_PTE value[];
};

static void entries_judge_range(struct vidmm_referee *referee,
                                const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range) {
    MANAGER_MUST(238, (range->SrcPageTableAddress | range->DstPageTableAddress) % TABLE_UNIT == 0,
                 "table addresses that are multiples of 64 KB", "from 0x%llx to 0x%llx",
                 LLU(range->SrcPageTableAddress), LLU(range->DstPageTableAddress));
}

/* The table at `address`, of which `count` entries from `start` on are copied, or written over. */
static struct tables_table *entries_table_at(struct vidmm_referee *referee,
                                             const struct tables_process *runs,
                                             D3DGPU_VIRTUAL_ADDRESS address, uint64_t start,
                                             uint64_t count) {
    DXGK_PAGETABLEUPDATEADDRESS where;
    D3DGPU_PHYSICAL_ADDRESS place;
    memset(&where, 0, sizeof(where));
    where.GpuVirtual = address;
    bool found = tables_place(referee, runs, &where, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL, &place);
    struct tables_table *table = found ? tables_find(referee, place) : NULL;
    bool inside = table && start + count <= table->entries;
    uint64_t each = inside ? table->bytes / table->entries : 0;
    window_judge(referee, runs, address, start * each, (start + count) * each);
    return table;
}

/* A companion context copies from where its own space shows a tile pool, which is resident. */
static void entries_judge_pool(struct vidmm_referee *referee, const struct tables_process *runs,
                               const struct tables_table *from, const struct tables_entry *entry) {
    if (!runs->system && from->process == runs->handle)
        MANAGER_MUST(387, entry->value[TABLES_ASKED].Valid,
                     "a tile pool that is resident when an update of its tiles is carried out",
                     "an entry of the table at 0x%llx that is copied leads nowhere",
                     LLU(from->place.SegmentOffset));
}

/* Reads the sources of one range. */
static void entries_read_range(struct vidmm_referee *referee, const struct tables_process *runs,
                               const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range,
                               struct copies *copies, uint32_t first) {
    const struct tables_table *from =
        entries_table_at(referee, runs, range->SrcPageTableAddress, range->SrcStartPteIndex,
                         range->NumPageTableEntries);
    const struct tables_table *to =
        entries_table_at(referee, runs, range->DstPageTableAddress, range->DstStartPteIndex,
                         range->NumPageTableEntries);
    struct copied_range *copied = &copies->range[copies->ranges];
    if (!to || range->NumPageTableEntries > to->entries ||
        range->DstStartPteIndex > to->entries - range->NumPageTableEntries)
        return;
    *copied = (struct copied_range){.to = to->place,
                                    .start = range->DstStartPteIndex,
                                    .count = range->NumPageTableEntries,
                                    .first = first};
    for (uint32_t i = 0; i < copied->count; i++) {
        const struct tables_entry *entry =
            from ? tables_entry(from, 0, range->SrcStartPteIndex + i) : NULL;
        bool known = entry && entry->known[TABLES_ASKED] && from->level == to->level &&
                     from->wide == to->wide;
        copied->unsure = copied->unsure || !known;
        if (!known)
            continue;
        entries_judge_pool(referee, runs, from, entry);
        copies->value[first + i] = entry->value[TABLES_ASKED];
        if (from->owner)
            copies->owner[first + i] = from->owner[range->SrcStartPteIndex + i];
    }
    copies->ranges++;
}

static void entries_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy = &operation->arg.CopyPageTableEntries;
    const struct tables_process *runs = tables_running(referee, operation);
    uint64_t entries = 0;
    if (!runs || !tables_mmu(referee, runs->physical)->known)
        return;
    bool by_cpu = tables_mmu(referee, runs->physical)->caps.PageTableUpdateMode ==
                  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    MANAGER_MUST(388, !by_cpu, "UPDATE_PAGE_TABLE where the driver reported CPU_VIRTUAL",
                 "entries are copied in %u ranges", copy->NumRanges);
    for (uint32_t i = 0; copy->pRanges && i < copy->NumRanges; i++) {
        entries_judge_range(referee, &copy->pRanges[i]);
        entries += copy->pRanges[i].NumPageTableEntries;
    }
    if (!copy->pRanges || copy->NumRanges > RANGES || entries > ENTRIES)
        return;
    size_t values = (size_t)entries * sizeof(DXGK_PTE);
    size_t behind = values + copy->NumRanges * sizeof(struct copied_range);
    struct copies *copies =
        memory_calloc(1, sizeof(*copies) + behind + (size_t)entries * sizeof(struct tables_owner));
    operation->own = copies;
    if (!copies)
        return;
    copies->range = (struct copied_range *)(void *)((uint8_t *)copies->value + values);
    copies->owner = (struct tables_owner *)(void *)((uint8_t *)copies->value + behind);
    uint32_t first = 0;
    for (uint32_t i = 0; i < copy->NumRanges; i++) {
        entries_read_range(referee, runs, &copy->pRanges[i], copies, first);
        first += copy->pRanges[i].NumPageTableEntries;
    }
}

/* A range as an update of its destination. NULL: the table is gone, or there is no memory. */
static struct table_change *entries_change_of(struct vidmm_referee *referee,
                                              const struct copies *copies, uint32_t index) {
    const struct copied_range *range = &copies->range[index];
    const struct tables_table *table = tables_find(referee, range->to);
    if (!table || range->start + range->count > table->entries)
        return NULL;
    struct table_change *change =
        memory_calloc(1, sizeof(*change) + range->count * sizeof(change->entry[0]));
    if (!change)
        return NULL;
    change->place = range->to;
    change->process = table->process;
    change->level = table->level;
    change->wide = table->wide;
    change->start = range->start;
    change->count = range->count;
    change->made = range->made;
    change->unsure = range->unsure;
    change->owner = &copies->owner[range->first];
    change->kinds = 1;
    change->va = table->start + ((uint64_t)range->start << tables_entry_shift(referee, table));
    memcpy(change->entry, &copies->value[range->first], range->count * sizeof(change->entry[0]));
    return change;
}

static void entries_apply(struct vidmm_referee *referee, struct copies *copies,
                          enum tables_when when) {
    for (uint32_t i = 0; copies && i < copies->ranges; i++) {
        struct table_change *change = entries_change_of(referee, copies, i);
        if (change) {
            change_apply(referee, change, when);
            change_settle(referee, change); /* made anew when it is done */
            copies->range[i].made = change->made;
        }
        free(change);
    }
}

static void entries_built(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    entries_apply(referee, operation->own, TABLES_ASKED);
}

static void entries_done(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    struct copies *copies = operation->own;
    entries_apply(referee, copies, TABLES_DONE);
    for (uint32_t i = 0; copies && i < copies->ranges; i++) {
        struct table_change *change = entries_change_of(referee, copies, i);
        if (change)
            change_compare(referee, change, (struct tables_blame){.rule_table = 239});
        free(change);
    }
}

const struct operation_judge op_judge_entries = {
    .asked = entries_asked, .built = entries_built, .done = entries_done};
