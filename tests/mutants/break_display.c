/*
 * break_display.c - what is broken of displays: drivers whose networks, flips and vertical syncs are not what was asked
 * for, and a manager that shows a surface which is elsewhere. The reference driver has displays in stage display.
 */
#include "mutants.h"
#include "registers/softgpu_regs.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Networks -------------------------------------------------------------------------------- */

static DXGKRNL_INTERFACE display_system; /* what the driver got */

static NTSTATUS APIENTRY display_start(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE system, PULONG sources, PULONG children) {
    display_system = *system;
    return mutants_good.DxgkDdiStartDevice(context, info, system, sources, children);
}

/* A function in a slot, which may call the system. */
#define SPOIL(NAME, SLOT, FUNCTION)                                                                \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiStartDevice = display_start;                                                 \
        table->DxgkDdi##SLOT = FUNCTION;                                                           \
    }

static const DXGK_VIDPN_INTERFACE *network_of(D3DKMDT_HVIDPN handle) {
    const DXGK_VIDPN_INTERFACE *network = NULL;
    (void)display_system.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1,
                                                   &network);
    return network;
}

static NTSTATUS APIENTRY no_network_refused(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    NTSTATUS status = mutants_good.DxgkDdiIsSupportedVidPn(adapter, args);
    if (!args->hDesiredVidPn)
        args->IsVidPnSupported = FALSE;
    return status;
}
REPLACE(DxgkDdiIsSupportedVidPn, no_network_refused)

static SIZE_T paths_of(D3DKMDT_HVIDPN handle) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    SIZE_T count = 0;
    if (network_of(handle)->pfnGetTopology(handle, &topology, &paths) == STATUS_SUCCESS)
        (void)paths->pfnGetNumPaths(topology, &count);
    return count;
}

static NTSTATUS APIENTRY empty_network_refused(const HANDLE adapter,
                                               DXGKARG_ISSUPPORTEDVIDPN *args) {
    NTSTATUS status = mutants_good.DxgkDdiIsSupportedVidPn(adapter, args);
    if (args->hDesiredVidPn && paths_of(args->hDesiredVidPn) == 0)
        args->IsVidPnSupported = FALSE;
    return status;
}
SPOIL(empty_network_refused, IsSupportedVidPn, empty_network_refused)

/* Of the mode that source 0 has pinned; 0: none. `known`: one of another format is not released. */
static UINT pinned_width(D3DKMDT_HVIDPN handle, bool known) {
    const DXGK_VIDPN_INTERFACE *network = network_of(handle);
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    const D3DKMDT_VIDPN_SOURCE_MODE *mode = NULL;
    UINT width = 0;
    if (network->pfnAcquireSourceModeSet(handle, 0, &set, &modes) != STATUS_SUCCESS)
        return 0;
    (void)modes->pfnAcquirePinnedModeInfo(set, &mode);
    if (mode)
        width = mode->Format.Graphics.PrimSurfSize.cx;
    if (mode && (!known || mode->Format.Graphics.PixelFormat == D3DDDIFMT_A8R8G8B8))
        (void)modes->pfnReleaseModeInfo(set, mode);
    (void)network->pfnReleaseSourceModeSet(handle, set);
    return width;
}

static bool source_pinned(D3DKMDT_HVIDPN handle) {
    return pinned_width(handle, false) != 0;
}

static NTSTATUS APIENTRY offered_refused(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    NTSTATUS status = mutants_good.DxgkDdiIsSupportedVidPn(adapter, args);
    if (args->hDesiredVidPn && source_pinned(args->hDesiredVidPn))
        args->IsVidPnSupported = FALSE;
    return status;
}
SPOIL(offered_refused, IsSupportedVidPn, offered_refused)

/* Gives a source or a target another set, of the mode that its own has first, and one of what `vary` makes of it; NULL:
 * of that mode alone. */
