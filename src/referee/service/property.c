/*
 * property.c - properties of an allocation that user mode changes while it lives
 * (nc-d3dumddi-pfnd3dddi_updateallocationpropertycb.md): no call shows the change, one shows that
 * the driver was asked (DxgkDdiValidateUpdateAllocationProperty).
 */
#include "service/services.h"

/* What the driver was asked last, and whether it agreed. */
static struct {
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted;
    bool agreed;
} consulted;

static NTSTATUS APIENTRY see_ValidateUpdateAllocationProperty(
    const HANDLE adapter, DXGKARG_VALIDATEUPDATEALLOCPROPERTY *args) {
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted = *args;
    struct referee_call call;
    referee_enter(&call, "DxgkDdiValidateUpdateAllocationProperty", REFEREE_REENTRANT);
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiValidateUpdateAllocationProperty(adapter, args);
    referee_return(&call);
    consulted.wanted = wanted;
    consulted.agreed = status == STATUS_SUCCESS;
    referee_exit(&call);
    return status;
}

static bool same(const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *a,
                 const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *b) {
    return a->hAllocation == b->hAllocation && a->PropertyMaskValue == b->PropertyMaskValue &&
           (!a->SetSupportedSegmentSet || a->SupportedSegmentSet == b->SupportedSegmentSet) &&
           (!a->SetPreferredSegment || a->PreferredSegment.Value == b->PreferredSegment.Value) &&
           (!a->SetAccessedPhysically ||
            a->Flags.AccessedPhysically == b->Flags.AccessedPhysically);
}

void service_property(const struct vidmm_told *told) {
    bool agreed = consulted.agreed && same(&told->properties, &consulted.wanted);
    MANAGER_MUST(402, agreed || told->answer != VIDMM_ANSWER_GRANTED,
                 "a change that the driver was asked about and agreed to", "%s",
                 !consulted.wanted.hAllocation ? "the driver was never asked"
                 : consulted.agreed            ? "the driver was asked about another"
                                               : "the driver refused");
    consulted.agreed = false;
    consulted.wanted.hAllocation = NULL;
}

void property_watch(DRIVER_INITIALIZATION_DATA *table) {
    consulted.agreed = false;
    consulted.wanted.hAllocation = NULL;
    WATCH(table, ValidateUpdateAllocationProperty);
}
