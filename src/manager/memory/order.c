/*
 * order.c - see order.h.
 */
#include "memory/order.h"

#include <stddef.h>

bool order_before(const struct order_node *a, const struct order_node *b) {
    if (a->priority != b->priority)
        return a->priority < b->priority;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->turn < b->turn;
}

/* Scatters the turns: neighbours in the order of coming are none in weight (splitmix64). */
uint64_t order_weight(const struct order_node *node) {
    uint64_t weight = node->turn * UINT64_C(0x9e3779b97f4a7c15);
    weight = (weight ^ (weight >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    weight = (weight ^ (weight >> 27)) * UINT64_C(0x94d049bb133111eb);
    return weight ^ (weight >> 31);
}

/* What points to `node`. */
static struct order_node **order_link(struct order *order, const struct order_node *node) {
    struct order_node *parent = node->parent;
    if (!parent)
        return &order->root;
    return parent->left == node ? &parent->left : &parent->right;
}

/* `child` takes the place of its parent, which becomes its child. */
static void order_rotate(struct order *order, struct order_node *child) {
    struct order_node *parent = child->parent;
    struct order_node **link = order_link(order, parent);
    bool left = parent->left == child;
    struct order_node *inner = left ? child->right : child->left;
    *(left ? &parent->left : &parent->right) = inner;
    if (inner)
        inner->parent = parent;
    *(left ? &child->right : &child->left) = parent;
    child->parent = parent->parent;
    parent->parent = child;
    *link = child;
    order->steps++;
}

void order_insert(struct order *order, struct order_node *node) {
    struct order_node **link = &order->root;
    node->parent = node->left = node->right = NULL;
    while (*link) {
        node->parent = *link;
        link = order_before(node, *link) ? &(*link)->left : &(*link)->right;
        order->steps++;
    }
    *link = node;
    while (node->parent && order_weight(node) < order_weight(node->parent))
        order_rotate(order, node);
}

void order_remove(struct order *order, struct order_node *node) {
    while (node->left && node->right)
        order_rotate(order, order_weight(node->left) < order_weight(node->right) ? node->left
                                                                                 : node->right);
    struct order_node *child = node->left ? node->left : node->right;
    *order_link(order, node) = child;
    if (child)
        child->parent = node->parent;
    node->parent = node->left = node->right = NULL;
}

static struct order_node *order_leftmost(struct order *order, struct order_node *node) {
    while (node && node->left) {
        node = node->left;
        order->steps++;
    }
    return node;
}

struct order_node *order_first(struct order *order) {
    return order_leftmost(order, order->root);
}

struct order_node *order_next(struct order *order, const struct order_node *node) {
    order->steps++;
    if (node->right)
        return order_leftmost(order, node->right);
    while (node->parent && node->parent->right == node) {
        node = node->parent;
        order->steps++;
    }
    return node->parent;
}
