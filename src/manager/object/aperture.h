/*
 * aperture.h - which allocations an aperture segment may show, and for which device.
 */
#ifndef VIDMM_MANAGER_APERTURE_H
#define VIDMM_MANAGER_APERTURE_H

#include <vidmm/manager.h>

/* hDevice of a mapping: the owner, NULL for a primary (ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md).
 */
struct vidmm_device *aperture_device(const struct vidmm_allocation *allocation);
/*
 * True for a driver that takes an address descriptor list instead of an MDL: it gets
 * MAP_APERTURE_SEGMENT2 and never MAP_APERTURE_SEGMENT (iommu-dma-remapping.md).
 */
bool aperture_second_form(const struct vidmm_adapter *adapter);
/* False for one that such a driver does not get into an aperture (R130). */
bool aperture_serves(const struct vidmm_allocation *allocation);
#endif
