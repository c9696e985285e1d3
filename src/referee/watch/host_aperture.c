/*
 * host_aperture.c - the CPU host aperture: pages of a BAR that the system has the driver lead
 * to pages of a memory segment (cpu-host-aperature.md, ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md).
 *
 * What the CPU sees through a page is compared with the segment when the page was mapped and again
 * when it was unmapped: by then everything that the CPU wrote through it has to be there.
 */
#include <string.h>

#include "state/grow.h"
#include "state/hash.h"
#include "watch/own_memory.h"
#include "watch/watch.h"

static void host_aperture_begin(struct vidmm_referee *referee, uint32_t segment) {
    if (referee->host_aperture.segment == segment)
        return;
    referee->host_aperture.segment = segment;
    for (uint32_t i = 0; i < referee->host_aperture.pages; i++) {
        referee->host_aperture.page[i].behind = HOST_APERTURE_UNMAPPED;
        referee->host_aperture.page[i].sample = 0;
    }
}

/* The page is one of those that are kept; false: out of memory. */
static bool host_aperture_follow(struct vidmm_referee *referee, uint32_t page) {
    struct host_aperture *aperture = &referee->host_aperture;
    uint32_t old = aperture->pages;
    if (!grow(&aperture->page, &aperture->pages, page + 1, sizeof(*aperture->page)))
        return false;
    for (uint32_t i = old; i < aperture->pages; i++)
        aperture->page[i].behind = HOST_APERTURE_UNMAPPED;
    return true;
}

/* Through the aperture, and in the segment; NULL: cannot be seen. */
static const void *host_aperture_through(struct vidmm_referee *referee,
                                         const struct shadow_segment *segment, uint32_t page) {
    const struct vidmm_referee_world *world = &referee->world;
    uint64_t at = segment->host_base + (uint64_t)page * segment->page_size;
    return world->io ? world->io(world->ctx, at, SHADOW_PAGE) : NULL;
}

static const void *host_aperture_behind_page(struct vidmm_referee *referee,
                                             const struct shadow_segment *segment, uint64_t page) {
    return page < segment->size / segment->page_size
               ? world_segment(referee, segment, page * segment->page_size, SHADOW_PAGE)
               : NULL;
}

static uint64_t host_aperture_sample(const void *bytes) {
    return bytes ? hash_bytes(HASH_START, bytes, SHADOW_PAGE) : 0;
}

/* ---- What else is mapped --------------------------------------------------------------------- */

static void host_aperture_sample_all(struct vidmm_referee *referee,
                                     const struct shadow_segment *segment) {
    for (uint32_t i = 0; i < referee->host_aperture.pages && i < segment->host_pages; i++)
        referee->host_aperture.page[i].sample =
            referee->host_aperture.page[i].behind != HOST_APERTURE_UNMAPPED
                ? host_aperture_sample(host_aperture_through(referee, segment, i))
                : 0;
}

static void host_aperture_skip(struct vidmm_referee *referee, const UINT32 *pages, UINT64 count) {
    for (UINT64 i = 0; i < count; i++)
        if (pages[i] < referee->host_aperture.pages)
            referee->host_aperture.page[pages[i]].sample = 0;
}

static void host_aperture_judge_others(struct vidmm_referee *referee,
                                       const struct shadow_segment *segment) {
    for (uint32_t i = 0; i < referee->host_aperture.pages && i < segment->host_pages; i++)
        if (referee->host_aperture.page[i].sample != 0)
            DRIVER_MUST(271,
                        host_aperture_sample(host_aperture_through(referee, segment, i)) ==
                            referee->host_aperture.page[i].sample,
                        "the other pages of the aperture left as they are",
                        "the CPU sees other bytes through page %u, which was not named", i);
}

/* ---- Mapping --------------------------------------------------------------------------------- */

static bool host_aperture_judge_request(struct vidmm_referee *referee,
                                        const struct shadow_segment *segment,
                                        const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    bool sound = true;
    for (UINT64 i = 0; i < args->NumberOfPages; i++) {
        uint32_t page = args->pCpuHostAperturePages[i];
        bool fresh = page >= referee->host_aperture.pages ||
                     referee->host_aperture.page[page].behind == HOST_APERTURE_UNMAPPED;
        bool inside = page < segment->host_pages &&
                      args->pMemorySegmentPages[i] < segment->size / segment->page_size;
        MANAGER_MUST(267, inside && fresh,
                     "a page of the aperture that was not mapped, and one of the segment",
                     "aperture page %u of %u %s led to segment page 0x%llx", page,
                     segment->host_pages, fresh ? "is" : "is mapped, and",
                     (unsigned long long)args->pMemorySegmentPages[i]);
        sound = sound && inside && fresh;
    }
    return sound;
}

static void host_aperture_judge_mapped(struct vidmm_referee *referee,
                                       const struct shadow_segment *segment,
                                       const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    for (UINT64 i = 0; i < args->NumberOfPages; i++) {
        uint32_t page = args->pCpuHostAperturePages[i];
        uint64_t seen = host_aperture_sample(host_aperture_through(referee, segment, page));
        uint64_t there = host_aperture_sample(
            host_aperture_behind_page(referee, segment, args->pMemorySegmentPages[i]));
        if (seen != 0 && there != 0)
            DRIVER_MUST(268, seen == there, "the segment's page through the aperture's",
                        "the CPU sees other bytes through page %u than segment page 0x%llx has",
                        page, (unsigned long long)args->pMemorySegmentPages[i]);
        if (host_aperture_follow(referee, page)) {
            referee->host_aperture.page[page].behind = args->pMemorySegmentPages[i];
            referee->host_aperture.page[page].owner = args->hAllocation;
        }
    }
    host_aperture_judge_others(referee, segment);
}

