/* cofunctional.c - see cofunctional.h. */
#include "cofunctional.h"

#include "network.h"

#include <stdio.h>

/* Where nothing is pinned the pivot keeps the modes that it has. */
static void judge_pivots(struct display *display) {
    check_step(display->check, "display: pivots without a pinned mode");
    if (network_alone(display, display->target) && network_modes(display, D3DKMDT_EPT_NOPIVOT)) {
        (void)network_modes(display, D3DKMDT_EPT_VIDPNSOURCE);
        (void)network_modes(display, D3DKMDT_EPT_VIDPNTARGET);
    }
}

/* ---- Modes that the driver offers ------------------------------------------------------------ */

/* So many of a set: the first, the last, the smallest and the largest. Some may be the same. */
#define SAMPLES 4u

struct sample {
    UINT id;
    D3DKMDT_2DREGION size;
};

struct samples {
    uint32_t count; /* 0: the set has no modes */
    struct sample mode[SAMPLES];
};

static uint64_t pixels(const struct sample *sample) {
    return (uint64_t)sample->size.cx * sample->size.cy;
}

static void samples_take(struct samples *samples, UINT id, const D3DKMDT_2DREGION *size) {
    const struct sample taken = {id, *size};
    if (samples->count == 0) {
        *samples = (struct samples){SAMPLES, {taken, taken, taken, taken}};
        return;
    }
    samples->mode[1] = taken;
    if (pixels(&taken) < pixels(&samples->mode[2]))
        samples->mode[2] = taken;
    if (pixels(&taken) > pixels(&samples->mode[3]))
        samples->mode[3] = taken;
}

static const D3DKMDT_2DREGION *source_mode_size(const D3DKMDT_VIDPN_SOURCE_MODE *mode) {
    return mode->Type == D3DKMDT_RMT_GRAPHICS ? &mode->Format.Graphics.PrimSurfSize : NULL;
}

static const D3DKMDT_2DREGION *target_mode_size(const D3DKMDT_VIDPN_TARGET_MODE *mode) {
    return &mode->VideoSignalInfo.ActiveSize;
}

/* The same for sources and for targets: takes samples of the set of the end, pins one of it, and pins one that is put into it
 * first. */
#define ENDS(kind, Kind, SET, MODE)                                                                \
    static void sample_##kind(const struct display *display, struct samples *samples) {            \
        const DXGK_VIDPN_INTERFACE *network = vidmm_vidpn_interface();                             \
        D3DKMDT_HVIDPN handle = vidmm_vidpn_handle(display->network);                              \
        const DXGK_VIDPN##SET##MODESET_INTERFACE *modes;                                           \
        D3DKMDT_HVIDPN##SET##MODESET set;                                                          \
        const MODE *mode, *next;                                                                   \
        if (network->pfnAcquire##Kind##ModeSet(handle, display->kind, &set, &modes) !=             \
            STATUS_SUCCESS)                                                                        \
            return;                                                                                \
        NTSTATUS status = modes->pfnAcquireFirstModeInfo(set, &mode);                              \
        for (; status == STATUS_SUCCESS; mode = next) {                                            \
            if (kind##_mode_size(mode))                                                            \
                samples_take(samples, mode->Id, kind##_mode_size(mode));                           \
            status = modes->pfnAcquireNextModeInfo(set, mode, &next);                              \
            (void)modes->pfnReleaseModeInfo(set, mode);                                            \
        }                                                                                          \
        (void)network->pfnRelease##Kind##ModeSet(handle, set);                                     \
    }                                                                                              \
    static bool pin_##kind(struct display *display, UINT id) {                                     \
        const DXGK_VIDPN_INTERFACE *network = vidmm_vidpn_interface();                             \
        D3DKMDT_HVIDPN handle = vidmm_vidpn_handle(display->network);                              \
        const DXGK_VIDPN##SET##MODESET_INTERFACE *modes;                                           \
        D3DKMDT_HVIDPN##SET##MODESET set;                                                          \
        if (network->pfnAcquire##Kind##ModeSet(handle, display->kind, &set, &modes) !=             \
            STATUS_SUCCESS)                                                                        \
            return false;                                                                          \
        display->kind##_pinned = modes->pfnPinMode(set, id) == STATUS_SUCCESS;                     \
        (void)network->pfnRelease##Kind##ModeSet(handle, set);                                     \
        return display->kind##_pinned;                                                             \
    }                                                                                              \
    static void pin_own_##kind(const struct display *display, const MODE *own) {                   \
        const DXGK_VIDPN_INTERFACE *network = vidmm_vidpn_interface();                             \
        D3DKMDT_HVIDPN handle = vidmm_vidpn_handle(display->network);                              \
        const DXGK_VIDPN##SET##MODESET_INTERFACE *modes;                                           \
        D3DKMDT_HVIDPN##SET##MODESET set;                                                          \
        MODE *mode;                                                                                \
        if (network->pfnAcquire##Kind##ModeSet(handle, display->kind, &set, &modes) !=             \
            STATUS_SUCCESS)                                                                        \
            return;                                                                                \
        if (modes->pfnCreateNewModeInfo(set, &mode) == STATUS_SUCCESS) {                           \
            UINT id = mode->Id;                                                                    \
            *mode = *own;                                                                          \
            mode->Id = id;                                                                         \
            (void)modes->pfnAddMode(set, mode);                                                    \
            (void)modes->pfnPinMode(set, id);                                                      \
        }                                                                                          \
        (void)network->pfnRelease##Kind##ModeSet(handle, set);                                     \
    }

