/*
 * property.c - properties of an allocation that user mode changes while it lives
 * (nc-d3dumddi-pfnd3dddi_updateallocationpropertycb.md): no call shows the change, one shows that
 * the driver was asked (DxgkDdiValidateUpdateAllocationProperty).
 */
#include "service/services.h"

static bool property_same(const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *a,
                          const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *b) {
    return a->hAllocation == b->hAllocation && a->PropertyMaskValue == b->PropertyMaskValue &&
           (!a->SetSupportedSegmentSet || a->SupportedSegmentSet == b->SupportedSegmentSet) &&
           (!a->SetPreferredSegment || a->PreferredSegment.Value == b->PreferredSegment.Value) &&
           (!a->SetAccessedPhysically ||
            a->Flags.AccessedPhysically == b->Flags.AccessedPhysically);
}

void service_property(struct vidmm_referee *referee, const struct vidmm_request_record *record) {
    bool agreed = referee->requests.consulted.agreed &&
                  property_same(&record->properties, &referee->requests.consulted.wanted);
    MANAGER_MUST(402, agreed || record->answer != VIDMM_ANSWER_GRANTED,
                 "a change that the driver was asked about and agreed to", "%s",
                 !referee->requests.consulted.wanted.hAllocation ? "the driver was never asked"
                 : referee->requests.consulted.agreed ? "the driver was asked about another"
                                                      : "the driver refused");
    referee->requests.consulted.agreed = false;
    referee->requests.consulted.wanted.hAllocation = NULL;
}
