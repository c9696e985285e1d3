/*
 * resource.c - allocations come and go: DxgkDdiCreateAllocation, OpenAllocation, CloseAllocation,
 * DestroyAllocation.
 *
 * The allocations of one call are one resource. One CloseAllocation and one DestroyAllocation carry
 * all of them (R140), so an allocation that is destroyed alone gives back its memory at once, and
 * its handles when the last one of the resource goes.
 */
#include "life/resource.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "object/validate.h"
#include "engine/device_error.h"
#include "lists/idle.h"
#include "address/companion.h"
#include "life/release.h"

#define CREATE_PAGE "nc-d3dkmddi-dxgkddi_createallocation"
#define OPEN_PAGE   "nc-d3dkmddi-dxgkddi_openallocationinfo"

static size_t binding_size(const struct vidmm_resource *resource) {
    return sizeof(struct binding) + resource->count * sizeof(HANDLE);
}

static void free_resource(struct vidmm_resource *resource) {
    struct vidmm_adapter *adapter = resource->adapter;
    for (uint32_t i = 0; i < resource->count; i++) {
        struct vidmm_allocation *allocation = &resource->allocations[i];
        handle_close(adapter, allocation->kernel);
        adapter_free(adapter, allocation->private_data, allocation->info.PrivateDriverDataSize);
    }
    adapter_free(adapter, resource->private_data, resource->private_size);
    adapter_free(adapter, resource->handles, resource->size * sizeof(*resource->handles));
    adapter_free(adapter, resource->allocations, resource->size * sizeof(*resource->allocations));
    adapter_free(adapter, resource, sizeof(*resource));
}

/* One allocation of a new resource as far as `request` tells. False: no memory. */
static bool new_allocation(struct vidmm_resource *resource, struct vidmm_allocation *allocation,
                           const struct vidmm_allocation_request *request) {
    struct vidmm_adapter *adapter = resource->adapter;
    allocation->adapter = adapter;
    allocation->resource = resource;
    allocation->user = request->user;
    allocation->primary = request->primary;
    allocation->kernel = handle_open(adapter, allocation);
    if (!allocation->kernel || request->private_size == 0)
        return allocation->kernel != 0;
    allocation->private_data = adapter_alloc(adapter, request->private_size);
    if (!allocation->private_data)
        return false;
    memcpy(allocation->private_data, request->private_data, request->private_size);
    allocation->info.PrivateDriverDataSize = request->private_size;
    return true;
}

/* False: no memory. */
static bool keep_data(struct vidmm_resource *resource,
                      const struct vidmm_allocation_request *request) {
    if (request->resource_size == 0)
        return true;
    resource->private_data = adapter_alloc(resource->adapter, request->resource_size);
    if (!resource->private_data)
        return false;
    memcpy(resource->private_data, request->resource_data, request->resource_size);
    resource->private_size = request->resource_size;
    return true;
}

/* An empty resource with copies of the callers' private data; NULL: no memory. */
static struct vidmm_resource *new_resource(struct vidmm_device *device,
                                           const struct vidmm_allocation_request *requests,
                                           uint32_t count) {
    struct vidmm_adapter *adapter = device->adapter;
    struct vidmm_resource *resource = adapter_alloc(adapter, sizeof(*resource));
    if (!resource)
        return NULL;
    *resource = (struct vidmm_resource){.adapter = adapter,
                                        .creator = device,
                                        .grouped = count > 1 || requests[0].resource_size != 0,
                                        .size = count,
                                        .count = count,
                                        .alive = count};
    resource->allocations = adapter_alloc(adapter, count * sizeof(*resource->allocations));
    resource->handles = adapter_alloc(adapter, count * sizeof(*resource->handles));
    bool complete = resource->allocations && resource->handles && keep_data(resource, &requests[0]);
    if (!resource->allocations)
        resource->count = 0;
    for (uint32_t i = 0; complete && i < count; i++)
        complete = new_allocation(resource, &resource->allocations[i], &requests[i]);
    if (complete)
        return resource;
    free_resource(resource);
    return NULL;
}