#define GIVE_MODE(kind, Kind, SET, MODE)                                                           \
    static NTSTATUS give_##kind##_mode(D3DKMDT_HVIDPN handle, UINT id, bool assign,                \
                                       void(APIENTRY * vary)(MODE * mode)) {                       \
        const DXGK_VIDPN_INTERFACE *network = network_of(handle);                                  \
        const DXGK_VIDPN##SET##MODESET_INTERFACE *modes;                                           \
        D3DKMDT_HVIDPN##SET##MODESET old, made;                                                    \
        const MODE *first = NULL;                                                                  \
        MODE *mode = NULL;                                                                         \
        if (network->pfnAcquire##Kind##ModeSet(handle, id, &old, &modes) != STATUS_SUCCESS)        \
            return STATUS_UNSUCCESSFUL;                                                            \
        (void)modes->pfnAcquireFirstModeInfo(old, &first);                                         \
        NTSTATUS status = network->pfnCreateNew##Kind##ModeSet(handle, id, &made, &modes);         \
        for (UINT i = 0; i < (vary ? 2u : 1u) && status == STATUS_SUCCESS && first; i++) {         \
            if (modes->pfnCreateNewModeInfo(made, &mode) != STATUS_SUCCESS)                        \
                break;                                                                             \
            UINT own = mode->Id;                                                                   \
            *mode = *first;                                                                        \
            if (i != 0) {                                                                          \
                mode->Id = own;                                                                    \
                vary(mode);                                                                        \
            }                                                                                      \
            (void)modes->pfnAddMode(made, mode);                                                   \
        }                                                                                          \
        if (first)                                                                                 \
            (void)modes->pfnReleaseModeInfo(old, first);                                           \
        (void)network->pfnRelease##Kind##ModeSet(handle, old);                                     \
        return assign ? network->pfnAssign##Kind##ModeSet(handle, id, made) : status;              \
    }
GIVE_MODE(source, Source, SOURCE, D3DKMDT_VIDPN_SOURCE_MODE)
GIVE_MODE(target, Target, TARGET, D3DKMDT_VIDPN_TARGET_MODE)

static NTSTATUS APIENTRY modes_left(const HANDLE adapter,
                                    const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    return args->EnumPivotType == D3DKMDT_EPT_NOPIVOT && !source_pinned(args->hConstrainingVidPn)
               ? STATUS_SUCCESS
               : mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
}
SPOIL(modes_left, EnumVidPnCofuncModality, modes_left)

static NTSTATUS APIENTRY pivot_changed(const HANDLE adapter,
                                       const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    NTSTATUS status = mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
    if (args->EnumPivotType == D3DKMDT_EPT_VIDPNSOURCE)
        (void)give_source_mode(args->hConstrainingVidPn, 0, true, NULL);
    return status;
}
SPOIL(pivot_changed, EnumVidPnCofuncModality, pivot_changed)

static NTSTATUS APIENTRY set_left(const HANDLE adapter,
                                  const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    NTSTATUS status = mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
    if (args->EnumPivotType != D3DKMDT_EPT_VIDPNSOURCE)
        (void)give_source_mode(args->hConstrainingVidPn, 0, false, NULL);
    return status;
}
SPOIL(set_left, EnumVidPnCofuncModality, set_left)

static NTSTATUS APIENTRY pinned_left(const HANDLE adapter,
                                     const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    const DXGK_VIDPN_INTERFACE *network = network_of(args->hConstrainingVidPn);
    const DXGK_VIDPNTARGETMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNTARGETMODESET set;
    const D3DKMDT_VIDPN_TARGET_MODE *mode = NULL;
    UINT target = args->EnumPivot.VidPnTargetId;
    if (network->pfnAcquireTargetModeSet(args->hConstrainingVidPn, target, &set, &modes) ==
        STATUS_SUCCESS) {
        (void)modes->pfnAcquirePinnedModeInfo(set, &mode);
        if (mode)
            (void)modes->pfnReleaseModeInfo(set, mode);
        else
            (void)network->pfnReleaseTargetModeSet(args->hConstrainingVidPn, set);
    }
    return mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
}
SPOIL(pinned_left, EnumVidPnCofuncModality, pinned_left)

static NTSTATUS APIENTRY target_changed(const HANDLE adapter,
                                        const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    NTSTATUS status = mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
    if (args->EnumPivotType == D3DKMDT_EPT_VIDPNTARGET)
        (void)give_target_mode(args->hConstrainingVidPn, args->EnumPivot.VidPnTargetId, true, NULL);
    return status;
}
SPOIL(target_changed, EnumVidPnCofuncModality, target_changed)

/* It looks for pinned modes alone. */
static NTSTATUS APIENTRY free_pivot_changed(const HANDLE adapter,
                                            const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    NTSTATUS status = mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
    if (args->EnumPivotType == D3DKMDT_EPT_VIDPNSOURCE && !source_pinned(args->hConstrainingVidPn))
        (void)give_source_mode(args->hConstrainingVidPn, 0, true, NULL);
    return status;
}
SPOIL(free_pivot_changed, EnumVidPnCofuncModality, free_pivot_changed)

/* The sets of both ends are pinned then. */
static NTSTATUS APIENTRY pinned_changed(const HANDLE adapter,
                                        const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    NTSTATUS status = mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
    if (args->EnumPivotType == D3DKMDT_EPT_NOPIVOT && source_pinned(args->hConstrainingVidPn))
        (void)give_source_mode(args->hConstrainingVidPn, 0, true, NULL);
    return status;
}
SPOIL(pinned_changed, EnumVidPnCofuncModality, pinned_changed)

/* It scales some modes to what the target has pinned, and offers another one. */
#define UNSCALED_WIDTH 700u

static NTSTATUS APIENTRY unscaled_refused(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    NTSTATUS status = mutants_good.DxgkDdiIsSupportedVidPn(adapter, args);
    if (args->hDesiredVidPn && pinned_width(args->hDesiredVidPn, false) == UNSCALED_WIDTH)
        args->IsVidPnSupported = FALSE;
    return status;
}

static void APIENTRY make_unscaled(D3DKMDT_VIDPN_SOURCE_MODE *mode) {
    mode->Format.Graphics.PrimSurfSize.cx = UNSCALED_WIDTH;
}

static NTSTATUS APIENTRY unscaled_offered(const HANDLE adapter,
                                          const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    NTSTATUS status = mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
    if (args->EnumPivotType == D3DKMDT_EPT_VIDPNTARGET && !source_pinned(args->hConstrainingVidPn))
        (void)give_source_mode(args->hConstrainingVidPn, 0, true, make_unscaled);
    return status;
}

static void APIENTRY install_unscaled_offered(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = display_start;
    table->DxgkDdiIsSupportedVidPn = unscaled_refused;
    table->DxgkDdiEnumVidPnCofuncModality = unscaled_offered;
}

/* Its paths rotate, it says. */
static NTSTATUS APIENTRY rotation_offered(const HANDLE adapter,
                                          const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    if (network_of(args->hConstrainingVidPn)
                ->pfnGetTopology(args->hConstrainingVidPn, &topology, &paths) == STATUS_SUCCESS &&
        paths->pfnAcquireFirstPathInfo(topology, &path) == STATUS_SUCCESS) {
        D3DKMDT_VIDPN_PRESENT_PATH said = *path;
        said.ContentTransformation.RotationSupport.Rotate90 = 1;
        (void)paths->pfnUpdatePathSupportInfo(topology, &said);
        (void)paths->pfnReleasePathInfo(topology, path);
    }
    return mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
}

static NTSTATUS APIENTRY rotation_refused(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    NTSTATUS status = mutants_good.DxgkDdiIsSupportedVidPn(adapter, args);
    if (args->hDesiredVidPn &&
        network_of(args->hDesiredVidPn)->pfnGetTopology(args->hDesiredVidPn, &topology, &paths) ==
            STATUS_SUCCESS &&
        paths->pfnAcquireFirstPathInfo(topology, &path) == STATUS_SUCCESS) {
        if (path->ContentTransformation.Rotation == D3DKMDT_VPPR_ROTATE90)
            args->IsVidPnSupported = FALSE;
        (void)paths->pfnReleasePathInfo(topology, path);
    }
    return status;
}

static void APIENTRY install_rotation_refused(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = display_start;
    table->DxgkDdiIsSupportedVidPn = rotation_refused;
    table->DxgkDdiEnumVidPnCofuncModality = rotation_offered;
}

/* The reference driver describes surfaces of 64 bits a pixel as if they had 32; it offers no such modes. */
static void APIENTRY make_wide(D3DKMDT_VIDPN_SOURCE_MODE *mode) {
    mode->Format.Graphics.PixelFormat = D3DDDIFMT_A16B16G16R16F;
}

static NTSTATUS APIENTRY wide_offered(const HANDLE adapter,
                                      const DXGKARG_ENUMVIDPNCOFUNCMODALITY *args) {
    NTSTATUS status = mutants_good.DxgkDdiEnumVidPnCofuncModality(adapter, args);
    if (args->EnumPivotType == D3DKMDT_EPT_NOPIVOT && !source_pinned(args->hConstrainingVidPn))
        (void)give_source_mode(args->hConstrainingVidPn, 0, true, make_wide);
    return status;
}
SPOIL(wide_offered, EnumVidPnCofuncModality, wide_offered)

/* It returns in the middle when it cannot show the mode. */
static NTSTATUS APIENTRY unknown_left(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    if (args->hDesiredVidPn)
        (void)pinned_width(args->hDesiredVidPn, true);
    return mutants_good.DxgkDdiIsSupportedVidPn(adapter, args);
}
SPOIL(unknown_left, IsSupportedVidPn, unknown_left)

/* The same of a path. */
static NTSTATUS APIENTRY crossed_left(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *args) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    if (args->hDesiredVidPn &&
        network_of(args->hDesiredVidPn)->pfnGetTopology(args->hDesiredVidPn, &topology, &paths) ==
            STATUS_SUCCESS &&
        paths->pfnAcquireFirstPathInfo(topology, &path) == STATUS_SUCCESS &&
        path->VidPnSourceId == path->VidPnTargetId)
        (void)paths->pfnReleasePathInfo(topology, path);
    return mutants_good.DxgkDdiIsSupportedVidPn(adapter, args);
}
SPOIL(crossed_left, IsSupportedVidPn, crossed_left)

