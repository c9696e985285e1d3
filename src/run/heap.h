/*
 * heap.h - memory for what a run keeps about many allocations (heap.c); used by apart.c, in whose
 * process the heap is nobody else's.
 */
#ifndef VIDMM_RUN_HEAP_H
#define VIDMM_RUN_HEAP_H

#include <stdint.h>

/* The process is about to keep records of so many allocations. Nothing changes but the time that malloc takes. */
void run_heap_expect(uint32_t allocations);

#endif
