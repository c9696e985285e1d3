/*
 * aperture.c - MAP_APERTURE_SEGMENT and UNMAP_APERTURE_SEGMENT: what the manager may ask
 * of an aperture whose pages it mapped before, and what the pages are afterwards. The same for
 * MAP_APERTURE_SEGMENT2; what is special about it: operation/adl.c.
 */
#include <string.h>

#include "operation/operation.h"

#define SHARED_LEAST (UINT64_C(64) << 20) /* of all apertures, however small the machine */

/* The three arms agree in these. */
struct range {
    struct shadow_segment *segment; /* NULL: not one with a shadow of its pages */
    uint64_t first, pages;
};

static struct range aperture_range_of(struct vidmm_referee *referee,
                                      const DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct range range = {shadow_aperture(referee, arg->MapApertureSegment.SegmentId),
                          arg->MapApertureSegment.OffsetInPages,
                          arg->MapApertureSegment.NumberOfPages};
    if (range.segment && !range.segment->pages)
        range.segment = NULL;
    return range;
}

static bool aperture_second_form(const DXGKARG_BUILDPAGINGBUFFER *arg) {
    return arg->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
}

/* Page of the list of pages that the mapping begins with. */
static uint64_t aperture_list_start(const DXGKARG_BUILDPAGINGBUFFER *arg) {
    return aperture_second_form(arg) ? arg->MapApertureSegment2.AdlOffset
                                     : arg->MapApertureSegment.MdlOffset;
}

static bool aperture_inside(const struct range *range) {
    uint64_t have = range->segment->size / SHADOW_PAGE;
    return range->pages >= 1 && range->first <= have && range->pages <= have - range->first;
}

/* ---- Asked for ------------------------------------------------------------------------------- */

/* False: there is nothing more to say about it. */
static bool aperture_judge_range(struct vidmm_referee *referee,
                                 const DXGKARG_BUILDPAGINGBUFFER *arg, const struct range *range) {
    uint32_t id = arg->MapApertureSegment.SegmentId;
    const struct shadow_segment *segment = shadow_aperture(referee, id);
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->MapApertureSegment.hAllocation);
    HANDLE device = arg->MapApertureSegment.hDevice;
    MANAGER_MUST(36, !segment || !segment->flags.Agp, "a linear aperture segment",
                 "segment %u is an AGP aperture", id);
    MANAGER_MUST(201, !device || shadow_device(referee, device), "a device of the driver, or NULL",
                 "hDevice %p is no device", device);
    if (!range->segment)
        return false;
    MANAGER_MUST(193, aperture_inside(range), "at least one page, inside the segment",
                 "%llu pages from page %llu of an aperture that has %llu", LLU(range->pages),
                 LLU(range->first), LLU(range->segment->size / SHADOW_PAGE));
    if (allocation)
        MANAGER_MUST(198, allocation->uses == 0, "a range that the GPU does not access",
                     "%u submissions under way use the allocation", allocation->uses);
    return aperture_inside(range);
}

static bool aperture_is_in_state(const struct shadow_page *page, bool mapped) {
    return (page->state == SHADOW_PAGE_MAPPED) == mapped || (mapped && page->given_up);
}

/* R199: all pages mapped, or none. */
static void aperture_judge_states(struct vidmm_referee *referee, const struct range *range,
                                  bool mapped) {
    uint64_t i = 0;
    const struct shadow_page *page = &range->segment->pages[range->first];
    while (i < range->pages && aperture_is_in_state(&page[i], mapped))
        i++;
    MANAGER_MUST(199, i == range->pages, "MAP of unmapped pages, UNMAP of mapped pages",
                 "page %llu of segment %u is %s already", LLU(range->first + i), range->segment->id,
                 mapped ? "unmapped" : "mapped");
}

/* calculating-graphics-memory.md: what it calls shared system memory, but for the sum of all
 * CommitLimit, which R64 is about. */