static NTSTATUS APIENTRY path_left(const HANDLE adapter, const DXGKARG_COMMITVIDPN *args) {
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    if (network_of(args->hFunctionalVidPn)
            ->pfnGetTopology(args->hFunctionalVidPn, &topology, &paths) == STATUS_SUCCESS)
        (void)paths->pfnAcquireFirstPathInfo(topology, &path);
    return mutants_good.DxgkDdiCommitVidPn(adapter, args);
}
SPOIL(path_left, CommitVidPn, path_left)

/* It looks for the path of the source. */
static NTSTATUS APIENTRY empty_network_failed(const HANDLE adapter,
                                              const DXGKARG_COMMITVIDPN *args) {
    return paths_of(args->hFunctionalVidPn) == 0 && args->Flags.PathPowerTransition == 0
               ? STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY
               : mutants_good.DxgkDdiCommitVidPn(adapter, args);
}
SPOIL(empty_network_failed, CommitVidPn, empty_network_failed)

/* ---- What is shown --------------------------------------------------------------------------- */

static NTSTATUS APIENTRY flip_truncated(const HANDLE adapter,
                                        const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    DXGKARG_SETVIDPNSOURCEADDRESS low = *args;
    low.PrimaryAddress.QuadPart = (LONGLONG)low.PrimaryAddress.LowPart;
    return mutants_good.DxgkDdiSetVidPnSourceAddress(adapter, &low);
}
REPLACE(DxgkDdiSetVidPnSourceAddress, flip_truncated)

