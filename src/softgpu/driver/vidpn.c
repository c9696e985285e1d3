/*
 * vidpn.c - video present networks: which the board can show, the modes that it has for them, and how one is made
 * active. Connector n shows source n and is video present target n.
 */
#include "driver/kmd.h"

#define VIDPN_HZ 60u

static const struct vidpn_size {
    UINT width, height;
} vidpn_sizes[] = {{640, 480}, {1024, 768}, {1920, 1080}};

/* A network, opened. */
struct kmd_vidpn {
    D3DKMDT_HVIDPN handle;
    const DXGK_VIDPN_INTERFACE *network;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
};

static NTSTATUS vidpn_open(const struct kmd_adapter *adapter, D3DKMDT_HVIDPN handle,
                           struct kmd_vidpn *vidpn) {
    vidpn->handle = handle;
    NTSTATUS status = adapter->dxgk.DxgkCbQueryVidPnInterface(
        handle, DXGK_VIDPN_INTERFACE_VERSION_V1, &vidpn->network);
    return NT_SUCCESS(status)
               ? vidpn->network->pfnGetTopology(handle, &vidpn->topology, &vidpn->paths)
               : status;
}

/* `*target`: what the source is connected to; false: to nothing. */
static bool vidpn_target(const struct kmd_vidpn *vidpn, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                         D3DDDI_VIDEO_PRESENT_TARGET_ID *target) {
    return NT_SUCCESS(
        vidpn->paths->pfnEnumPathTargetsFromSource(vidpn->topology, source, 0, target));
}

/* ---- DxgkDdiIsSupportedVidPn ----------------------------------------------------------------- */

static bool vidpn_supported(const struct kmd_adapter *adapter, const struct kmd_vidpn *vidpn) {
    SIZE_T all = 0, straight = 0;
    D3DDDI_VIDEO_PRESENT_TARGET_ID target;
    if (!NT_SUCCESS(vidpn->paths->pfnGetNumPaths(vidpn->topology, &all)))
        return false;
    for (UINT i = 0; i < adapter->settings.displays; i++)
        straight += vidpn_target(vidpn, i, &target) && target == i;
    return straight ==
           all; /* no connector shows what another one is for, and none shows it twice */
}

static NTSTATUS APIENTRY is_supported_vidpn(const HANDLE hAdapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    const struct kmd_adapter *adapter = hAdapter;
    struct kmd_vidpn vidpn;
    args->IsVidPnSupported = !args->hDesiredVidPn;
    if (args->IsVidPnSupported)
        return STATUS_SUCCESS;
    NTSTATUS status = vidpn_open(adapter, args->hDesiredVidPn, &vidpn);
    if (NT_SUCCESS(status))
        args->IsVidPnSupported = vidpn_supported(adapter, &vidpn);
    return status;
}

/* ---- DxgkDdiEnumVidPnCofuncModality ---------------------------------------------------------- */

static void fill_source_mode(D3DKMDT_VIDPN_SOURCE_MODE *mode, const struct vidpn_size *size) {
    D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode->Format.Graphics;
    mode->Type = D3DKMDT_RMT_GRAPHICS;
    format->PrimSurfSize.cx = size->width;
    format->PrimSurfSize.cy = size->height;
    format->VisibleRegionSize = format->PrimSurfSize;
    format->Stride = size->width * 4;
    format->PixelFormat = D3DDDIFMT_A8R8G8B8;
    format->ColorBasis = D3DKMDT_CB_SRGB;
    format->PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
}

static void fill_target_mode(D3DKMDT_VIDPN_TARGET_MODE *mode, const struct vidpn_size *size) {
    D3DKMDT_VIDEO_SIGNAL_INFO *signal = &mode->VideoSignalInfo;
    signal->VideoStandard = D3DKMDT_VSS_OTHER;
    signal->ActiveSize.cx = size->width;
    signal->ActiveSize.cy = size->height;
    signal->TotalSize = signal->ActiveSize;
    signal->VSyncFreq.Numerator = VIDPN_HZ;
    signal->VSyncFreq.Denominator = 1;
    signal->HSyncFreq.Numerator = VIDPN_HZ * size->height;
    signal->HSyncFreq.Denominator = 1;
    signal->PixelRate = (SIZE_T)VIDPN_HZ * size->width * size->height;
    signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    mode->Preference = D3DKMDT_MP_NOTPREFERRED;
}

