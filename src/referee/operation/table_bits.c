/*
 * table_bits.c - what a driver writes into page tables, without a model of the hardware that reads
 * them: where the memory of a table can be seen, two entries that say different things must not be
 * the same bits there, whatever the bits mean.
 *
 * Each value that was seen in an entry is kept with what the manager asked for: invalid, or a page
 * or a table at a place. Where the model translates addresses (compare_tables.c) that tells more,
 * and nothing is done here. Hardware with pages of more than 4 KB may leave out the entries that
 * point inside such a page (ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md), so these are
 * looked at once one of them was written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "operation/table.h"
#include "state/hash.h"
#include "state/memory.h"

#define BITS_PLACES 32768u /* a power of two; the newest value of each is kept */
#define COARSE      16u    /* entries of the largest page of leaf tables, 64 KB */

enum bits_rights { RIGHTS_READ_ONLY = 1, RIGHTS_NO_EXECUTE = 2 };

/* A value and what it stands for. */
struct bits_value {
    uint64_t bits; /* or the hash of more than 8 bytes */
    uint64_t page;
    uint32_t segment;
    uint8_t level; /* and 1; 0: this place is empty */
    bool valid, large;
    uint8_t rights; /* of a page: RIGHTS_*, of those that the driver reported */
};

struct tables_bits {
    bool fine; /* an entry inside a page of 64 KB was written */
    struct bits_value value[BITS_PLACES];
};

/* What is seen of the entries of a table, one after the other. */
struct bits_seen {
    const uint8_t *page; /* of the table's memory, at `at`; NULL: it is not visible */
    uint64_t at, end;    /* of that page in the table, in bytes */
    uint32_t size;       /* of an entry */
    const DXGK_GPUMMUCAPS *caps;
    struct bits_value last; /* what the bits of the entry before stand for; level 0: none */
};

static bool bits_lead_same(const struct bits_value *a, const struct bits_value *b) {
    return a->valid == b->valid &&
           (!a->valid || (a->page == b->page && a->segment == b->segment && a->large == b->large));
}

static bool bits_mean_same(const struct bits_value *a, const struct bits_value *b) {
    return bits_lead_same(a, b) && (!a->valid || a->rights == b->rights);
}

static bool bits_are(const struct bits_value *a, const struct bits_value *b) {
    return a->level == b->level && a->bits == b->bits && bits_mean_same(a, b);
}

static struct bits_value *bits_place(struct tables_bits *bits, const struct bits_value *value) {
    uint64_t hash = hash_word(hash_word(HASH_START, value->bits), value->level);
    return &bits->value[hash % BITS_PLACES];
}

/* What an entry forbids; one that leads to a table forbids nothing. */
static uint8_t bits_rights(const DXGK_GPUMMUCAPS *caps, const struct tables_table *table,
                           DXGK_PTE entry) {
    uint32_t rights = 0;
    if (table->level != 0 && !entry.LargePage)
        return 0;
    if (entry.ReadOnly && caps->ReadOnlyMemorySupported)
        rights |= RIGHTS_READ_ONLY;
    if (entry.NoExecute && caps->NoExecuteMemorySupported)
        rights |= RIGHTS_NO_EXECUTE;
    return (uint8_t)rights;
}

static bool bits_of(const struct bits_seen *seen, const struct tables_table *table, uint32_t index,
                    DXGK_PTE entry, struct bits_value *value) {
    const uint8_t *bytes = seen->page + ((uint64_t)index * seen->size - seen->at);
    *value = (struct bits_value){.page = entry.PageAddress,
                                 .segment = tables_entry_segment(&entry),
                                 .level = (uint8_t)(table->level + 1),
                                 .valid = entry.Valid,
                                 .large = entry.LargePage,
                                 .rights = bits_rights(seen->caps, table, entry)};
    if (seen->size > sizeof(value->bits))
        value->bits = hash_bytes(HASH_START, bytes, seen->size);
    else
        memcpy(&value->bits, bytes, seen->size);
    return !entry.Zero;
}

/* ---- Judging --------------------------------------------------------------------------------- */

/* Up to a page of the table's memory, or NULL. */
static const uint8_t *bits_memory(struct vidmm_referee *referee, const struct tables_table *table,
                                  uint64_t at, uint64_t size) {
    return world_place(referee, table->place.SegmentId, table->place.SegmentOffset + at, size);
}

/* The entry lies in what is visible of the table. */
static bool bits_see(struct vidmm_referee *referee, const struct tables_table *table,
                     uint32_t index, struct bits_seen *seen) {
    uint64_t at = (uint64_t)index * seen->size;
    if (at < seen->end && at >= seen->at)
        return seen->page;
    seen->at = at - at % SHADOW_PAGE;
    seen->end = seen->at + SHADOW_PAGE < table->bytes ? seen->at + SHADOW_PAGE : table->bytes;
    seen->page = bits_memory(referee, table, seen->at, seen->end - seen->at);
    return seen->page;
}

static const char *const rights_text[] = {"neither", "ReadOnly", "NoExecute",
                                          "ReadOnly and NoExecute"};

static void bits_text(const struct bits_value *value, char text[64]) {
    if (value->valid)
        snprintf(text, 64, "page 0x%llx of segment %u", LLU(value->page), value->segment);
    else
        snprintf(text, 64, "an invalid entry");
}

