/*
 * keyed.h - objects that are found by a number: a handle, a place, a protection. A hash table that
 * grows with them, and a list of them in the order in which they came. Several may have one number.
 */
#ifndef REFEREE_KEYED_H
#define REFEREE_KEYED_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded in the object. */
struct keyed {
    struct keyed *chain; /* with the same place in the table */
    struct keyed *before, *after;
    uint64_t key;
};

struct keyed_table {
    struct keyed *first, *last;
    struct keyed **bucket;
    uint32_t buckets, count;
};

/* False: out of memory, and it is not in the table. */
bool keyed_add(struct keyed_table *table, struct keyed *keyed, uint64_t key);
void keyed_remove(struct keyed_table *table, struct keyed *keyed);
/* The newest with the number, or NULL; then the one before it. */
struct keyed *keyed_find(const struct keyed_table *table, uint64_t key);
struct keyed *keyed_find_older(const struct keyed *keyed);
/* Of a table whose objects are freed, or about to be. */
void keyed_clear(struct keyed_table *table);

static inline uint64_t keyed_handle(const void *handle) {
    return (uint64_t)(uintptr_t)handle;
}

#endif