ENDS(source, Source, SOURCE, D3DKMDT_VIDPN_SOURCE_MODE)
ENDS(target, Target, TARGET, D3DKMDT_VIDPN_TARGET_MODE)

/* One end of the path. */
static const struct path_end {
    const char *name;
    D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot;
    void (*sample)(const struct display *display, struct samples *samples);
    bool (*pin)(struct display *display, UINT id);
} path_ends[] = {{"source", D3DKMDT_EPT_VIDPNSOURCE, sample_source, pin_source},
                 {"target", D3DKMDT_EPT_VIDPNTARGET, sample_target, pin_target}};

/* R642: one that was pinned before is not any more. False: it is not supported. */
static bool judge_sample(struct display *display, const struct path_end *end,
                         const struct sample *sample) {
    char what[64];
    (void)snprintf(what, sizeof(what), "%s of %u times %u pixels", end->name, sample->size.cx,
                   sample->size.cy);
    return end->pin(display, sample->id) && network_judge_offered(display, true, what);
}

/* With mode `index` of one end pinned: those that the driver offers for the other. */
static void judge_others(struct display *display, const struct path_end *end,
                         const struct path_end *other, uint32_t index) {
    struct samples mine = {.count = 0}, its = {.count = 0};
    if (!network_alone(display, display->target) || !network_modes(display, D3DKMDT_EPT_NOPIVOT))
        return;
    end->sample(display, &mine);
    if (index >= mine.count || !judge_sample(display, end, &mine.mode[index]) ||
        !network_modes(display, end->pivot))
        return;
    other->sample(display, &its);
    for (uint32_t i = 0; i < its.count; i++)
        (void)judge_sample(display, other, &its.mode[i]);
}

/* A driver that scales may offer other sizes: it says itself what it supports. */
static void judge_modes_offered(struct display *display) {
    for (uint32_t i = 0; i < 2; i++) {
        check_step(display->check, "display: modes that go with those of the %s",
                   path_ends[i].name);
        for (uint32_t k = 0; k < SAMPLES; k++)
            judge_others(display, &path_ends[i], &path_ends[1 - i], k);
    }
}

/* ---- What the driver may not support --------------------------------------------------------- */

#define ODD_WIDTH  1234u
#define ODD_HEIGHT 570u
#define ODD_HZ     61u

