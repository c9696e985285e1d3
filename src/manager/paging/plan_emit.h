/*
 * plan_emit.h - a plan's moves as paging operations, in an order in which no operation spoils
 * another's source.
 */
#ifndef VIDMM_MANAGER_PLAN_EMIT_H
#define VIDMM_MANAGER_PLAN_EMIT_H

#include "paging/plan.h"

/* Adds the operations of all moves, and of the DMA buffer. False: no memory. */
bool plan_emit(struct plan *plan);

#endif
