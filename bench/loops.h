/*
 * loops.h - loops that copy and fill, written for the benchmarks alone: the limit that the product is
 * held against is the best of them on the machine at hand.
 */
#ifndef VIDMM_BENCH_LOOPS_H
#define VIDMM_BENCH_LOOPS_H

#include <stddef.h>

#define LOOPS_COPY 4u
#define LOOPS_FILL 2u

/* "stores past the cache", "memcpy", ... */
const char *loops_copy_name(unsigned loop);
void loops_copy(unsigned loop, void *to, const void *from, size_t bytes);
/* With zeros. */
void loops_fill(unsigned loop, void *to, size_t bytes);

#endif
