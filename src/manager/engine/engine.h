/*
 * engine.h - one engine that hangs or met a page fault, while the others go on
 * (timeout-detection-and-recovery.md, tdr-changes-in-windows-8.md,
 * access-to-non-resident-allocation.md). reset.h is what is left when that does not help.
 */
#ifndef VIDMM_MANAGER_ENGINE_H
#define VIDMM_MANAGER_ENGINE_H

#include <vidmm/manager.h>

/*
 * `node` has made no progress for as long as a GPU may take, or faulted. What hangs is preempted,
 * and if it cannot be, reset: the devices whose work the reset aborted are lost, all other work is
 * submitted again.
 * With both locks of the API held. VIDMM_OK: there is something to wait for again, or nothing any
 * more; VIDMM_GPU_LOST: the adapter has to be reset.
 */
enum vidmm_status engine_help(struct vidmm_adapter *adapter, uint32_t node);
/*
 * What `node` has not done is preempted, as for more urgent work, and submitted again, that of the driver's context
 * `urgent` (NULL: none) first; nothing where the driver cannot be asked for it. If it faulted it is reset before. Locks
 * and answer as of engine_help.
 */
enum vidmm_status engine_yield(struct vidmm_adapter *adapter, uint32_t node, HANDLE urgent);

#endif
