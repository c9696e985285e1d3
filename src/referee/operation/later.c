/*
 * later.c - an operation is judged by what can be seen once its fence came back, and by
 * then the GPU may have gone further: to the rest of the buffer, to buffers behind it, and to the
 * first parts of what is still being built. What those change is not the fault of the operation.
 */
#include <stddef.h>

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

/* ---- By what they change --------------------------------------------------------------------- */

#define CHANGE(at)                                                                                 \
    ((struct shadow_operation *)(void *)((char *)(at)-offsetof(struct shadow_operation, change)))

static uint64_t later_end_of(uint64_t start, uint64_t size) {
    return start + size < start ? UINT64_MAX : start + size;
}

static void later_enter_segment(struct vidmm_referee *referee, struct shadow_operation *operation,
                                uint32_t id, uint64_t offset, uint64_t size) {
    if (id == 0 || id > SHADOW_SEGMENTS || size == 0)
        return;
    operation->changed = CHANGED_SEGMENT;
    operation->changed_segment = id;
    interval_add(&referee->changes.segment[id - 1], &operation->change.bytes, offset,
                 later_end_of(offset, size));
}

static void later_enter_addressed(struct vidmm_referee *referee, struct shadow_operation *operation,
                                  uint32_t id, LARGE_INTEGER address, uint64_t at, uint64_t size) {
    const struct shadow_segment *segment = shadow_segment(referee, id);
    if (segment)
        later_enter_segment(referee, operation, id, (uint64_t)address.QuadPart - segment->base + at,
                            size);
}

static void later_enter_transfer(struct vidmm_referee *referee,
                                 struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    if (arg->Transfer.Destination.SegmentId != 0) {
        later_enter_addressed(referee, operation, arg->Transfer.Destination.SegmentId,
                              arg->Transfer.Destination.SegmentAddress,
                              arg->Transfer.TransferOffset, arg->Transfer.TransferSize);
        return;
    }
    /* The MDL of a special one may be of a part, which no other operation names. */
    const void *named = arg->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER
                            ? arg->Transfer.hAllocation
                            : (const void *)arg->Transfer.Destination.pMdl;
    if (keyed_add(&referee->changes.mdl, &operation->change.mdl, keyed_handle(named)))
        operation->changed = CHANGED_MDL;
    else
        referee->changes.unknown = true;
}

/* By GPU virtual addresses it is looked up (virtual_note_target). */
static void later_enter_initialised(struct vidmm_referee *referee,
                                    struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->InitContextResource.hAllocation);
    if (allocation && !tables_mmu(referee, operation->physical)->known)
        later_enter_addressed(referee, operation, arg->InitContextResource.Destination.SegmentId,
                              arg->InitContextResource.Destination.SegmentAddress, 0,
                              allocation->size);
}

void later_enter(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    switch (arg->Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        later_enter_transfer(referee, operation);
        break;
    case DXGK_OPERATION_FILL:
        later_enter_addressed(referee, operation, arg->Fill.Destination.SegmentId,
                              arg->Fill.Destination.SegmentAddress, 0, arg->Fill.FillSize);
        break;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        later_enter_initialised(referee, operation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: /* the arms agree up to NumberOfPages */
        later_enter_segment(referee, operation, arg->MapApertureSegment.SegmentId,
                            arg->MapApertureSegment.OffsetInPages * SHADOW_PAGE,
                            arg->MapApertureSegment.NumberOfPages * SHADOW_PAGE);
        break;
    default:
        break;
    }
}

void later_enter_pages(struct vidmm_referee *referee, struct shadow_operation *operation,
                       uint64_t low, uint64_t high) {
    if (operation->changed != CHANGED_NOTHING || low >= high)
        return;
    operation->changed = CHANGED_PAGES;
    interval_add(&referee->changes.pages, &operation->change.bytes, low, high);
}

void later_leave(struct vidmm_referee *referee, struct shadow_operation *operation) {
    struct shadow_changes *changes = &referee->changes;
    if (operation->changed == CHANGED_SEGMENT)
        interval_remove(&changes->segment[operation->changed_segment - 1],
                        &operation->change.bytes);
    else if (operation->changed == CHANGED_PAGES)
        interval_remove(&changes->pages, &operation->change.bytes);
    else if (operation->changed == CHANGED_MDL)
        keyed_remove(&changes->mdl, &operation->change.mdl);
    operation->changed = CHANGED_NOTHING;
}

void later_end(struct vidmm_referee *referee) {
    keyed_clear(&referee->changes.mdl);
    referee->changes.unknown = false;
}

bool later_touches(struct vidmm_referee *referee, const struct shadow_operation *operation,
                   uint32_t segment, uint64_t offset, uint64_t size) {
    const struct interval_index *index = &referee->changes.segment[segment - 1];
    const struct interval *at = NULL;
    do
        at = interval_meets(index, offset, later_end_of(offset, size), at);
    while (at && CHANGE(at) == operation);
    return at || referee->changes.unknown;
}

static bool later_overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
    return a < b + b_size && b < a + a_size;
}

/* Its destination is an MDL; bytes of these pages of it. */
static bool later_writes_pages(const DXGKARG_BUILDPAGINGBUFFER *arg, uint64_t page,
                               uint64_t pages) {
    bool special = arg->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    uint64_t first = special ? arg->Transfer.TransferOffset / SHADOW_PAGE : arg->Transfer.MdlOffset;
    uint64_t size = (arg->Transfer.TransferSize + SHADOW_PAGE - 1) / SHADOW_PAGE;
    return later_overlap(first, size, page, pages);
}

static bool later_writes_named(struct vidmm_referee *referee,
                               const struct shadow_operation *operation, const void *named,
                               uint64_t page, uint64_t pages) {
    const struct keyed *at = keyed_find(&referee->changes.mdl, keyed_handle(named));
    while (at && (CHANGE(at) == operation || !later_writes_pages(&CHANGE(at)->arg, page, pages)))
        at = keyed_find_older(at);
    return at;
}

bool later_writes(struct vidmm_referee *referee, const struct shadow_operation *operation,
                  const MDL *mdl, uint64_t page, uint64_t pages) {
    return later_writes_named(referee, operation, mdl, page, pages) ||
           later_writes_named(referee, operation, operation->arg.Transfer.hAllocation, page,
                              pages) ||
           referee->changes.unknown;
}

const struct shadow_operation *later_pages(struct vidmm_referee *referee,
                                           const struct shadow_operation *operation, uint64_t low,
                                           uint64_t high, const struct shadow_operation *after) {
    const struct interval *at = after ? &after->change.bytes : NULL;
    do
        at = interval_meets(&referee->changes.pages, low, high, at);
    while (at && CHANGE(at) == operation);
    return at ? CHANGE(at) : NULL;
}

/* ---- By what they name ----------------------------------------------------------------------- */

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
