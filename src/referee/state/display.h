/*
 * display.h - what video present sources show: the paths of the network that was committed last, and of each
 * the surfaces that its hardware may read, which a vertical sync narrows down.
 */
#ifndef REFEREE_STATE_DISPLAY_H
#define REFEREE_STATE_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#define DISPLAY_PATHS    16u
#define DISPLAY_SHOWN    8u
#define DISPLAY_CHILDREN 32u

/* A surface that was set for a source, and that the hardware may read. */
struct display_shown {
    uint64_t address;
    HANDLE allocation; /* NULL: not known */
};

struct display_path {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    D3DDDI_VIDEO_PRESENT_TARGET_ID target;
    struct display_shown shown[DISPLAY_SHOWN]; /* the newest last */
    uint32_t count;
    bool hidden;      /* its source is invisible: nothing of it is shown */
    bool lost;        /* what is shown is not known: nothing is judged */
    bool latched;     /* a surface of it was reported */
    uint64_t vsyncs;  /* reported since the path was committed */
    uint64_t since;   /* of them since the newest was set */
    uint64_t flipped; /* of those before its address was reported; UINT64_MAX: it was not */
    uint64_t address; /* of the newest report */
};

struct display {
    struct display_path path[DISPLAY_PATHS];
    uint32_t paths;
    UINT child
        [DISPLAY_CHILDREN]; /* ChildUid, as DxgkDdiQueryChildRelations said; 0 of them: not known */
    uint32_t children;
};

#endif
