/*
 * network.h - networks of stage display, for the files that ask a driver about several: one path, what the driver supports,
 * the modes that it offers. See display_network.c.
 */
#ifndef VIDMM_CHECK_NETWORK_H
#define VIDMM_CHECK_NETWORK_H

#include "display.h"

/* A network of one path, to `target`, which replaces that of `display`. False: there is no memory. */
bool network_alone(struct display *display, D3DDDI_VIDEO_PRESENT_TARGET_ID target);
/* One more path in it, from `display->source` to `target`. */
bool network_connect(struct display *display, D3DDDI_VIDEO_PRESENT_TARGET_ID target);
/* DxgkDdiIsSupportedVidPn, and R638. `network` NULL: none. */
NTSTATUS network_ask(struct display *display, struct vidmm_vidpn *network, bool *supported);
/* DxgkDdiEnumVidPnCofuncModality with the source, the target or nothing as the pivot, R634 and R638. False: it fails. */
bool network_modes(struct display *display, D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot);
/* R642: a mode of the `what` was pinned, where the network was supported before. False: it is not any more. */
bool network_judge_offered(struct display *display, bool offered, const char *what);

#endif
