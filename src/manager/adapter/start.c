/*
 * start.c - the start and the stop of an adapter.
 */
#include <vidmm/interfaces.h>

#include "base/adapter.h"
#include "base/assert.h"
#include "reported/needed.h"
#include "object/allocation.h"
#include "object/host_aperture.h"
#include "lists/idle.h"
#include "paging/space.h"
#include "residency/residency.h"
#include "address/iommu.h"
#include "life/context_allocation.h"
#include "life/device.h"
#include "life/paging_fence.h"
#include "life/paging_process.h"
#include "life/process.h"
#include "life/resource.h"
#include "check/check.h"
#include "adapter/reset.h"

#define DEFAULT_HANG_NS UINT64_C(2000000000)

static void destroy_locks(struct vidmm_adapter *adapter) {
    void *locks[3] = {adapter->api_lock, adapter->lock, adapter->fence_lock};
    for (uint32_t i = 0; i < 3; i++) {
        if (locks[i])
            adapter->os.lock_destroy(adapter->os.ctx, locks[i]);
    }
}

static void start_release(struct vidmm_adapter *adapter) {
    const struct vidmm_os os = adapter->os;
    paging_destroy(adapter);
    swizzling_destroy(adapter);
    plans_destroy(adapter);
    handles_release(adapter);
    adapter_free(adapter, adapter->scratch, adapter->scratch_size * sizeof(*adapter->scratch));
    policy_stop(&adapter->policy);
    fences_destroy(adapter);
    query_release(&os, &adapter->facts);
    destroy_locks(adapter);
    os.free(os.ctx, adapter, sizeof(*adapter));
}

/*
 * Segments that may hold allocations: the CPU's addresses lead to system memory only
 * (gpu-virtual-memory-in-wddm-2-0.md).
 */
static void find_sets(struct vidmm_adapter *adapter) {
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct segment *segment = &adapter->facts.segments[i];
        if (segment->aperture)
            adapter->sets.aperture |= 1u << i;
        else if (!adapter->iommu)
            adapter->sets.memory |= 1u << i;
        if (segment->vpr.size)
            adapter->sets.vpr |= adapter->sets.memory & 1u << i;
    }
}

/* The policy is told how much memory there is. */
static enum vidmm_status start_policy(struct vidmm_adapter *adapter,
                                      const struct vidmm_policy *policy) {
    uint64_t memory[VIDMM_POLICY_SEGMENTS + 1] = {0};
    for (uint32_t i = 0; i < adapter->facts.segment_count; i++) {
        const struct segment *segment = &adapter->facts.segments[i];
        memory[segment->id] = segment->aperture ? 0 : segment->size;
    }
    return policy_start(&adapter->policy, policy, &adapter->os, memory, adapter_virtual(adapter))
               ? VIDMM_OK
               : error_no_memory(adapter, "vidmm_adapter_start");
}

static enum vidmm_status start_query(struct vidmm_adapter *adapter,
                                     const struct vidmm_adapter_config *config) {
    const struct vidmm_gart *gart = adapter->os.gart;
    struct query_context context = {.os = &adapter->os,
                                    .ddi = adapter->ddi,
                                    .hadapter = adapter->hadapter,
                                    .policy = &adapter->policy,
                                    .agp_base = gart ? gart->base : 0,
                                    .agp_size = gart ? gart->size : 0,
                                    .readings = config->readings,
                                    .linked = config->linked,
                                    .interface_version = config->interface_version,
                                    .model = config->model};
    enum vidmm_status status = query_adapter(&context, &adapter->facts, &adapter->error);
    if (status != VIDMM_OK || adapter->facts.interface_version == adapter->ddi->Version)
        return status;
    /* No function is called that is newer than what is spoken. */
    adapter->older_ddi = *adapter->ddi;
    vidmm_interface_cut(&adapter->older_ddi, adapter->facts.interface_version);
    adapter->ddi = &adapter->older_ddi;
    return VIDMM_OK;
}