static NTSTATUS APIENTRY flip_lost(const HANDLE adapter,
                                   const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    return args->Flags.ModeChange ? mutants_good.DxgkDdiSetVidPnSourceAddress(adapter, args)
                                  : STATUS_SUCCESS;
}
REPLACE(DxgkDdiSetVidPnSourceAddress, flip_lost)

static NTSTATUS APIENTRY always_visible(const HANDLE adapter,
                                        const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    return args->Visible ? mutants_good.DxgkDdiSetVidPnSourceVisibility(adapter, args)
                         : STATUS_SUCCESS;
}
REPLACE(DxgkDdiSetVidPnSourceVisibility, always_visible)

static NTSTATUS APIENTRY never_visible(const HANDLE adapter,
                                       const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    DXGKARG_SETVIDPNSOURCEVISIBILITY dark = *args;
    dark.Visible = FALSE;
    return mutants_good.DxgkDdiSetVidPnSourceVisibility(adapter, &dark);
}
REPLACE(DxgkDdiSetVidPnSourceVisibility, never_visible)

static UINT display_segment; /* of the first surface */

static NTSTATUS APIENTRY one_segment(const HANDLE adapter,
                                     const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    if (display_segment == 0)
        display_segment = args->PrimarySegment;
    return args->PrimarySegment == display_segment
               ? mutants_good.DxgkDdiSetVidPnSourceAddress(adapter, args)
               : STATUS_INVALID_PARAMETER;
}

static void APIENTRY install_one_segment(DRIVER_INITIALIZATION_DATA *table) {
    display_segment = 0;
    table->DxgkDdiSetVidPnSourceAddress = one_segment;
}

/* The first surface is set before anything is visible. */
static bool display_seen, display_hidden;

static NTSTATUS APIENTRY note_visible(const HANDLE adapter,
                                      const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    display_seen = display_seen || args->Visible;
    display_hidden = display_seen && !args->Visible;
    return mutants_good.DxgkDdiSetVidPnSourceVisibility(adapter, args);
}

static NTSTATUS APIENTRY set_unless_hidden(const HANDLE adapter,
                                           const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    return display_hidden ? STATUS_SUCCESS
                          : mutants_good.DxgkDdiSetVidPnSourceAddress(adapter, args);
}

static void APIENTRY install_set_unless_hidden(DRIVER_INITIALIZATION_DATA *table) {
    display_seen = display_hidden = false;
    table->DxgkDdiSetVidPnSourceVisibility = note_visible;
    table->DxgkDdiSetVidPnSourceAddress = set_unless_hidden;
}

/* Writes the register when it differs from what was written last, which a reset or D3 undoes. */
static LONGLONG display_address;

