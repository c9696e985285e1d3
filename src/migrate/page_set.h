/*
 * page_set.h - a set of pages of one segment, for example those that are due, sent or in use.
 */
#ifndef VIDMM_MIGRATE_PAGE_SET_H
#define VIDMM_MIGRATE_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_set {
    uint64_t *word;
    uint64_t pages;
};

/* Empty. false: out of memory. */
bool page_set_init(struct page_set *set, uint64_t pages);
void page_set_free(struct page_set *set);
void page_set_clear(struct page_set *set);

static inline bool page_set_has(const struct page_set *set, uint64_t page) {
    return (set->word[page / 64] >> (page % 64) & 1) != 0;
}
static inline void page_set_add(struct page_set *set, uint64_t page) {
    set->word[page / 64] |= UINT64_C(1) << (page % 64);
}
static inline void page_set_remove(struct page_set *set, uint64_t page) {
    set->word[page / 64] &= ~(UINT64_C(1) << (page % 64));
}
void page_set_add_range(struct page_set *set, uint64_t first, uint64_t count);

uint64_t page_set_count(const struct page_set *set);
/* The first page from `from` on that is in the set; `set->pages`: none. */
uint64_t page_set_next(const struct page_set *set, uint64_t from);
/* The same for one that is not in it. */
uint64_t page_set_next_absent(const struct page_set *set, uint64_t from);

#endif
