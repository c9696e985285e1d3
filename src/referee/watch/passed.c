/*
 * passed.c - calls whose arguments and answers no rule judges: they are watched so that a crash, a
 * hang and what the host sees are known to be in them, and so that each call has its number. Of the
 * answer about a node only its place is judged here; stage query asks. Of an escape a crash behind its bytes is.
 */
#include "state/given.h"
#include "watch/watch.h"

#define PASSED_2(name, a, b)                                                                       \
    static NTSTATUS watch_##name(struct vidmm_referee *referee, a first, b second) {               \
        struct referee_call call;                                                                  \
        referee_enter(referee, &call, "DxgkDdi" #name, REFEREE_REENTRANT);                         \
        referee_leave(referee);                                                                    \
        NTSTATUS status = referee->real.DxgkDdi##name(first, second);                              \
        referee_return(referee);                                                                   \
        referee_exit(referee, &call);                                                              \
        return status;                                                                             \
    }                                                                                              \
    WATCHED_2(NTSTATUS, name, a, b)
#define PASSED_3(name, a, b, c)                                                                    \
    static NTSTATUS watch_##name(struct vidmm_referee *referee, a first, b second, c third) {      \
        struct referee_call call;                                                                  \
        referee_enter(referee, &call, "DxgkDdi" #name, REFEREE_REENTRANT);                         \
        referee_leave(referee);                                                                    \
        NTSTATUS status = referee->real.DxgkDdi##name(first, second, third);                       \
        referee_return(referee);                                                                   \
        referee_exit(referee, &call);                                                              \
        return status;                                                                             \
    }                                                                                              \
    WATCHED_3(NTSTATUS, name, a, b, c)

PASSED_2(CollectDbgInfo, const HANDLE, const DXGKARG_COLLECTDBGINFO *)
PASSED_2(WriteVirtualizedInterrupt, const HANDLE, const DXGKARG_WRITEVIRTUALIZEDINTERRUPT *)
PASSED_2(IsSupportedVidPn, const HANDLE, DXGKARG_ISSUPPORTEDVIDPN *)
PASSED_2(EnumVidPnCofuncModality, const HANDLE, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *)
PASSED_2(GetScanLine, const HANDLE, DXGKARG_GETSCANLINE *)
PASSED_3(QueryDeviceDescriptor, const PVOID, ULONG, PDXGK_DEVICE_DESCRIPTOR)
PASSED_3(ControlInterrupt, const HANDLE, const DXGK_INTERRUPT_TYPE, BOOLEAN)
PASSED_2(ControlInterrupt2, const HANDLE, const DXGKARG_CONTROLINTERRUPT2)
PASSED_2(ControlInterrupt3, const HANDLE, const DXGKARG_CONTROLINTERRUPT3 *)

static NTSTATUS watch_Escape(struct vidmm_referee *referee, const HANDLE adapter,
                             const DXGKARG_ESCAPE *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiEscape", REFEREE_REENTRANT);
    if (args->pPrivateDriverData)
        referee_gives_list(&call, 533, "pPrivateDriverData", args->pPrivateDriverData,
                           args->PrivateDriverDataSize);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiEscape(adapter, args);
    referee_return(referee);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, Escape, const HANDLE, const DXGKARG_ESCAPE *)

static NTSTATUS watch_GetNodeMetadata(struct vidmm_referee *referee, const HANDLE adapter,
                                      UINT node, DXGKARG_GETNODEMETADATA *args) {
    struct referee_call call;
    struct guard answer;
    referee_enter(referee, &call, "DxgkDdiGetNodeMetadata", REFEREE_REENTRANT);
    guard_make(referee, &answer, args, sizeof(*args));
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiGetNodeMetadata(adapter, node, (void *)answer.bytes);
    referee_return(referee);
    given_answered(referee, &answer);
    referee_exit(referee, &call);
    return status;
}
WATCHED_3(NTSTATUS, GetNodeMetadata, const HANDLE, UINT, DXGKARG_GETNODEMETADATA *)

void referee_watch_passed(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    WATCH(table, Escape);
    WATCH(table, CollectDbgInfo);
    WATCH(table, WriteVirtualizedInterrupt);
    WATCH(table, GetNodeMetadata);
    WATCH(table, IsSupportedVidPn);
    WATCH(table, EnumVidPnCofuncModality);
    WATCH(table, GetScanLine);
    WATCH(table, QueryDeviceDescriptor);
    WATCH(table, ControlInterrupt);
    WATCH(table, ControlInterrupt2);
    WATCH(table, ControlInterrupt3);
}
