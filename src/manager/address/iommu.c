/*
 * iommu.c - see iommu.h. Where a process has mapped allocations is in process->shared, a VA
 * map like that of GPU addresses (va.h).
 */
#include "address/iommu.h"

#include "reported/needed.h"
#include "object/allocation.h"
#include "object/iommu_mapping.h"
#include "lists/idle.h"

#define CALL_MAP  "vidmm_va_map"
#define CALL_FREE "vidmm_va_free"
#define PAGE      "iommu-model"

static enum vidmm_status iommu_wrong(struct vidmm_adapter *adapter, const char *call,
                                     const char *expected) {
    return FAIL(adapter, .status = VIDMM_BAD_ARGUMENT, .call = call, .expected = expected,
                .page = PAGE, .index = ERROR_NO_INDEX);
}

/* ---- Adapters, processes, contexts ----------------------------------------------------------- */

enum vidmm_status iommu_start(struct vidmm_adapter *adapter) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    const struct needed_function needed[] = {
        {"DxgkDdiCreateProcess", ddi->DxgkDdiCreateProcess},
        {"DxgkDdiDestroyProcess", ddi->DxgkDdiDestroyProcess},
        {"DxgkDdiCreateContext", adapter->contexts},
        {"DxgkDdiSubmitCommandVirtual", ddi->DxgkDdiSubmitCommandVirtual},
    };
    return adapter_needs(adapter, needed, sizeof(needed) / sizeof(needed[0]),
                         "a function, from a driver with IoMmuSupported", PAGE);
}

enum vidmm_status iommu_enter(struct vidmm_process *process) {
    const struct vidmm_os *os = &process->adapter->os;
    va_init(&process->shared, os, UINT64_MAX);
    process->pasid = os->iommu->attach(os->ctx);
    return process->pasid ? VIDMM_OK : error_no_memory(process->adapter, "vidmm_process_create");
}

void iommu_leave(struct vidmm_process *process) {
    const struct vidmm_os *os = &process->adapter->os;
    while (process->shared.root)
        iommu_mapping_end(process->shared.root);
    os->iommu->detach(os->ctx, process->pasid);
    va_destroy(&process->shared);
}

enum vidmm_status iommu_check_context(struct vidmm_adapter *adapter, const DXGK_CONTEXTINFO *info) {
    if (!adapter->facts.physical[0].mmu.has || info->Caps.UseIoMmu)
        return VIDMM_OK;
    return FAIL(adapter, .status = VIDMM_DRIVER_REFUSED, .call = "DxgkDdiCreateContext",
                .field = "DXGK_CONTEXTINFO_CAPS.UseIoMmu",
                .expected = "set, for a device with a PASID, by a driver that has both models",
                .page = "ns-d3dkmddi-_dxgk_contextinfo_caps", .index = ERROR_NO_INDEX,
                .value = info->Caps.Value);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static const struct mapping *mapping_of(const struct vidmm_process *process,
                                        const struct vidmm_allocation *allocation) {
    const struct mapping *mapping = allocation->mappings;
    while (mapping && mapping->va != &process->shared)
        mapping = mapping->next;
    return mapping;
}

static enum vidmm_status map_all(struct vidmm_process *process,
                                 struct vidmm_allocation *allocation) {
    const struct vidmm_os *os = &process->adapter->os;
    uint64_t start = os->iommu->map(os->ctx, process->pasid, allocation->mdl);
    const struct va_use use = {.kind = VA_PAGES,
                               .allocation = allocation,
                               .list = &allocation->mappings,
                               .origin = start,
                               .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
    if (start == 0)
        return error_no_memory(process->adapter, CALL_MAP);
    if (!va_prepare(&process->shared, 2 * VA_SET_NODES) ||
        !va_set(&process->shared, start, start + allocation->size, &use)) {
        os->iommu->unmap(os->ctx, process->pasid, start);
        return error_no_memory(process->adapter, CALL_MAP);
    }
    iommu_mapping_set_access(mapping_of(process, allocation));
    return VIDMM_OK;
}

/* What the CPU's page tables cannot give. */
static enum vidmm_status iommu_check(struct vidmm_process *process,
                                     const struct vidmm_va_request *request) {
    const struct vidmm_allocation *allocation = request->allocation;
    uint64_t limit = allocation ? allocation->size : 0;
    if (!allocation || (request->protection & (VIDMM_VA_ZERO | VIDMM_VA_NO_ACCESS)))
        return iommu_wrong(process->adapter, CALL_MAP,
                           "an allocation: nothing else has an address");
    if (request->base || request->minimum || request->maximum)
        return iommu_wrong(process->adapter, CALL_MAP, "no wish for an address: it is the CPU's");
    if (request->driver_protection)
        return iommu_wrong(process->adapter, CALL_MAP,
                           "no driver protection: the pages are the CPU's");
    if (((request->offset | request->size) & (PAGE_BYTES - 1)) || request->size == 0 ||
        request->offset >= limit || request->size > limit - request->offset)
        return iommu_wrong(process->adapter, CALL_MAP,
                           "a range of the allocation, in units of 4 KB");
    return VIDMM_OK;
}

enum vidmm_status iommu_map(struct vidmm_process *process, const struct vidmm_va_request *request,
                            uint64_t *va) {
    enum vidmm_status status = iommu_check(process, request);
    if (status == VIDMM_OK && !mapping_of(process, request->allocation))
        status = map_all(process, request->allocation);
    if (status == VIDMM_OK)
        *va = mapping_of(process, request->allocation)->start + request->offset;
    return status;
}

enum vidmm_status iommu_free(struct vidmm_process *process, uint64_t va, uint64_t size) {
    const struct mapping *mapping = va_find(&process->shared, va);
    if (!mapping || mapping->start != va || mapping->end - va != size)
        return iommu_wrong(process->adapter, CALL_FREE,
                           "all of an allocation: the CPU's addresses are not divided");
    adapter_settle(process->adapter, mapping->use.allocation);
    iommu_mapping_end(mapping);
    return VIDMM_OK;
}
