/*
 * later.c - an operation is judged by what can be seen once its fence came back, and by
 * then the GPU may have gone further: to the rest of the buffer, to buffers behind it, and to the
 * first parts of what is still being built. What those change is not the fault of the operation.
 */
#include "operation/operation.h"

static bool later_among(const struct shadow_submission *submission,
                        const struct shadow_operation *operation) {
    const struct shadow_operation *at = submission->operations;
    while (at && at != operation)
        at = at->next;
    return at;
}

static const struct shadow_operation *later_next_submitted(struct vidmm_referee *referee,
                                                           const struct shadow_operation *operation,
                                                           struct later *at) {
    const struct shadow_submission *next = submit_next(referee, at->in);
    while (next && (!next->operations || later_among(next, operation)))
        next = submit_next(referee, next);
    at->in = next;
    return next ? next->operations : NULL;
}

const struct shadow_operation *later_next(struct vidmm_referee *referee,
                                          const struct shadow_operation *operation,
                                          const struct shadow_operation *after, struct later *at) {
    const struct shadow_operation *next = after->next;
    if (!next && at->waiting == 0)
        next = later_next_submitted(referee, operation, at);
    while (!next && build_waiting(referee, at->waiting, &next))
        at->waiting++;
    return next;
}

static bool later_overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
    return a < b + b_size && b < a + a_size;
}

/* Bytes of a segment that an operation changes; `segment` 0: none. */
struct touched {
    uint32_t segment;
    uint64_t offset, size;
};

static struct touched later_addressed(struct vidmm_referee *referee, uint32_t id,
                                      LARGE_INTEGER address, uint64_t at, uint64_t size) {
    const struct shadow_segment *segment = shadow_segment(referee, id);
    struct touched touched = {0, 0, 0};
    if (segment) {
        touched.segment = id;
        touched.offset = (uint64_t)address.QuadPart - segment->base + at;
        touched.size = size;
    }
    return touched;
}

static struct touched later_touched_by(struct vidmm_referee *referee,
                                       const DXGKARG_BUILDPAGINGBUFFER *arg) {
    switch (arg->Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return later_addressed(referee, arg->Transfer.Destination.SegmentId,
                               arg->Transfer.Destination.SegmentAddress,
                               arg->Transfer.TransferOffset, arg->Transfer.TransferSize);
    case DXGK_OPERATION_FILL:
        return later_addressed(referee, arg->Fill.Destination.SegmentId,
                               arg->Fill.Destination.SegmentAddress, 0, arg->Fill.FillSize);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: /* the arms agree up to NumberOfPages */
        return (struct touched){arg->MapApertureSegment.SegmentId,
                                arg->MapApertureSegment.OffsetInPages * SHADOW_PAGE,
                                arg->MapApertureSegment.NumberOfPages * SHADOW_PAGE};
    default:
        return (struct touched){0, 0, 0};
    }
}

bool later_touches(struct vidmm_referee *referee, const struct shadow_operation *operation,
                   uint32_t segment, uint64_t offset, uint64_t size) {
    struct later in = {NULL, 0};
    for (const struct shadow_operation *at = later_next(referee, operation, operation, &in); at;
         at = later_next(referee, operation, at, &in)) {
        struct touched touched = later_touched_by(referee, &at->arg);
        if (touched.segment == segment && later_overlap(touched.offset, touched.size, offset, size))
            return true;
    }
    return false;
}

bool later_writes(struct vidmm_referee *referee, const struct shadow_operation *operation,
                  const MDL *mdl, uint64_t page, uint64_t pages) {
    struct later in = {NULL, 0};
    for (const struct shadow_operation *at = later_next(referee, operation, operation, &in); at;
         at = later_next(referee, operation, at, &in)) {
        const DXGKARG_BUILDPAGINGBUFFER *arg = &at->arg;
        bool special = arg->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
        if ((arg->Operation != DXGK_OPERATION_TRANSFER && !special) ||
            arg->Transfer.Destination.SegmentId != 0 || arg->Transfer.Destination.pMdl != mdl)
            continue;
        uint64_t first =
            special ? arg->Transfer.TransferOffset / SHADOW_PAGE : arg->Transfer.MdlOffset;
        uint64_t size = (arg->Transfer.TransferSize + SHADOW_PAGE - 1) / SHADOW_PAGE;
        if (later_overlap(first, size, page, pages))
            return true;
    }
    return false;
}

static HANDLE later_named(const DXGKARG_BUILDPAGINGBUFFER *arg) {
    switch (arg->Operation) {
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        return arg->TransferVirtual.hAllocation;
    case DXGK_OPERATION_VIRTUAL_FILL:
        return arg->FillVirtual.hAllocation;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        return arg->UnmapApertureSegment.hAllocation;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        return arg->NotifyResidency.hAllocation;
    default:
        return NULL;
    }
}

uint32_t operations_under_way(struct vidmm_referee *referee, HANDLE allocation) {
    const struct shadow_submission *work = submit_next(referee, NULL);
    uint32_t count = 0;
    for (; work; work = submit_next(referee, work))
        for (const struct shadow_operation *at = work->operations; at; at = at->next)
            count += later_named(&at->arg) == allocation;
    return count;
}
