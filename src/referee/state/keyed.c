/* keyed.c - see keyed.h. */
#include "state/keyed.h"
#include "state/memory.h"

#include <stdlib.h>

#define KEYED_FIRST 64u /* buckets */

/* Keys that are near each other have buckets near each other: objects are made, opened and destroyed in
 * the order of their handles, be they numbers or addresses of 16 bytes each, and the buckets of a large
 * table are not all in a cache. */
static struct keyed **keyed_bucket(const struct keyed_table *table, uint64_t key) {
    uint64_t far = key >> 16;
    uint64_t hash = (far ^ far >> 32) * UINT64_C(0x9fb21c651e98df25);
    uint64_t near = (key & 0xffff) >> 4 | (key & 0xf) << 12;
    return &table->bucket[((hash >> 32) + near + (near >> 6)) & (table->buckets - 1)];
}

static void keyed_chain(struct keyed_table *table, struct keyed *keyed) {
    struct keyed **bucket = keyed_bucket(table, keyed->key);
    keyed->chain = *bucket;
    *bucket = keyed;
}

/* Twice as many buckets; without memory for them the old ones serve on. False: there are none. */
static bool keyed_grow(struct keyed_table *table) {
    uint32_t buckets = table->buckets != 0 ? table->buckets * 2 : KEYED_FIRST;
    struct keyed **bucket = memory_calloc(buckets, sizeof(struct keyed *));
    if (!bucket)
        return table->buckets != 0;
    free(table->bucket);
    table->bucket = bucket;
    table->buckets = buckets;
    for (struct keyed *keyed = table->first; keyed; keyed = keyed->after)
        keyed_chain(table, keyed);
    return true;
}

bool keyed_add(struct keyed_table *table, struct keyed *keyed, uint64_t key) {
    if (table->count == table->buckets && !keyed_grow(table))
        return false;
    *keyed = (struct keyed){.before = table->last, .key = key};
    *(table->last ? &table->last->after : &table->first) = keyed;
    table->last = keyed;
    table->count++;
    keyed_chain(table, keyed);
    return true;
}

void keyed_remove(struct keyed_table *table, struct keyed *keyed) {
    struct keyed **link = keyed_bucket(table, keyed->key);
    while (*link != keyed)
        link = &(*link)->chain;
    *link = keyed->chain;
    *(keyed->before ? &keyed->before->after : &table->first) = keyed->after;
    *(keyed->after ? &keyed->after->before : &table->last) = keyed->before;
    table->count--;
}

static struct keyed *keyed_in_chain(struct keyed *at, uint64_t key) {
    while (at && at->key != key)
        at = at->chain;
    return at;
}

struct keyed *keyed_find(const struct keyed_table *table, uint64_t key) {
    return table->buckets != 0 ? keyed_in_chain(*keyed_bucket(table, key), key) : NULL;
}

struct keyed *keyed_find_older(const struct keyed *keyed) {
    return keyed_in_chain(keyed->chain, keyed->key);
}

void keyed_clear(struct keyed_table *table) {
    free(table->bucket);
    *table = (struct keyed_table){.first = NULL};
}
