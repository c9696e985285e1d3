/*
 * inspection.c - what a driver reported, as a table: caps, segments, banks, paging buffer, and how
 * the GPU translates addresses.
 */
#include <vidmm/printable.h>
#include <vidmm/report.h>
#include <vidmm/segment_queries.h>

#include "names.h"

#include <inttypes.h>
#include <string.h>

#define LABEL    "  %-30s "
#define ALL_ONES UINT64_MAX

static void print_flags(FILE *out, uint32_t flags) {
    const char *separator = "";
    for (unsigned bit = 0; bit < 32; bit++) {
        if ((flags & (UINT32_C(1) << bit)) == 0)
            continue;
        char name[16];
        fprintf(out, "%s%s", separator, report_segment_flag(bit, name));
        separator = " ";
    }
    fputs(flags == 0 ? "none\n" : "\n", out);
}

/* A limit that is all ones is no limit. */
static void print_limit(FILE *out, const char *label, uint64_t limit) {
    char text[32];
    fprintf(out, LABEL "%s\n", label,
            limit == ALL_ONES ? "none" : vidmm_report_size(limit, text, sizeof(text)));
}

static void print_number(FILE *out, const char *label, uint64_t value) {
    fprintf(out, LABEL "%" PRIu64 "\n", label, value);
}

static void print_interface(FILE *out, const struct vidmm_inspection *inspection) {
    const struct vidmm_adapter_info *info = &inspection->adapter;
    const char *name = vidmm_run_ddi_name(info->interface_version);
    char note[REPORT_NOTE], driver[256];
    fprintf(out, "%s\n\n", vidmm_printable_copy(inspection->driver, driver, sizeof(driver)));
    fprintf(out, LABEL "0x%" PRIX32 "%s%s\n", "interface version", info->interface_version,
            name ? " " : "", name ? name : "");
    fprintf(out, LABEL "%s\n", "segments asked with",
            vidmm_segment_query_name(info->query_version));
    if (report_interface_note(info->registered_version, (uint32_t)info->caps.WDDMVersion,
                              info->interface_version, note, sizeof(note)))
        fprintf(out, "\n%s\n", note);
}

static void print_caps(FILE *out, const struct vidmm_adapter_info *info) {
    const DXGK_DRIVERCAPS *caps = &info->caps;
    uint32_t memory_caps;
    memcpy(&memory_caps, &caps->MemoryManagementCaps, sizeof(memory_caps));
    fprintf(out, "\ncaps\n");
    fprintf(out, LABEL "0x%" PRIx64 "\n", "HighestAcceptableAddress",
            (uint64_t)caps->HighestAcceptableAddress.QuadPart);
    print_limit(out, "ApertureSegmentCommitLimit", (uint64_t)caps->ApertureSegmentCommitLimit);
    print_number(out, "MaxAllocationListSlotId", caps->MaxAllocationListSlotId);
    print_number(out, "NumberOfSwizzlingRanges", caps->NumberOfSwizzlingRanges);
    if (caps->NumberOfSwizzlingRanges > VIDMM_SWIZZLING_RANGES)
        print_number(out, "  of them used", VIDMM_SWIZZLING_RANGES);
    fprintf(out, LABEL "0x%08" PRIx32 "\n", "MemoryManagementCaps", memory_caps);
    if (info->linked > 1)
        print_number(out, "linked physical adapters", info->linked);
    print_number(out, "execution nodes", info->nodes);
    print_number(out, "paging node", info->paging_node);
    print_limit(out, "apertures together", info->shared_limit);
}

static void print_banks(FILE *out, const struct vidmm_segment_info *segment) {
    uint64_t begin = 0;
    for (uint32_t i = 0; i < segment->banks; i++) {
        char size[32];
        fprintf(out, "      bank %" PRIu32 ": 0x%" PRIx64 " to 0x%" PRIx64 ", %s\n", i + 1, begin,
                segment->bank_ends[i],
                vidmm_report_size(segment->bank_ends[i] - begin, size, sizeof(size)));
        begin = segment->bank_ends[i];
    }
}

static void print_vpr(FILE *out, const struct vidmm_segment_info *segment) {
    char size[32], reserve[32];
    if (segment->vpr_size == 0)
        return;
    fprintf(out, "      video protected range: 0x%" PRIx64 " to 0x%" PRIx64 ", %s",
            segment->vpr_start, segment->vpr_start + segment->vpr_size,
            vidmm_report_size(segment->vpr_size, size, sizeof(size)));
    if (segment->vpr_reserve != 0)
        fprintf(out, ", %s reserved",
                vidmm_report_size(segment->vpr_reserve, reserve, sizeof(reserve)));
    fputs("\n", out);
}

/* With linked physical adapters "0:1": the adapter, and the driver's id among its segments. */
static const char *segment_name(const struct vidmm_segment_info *segment, bool linked,
                                char text[16]) {
    if (linked)
        snprintf(text, 16, "%" PRIu32 ":%" PRIu32, segment->physical, segment->driver_id);
    else
        snprintf(text, 16, "%" PRIu32, segment->id);
    return text;
}

