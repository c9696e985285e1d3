/*
 * display.c - what displays show: R641, the system sets surfaces that are where it says, and leaves them there while the
 * hardware may read them (state/shadow.c); R621, R622 and R624, the driver reports at each vertical sync what is shown.
 */
#include <string.h>

#include "work/work.h"

/* A vertical sync may have been on its way when the address was set, and one more may come before hardware that
 * latches early shows it. */
#define DISPLAY_LATE 2u

static struct display_path *display_path(struct vidmm_referee *referee, bool by_source,
                                         uint32_t id) {
    struct display *display = &referee->display;
    for (uint32_t i = 0; i < display->paths; i++)
        if ((by_source ? display->path[i].source : display->path[i].target) == id)
            return &display->path[i];
    return NULL;
}

/* Some path may still show it. */
static bool display_shows(const struct display *display, HANDLE allocation) {
    for (uint32_t i = 0; i < display->paths; i++)
        for (uint32_t k = 0; !display->path[i].hidden && k < display->path[i].count; k++)
            if (display->path[i].shown[k].allocation == allocation)
                return true;
    return false;
}

/* The first `count` of what a path shows are shown no longer. */
static void display_drop(struct vidmm_referee *referee, struct display_path *path, uint32_t count) {
    HANDLE gone[DISPLAY_SHOWN];
    for (uint32_t i = 0; i < count; i++)
        gone[i] = path->shown[i].allocation;
    path->count -= count;
    memmove(path->shown, path->shown + count, path->count * sizeof(path->shown[0]));
    for (uint32_t i = 0; i < count; i++) {
        struct shadow_allocation *allocation = gone[i] ? shadow_allocation(referee, gone[i]) : NULL;
        if (allocation)
            allocation->displayed = display_shows(&referee->display, gone[i]);
    }
}

/* ---- The driver's reports -------------------------------------------------------------------- */

/* R622: of a target that there is. */
static void display_judge_target(struct vidmm_referee *referee,
                                 D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
    const struct display *display = &referee->display;
    uint32_t at = 0;
    while (at < display->children && display->child[at] != target)
        at++;
    if (display->children != 0)
        DRIVER_MUST(622, at < display->children, "the ChildUid of a video output",
                    "VidPnTargetId is %u, which no child of the adapter has", target);
}

/* What was set before what is shown now has been replaced. */
static void display_narrow(struct vidmm_referee *referee, struct display_path *path,
                           uint32_t shown) {
    bool newest = shown + 1 == path->count;
    display_drop(referee, path, shown);
    if (newest && path->flipped == UINT64_MAX)
        path->flipped = path->since;
    DRIVER_MUST(624, newest || path->since <= DISPLAY_LATE,
                "the surface that was set last, from the vertical sync on that follows",
                "address 0x%llx was reported at vertical sync %llu after 0x%llx was set",
                LLU(path->shown[0].address), LLU(path->since),
                LLU(path->shown[path->count - 1].address));
}

static void display_showed(struct vidmm_referee *referee, struct display_path *path,
                           uint64_t address) {
    uint32_t shown = 0;
    path->since++;
    path->address = address;
    if (path->count == 0 || path->lost) /* what the firmware left, or cannot be told */
        return;
    while (shown < path->count && path->shown[shown].address != address)
        shown++;
    if (shown == path->count && !path->latched && path->since <= DISPLAY_LATE)
        return; /* as before the first surface of the path */
    path->latched = true;
    if (path->since > DISPLAY_LATE && path->shown[path->count - 1].address == address)
        shown = path->count - 1; /* and not when the same surface was set before */
    DRIVER_MUST(621, shown < path->count, "the address of the surface that is displayed",
                "the vertical sync of target %u came with address 0x%llx, and 0x%llx was set last",
                path->target, LLU(address), LLU(path->shown[path->count - 1].address));
    if (shown < path->count)
        display_narrow(referee, path, shown);
}

void display_synced(struct vidmm_referee *referee, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                    const uint64_t *address) {
    struct display_path *path = display_path(referee, false, target);
    display_judge_target(referee, target);
    if (!path)
        return;
    path->vsyncs++;
    if (address)
        display_showed(referee, path, *address);
}

/* ---- The system's calls ---------------------------------------------------------------------- */

