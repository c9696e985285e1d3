/*
 * generic_table.c - generic tables, of both kinds (pages nf-ntddk-rtlinsertelementgenerictableavl
 * and its neighbours): an AVL tree of copies of what is inserted, in memory of the caller's routines.
 *
 * The links of a node are before its element. A table is guarded by its caller.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

typedef RTL_BALANCED_LINKS links;

static PVOID element_of(links *node) {
    return node ? (PVOID)(node + 1) : NULL;
}

static links *root_of(const RTL_AVL_TABLE *table) {
    return table->BalancedRoot.RightChild;
}

NTSYSAPI VOID NTAPI RtlInitializeGenericTableAvl(PRTL_AVL_TABLE Table,
                                                 PRTL_AVL_COMPARE_ROUTINE CompareRoutine,
                                                 PRTL_AVL_ALLOCATE_ROUTINE AllocateRoutine,
                                                 PRTL_AVL_FREE_ROUTINE FreeRoutine,
                                                 PVOID TableContext) {
    host_irql_at_most(DISPATCH_LEVEL, "RtlInitializeGenericTableAvl");
    memset(Table, 0, sizeof(*Table));
    Table->BalancedRoot.Parent = &Table->BalancedRoot;
    Table->CompareRoutine = CompareRoutine;
    Table->AllocateRoutine = AllocateRoutine;
    Table->FreeRoutine = FreeRoutine;
    Table->TableContext = TableContext;
}

/* The node that equals the element, or the one below which it belongs, and on which side. */
static links *table_find(PRTL_AVL_TABLE table, PVOID element, RTL_GENERIC_COMPARE_RESULTS *order) {
    links *node = root_of(table), *last = NULL;
    *order = GenericGreaterThan; /* the first one is the right child of the root */
    while (node) {
        last = node;
        *order = table->CompareRoutine(table, element, element_of(node));
        if (*order == GenericEqual)
            break;
        node = *order == GenericLessThan ? node->LeftChild : node->RightChild;
    }
    return last ? last : &table->BalancedRoot;
}

static void replace_child(links *parent, const links *old, links *new) {
    if (parent->LeftChild == old)
        parent->LeftChild = new;
    else
        parent->RightChild = new;
    if (new)
        new->Parent = parent;
}

/* Lifts the child on one side above its parent; returns it. */
static links *rotate(links *node, bool left) {
    links *child = left ? node->RightChild : node->LeftChild;
    links *inner = left ? child->LeftChild : child->RightChild;
    replace_child(node->Parent, node, child);
    if (left) {
        child->LeftChild = node;
        node->RightChild = inner;
    } else {
        child->RightChild = node;
        node->LeftChild = inner;
    }
    node->Parent = child;
    if (inner)
        inner->Parent = node;
    return child;
}

/* `node` is higher by two on the right (or the left); returns the top after that is mended. */
static links *mend(links *node, bool right) {
    CHAR heavy = right ? 1 : -1;
    links *child = right ? node->RightChild : node->LeftChild;
    if (child->Balance == -heavy) {
        links *grandchild = rotate(child, !right);
        rotate(node, right);
        child->Balance = (CHAR)(grandchild->Balance == -heavy ? heavy : 0);
        node->Balance = (CHAR)(grandchild->Balance == heavy ? -heavy : 0);
        grandchild->Balance = 0;
        return grandchild;
    }
    rotate(node, right);
    node->Balance = (CHAR)(child->Balance == 0 ? heavy : 0);
    child->Balance = (CHAR)(child->Balance == 0 ? -heavy : 0);
    return child;
}

/* The tree at `node` has grown by one. */
static void grown(const RTL_AVL_TABLE *table, links *node) {
    for (links *parent = node->Parent; parent != &table->BalancedRoot; parent = node->Parent) {
        bool right = parent->RightChild == node;
        if (parent->Balance == (right ? 1 : -1)) {
            mend(parent, right);
            return;
        }
        parent->Balance = (CHAR)(parent->Balance + (right ? 1 : -1));
        if (parent->Balance == 0)
            return;
        node = parent;
    }
}

/* The tree below `parent` on one side has shrunk by one. */
static void shrunk(const RTL_AVL_TABLE *table, links *parent, bool right) {
    while (parent != &table->BalancedRoot) {
        links *top = parent;
        CHAR before = parent->Balance;
        if (before == (right ? -1 : 1))
            top = mend(parent, !right);
        else
            parent->Balance = (CHAR)(before + (right ? -1 : 1));
        if (top->Balance != 0)
            return;
        parent = top->Parent;
        right = parent->RightChild == top;
    }
}

