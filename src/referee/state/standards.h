/*
 * standards.h - private data that the driver made for surfaces of the system's own, by which their
 * allocations are known again (watch/standard.c), and handles of allocations that a failed creation
 * left behind (watch/allocation.c).
 */
#ifndef REFEREE_STATE_STANDARDS_H
#define REFEREE_STATE_STANDARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>

#define STANDARDS_REMEMBERED 64u
#define STANDARDS_REFUSED    16u

struct standards_data {
    uint64_t hash;
    size_t size;
    uint32_t type;                  /* 0: several */
    uint64_t bytes;                 /* that such an allocation has at least; 0: not known */
    bool lockable;                  /* a surface of this data is accessed by the CPU */
    bool shared;                    /* ... and by drivers of other adapters */
    uint32_t width, height, format; /* 0: several */
    D3DDDI_RATIONAL rate;           /* of a primary; Denominator 0: none, or several */
};

struct standards {
    struct standards_data remembered[STANDARDS_REMEMBERED]; /* a ring */
    uint32_t newest;
    uint32_t asked; /* for sizes, so often */
};

/* Handles in the array of the last creation that failed: of nothing. */
struct refused_handles {
    HANDLE handle[STANDARDS_REFUSED];
    UINT count;
};

#endif