static uint64_t aperture_shared_limit(struct vidmm_referee *referee) {
    const struct shadow_adapter *adapter = &referee->adapter;
    uint64_t asked = adapter->caps_known ? adapter->caps.ApertureSegmentCommitLimit : 0;
    uint64_t limit = referee->world.memory_bytes / 2;
    if (referee->world.memory_bytes == 0)
        return asked != 0 ? asked : UINT64_MAX;
    limit = limit > SHARED_LEAST ? limit : SHARED_LEAST;
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_segment(referee, id);
        if (segment->flags.Aperture || segment->flags.Agp ||
            !segment->flags.PopulatedFromSystemMemory)
            continue;
        limit -= segment->size < limit ? segment->size : limit;
    }
    return asked != 0 && asked < limit ? asked : limit;
}

void aperture_judge_commitment(struct vidmm_referee *referee, const struct shadow_segment *segment,
                               uint64_t pages) {
    uint64_t total = pages, here = segment->mapped + pages;
    uint64_t limit = aperture_shared_limit(referee);
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id))
        total += shadow_segment(referee, id)->mapped;
    MANAGER_MUST(64, here * SHADOW_PAGE <= segment->commit_limit,
                 "no more than CommitLimit mapped at once",
                 "0x%llx bytes of segment %u would be mapped, CommitLimit is 0x%llx",
                 LLU(here * SHADOW_PAGE), segment->id, LLU(segment->commit_limit));
    MANAGER_MUST(65, total * SHADOW_PAGE <= limit,
                 "no more than the shared-memory limit mapped in all apertures",
                 "0x%llx bytes would be mapped, the limit is 0x%llx", LLU(total * SHADOW_PAGE),
                 LLU(limit));
}

static bool aperture_coherent(const DXGKARG_BUILDPAGINGBUFFER *arg) {
    DXGK_MAPAPERTUREFLAGS flags =
        aperture_second_form(arg) ? arg->MapApertureSegment2.Flags : arg->MapApertureSegment.Flags;
    return flags.CacheCoherent != 0;
}

static void aperture_judge_coherence(struct vidmm_referee *referee,
                                     const DXGKARG_BUILDPAGINGBUFFER *arg,
                                     const struct shadow_segment *segment) {
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->MapApertureSegment.hAllocation);
    bool cached = !allocation || allocation->info.Flags.Cached;
    bool coherent = aperture_coherent(arg);
    MANAGER_MUST(195, !coherent || (cached && segment->flags.CacheCoherent),
                 "CacheCoherent for cached memory in a CacheCoherent segment only",
                 "CacheCoherent for %s memory in segment %u, which %s coherent",
                 cached ? "cached" : "uncached", segment->id,
                 segment->flags.CacheCoherent ? "is" : "is not");
}

/* Its content is on the way out of a memory segment. */
static bool aperture_is_window(struct vidmm_referee *referee,
                               const struct shadow_allocation *allocation) {
    return allocation && allocation->placed && shadow_memory(referee, allocation->segment);
}

static void aperture_map_asked(struct vidmm_referee *referee, struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct range range = aperture_range_of(referee, arg);
    const struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->MapApertureSegment.hAllocation);
    adl_asked(referee, operation);
    if (!aperture_judge_range(referee, arg, &range))
        return;
    aperture_judge_states(referee, &range, false);
    aperture_judge_commitment(referee, range.segment, range.pages);
    aperture_judge_coherence(referee, arg, range.segment);
    LARGE_INTEGER address;
    uint64_t offset, mdl = aperture_list_start(arg);
    address.QuadPart = (LONGLONG)(range.segment->base + range.first * SHADOW_PAGE);
    (void)place_range(referee, range.segment->id, address, 0, range.pages * SHADOW_PAGE, &offset);
    if (allocation)
        MANAGER_MUST(476, !allocation->linear || aperture_is_window(referee, allocation),
                     "no unswizzled pages of a Swizzled allocation in an aperture",
                     "%p was unswizzled when it left its memory segment",
                     arg->MapApertureSegment.hAllocation);
    if (allocation && mdl <= range.first)
        place_allocation(referee, allocation, range.segment, (range.first - mdl) * SHADOW_PAGE);
}

static void aperture_unmap_asked(struct vidmm_referee *referee,
                                 struct shadow_operation *operation) {
    struct range range = aperture_range_of(referee, &operation->arg);
    adl_unmapped(referee, operation);
    if (aperture_judge_range(referee, &operation->arg, &range))
        aperture_judge_states(referee, &range, true);
}