static const D3DKMDT_VIDPN_SOURCE_MODE odd_size = {
    .Type = D3DKMDT_RMT_GRAPHICS,
    .Format.Graphics = {.PrimSurfSize = {ODD_WIDTH, ODD_HEIGHT},
                        .VisibleRegionSize = {ODD_WIDTH, ODD_HEIGHT},
                        .Stride = ODD_WIDTH * 4,
                        .PixelFormat = D3DDDIFMT_A8R8G8B8,
                        .ColorBasis = D3DKMDT_CB_SRGB,
                        .PixelValueAccessMode = D3DKMDT_PVAM_DIRECT}};
static const D3DKMDT_VIDPN_TARGET_MODE odd_signal = {
    .VideoSignalInfo = {.VideoStandard = D3DKMDT_VSS_OTHER,
                        .TotalSize = {ODD_WIDTH, ODD_HEIGHT},
                        .ActiveSize = {ODD_WIDTH, ODD_HEIGHT},
                        .VSyncFreq = {ODD_HZ, 1},
                        .HSyncFreq = {ODD_HZ * ODD_HEIGHT, 1},
                        .PixelRate = (SIZE_T)ODD_HZ * ODD_WIDTH * ODD_HEIGHT,
                        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE},
    .Preference = D3DKMDT_MP_NOTPREFERRED};

/* The mode that is shown, in a format that few displays read. */
static D3DKMDT_VIDPN_SOURCE_MODE odd_format(const struct display *display) {
    D3DKMDT_VIDPN_SOURCE_MODE mode = display->mode;
    mode.Format.Graphics.PixelFormat = D3DDDIFMT_R8G8B8;
    mode.Format.Graphics.Stride = mode.Format.Graphics.PrimSurfSize.cx * 3;
    return mode;
}

/* R638 alone: yes and no are both answers. */
static void ask_with(struct display *display, const D3DKMDT_VIDPN_SOURCE_MODE *source,
                     const D3DKMDT_VIDPN_TARGET_MODE *target) {
    bool supported;
    if (!network_alone(display, display->target))
        return;
    if (source)
        pin_own_source(display, source);
    if (target)
        pin_own_target(display, target);
    (void)network_ask(display, display->network, &supported);
}

/*
 * determining-whether-a-vidpn-is-supported-on-a-display-adapter.md: the system asks of modes that are pinned, and of
 * topologies, whatever they are.
 */
static void judge_odd_modes(struct display *display) {
    const D3DKMDT_VIDPN_SOURCE_MODE format = odd_format(display);
    check_step(display->check, "display: modes that the driver did not offer");
    ask_with(display, &odd_size, NULL);
    ask_with(display, &format, NULL);
    ask_with(display, NULL, &odd_signal);
    ask_with(display, &display->mode, &odd_signal);
    ask_with(display, &odd_size, &odd_signal);
}

/* From each source to another target than its own, with and without pinned modes. */
static void judge_crossed(struct display *display, bool pinned) {
    bool supported;
    display->source = 0;
    if (!network_alone(display, display->targets[1]))
        return;
    if (pinned)
        pin_own_source(display, &odd_size);
    display->source = display->sources > 1 ? 1 : 0;
    if (!network_connect(display, display->targets[0]))
        return;
    if (pinned)
        pin_own_source(display, &odd_size);
    (void)network_ask(display, display->network, &supported);
}

static void judge_odd_paths(const struct display *display) {
    struct display crossed = *display;
    crossed.network = NULL;
    if (display->target_count < 2)
        return;
    check_step(display->check, "display: paths that cross");
    judge_crossed(&crossed, false);
    judge_crossed(&crossed, true);
    vidmm_vidpn_destroy(crossed.network);
}

/* ---------------------------------------------------------------------------------------------- */

void display_cofunctional(const struct display *display) {
    struct display other = *display;
    other.network = NULL;
    judge_pivots(&other);
    judge_modes_offered(&other);
    judge_odd_modes(&other);
    judge_odd_paths(display);
    vidmm_vidpn_destroy(other.network);
}
