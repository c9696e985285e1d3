/*
 * display.c - calls about displays: which children the adapter has, which network is active, and which surface each
 * of its sources shows. What is judged of it is work/display.c's.
 */
#include "watch/watch.h"
#include "work/work.h"

static NTSTATUS watch_QueryChildRelations(struct vidmm_referee *referee, const PVOID context,
                                          PDXGK_CHILD_DESCRIPTOR children, ULONG size) {
    struct display *display = &referee->display;
    NTSTATUS status = referee->real.DxgkDdiQueryChildRelations(context, children, size);
    pthread_mutex_lock(&referee->lock);
    display->children = 0;
    for (ULONG i = 0; status == STATUS_SUCCESS && (i + 1) * sizeof(*children) <= size; i++)
        if (children[i].ChildDeviceType != TypeUninitialized &&
            display->children < DISPLAY_CHILDREN)
            display->child[display->children++] = children[i].ChildUid;
    if (display->children == DISPLAY_CHILDREN) /* there may be more */
        display->children = 0;
    pthread_mutex_unlock(&referee->lock);
    return status;
}
WATCHED_3(NTSTATUS, QueryChildRelations, const PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG)

static NTSTATUS watch_CommitVidPn(struct vidmm_referee *referee, const HANDLE adapter,
                                  const DXGKARG_COMMITVIDPN *args) {
    struct referee_call call;
    const DXGK_VIDPN_INTERFACE *interface = NULL;
    referee_enter(referee, &call, "DxgkDdiCommitVidPn", REFEREE_REENTRANT);
    reports_drain(referee);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiCommitVidPn(adapter, args);
    NTSTATUS asked = referee->callbacks.DxgkCbQueryVidPnInterface(
        args->hFunctionalVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface);
    referee_return(referee);
    if (status == STATUS_SUCCESS && asked == STATUS_SUCCESS)
        display_committed(referee, args, interface);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, CommitVidPn, const HANDLE, const DXGKARG_COMMITVIDPN *)

/* The vertical syncs that were reported before it are of what was shown before. */
static NTSTATUS watch_SetVidPnSourceAddress(struct vidmm_referee *referee, const HANDLE adapter,
                                            const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiSetVidPnSourceAddress", REFEREE_REENTRANT);
    reports_drain(referee);
    display_set(referee, args);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiSetVidPnSourceAddress(adapter, args);
    referee_return(referee);
    if (status != STATUS_SUCCESS)
        display_refused(referee, args);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, SetVidPnSourceAddress, const HANDLE, const DXGKARG_SETVIDPNSOURCEADDRESS *)

static NTSTATUS watch_SetVidPnSourceVisibility(struct vidmm_referee *referee, const HANDLE adapter,
                                               const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiSetVidPnSourceVisibility", REFEREE_REENTRANT);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiSetVidPnSourceVisibility(adapter, args);
    referee_return(referee);
    if (status == STATUS_SUCCESS)
        display_seen(referee, args);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, SetVidPnSourceVisibility, const HANDLE,
          const DXGKARG_SETVIDPNSOURCEVISIBILITY *)

void referee_watch_display(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, QueryChildRelations);
    WATCH(table, CommitVidPn);
    WATCH(table, SetVidPnSourceAddress);
    WATCH(table, SetVidPnSourceVisibility);
}

bool vidmm_referee_vsyncs(struct vidmm_referee *referee, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                          struct vidmm_referee_vsyncs *out) {
    const struct display *display = &referee->display;
    bool any = false;
    pthread_mutex_lock(&referee->lock);
    reports_drain(referee);
    for (uint32_t i = 0; i < display->paths && !any; i++) {
        const struct display_path *path = &display->path[i];
        any = path->target == target && path->vsyncs != 0;
        if (any)
            *out = (struct vidmm_referee_vsyncs){
                .count = path->vsyncs, .flipped = path->flipped, .address = path->address};
    }
    pthread_mutex_unlock(&referee->lock);
    return any;
}
