/*
 * migration_memory.c - see migration_memory.h.
 */
#include "state/migration_memory.h"

#include <stdlib.h>

#include "state/hash.h"
#include "state/judge.h"
#include "state/memory.h"

#define FIRST_ROOM     1024u
#define SEGMENT_SHIFT  56u
#define OFFSET_OF(key) ((key) & ((UINT64_C(1) << SEGMENT_SHIFT) - 1))

/* ---- The table ------------------------------------------------------------------------------- */

void migration_pages_clear(struct migration_pages *pages) {
    free(pages->page);
    *pages = (struct migration_pages){.page = NULL};
}

/* The page, or the free place for it. */
static struct migration_page *migration_place(const struct migration_pages *pages, uint64_t key) {
    uint64_t at = hash_word(HASH_START, key) & (pages->room - 1);
    while (pages->page[at].key != 0 && pages->page[at].key != key)
        at = (at + 1) & (pages->room - 1);
    return &pages->page[at];
}

static const struct migration_page *migration_find(const struct migration_pages *pages,
                                                   uint64_t key) {
    const struct migration_page *page = pages->room != 0 ? migration_place(pages, key) : NULL;
    return page && page->key != 0 ? page : NULL;
}

static bool migration_grow(struct migration_pages *pages) {
    struct migration_pages larger = {.room = pages->room ? 2 * pages->room : FIRST_ROOM};
    larger.page = memory_calloc((size_t)larger.room, sizeof(*larger.page));
    if (!larger.page)
        return false;
    for (uint64_t i = 0; i < pages->room; i++)
        if (pages->page[i].key != 0)
            *migration_place(&larger, pages->page[i].key) = pages->page[i];
    larger.count = pages->count;
    free(pages->page);
    *pages = larger;
    return true;
}

static void migration_set(struct migration_pages *pages, struct migration_page page) {
    if (2 * pages->count >= pages->room && !migration_grow(pages)) {
        pages->failed = true;
        return;
    }
    struct migration_page *place = migration_place(pages, page.key);
    pages->count += place->key == 0;
    *place = page;
}

/* ---- Pages of processes ---------------------------------------------------------------------- */

static uint64_t migration_key(const struct shadow_segment *segment, uint64_t offset) {
    return (uint64_t)segment->id << SEGMENT_SHIFT | (offset & ~(uint64_t)(SHADOW_PAGE - 1));
}

/* The page as it is now. */
static struct migration_page migration_see(struct vidmm_referee *referee, uint64_t key) {
    const struct shadow_segment *segment = shadow_memory(referee, (uint32_t)(key >> SEGMENT_SHIFT));
    struct migration_page page = {.key = key};
    const uint8_t *bytes =
        segment ? world_segment(referee, segment, OFFSET_OF(key), SHADOW_PAGE) : NULL;
    page.known = bytes;
    if (bytes)
        page.hash = hash_bytes(HASH_START, bytes, SHADOW_PAGE);
    return page;
}

/* Pages of [offset, offset + size) of a segment; `known` false: they do not count. */
static void migration_note_range(struct vidmm_referee *referee, uint32_t id, uint64_t offset,
                                 uint64_t size, bool known) {
    struct migration_pages *paused = &referee->migration.paused;
    const struct shadow_segment *segment = shadow_memory(referee, id);
    if (!segment || offset >= segment->size || size > segment->size - offset)
        return;
    for (uint64_t at = offset & ~(uint64_t)(SHADOW_PAGE - 1); at < offset + size;
         at += SHADOW_PAGE) {
        struct migration_page page = {.key = migration_key(segment, at)};
        if (known && migration_find(paused, page.key))
            continue;
        if (known)
            page = migration_see(referee, page.key);
        migration_set(paused, page);
    }
}

/* What valid entries lead to, as the GPU has them. */
static void migration_note_entries(struct vidmm_referee *referee,
                                   const struct tables_table *table) {
    uint64_t size = UINT64_C(1) << tables_entry_shift(referee, table);
    for (uint32_t i = 0; i < table->entries; i++) {
        const struct tables_entry *entry = tables_entry(table, 0, i);
        const DXGK_PTE *value = &entry->value[TABLES_DONE];
        bool leaf = table->level == 0 || value->LargePage;
        if (entry->known[TABLES_DONE] && value->Valid && !value->Zero && leaf)
            migration_note_range(referee, tables_entry_segment(value),
                                 (uint64_t)value->PageAddress << TABLES_PAGE_SHIFT, size, true);
    }
}

