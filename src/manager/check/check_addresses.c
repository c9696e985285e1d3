/*
 * check_addresses.c - the ranges of each address space: disjoint, in order, in a treap whose nodes
 * sum up their subtrees; and those that lead to an allocation are in its list, and only those.
 */
#include "base/process.h"
#include "object/allocation.h"
#include "check/bookkeeping.h"

struct walk {
    struct vidmm_adapter *adapter;
    const struct va *va;
    struct check_object object;
    const struct mapping *before;
    uint64_t mapped; /* ranges that lead to allocations */
    bool broken;     /* the treap is: it is not walked further */
};

static uint64_t wider(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static bool sums_up(const struct mapping *node) {
    const struct mapping *left = node->left, *right = node->right;
    uint64_t low = left ? left->low : node->start, high = right ? right->high : node->end;
    uint64_t gap = left ? wider(left->gap, node->start - left->high) : 0;
    gap = right ? wider(gap, wider(right->gap, right->low - node->end)) : gap;
    return node->low == low && node->high == high && node->gap == gap;
}

static bool outranks(const struct mapping *node, const struct mapping *child) {
    return !child || node->priority >= child->priority;
}

static void check_use(struct walk *walk, const struct mapping *node) {
    const struct va_use *use = &node->use;
    struct vidmm_adapter *adapter = walk->adapter;
    uint64_t first, end;
    if (use->kind == VA_MEMORY)
        CHECK(adapter, !use->memory != !use->pages, walk->object,
              "a range leads to no memory of the manager's, or to two");
    if (use->kind != VA_PAGES)
        return;
    CHECK(adapter, use->allocation && use->list == &use->allocation->mappings, walk->object,
          "a range leads to no allocation");
    if (!use->allocation)
        return;
    CHECK(adapter, node->link && *node->link == node, walk->object,
          "a range is not linked in the list of its allocation");
    va_mapped_bytes(node, &first, &end);
    CHECK(adapter, first < end && end <= use->allocation->size, walk->object,
          "a range leads past its allocation");
    walk->mapped++;
}

static void check_node(struct walk *walk, const struct mapping *node) {
    struct vidmm_adapter *adapter = walk->adapter;
    bool follows = node->start < node->end && (!walk->before || walk->before->end <= node->start);
    CHECK(adapter, !follows || !walk->before || walk->before->after == node, walk->object,
          "a range does not lead to the one behind it");
    walk->before = node;
    CHECK(adapter, follows, walk->object, "ranges overlap, or are not in order");
    CHECK(adapter, ((node->start | node->end) & (PAGE_BYTES - 1)) == 0, walk->object,
          "a range is no multiple of a page");
    CHECK(adapter, node->va == walk->va, walk->object, "a range is of another address space");
    CHECK(adapter, sums_up(node), walk->object, "a node of the treap does not sum up its subtree");
    CHECK(adapter, outranks(node, node->left) && outranks(node, node->right), walk->object,
          "a node of the treap has a lower priority than one below it");
    walk->broken |= !follows;
    if (follows)
        check_use(walk, node);
}

/* Left to right; to the right without a call. */
static void walk_treap(struct walk *walk, const struct mapping *node) {
    for (; node && !walk->broken; node = node->right) {
        walk_treap(walk, node->left);
        if (!walk->broken)
            check_node(walk, node);
    }
}

static uint64_t check_va(struct vidmm_adapter *adapter, const struct va *va,
                         const struct vidmm_process *process) {
    struct walk walk = {.adapter = adapter,
                        .va = va,
                        .object = check_object("addresses of process", process->number)};
    walk_treap(&walk, va->root);
    CHECK(adapter,
          (process->space && process->space->paging) || !va->root || va->root->high <= va->limit,
          walk.object, "a range lies beyond the last address");
    return walk.mapped;
}

static uint64_t check_process_addresses(struct vidmm_adapter *adapter,
                                        const struct vidmm_process *process) {
    if (!process)
        return 0;
    if (process->space)
        return check_va(adapter, process->space->va, process);
    return check_va(adapter, &process->shared, process);
}

/* ---- The lists of allocations ---------------------------------------------------------------- */

struct listed {
    struct vidmm_adapter *adapter;
    uint64_t mapped;
};

static void count_mappings(void *ctx, struct vidmm_allocation *allocation) {
    struct listed *listed = ctx;
    const struct mapping *const *link = (const struct mapping *const *)&allocation->mappings;
    for (const struct mapping *one = allocation->mappings; one; one = one->next) {
        bool linked =
            (const struct mapping *const *)one->link == link && one->use.allocation == allocation;
        CHECK(listed->adapter, linked, check_allocation(allocation),
              "the list of its addresses is not linked both ways");
        if (!linked)
            return;
        link = (const struct mapping *const *)&one->next;
        listed->mapped++;
    }
}

void check_addresses(struct vidmm_adapter *adapter) {
    struct listed listed = {.adapter = adapter};
    uint64_t mapped = 0;
    for (uint32_t i = 0; i < adapter->facts.linked; i++)
        mapped += check_process_addresses(adapter, adapter->physical[i].process);
    for (const struct vidmm_process *one = adapter->processes.first; one; one = one->next)
        mapped += check_process_addresses(adapter, one);
    allocation_each(adapter, count_mappings, &listed);
    CHECK(adapter, listed.mapped == mapped, check_object("addresses of all processes", 0),
          "ranges lead to allocations that do not list them");
}
