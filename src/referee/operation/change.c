/*
 * change.c - an update of page table entries as it is kept, and the tables as it leaves them; see
 * table.h.
 */
#include <stdlib.h>
#include <string.h>

#include "state/judge.h"
#include "operation/table.h"
#include "state/memory.h"

uint32_t change_elements(const struct table_change *change) {
    return change->repeat ? 1 : change->count;
}

const DXGK_PTE *change_entry(const struct table_change *change, uint32_t kind, uint32_t index) {
    if ((change->kinds >> kind & 1u) == 0)
        return NULL;
    uint32_t at = kind == 1 && (change->kinds & 1u) ? change_elements(change) : 0;
    return &change->entry[at + (change->repeat ? 0 : index)];
}

const struct tables_mmu *change_mmu(struct vidmm_referee *referee,
                                    const struct table_change *change) {
    return tables_mmu(referee, linked_space_physical(change->process));
}

uint32_t change_shift(struct vidmm_referee *referee, const struct table_change *change) {
    return change->wide ? TABLES_WIDE_SHIFT
                        : tables_shift(change_mmu(referee, change), change->level);
}

/* What a TLB may know of the table that was here goes over to the one that takes its place. */
static void change_carry_stale(struct vidmm_referee *referee, const struct tables_table *from,
                               struct tables_table *to) {
    uint32_t step = 1u << (tables_entry_shift(referee, from) - tables_entry_shift(referee, to));
    for (uint32_t i = 0; i < to->entries && i / step < from->entries; i++) {
        const struct tables_entry *old = tables_entry(from, 0, i / step);
        for (uint32_t when = 0; when < 2; when++) {
            bool held = old->stale[when] || (old->known[when] && old->value[when].Valid);
            struct tables_entry *entry = held ? tables_own_entry(to, 0, i) : NULL;
            if (entry)
                tables_set_stale(referee, to, entry, (enum tables_when)when, true);
        }
    }
}

/* A table of 64 KB pages becomes one of 4 KB pages where it is. */
static struct tables_table *change_narrow(struct vidmm_referee *referee,
                                          const struct table_change *change,
                                          struct tables_table *table) {
    struct tables_table old = *table;
    uint32_t kept = table->alike ? 1 : table->entries;
    old.entry = memory_calloc(kept, sizeof(*old.entry));
    if (old.entry)
        memcpy(old.entry, table->entry, kept * sizeof(*old.entry));
    struct tables_table *made = tables_make(referee, change->place, change->process, 0, false,
                                            tables_entries(change_mmu(referee, change), 0, false));
    if (made && old.entry)
        change_carry_stale(referee, &old, made);
    free(old.entry);
    return made;
}

static struct tables_table *change_table_of(struct vidmm_referee *referee,
                                            const struct table_change *change) {
    struct tables_table *table = tables_find(referee, change->place);
    uint32_t end = change->start + change->count;
    bool same = table && table->level == change->level && table->wide == change->wide &&
                table->process == change->process && table->entries >= end;
    const struct tables_mmu *mmu = change_mmu(referee, change);
    bool root = change->level + 1 == mmu->levels;
    uint64_t start = change->va - ((uint64_t)change->start << change_shift(referee, change));
    uint32_t entries = tables_entries(mmu, change->level, change->wide);
    if (same && !(change->initial && root && table->entries != end)) {
        if (change->initial) { /* memory of one that is gone */
            tables_bear(referee, table);
            tables_set_start(referee, table, start);
        }
        return table;
    }
    if (root && mmu->levels == 2)
        entries = end;
    if (table && table->level == 0 && change->level == 0 && table->wide && !change->wide &&
        table->process == change->process)
        table = change_narrow(referee, change, table);
    else
        table = tables_make(referee, change->place, change->process, change->level, change->wide,
                            entries);
    if (table)
        tables_set_start(referee, table, start);
    return table;
}

/* Behind the last entry that the table has of a change. */
static uint32_t change_end(const struct table_change *change, const struct tables_table *table) {
    uint64_t end = (uint64_t)change->start + change->count;
    return end < table->entries ? (uint32_t)end : table->entries;
}

/* What holds for all entries of a change. */
struct change_how {
    const struct table_change *change;
    enum tables_when when;
    bool judged;         /* what a TLB holds of the entries may become stale */
    bool caches_invalid; /* a TLB may hold entries that are not valid */
};

static bool change_same_value(DXGK_PTE a, DXGK_PTE b) {
    return a.Flags == b.Flags && a.PageAddress == b.PageAddress;
}

/* What a TLB may hold after a change from `old` to `value`. */
static bool change_makes_stale(const struct change_how *how, const struct tables_entry *entry,
                               DXGK_PTE value) {
    DXGK_PTE old = entry->value[how->when];
    if (!entry->known[how->when] || change_same_value(old, value))
        return false;
    return old.Valid || (how->caches_invalid && value.Valid &&
                         (how->change->level == 0 || old.LargePage || value.LargePage));
}

/* A root that another took over from: what a TLB has by way of it the other leads to as well. */
static bool change_is_left(struct vidmm_referee *referee, const struct table_change *change) {
    const struct tables_process *process = tables_process(referee, change->process);
    return process && process->rooted && change->level + 1 == change_mmu(referee, change)->levels &&
           (process->root.SegmentId != change->place.SegmentId ||
            process->root.SegmentOffset != change->place.SegmentOffset);
}

