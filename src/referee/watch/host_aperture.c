/*
 * host_aperture.c - the CPU host aperture: pages of a BAR that the system has the driver lead
 * to pages of a memory segment (cpu-host-aperature.md, ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md).
 *
 * What the CPU sees through a page is compared with the segment when the page was mapped and again
 * when it was unmapped: by then everything that the CPU wrote through it has to be there.
 */
#include "state/hash.h"
#include "state/own_memory.h"

#include <string.h>

#define PAGES    4096u /* of an aperture that are followed */
#define UNMAPPED UINT64_MAX

/* Segment pages behind the aperture's, one aperture at a time: the last that was mapped to. */
static struct {
    uint32_t segment; /* 0: none */
    uint64_t page[PAGES];
    uint64_t sample[PAGES]; /* of what the CPU sees there; 0: not looked at */
    HANDLE owner[PAGES];    /* the allocation that a page was mapped for, or NULL */
} map;

static void begin(uint32_t segment) {
    if (map.segment == segment)
        return;
    map.segment = segment;
    for (uint32_t i = 0; i < PAGES; i++) {
        map.page[i] = UNMAPPED;
        map.sample[i] = 0;
    }
}

/* Through the aperture, and in the segment; NULL: cannot be seen. */
static const void *through(const struct shadow_segment *segment, uint32_t page) {
    const struct vidmm_referee_world *world = &referee->world;
    uint64_t at = segment->host_base + (uint64_t)page * segment->page_size;
    return world->io ? world->io(world->ctx, at, SHADOW_PAGE) : NULL;
}

static const void *behind_page(const struct shadow_segment *segment, uint64_t page) {
    return page < segment->size / segment->page_size
               ? world_segment(segment, page * segment->page_size, SHADOW_PAGE)
               : NULL;
}

static uint64_t sample(const void *bytes) {
    return bytes ? hash_bytes(HASH_START, bytes, SHADOW_PAGE) : 0;
}

/* ---- What else is mapped --------------------------------------------------------------------- */

static void sample_all(const struct shadow_segment *segment) {
    for (uint32_t i = 0; i < PAGES && i < segment->host_pages; i++)
        map.sample[i] = map.page[i] != UNMAPPED ? sample(through(segment, i)) : 0;
}

static void skip(const UINT32 *pages, UINT64 count) {
    for (UINT64 i = 0; i < count; i++)
        if (pages[i] < PAGES)
            map.sample[pages[i]] = 0;
}

static void judge_others(const struct shadow_segment *segment) {
    for (uint32_t i = 0; i < PAGES && i < segment->host_pages; i++)
        if (map.sample[i] != 0)
            DRIVER_MUST(271, sample(through(segment, i)) == map.sample[i],
                        "the other pages of the aperture left as they are",
                        "the CPU sees other bytes through page %u, which was not named", i);
}

/* ---- Mapping --------------------------------------------------------------------------------- */