/*
 * A set without a pinned mode gets those of the board, but those alone of the size that the other end of the path has
 * pinned (`width` 0: none). The same for sources and for targets.
 */
#define VIDPN_MODES(kind, Kind, SET, MODE)                                                         \
    static NTSTATUS add_##kind##_modes(const DXGK_VIDPN##SET##MODESET_INTERFACE *set,              \
                                       D3DKMDT_HVIDPN##SET##MODESET handle, UINT width) {          \
        for (ULONG i = 0; i < RTL_NUMBER_OF(vidpn_sizes); i++) {                                   \
            MODE *mode;                                                                            \
            if (width != 0 && vidpn_sizes[i].width != width)                                       \
                continue;                                                                          \
            NTSTATUS status = set->pfnCreateNewModeInfo(handle, &mode);                            \
            if (!NT_SUCCESS(status))                                                               \
                return status;                                                                     \
            fill_##kind##_mode(mode, &vidpn_sizes[i]);                                             \
            status = set->pfnAddMode(handle, mode);                                                \
            if (!NT_SUCCESS(status)) {                                                             \
                (void)set->pfnReleaseModeInfo(handle, mode);                                       \
                return status;                                                                     \
            }                                                                                      \
        }                                                                                          \
        return STATUS_SUCCESS;                                                                     \
    }                                                                                              \
    static NTSTATUS give_##kind##_modes(const struct kmd_vidpn *vidpn, UINT id, UINT width) {      \
        const DXGK_VIDPN##SET##MODESET_INTERFACE *set;                                             \
        D3DKMDT_HVIDPN##SET##MODESET handle;                                                       \
        NTSTATUS status =                                                                          \
            vidpn->network->pfnCreateNew##Kind##ModeSet(vidpn->handle, id, &handle, &set);         \
        if (!NT_SUCCESS(status))                                                                   \
            return status;                                                                         \
        status = add_##kind##_modes(set, handle, width);                                           \
        if (!NT_SUCCESS(status)) {                                                                 \
            (void)vidpn->network->pfnRelease##Kind##ModeSet(vidpn->handle, handle);                \
            return status;                                                                         \
        }                                                                                          \
        return vidpn->network->pfnAssign##Kind##ModeSet(vidpn->handle, id, handle);                \
    }                                                                                              \
    /* Whether a mode is pinned, and which. */                                                     \
    static NTSTATUS read_##kind##_mode(const struct kmd_vidpn *vidpn, UINT id, bool *is_pinned,    \
                                       MODE *mode) {                                               \
        const DXGK_VIDPN##SET##MODESET_INTERFACE *set;                                             \
        D3DKMDT_HVIDPN##SET##MODESET handle;                                                       \
        const MODE *pinned = NULL;                                                                 \
        NTSTATUS status =                                                                          \
            vidpn->network->pfnAcquire##Kind##ModeSet(vidpn->handle, id, &handle, &set);           \
        if (!NT_SUCCESS(status))                                                                   \
            return status;                                                                         \
        status = set->pfnAcquirePinnedModeInfo(handle, &pinned);                                   \
        *is_pinned = NT_SUCCESS(status) && pinned;                                                 \
        if (*is_pinned) {                                                                          \
            *mode = *pinned;                                                                       \
            (void)set->pfnReleaseModeInfo(handle, pinned);                                         \
        }                                                                                          \
        (void)vidpn->network->pfnRelease##Kind##ModeSet(vidpn->handle, handle);                    \
        return status;                                                                             \
    }

VIDPN_MODES(source, Source, SOURCE, D3DKMDT_VIDPN_SOURCE_MODE)
VIDPN_MODES(target, Target, TARGET, D3DKMDT_VIDPN_TARGET_MODE)

