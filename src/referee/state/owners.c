/* owners.c - see owners.h: the pages that addresses of processes lead to, by where they are. */
#include <stdlib.h>

#include "state/grow.h"
#include "state/hash.h"
#include "state/judge.h"
#include "state/memory.h"

/* Set in the place of a page of system memory: its address may be that of a segment's page, too. */
#define OWNERS_SYSTEM (UINT64_C(1) << 63)

/* A page of 4 KB of an allocation. */
struct led_page {
    struct keyed keyed; /* by its GPU physical address, or its place in system memory */
    HANDLE allocation;
    uint32_t valid, held; /* entries that lead there; TLBs that may */
};

/* An entry with a unique protection, valid or not. */
struct unique_entry {
    struct keyed keyed; /* by owners_key */
    const struct tables_table *table;
    uint32_t index;
};

/* ---- Pages ----------------------------------------------------------------------------------- */

static struct led_page *owners_page(struct vidmm_referee *referee, uint64_t at, HANDLE allocation) {
    struct keyed *page = keyed_find(&referee->owners.pages, at);
    while (page && ((struct led_page *)page)->allocation != allocation)
        page = keyed_find_older(page);
    return (struct led_page *)page;
}

static struct led_page *owners_add_page(struct vidmm_referee *referee, uint64_t at,
                                        HANDLE allocation) {
    struct led_page *page = memory_calloc(1, sizeof(*page));
    if (!page || !keyed_add(&referee->owners.pages, &page->keyed, at)) {
        free(page);
        return NULL;
    }
    page->allocation = allocation;
    return page;
}

struct count {
    HANDLE allocation;
    int32_t valid, held;
};

static void owners_count_page(struct vidmm_referee *referee, uint64_t at,
                              const struct count *count) {
    struct led_page *page = owners_page(referee, at, count->allocation);
    if (!page && count->valid + count->held > 0)
        page = owners_add_page(referee, at, count->allocation);
    if (!page)
        return;
    page->valid += (uint32_t)count->valid;
    page->held += (uint32_t)count->held;
    if (page->valid == 0 && page->held == 0) {
        keyed_remove(&referee->owners.pages, &page->keyed);
        free(page);
    }
}

/* All that an entry covers that leads, or led, to `led` - 1. */
static void owners_count_entry(struct vidmm_referee *referee, const struct tables_table *table,
                               uint64_t led, struct count count) {
    struct shadow_allocation *allocation = shadow_allocation(referee, count.allocation);
    uint64_t bytes = UINT64_C(1) << tables_entry_shift(referee, table);
    for (uint64_t at = 0; at < bytes; at += SHADOW_PAGE)
        owners_count_page(referee, led - 1 + at, &count);
    if (!allocation)
        return;
    allocation->led += (uint32_t)count.valid;
    allocation->held += (uint32_t)count.held;
}

/* ---- Unique protections ---------------------------------------------------------------------- */

static uint64_t owners_key(const struct tables_owner *owner) {
    return hash_word(keyed_handle(owner->allocation), owner->page);
}

static bool owners_is_unique(const struct tables_owner *owner) {
    return owner->allocation && (owner->protection & OWNERS_UNIQUE) != 0;
}

static void owners_add_unique(struct vidmm_referee *referee, const struct tables_table *table,
                              uint32_t index) {
    const struct tables_owner *owner = &table->owner[index];
    struct unique_entry *entry = owners_is_unique(owner) ? memory_calloc(1, sizeof(*entry)) : NULL;
    if (!entry || !keyed_add(&referee->owners.unique, &entry->keyed, owners_key(owner))) {
        free(entry);
        return;
    }
    entry->table = table;
    entry->index = index;
}

static void owners_remove_unique(struct vidmm_referee *referee, const struct tables_table *table,
                                 uint32_t index) {
    const struct tables_owner *owner = &table->owner[index];
    struct keyed *at =
        owners_is_unique(owner) ? keyed_find(&referee->owners.unique, owners_key(owner)) : NULL;
    for (; at; at = keyed_find_older(at)) {
        struct unique_entry *entry = (struct unique_entry *)at;
        if (entry->table != table || entry->index != index)
            continue;
        keyed_remove(&referee->owners.unique, at);
        free(entry);
        return;
    }
}