/* ---- Built ----------------------------------------------------------------------------------- */

static void aperture_set_page(struct shadow_segment *segment, uint64_t index, uint8_t state,
                              uint64_t frame) {
    struct shadow_page *page = &segment->pages[index];
    segment->mapped -= page->state == SHADOW_PAGE_MAPPED;
    segment->mapped += state == SHADOW_PAGE_MAPPED;
    page->state = state;
    page->frame = frame;
    page->settled = page->used = false;
    page->given_up = page->given_up && state != SHADOW_PAGE_MAPPED;
}

static void aperture_map_built(struct vidmm_referee *referee,
                               const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct range range = aperture_range_of(referee, arg);
    struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->MapApertureSegment.hAllocation);
    uint64_t mdl = aperture_list_start(arg);
    if (!range.segment || !aperture_inside(&range))
        return;
    if (!aperture_is_window(referee, allocation))
        promise_taken(referee, range.segment, range.first, range.pages);
    for (uint64_t i = 0; i < range.pages && i < operation->frame_count; i++)
        aperture_set_page(range.segment, range.first + i, SHADOW_PAGE_MAPPED, operation->frames[i]);
    if (mdl <= range.first)
        place_set(referee, allocation, range.segment->id, (range.first - mdl) * SHADOW_PAGE);
}

static void aperture_unmap_built(struct vidmm_referee *referee,
                                 const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct range range = aperture_range_of(referee, arg);
    struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->UnmapApertureSegment.hAllocation);
    uint64_t dummy = (uint64_t)arg->UnmapApertureSegment.DummyPage.QuadPart / SHADOW_PAGE;
    if (!range.segment || !aperture_inside(&range))
        return;
    for (uint64_t i = 0; i < range.pages; i++)
        aperture_set_page(range.segment, range.first + i, SHADOW_PAGE_DUMMY, dummy);
    if (!allocation || allocation->segment != range.segment->id)
        return;
    shadow_judge_displayed(referee, allocation);
    shadow_displace(referee, allocation);
}

void unmap_given_up(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    struct range range = aperture_range_of(referee, &operation->arg);
    if (!range.segment || !aperture_inside(&range))
        return;
    for (uint64_t i = range.first; i < range.first + range.pages; i++)
        range.segment->pages[i].given_up = true;
}

/* ---- Done ------------------------------------------------------------------------------------ */

/* The hardware shows a page of the range, or has shown one of the segment before: then a page that
 * it does not show is one that leads nowhere. The CPU's view would be memory of the bus, in which
 * nothing is mapped. */
static bool aperture_shown(struct vidmm_referee *referee, const struct range *range) {
    struct shadow_segment *segment = range->segment;
    for (uint64_t i = 0; i < range->pages && !segment->shown; i++) {
        uint64_t offset = (range->first + i) * SHADOW_PAGE;
        segment->shown = world_peek(referee, shadow_address(segment, offset), SHADOW_PAGE);
    }
    return segment->shown;
}

/* Only where the GPU's own view of the aperture is known; `rule`: what it would show. */
static bool aperture_visible(struct vidmm_referee *referee,
                             const struct shadow_operation *operation, const struct range *range,
                             uint32_t rule) {
    if (!range->segment || !aperture_inside(range))
        return false;
    bool seen =
        !operation->by_physical && (world_sees_all(referee) || aperture_shown(referee, range));
    if (!seen) {
        judge_unseen(referee, rule, range->segment->id);
        judge_unseen(referee, 197, range->segment->id);
    }
    return seen;
}

/*
 * The GPU sees `frame` at page `index`; `exactly`: and not just the same bytes elsewhere. Where the
 * hardware shows system memory itself, it has to be that frame, whatever the bytes are.
 */