NTSYSAPI PVOID NTAPI RtlInsertElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                     ULONG BufferSize, PBOOLEAN NewElement) {
    RTL_GENERIC_COMPARE_RESULTS order;
    links *parent = table_find(Table, Buffer, &order);
    if (NewElement)
        *NewElement = FALSE;
    if (order == GenericEqual)
        return element_of(parent);
    links *node = Table->AllocateRoutine(Table, (ULONG)sizeof(*node) + BufferSize);
    if (!node)
        return NULL;
    memset(node, 0, sizeof(*node));
    memcpy(element_of(node), Buffer, BufferSize);
    node->Parent = parent;
    if (order == GenericLessThan)
        parent->LeftChild = node;
    else
        parent->RightChild = node;
    Table->NumberGenericTableElements++;
    Table->OrderedPointer = NULL;
    grown(Table, node);
    if (NewElement)
        *NewElement = TRUE;
    return element_of(node);
}

static links *leftmost(links *node) {
    while (node && node->LeftChild)
        node = node->LeftChild;
    return node;
}

/* The next one in order; NULL: `node` is the last. */
static links *next_of(const RTL_AVL_TABLE *table, links *node) {
    if (node->RightChild)
        return leftmost(node->RightChild);
    while (node->Parent != &table->BalancedRoot && node->Parent->RightChild == node)
        node = node->Parent;
    return node->Parent == &table->BalancedRoot ? NULL : node->Parent;
}

/* `node` has two children: its next one takes its place. */
static void swap_with_next(links *node, links *next) {
    links *parent = next->Parent, *right = next->RightChild;
    replace_child(node->Parent, node, next);
    next->LeftChild = node->LeftChild;
    next->LeftChild->Parent = next;
    next->Balance = node->Balance;
    if (parent == node) {
        next->RightChild = node;
        node->Parent = next;
    } else {
        next->RightChild = node->RightChild;
        next->RightChild->Parent = next;
        parent->LeftChild = node;
        node->Parent = parent;
    }
    node->LeftChild = NULL;
    node->RightChild = right;
}

NTSYSAPI BOOLEAN NTAPI RtlDeleteElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer) {
    RTL_GENERIC_COMPARE_RESULTS order;
    links *node = table_find(Table, Buffer, &order);
    if (order != GenericEqual)
        return FALSE;
    if (node->LeftChild && node->RightChild)
        swap_with_next(node, leftmost(node->RightChild));
    links *parent = node->Parent;
    bool right = parent->RightChild == node;
    replace_child(parent, node, node->LeftChild ? node->LeftChild : node->RightChild);
    shrunk(Table, parent, right);
    Table->NumberGenericTableElements--;
    Table->OrderedPointer = NULL;
    Table->DeleteCount++;
    if (Table->RestartKey == node)
        Table->RestartKey = NULL;
    Table->FreeRoutine(Table, node);
    return TRUE;
}

NTSYSAPI PVOID NTAPI RtlLookupElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer) {
    RTL_GENERIC_COMPARE_RESULTS order;
    links *node = table_find(Table, Buffer, &order);
    return order == GenericEqual ? element_of(node) : NULL;
}

NTSYSAPI PVOID NTAPI RtlEnumerateGenericTableWithoutSplayingAvl(PRTL_AVL_TABLE Table,
                                                                PVOID *RestartKey) {
    links *node = *RestartKey ? next_of(Table, *RestartKey) : leftmost(root_of(Table));
    if (node)
        *RestartKey = node;
    return element_of(node);
}

NTSYSAPI PVOID NTAPI RtlEnumerateGenericTableAvl(PRTL_AVL_TABLE Table, BOOLEAN Restart) {
    PVOID key = Restart ? NULL : Table->RestartKey;
    PVOID element = RtlEnumerateGenericTableWithoutSplayingAvl(Table, &key);
    Table->RestartKey = key;
    return element;
}

NTSYSAPI PVOID NTAPI RtlGetElementGenericTableAvl(PRTL_AVL_TABLE Table, ULONG I) {
    links *node = I < Table->NumberGenericTableElements ? leftmost(root_of(Table)) : NULL;
    while (node && I-- > 0)
        node = next_of(Table, node);
    return element_of(node);
}

NTSYSAPI ULONG NTAPI RtlNumberGenericTableElementsAvl(PRTL_AVL_TABLE Table) {
    return Table->NumberGenericTableElements;
}

NTSYSAPI BOOLEAN NTAPI RtlIsGenericTableEmptyAvl(PRTL_AVL_TABLE Table) {
    return Table->NumberGenericTableElements == 0;
}
