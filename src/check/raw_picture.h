/*
 * raw_picture.h - two standard surfaces whose rows the CPU can read, in memory or behind an aperture: what
 * DxgkDdiPresent and DxgkDdiRenderKm copy from and to.
 */
#ifndef VIDMM_CHECK_RAW_PICTURE_H
#define VIDMM_CHECK_RAW_PICTURE_H

#include "raw.h"

#define PICTURE_WIDTH  200u /* of the narrower, which has other rows than the second */
#define PICTURE_WIDEST 260u
#define PICTURE_HEIGHT 48u
#define PICTURE_FROM   0u
#define PICTURE_TO     1u

/* Bits of an A8R8G8B8 pixel. */
#define PICTURE_COLORS 0x00ffffffu
#define PICTURE_ALL    0xffffffffu
/* The pixels of a plain part. */
#define PICTURE_PLAIN 0xff1d8e43u

struct raw_picture {
    HANDLE opened;
    PMDL pages;
    struct vidmm_allocation *allocation; /* of a manager; NULL: it is moved by hand */
    unsigned char *bytes;                /* the same: what the CPU writes and reads */
    uint32_t width;                      /* pixels */
    uint32_t pitch, count;               /* bytes of a row; pages */
    uint32_t segments;                   /* that it supports */
    uint32_t alignment;                  /* of its place: pages, at least 1 */
    uint32_t page;                       /* of the segment: its place */
    bool rows;                           /* of bytes that follow each other */
    bool mapped;                         /* its place is in the aperture, else in memory */
    uint32_t pixel[PICTURE_HEIGHT][PICTURE_WIDEST]; /* what it is expected to show */
};

struct raw_pair {
    struct raw_renderer renderer;
    struct raw_picture picture[RAW_PICTURES];
    const RECT *plain; /* part of PICTURE_FROM whose pixels are all alike; NULL: none */
    uint32_t wrong, wrong_x, wrong_y; /* picture and pixel that pair_good found so first */
    struct vidmm_device *device;
    struct vidmm_context *context; /* of a manager; NULL: all is by hand */
};

/* Shadow surfaces, or those of GDI that the CPU sees. False: the driver has no context for them, or no two of them;
 * pair_close follows anyway. */
bool pair_open(struct raw_pair *pair, struct raw_submitter *raw, bool gdi);
void pair_close(struct raw_pair *pair);
/* Another device opens and closes both; false: the driver refused it. */
bool pair_visited(struct raw_pair *pair);
/* Bit i of `mapped`: picture i shall be in the aperture. False: it does not support that segment, or
 * finds no place in it. */
bool pair_place(struct raw_pair *pair, uint32_t mapped);
/* Other bytes for both, and waits. False: no DDI call follows. */
bool pair_bring(struct raw_pair *pair, uint32_t seed);
/* Takes both back, and waits. False: the same. */
bool pair_take(struct raw_pair *pair);
/* The pictures are as expected, in `bits` of each pixel. */
bool pair_good(struct raw_pair *pair, uint32_t bits);
/* raw_managed.c: the same surfaces of the manager that runs, in memory segments where they may lie there. */
bool managed_open(struct raw_pair *pair, struct raw_submitter *raw);
void managed_close(struct raw_pair *pair);
/* Writes the bytes of both, or reads them; waits. */
bool managed_bring(struct raw_pair *pair);
bool managed_take(struct raw_pair *pair);
/* False: the driver makes nothing of it, or the manager has no address to give it. `*completes`: the work is done. */
bool managed_blit(struct raw_pair *pair, const struct vidmm_blit *blit, bool *completes);
/* The node of the 3-D engine (ne-d3dkmdt-dxgk_engine_type.md); 0: the driver does not say. */
uint32_t pair_node(const struct raw_submitter *raw);
/* Where a picture is, as the lists have it. */
UINT pair_segment(const struct raw_pair *pair, uint32_t picture);
uint64_t pair_address(const struct raw_pair *pair, uint32_t picture);

#endif
