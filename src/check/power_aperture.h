/*
 * power_aperture.h - pages that are mapped into an aperture before the adapter goes to D3 and again behind it, of a
 * driver that pages by GPU virtual address, whose manager maps none by itself (carry.h).
 */
#ifndef VIDMM_CHECK_POWER_APERTURE_H
#define VIDMM_CHECK_POWER_APERTURE_H

#include "stage.h"

/* For check_setup.started, where check_setup.table is carry_table. */
void power_aperture_open(struct check *check);
/* Before memory is emptied, which fills the paging buffers that carry it: what is mapped is unmapped. */
void power_aperture_leave(void);
/* Behind D0, but the last time: the next paging buffers map it. */
void power_aperture_return(void);
/* For check_setup.ended. */
void power_aperture_close(struct check *check);

#endif
