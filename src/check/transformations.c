/* transformations.c - see transformations.h. */
#include "transformations.h"

#include "network.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION transformation;

static const DXGK_VIDPNTOPOLOGY_INTERFACE *path_interface(const struct display *display,
                                                          D3DKMDT_HVIDPNTOPOLOGY *topology) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths = NULL;
    (void)vidmm_vidpn_interface()->pfnGetTopology(vidmm_vidpn_handle(display->network), topology,
                                                  &paths);
    return paths;
}

/* Of the path that the network has. False: it has none. */
static bool path_read(const struct display *display, D3DKMDT_VIDPN_PRESENT_PATH *out) {
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths = path_interface(display, &topology);
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    if (!paths || paths->pfnAcquireFirstPathInfo(topology, &path) != STATUS_SUCCESS)
        return false;
    *out = *path;
    (void)paths->pfnReleasePathInfo(topology, path);
    return true;
}

/* The same path, with that in the place of what it had. */
static bool path_transform(const struct display *display, const transformation *wanted) {
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths = path_interface(display, &topology);
    D3DKMDT_VIDPN_PRESENT_PATH old, *path;
    if (!path_read(display, &old) ||
        paths->pfnRemovePath(topology, old.VidPnSourceId, old.VidPnTargetId) != STATUS_SUCCESS ||
        paths->pfnCreateNewPathInfo(topology, &path) != STATUS_SUCCESS)
        return false;
    *path = old;
    path->ContentTransformation = *wanted;
    return paths->pfnAddPath(topology, path) == STATUS_SUCCESS;
}

/* False: there is no memory. */
static bool network_with(struct display *display, D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation,
                         D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling) {
    const transformation wanted = {.Scaling = scaling, .Rotation = rotation};
    return network_alone(display, display->target) && path_transform(display, &wanted);
}

/* R642: enumerating-cofunctional-vidpn-source-and-target-modes.md has them cofunctional with the constraints. */
static void judge_supported(struct display *display, const char *what, uint32_t value) {
    bool supported;
    (void)network_ask(display, display->network, &supported);
    vidmm_ledger_judge(&display->check->shared->ledger, 642, VIDMM_SIDE_DRIVER, supported,
                       "a network that is supported with a transformation that the path supports",
                       "with %s %u pinned, which the driver had said that the path supports, the "
                       "network is not supported",
                       what, value);
}

static void judge_rotations(struct display *display,
                            const D3DKMDT_VIDPN_PRESENT_PATH_ROTATION_SUPPORT *support) {
    const bool said[] = {support->Identity, support->Rotate90, support->Rotate180,
                         support->Rotate270};
    for (uint32_t i = 0; i < COUNT(said); i++)
        if (said[i] &&
            network_with(display, (D3DKMDT_VIDPN_PRESENT_PATH_ROTATION)(D3DKMDT_VPPR_IDENTITY + i),
                         D3DKMDT_VPPS_UNPINNED))
            judge_supported(display, "Rotation", D3DKMDT_VPPR_IDENTITY + i);
}

static void judge_scalings(struct display *display,
                           const D3DKMDT_VIDPN_PRESENT_PATH_SCALING_SUPPORT *support) {
    const bool said[] = {support->Identity, support->Centered, support->Stretched,
                         support->AspectRatioCenteredMax, support->Custom};
    for (uint32_t i = 0; i < COUNT(said); i++)
        if (said[i] &&
            network_with(display, D3DKMDT_VPPR_UNPINNED,
                         (D3DKMDT_VIDPN_PRESENT_PATH_SCALING)(D3DKMDT_VPPS_IDENTITY + i)))
            judge_supported(display, "Scaling", D3DKMDT_VPPS_IDENTITY + i);
}

void display_transformations(const struct display *display) {
    struct display other = *display;
    D3DKMDT_VIDPN_PRESENT_PATH path;
    bool supported = false;
    other.network = NULL;
    check_step(display->check, "display: transformations that the driver offers");
    if (network_with(&other, D3DKMDT_VPPR_UNPINNED, D3DKMDT_VPPS_UNPINNED))
        (void)network_ask(&other, other.network, &supported);
    if (supported && network_modes(&other, D3DKMDT_EPT_NOPIVOT) && path_read(&other, &path)) {
        judge_rotations(&other, &path.ContentTransformation.RotationSupport);
        judge_scalings(&other, &path.ContentTransformation.ScalingSupport);
    }
    vidmm_vidpn_destroy(other.network);
}
