/*
 * identifiers.c - new identifiers, and the activity of a thread (pages nf-ntddk-exuuidcreate,
 * nf-wdm-etwactivityidcontrol). They count, so that a run in virtual time repeats; none comes twice.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

static _Thread_local GUID activity;

static void identifier_make(GUID *to) {
    static _Atomic uint64_t made;
    uint64_t number = atomic_fetch_add(&made, 1) + 1;
    *to = (GUID){.Data1 = (ULONG)number, .Data2 = (USHORT)(number >> 32), .Data3 = 0x4000};
    memcpy(to->Data4, "\x80vidmm\0\0", sizeof(to->Data4));
}

NTKERNELAPI NTSTATUS NTAPI ExUuidCreate(UUID *Uuid) {
    host_irql_at_most(PASSIVE_LEVEL, "ExUuidCreate");
    identifier_make(Uuid);
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI EtwActivityIdControl(ULONG ControlCode, LPGUID ActivityId) {
    GUID before = activity;
    if (ControlCode != EVENT_ACTIVITY_CTRL_CREATE_ID)
        host_irql_at_most(APC_LEVEL, "EtwActivityIdControl");
    switch (ControlCode) {
    case EVENT_ACTIVITY_CTRL_GET_ID:
        *ActivityId = activity;
        return STATUS_SUCCESS;
    case EVENT_ACTIVITY_CTRL_SET_ID:
        activity = *ActivityId;
        return STATUS_SUCCESS;
    case EVENT_ACTIVITY_CTRL_CREATE_ID:
        identifier_make(ActivityId);
        return STATUS_SUCCESS;
    case EVENT_ACTIVITY_CTRL_GET_SET_ID:
        activity = *ActivityId;
        *ActivityId = before;
        return STATUS_SUCCESS;
    case EVENT_ACTIVITY_CTRL_CREATE_SET_ID:
        identifier_make(&activity);
        *ActivityId = before;
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}
