/* display_network.c - see display.h. */
#include "cofunctional.h"
#include "network.h"
#include "surface.h"
#include "transformations.h"

#include <stdlib.h>

/* What is set where the driver puts nothing into a set of modes. */
#define PLAIN_WIDTH  1024u
#define PLAIN_HEIGHT 768u
#define PLAIN_HZ     60u

/* ---- Children -------------------------------------------------------------------------------- */

static void children_take(struct display *display, const DXGK_CHILD_DESCRIPTOR *child,
                          uint32_t count, bool connected) {
    for (uint32_t i = 0; i < count && display->target_count < DISPLAY_TARGETS; i++)
        if (child[i].ChildDeviceType == TypeVideoOutput &&
            check_connected(display->check, child[i].ChildUid) == connected)
            display->targets[display->target_count++] = child[i].ChildUid;
}

bool display_children(struct display *display, const char **why) {
    uint32_t count;
    NTSTATUS status;
    display->sources = vidmm_host_sources(display->check->harness.host);
    *why = "the driver has no video present sources, or no children";
    DXGK_CHILD_DESCRIPTOR *child =
        display->sources != 0 ? check_children(display->check, &count, &status) : NULL;
    if (!child)
        return false;
    if (status == STATUS_SUCCESS) {
        children_take(display, child, count, true);
        display->monitors = display->target_count;
        children_take(display, child, count, false);
    }
    free(child);
    *why = "no child of the driver's is a video output";
    return display->target_count != 0;
}

/* ---- What the driver says -------------------------------------------------------------------- */

void display_judge_kept(struct display *display, struct vidmm_vidpn *network, const char *call) {
    struct vidmm_ledger *ledger = &display->check->shared->ledger;
    struct vidmm_vidpn_kept kept;
    uint32_t count = 0;
    for (; vidmm_vidpn_kept(network, count, &kept); count++) {
        vidmm_ledger_was_at(kept.place, kept.places);
        vidmm_ledger_judge(ledger, 638, VIDMM_SIDE_DRIVER, false,
                           "what the driver got of the network given back, or to it",
                           "what %s gave to the driver in %s was left", kept.function, call);
        vidmm_ledger_was_at(NULL, 0);
    }
    if (count == 0)
        vidmm_ledger_judge(ledger, 638, VIDMM_SIDE_DRIVER, true, "", "%s", "");
    vidmm_vidpn_forgive(network);
}

NTSTATUS network_ask(struct display *display, struct vidmm_vidpn *network, bool *supported) {
    DXGKARG_ISSUPPORTEDVIDPN args = {.hDesiredVidPn = network ? vidmm_vidpn_handle(network) : NULL};
    NTSTATUS status = display->ddi->DxgkDdiIsSupportedVidPn(display->adapter, &args);
    *supported = status == STATUS_SUCCESS && args.IsVidPnSupported;
    if (network)
        display_judge_kept(display, network, "DxgkDdiIsSupportedVidPn");
    return status;
}

static void judge_nothing(struct display *display, struct vidmm_vidpn *network, const char *what) {
    bool supported;
    NTSTATUS status = network_ask(display, network, &supported);
    vidmm_ledger_judge(&display->check->shared->ledger, 633, VIDMM_SIDE_DRIVER, supported,
                       "STATUS_SUCCESS, and IsVidPnSupported TRUE",
                       "status 0x%08x, and %s was not said to be supported", (unsigned)status,
                       what);
}

bool network_judge_offered(struct display *display, bool offered, const char *what) {
    bool supported;
    (void)network_ask(display, display->network, &supported);
    if (offered)
        vidmm_ledger_judge(&display->check->shared->ledger, 642, VIDMM_SIDE_DRIVER, supported,
                           "a network that is supported with a mode that the driver offered",
                           "with a mode of the %s pinned, which the driver had put into its set, "
                           "the network is not supported",
                           what);
    return supported;
}

/* R634: `pivot`, or else a mode of it is pinned. */
static void judge_untouched(const struct display *display, bool kept, bool pivot,
                            const char *what) {
    vidmm_ledger_judge(&display->check->shared->ledger, 634, VIDMM_SIDE_DRIVER, kept,
                       "the set of modes of the pivot, and one with a pinned mode, as it was",
                       "the %s of the path %s, and got another set of modes", what,
                       pivot ? "was the pivot" : "had a pinned mode");
}

