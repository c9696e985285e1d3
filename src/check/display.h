/*
 * display.h - video present networks, as the system makes one before it shows anything: of one path, and of two. The
 * first half of stage display (stage_display.c).
 */
#ifndef VIDMM_CHECK_DISPLAY_H
#define VIDMM_CHECK_DISPLAY_H

#include "stage.h"

#include <vidmm/vidpn.h>

#define DISPLAY_TARGETS  32u
#define DISPLAY_FRAME_NS UINT64_C(17000000) /* a vertical sync is in it, from 60 Hz on */

/* Flags of a mode that is set, or ends, and of nothing else. */
static const DXGKARG_COMMITVIDPN_FLAGS as_usual;

struct display {
    struct check *check;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE adapter;
    uint32_t sources;
    D3DDDI_VIDEO_PRESENT_TARGET_ID targets[DISPLAY_TARGETS]; /* video outputs */
    uint32_t target_count;
    uint32_t monitors;           /* so many of them, the first, have one */
    struct vidmm_vidpn *none;    /* a network without paths */
    struct vidmm_vidpn *network; /* has a path from `source` to `target`, and a mode of each */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    D3DDDI_VIDEO_PRESENT_TARGET_ID target;
    D3DKMDT_VIDPN_SOURCE_MODE mode; /* which is pinned */
    UINT lines;                     /* of what the target displays in the mode that is pinned */
    bool source_pinned, target_pinned;
};

/* Asks for the children; those that have a monitor come first. False: the driver has none, which `*why` says. */
bool display_children(struct display *display, const char **why);
/* Finds a network that the driver supports. False: there is none, which `*why` says; or a finding does. */
bool display_network(struct display *display, const char **why);
/*
 * Finds a network that the driver supports of the path of `display`, in its mode, and of one from the next source to a target
 * with a monitor, which is `*second`: it has no network without paths. False: there is none. `*second` is closed either way.
 */
bool display_second(const struct display *display, struct display *second);
void display_close(struct display *display);
/* DxgkDdiCommitVidPn; `source` D3DDDI_ID_ALL: of each one. */
NTSTATUS display_commit(struct display *display, struct vidmm_vidpn *network,
                        D3DDDI_VIDEO_PRESENT_SOURCE_ID source, HANDLE primary,
                        DXGKARG_COMMITVIDPN_FLAGS flags);
/* R638: behind a call of the driver, which got the network. */
void display_judge_kept(struct display *display, struct vidmm_vidpn *network, const char *call);

/* display_interrupt.c: vertical syncs are to be reported, or not. True: the driver controls that. R643. */
bool display_control(const struct display *display, DXGK_CRTC_VSYNC_STATE state);
/* R643: what the system asks for in no version, and drivers refuse. */
void display_control_other(const struct display *display);
/* R643: work that is submitted while they are off is reported. The caller turns them on again. */
void display_pause(const struct display *display, struct vidmm_context *context,
                   DXGK_CRTC_VSYNC_STATE state);
/* While they are on: work that ends between two instructions of the interrupt routine, which serves one, is reported (K30). */
void display_work_beside(const struct display *display, struct vidmm_context *context);

/* scan_line.c, R657: which line the target displays, at several moments of a frame, while a mode of it is set. */
void display_scan_lines(const struct display *display);

#endif
