/*
 * dirty.h - memory bases and the dirty bits of their pages (dirty-bit-tracking.md): what
 * basis.c, which keeps the bases, and dirty.c, which reads bits, know of each other.
 *
 * There is one plane for all of VRAM, and bits are taken out of it. What a query takes of pages
 * that another started basis has too is kept for that one, in `pending`, until it asks. Bases that
 * share nothing, which is the rule, have no such thing.
 */
#ifndef SOFTGPU_KMD_DIRTY_H
#define SOFTGPU_KMD_DIRTY_H

#include "driver/kmd.h"

#define KMD_MAGIC_BASIS 0x69736162u

/* All in pages of the plane. */
struct kmd_basis_range {
    ULONGLONG first, pages;
    ULONGLONG bit; /* of its first page, in the bits of the whole basis */
};

struct kmd_basis {
    struct kmd_basis *next; /* of the adapter */
    bool started;
    ULONGLONG pages, low, high; /* of all; the first of VRAM, and the one behind the last */
    /* Bits as in a query of all; NULL until a basis that has some of the same pages is started. */
    unsigned char *pending;
    bool some_pending;
    SIZE_T count;
    struct kmd_basis_range *sorted; /* by `first` */
    struct kmd_basis_range range[]; /* as the system gave them */
};

static inline SIZE_T kmd_bit_bytes(ULONGLONG bits) {
    return (SIZE_T)((bits + 7) / 8);
}

/* What one call does with the bits of some pages. */
struct kmd_harvest {
    struct kmd_adapter *adapter;
    struct kmd_basis *basis;
    unsigned char *out; /* the answer; NULL: not wanted */
    SIZE_T bytes;       /* of it */
    SIZE_T written;     /* so far: what is dirty is written as it is found, in ascending order */
    bool clear;
    bool shared; /* there may be others to keep bits for */
};

/* Pages [page, page + pages) of range `index`; the first is bit `bit` of the answer. */
void kmd_harvest_range(struct kmd_harvest *harvest, SIZE_T index, ULONGLONG page, ULONGLONG pages,
                       ULONGLONG bit);
/* What the CPU wrote so far is in the plane. Before the first. */
void kmd_harvest_begin(const struct kmd_harvest *harvest);
/* The rest of the answer; and where bits were cleared the CPU's next writes are noted again. */
void kmd_harvest_end(struct kmd_harvest *harvest);

#endif
