/*
 * va.c - see va.h.
 */
#include "object/va.h"

#include <stddef.h>

#include "base/assert.h"

void va_init(struct va *va, const struct vidmm_os *os, uint64_t limit) {
    *va = (struct va){.os = os, .limit = limit};
}

/* ---- The treap ------------------------------------------------------------------------------- */

static uint64_t va_wider(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void va_gather(struct mapping *node) {
    node->low = node->start;
    node->high = node->end;
    node->gap = 0;
    if (node->left) {
        node->low = node->left->low;
        node->gap = va_wider(node->left->gap, node->start - node->left->high);
    }
    if (node->right) {
        node->high = node->right->high;
        node->gap = va_wider(node->gap, va_wider(node->right->gap, node->right->low - node->end));
    }
}

/* Those that start below `at`, and the others. */
static void va_split(struct mapping *node, uint64_t at, struct mapping **below,
                     struct mapping **above) {
    if (!node) {
        *below = *above = NULL;
        return;
    }
    if (node->start < at) {
        va_split(node->right, at, &node->right, above);
        *below = node;
    } else {
        va_split(node->left, at, below, &node->left);
        *above = node;
    }
    va_gather(node);
}

/* All of `a` lie below all of `b`. */
static struct mapping *va_merge(struct mapping *a, struct mapping *b) {
    if (!a || !b)
        return a ? a : b;
    if (a->priority > b->priority) {
        a->right = va_merge(a->right, b);
        va_gather(a);
        return a;
    }
    b->left = va_merge(a, b->left);
    va_gather(b);
    return b;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

bool va_prepare(struct va *va, uint32_t ranges) {
    uint32_t have = 0;
    for (struct mapping *node = va->spare; node && have < ranges; node = node->next)
        have++;
    for (; have < ranges; have++) {
        struct mapping *node = va->os->alloc(va->os->ctx, sizeof(*node));
        if (!node)
            return false;
        node->next = va->spare;
        va->spare = node;
    }
    return true;
}

/* A well mixed number that is the same in every run. */
static uint64_t next_priority(struct va *va) {
    uint64_t x = va->seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* There must be a spare node. */
static struct mapping *va_take(struct va *va, uint64_t start, uint64_t end,
                               const struct va_use *use) {
    VIDMM_ASSERT_WITH(va->os, va->spare);
    struct mapping *node = va->spare;
    va->spare = node->next;
    *node = (struct mapping){
        .start = start, .end = end, .use = *use, .va = va, .priority = next_priority(va)};
    va_gather(node);
    if (use->list) {
        node->next = *use->list;
        node->link = use->list;
        if (node->next)
            node->next->link = &node->next;
        *use->list = node;
    }
    return node;
}

static void give_back(struct va *va, struct mapping *node) {
    if (node->use.list) {
        *node->link = node->next;
        if (node->next)
            node->next->link = node->link;
    }
    node->next = va->spare;
    va->spare = node;
}

static void give_back_all(struct va *va, struct mapping *node) {
    while (node) {
        struct mapping *right = node->right;
        give_back_all(va, node->left);
        give_back(va, node);
        node = right;
    }
}

void va_destroy(struct va *va) {
    give_back_all(va, va->root);
    va->root = NULL;
    while (va->spare) {
        struct mapping *node = va->spare;
        va->spare = node->next;
        va->os->free(va->os->ctx, node, sizeof(*node));
    }
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

struct mapping *va_find(const struct va *va, uint64_t at) {
    struct mapping *found = NULL;
    for (struct mapping *node = va->root; node;) {
        if (node->end > at) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return found;
}

bool va_is_free(const struct va *va, uint64_t start, uint64_t end) {
    const struct mapping *mapping = va_find(va, start);
    return !mapping || mapping->start >= end;
}

/* A range that `at` lies inside of becomes two that meet there. */
static void va_cut(struct va *va, uint64_t at) {
    struct mapping *mapping = va_find(va, at);
    struct mapping *below, *above;
    if (!mapping || mapping->start >= at)
        return;
    struct mapping *tail = va_take(va, at, mapping->end, &mapping->use);
    tail->after = mapping->after;
    mapping->after = tail;
    mapping->end = at;
    va_split(va->root, at, &below, &above); /* passes by `mapping`: it is gathered again */
    va->root = va_merge(va_merge(below, tail), above);
}

static bool inside_of(const struct mapping *mapping, uint64_t at) {
    return mapping && mapping->start < at;
}

/* For what is cut off, and for a range where there is none that could give its own. */
static uint32_t nodes_needed(const struct va *va, uint64_t start, uint64_t end, bool used) {
    uint32_t cuts = inside_of(va_find(va, start), start) + inside_of(va_find(va, end), end);
    return cuts + (used && va_is_free(va, start, end));
}

/* What is left joined to one tree, with `node` (NULL: nothing) between `below` and `above`. */
static void va_close(struct va *va, struct mapping *below, struct mapping *node,
                     struct mapping *above) {
    struct mapping *next = above, *last = below;
    while (next && next->left)
        next = next->left;
    while (last && last->right)
        last = last->right;
    if (node)
        node->after = next;
    if (last)
        last->after = node ? node : next;
    va->root = va_merge(va_merge(below, node), above);
}

/* `node` among ranges that it does not overlap: only what is above its place in the treap is gathered
 * again, and only what is below is split. */
static struct mapping *va_insert(struct mapping *tree, struct mapping *node) {
    if (!tree || node->priority > tree->priority) {
        va_split(tree, node->start, &node->left, &node->right);
        tree = node;
    } else if (tree->start < node->start) {
        tree->right = va_insert(tree->right, node);
    } else {
        tree->left = va_insert(tree->left, node);
    }
    va_gather(tree);
    return tree;
}

/* The last range that ends at `at` or before, and the first behind it; NULL: none. */
static void va_neighbours(const struct va *va, uint64_t at, struct mapping **before,
                          struct mapping **after) {
    *before = *after = NULL;
    for (struct mapping *node = va->root; node;) {
        bool behind = node->end > at;
        *(behind ? after : before) = node;
        node = behind ? node->left : node->right;
    }
}

/* Where nothing is, which is what most requests are about. */
static bool va_add(struct va *va, uint64_t start, uint64_t end, const struct va_use *use) {
    struct mapping *before, *after;
    if (!va_prepare(va, 1))
        return false;
    va_neighbours(va, start, &before, &after);
    struct mapping *node = va_take(va, start, end, use);
    node->after = after;
    if (before)
        before->after = node;
    va->root = va_insert(va->root, node);
    return true;
}

bool va_set(struct va *va, uint64_t start, uint64_t end, const struct va_use *use) {
    struct mapping *below, *inside, *above;
    if (use && va_is_free(va, start, end))
        return va_add(va, start, end, use);
    if (!va_prepare(va, nodes_needed(va, start, end, use)))
        return false;
    va_cut(va, start);
    va_cut(va, end);
    va_split(va->root, start, &below, &above);
    va_split(above, end, &inside, &above);
    give_back_all(va, inside);
    va_close(va, below, use ? va_take(va, start, end, use) : NULL, above);
    return true;
}

uint64_t va_offset(const struct mapping *mapping, uint64_t at, uint64_t *run) {
    const struct va_use *use = &mapping->use;
    uint64_t into = at - use->origin;
    *run = mapping->end - at;
    if (use->repeat) {
        into %= use->repeat;
        if (*run > use->repeat - into)
            *run = use->repeat - into;
    }
    return use->offset + into;
}

void va_mapped_bytes(const struct mapping *mapping, uint64_t *start, uint64_t *end) {
    const struct va_use *use = &mapping->use;
    *start = use->offset;
    *end = use->offset + use->repeat;
    if (!use->repeat) {
        *start += mapping->start - use->origin;
        *end = *start + (mapping->end - mapping->start);
    }
}

/* ---- Room ------------------------------------------------------------------------------------ */

struct search {
    uint64_t size, alignment, high;
    uint64_t cursor; /* everything below is taken, or out of bounds */
};

static bool va_fits(struct search *search, uint64_t end) {
    uint64_t start = (search->cursor + search->alignment - 1) & ~(search->alignment - 1);
    uint64_t bound = end < search->high ? end : search->high;
    if (start < search->cursor || start > bound || bound - start < search->size)
        return false;
    search->cursor = start;
    return true;
}

static bool search_in(struct search *search, const struct mapping *node) {
    for (; node && node->high > search->cursor; node = node->right) {
        if (va_fits(search, node->low))
            return true;
        if (node->gap < search->size || node->low >= search->high)
            break;
        if (search_in(search, node->left) || va_fits(search, node->start))
            return true;
        search->cursor = va_wider(search->cursor, node->end);
    }
    if (node)
        search->cursor = va_wider(search->cursor, node->high);
    return false;
}

static bool va_pick_from(const struct va *va, uint64_t size, uint64_t alignment, uint64_t low,
                         uint64_t high, uint64_t *start) {
    struct search search = {.size = size,
                            .alignment = alignment,
                            .high = high < va->limit ? high : va->limit,
                            .cursor = low};
    if (!search_in(&search, va->root) && !va_fits(&search, search.high))
        return false;
    *start = search.cursor;
    return true;
}

bool va_pick(const struct va *va, uint64_t size, uint64_t alignment, uint64_t low, uint64_t high,
             uint64_t *start) {
    uint64_t first = low < va->from && va->from < high ? va->from : low;
    return va_pick_from(va, size, alignment, first, high, start) ||
           (first != low && va_pick_from(va, size, alignment, low, high, start));
}
