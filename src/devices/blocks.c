/* blocks.c - see blocks.h. */
#include "blocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK = 64 << 10, GRAIN = 64 };

/* States of a block. */
enum { CLOSED, READABLE, WRITABLE };

static uint64_t block_bytes(const struct blocks *blocks, uint64_t block) {
    uint64_t left = blocks->size - block * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

static uint8_t *reserve(uint64_t size, int access) {
    void *at = mmap(NULL, size, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool blocks_begin(struct blocks *blocks, struct qtest *qtest, uint64_t at, uint64_t size) {
    *blocks = (struct blocks){.qtest = qtest, .at = at, .size = size};
    blocks->copy = reserve(size, PROT_NONE);
    blocks->taken = reserve(size, PROT_READ | PROT_WRITE);
    blocks->state = calloc((size + BLOCK - 1) / BLOCK, 1);
    return blocks->copy && blocks->taken && blocks->state;
}

void blocks_end(struct blocks *blocks) {
    if (blocks->copy)
        munmap(blocks->copy, blocks->size);
    if (blocks->taken)
        munmap(blocks->taken, blocks->size);
    free(blocks->state);
    *blocks = (struct blocks){.size = 0};
}

static void note_open(struct blocks *blocks, uint64_t block) {
    if (blocks->first == blocks->end) {
        blocks->first = block;
        blocks->end = block + 1;
    }
    if (block < blocks->first)
        blocks->first = block;
    if (block >= blocks->end)
        blocks->end = block + 1;
}

bool blocks_open(struct blocks *blocks, uint64_t offset, bool write) {
    uint64_t block = offset / BLOCK, bytes = block_bytes(blocks, block);
    uint8_t *copy = blocks->copy + block * BLOCK, *taken = blocks->taken + block * BLOCK;
    if (blocks->state[block] == CLOSED) {
        if (!qtest_read(blocks->qtest, blocks->at + block * BLOCK, taken, bytes) ||
            mprotect(copy, bytes, PROT_READ | PROT_WRITE) != 0)
            return false;
        memcpy(copy, taken, bytes);
        note_open(blocks, block);
    }
    blocks->state[block] = write ? WRITABLE : READABLE;
    return mprotect(copy, bytes, write ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

/* What differs goes out, in runs of grains, so that what the device wrote beside it stays. */
static void put_block(struct blocks *blocks, uint64_t block) {
    uint64_t begin = block * BLOCK, end = begin + block_bytes(blocks, block);
    for (uint64_t at = begin; at < end;) {
        uint64_t run = at;
        while (run < end && memcmp(blocks->copy + run, blocks->taken + run, GRAIN) != 0)
            run += GRAIN;
        if (run != at)
            (void)qtest_write(blocks->qtest, blocks->at + at, blocks->copy + at, run - at);
        at = run + GRAIN;
    }
}

void blocks_settle(struct blocks *blocks) {
    if (blocks->first == blocks->end)
        return;
    for (uint64_t block = blocks->first; block < blocks->end; block++) {
        if (blocks->state[block] == WRITABLE)
            put_block(blocks, block);
        blocks->state[block] = CLOSED;
    }
    uint64_t begin = blocks->first * BLOCK,
             end = (blocks->end - 1) * BLOCK + block_bytes(blocks, blocks->end - 1);
    (void)mprotect(blocks->copy + begin, end - begin, PROT_NONE);
    blocks->first = blocks->end = 0;
}
