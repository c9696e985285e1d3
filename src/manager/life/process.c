/*
 * process.c - see process.h: processes and where their addresses lead.
 */
#include "life/process.h"

#include "base/assert.h"
#include "object/allocation.h"
#include "lists/idle.h"
#include "address/iommu.h"
#include "address/space_change.h"
#include "life/device.h"

#define CALL "vidmm_process_create"

static enum vidmm_status process_driver_create(struct vidmm_process *process, bool system) {
    struct vidmm_adapter *adapter = process->adapter;
    ULONG pasid = process->pasid;
    DXGKARG_CREATEPROCESS arg;
    memset(&arg, 0, sizeof(arg));
    arg.hDxgkProcess = process;
    arg.Flags.SystemProcess = system;
    arg.NumPasid = process->pasid ? 1 : 0;
    arg.pPasid = process->pasid ? &pasid : NULL;
    adapter_open(adapter);
    NTSTATUS nt = adapter->ddi->DxgkDdiCreateProcess(adapter->hadapter, &arg);
    adapter_return(adapter);
    enum vidmm_status status = error_unless_success(adapter, "DxgkDdiCreateProcess",
                                                    "nc-d3dkmddi-dxgkddi_createprocess", nt);
    if (status == VIDMM_OK)
        process->handle = arg.hKmdProcess;
    return status;
}

static void process_driver_destroy(struct vidmm_process *process) {
    struct vidmm_adapter *adapter = process->adapter;
    adapter_open(adapter);
    (void)adapter->ddi->DxgkDdiDestroyProcess(adapter->hadapter, process->handle);
    adapter_return(adapter);
}

static enum vidmm_status make_space(struct vidmm_process *process, const uint32_t *paging) {
    return paging ? space_make_paging(process, *paging, &process->space)
                  : space_make(process, &process->space);
}

/* The space is there first: the driver may reserve some of it while it makes the process. */
static enum vidmm_status make_both(struct vidmm_process *process, const uint32_t *paging) {
    struct vidmm_adapter *adapter = process->adapter;
    enum vidmm_status status = adapter->gpummu ? make_space(process, paging) : VIDMM_OK;
    if (status)
        return status;
    adapter->processes.creating = process;
    status = process_driver_create(process, paging);
    adapter->processes.creating = NULL;
    if (status && process->space)
        space_end(process->space);
    return status;
}

/* The system knows it no more. */
static void process_forget(struct vidmm_process *process) {
    if (process->pasid)
        iommu_leave(process);
    adapter_free(process->adapter, process, sizeof(*process));
}

static enum vidmm_status process_new(struct vidmm_adapter *adapter, uint32_t number,
                                     const uint32_t *paging, struct vidmm_process **out) {
    struct vidmm_process *process = adapter_alloc(adapter, sizeof(*process));
    if (!process)
        return error_no_memory(adapter, CALL);
    process->adapter = adapter;
    process->number = number;
    for (uint32_t i = 0; i < MEMORY_GROUPS; i++)
        process->fixed[i] = UINT64_MAX;
    enum vidmm_status status = adapter->iommu ? iommu_enter(process) : VIDMM_OK;
    if (status == VIDMM_OK)
        status = make_both(process, paging);
    if (status) {
        process_forget(process);
        return status;
    }
    *out = process;
    return VIDMM_OK;
}

enum vidmm_status process_make(struct vidmm_adapter *adapter, uint32_t number,
                               struct vidmm_process **out) {
    return process_new(adapter, number, NULL, out);
}

enum vidmm_status process_make_paging(struct vidmm_adapter *adapter, uint32_t physical,
                                      struct vidmm_process **out) {
    return process_new(adapter, 0, &physical, out);
}

void process_list(struct vidmm_process *process) {
    process->next = process->adapter->processes.first;
    process->adapter->processes.first = process;
}

static void process_unlist(struct vidmm_process *process) {
    struct vidmm_process **link = &process->adapter->processes.first;
    while (*link && *link != process)
        link = &(*link)->next;
    if (*link)
        *link = process->next;
}

void process_end(struct vidmm_process *process) {
    VIDMM_ASSERT_ENTERED(process->adapter);
    if (process->privileged)
        process_end(process->privileged);
    if (process->device)
        device_destroy(process->device);
    process_unlist(process);
    if (process->owner)
        process->owner->privileged = NULL;
    if (process->space)
        space_end(process->space);
    process_driver_destroy(process);
    process_forget(process);
}

void processes_end(struct vidmm_adapter *adapter) {
    while (adapter->processes.first)
        process_end(adapter->processes.first);
}

/* Listed before its root is written: a reset in between writes it again. */
static enum vidmm_status process_create(struct vidmm_adapter *adapter, struct vidmm_process **out) {
    struct vidmm_process *process = NULL;
    if (!adapter_virtual(adapter))
        return error_argument(adapter, CALL, "an adapter that runs on virtual addresses");
    enum vidmm_status status = process_make(adapter, adapter->processes.made + 1, &process);
    if (status)
        return status;
    adapter->processes.made++;
    process_list(process);
    status = adapter->gpummu ? space_root(process->space) : VIDMM_OK;
    if (status) {
        process_end(process);
        return status;
    }
    *out = process;
    return VIDMM_OK;
}

enum vidmm_status vidmm_process_create(struct vidmm_adapter *adapter, struct vidmm_process **out) {
    *out = NULL;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, CALL);
    if (status == VIDMM_OK)
        status = process_create(adapter, out);
    adapter_leave(adapter);
    return status;
}

void vidmm_process_destroy(struct vidmm_process *process) {
    if (!process)
        return;
    struct vidmm_adapter *adapter = process->adapter;
    adapter_enter(adapter);
    adapter_settle(adapter, NULL);
    process_end(process);
    adapter_leave(adapter);
}

enum vidmm_status vidmm_process_move_root(struct vidmm_process *process) {
    struct vidmm_adapter *adapter = process->adapter;
    adapter_enter(adapter);
    enum vidmm_status status = adapter_serves(adapter, "vidmm_process_move_root");
    if (status == VIDMM_OK && !process->space)
        status = error_argument(adapter, "vidmm_process_move_root",
                                "an adapter that runs on GPU virtual addresses");
    if (status == VIDMM_OK)
        status = space_move_root(process->space);
    adapter_leave(adapter);
    return status;
}

bool vidmm_process_lookup(struct vidmm_process *process, uint64_t va,
                          struct vidmm_allocation **allocation, uint64_t *offset) {
    uint64_t row;
    adapter_enter(process->adapter);
    const struct mapping *mapping =
        va_find(process->space ? process->space->va : &process->shared, va);
    bool leads = mapping && mapping->start <= va && mapping->use.kind == VA_PAGES;
    if (leads) {
        *allocation = mapping->use.allocation;
        *offset = va_offset(mapping, va, &row);
    }
    adapter_leave(process->adapter);
    return leads;
}

void vidmm_gpummu_info(struct vidmm_adapter *adapter, uint32_t physical,
                       struct vidmm_gpummu_info *info) {
    const struct mmu *mmu = &adapter->facts.physical[physical].mmu;
    const struct spaces *spaces = &adapter->physical[physical].spaces;
    *info = (struct vidmm_gpummu_info){
        .on = adapter->gpummu, .iommu = adapter->iommu, .caps = mmu->caps, .levels = mmu->levels};
    memcpy(info->level, mmu->level, sizeof(info->level));
    info->large_bytes = mmu->large && mmu->on ? UINT64_C(1) << mmu_shift(mmu, 1) : 0;
    info->paging_bytes = spaces->scratch_end - spaces->scratch_start;
}