static NTSTATUS vidpn_fit_path(const struct kmd_vidpn *vidpn,
                               const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args, UINT id) {
    D3DKMDT_VIDPN_SOURCE_MODE source = {0};
    D3DKMDT_VIDPN_TARGET_MODE target = {0};
    bool source_pinned = false, target_pinned = false;
    NTSTATUS status = read_source_mode(vidpn, id, &source_pinned, &source);
    if (NT_SUCCESS(status))
        status = read_target_mode(vidpn, id, &target_pinned, &target);
    bool source_pivot =
        args->EnumPivotType == D3DKMDT_EPT_VIDPNSOURCE && args->EnumPivot.VidPnSourceId == id;
    bool target_pivot =
        args->EnumPivotType == D3DKMDT_EPT_VIDPNTARGET && args->EnumPivot.VidPnTargetId == id;
    if (NT_SUCCESS(status) && !source_pivot && !source_pinned)
        status =
            give_source_modes(vidpn, id, target_pinned ? target.VideoSignalInfo.ActiveSize.cx : 0);
    if (NT_SUCCESS(status) && !target_pivot && !target_pinned)
        status = give_target_modes(vidpn, id,
                                   source_pinned ? source.Format.Graphics.PrimSurfSize.cx : 0);
    return status;
}

static NTSTATUS APIENTRY enum_cofunc_modality(const HANDLE hAdapter,
                                              const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    const struct kmd_adapter *adapter = hAdapter;
    struct kmd_vidpn vidpn;
    NTSTATUS status = vidpn_open(adapter, args->hConstrainingVidPn, &vidpn);
    for (UINT i = 0; NT_SUCCESS(status) && i < adapter->settings.displays; i++) {
        D3DDDI_VIDEO_PRESENT_TARGET_ID target;
        if (vidpn_target(&vidpn, i, &target) && target == i)
            status = vidpn_fit_path(&vidpn, args, i);
    }
    return status;
}

/* ---- DxgkDdiCommitVidPn ---------------------------------------------------------------------- */

/* Without a path it is off, and without an address it has nothing to read. */
static NTSTATUS vidpn_commit_source(struct kmd_adapter *adapter, const struct kmd_vidpn *vidpn,
                                    UINT id) {
    D3DKMDT_VIDPN_SOURCE_MODE mode = {0};
    D3DDDI_VIDEO_PRESENT_TARGET_ID target;
    bool pinned = false;
    NTSTATUS status = STATUS_SUCCESS;
    if (vidpn_target(vidpn, id, &target))
        status = read_source_mode(vidpn, id, &pinned, &mode);
    if (!NT_SUCCESS(status))
        return status;
    if (pinned) {
        const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode.Format.Graphics;
        kmd_write(adapter, GPU_DISPLAY(id) + GPU_DISPLAY_SIZE,
                  format->PrimSurfSize.cy << 16 | format->PrimSurfSize.cx);
        kmd_write(adapter, GPU_DISPLAY(id) + GPU_DISPLAY_PITCH, format->Stride);
    }
    kmd_write(adapter, GPU_DISPLAY(id) + GPU_DISPLAY_CONTROL, pinned ? GPU_DISPLAY_SYNC : 0);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY commit_vidpn(const HANDLE hAdapter, const DXGKARG_COMMITVIDPN *args) {
    struct kmd_adapter *adapter = hAdapter;
    struct kmd_vidpn vidpn;
    NTSTATUS status = vidpn_open(adapter, args->hFunctionalVidPn, &vidpn);
    for (UINT i = 0; NT_SUCCESS(status) && i < adapter->settings.displays; i++)
        if (args->AffectedVidPnSourceId == D3DDDI_ID_ALL || args->AffectedVidPnSourceId == i)
            status = vidpn_commit_source(adapter, &vidpn, i);
    return status;
}

void kmd_vidpn_entries(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiIsSupportedVidPn = is_supported_vidpn;
    table->DxgkDdiEnumVidPnCofuncModality = enum_cofunc_modality;
    table->DxgkDdiCommitVidPn = commit_vidpn;
}
