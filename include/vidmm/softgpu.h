/*
 * softgpu.h - the reference driver and the software GPU, as one names them in a host's
 * configuration.
 *
 * Settings (struct vidmm_host_setting; all optional):
 *   InterfaceVersion     DXGKDDI_INTERFACE_VERSION_* that the driver declares (default WDDM2_0:
 * QUERYSEGMENT4; WIN7: QUERYSEGMENT; WIN8, WDDM1_3: QUERYSEGMENT3) VramBytes            bytes of
 * GPU memory in all (default 256 MiB) VramVisibleBytes     how many of them are a CPU-visible
 * segment of their own (default: all) VramSegments         the invisible rest is cut into so many
 * segments (default 1) ApertureBytes        bytes of the linear aperture segment (default 512 MiB);
 * 0: none EvictionApertureBytes  a second linear aperture (default 0: none) Agp                  1:
 * also reports an AGP-type aperture segment Banks                banks of the first memory segment,
 * versions 1 and 3 only (default 0) PagingBufferBytes    default 65536 PagingBufferSegment  0
 * (default) or 1: the linear aperture PagingPrivateBytes   default 0 SwizzlingRanges      default 2
 *   Nodes                execution nodes: 2 (default: 0 render, 1 paging) or 1 (shared)
 *   BusyEvery            every n-th TRANSFER of a non-idle allocation is answered ALLOCATION_BUSY
 * (default 0: never) FaultKind, FaultAt   damages the FaultAt-th action (from 1) of one engine by
 * one byte: 1 copy, 2 fill, 3 aperture map (wrong page), 4 stamp, 5 swizzled copy, 6 drop a copy
 * whole, 7 unmap (keeps the old page) HangAt               the n-th command buffer of the render
 * node never completes HangPagingAt         the same for the paging node
 */
#ifndef VIDMM_SOFTGPU_H
#define VIDMM_SOFTGPU_H

#include <ntddk.h>

#include <vidmm/hwmodel.h>

DRIVER_INITIALIZE softgpu_driver_entry;
extern const struct vidmm_hw_model softgpu_model;

#endif