/* DestroyAllocation of all handles: those in `infos`, or NULL: those taken over from there. */
static void resource_driver_destroy(struct vidmm_resource *resource,
                                    const DXGK_ALLOCATIONINFO *infos) {
    struct vidmm_adapter *adapter = resource->adapter;
    HANDLE *handles = resource->handles;
    uint32_t used = 0;
    for (uint32_t i = 0; i < resource->count; i++) {
        HANDLE handle = infos ? infos[i].hAllocation : resource->allocations[i].handle;
        if (handle)
            handles[used++] = handle;
    }
    DXGKARG_DESTROYALLOCATION arg = {
        .NumAllocations = used, .pAllocationList = handles, .hResource = resource->handle};
    arg.Flags.DestroyResource = resource->grouped;
    if (used == 0 && !resource->grouped)
        return;
    adapter_open(adapter);
    (void)adapter->ddi->DxgkDdiDestroyAllocation(adapter->hadapter, &arg);
    adapter_return(adapter);
}

static enum vidmm_status resource_validate(struct vidmm_resource *resource,
                                           const DXGK_ALLOCATIONINFO *infos,
                                           const struct vidmm_allocation_request *requests) {
    enum vidmm_status status = VIDMM_OK;
    for (uint32_t i = 0; status == VIDMM_OK && i < resource->count; i++)
        status = validate_allocation(resource->adapter, &infos[i], &requests[i], i);
    return status;
}

static void release_all(struct vidmm_resource *resource) {
    for (uint32_t i = 0; i < resource->count; i++)
        allocation_release(&resource->allocations[i]);
}

static enum vidmm_status resource_take_over(struct vidmm_resource *resource,
                                            DXGK_ALLOCATIONINFO *infos,
                                            const struct vidmm_allocation_request *requests) {
    struct vidmm_adapter *adapter = resource->adapter;
    for (uint32_t i = 0; i < resource->count; i++) {
        PMDL existing = requests[i].existing;
        infos[i].pPrivateDriverData = requests[i].private_data;
        infos[i].PrivateDriverDataSize = requests[i].private_size;
        if (existing && (existing->ByteOffset || existing->ByteCount < infos[i].Size)) {
            release_all(resource);
            return error_argument(adapter, "vidmm_allocation_create",
                                  "existing pages that hold the allocation");
        }
        if (!allocation_init(adapter, &resource->allocations[i], &infos[i], existing)) {
            release_all(resource);
            return error_no_memory(adapter, "vidmm_allocation_create");
        }
    }
    return VIDMM_OK;
}

/* CreateAllocation, whose answer is checked; on failure the driver holds nothing. */
static enum vidmm_status resource_driver_create(struct vidmm_resource *resource,
                                                DXGK_ALLOCATIONINFO *infos,
                                                const struct vidmm_allocation_request *requests) {
    struct vidmm_adapter *adapter = resource->adapter;
    DXGKARG_CREATEALLOCATION arg = {.pPrivateDriverData = resource->private_data,
                                    .PrivateDriverDataSize = resource->private_size,
                                    .NumAllocations = resource->count,
                                    .pAllocationInfo = infos};
    arg.Flags.Resource = resource->grouped;
    for (uint32_t i = 0; i < resource->count; i++) {
        infos[i].pPrivateDriverData = resource->allocations[i].private_data;
        infos[i].PrivateDriverDataSize = requests[i].private_size;
    }
    adapter_open(adapter);
    NTSTATUS nt = adapter->ddi->DxgkDdiCreateAllocation(adapter->hadapter, &arg);
    adapter_return(adapter);
    enum vidmm_status status =
        validate_status(adapter, "DxgkDdiCreateAllocation", "R137", CREATE_PAGE, nt);
    if (status)
        return status;
    resource->handle = arg.hResource;
    status = resource_validate(resource, infos, requests);
    if (status == VIDMM_OK)
        status = resource_take_over(resource, infos, requests);
    if (status)
        resource_driver_destroy(resource, infos);
    return status;
}