static NTSTATUS APIENTRY set_other(const HANDLE adapter,
                                   const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    if (display_address == args->PrimaryAddress.QuadPart)
        return STATUS_SUCCESS;
    display_address = args->PrimaryAddress.QuadPart;
    return mutants_good.DxgkDdiSetVidPnSourceAddress(adapter, args);
}

static void APIENTRY install_set_other(DRIVER_INITIALIZATION_DATA *table) {
    display_address = -1;
    table->DxgkDdiSetVidPnSourceAddress = set_other;
}

static NTSTATUS APIENTRY flip_with_buffer(const HANDLE context, DXGKARG_PRESENT *args) {
    return args->pDmaBuffer ? mutants_good.DxgkDdiPresent(context, args)
                            : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}
REPLACE(DxgkDdiPresent, flip_with_buffer)

/* ---- Monitors -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY on_when_off(const HANDLE adapter, const DXGKARG_COMMITVIDPN *args) {
    const DXGKARG_SETVIDPNSOURCEVISIBILITY seen = {.VidPnSourceId = 0, .Visible = TRUE};
    NTSTATUS status = mutants_good.DxgkDdiCommitVidPn(adapter, args);
    if (args->Flags.PathPoweredOff)
        (void)mutants_good.DxgkDdiSetVidPnSourceVisibility(adapter, &seen);
    return status;
}
REPLACE(DxgkDdiCommitVidPn, on_when_off)

/* Power that is given back is no reason for it to look at modes, or to let a display read. */
static bool display_off;

static NTSTATUS APIENTRY off_for_good(const HANDLE adapter, const DXGKARG_COMMITVIDPN *args) {
    display_off = display_off || args->Flags.PathPoweredOff;
    return display_off ? STATUS_SUCCESS : mutants_good.DxgkDdiCommitVidPn(adapter, args);
}

static NTSTATUS APIENTRY visible_unless_off(const HANDLE adapter,
                                            const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    DXGKARG_SETVIDPNSOURCEVISIBILITY seen = *args;
    seen.Visible = args->Visible && !display_off;
    return mutants_good.DxgkDdiSetVidPnSourceVisibility(adapter, &seen);
}

static void APIENTRY install_off_for_good(DRIVER_INITIALIZATION_DATA *table) {
    display_off = false;
    table->DxgkDdiCommitVidPn = off_for_good;
    table->DxgkDdiSetVidPnSourceVisibility = visible_unless_off;
}

/* ---- Stopped --------------------------------------------------------------------------------- */

/* The registers of the adapter; 0: there are none. */
static PHYSICAL_ADDRESS display_registers(void) {
    DXGK_DEVICE_INFO info = {.MiniportDeviceContext = NULL};
    if (display_system.DxgkCbGetDeviceInformation(display_system.DeviceHandle, &info) ==
        STATUS_SUCCESS) {
        const CM_PARTIAL_RESOURCE_LIST *list =
            &info.TranslatedResourceList->List[0].PartialResourceList;
        for (ULONG i = 0; i < list->Count; i++)
            if (list->PartialDescriptors[i].Type == CmResourceTypeMemory)
                return list->PartialDescriptors[i].u.Memory.Start;
    }
    return (PHYSICAL_ADDRESS){.QuadPart = 0};
}

/* Connector 0 and its vertical syncs are on again when the driver's own function has turned them off. */
static void syncs_on(void) {
    const PHYSICAL_ADDRESS at = display_registers();
    unsigned char *registers =
        at.QuadPart != 0 ? MmMapIoSpace(at, GPU_DISPLAY(1), MmNonCached) : NULL;
    if (!registers)
        return;
    WRITE_REGISTER_ULONG((PULONG)(registers + GPU_DISPLAY(0) + GPU_DISPLAY_CONTROL),
                         GPU_DISPLAY_SYNC);
    WRITE_REGISTER_ULONG((PULONG)(registers + GPU_REG_VSYNC), 1);
    WRITE_REGISTER_ULONG((PULONG)(registers + GPU_REG_INT_ENABLE), 1);
    MmUnmapIoSpace(registers, GPU_DISPLAY(1));
}

static NTSTATUS APIENTRY stop_with_syncs(const PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                         PDXGK_DISPLAY_INFORMATION info) {
    NTSTATUS status =
        mutants_good.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target, info);
    syncs_on();
    return status;
}
SPOIL(stop_with_syncs, StopDeviceAndReleasePostDisplayOwnership, stop_with_syncs)

/* ---- Two sources ----------------------------------------------------------------------------- */

