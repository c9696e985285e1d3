/* interval.c - see interval.h. */
#include "state/interval.h"

#include <stddef.h>

/* Starts may be equal: addresses of the nodes make an order of all. */
static bool interval_before(const struct interval *a, const struct interval *b) {
    return a->start != b->start ? a->start < b->start : (uintptr_t)a < (uintptr_t)b;
}

static uint64_t interval_highest(const struct interval *interval) {
    return interval ? interval->highest : 0;
}

static void interval_update(struct interval *interval) {
    uint64_t left = interval_highest(interval->left), right = interval_highest(interval->right);
    uint64_t below = left > right ? left : right;
    interval->highest = interval->end > below ? interval->end : below;
}

/* Parts the tree: what comes before `at`, and the rest. */
static void interval_split(struct interval *tree, const struct interval *at,
                           struct interval **before, struct interval **rest) {
    if (!tree) {
        *before = *rest = NULL;
        return;
    }
    if (interval_before(tree, at)) {
        interval_split(tree->right, at, &tree->right, rest);
        *before = tree;
    } else {
        interval_split(tree->left, at, before, &tree->left);
        *rest = tree;
    }
    interval_update(tree);
}

/* All of `left` comes before all of `right`. */
static struct interval *interval_merge(struct interval *left, struct interval *right) {
    if (!left || !right)
        return left ? left : right;
    if (left->priority >= right->priority) {
        left->right = interval_merge(left->right, right);
        interval_update(left);
        return left;
    }
    right->left = interval_merge(left, right->left);
    interval_update(right);
    return right;
}

void interval_add(struct interval_index *index, struct interval *interval, uint64_t start,
                  uint64_t end) {
    struct interval *before, *rest;
    index->random = index->random * 1664525u + 1013904223u;
    *interval = (struct interval){.start = start, .end = end, .priority = index->random};
    interval_update(interval);
    interval_split(index->root, interval, &before, &rest);
    index->root = interval_merge(interval_merge(before, interval), rest);
}

static struct interval *interval_without(struct interval *tree, const struct interval *gone) {
    if (!tree)
        return NULL;
    if (tree == gone)
        return interval_merge(tree->left, tree->right);
    if (interval_before(gone, tree))
        tree->left = interval_without(tree->left, gone);
    else
        tree->right = interval_without(tree->right, gone);
    interval_update(tree);
    return tree;
}

void interval_remove(struct interval_index *index, struct interval *interval) {
    index->root = interval_without(index->root, interval);
}

static struct interval *interval_search(struct interval *tree, uint64_t start, uint64_t end,
                                        const struct interval *after) {
    if (!tree || tree->highest <= start)
        return NULL;
    bool behind = !after || interval_before(after, tree);
    struct interval *found = behind ? interval_search(tree->left, start, end, after) : NULL;
    if (!found && behind && tree->start < end && start < tree->end)
        found = tree;
    if (!found && tree->start < end)
        found = interval_search(tree->right, start, end, after);
    return found;
}

struct interval *interval_meets(const struct interval_index *index, uint64_t start, uint64_t end,
                                const struct interval *after) {
    return interval_search(index->root, start, end, after);
}