const struct tables_owner *owners_conflict(struct vidmm_referee *referee,
                                           const struct tables_owner *owner,
                                           const struct tables_owner *own) {
    struct keyed *at = keyed_find(&referee->owners.unique, owners_key(owner));
    for (; at; at = keyed_find_older(at)) {
        const struct unique_entry *entry = (struct unique_entry *)at;
        const struct tables_owner *other = &entry->table->owner[entry->index];
        const struct tables_entry *value = tables_entry(entry->table, 0, entry->index);
        if (other != own && other->allocation == owner->allocation && other->page == owner->page &&
            other->protection != owner->protection && value->known[TABLES_ASKED] &&
            value->value[TABLES_ASKED].Valid)
            return other;
    }
    return NULL;
}

/* ---- Entries --------------------------------------------------------------------------------- */

void owners_add_next(struct vidmm_referee *referee, struct shadow_allocation *allocation) {
    struct owners *owners = &referee->owners;
    if (allocation->in_next ||
        !grow(&owners->next, &owners->next_room, owners->next_count + 1, sizeof(*owners->next)))
        return;
    allocation->in_next = true;
    owners->next[owners->next_count++] = allocation->head.handle;
}

/* A handle may name no allocation any more, or a newer one, which is not in `next`. */
void owners_used(struct vidmm_referee *referee, uint32_t node, uint32_t fence) {
    struct owners *owners = &referee->owners;
    for (uint32_t i = 0; i < owners->next_count; i++) {
        struct shadow_allocation *allocation = shadow_allocation(referee, owners->next[i]);
        if (!allocation || !allocation->in_next)
            continue;
        allocation->in_next = false;
        allocation->used = true;
        allocation->used_node = node;
        allocation->used_fence = fence;
    }
    owners->next_count = 0;
}

void owners_clear(struct vidmm_referee *referee) {
    grow_free(&referee->owners.next, &referee->owners.next_room);
    referee->owners.next_count = 0;
    keyed_clear(&referee->owners.pages);
    keyed_clear(&referee->owners.unique);
}

/* R287: while work uses the allocation its addresses lead to it. */
static void owners_judge_unused(struct vidmm_referee *referee, HANDLE handle) {
    const struct shadow_allocation *allocation = shadow_allocation(referee, handle);
    if (!allocation || !allocation->used || allocation->used_node >= SHADOW_NODES)
        return;
    const struct shadow_submission *work = referee->node[allocation->used_node].first;
    while (work && work->fence != allocation->used_fence)
        work = work->next;
    MANAGER_MUST(287, !work, "addresses that lead to what a device lists until its work is done",
                 "they change while submission %u of node %u is under way", allocation->used_fence,
                 allocation->used_node);
}

/* It leads nowhere any more, though a TLB may still. */
static void owners_leave(struct vidmm_referee *referee, struct tables_table *table,
                         uint32_t index) {
    struct tables_owner *owner = &table->owner[index];
    if (owner->leads == 0)
        return;
    owners_count_entry(referee, table, owner->leads, (struct count){owner->allocation, -1, 0});
    if (table->entry[index].stale[TABLES_ASKED] && owner->held_at == 0) {
        owner->held = owner->allocation;
        owner->held_at = owner->leads;
        owners_count_entry(referee, table, owner->held_at, (struct count){owner->held, 0, 1});
    }
    owner->leads = 0;
}

static uint64_t owners_place(struct vidmm_referee *referee, const DXGK_PTE *entry) {
    uint32_t segment = tables_entry_segment(entry);
    uint64_t at =
        tables_gpu_address(referee, segment, (uint64_t)entry->PageAddress << TABLES_PAGE_SHIFT);
    return shadow_segment(referee, segment) ? at : at | OWNERS_SYSTEM;
}

HANDLE owners_set(struct vidmm_referee *referee, struct tables_table *table, uint32_t index,
                  const struct tables_owner *to) {
    struct tables_owner *owner = &table->owner[index];
    const DXGK_PTE *entry = &table->entry[index].value[TABLES_ASKED];
    HANDLE before = owner->leads != 0 ? owner->allocation : NULL;
    uint64_t led = owner->leads;
    owners_leave(referee, table, index);
    owners_remove_unique(referee, table, index);
    owner->allocation = to->allocation;
    owner->page = to->page;
    owner->protection = to->protection;
    owners_add_unique(referee, table, index);
    if (table->user && to->allocation && entry->Valid && !entry->Zero &&
        tables_is_page(table, entry)) {
        owner->leads = owners_place(referee, entry) + 1;
        owners_count_entry(referee, table, owner->leads, (struct count){owner->allocation, 1, 0});
    }
    if (before && owner->leads != led)
        owners_judge_unused(referee, before);
    return before;
}

