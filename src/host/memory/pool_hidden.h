/*
 * pool_hidden.h - freed blocks of a pool that are out of reach, so that a driver that reads one is told.
 *
 * Such a block has a page of its own, as in Driver Verifier's special pool. Most blocks have none: the first ones,
 * and of later ones a few, since a change of protection costs more than an allocation.
 * Page: debugger/special-pool.
 */
#ifndef HOST_POOL_HIDDEN_H
#define HOST_POOL_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_POOL_HIDDEN 64u

struct host_pool_hidden {
    uint8_t *page[HOST_POOL_HIDDEN]; /* NULL: none */
    uint32_t most;                   /* of them at a time; 0: as many as there are */
    uint32_t next;                   /* where the next one goes: the oldest */
    uint64_t asked;                  /* blocks so far */
};

/* The next block gets a page of its own. Any thread; the others want the pool's lock. */
bool host_pool_hidden_wants(struct host_pool_hidden *hidden);
/* Puts the page at `page` out of reach, and the oldest of many back. */
void host_pool_hide(struct host_pool_hidden *hidden, uint8_t *page);
/* The page comes back if it is out of reach; true: it was. */
bool host_pool_reveal(struct host_pool_hidden *hidden, const uint8_t *page);
/* All memory around them came within reach, and they with it: they go out of reach again. */
void host_pool_hide_again(const struct host_pool_hidden *hidden);

#endif
