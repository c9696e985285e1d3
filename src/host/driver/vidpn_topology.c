/* vidpn_topology.c - the paths of a video present network; see vidpn.h. The topology has the network's handle. */
#include "driver/vidpn.h"

#include "base/thread.h"
#include "kernel/irql.h"

static struct vidmm_vidpn *topology_of(const void *handle, const char *function) {
    host_irql_at_most(PASSIVE_LEVEL, function);
    return vidpn_network(handle);
}

/* The path number `index` of those from `source`, or of all of them; NULL: there are no more. */
static struct vidpn_path *topology_path(const struct vidmm_vidpn *network, const UINT *source,
                                        SIZE_T index) {
    for (struct vidpn_path *path = network->paths; path; path = path->next)
        if ((!source || path->info.VidPnSourceId == *source) && index-- == 0)
            return path;
    return NULL;
}

static NTSTATUS topology_count(const void *handle, const char *function, const UINT *source,
                               SIZE_T *count) {
    const struct vidmm_vidpn *network = topology_of(handle, function);
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    if (!count)
        return STATUS_INVALID_PARAMETER;
    *count = 0;
    while (topology_path(network, source, *count))
        ++*count;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY topology_paths(const D3DKMDT_HVIDPNTOPOLOGY handle, SIZE_T *count) {
    return topology_count(handle, "pfnGetNumPaths", NULL, count);
}

static NTSTATUS APIENTRY topology_paths_from(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                             const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                             SIZE_T *count) {
    return topology_count(handle, "pfnGetNumPathsFromSource", &source, count);
}

static NTSTATUS APIENTRY topology_target(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                         const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                         const SIZE_T index, D3DDDI_VIDEO_PRESENT_TARGET_ID *out) {
    const struct vidmm_vidpn *network = topology_of(handle, "pfnEnumPathTargetsFromSource");
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const struct vidpn_path *path = topology_path(network, &source, index);
    if (!out || !path)
        return STATUS_INVALID_PARAMETER;
    *out = path->info.VidPnTargetId;
    return STATUS_SUCCESS;
}

static struct vidpn_path *topology_to(const struct vidmm_vidpn *network,
                                      D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    struct vidpn_path *path = network->paths;
    while (path && path->info.VidPnTargetId != target)
        path = path->next;
    return path;
}

static NTSTATUS APIENTRY topology_source(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                         const D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                         D3DDDI_VIDEO_PRESENT_SOURCE_ID *out) {
    const struct vidmm_vidpn *network = topology_of(handle, "pfnGetPathSourceFromTarget");
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const struct vidpn_path *path = topology_to(network, target);
    if (!out)
        return STATUS_INVALID_PARAMETER;
    if (!path)
        return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    *out = path->info.VidPnSourceId;
    return STATUS_SUCCESS;
}

static NTSTATUS topology_give(struct vidmm_vidpn *network, const struct vidpn_path *path,
                              const char *function, NTSTATUS none,
                              const D3DKMDT_VIDPN_PRESENT_PATH **out) {
    if (!out)
        return STATUS_INVALID_PARAMETER;
    *out = NULL;
    if (!path)
        return none;
    if (!vidpn_lend(network, &path->info, function))
        return STATUS_NO_MEMORY;
    *out = &path->info;
    return STATUS_SUCCESS;
}

static struct vidpn_path *topology_between(const struct vidmm_vidpn *network,
                                           D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                           D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    struct vidpn_path *path = topology_to(network, target);
    return path && path->info.VidPnSourceId == source ? path : NULL;
}

static NTSTATUS APIENTRY topology_acquire(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                          const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                          const D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                          const D3DKMDT_VIDPN_PRESENT_PATH **out) {
    static const char function[] = "pfnAcquirePathInfo";
    struct vidmm_vidpn *network = topology_of(handle, function);
    return network ? topology_give(network, topology_between(network, source, target), function,
                                   STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY, out)
                   : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
}

static NTSTATUS APIENTRY topology_first(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                        const D3DKMDT_VIDPN_PRESENT_PATH **out) {
    static const char function[] = "pfnAcquireFirstPathInfo";
    struct vidmm_vidpn *network = topology_of(handle, function);
    return network ? topology_give(network, network->paths, function,
                                   STATUS_GRAPHICS_DATASET_IS_EMPTY, out)
                   : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
}

static NTSTATUS APIENTRY topology_next(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                       const D3DKMDT_VIDPN_PRESENT_PATH *given,
                                       const D3DKMDT_VIDPN_PRESENT_PATH **out) {
    static const char function[] = "pfnAcquireNextPathInfo";
    struct vidmm_vidpn *network = topology_of(handle, function);
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const struct vidpn_path *path = network->paths;
    while (path && &path->info != given)
        path = path->next;
    return path ? topology_give(network, path->next, function,
                                STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET, out)
                : STATUS_INVALID_PARAMETER;
}

/* What a driver says of a path: which transformations and protection it supports. */
static NTSTATUS APIENTRY topology_update(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                         const D3DKMDT_VIDPN_PRESENT_PATH *given) {
    struct vidmm_vidpn *network = topology_of(handle, "pfnUpdatePathSupportInfo");
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    struct vidpn_path *path =
        given ? topology_between(network, given->VidPnSourceId, given->VidPnTargetId) : NULL;
    if (!path)
        return STATUS_INVALID_PARAMETER;
    path->info.ContentTransformation.ScalingSupport = given->ContentTransformation.ScalingSupport;
    path->info.ContentTransformation.RotationSupport = given->ContentTransformation.RotationSupport;
    path->info.CopyProtection.CopyProtectionSupport = given->CopyProtection.CopyProtectionSupport;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY topology_release(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                          const D3DKMDT_VIDPN_PRESENT_PATH *given) {
    struct vidmm_vidpn *network = topology_of(handle, "pfnReleasePathInfo");
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    return vidpn_return(network, given) ? STATUS_SUCCESS
                                        : STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
}

static NTSTATUS APIENTRY topology_create(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                         D3DKMDT_VIDPN_PRESENT_PATH **out) {
    static const char function[] = "pfnCreateNewPathInfo";
    struct vidmm_vidpn *network = topology_of(handle, function);
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    if (!out)
        return STATUS_INVALID_PARAMETER;
    struct vidpn_path *path = vidpn_make(network, sizeof(*path));
    *out = NULL;
    if (!path || !vidpn_lend(network, &path->info, function))
        return STATUS_NO_MEMORY;
    *out = &path->info;
    return STATUS_SUCCESS;
}

/* A target is in one path at most (nc-d3dkmddi-dxgkddi_vidpntopology_getpathsourcefromtarget.md). */
static NTSTATUS APIENTRY topology_add(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                      D3DKMDT_VIDPN_PRESENT_PATH *given) {
    struct vidmm_vidpn *network = topology_of(handle, "pfnAddPath");
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    if (!given)
        return STATUS_INVALID_PARAMETER;
    if (topology_to(network, given->VidPnTargetId))
        return STATUS_GRAPHICS_PATH_ALREADY_IN_TOPOLOGY;
    struct vidpn_path *path = CONTAINING_RECORD(given, struct vidpn_path, info);
    struct vidpn_path **last = &network->paths;
    if (!vidpn_return(network, given) || path->added)
        return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
    while (*last)
        last = &(*last)->next;
    path->added = true;
    *last = path;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY topology_remove(const D3DKMDT_HVIDPNTOPOLOGY handle,
                                         const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                         const D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    struct vidmm_vidpn *network = topology_of(handle, "pfnRemovePath");
    if (!network)
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const struct vidpn_path *path = topology_between(network, source, target);
    struct vidpn_path **at = &network->paths;
    if (!path)
        return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    while (*at != path)
        at = &(*at)->next;
    *at = path->next;
    return STATUS_SUCCESS;
}

const DXGK_VIDPNTOPOLOGY_INTERFACE vidpn_topology_interface = {
    .pfnGetNumPaths = topology_paths,
    .pfnGetNumPathsFromSource = topology_paths_from,
    .pfnEnumPathTargetsFromSource = topology_target,
    .pfnGetPathSourceFromTarget = topology_source,
    .pfnAcquirePathInfo = topology_acquire,
    .pfnAcquireFirstPathInfo = topology_first,
    .pfnAcquireNextPathInfo = topology_next,
    .pfnUpdatePathSupportInfo = topology_update,
    .pfnReleasePathInfo = topology_release,
    .pfnCreateNewPathInfo = topology_create,
    .pfnAddPath = topology_add,
    .pfnRemovePath = topology_remove,
};
