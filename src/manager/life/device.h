/*
 * device.h - devices and their contexts, and the bindings of resources to devices.
 *
 * A device opens whole resources (DxgkDdiOpenAllocation); a binding keeps the device-specific
 * handles. A context belongs to one execution node and owns a ring of DMA buffers.
 */
#ifndef VIDMM_MANAGER_DEVICE_H
#define VIDMM_MANAGER_DEVICE_H

#include <vidmm/virtual.h>

#include "adapter/adapter.h"
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
    struct vidmm_reference *references; /* of one submission, context allocations included */
    uint32_t references_size;
};

/* The system device, and its context on the paging node; nothing when the driver needs none. */
enum vidmm_status system_device_create(struct vidmm_adapter *adapter);
/* For the system device; its handle goes into adapter->paging. */
enum vidmm_status system_context_create(struct vidmm_device *device);
/* A system device in the space of `process`, which becomes its own. */
enum vidmm_status device_create_own(struct vidmm_process *process);
enum vidmm_status context_make(struct vidmm_device *device, uint32_t node,
                               struct vidmm_context **out);
void context_destroy(struct vidmm_context *context);
/* Destroys device, contexts and bindings. Gate held, lock held. */
void device_destroy(struct vidmm_device *device);
bool device_is_lost(struct vidmm_device *device);
/* Puts it in error; device_lose says so with a error, and answers VIDMM_DEVICE_LOST. */
void device_mark_lost(struct vidmm_device *device);
enum vidmm_status device_lose(struct vidmm_device *device, const char *call, const char *rule,
                              const char *page);
/* VIDMM_DEVICE_LOST with a error, for work of device `number`, which may be gone. Takes the locks.
 */
enum vidmm_status device_report_lost(struct vidmm_adapter *adapter, uint32_t number,
                                     const char *call);
/* VIDMM_DEVICE_LOST or VIDMM_STOPPED, with a error, when `device` serves no `call`. */
enum vidmm_status device_serves(struct vidmm_device *device, const char *call);

#endif
