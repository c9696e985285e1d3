/*
 * dirty_bits.h - which pages were written to, and what answers about them have to show
 * (operation/dirty_bits.c); see state/dirty.h.
 */
#ifndef REFEREE_OPERATION_DIRTY_BITS_H
#define REFEREE_OPERATION_DIRTY_BITS_H

#include "state/dirty.h"

/* Position of a byte of the segment in the basis, or `pages`: it is not in it. */
uint64_t dirty_position(const struct dirty_basis *basis, uint64_t offset);
void dirty_started(struct vidmm_referee *referee, struct dirty_basis *basis);
void dirty_stopped(struct vidmm_referee *referee, const struct dirty_basis *basis);
/* `basis` answered `bits`: of `count` pages from `first` on, cleared or not. */
struct dirty_answer {
    struct dirty_basis *basis;
    uint64_t first, count;
    bool whole,
        inner;   /* of all ranges; of another range than the first, or from a SubrangeOffset on */
    bool turned; /* dirty_turned */
    bool begins_well; /* dirty_begins_well */
    bool clear;
    bool quiet; /* nothing was under way when it was asked for, and nothing came since */
    uint64_t
        writes; /* that were done when it was asked for: bits of others may be in it or in the next */
    const uint8_t *bits;
};
/* What is missing in it is there when the bits of each byte are read from the highest on. */
bool dirty_turned(const struct dirty_answer *answer);
/* All bits that it must have of the first range are there, and there are some: it is later ranges that are amiss. */
bool dirty_begins_well(const struct dirty_answer *answer);
void dirty_answered(struct vidmm_referee *referee, const struct dirty_answer *answer);
/* An operation that was asked for in call `asked` wrote `size` bytes of a segment at a GPU address. */
void dirty_wrote(struct vidmm_referee *referee, uint32_t segment, uint64_t address, uint64_t size,
                 uint64_t asked);
/* The same of FILL and TRANSFER, when they are done. */
void dirty_operation_done(struct vidmm_referee *referee, const struct shadow_operation *operation);
/* Work is given up: what was written is not known. */
void dirty_forget(struct vidmm_referee *referee);
/* A segment lost its content: nobody wants to know what was written there before. */
void dirty_forget_segment(struct vidmm_referee *referee, uint32_t segment);

#endif
