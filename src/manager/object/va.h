/*
 * va.h - the addresses of one address space: which are taken, and what they lead to.
 *
 * Nothing here knows of page tables, drivers or plans. Ranges are disjoint and in order; one that
 * is replaced in part is cut. They are a treap by address, in which every subtree knows its widest
 * gap, so that finding a range and finding room take logarithmic time; and each range leads to the
 * one behind it.
 *
 * Not thread-safe: the adapter's lock protects it.
 */
#ifndef VIDMM_MANAGER_VA_H
#define VIDMM_MANAGER_VA_H

#include <stdbool.h>
#include <stdint.h>

#include <vidmm/os.h>

struct table_memory;
struct vidmm_allocation;

enum va_kind {
    VA_NOTHING, /* taken, and every access is an error */
    VA_ZERO,    /* reads give zero */
    VA_PAGES,   /* of an allocation */
    VA_MEMORY,  /* a page table, or pages of the manager's own, which stay where they are */
};

/* The owner of a reservation. */
enum va_owner {
    VA_OF_USER,
    VA_OF_DRIVER, /* nothing else may be mapped there: driver_range.c */
    VA_OF_BOTH,   /* the driver's, and it lets others map */
};

/* What a range of addresses is used for. */
struct va_use {
    enum va_kind kind;
    /* VA_PAGES: the byte at `origin` is byte `offset`; `repeat` bytes over and over, 0: no. */
    struct vidmm_allocation *allocation;
    struct mapping **list; /* where the allocation's ranges are listed */
    uint64_t origin, offset, repeat;
    /* VA_MEMORY: one of the two. */
    const struct table_memory *memory;
    PMDL pages;
    uint32_t protection;        /* VIDMM_VA_* */
    uint64_t driver_protection; /* of the entries */
    /* The reservation that it lies in: */
    uint64_t reservation; /* its number; 0: none */
    enum va_kind reserved_kind;
    uint64_t reserved_protection;
    enum va_owner owner;
};

struct mapping {
    uint64_t start, end;
    struct va_use use;
    struct va *va;
    struct mapping *next; /* of the same allocation */
    struct mapping **link;
    struct mapping *after; /* the next by address; NULL: none */
    /* The treap: */
    struct mapping *left, *right;
    uint64_t priority;
    uint64_t low, high, gap; /* of the subtree */
};

struct va {
    const struct vidmm_os *os;
    uint64_t limit; /* addresses are below */
    uint64_t from;  /* what is picked begins here or above, if there is room */
    struct mapping *root;
    struct mapping *spare;
    uint64_t seed;
};

void va_init(struct va *va, const struct vidmm_os *os, uint64_t limit);
void va_destroy(struct va *va);
/* The first range that ends behind `at`, or NULL. */
struct mapping *va_find(const struct va *va, uint64_t at);
bool va_is_free(const struct va *va, uint64_t start, uint64_t end);
/* The lowest free range in [low, high), from `from` on if there is one; `alignment` is a power of two. False: there is none. */
bool va_pick(const struct va *va, uint64_t size, uint64_t alignment, uint64_t low, uint64_t high,
             uint64_t *start);
/*
 * [start, end) is used for `use`, whatever it was before; NULL: it is free. False: no memory, and
 * nothing changed. What begins and ends where ranges do needs none if any of it was used.
 */
bool va_set(struct va *va, uint64_t start, uint64_t end, const struct va_use *use);
#define VA_SET_NODES 2u /* that a call of va_set may need */
/* Memory for so many ranges. False: there is none. */
bool va_prepare(struct va *va, uint32_t ranges);
/* The byte of the allocation that `at` leads to; and how many follow it in a row. */
uint64_t va_offset(const struct mapping *mapping, uint64_t at, uint64_t *run);

/* The bytes of the allocation that a mapping leads to lie in [start, end). */
void va_mapped_bytes(const struct mapping *mapping, uint64_t *start, uint64_t *end);

#endif
