/*
 * update_property.c - where an allocation may lie, changed while it lives
 * (nc-d3dumddi-pfnd3dddi_updateallocationpropertycb.md): the driver is asked first (R402), and what
 * no longer fits the new properties moves, or everything is as before.
 */
#include "object/allocation.h"
#include "object/candidates.h"
#include "engine/device_error.h"
#include "residency/residency.h"

#define CALL "vidmm_allocation_update"
#define ASK  "DxgkDdiValidateUpdateAllocationProperty"
#define PAGE "ns-d3dkmddi-_dxgkarg_validateupdateallocproperty"

struct update {
    struct vidmm_allocation *allocation;
    const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *wanted;
};

/* The properties that can change. */
struct properties {
    uint32_t read_set, write_set;
    DXGK_SEGMENTPREFERENCE preferred;
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 flags;
};

static struct properties properties_of(const struct vidmm_allocation *allocation) {
    return (struct properties){allocation->read_set, allocation->write_set,
                               allocation->info.PreferredSegment, allocation->info.FlagsWddm2};
}

static void set_properties(struct vidmm_allocation *allocation,
                           const struct properties *properties) {
    allocation->read_set = properties->read_set;
    allocation->write_set = properties->write_set;
    allocation->info.PreferredSegment = properties->preferred;
    allocation->info.FlagsWddm2 = properties->flags;
    allocation->resident.facts.local = candidates_prefer_memory(allocation);
    residency_entries_update(allocation);
    allocation_publish_info(allocation);
}

static struct properties wanted_properties(const struct update *update) {
    const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *wanted = update->wanted;
    struct properties properties = properties_of(update->allocation);
    if (wanted->SetSupportedSegmentSet)
        properties.read_set = properties.write_set =
            segment_set_of_driver(&update->allocation->adapter->facts, update->allocation->home,
                                  wanted->SupportedSegmentSet);
    if (wanted->SetPreferredSegment)
        properties.preferred = wanted->PreferredSegment;
    if (wanted->SetAccessedPhysically)
        properties.flags.AccessedPhysically = wanted->Flags.AccessedPhysically;
    return properties;
}

static enum vidmm_status update_check(const struct update *update) {
    const struct vidmm_allocation *allocation = update->allocation;
    struct vidmm_adapter *adapter = allocation->adapter;
    const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *wanted = update->wanted;
    uint32_t usable = driver_segment_set(&adapter->facts, allocation->home,
                                         adapter->sets.memory | adapter->sets.aperture);
    uint32_t set = wanted->SupportedSegmentSet;
    if (!allocation->resource || allocation->locks || allocation->pinned || allocation->offered)
        return error_argument(adapter, CALL, "an allocation not locked, pinned or offered");
    if (wanted->SetSupportedSegmentSet && (!set || (set & ~usable)))
        return error_argument(adapter, CALL, "segments that the adapter has, at least one");
    if (wanted->Reserved)
        return error_argument(adapter, CALL, "reserved bits of PropertyMaskValue 0");
    return VIDMM_OK;
}

static enum vidmm_status ask_driver(const struct update *update) {
    struct vidmm_adapter *adapter = update->allocation->adapter;
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY arg = *update->wanted;
    NTSTATUS nt = STATUS_NOT_SUPPORTED;
    arg.hAllocation = update->allocation->handle;
    if (adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1 &&
        adapter->ddi->DxgkDdiValidateUpdateAllocationProperty) {
        adapter_open(adapter);
        nt = adapter->ddi->DxgkDdiValidateUpdateAllocationProperty(adapter->hadapter, &arg);
        adapter_return(adapter);
    }
    return error_unless_success(adapter, ASK, PAGE, nt);
}

/* True while it lies where it may, in the form that is asked for. */
static bool update_fits(const struct vidmm_allocation *allocation) {
    const struct placement *place = &allocation->place;
    bool row = !place->floating && place->extent_count <= 1;
    return !allocation->segment ||
           (segment_in_set(allocation->segment, allocation->write_set) &&
            (!allocation->adapter->gpummu || !allocation_contiguous(allocation) || row));
}

/* Out, and back in if it is on a residency list. */
static enum vidmm_status update_move(void *ctx) {
    struct vidmm_allocation *allocation = ctx;
    struct vidmm_adapter *adapter = allocation->adapter;
    struct vidmm_reference reference = {.allocation = allocation, .write = true};
    enum vidmm_status status = device_serves(allocation_device(allocation), CALL);
    if (status == VIDMM_OK && !update_fits(allocation))
        status = residency_evict(allocation, false, VIDMM_PLAN_PROPERTY);
    if (status == VIDMM_OK && allocation->residency_entries && !allocation->segment)
        status = residency_make(adapter, &reference, 1, adapter->fences.submitted + 1,
                                VIDMM_PLAN_PROPERTY);
    return status;
}

static enum vidmm_status update_change(const struct update *update) {
    struct vidmm_allocation *allocation = update->allocation;
    struct properties before = properties_of(allocation), after = wanted_properties(update);
    set_properties(allocation, &after);
    enum vidmm_status status = adapter_persist(allocation->adapter, update_move, allocation);
    if (status)
        set_properties(allocation, &before);
    return status;
}

enum vidmm_status vidmm_allocation_update(struct vidmm_allocation *allocation,
                                          const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *properties) {
    struct vidmm_adapter *adapter = allocation->adapter;
    struct update update = {allocation, properties};
    adapter_enter(adapter);
    enum vidmm_status status = device_serves(allocation_device(allocation), CALL);
    if (status == VIDMM_OK)
        status = update_check(&update);
    if (status == VIDMM_OK)
        status = ask_driver(&update);
    if (status == VIDMM_OK)
        status = update_change(&update);
    adapter_leave(adapter);
    return status;
}
