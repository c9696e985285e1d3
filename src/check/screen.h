/*
 * screen.h - surfaces that a source of a network shows: the calls that set, show and flip them, and what is judged of each.
 * What is shown when is stage display's (stage_display.c).
 */
#ifndef VIDMM_CHECK_SCREEN_H
#define VIDMM_CHECK_SCREEN_H

#include "display.h"

#define SCREEN_FLIPPED 3u /* surfaces between which is flipped */
#define SCREEN_SURFACES                                                                            \
    (SCREEN_FLIPPED + 5u) /* ... and one for each other segment, up to so many */

struct shown {
    struct vidmm_allocation *allocation; /* NULL: none */
    uint32_t id;                         /* of its segment */
    UINT segment;                        /* the same as the driver counts them */
    uint64_t address;
    HANDLE handle; /* the driver's */
    HANDLE opened; /* hDeviceSpecificAllocation; NULL: not known */
};

struct screen {
    struct display display;
    struct vidmm_device *device;
    struct vidmm_context *context;
    HANDLE opened;     /* the driver's of it; NULL: it has none */
    UINT private_size; /* of its DMA buffers */
    struct shown shown[SCREEN_SURFACES];
    uint32_t now;    /* which of them was set last */
    bool flips;      /* by DxgkDdiSetVidPnSourceAddress; else the function only changes modes */
    bool controlled; /* the driver took the newest request to enable or disable vertical syncs */
    bool enabled;    /* they are to be reported */
    bool synced;     /* some were */
};

/* What the calls of a run need to know of the driver's objects: `table` of its check_setup. */
void screen_table(DRIVER_INITIALIZATION_DATA *table);

/* Creates device, context and the surfaces that are flipped. False: `*why` says why not; NULL: a finding does. */
bool screen_make(struct screen *screen, const char **why);
/* Makes one in `segment`, where none is yet; `*index`: which. False: the driver does not want it there, or there is no
 * room. */
bool screen_make_in(struct screen *screen, uint32_t segment, uint32_t *index);
/* All of it goes; no display reads a surface any more. */
void screen_release(struct screen *screen);

/* Lets so much time pass that what was asked for is in effect. */
void screen_settle(struct screen *screen);
/* DxgkDdiCommitVidPn of its source. */
bool screen_commit(struct screen *screen, struct vidmm_vidpn *network, HANDLE primary,
                   DXGKARG_COMMITVIDPN_FLAGS flags);
bool screen_visible(struct screen *screen, bool visible);
void screen_interrupts(struct screen *screen, DXGK_CRTC_VSYNC_STATE state);
/* DxgkDdiSetVidPnSourceAddress, with ModeChange or for the next vertical sync. */
NTSTATUS screen_set(struct screen *screen, uint32_t index, bool mode_change);
/* Waits until it is shown, where vertical syncs say so. R648. */
bool screen_flip(struct screen *screen, uint32_t index);

/* R640, once what was asked for is in effect. */
void screen_judge_scanout(struct screen *screen, bool visible);
/* R643: vertical syncs are disabled, which the driver controls. */
void screen_judge_quiet(struct screen *screen);
/* R639: of hardware that shows that it has displays, or has had a vertical sync before. */
void screen_judge_syncs(struct screen *screen);

#endif
