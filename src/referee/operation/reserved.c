/*
 * reserved.c - what a manager leaves zero in every paging operation: reserved bits of its flags, and
 * reserved members beside them (ns-d3dkmddi-_dxgk_transferflags.md and its neighbours).
 */
#include "operation/operation.h"

/* NativeFence is a flag of UPDATE_PAGE_TABLE from WDDM 3.1 on. */
static uint32_t reserved_in_update(struct vidmm_referee *referee,
                                   const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    bool fences = referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM3_1;
    return update->Reserved0 | update->Flags.Reserved | (fences ? 0 : update->Flags.NativeFence);
}

/* The reserved bits that are set, in whatever member; 0: none. */
static uint32_t reserved_bits(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *arg) {
    switch ((uint32_t)arg->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return arg->Transfer.Flags.Reserved;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return arg->SpecialLockTransfer.Flags.Reserved;
    case DXGK_OPERATION_DISCARD_CONTENT:
        return arg->DiscardContent.Flags.Reserved;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return arg->MapApertureSegment.Flags.Reserved;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        return arg->MapApertureSegment2.Flags.Reserved;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        return arg->TransferVirtual.Flags.Reserved;
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        return reserved_in_update(referee, &arg->UpdatePageTable);
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        return arg->NotifyResidency.Reserved;
    default:
        return 0;
    }
}

void operation_judge_reserved(struct vidmm_referee *referee, const DXGKARG_BUILDPAGINGBUFFER *arg) {
    uint32_t bits = reserved_bits(referee, arg);
    MANAGER_MUST(473, bits == 0, "reserved members of the operation 0", "0x%x of operation %u",
                 bits, (unsigned)arg->Operation);
}
