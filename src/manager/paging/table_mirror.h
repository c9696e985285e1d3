/*
 * table_mirror.h - the places of root tables of linked adapters, which are the same on each
 * (gpu-virtual-address.md, R389). table.c takes the places of all other tables.
 */
#ifndef VIDMM_MANAGER_TABLE_MIRROR_H
#define VIDMM_MANAGER_TABLE_MIRROR_H

#include "paging/table.h"

/* Tables of `level` have such places. */
bool table_is_mirrored(const struct space *space, uint32_t level);
/*
 * The first of the peers gets a place that is free on the others, as far as one is found, and these
 * get that. As the hook spaces.make_place otherwise.
 */
enum vidmm_status table_mirror_place(struct space *space, const struct table_place *wanted,
                                     struct placement *place);

#endif
