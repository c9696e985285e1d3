/*
 * order.h - the residents of a segment in the order in which they would leave: a balanced tree
 * (treap) whose shape follows from the order in which its members came, so that it is the same in
 * each run. Each function takes a logarithmic number of steps, and counts them.
 *
 * policy.c decides what the order is; here it is a priority, a rank and a turn.
 */
#ifndef VIDMM_MANAGER_ORDER_H
#define VIDMM_MANAGER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded in what is ordered; priority, rank and turn only change while it is in no tree. */
struct order_node {
    struct order_node *parent, *left, *right;
    uint64_t rank, turn; /* no two of a tree have the same turn */
    uint32_t priority;
};

struct order {
    struct order_node *root;
    uint64_t steps; /* nodes looked at so far */
};

/* Lower priorities first, then lower ranks, then earlier turns. */
bool order_before(const struct order_node *a, const struct order_node *b);
/* The parent of two nodes is the one with the lower weight. */
uint64_t order_weight(const struct order_node *node);
void order_insert(struct order *order, struct order_node *node);
void order_remove(struct order *order, struct order_node *node);
/* NULL: it is empty, or `node` is the last. */
struct order_node *order_first(struct order *order);
struct order_node *order_next(struct order *order, const struct order_node *node);

#endif
