/*
 * heap.h - memory of the operating system for the manager's own records and arrays.
 */
#ifndef VIDMM_MANAGER_HEAP_H
#define VIDMM_MANAGER_HEAP_H

#include <vidmm/manager.h>

/* Zeroed memory, or NULL. The free function of the OS needs the size of the block. */
void *adapter_alloc(struct vidmm_adapter *adapter, size_t size);
void adapter_free(struct vidmm_adapter *adapter, void *block, size_t size);
/* Grows `*array` of `*capacity` elements to at least `need`; false: no memory, nothing changed. */
bool adapter_grow_now(struct vidmm_adapter *adapter, void **array, uint32_t *capacity,
                      uint32_t need, size_t element);
/* The same, unless it is as large already. */
static inline bool adapter_grow(struct vidmm_adapter *adapter, void **array, uint32_t *capacity,
                                uint32_t need, size_t element) {
    return need <= *capacity || adapter_grow_now(adapter, array, capacity, need, element);
}

#endif
