/*
 * ways.h - the ways in which copy.c can move bytes. Which one is fastest depends on the processor, on
 * the size and on what its caches hold; choice.c finds out.
 */
#ifndef SOFTGPU_HW_WAYS_H
#define SOFTGPU_HW_WAYS_H

#include <stddef.h>
#include <stdint.h>

#define WAYS_LINE 64u
#define WAYS_STEP (4u * WAYS_LINE) /* `to` lies at a line, and `bytes` are a multiple of this */
#define WAYS_MOST 8u

struct copy_way {
    const char *name;
    /* `ahead`: where the source goes on behind these bytes, or NULL. */
    void (*copy)(unsigned char *to, const unsigned char *from, size_t bytes,
                 const unsigned char *ahead);
};

/* Those that this processor has, at least one; how many. */
uint32_t ways_list(struct copy_way way[WAYS_MOST]);

#endif