static void close_handles(struct vidmm_device *device, const HANDLE *handles, uint32_t count) {
    struct vidmm_adapter *adapter = device->adapter;
    DXGKARG_CLOSEALLOCATION arg = {.NumAllocations = count, .pOpenHandleList = handles};
    adapter_open(adapter);
    (void)adapter->ddi->DxgkDdiCloseAllocation(device->handle, &arg);
    adapter_return(adapter);
}

/* Takes the handles out of what OpenAllocation answered (R143); a bad answer closes the others. */
static enum vidmm_status take_handles(struct vidmm_resource *resource, struct vidmm_device *device,
                                      struct binding *binding,
                                      const DXGK_OPENALLOCATIONINFO *infos) {
    uint32_t good = 0, bad = ERROR_NO_INDEX;
    for (uint32_t i = 0; i < resource->count; i++) {
        if (infos[i].hDeviceSpecificAllocation)
            binding->handles[good++] = infos[i].hDeviceSpecificAllocation;
        else if (bad == ERROR_NO_INDEX)
            bad = i;
    }
    if (bad == ERROR_NO_INDEX)
        return VIDMM_OK;
    if (good)
        close_handles(device, binding->handles, good);
    return FAIL(resource->adapter, .status = VIDMM_DRIVER_BROKE_RULE,
                .call = "DxgkDdiOpenAllocation",
                .field = "DXGK_OPENALLOCATIONINFO.hDeviceSpecificAllocation",
                .expected = "not NULL after STATUS_SUCCESS", .rule = "R143", .page = OPEN_PAGE,
                .index = bad);
}

static enum vidmm_status driver_open(struct vidmm_resource *resource, struct vidmm_device *device,
                                     struct binding *binding, DXGK_OPENALLOCATIONINFO *infos,
                                     bool create) {
    struct vidmm_adapter *adapter = resource->adapter;
    DXGKARG_OPENALLOCATION arg = {.NumAllocations = resource->count,
                                  .pOpenAllocation = infos,
                                  .pPrivateDriverData = resource->private_data,
                                  .PrivateDriverSize = resource->private_size};
    arg.Flags.Create = create;
    for (uint32_t i = 0; i < resource->count; i++) {
        const struct vidmm_allocation *allocation = &resource->allocations[i];
        infos[i].hAllocation = allocation->kernel;
        infos[i].pPrivateDriverData = allocation->private_data;
        infos[i].PrivateDriverDataSize = allocation->info.PrivateDriverDataSize;
    }
    adapter_open(adapter);
    NTSTATUS nt = adapter->ddi->DxgkDdiOpenAllocation(device->handle, &arg);
    adapter_return(adapter);
    enum vidmm_status status =
        validate_status(adapter, "DxgkDdiOpenAllocation", NULL, OPEN_PAGE, nt);
    return status ? status : take_handles(resource, device, binding, infos);
}

static enum vidmm_status resource_bind(struct vidmm_resource *resource, struct vidmm_device *device,
                                       bool create) {
    struct vidmm_adapter *adapter = resource->adapter;
    size_t infos_size = resource->count * sizeof(DXGK_OPENALLOCATIONINFO);
    struct binding *binding = adapter_alloc(adapter, binding_size(resource));
    DXGK_OPENALLOCATIONINFO *infos = adapter_alloc(adapter, infos_size);
    enum vidmm_status status = binding && infos
                                   ? driver_open(resource, device, binding, infos, create)
                                   : error_no_memory(adapter, "vidmm_allocation_open");
    adapter_free(adapter, infos, infos_size);
    if (status) {
        adapter_free(adapter, binding, binding_size(resource));
        return status;
    }
    binding->device = device;
    binding->next = resource->bindings;
    resource->bindings = binding;
    return VIDMM_OK;
}

void resource_unbind(struct vidmm_resource *resource, struct binding *binding) {
    struct binding **link = &resource->bindings;
    while (*link != binding)
        link = &(*link)->next;
    *link = binding->next;
    close_handles(binding->device, binding->handles, resource->count);
    adapter_free(resource->adapter, binding, binding_size(resource));
}

static void link_resource(struct vidmm_resource *resource) {
    resource->link = &resource->adapter->resources;
    resource->next = *resource->link;
    if (resource->next)
        resource->next->link = &resource->next;
    *resource->link = resource;
}

