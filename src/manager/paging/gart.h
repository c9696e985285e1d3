/*
 * gart.h - MAP and UNMAP of an AGP-type aperture segment: not the driver's, but the GART's
 * (agp-type-aperture-space-segments.md).
 *
 * They are operations of a plan like those of linear apertures, in the same order, and are reported
 * like them. They take effect when their turn comes, by the CPU: run_quiesce (plan_run.c) waits for
 * work of contexts before, and a barrier of the plan for paging work.
 */
#ifndef VIDMM_MANAGER_GART_H
#define VIDMM_MANAGER_GART_H

#include <vidmm/manager.h>

struct plan_op;

/* `op` is one. */
bool gart_serves(const struct vidmm_adapter *adapter, const struct plan_op *op);
void gart_carry_out(struct vidmm_adapter *adapter, const struct plan_op *op);
/* A Cached allocation in such a segment: what the CPU wrote reaches the GPU, or the CPU sees what
 * the GPU wrote (ns-d3dkmddi-_dxgk_allocationinfoflags.md). Nothing for any other. */
void gart_flush(const struct vidmm_allocation *allocation);

#endif
