/*
 * paging_hang.h - the paging engine of a driver with GPU virtual addresses hangs, where the hardware has the setting
 * HangPagingAt; and what the driver says of it while the manager helps (tdr-changes-in-windows-8.md). Any driver shows
 * it: the work is the system's own, or empty.
 */
#ifndef VIDMM_CHECK_PAGING_HANG_H
#define VIDMM_CHECK_PAGING_HANG_H

#include "user.h"

/* For check_setup.table: puts itself before what the manager calls of an engine that hangs. */
void paging_hang_table(DRIVER_INITIALIZATION_DATA *table);
/* The same, and the first reset of the engine fails: the manager resets the adapter, whose engine hangs. */
void paging_hang_fails_table(DRIVER_INITIALIZATION_DATA *table);
/* Works until the engine has hung and was helped, or it is clear that it does not; `*hung`. False: the stage ends. */
bool paging_hangs(struct user *user, uint32_t node, bool *hung);

#endif