/* R641: the driver gets the place where the surface is. */
static void display_judge_place(struct vidmm_referee *referee,
                                const struct shadow_allocation *allocation,
                                const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    const struct shadow_segment *segment =
        allocation->placed ? shadow_segment(referee, allocation->segment) : NULL;
    uint64_t address = (uint64_t)args->PrimaryAddress.QuadPart;
    MANAGER_MUST(641,
                 segment && linked_own(segment->id) == args->PrimarySegment &&
                     segment->base + allocation->offset == address,
                 "a resident surface, with its segment and its address there",
                 "PrimarySegment %u and PrimaryAddress 0x%llx, and the surface is at 0x%llx of "
                 "segment %u",
                 args->PrimarySegment, LLU(address),
                 LLU(segment ? segment->base + allocation->offset : 0),
                 segment ? linked_own(segment->id) : 0);
}

void display_set(struct vidmm_referee *referee, const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    struct display_path *path = display_path(referee, true, args->VidPnSourceId);
    struct shadow_allocation *allocation =
        args->hAllocation ? shadow_allocation(referee, args->hAllocation) : NULL;
    bool tracked = !referee->adapter.caps.MemoryManagementCaps.VirtualAddressingSupported;
    if (allocation && (tracked || allocation->placed))
        display_judge_place(referee, allocation, args);
    if (!path)
        return;
    path->lost = path->lost || path->count == DISPLAY_SHOWN;
    if (path->lost)
        return;
    path->shown[path->count++] =
        (struct display_shown){(uint64_t)args->PrimaryAddress.QuadPart, args->hAllocation};
    path->since = 0;
    path->flipped = UINT64_MAX;
    if (allocation)
        allocation->displayed = display_shows(&referee->display, args->hAllocation);
}

/* ns-d3dkmddi-_dxgkarg_setvidpnsourcevisibility.md: an invisible source shows none of its surfaces. */
void display_seen(struct vidmm_referee *referee, const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    struct display_path *path = display_path(referee, true, args->VidPnSourceId);
    if (!path)
        return;
    path->hidden = !args->Visible;
    for (uint32_t i = 0; i < path->count; i++) {
        HANDLE handle = path->shown[i].allocation;
        struct shadow_allocation *allocation = handle ? shadow_allocation(referee, handle) : NULL;
        if (allocation)
            allocation->displayed = display_shows(&referee->display, handle);
    }
}

void display_refused(struct vidmm_referee *referee, const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    struct display_path *path = display_path(referee, true, args->VidPnSourceId);
    if (!path || path->lost || path->count == 0)
        return;
    HANDLE handle = path->shown[--path->count].allocation;
    struct shadow_allocation *allocation = handle ? shadow_allocation(referee, handle) : NULL;
    if (allocation)
        allocation->displayed = display_shows(&referee->display, handle);
}

void display_lost(struct vidmm_referee *referee) {
    for (uint32_t i = 0; i < referee->display.paths; i++) {
        struct display_path *path = &referee->display.path[i];
        display_drop(referee, path, path->count);
        path->lost = true;
    }
}

static void display_forget(struct vidmm_referee *referee, struct display_path *path) {
    display_drop(referee, path, path->count);
    *path = referee->display.path[--referee->display.paths];
}

/* The paths from `source` are those of the new network; D3DDDI_ID_ALL: of each source. */
static void display_take(struct vidmm_referee *referee, const D3DKMDT_VIDPN_PRESENT_PATH *info,
                         D3DDDI_VIDEO_PRESENT_SOURCE_ID source) {
    struct display *display = &referee->display;
    bool meant = source == D3DDDI_ID_ALL || source == info->VidPnSourceId;
    if (meant && display->paths < DISPLAY_PATHS)
        display->path[display->paths++] = (struct display_path){
            .source = info->VidPnSourceId, .target = info->VidPnTargetId, .flipped = UINT64_MAX};
}

void display_committed(struct vidmm_referee *referee, const DXGKARG_COMMITVIDPN *args,
                       const DXGK_VIDPN_INTERFACE *interface) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const D3DKMDT_VIDPN_PRESENT_PATH *info = NULL, *next;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source = args->AffectedVidPnSourceId;
    for (uint32_t i = referee->display.paths; i-- != 0;)
        if (source == D3DDDI_ID_ALL || source == referee->display.path[i].source)
            display_forget(referee, &referee->display.path[i]);
    if (interface->pfnGetTopology(args->hFunctionalVidPn, &topology, &paths) != STATUS_SUCCESS)
        return;
    NTSTATUS status = paths->pfnAcquireFirstPathInfo(topology, &info);
    while (status == STATUS_SUCCESS) {
        display_take(referee, info, source);
        status = paths->pfnAcquireNextPathInfo(topology, info, &next);
        (void)paths->pfnReleasePathInfo(topology, info);
        info = next;
    }
}
