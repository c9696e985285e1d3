/*
 * inspection.c - what a driver reported, as a table: caps, segments, banks, paging buffer.
 */
#include <vidmm/report.h>

#include <inttypes.h>
#include <string.h>

#define LABEL    "  %-30s "
#define ALL_ONES UINT64_MAX

/* Names of DXGK_SEGMENTFLAGS by bit (ns-d3dkmddi-_dxgk_segmentflags). */
static const char *const flag_names[] = {
    "Aperture",
    "Agp",
    "CpuVisible",
    "UseBanking",
    "CacheCoherent",
    "PitchAlignment",
    "PopulatedFromSystemMemory",
    "PreservedDuringStandby",
    "PreservedDuringHibernate",
    "PartiallyPreservedDuringHibernate",
    "DirectFlip",
    "Use64KBPages",
    "ReservedSysMem",
    "SupportsCpuHostAperture",
    "SupportsCachedCpuHostAperture",
    "ApplicationTarget",
    "VprSupported",
    "VprPreservedDuringStandby",
    "EncryptedPagingSupported",
    "LocalBudgetGroup",
    "NonLocalBudgetGroup",
    "PopulatedByReservedDDRByFirmware",
};
#define FLAG_NAMES (sizeof flag_names / sizeof flag_names[0])

static void print_flags(FILE *out, uint32_t flags) {
    const char *separator = "";
    for (unsigned bit = 0; bit < 32; bit++) {
        if ((flags & (UINT32_C(1) << bit)) == 0)
            continue;
        if (bit < FLAG_NAMES)
            fprintf(out, "%s%s", separator, flag_names[bit]);
        else
            fprintf(out, "%sbit %u", separator, bit);
        separator = " ";
    }
    fputs(flags == 0 ? "none\n" : "\n", out);
}

/* A limit that is all ones is no limit. */
static void print_limit(FILE *out, const char *label, uint64_t limit) {
    char text[32];
    fprintf(out, LABEL "%s\n", label,
            limit == ALL_ONES ? "none" : vidmm_report_size(limit, text, sizeof text));
}

static void print_number(FILE *out, const char *label, uint64_t value) {
    fprintf(out, LABEL "%" PRIu64 "\n", label, value);
}

static void print_interface(FILE *out, const struct vidmm_inspection *inspection) {
    const struct vidmm_adapter_info *info = &inspection->adapter;
    const char *name = vidmm_run_ddi_name(info->interface_version);
    fprintf(out, "%s\n\n", inspection->driver);
    fprintf(out, LABEL "0x%" PRIX32 "%s%s\n", "interface version", info->interface_version,
            name ? " " : "", name ? name : "");
    fprintf(out, LABEL "%s\n", "segments asked with",
            info->query_version == 1   ? "DXGKQAITYPE_QUERYSEGMENT"
            : info->query_version == 3 ? "DXGKQAITYPE_QUERYSEGMENT3"
                                       : "DXGKQAITYPE_QUERYSEGMENT4");
}

static void print_caps(FILE *out, const struct vidmm_adapter_info *info) {
    const DXGK_DRIVERCAPS *caps = &info->caps;
    uint32_t memory_caps;
    memcpy(&memory_caps, &caps->MemoryManagementCaps, sizeof memory_caps);
    fprintf(out, "\ncaps\n");
    fprintf(out, LABEL "0x%" PRIx64 "\n", "HighestAcceptableAddress",
            (uint64_t)caps->HighestAcceptableAddress.QuadPart);
    print_limit(out, "ApertureSegmentCommitLimit", (uint64_t)caps->ApertureSegmentCommitLimit);
    print_number(out, "MaxAllocationListSlotId", caps->MaxAllocationListSlotId);
    print_number(out, "NumberOfSwizzlingRanges", caps->NumberOfSwizzlingRanges);
    fprintf(out, LABEL "0x%08" PRIx32 "\n", "MemoryManagementCaps", memory_caps);
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
                vidmm_report_size(segment->bank_ends[i] - begin, size, sizeof size));
        begin = segment->bank_ends[i];
    }
}

static void print_segment(FILE *out, const struct vidmm_segment_info *segment) {
    char size[32], commit[32], cpu[32] = "-";
    if (segment->cpu_base != 0)
        snprintf(cpu, sizeof cpu, "0x%" PRIx64, segment->cpu_base);
    fprintf(out, "  %2" PRIu32 "  %-8s  0x%-12" PRIx64 " %-14s %10s %10s  ", segment->id,
            segment->agp        ? "AGP"
            : segment->aperture ? "aperture"
                                : "memory",
            segment->base, cpu, vidmm_report_size(segment->size, size, sizeof size),
            vidmm_report_size(segment->commit_limit, commit, sizeof commit));
    print_flags(out, segment->flags);
    print_banks(out, segment);
}

static void print_paging(FILE *out, const struct vidmm_adapter_info *info) {
    char size[32];
    fprintf(out, "\npaging buffer\n");
    if (info->paging_segment == 0)
        fprintf(out, LABEL "system memory, contiguous\n", "place");
    else
        fprintf(out, LABEL "segment %" PRIu32 "\n", "place", info->paging_segment);
    fprintf(out, LABEL "%s\n", "size", vidmm_report_size(info->paging_size, size, sizeof size));
    fprintf(out, LABEL "%s\n", "private data",
            vidmm_report_size(info->paging_private, size, sizeof size));
}

void vidmm_report_inspection(FILE *out, const struct vidmm_inspection *inspection) {
    print_interface(out, inspection);
    print_caps(out, &inspection->adapter);
    fprintf(
        out,
        "\nsegments\n  id  kind      base           CPU address          size     commit  flags\n");
    for (uint32_t i = 0; i < inspection->adapter.segments; i++)
        print_segment(out, &inspection->segments[i]);
    print_paging(out, &inspection->adapter);
}
