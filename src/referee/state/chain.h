/*
 * chain.h - lists of what belongs to an object: the allocations of a resource, the contexts of a
 * device. What belongs to several objects has a link for each, and leaves one list alone.
 */
#ifndef REFEREE_CHAIN_H
#define REFEREE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

struct chain_link;

struct chain {
    struct chain_link *first, *last;
    uint32_t count;
};

/* Embedded in what is in the list. */
struct chain_link {
    struct chain *chain; /* NULL: it is in none */
    struct chain_link *before, *after;
};

/* The structure of which the link at `at` is a member; `at` is not NULL. */
#define CHAIN_OWNER(type, member, at) ((type *)(void *)((char *)(at)-offsetof(type, member)))

/* At the end of the list, and of no other. */
void chain_join(struct chain *chain, struct chain_link *link);
/* Nothing is done when it is in no list. */
void chain_leave(struct chain_link *link);
/* All leave. */
void chain_part(struct chain *chain);

#endif
