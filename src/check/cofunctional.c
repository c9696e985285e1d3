/* cofunctional.c - see cofunctional.h. */
#include "cofunctional.h"

#include "network.h"

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

struct samples {
    uint32_t count; /* 0: the set has no modes */
    UINT id[SAMPLES];
    uint64_t smallest, largest; /* pixels */
};

static void samples_take(struct samples *samples, UINT id, const D3DKMDT_2DREGION *size) {
    uint64_t pixels = (uint64_t)size->cx * size->cy;
    if (samples->count == 0) {
        *samples = (struct samples){SAMPLES, {id, id, id, id}, pixels, pixels};
        return;
    }
    samples->id[1] = id;
    if (pixels < samples->smallest) {
        samples->smallest = pixels;
        samples->id[2] = id;
    }
    if (pixels > samples->largest) {
        samples->largest = pixels;
        samples->id[3] = id;
    }
}

static const D3DKMDT_2DREGION *source_mode_size(const D3DKMDT_VIDPN_SOURCE_MODE *mode) {
    return mode->Type == D3DKMDT_RMT_GRAPHICS ? &mode->Format.Graphics.PrimSurfSize : NULL;
}

static const D3DKMDT_2DREGION *target_mode_size(const D3DKMDT_VIDPN_TARGET_MODE *mode) {
    return &mode->VideoSignalInfo.ActiveSize;
}

/* The same for sources and for targets: takes samples of the set of the end, and pins one of it. */
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
static bool judge_sample(struct display *display, const struct path_end *end, UINT id) {
    return end->pin(display, id) && network_judge_offered(display, true, end->name);
}

/* With mode `index` of one end pinned: those that the driver offers for the other. */
static void judge_others(struct display *display, const struct path_end *end,
                         const struct path_end *other, uint32_t index) {
    struct samples mine = {.count = 0}, its = {.count = 0};
    if (!network_alone(display, display->target) || !network_modes(display, D3DKMDT_EPT_NOPIVOT))
        return;
    end->sample(display, &mine);
    if (index >= mine.count || !judge_sample(display, end, mine.id[index]) ||
        !network_modes(display, end->pivot))
        return;
    other->sample(display, &its);
    for (uint32_t i = 0; i < its.count; i++)
        (void)judge_sample(display, other, its.id[i]);
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

/* ---------------------------------------------------------------------------------------------- */

void display_cofunctional(const struct display *display) {
    struct display other = *display;
    other.network = NULL;
    judge_pivots(&other);
    judge_modes_offered(&other);
    vidmm_vidpn_destroy(other.network);
}