static bool aperture_shows(struct vidmm_referee *referee, const struct shadow_segment *segment,
                           uint64_t index, uint64_t frame, bool exactly) {
    const uint8_t *seen = world_segment(referee, segment, index * SHADOW_PAGE, SHADOW_PAGE);
    const uint8_t *wanted = world_memory(referee, frame * SHADOW_PAGE, SHADOW_PAGE);
    return seen && wanted &&
           (seen == wanted || (!exactly && !world_is_memory(referee, seen) &&
                               memcmp(seen, wanted, SHADOW_PAGE) == 0));
}

/* R197: the page next to the range is as it was. */
static void aperture_judge_neighbour(struct vidmm_referee *referee,
                                     const struct shadow_operation *operation,
                                     const struct range *range, uint64_t index) {
    const struct shadow_segment *segment = range->segment;
    if (index >= segment->size / SHADOW_PAGE)
        return;
    const struct shadow_page *page = &segment->pages[index];
    if (!page->settled || page->state != SHADOW_PAGE_MAPPED ||
        later_touches(referee, operation, segment->id, index * SHADOW_PAGE, SHADOW_PAGE))
        return;
    DRIVER_MUST(
        197, aperture_shows(referee, segment, index, page->frame, false),
        "all other pages of the aperture as before",
        "page %llu of segment %u is not what was mapped there, next to %llu pages from %llu",
        LLU(index), segment->id, LLU(range->pages), LLU(range->first));
}

/* Page `index` became `state` and `frame`, unless an operation behind this one says otherwise;
 * false: it did not. */
static bool aperture_settle(struct vidmm_referee *referee, const struct shadow_operation *operation,
                            const struct range *range, uint64_t index,
                            const struct shadow_page *became, bool busy) {
    struct shadow_page *page = &range->segment->pages[index];
    if (busy &&
        later_touches(referee, operation, range->segment->id, index * SHADOW_PAGE, SHADOW_PAGE))
        return true;
    if (!aperture_shows(referee, range->segment, index, became->frame, false))
        return false;
    if (page->state == became->state && page->frame == became->frame &&
        aperture_shows(referee, range->segment, index, became->frame, true))
        page->settled = true;
    return true;
}

/* The first page of a segment that does not show what was mapped there; `size / SHADOW_PAGE`: none. */
static uint64_t aperture_lost(struct vidmm_referee *referee, const struct shadow_segment *segment) {
    uint64_t pages = segment->size / SHADOW_PAGE, i = 0;
    while (i < pages &&
           (!segment->pages[i].settled || segment->pages[i].state != SHADOW_PAGE_MAPPED ||
            aperture_shows(referee, segment, i, segment->pages[i].frame, false)))
        i++;
    return i;
}

void apertures_judge_restored(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_segment(referee, id);
        if (!segment->pages || segment->mapped == 0)
            continue;
        uint64_t lost = aperture_lost(referee, segment);
        DRIVER_MUST(340, lost == segment->size / SHADOW_PAGE,
                    "aperture pages that show what was mapped there when the guest was paused",
                    "page %llu of segment %u does not show its frame any more", LLU(lost), id);
    }
}

static bool aperture_crowded(struct vidmm_referee *referee,
                             const struct shadow_operation *operation, const struct range *range) {
    return later_touches(referee, operation, range->segment->id, range->first * SHADOW_PAGE,
                         range->pages * SHADOW_PAGE);
}

static void aperture_judge_neighbours(struct vidmm_referee *referee,
                                      const struct shadow_operation *operation,
                                      const struct range *range) {
    if (range->first != 0)
        aperture_judge_neighbour(referee, operation, range, range->first - 1);
    aperture_judge_neighbour(referee, operation, range, range->first + range->pages);
}

/* R196: what shows its frame is snooped. What is not coherent may be snooped all the same. */
static void aperture_judge_snooping(struct vidmm_referee *referee,
                                    const struct shadow_operation *operation,
                                    const struct range *range) {
    const struct shadow_segment *segment = range->segment;
    uint64_t end = range->first + range->pages, asked = 0;
    bool snoops = true;
    if (!aperture_coherent(&operation->arg))
        return;
    for (uint64_t i = range->first; i < end && snoops; i++) {
        const struct shadow_page *page = &segment->pages[i];
        if (page->settled && page->state == SHADOW_PAGE_MAPPED &&
            !later_touches(referee, operation, segment->id, i * SHADOW_PAGE, SHADOW_PAGE) &&
            world_snoops(referee, shadow_address(segment, i * SHADOW_PAGE), &snoops))
            asked = i + 1;
    }
    if (asked != 0)
        DRIVER_MUST(196, snoops, "accesses that snoop the CPU's caches where CacheCoherent is set",
                    "page %llu of segment %u, of %llu pages from page %llu, is not snooped",
                    LLU(asked - 1), segment->id, LLU(range->pages), LLU(range->first));
    else
        judge_unseen(referee, 196, segment->id);
}

