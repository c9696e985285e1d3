/*
 * adl.c - mappings from address descriptor lists (iommu-dma-remapping.md): which of the
 * two MAP operations a driver gets, for which allocations, and what the list and the address that
 * come with the second one have to be. What both have in common: operation/aperture.c.
 */
#include <string.h>

#include "operation/operation.h"

#define ENOUGH 64u /* bytes that tell one page from another */

static bool adl_takes_lists(struct vidmm_referee *referee) {
    return referee->adapter.caps.MemoryManagementCaps.MapAperture2Supported != 0;
}

/* The CPU may be writing the page while it is compared, through one view or the other. */
static bool adl_leads_to(struct vidmm_referee *referee, const uint8_t *cpu, uint64_t frame) {
    const uint8_t *page = world_memory(referee, frame * SHADOW_PAGE, SHADOW_PAGE);
    return !page || memcmp(cpu, page, ENOUGH) == 0 || memcmp(cpu, page, ENOUGH) == 0;
}

static void adl_judge_address(struct vidmm_referee *referee,
                              const struct shadow_operation *operation,
                              struct shadow_allocation *allocation) {
    const uint8_t *cpu = operation->arg.MapApertureSegment2.CpuVisibleAddress;
    bool wanted = allocation && allocation->info.FlagsWddm2.MapApertureCpuVisible;
    bool first = operation->arg.MapApertureSegment2.AdlOffset == 0 && operation->frame_count != 0;
    MANAGER_MUST(206, !!cpu == wanted,
                 "CpuVisibleAddress exactly for MapApertureCpuVisible allocations",
                 "CpuVisibleAddress is %p, MapApertureCpuVisible is %u", (const void *)cpu,
                 (unsigned)wanted);
    if (!cpu || !wanted || !first)
        return;
    allocation->cpu = cpu;
    allocation->cpu_frame = operation->frames[0];
    MANAGER_MUST(
        206, adl_leads_to(referee, cpu, operation->frames[0]), "the address of what is mapped",
        "CpuVisibleAddress %p does not show the first page of the list", (const void *)cpu);
}

void adl_asked(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    const DXGKARG_BUILDPAGINGBUFFER *arg = &operation->arg;
    struct shadow_allocation *allocation =
        shadow_allocation(referee, arg->MapApertureSegment.hAllocation);
    bool second = arg->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
    if (referee->adapter.version < DXGKDDI_INTERFACE_VERSION_WDDM2_9 ||
        !referee->adapter.caps_known)
        return;
    MANAGER_MUST(203, second == adl_takes_lists(referee),
                 "MAP_APERTURE_SEGMENT2 for drivers with MapAperture2Supported, and for no others",
                 "%s, MapAperture2Supported is %u",
                 second ? "MAP_APERTURE_SEGMENT2" : "MAP_APERTURE_SEGMENT",
                 (unsigned)adl_takes_lists(referee));
    if (!second)
        return;
    uint64_t pages = arg->MapApertureSegment2.NumberOfPages;
    uint32_t first = arg->MapApertureSegment2.AdlOffset;
    uint32_t count = arg->MapApertureSegment2.Adl.PageCount;
    MANAGER_MUST(205, first <= count && pages <= count - first,
                 "AdlOffset + NumberOfPages in the list",
                 "AdlOffset %u and %llu pages of a list that has %u", first, LLU(pages), count);
    if (allocation)
        MANAGER_MUST(130,
                     allocation->info.Flags.AccessedPhysically || !arg->MapApertureSegment2.hDevice,
                     "an AccessedPhysically allocation, or a primary", "its Flags are 0x%x",
                     allocation->info.Flags.Value);
    adl_judge_address(referee, operation, allocation);
}

/* ---- Pages of a list that the driver maps for itself ------------------------------------------- */

static bool adl_is_between(uint64_t frame, uint64_t first, uint64_t last) {
    return frame >= first && frame <= last;
}

/* The list of the operation that is asked for has one of these frames. */
static bool adl_lists(struct vidmm_referee *referee, uint64_t first, uint64_t last) {
    const struct build_operation *open = referee->builds.open.operation;
    bool lists = false;
    if (!open || open->shadow.arg.Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT2)
        return false;
    for (uint64_t i = 0; i < open->shadow.frame_count; i++)
        lists = lists || adl_is_between(open->shadow.frames[i], first, last);
    return lists;
}

/* One of these frames is mapped in an aperture. */
static bool adl_has_mapped(struct vidmm_referee *referee, uint64_t first, uint64_t last) {
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id)) {
        const struct shadow_segment *segment = shadow_segment(referee, id);
        for (uint64_t i = 0; segment->pages && i < segment->size / SHADOW_PAGE; i++)
            if (segment->pages[i].state == SHADOW_PAGE_MAPPED &&
                adl_is_between(segment->pages[i].frame, first, last))
                return true;
    }
    return false;
}

void vidmm_referee_maps_memory(struct vidmm_referee *referee, uint64_t physical, uint64_t bytes) {
    const uint64_t first = physical / SHADOW_PAGE, last = (physical + bytes - 1) / SHADOW_PAGE;
    pthread_mutex_lock(&referee->lock);
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 &&
        referee->adapter.caps_known && adl_takes_lists(referee))
        DRIVER_MUST(207, !adl_lists(referee, first, last) && !adl_has_mapped(referee, first, last),
                    "no page of an address descriptor list mapped for the CPU",
                    "a page of a list is mapped, among %llu bytes at 0x%llx", LLU(bytes),
                    LLU(physical));
    pthread_mutex_unlock(&referee->lock);
}

/* ---- The end of a mapping ---------------------------------------------------------------------- */

/* Until here the address has to hold. */
void adl_unmapped(struct vidmm_referee *referee, const struct shadow_operation *operation) {
    struct shadow_allocation *allocation =
        shadow_allocation(referee, operation->arg.UnmapApertureSegment.hAllocation);
    if (!allocation || !allocation->cpu)
        return;
    MANAGER_MUST(206, adl_leads_to(referee, allocation->cpu, allocation->cpu_frame),
                 "the address valid until the unmapping",
                 "CpuVisibleAddress %p does not show the page any more",
                 (const void *)allocation->cpu);
    allocation->cpu = NULL;
}
