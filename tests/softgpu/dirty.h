/*
 * dirty.h - what the tests of dirty bits share: a rig whose driver tracks writes, and bases and
 * queries in a line each.
 */
#ifndef SOFTGPU_TEST_DIRTY_H
#define SOFTGPU_TEST_DIRTY_H

#include "rig.h"

/* Visible VRAM first, as much again that is not. */
struct dirty {
    struct rig rig;
    uint32_t page; /* bytes of a bit */
    uint32_t visible, hidden;
    struct rig_segment visible_at, hidden_at;
    unsigned char *cpu; /* the CPU's view of the visible segment */
};

/* `vram` bytes in all; `kind`, `at`: FaultKind and FaultAt, or 0. */
void dirty_open(struct dirty *d, uint32_t page, uint64_t vram, uint64_t kind, uint64_t at);
/* The same with rig_open_threaded, and 4 KiB pages. */
void dirty_open_threaded(struct dirty *d, uint64_t vram);
void dirty_close(struct dirty *d);

struct dirty_range {
    uint64_t offset, size;
};
/* NULL when the driver refused. */
HANDLE dirty_basis(struct dirty *d, uint32_t segment, const struct dirty_range *range,
                   uint64_t count);
/* One over all of a segment, started. */
HANDLE dirty_all(struct dirty *d, uint32_t segment);
void dirty_start(struct dirty *d, HANDLE basis);
void dirty_stop(struct dirty *d, HANDLE basis);
void dirty_destroy(struct dirty *d, HANDLE basis);

/* `size` 0: all of the basis. */
struct dirty_query {
    uint64_t index, offset, size;
    bool clear;
};
NTSTATUS dirty_ask(struct dirty *d, HANDLE basis, const struct dirty_query *query, void *bits,
                   size_t bytes);
/* Whole basis; must succeed. */
void dirty_take(struct dirty *d, HANDLE basis, bool clear, unsigned char *bits, size_t bytes);
static inline bool dirty_bit(const unsigned char *bits, uint64_t page) {
    return bits[page / 8] >> page % 8 & 1u;
}
uint64_t dirty_count(const unsigned char *bits, uint64_t pages);

/* The GPU writes [offset, offset + bytes) of a segment. */
void dirty_fill(struct dirty *d, uint32_t segment, uint64_t offset, uint64_t bytes);

#endif