/* `shown` pages, or more, of a range are what was mapped there. R651: an aperture in which maps showed before the
 * adapter was in D3, and none since, was not set up again. */
static void aperture_judge_mapped(struct vidmm_referee *referee,
                                  const struct shadow_operation *operation,
                                  const struct range *range, uint64_t shown) {
    struct shadow_segment *segment = range->segment;
    bool shows = shown == range->pages || shown == operation->frame_count;
    if (segment->returned)
        DRIVER_MUST(651, shows, "an aperture that shows what is mapped there, as before it was off",
                    "page %llu of segment %u does not show frame 0x%llx, which was mapped there in "
                    "PowerDeviceD0",
                    LLU(range->first + shown), segment->id, LLU(operation->frames[shown]));
    else
        DRIVER_MUST(
            aperture_second_form(&operation->arg) ? 204 : 194, shows,
            "aperture page OffsetInPages + i showing page i of the list from its offset on",
            "page %llu of %llu pages from page %llu of segment %u does not show frame 0x%llx",
            LLU(shown), LLU(range->pages), LLU(range->first), segment->id,
            LLU(operation->frames[shown]));
    segment->proven = segment->proven || shows;
    segment->returned = segment->returned && !shows;
}

void apertures_returned(struct vidmm_referee *referee) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        struct shadow_segment *segment = shadow_segment(referee, id);
        segment->returned = segment->proven;
    }
}

static void aperture_map_done(struct vidmm_referee *referee,
                              const struct shadow_operation *operation) {
    struct range range = aperture_range_of(referee, &operation->arg);
    if (!aperture_visible(referee, operation, &range,
                          aperture_second_form(&operation->arg) ? 204 : 194))
        return;
    bool busy = aperture_crowded(referee, operation, &range);
    uint64_t i = 0;
    for (; i < range.pages && i < operation->frame_count; i++) {
        struct shadow_page became = {.state = SHADOW_PAGE_MAPPED, .frame = operation->frames[i]};
        if (!aperture_settle(referee, operation, &range, range.first + i, &became, busy))
            break;
    }
    aperture_judge_mapped(referee, operation, &range, i);
    aperture_judge_neighbours(referee, operation, &range);
    aperture_judge_snooping(referee, operation, &range);
}

const struct operation_judge op_judge_map = {
    .asked = aperture_map_asked, .built = aperture_map_built, .done = aperture_map_done};

static void aperture_unmap_done(struct vidmm_referee *referee,
                                const struct shadow_operation *operation) {
    struct range range = aperture_range_of(referee, &operation->arg);
    const struct shadow_page became = {
        .state = SHADOW_PAGE_DUMMY,
        .frame = (uint64_t)operation->arg.UnmapApertureSegment.DummyPage.QuadPart / SHADOW_PAGE};
    if (!aperture_visible(referee, operation, &range, 200) || range.segment->returned)
        return;
    bool busy = aperture_crowded(referee, operation, &range);
    uint64_t i = 0;
    for (; i < range.pages; i++) {
        if (!aperture_settle(referee, operation, &range, range.first + i, &became, busy))
            break;
    }
    DRIVER_MUST(200, i == range.pages, "every page of the range showing DummyPage",
                "page %llu of %llu pages from page %llu of segment %u does not show it", LLU(i),
                LLU(range.pages), LLU(range.first), range.segment->id);
    aperture_judge_neighbours(referee, operation, &range);
}

const struct operation_judge op_judge_unmap = {
    .asked = aperture_unmap_asked, .built = aperture_unmap_built, .done = aperture_unmap_done};
