/*
 * host_aperture.h - the CPU's way to memory that no BAR shows as a whole: windows in a segment's
 * CPU host aperture (cpu-host-aperature.md).
 *
 * A window shows one allocation, page by page, wherever its pages lie. It stays with the allocation
 * after the lock, and is unmapped when the allocation leaves its segment or dies, or when another
 * one needs the room: the one that was let go of longest ago first. Page tables that the CPU writes
 * have windows, too, where their segment has no other way to them.
 */
#ifndef VIDMM_MANAGER_HOST_APERTURE_H
#define VIDMM_MANAGER_HOST_APERTURE_H

#include <vidmm/manager.h>

struct host_window;
struct placement;
struct segment;

/* True where locks of what lies in the allocation's segment go through windows. */
bool host_aperture_serves(const struct vidmm_allocation *allocation);
/*
 * A linear view of a resident allocation. VIDMM_NOT_LOCKABLE, without an error: there is no room,
 * or the driver refused.
 */
enum vidmm_status host_aperture_acquire(struct vidmm_allocation *allocation, void **cpu);
/* The last lock ended. */
void host_aperture_idle(struct vidmm_allocation *allocation);
/* Unmaps the allocation's window, if it has one. */
void host_aperture_release(struct vidmm_allocation *allocation);
/*
 * A page table's window, which stays until it is closed; the driver is told no allocation
 * (ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md).
 */
enum vidmm_status host_aperture_open_table(struct vidmm_adapter *adapter, struct segment *segment,
                                           const struct placement *place, uint64_t size,
                                           struct host_window **window);
/* The CPU's address of it. */
void *host_aperture_table(const struct host_window *window, const struct placement *place);
void host_aperture_close_table(struct host_window *window);
/* When the adapter goes: every allocation is gone. */
void host_apertures_end(struct vidmm_adapter *adapter);

#endif