void owners_flushed(struct vidmm_referee *referee, struct tables_table *table, uint32_t index) {
    struct tables_owner *owner = table->owner ? &table->owner[index] : NULL;
    if (!owner || owner->held_at == 0)
        return;
    struct shadow_allocation *allocation = shadow_allocation(referee, owner->held);
    if (allocation)
        allocation->flushed = referee->owners.flushes_built;
    owners_count_entry(referee, table, owner->held_at, (struct count){owner->held, 0, -1});
    owner->held_at = 0;
}

void owners_flush_built(struct vidmm_referee *referee) {
    referee->owners.flushes_built++;
}

void owners_flush_done(struct vidmm_referee *referee) {
    referee->owners.flushes_done += referee->owners.flushes_done < referee->owners.flushes_built;
}

void owners_drop(struct vidmm_referee *referee, struct tables_table *table) {
    for (uint32_t i = 0; table->owner && i < table->entries; i++) {
        table->entry[i].stale[TABLES_ASKED] = 0;
        owners_leave(referee, table, i);
        owners_flushed(referee, table, i);
        owners_remove_unique(referee, table, i);
    }
    free(table->owner);
    table->owner = NULL;
}

void owners_forget(struct vidmm_referee *referee) {
    referee->owners.flushes_done = referee->owners.flushes_built;
    for (struct shadow_allocation *allocation = shadow_next_allocation(referee, NULL); allocation;
         allocation = shadow_next_allocation(referee, allocation))
        allocation->leaving = allocation->moving_virtual = 0;
}

void owners_leaving(struct vidmm_referee *referee, HANDLE handle, int32_t entries) {
    struct shadow_allocation *allocation = shadow_allocation(referee, handle);
    if (allocation)
        allocation->leaving += (uint32_t)entries;
}

/* ---- Judging --------------------------------------------------------------------------------- */

void owners_judge_page(struct vidmm_referee *referee, HANDLE allocation, uint64_t gpu_address) {
    uint64_t at = gpu_address & ~(uint64_t)(SHADOW_PAGE - 1);
    const struct keyed *next = keyed_find(&referee->owners.pages, at);
    for (; next; next = keyed_find_older(next)) {
        const struct led_page *page = (const struct led_page *)next;
        if (page->allocation == allocation)
            continue;
        MANAGER_MUST(368, page->valid == 0, "a place that no other allocation has",
                     "an address of a process still leads to 0x%llx, as a page of another "
                     "allocation",
                     LLU(at));
        if (page->valid == 0)
            MANAGER_MUST(
                231, page->held == 0, "FLUSH_TLB before the memory is given to somebody else",
                "a TLB may still lead to 0x%llx, as a page of another allocation", LLU(at));
    }
}

void owners_judge_end(struct vidmm_referee *referee, const struct shadow_allocation *allocation,
                      uint32_t open) {
    if (!tables_known(referee) ||
        !tables_intact(referee)) /* a manager that gave up a GPU that hangs writes no entries */
        return;
    MANAGER_MUST(145, open == 0, "no paging under way of a destroyed allocation",
                 "%u operations of it are under way", open);
    MANAGER_MUST(299, allocation->led == 0 && allocation->leaving == 0,
                 "no address that leads to an allocation when it is destroyed",
                 "%u entries of page tables do%s", allocation->led + allocation->leaving,
                 allocation->led == 0 ? ", for all that the GPU has done" : "");
    MANAGER_MUST(231, allocation->held == 0, "FLUSH_TLB before the allocation is destroyed",
                 "%u entries that led to it changed and were not flushed", allocation->held);
    MANAGER_MUST(231, allocation->flushed <= referee->owners.flushes_done,
                 "FLUSH_TLB before the allocation is destroyed",
                 "the flush of its addresses is still under way%s", "");
}
