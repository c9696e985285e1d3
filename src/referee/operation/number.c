/*
 * number.c - the arguments of a paging operation name what is a physical adapter's own: that of the
 * system context which carries it out. Behind this the operation has the numbers over all of them
 * (state/linked.h). Entries of page tables name a physical adapter themselves.
 */
#include "operation/operation.h"

static void number_segment(uint32_t physical, UINT *id) {
    *id = linked_segment(physical, *id);
}

static void number_table(uint32_t physical, DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    update->hProcess = linked_space(physical, update->hProcess);
    if (update->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL)
        number_segment(physical, &update->PageTableAddress.GpuPhysical.SegmentId);
}

static void number_flush(uint32_t physical, DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush) {
    flush->hProcess = linked_space(physical, flush->hProcess);
    number_segment(physical, &flush->RootPageTableAddress.SegmentId);
}

/* Operations of WDDM 1: they name segments. */
static void number_places(uint32_t physical, DXGKARG_BUILDPAGINGBUFFER *arg) {
    switch ((uint32_t)arg->Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: /* the arms agree in these */
        number_segment(physical, &arg->Transfer.Source.SegmentId);
        number_segment(physical, &arg->Transfer.Destination.SegmentId);
        break;
    case DXGK_OPERATION_FILL:
        number_segment(physical, &arg->Fill.Destination.SegmentId);
        break;
    case DXGK_OPERATION_DISCARD_CONTENT:
        number_segment(physical, &arg->DiscardContent.SegmentId);
        break;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        number_segment(physical, &arg->InitContextResource.Destination.SegmentId);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: /* the arms agree up to NumberOfPages */
        number_segment(physical, &arg->MapApertureSegment.SegmentId);
        break;
    default:
        break;
    }
}

void operation_number(uint32_t physical, DXGKARG_BUILDPAGINGBUFFER *arg) {
    if (physical == 0)
        return;
    if (arg->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
        number_table(physical, &arg->UpdatePageTable);
    else if (arg->Operation == DXGK_OPERATION_FLUSH_TLB)
        number_flush(physical, &arg->FlushTlb);
    else if (arg->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY)
        number_segment(physical, &arg->NotifyResidency.PhysicalAddress.SegmentId);
    else
        number_places(physical, arg);
}