/* Each source has its own surface, and the driver one variable for what is visible. */
static NTSTATUS APIENTRY both_visible(const HANDLE adapter,
                                      const DXGKARG_SETVIDPNSOURCEVISIBILITY *args) {
    DXGKARG_SETVIDPNSOURCEVISIBILITY other = *args;
    NTSTATUS status = mutants_good.DxgkDdiSetVidPnSourceVisibility(adapter, args);
    other.VidPnSourceId = 1 - args->VidPnSourceId;
    (void)mutants_good.DxgkDdiSetVidPnSourceVisibility(adapter, &other);
    return status;
}
REPLACE(DxgkDdiSetVidPnSourceVisibility, both_visible)

static NTSTATUS APIENTRY first_set(const HANDLE adapter,
                                   const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    DXGKARG_SETVIDPNSOURCEADDRESS first = *args;
    first.VidPnSourceId = 0;
    return mutants_good.DxgkDdiSetVidPnSourceAddress(adapter, &first);
}
REPLACE(DxgkDdiSetVidPnSourceAddress, first_set)

/* It does not look at AffectedVidPnSourceId: sources without a path are off, and those with one anew. */
static NTSTATUS APIENTRY all_committed(const HANDLE adapter, const DXGKARG_COMMITVIDPN *args) {
    DXGKARG_COMMITVIDPN all = *args;
    all.AffectedVidPnSourceId = D3DDDI_ID_ALL;
    return mutants_good.DxgkDdiCommitVidPn(adapter, &all);
}
REPLACE(DxgkDdiCommitVidPn, all_committed)

/* ---- Vertical syncs -------------------------------------------------------------------------- */

static NTSTATUS APIENTRY syncs_masked(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                      BOOLEAN enable) {
    (void)enable;
    return mutants_good.DxgkDdiControlInterrupt(adapter, type, FALSE);
}
REPLACE(DxgkDdiControlInterrupt, syncs_masked)

static NTSTATUS APIENTRY syncs_refused(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                       BOOLEAN enable) {
    NTSTATUS status = mutants_good.DxgkDdiControlInterrupt(adapter, type, enable);
    return enable ? status : STATUS_NOT_SUPPORTED;
}
REPLACE(DxgkDdiControlInterrupt, syncs_refused)

/* The same of the interrupt. */
static int display_enabled;

static NTSTATUS APIENTRY enable_other(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                      BOOLEAN enable) {
    if (type == DXGK_INTERRUPT_CRTC_VSYNC && display_enabled == (enable ? 1 : 0))
        return STATUS_SUCCESS;
    if (type == DXGK_INTERRUPT_CRTC_VSYNC)
        display_enabled = enable ? 1 : 0;
    return mutants_good.DxgkDdiControlInterrupt(adapter, type, enable);
}

static void APIENTRY install_enable_other(DRIVER_INITIALIZATION_DATA *table) {
    display_enabled = -1;
    table->DxgkDdiControlInterrupt = enable_other;
}

/* A driver that has the newer function, too, and takes DXGK_VSYNC_ENABLE for FALSE. */
static NTSTATUS APIENTRY syncs_reversed(const HANDLE adapter,
                                        const DXGKARG_CONTROLINTERRUPT2 control) {
    return mutants_good.DxgkDdiControlInterrupt(adapter, control.InterruptType,
                                                control.CrtcVsyncState != DXGK_VSYNC_ENABLE);
}
REPLACE(DxgkDdiControlInterrupt2, syncs_reversed)

static NTSTATUS APIENTRY disable_ignored(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                         BOOLEAN enable) {
    return enable || type != DXGK_INTERRUPT_CRTC_VSYNC
               ? mutants_good.DxgkDdiControlInterrupt(adapter, type, enable)
               : STATUS_SUCCESS;
}
REPLACE(DxgkDdiControlInterrupt, disable_ignored)

static NTSTATUS APIENTRY others_ignored(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                        BOOLEAN enable) {
    return type == DXGK_INTERRUPT_CRTC_VSYNC
               ? mutants_good.DxgkDdiControlInterrupt(adapter, type, enable)
               : STATUS_SUCCESS;
}
REPLACE(DxgkDdiControlInterrupt, others_ignored)

static NTSTATUS APIENTRY newer_refused(const HANDLE adapter,
                                       const DXGKARG_CONTROLINTERRUPT2 control) {
    NTSTATUS status = mutants_good.DxgkDdiControlInterrupt(
        adapter, control.InterruptType, control.CrtcVsyncState == DXGK_VSYNC_ENABLE);
    return control.CrtcVsyncState == DXGK_VSYNC_DISABLE_KEEP_PHASE ? STATUS_NOT_SUPPORTED : status;
}
REPLACE(DxgkDdiControlInterrupt2, newer_refused)

/* ---- Scan lines ------------------------------------------------------------------------------ */

