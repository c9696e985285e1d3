/*
 * dirty.h - the plane of dirty bits, one bit for each page of VRAM (softgpu_dirty.h). dirty.c has
 * the plane, note.c notes the writes of engines, trap.c those of the CPU, which are not announced.
 *
 * Order: a write is noted after its bytes are visible, never before. A reader takes the bits, then
 * copies the pages. A bit that is set after the bytes are there is taken by this reader, whose copy
 * then has the bytes, or by the next one; a bit set too early could be taken by a reader whose copy
 * does not have them yet, and nothing would remain. How much later does not matter, as long as it
 * is before the driver can know that the write is over: before the fence of the submission, a
 * signal, or the end of the step. A GPU that is idle has no write left that was not noted.
 *
 * A bit that is set already is not set again: a locked instruction for each page would cost as much
 * as copying it. That is right because the bytes are visible before the bit is looked at (a full
 * fence, once for all that is noted together): a reader that takes the bit later copies later.
 */
#ifndef SOFTGPU_HW_DIRTY_H
#define SOFTGPU_HW_DIRTY_H

#include "hardware/hw.h"

/* Bits, and above each word of them a bit that is set when the word may not be 0. */
struct hw_bits {
    _Atomic uint64_t *word, *summary;
};

/* What an engine wrote and the plane does not have yet. Under its `run`. */
#define HW_NOTES 512u

struct hw_note {
    const unsigned char *at, *end;
};

struct hw_notes {
    uint32_t count;
    struct hw_note note[HW_NOTES];
};

struct hw_dirty {
    uint32_t shift; /* of the size of a page */
    uint64_t pages;
    struct hw_memory plane; /* what the BAR shows */
    struct hw_bits dirty;
    _Atomic bool on;
    uint64_t start, end;  /* registers, under hw->lock */
    struct hw_view *view; /* trap.c; NULL: the CPU sees no VRAM */
    struct hw_notes notes[GPU_ENGINES];
};

/* Reads the setting; true with hw->dirty NULL when there shall be none. VRAM is there by now. */
bool hw_dirty_make(struct hw *hw);
void hw_dirty_drop(struct hw *hw);
/* VRAM reads as zero from now on. */
void hw_dirty_reset(struct hw *hw);
/* GPU_REG_DIRTY_PAGE; the others are only written. */
uint64_t hw_dirty_read(const struct hw *hw);
void hw_dirty_write(struct hw *hw, uint32_t offset, uint64_t value);

bool hw_dirty_on(const struct hw *hw);

/* ---- Bits: note.c ---------------------------------------------------------------------------- */

/* Bits of word `at` that stand for [first, last]. */
static inline uint64_t hw_bits_inside(uint64_t at, uint64_t first, uint64_t last) {
    uint64_t mask = UINT64_MAX;
    if (at == first / 64)
        mask &= UINT64_MAX << first % 64;
    if (at == last / 64)
        mask &= UINT64_MAX >> (63 - last % 64);
    return mask;
}

bool hw_bits_make(struct hw_bits *bits, struct hw_memory *memory, uint64_t count);
/* Sets bits [first, last], which are in one memory. What they stand for is visible. */
void hw_bits_set(struct hw_bits *bits, uint64_t first, uint64_t last);

/* ---- The CPU's view of VRAM: trap.c ---------------------------------------------------------- */

/* What the CPU sees of VRAM: another mapping of the same memory. False: none could be made. */
bool hw_view_make(struct hw *hw);
void hw_view_drop(struct hw *hw);
void *hw_view_bytes(const struct hw *hw);
/* Every page is closed: its next write by the CPU is noted. */
void hw_view_close_all(struct hw *hw);
/* The same for pages [first, last]. */
void hw_view_close(struct hw *hw, uint64_t first, uint64_t last);
/* The CPU writes as it likes. */
void hw_view_open_all(struct hw *hw);
/* All that is in it reads as zero, on both sides. */
void hw_view_clear(struct hw *hw);

#endif