static enum vidmm_status start_check_table(struct vidmm_adapter *adapter) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    const struct needed_function needed[] = {
        {"DxgkDdiQueryAdapterInfo", ddi->DxgkDdiQueryAdapterInfo},
        {"DxgkDdiCreateDevice", ddi->DxgkDdiCreateDevice},
        {"DxgkDdiDestroyDevice", ddi->DxgkDdiDestroyDevice},
        {"DxgkDdiCreateAllocation", ddi->DxgkDdiCreateAllocation},
        {"DxgkDdiDestroyAllocation", ddi->DxgkDdiDestroyAllocation},
        {"DxgkDdiOpenAllocation", ddi->DxgkDdiOpenAllocation},
        {"DxgkDdiCloseAllocation", ddi->DxgkDdiCloseAllocation},
        {"DxgkDdiBuildPagingBuffer", ddi->DxgkDdiBuildPagingBuffer},
    };
    return adapter_needs(adapter, needed, sizeof(needed) / sizeof(needed[0]), "not NULL",
                         "ns-dispmprt-_driver_initialization_data");
}

/* With GPU virtual addresses all work comes by DxgkDdiSubmitCommandVirtual, the system's own as well. */
static enum vidmm_status start_check_submission(struct vidmm_adapter *adapter) {
    const struct needed_function needed = {"DxgkDdiSubmitCommand",
                                           adapter->gpummu || adapter->ddi->DxgkDdiSubmitCommand};
    return adapter_needs(adapter, &needed, 1, "not NULL, from a driver without GpuMmuSupported",
                         "nc-d3dkmddi-dxgkddi_submitcommand");
}

/* Where the caller chose no model: page tables of the GPU rather than of the CPU. Linked adapters run
 * on what all of them have. */
static void choose_model(struct vidmm_adapter *adapter, enum vidmm_model model) {
    const struct adapter_facts *facts = &adapter->facts;
    bool wanted =
        model == VIDMM_MODEL_IOMMU || (model == VIDMM_MODEL_ANY && !facts->physical[0].mmu.has);
    adapter->gpummu = true;
    adapter->iommu = wanted && adapter->os.iommu;
    for (uint32_t i = 0; i < facts->linked; i++) {
        adapter->gpummu = adapter->gpummu && facts->physical[i].mmu.on;
        adapter->iommu = adapter->iommu && facts->physical[i].iommu;
    }
}

/* A model that was asked for by name and that driver or system do not have. */
static enum vidmm_status check_model(struct vidmm_adapter *adapter, enum vidmm_model model) {
    const char *expected = NULL;
    if (model == VIDMM_MODEL_GPUMMU && !adapter->gpummu)
        expected = "a model that the driver has: DXGK_VIDMMCAPS.GpuMmuSupported is not set";
    if (model == VIDMM_MODEL_IOMMU && !adapter->iommu)
        expected = adapter->os.iommu
                       ? "a model that the driver has: DXGK_VIDMMCAPS.IoMmuSupported is not set"
                       : "a model that the system has: there is no IOMMU";
    return expected ? error_argument(adapter, "vidmm_adapter_config.model", expected) : VIDMM_OK;
}

static enum vidmm_status bring_up(struct vidmm_adapter *adapter,
                                  const struct vidmm_adapter_config *config) {
    enum vidmm_status status = start_check_table(adapter);
    if (status == VIDMM_OK)
        status = start_query(adapter, config);
    if (status)
        return status;
    choose_model(adapter, config->model);
    status = check_model(adapter, config->model);
    if (status == VIDMM_OK)
        status = start_check_submission(adapter);
    if (status == VIDMM_OK)
        status = start_policy(adapter, config->policy);
    if (status)
        return status;
    find_sets(adapter);
    adapter->contexts = adapter->facts.caps.SchedulingCaps.MultiEngineAware &&
                        adapter->ddi->DxgkDdiCreateContext && adapter->ddi->DxgkDdiDestroyContext;
    if (!fences_init(adapter) || !swizzling_init(adapter))
        return error_no_memory(adapter, "vidmm_adapter_start");
    status = paging_create(adapter);
    if (status == VIDMM_OK && adapter->gpummu)
        status = paging_process_start(adapter);
    if (status == VIDMM_OK && adapter->iommu)
        status = iommu_start(adapter);
    if (status == VIDMM_OK)
        status = system_devices_create(adapter);
    for (uint32_t i = 0; status == VIDMM_OK && adapter->gpummu && i < adapter->facts.linked; i++)
        status = paging_keep(adapter, i);
    if (status == VIDMM_OK)
        status = paging_map(adapter);
    if (status == VIDMM_OK)
        status = migration_start(adapter);
    return status;
}

