/*
 * handle.c - kernel handles of allocations; see handle.h.
 */
#include "base/handle.h"

#include "base/adapter.h"
#include "base/assert.h"

/* Handles are no small numbers: a driver that mixes them up with indices is found. */
#define HANDLE_BASE 0x40000000u
#define HANDLE_STEP 64u

static bool handle_index(const struct handles *handles, D3DKMT_HANDLE handle, uint32_t *index) {
    *index = (handle - HANDLE_BASE) / HANDLE_STEP;
    return handle >= HANDLE_BASE && handle % HANDLE_STEP == 0 && *index < handles->used &&
           handles->slots[*index].object;
}

/* A free slot at the head of the list, or one more. */
static bool handle_reserve(struct vidmm_adapter *adapter) {
    struct handles *handles = &adapter->handles;
    if (handles->free)
        return true;
    if (!adapter_grow(adapter, (void **)&handles->slots, &handles->size, handles->used + 1,
                      sizeof(*handles->slots)))
        return false;
    handles->slots[handles->used] = (struct handle_slot){0};
    handles->free = ++handles->used;
    return true;
}

D3DKMT_HANDLE handle_open(struct vidmm_adapter *adapter, void *object) {
    struct handles *handles = &adapter->handles;
    D3DKMT_HANDLE handle = 0;
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
    if (handle_reserve(adapter)) {
        uint32_t index = handles->free - 1;
        handles->free = handles->slots[index].next;
        handles->slots[index].object = object;
        handle = HANDLE_BASE + index * HANDLE_STEP;
    }
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
    return handle;
}

void *handle_object(const struct vidmm_adapter *adapter, D3DKMT_HANDLE handle) {
    VIDMM_ASSERT_FENCES_LOCKED(adapter);
    uint32_t index;
    return handle_index(&adapter->handles, handle, &index) ? adapter->handles.slots[index].object
                                                           : NULL;
}

void handle_close(struct vidmm_adapter *adapter, D3DKMT_HANDLE handle) {
    struct handles *handles = &adapter->handles;
    uint32_t index;
    adapter->os.lock(adapter->os.ctx, adapter->fence_lock);
    if (handle_index(handles, handle, &index)) {
        handles->slots[index] = (struct handle_slot){.next = handles->free};
        handles->free = index + 1;
    }
    adapter->os.unlock(adapter->os.ctx, adapter->fence_lock);
}

void handles_release(struct vidmm_adapter *adapter) {
    struct handles *handles = &adapter->handles;
    adapter_free(adapter, handles->slots, handles->size * sizeof(*handles->slots));
    *handles = (struct handles){0};
}
