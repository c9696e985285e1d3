/*
 * stage_host_aperture.c - pages of the CPU host aperture, mapped as a system maps them for its page
 * tables before there is any allocation: scattered, written by the CPU, some of them unmapped and
 * mapped to other memory while the others stay. What is written through pages that were unmapped does not
 * reach the memory that they led to.
 */
#include "stage.h"

#include <string.h>

#define SEGMENTS 32u
#define PAGES    4u /* of the aperture */
#define WIDE     0x10000u

struct host_aperture {
    struct check *check;
    UINT16 segment;
    DXGK_CPUHOSTAPERTURE aperture;
    uint64_t base;  /* GPU address of the segment */
    uint64_t pages; /* of the segment */
    uint64_t page_size;
};

/* The first segment with a CPU host aperture. */
static bool aperture_find(struct host_aperture *found) {
    DXGK_SEGMENTDESCRIPTOR4 segment[SEGMENTS] = {{.Size = 0}};
    DXGK_QUERYSEGMENTOUT4 out = {.SegmentDescriptorStride = sizeof(segment[0])};
    if (check_ask_segments(found->check, &out) != STATUS_SUCCESS || out.NbSegment > SEGMENTS)
        return false;
    UINT count = out.NbSegment;
    out.pSegmentDescriptor = (BYTE *)segment;
    if (check_ask_segments(found->check, &out) != STATUS_SUCCESS)
        return false;
    for (UINT i = 0; i < count; i++) {
        if (!segment[i].Flags.SupportsCpuHostAperture)
            continue;
        found->segment = (UINT16)(i + 1);
        found->aperture = segment[i].CpuHostAperture;
        found->base = (uint64_t)segment[i].BaseAddress.QuadPart;
        found->page_size = segment[i].Flags.Use64KBPages ? WIDE : CHECK_PAGE;
        found->pages = segment[i].Size / found->page_size;
        return true;
    }
    return false;
}

static bool map(const struct host_aperture *host, UINT32 *aperture, UINT64 *segment,
                uint32_t count) {
    DXGKARG_MAPCPUHOSTAPERTURE args = {.SegmentId = host->segment,
                                       .NumberOfPages = count,
                                       .pCpuHostAperturePages = aperture,
                                       .pMemorySegmentPages = segment};
    const struct vidmm_harness *harness = &host->check->harness;
    return harness->table.DxgkDdiMapCpuHostAperture(vidmm_host_adapter(harness->host), &args) ==
           STATUS_SUCCESS;
}

static bool unmap(const struct host_aperture *host, UINT32 *aperture, uint32_t count) {
    DXGKARG_UNMAPCPUHOSTAPERTURE args = {
        .SegmentId = host->segment, .NumberOfPages = count, .pCpuHostAperturePages = aperture};
    const struct vidmm_harness *harness = &host->check->harness;
    return harness->table.DxgkDdiUnmapCpuHostAperture(vidmm_host_adapter(harness->host), &args) ==
           STATUS_SUCCESS;
}

static void aperture_write(const struct host_aperture *host, uint32_t page, int letter) {
    void *cpu = vidmm_host_io(host->check->harness.host,
                              host->aperture.PhysicalAddress + page * host->page_size, CHECK_PAGE);
    if (cpu)
        memset(cpu, letter, CHECK_PAGE);
}

/* R268: the first byte of a page of the segment is still `letter` after a write through the page that led to it. No
 * driver leads pages that are unmapped to any of these. */
static void aperture_unreached(const struct host_aperture *host, uint32_t page, uint64_t behind,
                               int letter) {
    struct check *check = host->check;
    aperture_write(host, page, '-');
    const char *there =
        vidmm_host_peek(check->harness.host, 0, host->base + behind * host->page_size, 1);
    if (there)
        vidmm_ledger_judge(&check->shared->ledger, 268, VIDMM_SIDE_DRIVER, *there == letter,
                           "a page of the segment that the CPU does not reach once it is unmapped",
                           "a write through aperture page %u, which was unmapped, changed segment "
                           "page 0x%llx",
                           page, (unsigned long long)behind);
}

static bool aperture_play(const struct host_aperture *host) {
    UINT32 all[PAGES] = {0, 1, 2, 3}, one[1] = {1}, others[3] = {3, 0, 2};
    UINT64 behind[PAGES] = {5, 3, 9, 0}, new_behind[1] = {12};
    check_step(host->check, "host-aperture: scattered pages");
    if (!map(host, all, behind, PAGES))
        return false;
    for (uint32_t i = 0; i < PAGES; i++)
        aperture_write(host, i, 'a' + (int)i);
    check_step(host->check, "host-aperture: one page moves");
    if (!unmap(host, one, 1) || !map(host, one, new_behind, 1))
        return false;
    aperture_write(host, 1, 'z');
    check_step(host->check, "host-aperture: all unmapped");
    if (!unmap(host, others, 3) || !unmap(host, one, 1))
        return false;
    aperture_unreached(host, 0, behind[0], 'a');
    aperture_unreached(host, 1, new_behind[0], 'z');
    aperture_unreached(host, 2, behind[2], 'c');
    return true;
}

enum vidmm_stage_outcome stage_host_aperture(struct check *check, uint32_t number) {
    const struct check_setup setup = {.settings = {{"VramBytes", 16u << 20},
                                                   {"VramVisibleBytes", 8u << 20},
                                                   {"CpuHostApertureBytes", 1u << 20}}};
    struct host_aperture host = {.check = check};
    (void)number;
    if (check_setting(check, "DirtyPageBytes") != 0)
        return check_say(check, VIDMM_STAGE_SKIPPED,
                         "the reference board has no CPU host aperture beside dirty bits");
    check_step(check, "host-aperture: start");
    if (!check_open(check, &setup))
        return VIDMM_STAGE_STOPPED;
    if (check->harness.spoken.Version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 ||
        !check->harness.spoken.DxgkDdiMapCpuHostAperture ||
        !check->harness.spoken.DxgkDdiUnmapCpuHostAperture || !aperture_find(&host) ||
        host.aperture.SizeInPages < PAGES || host.pages < 16)
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver has no CPU host aperture");
    if (!aperture_play(&host))
        return check_say(check, VIDMM_STAGE_STOPPED, "the driver refused pages of its aperture");
    return VIDMM_STAGE_DONE;
}
