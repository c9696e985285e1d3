/*
 * handle.h - kernel handles of allocations: the D3DKMT_HANDLE that a driver sees in
 * DxgkDdiOpenAllocation and gives to DxgkCbGetHandleData.
 *
 * A slot for each living allocation; free slots are a list. Under the adapter's fence_lock, a leaf,
 * because the driver asks from inside a DDI call.
 */
#ifndef VIDMM_MANAGER_HANDLE_H
#define VIDMM_MANAGER_HANDLE_H

#include <vidmm/manager.h>

struct handle_slot {
    void *object;  /* NULL: free */
    uint32_t next; /* free: index + 1 of the next free slot */
};

struct handles {
    struct handle_slot *slots;
    uint32_t size, used, free; /* free: index + 1 of the first free slot */
};

/* A handle for `object`; 0: no memory. */
D3DKMT_HANDLE handle_open(struct vidmm_adapter *adapter, void *object);
/* With the fence lock held: the object of `handle`, or NULL. */
void *handle_object(const struct vidmm_adapter *adapter, D3DKMT_HANDLE handle);
/* Gives it back; 0 is fine. */
void handle_close(struct vidmm_adapter *adapter, D3DKMT_HANDLE handle);
void handles_release(struct vidmm_adapter *adapter);

#endif
