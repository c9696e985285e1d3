/*
 * blocks.h - the memory BAR of a device in another process, of which the CPU has a copy.
 *
 * The copy is closed to the CPU block by block (mprotect). A read opens a block with what the device
 * has; a write opens it for writing too. Before the device is made to do anything, what was written
 * goes to it and all blocks are closed, since it may write its memory itself (blocks_settle).
 */
#ifndef DEVICES_BLOCKS_H
#define DEVICES_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "qtest.h"

struct blocks {
    struct qtest *qtest;
    uint64_t at, size;
    uint8_t *copy;       /* what the CPU sees; NULL: no such BAR */
    uint8_t *taken;      /* the bytes that the device had */
    uint8_t *state;      /* of each block */
    uint64_t first, end; /* blocks that may be open */
};

/* `size` is a multiple of 4096. False: out of memory. */
bool blocks_begin(struct blocks *blocks, struct qtest *qtest, uint64_t at, uint64_t size);
void blocks_end(struct blocks *blocks);
/* Opens the block at `offset`. Safe in the handler of a signal. False: the device is lost. */
bool blocks_open(struct blocks *blocks, uint64_t offset, bool write);
/* Gives the device what was written, and closes all. */
void blocks_settle(struct blocks *blocks);

#endif
