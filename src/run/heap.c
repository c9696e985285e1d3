/*
 * heap.c - see heap.h.
 *
 * The records of 100,000 allocations are 200 MB of small blocks, and a quarter of the time of such a
 * run went into page faults of the heap. It grows once instead, and the kernel is asked for huge pages.
 * What is never used takes addresses only.
 */
#include "heap.h"

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MANY        10000u /* allocations: with fewer it is not worth a system call */
#define RECORDS     3072u /* bytes that driver, manager, referee and oracle keep of an allocation */
#define BLOCK       (16u << 20) /* bytes */
#define HUGE_PAGE   (2u << 20)
#define MAP_AT_MOST (32 << 20)  /* of glibc: blocks up to here can be the heap's */
#define MAP_DEFAULT (128 << 10) /* blocks from here on are mapped, and zero without being written */

struct block {
    struct block *next;
};

/* Takes and gives back; what was given back last joins the free end of the heap, then the one before. */
static void heap_grow(uint64_t bytes) {
    struct block *all = NULL, *block;
    for (uint64_t taken = 0; taken < bytes && (block = malloc(BLOCK)); taken += BLOCK) {
        block->next = all;
        all = block;
    }
    while ((block = all)) {
        all = block->next;
        free(block);
    }
}

void run_heap_expect(uint32_t allocations) {
    if (allocations < MANY)
        return;
    uintptr_t start = (uintptr_t)sbrk(0);
    (void)mallopt(M_MMAP_THRESHOLD, MAP_AT_MOST);
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    heap_grow((uint64_t)allocations * RECORDS);
    (void)mallopt(M_MMAP_THRESHOLD, MAP_DEFAULT);
    uintptr_t end = (uintptr_t)sbrk(0) / HUGE_PAGE * HUGE_PAGE;
    start = (start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (start < end)
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}
