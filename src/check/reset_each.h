/*
 * reset_each.h - a reset of the adapter while each node has work of a process that writes memory: it is over on all of
 * them when DxgkDdiResetFromTimeout returns (nc-d3dkmddi-dxgkddi_resetfromtimeout.md).
 */
#ifndef VIDMM_CHECK_RESET_EACH_H
#define VIDMM_CHECK_RESET_EACH_H

#include "user.h"

/* The hooks of a run, as part of a table of check_setup. */
void reset_each_table(DRIVER_INITIALIZATION_DATA *table);
/* Resets behind such work, with which the device is lost. False: the run ends. */
bool reset_each(struct user *user);

#endif
