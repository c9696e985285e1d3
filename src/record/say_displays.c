/*
 * say_displays.c - what calls say of displays: networks, surfaces that are shown, vertical syncs. A network is the
 * system's, and has no name here; 0: none.
 */
#include "fields.h"

static void say_supported(const struct fields *f, const void *args) {
    const DXGKARG_ISSUPPORTEDVIDPN *a = args;
    field_number(f, "hDesiredVidPn", a->hDesiredVidPn ? 1 : 0);
}

static void say_supported_answer(const struct fields *f, const void *args) {
    const DXGKARG_ISSUPPORTEDVIDPN *a = args;
    if (f->succeeded)
        NUMBER(IsVidPnSupported);
}

static void say_modality(const struct fields *f, const void *args) {
    const DXGKARG_ENUMVIDPNCOFUNCMODALITY *a = args;
    NUMBER(EnumPivotType);
    NUMBER(EnumPivot.VidPnSourceId);
    NUMBER(EnumPivot.VidPnTargetId);
}

static void say_commit(const struct fields *f, const void *args) {
    const DXGKARG_COMMITVIDPN *a = args;
    NUMBER(AffectedVidPnSourceId);
    HANDLE_OF(ALLOCATION, hPrimaryAllocation);
}

static void say_shown(const struct fields *f, const void *args) {
    const DXGKARG_SETVIDPNSOURCEADDRESS *a = args;
    NUMBER(VidPnSourceId);
    NUMBER(PrimarySegment);
    ADDRESS(PrimaryAddress);
    HANDLE_OF(ALLOCATION, hAllocation);
    NUMBER(ContextCount);
    FLAGS(Flags);
}

static void say_visible(const struct fields *f, const void *args) {
    const DXGKARG_SETVIDPNSOURCEVISIBILITY *a = args;
    NUMBER(VidPnSourceId);
    NUMBER(Visible);
}

const struct said said_displays[] = {
    {.name = "DxgkDdiIsSupportedVidPn",
     .arguments = say_supported,
     .answers = say_supported_answer},
    {.name = "DxgkDdiEnumVidPnCofuncModality", .arguments = say_modality},
    {.name = "DxgkDdiCommitVidPn", .arguments = say_commit},
    {.name = "DxgkDdiSetVidPnSourceAddress", .arguments = say_shown},
    {.name = "DxgkDdiSetVidPnSourceVisibility", .arguments = say_visible},
    {.name = NULL},
};
