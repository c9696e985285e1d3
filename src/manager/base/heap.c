/*
 * heap.c - see heap.h.
 */
#include "base/heap.h"

#include "base/adapter.h"

void *adapter_alloc(struct vidmm_adapter *adapter, size_t size) {
    return adapter->os.alloc(adapter->os.ctx, size);
}

void adapter_free(struct vidmm_adapter *adapter, void *block, size_t size) {
    if (block)
        adapter->os.free(adapter->os.ctx, block, size);
}

bool adapter_grow_now(struct vidmm_adapter *adapter, void **array, uint32_t *capacity,
                      uint32_t need, size_t element) {
    uint32_t wanted = *capacity ? *capacity * 2 : 16;
    if (wanted < need)
        wanted = need;
    void *grown = adapter_alloc(adapter, wanted * element);
    if (!grown)
        return false;
    if (*array)
        memcpy(grown, *array, *capacity * element);
    adapter_free(adapter, *array, *capacity * element);
    *array = grown;
    *capacity = wanted;
    return true;
}
