/*
 * aperture.c - see aperture.h.
 */
#include "object/aperture.h"

#include "object/allocation.h"

struct vidmm_device *aperture_device(const struct vidmm_allocation *allocation) {
    return allocation->primary ? NULL : allocation_device(allocation);
}

bool aperture_second_form(const struct vidmm_adapter *adapter) {
    return adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 &&
           adapter->facts.caps.MemoryManagementCaps.MapAperture2Supported;
}

/* gpu-segments.md: a display reads a primary by its physical address, whatever the engines do. */
bool aperture_serves(const struct vidmm_allocation *allocation) {
    return !aperture_second_form(allocation->adapter) || allocation->primary ||
           allocation->info.FlagsWddm2.AccessedPhysically;
}