static bool judge_request(const struct shadow_segment *segment,
                          const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    bool sound = true;
    for (UINT64 i = 0; i < args->NumberOfPages; i++) {
        uint32_t page = args->pCpuHostAperturePages[i];
        bool fresh = page >= PAGES || map.page[page] == UNMAPPED;
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

static void judge_mapped(const struct shadow_segment *segment,
                         const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    for (UINT64 i = 0; i < args->NumberOfPages; i++) {
        uint32_t page = args->pCpuHostAperturePages[i];
        uint64_t seen = sample(through(segment, page));
        uint64_t there = sample(behind_page(segment, args->pMemorySegmentPages[i]));
        if (seen != 0 && there != 0)
            DRIVER_MUST(268, seen == there, "the segment's page through the aperture's",
                        "the CPU sees other bytes through page %u than segment page 0x%llx has",
                        page, (unsigned long long)args->pMemorySegmentPages[i]);
        if (page < PAGES) {
            map.page[page] = args->pMemorySegmentPages[i];
            map.owner[page] = args->hAllocation;
        }
    }
    judge_others(segment);
}

static void judge_answer(const DXGKARG_MAPCPUHOSTAPERTURE *args, NTSTATUS status) {
    if (referee->adapter.created == 0)
        DRIVER_MUST(265, status == STATUS_SUCCESS,
                    "the aperture at work as soon as the segments are reported",
                    "status 0x%08x before there is any allocation", (unsigned)status);
    if (!args->hAllocation)
        DRIVER_MUST(269, status == STATUS_SUCCESS, "pages mapped without an allocation",
                    "status 0x%08x with hAllocation NULL", (unsigned)status);
}

static NTSTATUS APIENTRY see_MapCpuHostAperture(const HANDLE adapter,
                                                const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    struct referee_call call;
    referee_enter(&call, "DxgkDdiMapCpuHostAperture", REFEREE_REENTRANT);
    const struct shadow_segment *segment = shadow_segment(args->SegmentId);
    bool known = segment && segment->host_pages != 0;
    bool sound = false;
    if (known) {
        begin(segment->id);
        sound = judge_request(segment, args);
        sample_all(segment);
        skip(args->pCpuHostAperturePages, args->NumberOfPages);
    }
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiMapCpuHostAperture(adapter, args);
    referee_return(&call);
    if (sound)
        judge_answer(args, status);
    if (sound && status == STATUS_SUCCESS)
        judge_mapped(segment, args);
    referee_exit(&call);
    return status;
}

/* ---- What becomes of the memory -------------------------------------------------------------- */

void host_aperture_judge_place(const struct shadow_segment *segment, uint64_t offset, uint64_t size,
                               HANDLE allocation) {
    uint32_t found = PAGES;
    if (!segment || segment->id != map.segment)
        return;
    for (uint32_t i = 0; i < PAGES && i < segment->host_pages; i++) {
        uint64_t start = map.page[i] * segment->page_size;
        if (map.page[i] != UNMAPPED && map.owner[i] != allocation && start < offset + size &&
            offset < start + segment->page_size)
            found = i;
    }
    MANAGER_MUST(270, found == PAGES, "memory that no page of the host aperture leads to any more",
                 "page %u still leads to offset 0x%llx of segment %u", found,
                 (unsigned long long)offset, segment->id);
}

/* ---- Unmapping ------------------------------------------------------------------------------- */

/* What the CPU wrote through a page has to be in the segment when it goes. */
static void judge_unmapped(const struct shadow_segment *segment, uint32_t page, uint64_t wrote) {
    uint64_t there = sample(behind_page(segment, map.page[page]));
    if (wrote != 0 && there != 0)
        DRIVER_MUST(268, wrote == there, "what the CPU wrote through the page in the segment",
                    "segment page 0x%llx has other bytes than the CPU saw through page %u",
                    (unsigned long long)map.page[page], page);
    map.page[page] = UNMAPPED;
}

static NTSTATUS APIENTRY see_UnmapCpuHostAperture(const HANDLE adapter,
                                                  const DXGKARG_UNMAPCPUHOSTAPERTURE *args) {
    struct referee_call call;
    static uint64_t wrote[PAGES];
    referee_enter(&call, "DxgkDdiUnmapCpuHostAperture", REFEREE_REENTRANT);
    const struct shadow_segment *segment = shadow_segment(args->SegmentId);
    bool known = segment && segment->id == map.segment;
    if (known) {
        sample_all(segment);
        memcpy(wrote, map.sample, sizeof(wrote));
        skip(args->pCpuHostAperturePages, args->NumberOfPages);
    }
    referee_leave(&call);
    NTSTATUS status = referee->real.DxgkDdiUnmapCpuHostAperture(adapter, args);
    referee_return(&call);
    for (UINT64 i = 0; known && i < args->NumberOfPages; i++) {
        uint32_t page = args->pCpuHostAperturePages[i];
        if (page < PAGES && map.page[page] != UNMAPPED)
            judge_unmapped(segment, page, wrote[page]);
    }
    if (known)
        judge_others(segment);
    referee_exit(&call);
    return status;
}

void referee_watch_host_aperture(DRIVER_INITIALIZATION_DATA *table) {
    map.segment = 0;
    WATCH(table, MapCpuHostAperture);
    WATCH(table, UnmapCpuHostAperture);
}