static void print_segment(FILE *out, const struct vidmm_segment_info *segment, bool linked) {
    char size[32], commit[32], cpu[32] = "-", name[16];
    if (segment->cpu_base != 0)
        snprintf(cpu, sizeof(cpu), "0x%" PRIx64, segment->cpu_base);
    fprintf(out, "  %*s  %-8s  0x%-12" PRIx64 " %-14s %10s %10s  ", linked ? 4 : 2,
            segment_name(segment, linked, name),
            segment->agp        ? "AGP"
            : segment->aperture ? "aperture"
                                : "memory",
            segment->base, cpu, vidmm_report_size(segment->size, size, sizeof(size)),
            vidmm_report_size(segment->commit_limit, commit, sizeof(commit)));
    print_flags(out, segment->flags);
    print_banks(out, segment);
    print_vpr(out, segment);
}

static void print_segments(FILE *out, const struct vidmm_inspection *inspection) {
    bool linked = inspection->adapter.linked > 1;
    fprintf(out,
            "\nsegments\n  %sid  kind      base           CPU address          size     commit  "
            "flags\n",
            linked ? "  " : "");
    for (uint32_t i = 0; i < inspection->adapter.segments; i++)
        print_segment(out, &inspection->segments[i], linked);
}

static void print_paging(FILE *out, const struct vidmm_adapter_info *info) {
    char size[32];
    fprintf(out, "\npaging buffer\n");
    if (info->paging_segment == 0)
        fprintf(out, LABEL "system memory, contiguous\n", "place");
    else
        fprintf(out, LABEL "segment %" PRIu32 "\n", "place", info->paging_segment);
    fprintf(out, LABEL "%s\n", "size", vidmm_report_size(info->paging_size, size, sizeof(size)));
    fprintf(out, LABEL "%s\n", "private data",
            vidmm_report_size(info->paging_private, size, sizeof(size)));
}

/* ---- GPU virtual memory ---------------------------------------------------------------------- */

static void print_level(FILE *out, const struct vidmm_inspection *inspection, uint32_t level) {
    const struct vidmm_level_info *info = &inspection->mmu.level[level];
    char covers[32], size[32], home[16], paging[16];
    fprintf(out, "  %5" PRIu32 " %6" PRIu32 " %10s %10s  %-9s %s\n", level, info->index_bits,
            vidmm_report_size(report_level_bytes(&inspection->mmu, level), covers, sizeof(covers)),
            vidmm_report_size(info->size, size, sizeof(size)),
            report_table_home(info->segment, home, sizeof(home)),
            report_table_home(info->paging_segment, paging, sizeof(paging)));
}

static void print_features(FILE *out, const DXGK_GPUMMUCAPS *caps) {
    const char *separator = "";
    fprintf(out, LABEL, "features");
    for (unsigned bit = 0; report_mmu_feature(bit); bit++) {
        if ((caps->Value >> bit & 1u) == 0)
            continue;
        fprintf(out, "%s%s", separator, report_mmu_feature(bit));
        separator = "\n                                 ";
    }
    fputs(*separator == '\0' ? "none\n" : "\n", out);
}

static void print_large_pages(FILE *out, const struct vidmm_gpummu_info *mmu) {
    uint64_t bytes = mmu->large_bytes;
    char text[32];
    fprintf(out, LABEL, "large pages");
    for (uint32_t level = 1; level < mmu->levels; bytes <<= mmu->level[level++].index_bits)
        fprintf(out, "%s%s", level == 1 ? "" : ", ", vidmm_report_size(bytes, text, sizeof(text)));
    fprintf(out, "\n");
}

static void print_mmu(FILE *out, const struct vidmm_inspection *inspection) {
    const struct vidmm_gpummu_info *mmu = &inspection->mmu;
    char text[32];
    fprintf(out, "\nGPU virtual memory\n");
    if (mmu->iommu)
        fprintf(out, LABEL "iommu: the CPU's addresses of a process\n", "model");
    if (mmu->levels == 0) {
        if (!mmu->iommu)
            fprintf(out, LABEL "none\n", "model");
        return;
    }
    fprintf(out, LABEL "%s\n", "model", mmu->on ? "gpummu" : "gpummu, not used");
    print_number(out, "levels", mmu->levels);
    print_number(out, "address bits", mmu->caps.VirtualAddressBitCount);
    fprintf(out, LABEL "%s\n", "page sizes", report_page_sizes(&mmu->caps));
    if (mmu->large_bytes != 0)
        print_large_pages(out, mmu);
    fprintf(out, LABEL "%s\n", "page tables are updated",
            report_update_mode(mmu->caps.PageTableUpdateMode));
    print_features(out, &mmu->caps);
    if (mmu->on) {
        fprintf(out, LABEL "%s\n", "scratch of the paging process",
                vidmm_report_size(mmu->paging_bytes, text, sizeof(text)));
        print_limit(out, "budget, local", inspection->local_budget);
        print_limit(out, "budget, non-local", inspection->non_local_budget);
    }
    fprintf(out, "  level   bits     covers      table  segment   of the paging process\n");
    for (uint32_t level = mmu->levels; level-- != 0;)
        print_level(out, inspection, level);
}

void vidmm_report_inspection(FILE *out, const struct vidmm_inspection *inspection) {
    print_interface(out, inspection);
    print_caps(out, &inspection->adapter);
    print_segments(out, inspection);
    print_paging(out, &inspection->adapter);
    print_mmu(out, inspection);
}
