/*
 * softgpu.h - the reference driver and the software GPU, as one names them in a host's
 * configuration.
 *
 * Settings (struct vidmm_host_setting; all optional):
 *   InterfaceVersion       DXGKDDI_INTERFACE_VERSION_* that the driver declares (default WDDM2_0:
 *                          QUERYSEGMENT4; WIN7: QUERYSEGMENT; WIN8, WDDM1_3: QUERYSEGMENT3)
 *   VramBytes              bytes of GPU memory in all (default 256 MiB)
 *   LinkedVram             the same of every board but the first of linked ones (default: VramBytes);
 *                          what is visible of it is less where it has to be
 *   VramVisibleBytes       how many of them, at most all, are a CPU-visible segment of their own
 *                          (default: all)
 *   VramSegments           the invisible rest is cut into so many segments (default 1)
 *   CpuHostApertureBytes   bytes of a BAR through which the CPU reaches pages of the invisible rest
 *                          that the system chooses, from WDDM 2.0 on (default 0: there is none;
 *                          nor is there one where all is visible, or with dirty bits)
 *   VprBytes               bytes of a video protected range in the middle of the first memory
 *                          segment, from WDDM 2.1 on: 64 KiB or a multiple, at most half of the
 *                          segment (default 0: there is none)
 *   ApertureBytes          bytes of the linear aperture segment (default 512 MiB); 0: none, up to
 *                          WDDM 1.3
 *   EvictionApertureBytes  a second linear aperture, up to WDDM 1.3 (default 0: none)
 *   Agp                    1: the platform has an AGP aperture, and the driver reports a segment of
 *                          that type up to WDDM 1.3 (default 0)
 *   AgpBytes               bytes of it (default 64 MiB)
 *   AgpCommitLimit         its CommitLimit (default 0: all of it)
 *   MapAperture2           1: takes MAP_APERTURE_SEGMENT2, from WDDM 2.9 on
 *   Gdi                    1: from Windows 7 on, where commands have no virtual addresses, the driver
 *                          takes commands of GDI: BITBLT with SRCCOPY, COLORFILL with PATCOPY
 *                          (default 0)
 *   Banks                  banks of the first memory segment, versions 1 and 3 only (default 0)
 *   PagingBufferBytes      default 65536; a quarter of the segment at most
 *   PagingBufferSegment    0 (default) or 1: the linear aperture, if there is one
 *   PagingPrivateBytes     default 0
 *   DmaBufferSegment       0 (default) or 1: DMA buffers of contexts without VirtualAddressing are in the linear aperture
 *   SwizzlingRanges        default 2
 *   Nodes                  execution nodes: 2 (default: 0 render, 1 paging) or 1 (shared)
 *   BusyEvery              every n-th TRANSFER of a non-idle allocation is answered ALLOCATION_BUSY
 *                          (default 0: never)
 *   FaultKind, FaultAt     damages the FaultAt-th action (from 1) of one engine by one byte:
 *                          1 copy, 2 fill, 3 aperture map (wrong page), 4 stamp, 5 swizzled copy,
 *                          6 drop a copy whole, 7 unmap (keeps the old page); with an MMU also
 *                          8 drop a TLB flush, 9 flush every second page only, 10 drop a write of
 *                          page table entries, 11 the first entry written names another page;
 *                          with dirty bits, of the pieces of memory that are noted as written,
 *                          12 a piece of a copy is not, 13 of a fill, 14 a write of the CPU,
 *                          15 the page behind is noted instead; 16 pages stay open to the CPU's
 *                          writes although their bits were taken
 *   HangAt                 the n-th command buffer of the render node never completes
 *   HangPagingAt           the same for the paging node
 *   Displays               connectors with a monitor: 0 (default) to 2
 *   NoContent              1: copies, fills, stamps and checks translate their addresses, fault and
 *                          cost time as ever, but move, write and compare nothing; page tables,
 *                          mappings, fences and commands are real. For studies of decisions, which
 *                          do not depend on content. Not with ContextBytes (default 0)
 *
 * GPU virtual memory:
 *   MmuLevels              levels of page tables, 2 to 6; 0 (default): the board has no MMU
 *   MmuIndexBits           byte n: index bits of level n (0: the leaves); default 0: by MmuLevels,
 *                          and fewer where tables that the CPU writes must fit a page
 *   MmuPages               0 (default): 4 KiB; 1: or 64 KiB, by leaf table; 2: dual entries
 *   MmuFeatures            sum of 1 read-only, 2 no-execute, 4 zero, 8 large pages,
 *                          16 the TLB keeps that a page is not mapped, 32 a large page begins at
 *                          any multiple of 4 KiB, 64 and lies in system memory too; default 7
 *   MmuUpdateMode          how the driver has page tables updated: 0 by the CPU (tables in system
 *                          memory), 1 by GPU virtual address, 2 (default) by physical address
 *   MmuTableSegment        segment of the page tables: 0 (default) system memory, where they fit
 *                          a page, or the id of a memory segment
 *   MmuDemands             sum of 1 ExplicitPageTableInvalidation, 2 AddressSpaceIdle,
 *                          4 SourcePageTableVaInTransfer: the driver says so, without need
 *   ContextBytes           bytes, whole pages, that the GPU saves of a context of an application
 *                          in a context allocation, behind the state that names its root table;
 *                          default 0: the driver names that with every submission
 *   TlbSets, TlbWays       geometry of the TLB (default 64 and 4); sets: a power of two
 *
 * Dirty bits and live migration (the driver knows them from WDDM 3.2 on):
 *   DirtyPageBytes         bytes of VRAM that a bit stands for: a power of two from 4096 to 2 MiB,
 *                          of which VramBytes and VramVisibleBytes are multiples; 0 (default):
 *                          there are no such bits. With an MMU, and paging buffers in system
 *                          memory, live migration too
 *   DirtyPerformant        1: the driver says that tracking costs next to nothing
 *
 * The CPU's addresses (from WDDM 2.0 on):
 *   Iommu                  1: the board can use the platform's IOMMU, and the driver has IoMmu.
 *                          Without MmuLevels VRAM is no segment then, all is system memory
 */
#ifndef VIDMM_SOFTGPU_H
#define VIDMM_SOFTGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntddk.h>

#include <vidmm/hwmodel.h>

#ifdef __cplusplus
extern "C" {
#endif

DRIVER_INITIALIZE vidmm_softgpu_entry;
extern const struct vidmm_hw_model vidmm_softgpu_model;

/* The names of the settings above, and NULL behind the last. */
const char *vidmm_softgpu_setting(size_t index);

/* What a way of copying reaches on this machine with copies of `from_bytes` and more. */
struct vidmm_softgpu_copy_rate {
    uint64_t from_bytes, bytes_per_second;
    const char *way;
    bool chosen;
};

/*
 * Fills in what the engines' copies take, size by size, at most `most` of them, and returns how many
 * there are; sizes that no copy had so far are tried first, for a few milliseconds. 0: out of memory.
 * Any thread may call it.
 */
uint32_t vidmm_softgpu_copy_rates(struct vidmm_softgpu_copy_rate *rate, uint32_t most);

#ifdef __cplusplus
}
#endif

#endif
