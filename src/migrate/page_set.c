/*
 * page_set.c - a bit a page.
 */
#include "page_set.h"

#include <stdlib.h>
#include <string.h>

static size_t words(uint64_t pages) {
    return (size_t)((pages + 63) / 64);
}

bool page_set_init(struct page_set *set, uint64_t pages) {
    set->pages = pages;
    set->word = calloc(words(pages) + 1, sizeof(*set->word));
    return set->word;
}

void page_set_free(struct page_set *set) {
    free(set->word);
    set->word = NULL;
    set->pages = 0;
}

void page_set_clear(struct page_set *set) {
    memset(set->word, 0, words(set->pages) * sizeof(*set->word));
}

void page_set_add_range(struct page_set *set, uint64_t first, uint64_t count) {
    uint64_t end = first + count;
    while (first < end && first % 64 != 0)
        page_set_add(set, first++);
    for (; first + 64 <= end; first += 64)
        set->word[first / 64] = UINT64_MAX;
    while (first < end)
        page_set_add(set, first++);
}

uint64_t page_set_count(const struct page_set *set) {
    uint64_t count = 0;
    for (size_t i = 0; i < words(set->pages); i++)
        count += (uint64_t)__builtin_popcountll(set->word[i]);
    return count;
}

/* The bits of `flip` are inverted first, so that the search is always for a 1. */
static uint64_t page_set_find(const struct page_set *set, uint64_t from, uint64_t flip) {
    if (from >= set->pages)
        return set->pages;
    size_t at = (size_t)(from / 64);
    uint64_t word = (set->word[at] ^ flip) & (UINT64_MAX << (from % 64));
    while (word == 0) {
        if (++at >= words(set->pages))
            return set->pages;
        word = set->word[at] ^ flip;
    }
    uint64_t page = (uint64_t)at * 64 + (uint64_t)__builtin_ctzll(word);
    return page < set->pages ? page : set->pages;
}

uint64_t page_set_next(const struct page_set *set, uint64_t from) {
    return page_set_find(set, from, 0);
}

uint64_t page_set_next_absent(const struct page_set *set, uint64_t from) {
    return page_set_find(set, from, UINT64_MAX);
}