static void host_aperture_judge_answer(struct vidmm_referee *referee,
                                       const DXGKARG_MAPCPUHOSTAPERTURE *args, NTSTATUS status) {
    if (referee->adapter.created == 0)
        DRIVER_MUST(265, status == STATUS_SUCCESS,
                    "the aperture at work as soon as the segments are reported",
                    "status 0x%08x before there is any allocation", (unsigned)status);
    if (!args->hAllocation)
        DRIVER_MUST(269, status == STATUS_SUCCESS, "pages mapped without an allocation",
                    "status 0x%08x with hAllocation NULL", (unsigned)status);
}

/* cpu-host-aperature.md: an allocation that is not instanced is in one aperture alone. */
static void host_aperture_judge_home(struct vidmm_referee *referee, uint32_t physical,
                                     HANDLE handle) {
    const struct shadow_allocation *allocation = shadow_allocation(referee, handle);
    if (allocation)
        MANAGER_MUST(272, physical == allocation->physical,
                     "the aperture of the physical adapter that has the allocation",
                     "PhysicalAdapterIndex is %u, the allocation's home is %u", physical,
                     allocation->physical);
}

static NTSTATUS watch_MapCpuHostAperture(struct vidmm_referee *referee, const HANDLE adapter,
                                         const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiMapCpuHostAperture", REFEREE_REENTRANT);
    linked_judge_index(referee, args->PhysicalAdapterIndex);
    uint32_t physical = linked_index(referee, args->PhysicalAdapterIndex);
    host_aperture_judge_home(referee, physical, args->hAllocation);
    const struct shadow_segment *segment =
        shadow_segment(referee, linked_segment(physical, args->SegmentId));
    bool known = segment && segment->host_pages != 0;
    bool sound = false;
    if (known) {
        host_aperture_begin(referee, segment->id);
        sound = host_aperture_judge_request(referee, segment, args);
        host_aperture_sample_all(referee, segment);
        host_aperture_skip(referee, args->pCpuHostAperturePages, args->NumberOfPages);
    }
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiMapCpuHostAperture(adapter, args);
    referee_return(referee);
    if (sound)
        host_aperture_judge_answer(referee, args, status);
    if (sound && status == STATUS_SUCCESS)
        host_aperture_judge_mapped(referee, segment, args);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, MapCpuHostAperture, const HANDLE, const DXGKARG_MAPCPUHOSTAPERTURE *)

/* ---- Unmapping ------------------------------------------------------------------------------- */

/* What the CPU wrote through a page has to be in the segment when it goes. */
static void host_aperture_judge_unmapped(struct vidmm_referee *referee,
                                         const struct shadow_segment *segment, uint32_t page,
                                         uint64_t wrote) {
    uint64_t there = host_aperture_sample(
        host_aperture_behind_page(referee, segment, referee->host_aperture.page[page].behind));
    if (wrote != 0 && there != 0)
        DRIVER_MUST(268, wrote == there, "what the CPU wrote through the page in the segment",
                    "segment page 0x%llx has other bytes than the CPU saw through page %u",
                    (unsigned long long)referee->host_aperture.page[page].behind, page);
    referee->host_aperture.page[page].behind = HOST_APERTURE_UNMAPPED;
}

static NTSTATUS watch_UnmapCpuHostAperture(struct vidmm_referee *referee, const HANDLE adapter,
                                           const DXGKARG_UNMAPCPUHOSTAPERTURE *args) {
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiUnmapCpuHostAperture", REFEREE_REENTRANT);
    linked_judge_index(referee, args->PhysicalAdapterIndex);
    const struct shadow_segment *segment =
        shadow_segment(referee, linked_segment(linked_index(referee, args->PhysicalAdapterIndex),
                                               args->SegmentId));
    bool known = segment && segment->id == referee->host_aperture.segment;
    if (known) {
        host_aperture_sample_all(referee, segment);
        for (uint32_t i = 0; i < referee->host_aperture.pages; i++)
            referee->host_aperture.page[i].wrote = referee->host_aperture.page[i].sample;
        host_aperture_skip(referee, args->pCpuHostAperturePages, args->NumberOfPages);
    }
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiUnmapCpuHostAperture(adapter, args);
    referee_return(referee);
    for (UINT64 i = 0; known && i < args->NumberOfPages; i++) {
        uint32_t page = args->pCpuHostAperturePages[i];
        if (page < referee->host_aperture.pages &&
            referee->host_aperture.page[page].behind != HOST_APERTURE_UNMAPPED)
            host_aperture_judge_unmapped(referee, segment, page,
                                         referee->host_aperture.page[page].wrote);
    }
    if (known)
        host_aperture_judge_others(referee, segment);
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, UnmapCpuHostAperture, const HANDLE, const DXGKARG_UNMAPCPUHOSTAPERTURE *)

void referee_watch_host_aperture(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->host_aperture.segment = 0;
    WATCH(table, MapCpuHostAperture);
    WATCH(table, UnmapCpuHostAperture);
}