static struct change_how change_how_of(struct vidmm_referee *referee,
                                       const struct table_change *change, enum tables_when when) {
    return (struct change_how){
        .change = change,
        .when = when,
        .judged = !change->now && !change->initial && !change_is_left(referee, change),
        .caches_invalid =
            !tables_has(referee, DXGKDDI_INTERFACE_VERSION_WDDM2_6,
                        change_mmu(referee, change)->caps.InvalidTlbEntriesNotCached)};
}

static void change_set_entry(struct vidmm_referee *referee, const struct change_how *how,
                             struct tables_table *table, struct tables_entry *entry,
                             DXGK_PTE value) {
    if (how->judged && change_makes_stale(how, entry, value))
        tables_set_stale(referee, table, entry, how->when, true);
    if (how->change->initial && entry->stale[how->when])
        tables_set_stale(referee, table, entry, how->when, false);
    entry->value[how->when] = value;
    entry->known[how->when] = !how->change->unsure;
    if (how->when == TABLES_ASKED)
        entry->pending++;
    else if (entry->pending != 0)
        entry->pending--;
}

static void change_set_entries(struct vidmm_referee *referee, const struct table_change *change,
                               struct tables_table *table, uint32_t kind, enum tables_when when) {
    const struct change_how how = change_how_of(referee, change, when);
    const DXGK_PTE *value = change_entry(change, kind, 0);
    uint32_t end = change_end(change, table), step = change->repeat ? 0 : 1;
    bool all = table->alike && change->repeat && change->start == 0 && end == table->entries;
    struct tables_entry *entry = !value ? NULL
                                 : all  ? table->entry
                                        : tables_own_entry(table, kind, change->start);
    for (uint32_t i = all ? end - 1 : change->start; entry && i < end; i++, entry++) {
        change_set_entry(referee, &how, table, entry, *value);
        value += step;
    }
}

/* `shift`: change_shift of the change. */
static struct tables_owner change_owner_of(const struct table_change *change, uint32_t index,
                                           uint32_t shift) {
    uint64_t at = (uint64_t)(index - change->start) << shift;
    if (change->owner)
        return change->owner[index - change->start];
    return (struct tables_owner){.allocation = change->allocation,
                                 .page = change->offset + at,
                                 .protection = change->protection};
}

static void change_note_left(struct vidmm_referee *referee, struct table_change *change,
                             HANDLE allocation) {
    for (uint32_t i = 0; allocation && i < TABLE_LEFT; i++) {
        if (change->left[i].allocation && change->left[i].allocation != allocation)
            continue;
        change->left[i].allocation = allocation;
        change->left[i].entries++;
        owners_leaving(referee, allocation, 1);
        return;
    }
}

static void change_set_owner(struct vidmm_referee *referee, struct table_change *change,
                             struct tables_table *table, uint32_t index, uint32_t shift) {
    const struct tables_owner owner = change_owner_of(change, index, shift);
    /* Above the leaves from the first large page on. */
    bool owned = owner.allocation &&
                 tables_is_page(table, &tables_entry(table, 0, index)->value[TABLES_ASKED]);
    if (!table->owner && owned && tables_own_entry(table, 0, index))
        table->owner = memory_calloc(table->entries, sizeof(*table->owner));
    if (table->owner)
        change_note_left(referee, change, owners_set(referee, table, index, &owner));
}

static void change_set_owners(struct vidmm_referee *referee, struct table_change *change,
                              struct tables_table *table) {
    const uint32_t shift = change_shift(referee, change);
    for (uint32_t i = change->start; i < change_end(change, table); i++)
        change_set_owner(referee, change, table, i, shift);
}

void change_settle(struct vidmm_referee *referee, struct table_change *change) {
    for (uint32_t i = 0; i < TABLE_LEFT; i++) {
        if (change->left[i].allocation)
            owners_leaving(referee, change->left[i].allocation, -change->left[i].entries);
        change->left[i].allocation = NULL;
    }
}

/* Another table takes over with its initial update: whatever else is written at the top is written to
 * one that has gone, and is made invalid. */
static void change_note_root(struct vidmm_referee *referee, const struct table_change *change,
                             const struct tables_table *table) {
    struct tables_process *process = tables_process(referee, change->process);
    if (!process || change->level + 1 != change_mmu(referee, change)->levels ||
        (process->rooted && !change->initial))
        return;
    process->rooted = true;
    process->root = table->place;
    process->root_entries = table->entries;
}

void change_apply(struct vidmm_referee *referee, struct table_change *change,
                  enum tables_when when) {
    struct tables_table *table = when == TABLES_ASKED ? change_table_of(referee, change)
                                                      : tables_find(referee, change->place);
    if (table && when == TABLES_ASKED)
        change->made = table->made;
    if (when == TABLES_DONE)
        change_settle(referee, change);
    if (!table || table->made != change->made)
        return;
    for (uint32_t kind = 0; kind < table->kinds; kind++)
        change_set_entries(referee, change, table, kind, when);
    if (when == TABLES_ASKED && (change->owner || change->allocation || table->owner))
        change_set_owners(referee, change, table);
    if (when == TABLES_ASKED)
        change_note_root(referee, change, table);
}

bool change_open(struct vidmm_referee *referee, HANDLE process, uint64_t va) {
    const struct shadow_operation *open = operation_open(referee);
    const struct table_change *change = open ? open->own : NULL;
    if (!change || open->arg.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE)
        return open && open->arg.Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
    return change->process == process && va >= change->va &&
           va - change->va < (uint64_t)change->count << change_shift(referee, change);
}