bool network_modes(struct display *display, D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot) {
    const DXGKARG_ENUMVIDPNCOFUNCMODALITY args = {.hConstrainingVidPn =
                                                      vidmm_vidpn_handle(display->network),
                                                  .EnumPivotType = pivot,
                                                  .EnumPivot = {display->source, display->target}};
    uint32_t sources = vidmm_vidpn_source_changes(display->network, display->source);
    uint32_t targets = vidmm_vidpn_target_changes(display->network, display->target);
    NTSTATUS status = display->ddi->DxgkDdiEnumVidPnCofuncModality(display->adapter, &args);
    display_judge_kept(display, display->network, "DxgkDdiEnumVidPnCofuncModality");
    if (pivot == D3DKMDT_EPT_VIDPNSOURCE || display->source_pinned)
        judge_untouched(display,
                        sources == vidmm_vidpn_source_changes(display->network, display->source),
                        pivot == D3DKMDT_EPT_VIDPNSOURCE, "source");
    if (pivot == D3DKMDT_EPT_VIDPNTARGET || display->target_pinned)
        judge_untouched(display,
                        targets == vidmm_vidpn_target_changes(display->network, display->target),
                        pivot == D3DKMDT_EPT_VIDPNTARGET, "target");
    return status == STATUS_SUCCESS;
}

/* ---- Modes ----------------------------------------------------------------------------------- */

static void plain_source_mode(const struct display *display, D3DKMDT_VIDPN_SOURCE_MODE *mode) {
    D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode->Format.Graphics;
    (void)display;
    mode->Type = D3DKMDT_RMT_GRAPHICS;
    format->PrimSurfSize = format->VisibleRegionSize =
        (D3DKMDT_2DREGION){PLAIN_WIDTH, PLAIN_HEIGHT};
    format->Stride = PLAIN_WIDTH * 4;
    format->PixelFormat = D3DDDIFMT_A8R8G8B8;
    format->ColorBasis = D3DKMDT_CB_SRGB;
    format->PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
}

static void plain_target_mode(const struct display *display, D3DKMDT_VIDPN_TARGET_MODE *mode) {
    const D3DKMDT_2DREGION size = display->mode.Format.Graphics.PrimSurfSize;
    D3DKMDT_VIDEO_SIGNAL_INFO *signal = &mode->VideoSignalInfo;
    signal->VideoStandard = D3DKMDT_VSS_OTHER;
    signal->TotalSize = signal->ActiveSize = size;
    signal->VSyncFreq = (D3DDDI_RATIONAL){PLAIN_HZ, 1};
    signal->HSyncFreq = (D3DDDI_RATIONAL){PLAIN_HZ * size.cy, 1};
    signal->PixelRate = (SIZE_T)PLAIN_HZ * size.cx * size.cy;
    signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    mode->Preference = D3DKMDT_MP_PREFERRED;
}

/* 32 bits a pixel, and of those the smallest: the less there is to move. */
static bool better_source_mode(const struct display *display, const D3DKMDT_VIDPN_SOURCE_MODE *mode,
                               const D3DKMDT_VIDPN_SOURCE_MODE *than) {
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode->Format.Graphics;
    (void)display;
    if (mode->Type != D3DKMDT_RMT_GRAPHICS || format->PrimSurfSize.cx == 0 ||
        format->PrimSurfSize.cy == 0 ||
        (format->PixelFormat != D3DDDIFMT_A8R8G8B8 && format->PixelFormat != D3DDDIFMT_X8R8G8B8))
        return false;
    return than->Type == D3DKMDT_RMT_UNINITIALIZED ||
           format->PrimSurfSize.cx < than->Format.Graphics.PrimSurfSize.cx;
}

/* Any; one of the source's size where there is one. */
static bool better_target_mode(const struct display *display, const D3DKMDT_VIDPN_TARGET_MODE *mode,
                               const D3DKMDT_VIDPN_TARGET_MODE *than) {
    const D3DKMDT_2DREGION size = display->mode.Format.Graphics.PrimSurfSize;
    const D3DKMDT_2DREGION *mine = &mode->VideoSignalInfo.ActiveSize;
    return than->VideoSignalInfo.VideoStandard == D3DKMDT_VSS_UNINITIALIZED ||
           (mine->cx == size.cx && mine->cy == size.cy);
}

/*
 * The best mode of a set into `*best`. false: there is none; `*empty`: no mode at all. And pins one. The same for sources
 * and for targets.
 */
