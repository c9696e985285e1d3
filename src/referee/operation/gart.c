/*
 * gart.c - the GART behind an AGP-type aperture segment: no operation of the driver maps there, so
 * the caller of the manager says what the manager has the GART do, and the shadow of the pages
 * follows that. What the driver does there is to touch it with the GPU.
 */
#include "operation/operation.h"

#include <vidmm/referee.h>

static struct shadow_segment *gart_segment(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        if (shadow_segment(referee, id)->gart)
            return shadow_segment(referee, id);
    }
    return NULL;
}

/* R199: all pages mapped, or none. */
static void gart_judge_states(struct vidmm_referee *referee, const struct shadow_segment *segment,
                              const struct vidmm_referee_gart *change, bool mapped) {
    const uint8_t *page = &segment->gart[change->page];
    uint64_t i = 0;
    while (i < change->pages && ((page[i] & SHADOW_GART_MAPPED) != 0) == mapped)
        i++;
    MANAGER_MUST(199, i == change->pages,
                 "the GART to map unmapped pages, and to unmap mapped ones",
                 "page %llu of AGP segment %u is %s already", LLU(change->page + i), segment->id,
                 mapped ? "unmapped" : "mapped");
}

static void gart_set(struct shadow_segment *segment, const struct vidmm_referee_gart *change,
                     uint8_t state) {
    for (uint64_t i = change->page; i < change->page + change->pages; i++) {
        segment->mapped -= (segment->gart[i] & SHADOW_GART_MAPPED) != 0;
        segment->mapped += (state & SHADOW_GART_MAPPED) != 0;
        segment->gart[i] = state;
    }
}

static void gart_follow(struct vidmm_referee *referee, struct shadow_segment *segment,
                        const struct vidmm_referee_gart *change) {
    switch (change->kind) {
    case VIDMM_GART_MAP:
        gart_judge_states(referee, segment, change, false);
        aperture_judge_commitment(referee, segment, change->pages);
        gart_set(segment, change, SHADOW_GART_MAPPED);
        break;
    case VIDMM_GART_UNMAP:
        gart_judge_states(referee, segment, change, true);
        gart_set(segment, change, 0);
        break;
    case VIDMM_GART_FLUSH:
        for (uint64_t i = change->page; i < change->page + change->pages; i++)
            segment->gart[i] |= SHADOW_GART_FLUSHED;
        break;
    }
}

void vidmm_referee_gart(struct vidmm_referee *referee, const struct vidmm_referee_gart *change) {
    pthread_mutex_lock(&referee->lock);
    struct shadow_segment *segment = gart_segment(referee);
    uint64_t have = segment ? segment->size / SHADOW_PAGE : 0;
    bool inside = change->page <= have && change->pages <= have - change->page;
    if (segment)
        MANAGER_MUST(35, inside, "pages of the AGP aperture that the bus has",
                     "%llu pages from page %llu of AGP segment %u, which has %llu",
                     LLU(change->pages), LLU(change->page), segment->id, LLU(have));
    if (segment && inside)
        gart_follow(referee, segment, change);
    pthread_mutex_unlock(&referee->lock);
}

void gart_judge_use(struct vidmm_referee *referee, const struct shadow_segment *segment,
                    struct shadow_allocation *allocation, uint64_t offset) {
    uint64_t first = offset / SHADOW_PAGE, pages = allocation->size / SHADOW_PAGE;
    uint64_t mapped = 0, flushed = 0;
    allocation->content = true; /* as after a MAP: its system pages are what the GPU uses */
    if (!segment->gart || offset > segment->size || allocation->size > segment->size - offset)
        return;
    for (uint64_t i = first; i < first + pages; i++) {
        mapped += (segment->gart[i] & SHADOW_GART_MAPPED) != 0;
        flushed += (segment->gart[i] & SHADOW_GART_FLUSHED) != 0;
    }
    MANAGER_MUST(36, mapped == pages, "the allocation's pages mapped by the GART before it is used",
                 "%llu of %llu pages from page %llu of AGP segment %u are mapped", LLU(mapped),
                 LLU(pages), LLU(first), segment->id);
    if (allocation->info.Flags.Cached && mapped == pages)
        MANAGER_MUST(110, flushed == pages,
                     "a Cached allocation flushed from the CPU's caches before the GPU uses it in "
                     "an AGP segment",
                     "%llu of its %llu pages were flushed since they were mapped", LLU(flushed),
                     LLU(pages));
}

/* ---- READ_PHYSICAL, WRITE_PHYSICAL ----------------------------------------------------------- */

/* The CPU cannot do this in place of the GPU, whose writes it is about. */
static void gart_touch_built(struct vidmm_referee *referee,
                             const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    bool read = arg->Operation == DXGK_OPERATION_READ_PHYSICAL;
    const struct shadow_segment *segment =
        shadow_segment(referee, read ? arg->ReadPhysical.SegmentId : arg->WritePhysical.SegmentId);
    if (segment && segment->gart)
        DRIVER_MUST(192, !operation->swallowed, "a command for the GPU that accesses the address",
                    "success, and nothing in the paging buffer, for %s of AGP segment %u",
                    read ? "READ_PHYSICAL" : "WRITE_PHYSICAL", segment->id);
}

const struct operation_judge op_judge_touch = {.built = gart_touch_built};