static NTSTATUS APIENTRY line_unsaid(const HANDLE adapter, DXGKARG_GETSCANLINE *args) {
    UNREFERENCED_PARAMETER(adapter);
    args->InVerticalBlank = FALSE;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiGetScanLine, line_unsaid)

static NTSTATUS APIENTRY blank_unsaid(const HANDLE adapter, DXGKARG_GETSCANLINE *args) {
    UNREFERENCED_PARAMETER(adapter);
    args->ScanLine = 1;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiGetScanLine, blank_unsaid)

static NTSTATUS APIENTRY blank_lines(const HANDLE adapter, DXGKARG_GETSCANLINE *args) {
    UNREFERENCED_PARAMETER(adapter);
    args->ScanLine = 65535;
    args->InVerticalBlank = FALSE;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiGetScanLine, blank_lines)

/* ---- Interrupts ------------------------------------------------------------------------------ */

static void(APIENTRY *display_notify)(const HANDLE, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *);

static VOID APIENTRY notify_without_address(const HANDLE handle,
                                            const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA spoiled = *data;
    if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC)
        spoiled.CrtcVsync.PhysicalAddress.QuadPart = 0;
    display_notify(handle, &spoiled);
}

static VOID APIENTRY notify_other_target(const HANDLE handle,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA spoiled = *data;
    if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC)
        spoiled.CrtcVsync.VidPnTargetId += 7;
    display_notify(handle, &spoiled);
}

static VOID APIENTRY notify_first_target(const HANDLE handle,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC || data->CrtcVsync.VidPnTargetId == 0)
        display_notify(handle, data);
}

/* The driver gets a system whose DxgkCbNotifyInterrupt is another. */
#define NOTIFIES(function)                                                                         \
    static NTSTATUS APIENTRY start_##function(const PVOID context, PDXGK_START_INFO info,          \
                                              PDXGKRNL_INTERFACE system, PULONG sources,           \
                                              PULONG children) {                                   \
        DXGKRNL_INTERFACE spoiled = *system;                                                       \
        display_notify = system->DxgkCbNotifyInterrupt;                                            \
        spoiled.DxgkCbNotifyInterrupt = function;                                                  \
        return mutants_good.DxgkDdiStartDevice(context, info, &spoiled, sources, children);        \
    }                                                                                              \
    static void APIENTRY install_##function(DRIVER_INITIALIZATION_DATA *table) {                   \
        table->DxgkDdiStartDevice = start_##function;                                              \
    }
NOTIFIES(notify_without_address)
NOTIFIES(notify_other_target)
NOTIFIES(notify_first_target)

/* What completes while everything is masked is reported with the next event that is not. */
static DXGKARGCB_NOTIFY_INTERRUPT_DATA display_masked;
static bool display_masks, display_waits;

static VOID APIENTRY notify_unless_masked(const HANDLE handle,
                                          const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (display_masks && data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        display_masked = *data;
        display_waits = true;
        return;
    }
    if (display_waits && !display_masks)
        display_notify(handle, &display_masked);
    display_waits = display_waits && display_masks;
    display_notify(handle, data);
}
NOTIFIES(notify_unless_masked)

static NTSTATUS APIENTRY all_masked(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                    BOOLEAN enable) {
    display_masks = !enable;
    return mutants_good.DxgkDdiControlInterrupt(adapter, type, enable);
}

static void APIENTRY install_all_masked(DRIVER_INITIALIZATION_DATA *table) {
    display_masks = display_waits = false;
    install_notify_unless_masked(table);
    table->DxgkDdiControlInterrupt = all_masked;
}