static void unlink_resource(struct vidmm_resource *resource) {
    *resource->link = resource->next;
    if (resource->next)
        resource->next->link = resource->link;
}

void resource_destroy(struct vidmm_resource *resource) {
    VIDMM_ASSERT_ENTERED(resource->adapter);
    for (uint32_t i = 0; i < resource->count; i++)
        companion_forget(&resource->allocations[i]);
    while (resource->bindings)
        resource_unbind(resource, resource->bindings);
    for (uint32_t i = 0; i < resource->count; i++) {
        if (!resource->allocations[i].dead)
            allocation_release(&resource->allocations[i]);
    }
    resource_driver_destroy(resource, NULL);
    unlink_resource(resource);
    free_resource(resource);
}

static enum vidmm_status resource_create(struct vidmm_device *device,
                                         const struct vidmm_allocation_request *requests,
                                         uint32_t count, struct vidmm_resource **out) {
    struct vidmm_adapter *adapter = device->adapter;
    size_t infos_size = count * sizeof(DXGK_ALLOCATIONINFO);
    struct vidmm_resource *resource = new_resource(device, requests, count);
    DXGK_ALLOCATIONINFO *infos = resource ? adapter_alloc(adapter, infos_size) : NULL;
    enum vidmm_status status = infos ? resource_driver_create(resource, infos, requests)
                                     : error_no_memory(adapter, "vidmm_allocations_create");
    adapter_free(adapter, infos, infos_size);
    if (status) {
        if (resource)
            free_resource(resource);
        return status;
    }
    link_resource(resource);
    status = resource_bind(resource, device, true);
    if (status)
        resource_destroy(resource);
    else
        *out = resource;
    return status;
}

enum vidmm_status vidmm_allocations_create(struct vidmm_device *device,
                                           const struct vidmm_allocation_request *requests,
                                           uint32_t count, struct vidmm_allocation **out) {
    struct vidmm_adapter *adapter = device->adapter;
    struct vidmm_resource *resource = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, "vidmm_allocations_create");
    if (status == VIDMM_OK && count == 0)
        status = error_argument(adapter, "vidmm_allocations_create", "at least one allocation");
    if (status == VIDMM_OK)
        status = resource_create(device, requests, count, &resource);
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++) {
        out[i] = &resource->allocations[i];
        if (requests[i].private_size)
            memcpy(requests[i].private_data, out[i]->private_data, requests[i].private_size);
    }
    adapter_leave(adapter);
    return status;
}

enum vidmm_status vidmm_allocation_create(struct vidmm_device *device,
                                          const struct vidmm_allocation_request *request,
                                          struct vidmm_allocation **out) {
    return vidmm_allocations_create(device, request, 1, out);
}

void vidmm_allocation_destroy(struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = allocation->adapter;
    struct vidmm_resource *resource = allocation->resource;
    adapter_enter(adapter);
    adapter_settle(adapter, allocation);
    if (--resource->alive == 0) {
        resource_destroy(resource);
    } else {
        companion_forget(allocation);
        allocation_release(allocation);
        allocation->dead = true;
    }
    adapter_leave(adapter);
}

static struct binding *find_binding(const struct vidmm_resource *resource,
                                    const struct vidmm_device *device) {
    struct binding *binding = resource->bindings;
    while (binding && binding->device != device)
        binding = binding->next;
    return binding;
}

enum vidmm_status vidmm_allocation_open(struct vidmm_device *device,
                                        struct vidmm_allocation *allocation) {
    struct vidmm_adapter *adapter = device->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(device, "vidmm_allocation_open");
    if (status == VIDMM_OK && !find_binding(allocation->resource, device))
        status = resource_bind(allocation->resource, device, false);
    adapter_leave(adapter);
    return status;
}

HANDLE resource_handle(const struct vidmm_allocation *allocation,
                       const struct vidmm_device *device) {
    const struct vidmm_resource *resource = allocation->resource;
    const struct binding *binding = resource ? find_binding(resource, device) : NULL;
    return binding ? binding->handles[allocation - resource->allocations] : NULL;
}