uint64_t bits_hash(struct vidmm_referee *referee, const struct table_change *change) {
    const struct tables_table *table = tables_find(referee, change->place);
    uint64_t hash = HASH_START;
    for (uint64_t at = 0, size; table && at < table->bytes; at += size) {
        size = table->bytes - at < SHADOW_PAGE ? table->bytes - at : SHADOW_PAGE;
        const uint8_t *bytes = bits_memory(referee, table, at, size);
        if (!bytes)
            return 0;
        hash = hash_bytes(hash, bytes, size);
    }
    return table ? hash : 0;
}

bool bits_untouched(struct vidmm_referee *referee, const struct table_change *change) {
    return change->before != 0 && change->before == bits_hash(referee, change);
}

static void bits_judge(struct vidmm_referee *referee, const struct table_change *change,
                       const struct bits_value *value, const struct bits_value *other,
                       uint32_t index) {
    bool same = !other || bits_lead_same(value, other);
    bool late = !same && change->now && bits_untouched(referee, change);
    char wanted[64] = "", found[64] = "";
    if (!same) {
        bits_text(value, wanted);
        bits_text(other, found);
    }
    if (change->now)
        DRIVER_MUST(211, !late, "entries written when the call returns",
                    "entry %u of level %u, %s, is what %s was", index, change->level, wanted,
                    found);
    if (!late)
        DRIVER_MUST(215, same, "entries in the table that say what pPageTableEntries says",
                    "entry %u of level %u, %s, is what %s was", index, change->level, wanted,
                    found);
    uint8_t before = other ? other->rights : value->rights;
    if (same && (value->rights | before) != 0)
        DRIVER_MUST(472, value->rights == before,
                    "other bits of an entry with ReadOnly or NoExecute than without it",
                    "entry %u of level %u, with %s, is what it was with %s for the same page",
                    index, change->level, rights_text[value->rights], rights_text[before]);
}

/* Entries inside of large pages need not be written: until one is, nothing is said of them. */
static bool bits_may_be_left(struct tables_bits *bits, const struct bits_value *value,
                             const struct bits_value *other, uint32_t index) {
    if (value->level != 1 || index % COARSE == 0 || bits->fine)
        return false;
    if (!other || bits_mean_same(value, other)) {
        bits->fine = !other && value->valid;
        return false;
    }
    return true;
}

static void bits_look(struct vidmm_referee *referee, const struct table_change *change,
                      const struct tables_table *table, uint32_t index, struct bits_seen *seen) {
    const struct tables_entry *entry = tables_entry(table, 0, index);
    struct tables_bits *bits = referee->tables.bits;
    struct bits_value value;
    if (!entry || entry->pending != 0 || !entry->known[TABLES_DONE] ||
        !bits_see(referee, table, index, seen) ||
        !bits_of(seen, table, index, entry->value[TABLES_DONE], &value) ||
        bits_are(&seen->last, &value))
        return;
    struct bits_value *place = bits_place(bits, &value);
    const struct bits_value *other =
        place->level == value.level && place->bits == value.bits ? place : NULL;
    if (bits_may_be_left(bits, &value, other, index))
        return;
    bits_judge(referee, change, &value, other, index);
    if (!other)
        *place = value;
    seen->last = *place;
}

/* Up to `end`: how many entries behind `index` are that entry again, in the table and in its
   memory. Most tables begin so. */
static uint32_t bits_repeats(const struct bits_seen *seen, const struct tables_table *table,
                             uint32_t index, uint32_t end) {
    uint64_t at = (uint64_t)index * seen->size;
    if (!table->alike || !seen->page || at < seen->at || at >= seen->end)
        return 0;
    uint64_t last = (uint64_t)end * seen->size < seen->end ? (uint64_t)end * seen->size : seen->end;
    const uint8_t *bytes = seen->page + (at - seen->at);
    uint64_t behind = last - at - seen->size;
    return memcmp(bytes, bytes + seen->size, behind) == 0 ? (uint32_t)(behind / seen->size) : 0;
}

/* The model tells more of tables that it can be asked about. */
static bool bits_modelled(struct vidmm_referee *referee, const struct tables_process *process) {
    struct vidmm_referee_translation found;
    uint64_t root =
        tables_gpu_address(referee, process->root.SegmentId, process->root.SegmentOffset);
    return world_translate(referee, process->physical, root, process->root_entries, 0, &found);
}

void bits_done(struct vidmm_referee *referee, const struct table_change *change) {
    const struct tables_table *table = tables_find(referee, change->place);
    const struct tables_process *process = tables_process(referee, change->process);
    if (!table || table->made != change->made || table->kinds != 1 || table->wide || !process ||
        bits_modelled(referee, process))
        return;
    if (!referee->tables.bits)
        referee->tables.bits = memory_calloc(1, sizeof(*referee->tables.bits));
    if (!referee->tables.bits)
        return;
    struct bits_seen seen = {.size = (uint32_t)(table->bytes / table->entries),
                             .caps = &change_mmu(referee, change)->caps};
    if (seen.size != 4 && seen.size != 8 && seen.size != 16)
        return;
    uint32_t end = change->start + change->count;
    for (uint32_t i = change->start; i < end; i++) {
        bits_look(referee, change, table, i, &seen);
        i += bits_repeats(&seen, table, i, end);
    }
}