/* ---- Managers -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY set_elsewhere(const HANDLE adapter,
                                       const DXGKARG_SETVIDPNSOURCEADDRESS *args) {
    DXGKARG_SETVIDPNSOURCEADDRESS other = *args;
    other.PrimaryAddress.QuadPart += 4096;
    return mutants_good.DxgkDdiSetVidPnSourceAddress(adapter, &other);
}
REPLACE(DxgkDdiSetVidPnSourceAddress, set_elsewhere)

const struct mutant mutants_display[] = {
    {BREAKS(527, DRIVER, "display", wide_offered,
            "offers modes of 64 bits a pixel, whose surfaces it gives the pitch of 32")},
    {BREAKS(621, DRIVER, "display", notify_without_address,
            "reports vertical syncs without an address"),
     .consequences = {639}},
    {BREAKS(621, DRIVER, "display", flip_truncated, "flips to the low half of an address"),
     .consequences = {640}},
    {BREAKS(622, DRIVER, "display", notify_other_target,
            "reports vertical syncs of a target that is none"),
     .consequences = {639}},
    {BREAKS(624, DRIVER, "display", flip_lost, "changes the address in a mode change alone"),
     .consequences = {640}},
    {BREAKS(633, DRIVER, "display", no_network_refused, "does not support no network")},
    {BREAKS(633, DRIVER, "display", empty_network_refused,
            "does not support a network without paths")},
    {BREAKS(633, DRIVER, "display", empty_network_failed,
            "does not commit a network without paths")},
    {BREAKS(634, DRIVER, "display", pivot_changed, "changes the modes of the pivot")},
    {BREAKS(634, DRIVER, "display", target_changed, "changes the modes of a target, the pivot")},
    {BREAKS(634, DRIVER, "display", free_pivot_changed,
            "changes the modes of the pivot where none is pinned")},
    {BREAKS(634, DRIVER, "display", pinned_changed,
            "changes the modes of a source, one of which is pinned")},
    {BREAKS(638, DRIVER, "display", set_left, "creates a set of modes and leaves it")},
    {BREAKS(638, DRIVER, "display", pinned_left, "leaves a set of modes that has a pinned one")},
    {BREAKS(638, DRIVER, "display", unknown_left,
            "leaves a pinned mode of a format that it does not know")},
    {BREAKS(638, DRIVER, "display", crossed_left, "leaves a path that it does not support")},
    {BREAKS(638, DRIVER, "display", path_left, "acquires a path and does not release it")},
    {BREAKS(639, DRIVER, "display", syncs_masked, "enables no vertical syncs")},
    {BREAKS(639, DRIVER, "display", syncs_reversed,
            "disables vertical syncs when the newer function enables them")},
    {BREAKS(639, DRIVER, "display", enable_other,
            "takes vertical syncs that were enabled before D3 for enabled")},
    {BREAKS(639, DRIVER, "display", notify_first_target,
            "reports the vertical syncs of its first target alone")},
    {BREAKS(640, DRIVER, "display", both_visible, "has one visibility for two sources")},
    {BREAKS(640, DRIVER, "display", first_set, "sets each surface for its first source"),
     .consequences = {621, 624}},
    {BREAKS(640, DRIVER, "display", all_committed,
            "turns other sources off when the paths of one are committed")},
    {BREAKS(640, DRIVER, "display", always_visible, "goes on to show what is invisible")},
    {BREAKS(640, DRIVER, "display", never_visible, "shows nothing")},
    {BREAKS(640, DRIVER, "display", set_unless_hidden,
            "drops a surface that is set while the source is invisible"),
     .consequences = {621, 624}},
    {BREAKS(640, DRIVER, "display", set_other,
            "takes a surface that was set before D3 for one that is"),
     .consequences = {621, 624}},
    {BREAKS(640, DRIVER, "display", on_when_off, "turns monitors on with PathPoweredOff")},
    {BREAKS(640, DRIVER, "display", off_for_good, "leaves monitors off behind PathPoweredOff")},
    {BREAKS(641, MANAGER, "display", set_elsewhere, "sets an address behind that of the surface"),
     .consequences = {640}},
    {BREAKS(642, DRIVER, "display", offered_refused, "does not support a mode that it offered")},
    {BREAKS(642, DRIVER, "display", unscaled_offered,
            "offers a mode that does not go with that of the target")},
    {BREAKS(642, DRIVER, "display", rotation_refused,
            "says a path to support a rotation that it does not support")},
    {BREAKS(643, DRIVER, "display", syncs_refused,
            "answers with a status that the page does not have")},
    {BREAKS(643, DRIVER, "display", newer_refused,
            "answers the newer function with a status that the page does not have")},
    {BREAKS(643, DRIVER, "display", others_ignored,
            "answers success for interrupts that it does not control")},
    {BREAKS(643, DRIVER, "display", disable_ignored,
            "leaves vertical syncs on when they are disabled")},
    {BREAKS(643, DRIVER, "display", all_masked, "masks all interrupts with the vertical syncs")},
    {BREAKS(658, DRIVER, "display", modes_left,
            "offers no modes of a network without pinned ones")},
    {BREAKS(657, DRIVER, "display", line_unsaid, "answers success without a scan line")},
    {BREAKS(657, DRIVER, "display", blank_unsaid,
            "says which line is displayed, and not whether one is")},
    {BREAKS(657, DRIVER, "display", blank_lines,
            "counts lines of the vertical blanking as displayed ones")},
    {BREAKS(647, DRIVER, "display", one_segment,
            "refuses surfaces in another segment of their sets")},
    {BREAKS(649, DRIVER, "display", stop_with_syncs, "leaves vertical syncs on when it stops")},
    {BREAKS(648, DRIVER, "display", flip_with_buffer, "wants a DMA buffer for a flip")},
};
const uint32_t mutants_display_count = COUNT(mutants_display);