static struct vidmm_adapter *new_adapter(const struct vidmm_adapter_config *config) {
    const struct vidmm_os *os = config->os;
    struct vidmm_adapter *adapter = os->alloc(os->ctx, sizeof(*adapter));
    if (!adapter)
        return NULL;
    adapter->os = *os;
    adapter->ddi = config->ddi;
    adapter->hadapter = config->hadapter;
    if (config->observer)
        adapter->settings.observer = *config->observer;
    adapter->settings.readings = config->readings;
    adapter->hooks = (struct adapter_hooks){.reset = reset_adapter,
                                            .call_ends = context_allocations_reap,
                                            .check = VIDMM_ASSERTIONS >= 2 ? adapter_check : NULL};
    adapter->settings.quiesce = config->quiesce;
    adapter->settings.quiesce_ctx = config->quiesce_ctx;
    adapter->settings.hang_ns = config->hang_ns ? config->hang_ns : DEFAULT_HANG_NS;
    adapter->settings.transfer_chunk = config->transfer_chunk & ~(uint64_t)(PAGE_BYTES - 1);
    adapter->settings.scratch_most = config->scratch_most & ~(uint64_t)(PAGE_BYTES - 1);
    adapter->settings.address_from = config->address_from;
    adapter->settings.paging_from = config->paging_from & ~(uint64_t)(SPACE_RESERVE_UNIT - 1);
    adapter->settings.serial_paging = config->serial_paging;
    adapter->settings.preempt_every = config->preempt_every;
    adapter->settings.first_fence = config->first_fence;
    adapter->api_lock = os->lock_create(os->ctx);
    adapter->lock = os->lock_create(os->ctx);
    adapter->fence_lock = os->lock_create(os->ctx);
    if (adapter->api_lock && adapter->lock && adapter->fence_lock)
        return adapter;
    destroy_locks(adapter);
    os->free(os->ctx, adapter, sizeof(*adapter));
    return NULL;
}

/* The way down, for a start that failed as for a stop. Both locks are held, and released. */
static void tear_down(struct vidmm_adapter *adapter) {
    if (adapter->fences.nodes)
        adapter_settle(adapter, NULL);
    migration_end(adapter);
    dirty_stop(adapter);
    while (adapter->devices.first)
        device_destroy(adapter->devices.first);
    while (adapter->resources)
        resource_destroy(adapter->resources);
    processes_end(adapter);
    if (adapter->fences.nodes)
        paging_unmap(adapter);
    for (uint32_t i = adapter->facts.linked; i-- > 0;) {
        if (adapter->physical[i].device)
            device_destroy(adapter->physical[i].device);
    }
    if (adapter->gpummu)
        paging_process_stop(adapter);
    paging_fences_end(adapter);
    migration_release(adapter);
    host_apertures_end(adapter);
    adapter_leave(adapter);
    if (adapter->settings.quiesce)
        adapter->settings.quiesce(adapter->settings.quiesce_ctx);
    start_release(adapter);
}

/* The driver may report completions before the start returns, on any thread. */
static void start_publish(struct vidmm_adapter **out, struct vidmm_adapter *adapter) {
    __atomic_store_n(out, adapter, __ATOMIC_RELEASE);
}

enum vidmm_status vidmm_adapter_start(const struct vidmm_adapter_config *config,
                                      struct vidmm_adapter **out, struct vidmm_error *error) {
    struct vidmm_error none = {
        .status = VIDMM_NO_MEMORY, .call = "vidmm_adapter_start", .index = ERROR_NO_INDEX};
    struct vidmm_adapter *adapter = new_adapter(config);
    if (!adapter) {
        start_publish(out, NULL);
        if (error)
            *error = none;
        return VIDMM_NO_MEMORY;
    }
    start_publish(out, adapter);
    adapter_enter(adapter);
    enum vidmm_status status = bring_up(adapter, config);
    if (status) {
        if (error)
            *error = adapter->error;
        tear_down(adapter);
        start_publish(out, NULL); /* not before: going down waits for completions as well */
        return status;
    }
    adapter_leave(adapter);
    return VIDMM_OK;
}

static enum vidmm_status empty_segments(void *ctx) {
    return residency_evict_all(ctx, residency_any, NULL, VIDMM_PLAN_STOP);
}

void vidmm_adapter_stop(struct vidmm_adapter *adapter) {
    if (!adapter)
        return;
    adapter_enter(adapter);
    if (!adapter->stopped)
        (void)adapter_persist(adapter, empty_segments, adapter);
    tear_down(adapter);
}
