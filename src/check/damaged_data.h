/*
 * damaged_data.h - private data that no user-mode driver of this driver wrote, but any process may pass: to
 * DxgkDdiCreateAllocation and DxgkDdiCreateContext (R436).
 */
#ifndef VIDMM_CHECK_DAMAGED_DATA_H
#define VIDMM_CHECK_DAMAGED_DATA_H

#include "surface.h"

/* A surface from descriptions of it in which one word is another, and, if there are private data of the resource, from
 * less of those. */
void damaged_surface(struct check *check, const struct check_surface *surface);
/* Of a setup: where contexts get private data. */
void damaged_table(DRIVER_INITIALIZATION_DATA *table);
/* Contexts with bytes of no language, while the manager of such a setup runs. */
void damaged_contexts(struct check *check);

#endif