static void migration_note_table(struct vidmm_referee *referee, const struct tables_table *table,
                                 bool known) {
    migration_note_range(referee, table->place.SegmentId, table->place.SegmentOffset, table->bytes,
                         known);
}

void migration_note_paused(struct vidmm_referee *referee) {
    migration_pages_clear(&referee->migration.paused);
    if (submit_under_way(referee) || !tables_known(referee))
        return;
    const struct tables_table *table = NULL;
    while ((table = tables_each(referee, table))) {
        if (!table->user)
            continue;
        migration_note_entries(referee, table);
        migration_note_table(referee, table, true);
    }
    while ((table = tables_each(referee, table)))
        if (!table->user)
            migration_note_table(referee, table, false);
}

void migration_note_moved(struct vidmm_referee *referee, uint32_t id, uint64_t gpu_address,
                          bool known) {
    const struct shadow_segment *segment = shadow_memory(referee, id);
    if (!referee->migration.active || !segment)
        return;
    struct migration_page page = {
        .key = migration_key(segment, linked_address_own(gpu_address) - segment->base)};
    if (known)
        page = migration_see(referee, page.key);
    migration_set(
        referee->migration.target ? &referee->migration.written : &referee->migration.read, page);
}

void migration_note_other(struct vidmm_referee *referee) {
    if (!referee->migration.active)
        return;
    if (referee->migration.target)
        referee->migration.disturbed = true;
    else
        migration_pages_clear(&referee->migration.paused);
}

/* ---- The judgement --------------------------------------------------------------------------- */

/* Pages that are not what they were, by whose fault it is. */
struct migration_lost {
    uint64_t pages;
    uint64_t first; /* key */
};

static void migration_count(struct migration_lost *lost, uint64_t key) {
    if (lost->pages == 0 || key < lost->first)
        lost->first = key;
    lost->pages++;
}

/* The newest transfer of the page moved these bytes. */
static bool migration_moved(const struct migration_pages *pages,
                            const struct migration_page *wanted) {
    const struct migration_page *page = migration_find(pages, wanted->key);
    return page && page->known && page->hash == wanted->hash;
}

/* Its bytes on the target are not known: what R240 judges, or memory was short. */
static bool migration_unclear(const struct migration_pages *written, uint64_t key) {
    const struct migration_page *page = migration_find(written, key);
    return written->failed || (page && !page->known);
}

void migration_judge_memory(struct vidmm_referee *referee) {
    const struct migration *migration = &referee->migration;
    struct migration_lost driver = {0, 0}, manager = {0, 0};
    uint64_t seen = 0;
    for (uint64_t i = 0; i < migration->expected.room; i++) {
        const struct migration_page *wanted = &migration->expected.page[i];
        if (wanted->key == 0 || !wanted->known)
            continue;
        struct migration_page now = migration_see(referee, wanted->key);
        seen += now.known;
        if (!now.known || now.hash == wanted->hash ||
            migration_unclear(&migration->written, wanted->key))
            continue;
        if (migration_moved(&migration->written, wanted))
            migration_count(&driver, wanted->key);
        else if (migration_moved(&migration->had, wanted))
            migration_count(&manager, wanted->key);
    }
    if (seen == 0)
        return;
    DRIVER_MUST(340, driver.pages == 0, "pages that stay what was written to them",
                "%llu pages changed after their transfer, the first at 0x%llx of segment %u",
                LLU(driver.pages), LLU(OFFSET_OF(driver.first)),
                (unsigned)(driver.first >> SEGMENT_SHIFT));
    MANAGER_MUST(340, manager.pages == 0, "every page written as it was read from the source",
                 "%llu pages were read from the source and not written, the first at 0x%llx of "
                 "segment %u",
                 LLU(manager.pages), LLU(OFFSET_OF(manager.first)),
                 (unsigned)(manager.first >> SEGMENT_SHIFT));
}
