/* memory.c - see memory.h. */
#include "state/memory.h"

#include <stdlib.h>

static bool refused;

static void *memory_note(void *memory) {
    if (!memory)
        __atomic_store_n(&refused, true, __ATOMIC_RELAXED);
    return memory;
}

void *memory_malloc(size_t size) {
    return memory_note(malloc(size));
}

void *memory_calloc(size_t count, size_t size) {
    return memory_note(calloc(count, size));
}

void *memory_realloc(void *old, size_t size) {
    return memory_note(realloc(old, size));
}

void *memory_pages(size_t page, size_t size) {
    return memory_note(aligned_alloc(page, size));
}

bool memory_short(void) {
    return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
