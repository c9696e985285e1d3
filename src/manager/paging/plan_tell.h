/*
 * plan_tell.h - a plan as the observer sees it (vidmm_observer.plan).
 */
#ifndef VIDMM_MANAGER_PLAN_TELL_H
#define VIDMM_MANAGER_PLAN_TELL_H

#include "paging/plan.h"

/* After its execution, before its moves take effect or are taken back. */
void plan_tell(const struct plan *plan, enum vidmm_status status);

#endif