#define MODES(kind, SET, MODE)                                                                     \
    static bool best_##kind##_mode(const struct display *display,                                  \
                                   const DXGK_VIDPN##SET##MODESET_INTERFACE *set,                  \
                                   D3DKMDT_HVIDPN##SET##MODESET handle, MODE *best, bool *empty) { \
        const MODE *mode, *next;                                                                   \
        bool any = false;                                                                          \
        NTSTATUS status = set->pfnAcquireFirstModeInfo(handle, &mode);                             \
        *best = (MODE){0};                                                                         \
        *empty = status != STATUS_SUCCESS;                                                         \
        while (status == STATUS_SUCCESS) {                                                         \
            if (better_##kind##_mode(display, mode, best)) {                                       \
                *best = *mode;                                                                     \
                any = true;                                                                        \
            }                                                                                      \
            status = set->pfnAcquireNextModeInfo(handle, mode, &next);                             \
            (void)set->pfnReleaseModeInfo(handle, mode);                                           \
            mode = next;                                                                           \
        }                                                                                          \
        return any;                                                                                \
    }                                                                                              \
    static bool add_##kind##_mode(const struct display *display,                                   \
                                  const DXGK_VIDPN##SET##MODESET_INTERFACE *set,                   \
                                  D3DKMDT_HVIDPN##SET##MODESET handle, MODE *made) {               \
        MODE *mode;                                                                                \
        if (set->pfnCreateNewModeInfo(handle, &mode) != STATUS_SUCCESS)                            \
            return false;                                                                          \
        plain_##kind##_mode(display, mode);                                                        \
        *made = *mode;                                                                             \
        return set->pfnAddMode(handle, mode) == STATUS_SUCCESS;                                    \
    }                                                                                              \
    /* `*offered`: it is the driver's. */                                                          \
    static bool pin_##kind##_mode(                                                                 \
        const struct display *display, const DXGK_VIDPN##SET##MODESET_INTERFACE *set,              \
        D3DKMDT_HVIDPN##SET##MODESET handle, MODE *mode, bool *offered) {                          \
        bool empty;                                                                                \
        *offered = best_##kind##_mode(display, set, handle, mode, &empty);                         \
        if (!*offered && (!empty || !add_##kind##_mode(display, set, handle, mode)))               \
            return false;                                                                          \
        return set->pfnPinMode(handle, mode->Id) == STATUS_SUCCESS;                                \
    }

MODES(source, SOURCE, D3DKMDT_VIDPN_SOURCE_MODE)
MODES(target, TARGET, D3DKMDT_VIDPN_TARGET_MODE)

static bool network_pin_source(struct display *display, bool *offered) {
    const DXGK_VIDPN_INTERFACE *network = vidmm_vidpn_interface();
    D3DKMDT_HVIDPN handle = vidmm_vidpn_handle(display->network);
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    if (network->pfnAcquireSourceModeSet(handle, display->source, &set, &interface) !=
        STATUS_SUCCESS)
        return false;
    bool pinned = pin_source_mode(display, interface, set, &display->mode, offered);
    (void)network->pfnReleaseSourceModeSet(handle, set);
    display->source_pinned = pinned;
    return pinned;
}

static bool network_pin_target(struct display *display, bool *offered) {
    const DXGK_VIDPN_INTERFACE *network = vidmm_vidpn_interface();
    D3DKMDT_HVIDPN handle = vidmm_vidpn_handle(display->network);
    const DXGK_VIDPNTARGETMODESET_INTERFACE *interface;
    D3DKMDT_HVIDPNTARGETMODESET set;
    D3DKMDT_VIDPN_TARGET_MODE mode;
    if (network->pfnAcquireTargetModeSet(handle, display->target, &set, &interface) !=
        STATUS_SUCCESS)
        return false;
    bool pinned = pin_target_mode(display, interface, set, &mode, offered);
    (void)network->pfnReleaseTargetModeSet(handle, set);
    display->lines = mode.VideoSignalInfo.ActiveSize.cy;
    display->target_pinned = pinned;
    return pinned;
}

/* ---- Surfaces of what the driver offers ------------------------------------------------------ */

#define FORMATS_MOST 16u

/* A mode of each format that the set of the source has. */
static uint32_t network_formats(const struct display *display,
                                D3DKMDT_VIDPN_SOURCE_MODE modes[FORMATS_MOST]) {
    const DXGK_VIDPN_INTERFACE *network = vidmm_vidpn_interface();
    D3DKMDT_HVIDPN handle = vidmm_vidpn_handle(display->network);
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    const D3DKMDT_VIDPN_SOURCE_MODE *mode, *next;
    uint32_t count = 0;
    if (network->pfnAcquireSourceModeSet(handle, display->source, &set, &interface) !=
        STATUS_SUCCESS)
        return 0;
    NTSTATUS status = interface->pfnAcquireFirstModeInfo(set, &mode);
    for (; status == STATUS_SUCCESS; mode = next) {
        uint32_t i = 0;
        while (i < count &&
               modes[i].Format.Graphics.PixelFormat != mode->Format.Graphics.PixelFormat)
            i++;
        if (mode->Type == D3DKMDT_RMT_GRAPHICS && i == count && count < FORMATS_MOST)
            modes[count++] = *mode;
        status = interface->pfnAcquireNextModeInfo(set, mode, &next);
        (void)interface->pfnReleaseModeInfo(set, mode);
    }
    (void)network->pfnReleaseSourceModeSet(handle, set);
    return count;
}

/* R527: the primary and the shadow surface of such a mode, which has its format and size
 * (ns-d3dkmdt-_d3dkmdt_shadowsurfacedata.md). */
static void network_surfaces(const struct display *display) {
    static const enum check_surface_kind kinds[] = {CHECK_SURFACE_PRIMARY, CHECK_SURFACE_SHADOW};
    D3DKMDT_VIDPN_SOURCE_MODE modes[FORMATS_MOST];
    uint32_t count = network_formats(display, modes);
    for (uint32_t i = 0; i < 2 * count; i++) {
        const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &modes[i / 2].Format.Graphics;
        struct check_surface surface;
        check_step(display->check, "display: a surface of %u times %u pixels, format %d",
                   format->PrimSurfSize.cx, format->PrimSurfSize.cy, (int)format->PixelFormat);
        if (check_surface_open_as(display->check, &surface, kinds[i % 2], format->PixelFormat,
                                  format->PrimSurfSize.cx, format->PrimSurfSize.cy))
            check_surface_create_alone(display->check, &surface, NULL);
        check_surface_close(&surface);
    }
    check_step(display->check, "display: a network of one path");
}

/* R658: the modes of a target may be those of its monitor, which nobody here tells the driver. */
static void judge_modes(const struct display *display) {
    D3DKMDT_VIDPN_SOURCE_MODE modes[FORMATS_MOST];
    vidmm_ledger_judge(&display->check->shared->ledger, 658, VIDMM_SIDE_DRIVER,
                       network_formats(display, modes) != 0,
                       "modes of each source that has none pinned",
                       "the network with a path from source %u is supported, and its set of modes "
                       "is empty behind STATUS_SUCCESS of DxgkDdiEnumVidPnCofuncModality",
                       display->source);
}

/* ---- A network of one path ------------------------------------------------------------------- */

/* NULL: there is no memory. */
static struct vidmm_vidpn *network_empty(const struct display *display) {
    struct vidmm_vidpn *network = vidmm_vidpn_create(display->check->harness.host, display->sources,
                                                     display->targets, display->target_count);
    (void)check_has(display->check, network);
    return network;
}

bool network_connect(struct display *display, D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    D3DKMDT_VIDPN_PRESENT_PATH *path;
    display->target = target;
    display->source_pinned = display->target_pinned = false;
    if (vidmm_vidpn_interface()->pfnGetTopology(vidmm_vidpn_handle(display->network), &topology,
                                                &paths) != STATUS_SUCCESS ||
        paths->pfnCreateNewPathInfo(topology, &path) != STATUS_SUCCESS)
        return false;
    path->VidPnSourceId = display->source;
    path->VidPnTargetId = target;
    path->ImportanceOrdinal =
        (D3DKMDT_VIDPN_PRESENT_PATH_IMPORTANCE)(D3DKMDT_VPPI_PRIMARY + display->source);
    path->ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
    path->ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
    path->VidPnTargetColorBasis = D3DKMDT_CB_SRGB;
    path->Content = D3DKMDT_VPPC_GRAPHICS;
    path->CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
    path->GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
    return paths->pfnAddPath(topology, path) == STATUS_SUCCESS;
}

bool network_alone(struct display *display, D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    vidmm_vidpn_destroy(display->network);
    display->network = network_empty(display);
    return display->network && network_connect(display, target);
}

/* To the first target that goes with source 0. */
static bool network_find(struct display *display) {
    for (uint32_t i = 0; i < display->target_count; i++) {
        bool supported;
        if (!network_alone(display, display->targets[i]))
            return false;
        (void)network_ask(display, display->network, &supported);
        if (supported)
            return true;
    }
    return false;
}

/* As the system does: the modes that go with nothing pinned, then those that go with the source's. */
static bool network_pin(struct display *display, const char **why) {
    bool offered;
    *why = "the driver supports no mode of its path from source 0, or finds none";
    if (!network_modes(display, D3DKMDT_EPT_NOPIVOT))
        return false;
    judge_modes(display);
    network_surfaces(display);
    if (!network_pin_source(display, &offered) ||
        !network_judge_offered(display, offered, "source"))
        return false;
    return network_modes(display, D3DKMDT_EPT_VIDPNSOURCE) &&
           network_pin_target(display, &offered) &&
           network_judge_offered(display, offered, "target") &&
           network_modes(display, D3DKMDT_EPT_NOPIVOT); /* which changes nothing any more */
}

/* The same from the other end, on a network of its own: the modes that go with the target's. */
static void network_pin_back(const struct display *display) {
    struct display back = *display;
    bool offered;
    back.network = NULL;
    if (network_alone(&back, display->target) && network_modes(&back, D3DKMDT_EPT_NOPIVOT) &&
        network_pin_target(&back, &offered) && network_judge_offered(&back, offered, "target") &&
        network_modes(&back, D3DKMDT_EPT_VIDPNTARGET) && network_pin_source(&back, &offered))
        (void)network_judge_offered(&back, offered, "source");
    vidmm_vidpn_destroy(back.network);
}

/* ---- A network of two paths ------------------------------------------------------------------ */

static bool same_mode(const D3DKMDT_VIDPN_SOURCE_MODE *one,
                      const D3DKMDT_VIDPN_SOURCE_MODE *other) {
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *mine = &one->Format.Graphics;
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *its = &other->Format.Graphics;
    return mine->PrimSurfSize.cx == its->PrimSurfSize.cx &&
           mine->PrimSurfSize.cy == its->PrimSurfSize.cy && mine->Stride == its->Stride &&
           mine->PixelFormat == its->PixelFormat;
}

/* `first` has its path already; one end after the other is pinned, and each time the modes that go with it are asked for. */
static bool network_pin_two(struct display *first, struct display *second) {
    const D3DKMDT_VIDPN_SOURCE_MODE before = first->mode;
    bool offered;
    return network_modes(first, D3DKMDT_EPT_NOPIVOT) && network_pin_source(first, &offered) &&
           same_mode(&first->mode, &before) && network_modes(first, D3DKMDT_EPT_VIDPNSOURCE) &&
           network_pin_target(first, &offered) && network_modes(first, D3DKMDT_EPT_VIDPNTARGET) &&
           network_pin_source(second, &offered) &&
           network_judge_offered(second, offered, "source") &&
           network_modes(second, D3DKMDT_EPT_VIDPNSOURCE) && network_pin_target(second, &offered) &&
           network_judge_offered(second, offered, "target");
}

static bool network_of_two(struct display *second, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                           struct display *first) {
    bool supported = false, made = network_alone(first, first->target);
    second->network = first->network;
    if (made && network_connect(second, target))
        (void)network_ask(second, second->network, &supported);
    return supported && network_pin_two(first, second);
}

bool display_second(const struct display *display, struct display *second) {
    struct display first = *display;
    *second = *display;
    second->source = display->source + 1;
    first.network = second->network = second->none = NULL;
    for (uint32_t i = 0; i < display->monitors && second->source < display->sources; i++)
        if (display->targets[i] != display->target &&
            network_of_two(second, display->targets[i], &first))
            return true;
    return false;
}

/* ---------------------------------------------------------------------------------------------- */

bool display_network(struct display *display, const char **why) {
    struct check *check = display->check;
    display->none = network_empty(display);
    *why = "there is no memory";
    if (!display->none)
        return false;
    check_step(check, "display: networks without paths");
    judge_nothing(display, NULL, "no network");
    judge_nothing(display, display->none, "a network without paths");
    check_step(check, "display: a network of one path");
    *why = "the driver supports no path from source 0";
    if (!network_find(display) || !network_pin(display, why))
        return false;
    check_step(check, "display: a network of one path, from its target on");
    network_pin_back(display);
    display_cofunctional(display);
    display_transformations(display);
    return true;
}

NTSTATUS display_commit(struct display *display, struct vidmm_vidpn *network,
                        D3DDDI_VIDEO_PRESENT_SOURCE_ID source, HANDLE primary,
                        DXGKARG_COMMITVIDPN_FLAGS flags) {
    const DXGKARG_COMMITVIDPN args = {.hFunctionalVidPn = vidmm_vidpn_handle(network),
                                      .AffectedVidPnSourceId = source,
                                      .MonitorConnectivityChecks = D3DKMDT_MCC_IGNORE,
                                      .hPrimaryAllocation = primary,
                                      .Flags = flags};
    NTSTATUS status = display->ddi->DxgkDdiCommitVidPn(display->adapter, &args);
    display_judge_kept(display, network, "DxgkDdiCommitVidPn");
    return status;
}

void display_close(struct display *display) {
    vidmm_vidpn_destroy(display->network);
    vidmm_vidpn_destroy(display->none);
    display->network = display->none = NULL;
}
