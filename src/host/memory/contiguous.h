/*
 * contiguous.h - physically contiguous memory that a driver allocated.
 */
#ifndef HOST_CONTIGUOUS_H
#define HOST_CONTIGUOUS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>

struct host_contiguous_block {
    struct host_contiguous_block *next;
    uint64_t frame, frames;
    bool guarded; /* one frame more behind them, with a pattern */
};

struct host_contiguous {
    pthread_mutex_t lock; /* over the list */
    struct host_contiguous_block *first;
};

void host_contiguous_init(struct host_contiguous *all);
/* Frees everything that is left. */
void host_contiguous_done(struct host_contiguous *all);
/* What MmAllocateContiguousMemory and DxgkCbAllocateContiguousMemory have in common. */
PVOID host_contiguous_take(SIZE_T bytes, PHYSICAL_ADDRESS lowest, PHYSICAL_ADDRESS highest,
                           PHYSICAL_ADDRESS boundary_multiple);
/* Number of live blocks. */
uint64_t host_contiguous_left(struct host_contiguous *all);
/* True: the range is in one block. */
bool host_contiguous_holds(struct host_contiguous *all, uint64_t physical, size_t size);

#endif
