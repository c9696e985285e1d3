/*
 * page_fault.c - see page_fault.h.
 *
 * A report comes in an interrupt, where nothing but fences may be looked at: what the address
 * belongs to is looked up by the next call that uses the adapter.
 */
#include "engine/page_fault.h"

#include "base/adapter.h"
#include "base/assert.h"
#include "base/device.h"
#include "base/process.h"
#include "object/allocation.h"

/* No allocation further away than this is named. */
#define NEAR_BYTES (UINT64_C(16) << 20)

/* ---- The report ------------------------------------------------------------------------------ */

static struct vidmm_access access_of(const struct vidmm_page_fault *fault,
                                     const struct vidmm_device *device) {
    return (struct vidmm_access){
        .known = true,
        .write = (fault->flags & DXGK_PAGE_FAULT_WRITE) != 0,
        .iommu = (fault->flags & DXGK_PAGE_FAULT_IOMMU) != 0,
        .stuck = (fault->flags & (DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED |
                                  DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED)) != 0,
        .address = fault->address,
        .process = device->process ? device->process->number : 0,
        .device = device->number,
        .physical = fault->physical,
        .node = fault->node,
    };
}

static void page_fault_note_work(const struct vidmm_page_fault *fault,
                                 const struct fence_record *record) {
    struct vidmm_device *device = record->device;
    if (device->access.known)
        return;
    device->access = access_of(fault, device);
    device->access.submission = record->number;
    device->unresolved = true;
}

void page_fault_blame(struct node *node, const struct fence_record *record) {
    if (node->anonymous)
        page_fault_note_work(&node->fault, record);
}

void page_fault_blame_paging(struct node *node, struct vidmm_device *device) {
    if (!node->anonymous || device->access.known)
        return;
    device->access = access_of(&node->fault, device);
    device->access.paging = true;
}

/* Work before the one that faulted is done, and so is that (ne-d3dkmdt-_dxgk_page_fault_flags.md);
 * the reset gives up paging work, and work that is unknown. */
static void give_up(struct vidmm_adapter *adapter, struct node *node,
                    const struct vidmm_page_fault *fault) {
    for (uint32_t i = 0; i < node->count; i++) {
        const struct fence_record *record = fence_record(node, i);
        if (record->fence != fault->fence)
            continue;
        node->anonymous = !record->device;
        if (record->device) {
            page_fault_note_work(fault, record);
            fence_lose(adapter, record);
            fence_complete(adapter, node, fault->fence);
        }
        return;
    }
}

static void page_fault_note(struct vidmm_adapter *adapter, struct node *node,
                            const struct vidmm_page_fault *fault) {
    node->faulted = true;
    node->adapter_reset |= (fault->flags & DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED) != 0;
    adapter->fences.fatal |= (fault->flags & DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR) != 0;
    node->fault = *fault;
    if (fault->flags & DXGK_PAGE_FAULT_FENCE_INVALID)
        node->anonymous = true;
    else
        give_up(adapter, node, fault);
}

void vidmm_notify_page_faulted(struct vidmm_adapter *adapter,
                               const struct vidmm_page_fault *fault) {
    struct node *node = fence_notified(adapter, fault->physical, fault->node);
    if (node)
        page_fault_note(adapter, node, fault);
    fences_unlock_and_wake(adapter);
}

/* A command that the GPU could not execute: it goes on with the next one. */
void vidmm_notify_faulted(struct vidmm_adapter *adapter, uint32_t physical, uint32_t ordinal,
                          uint32_t fence) {
    struct node *node = fence_notified(adapter, physical, ordinal);
    for (uint32_t i = 0; node && i < node->count; i++) {
        const struct fence_record *record = fence_record(node, i);
        if (record->fence != fence)
            continue;
        if (record->device) {
            fence_lose(adapter, record);
            fence_complete(adapter, node, fence);
        } else {
            node->faulted = true;
        }
        break;
    }
    fences_unlock_and_wake(adapter);
}

/* ---- What the address belongs to ------------------------------------------------------------- */

/* The nearest allocation below `address` in `va`, or NULL. */
static const struct mapping *page_fault_below(const struct va *va, uint64_t address) {
    uint64_t at = address > NEAR_BYTES ? address - NEAR_BYTES : 0;
    const struct mapping *found = NULL, *mapping;
    while ((mapping = va_find(va, at)) && mapping->end <= address) {
        found = mapping->use.kind == VA_PAGES ? mapping : found;
        at = mapping->end;
    }
    return found;
}

static void page_fault_name(struct vidmm_access *access, const struct mapping *mapping,
                            enum vidmm_access_place place, uint64_t page) {
    const struct vidmm_allocation *allocation = mapping->use.allocation;
    access->place = place;
    access->page = page;
    access->allocation = allocation->kernel;
    access->user = allocation->user;
    access->resident = allocation->segment;
}

/* The allocation at `address`, or the nearest above it, or NULL. */
static const struct mapping *at_or_above(const struct va *va, uint64_t address) {
    const struct mapping *mapping = va_find(va, address);
    while (mapping && mapping->use.kind != VA_PAGES)
        mapping = mapping->after;
    return mapping && mapping->start <= address + NEAR_BYTES ? mapping : NULL;
}

static void page_fault_find(struct vidmm_access *access, const struct va *va) {
    uint64_t address = access->address & ~(uint64_t)(PAGE_BYTES - 1), row;
    const struct mapping *above = at_or_above(va, address), *under = page_fault_below(va, address);
    if (above && above->start <= address)
        page_fault_name(access, above, VIDMM_ACCESS_IN,
                        va_offset(above, address, &row) / PAGE_BYTES);
    else if (under && (!above || address - under->end < above->start - address))
        page_fault_name(access, under, VIDMM_ACCESS_BEHIND,
                        (address - under->end) / PAGE_BYTES + 1);
    else if (above)
        page_fault_name(access, above, VIDMM_ACCESS_BEFORE, (above->start - address) / PAGE_BYTES);
}

static void page_fault_resolve(struct vidmm_device *device) {
    struct vidmm_adapter *adapter = device->adapter;
    const struct vidmm_process *process = device->process;
    fences_lock(adapter);
    struct vidmm_access access = device->access;
    bool fresh = device->unresolved;
    fences_unlock(adapter);
    if (!fresh)
        return;
    if (process)
        page_fault_find(&access, process->space ? process->space->va : &process->shared);
    fences_lock(adapter);
    device->access = access;
    device->unresolved = false;
    fences_unlock(adapter);
}

void page_faults_resolve(struct vidmm_adapter *adapter) {
    VIDMM_ASSERT_LOCKED(adapter);
    for (struct vidmm_device *device = adapter->devices.first; device; device = device->next)
        page_fault_resolve(device);
}
