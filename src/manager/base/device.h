/*
 * device.h - the records of devices, of their contexts, and of the bindings of resources to
 * devices.
 *
 * A device opens whole resources (DxgkDdiOpenAllocation); a binding keeps the device-specific
 * handles. A context belongs to one execution node and owns a ring of DMA buffers.
 */
#ifndef VIDMM_MANAGER_BASE_DEVICE_H
#define VIDMM_MANAGER_BASE_DEVICE_H

#include <vidmm/virtual.h>

#include "base/adapter.h"
#include "engine/dma_buffer.h"
#include "lists/residency_list.h"
#include "residency/trim.h"

struct companion;
struct vidmm_resource;

struct binding {
    struct binding *next; /* of the resource */
    struct vidmm_device *device;
    HANDLE handles[]; /* hDeviceSpecificAllocation of each allocation of the resource */
};

struct vidmm_device {
    struct vidmm_adapter *adapter;
    struct vidmm_device *next;
    HANDLE handle;   /* the driver's */
    uint32_t number; /* counted from 1 as they were created */
    /* Under fence_lock: */
    bool lost;
    bool unresolved; /* what `access` belongs to is not looked up yet: page_fault.h */
    struct vidmm_access access;
    bool system;
    struct vidmm_process *process; /* NULL without GPU virtual addresses */
    struct residency_list list;
    struct trim trim;
    struct vidmm_paging_queue *queues;
    struct vidmm_context *contexts;
    DXGK_CONTEXTINFO dma; /* when the driver makes no contexts: from DXGK_DEVICEINFO */
};

struct vidmm_context {
    struct vidmm_device *device;
    struct vidmm_context *next;
    HANDLE handle; /* the driver's context, or its device when it makes no contexts */
    uint32_t node;
    uint32_t companion_node;     /* PagingCompanionNodeId, as the driver said */
    struct companion *companion; /* companion.h; NULL: it had no updates so far */
    struct dma_ring dma;
    void *commands; /* copy of the commands that Render reads */
    uint32_t commands_size;
    void *patches; /* likewise of its patch locations */
    uint32_t patches_size;
    struct vidmm_reference *references; /* of one submission, context allocations included */
    uint32_t references_size;
};

#endif
