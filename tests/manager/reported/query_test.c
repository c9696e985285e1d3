/*
 * What a driver may say about itself and its segments, in the three versions of the segment query,
 * and what it may not: one test for each refusal, which must name the member and the rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting_os.h"
#include "reported/query.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

/* ---- A driver that says what a test wants ---------------------------------------------------- */

struct fake_segment {
    DXGK_SEGMENTFLAGS flags;
    uint64_t base, cpu, size, commit, end, reserved;
    DXGK_CPUHOSTAPERTURE host;
    SIZE_T *bank_ends;
    uint32_t banks, invalid;
    uint64_t vpr_start, vpr_size;
    uint32_t vpr_alignment, vpr_reserve;
};

struct fake {
    DXGK_DRIVERCAPS caps;
    DXGK_PHYSICALADAPTERCAPS physical;
    struct fake_segment segments[40];
    uint32_t count, second_count; /* as the two calls report it */
    uint32_t paging_segment, paging_size, paging_private;
    DXGK_MEMORYRANGE ranges[4];
    NTSTATUS status[DXGKQAITYPE_PAGINGPROCESSGPUVASIZE + 1]; /* by query type */
    uint64_t agp_size;
    /* Mistakes: */
    bool touches_in_count, walks_by_sizeof, writes_beyond, fills_no_paging, replaces_array;
    bool writes_behind_caps, changes_range_count, clears_whole_array;
    uint32_t written; /* elements, 0: all */
    /* What was asked: */
    uint32_t calls[DXGKQAITYPE_PAGINGPROCESSGPUVASIZE + 1];
    uint32_t caps_size;
    DXGK_QUERYSEGMENTIN agp;
};

static void write_1(const struct fake_segment *s, void *at) {
    DXGK_SEGMENTDESCRIPTOR d;
    memset(&d, 0, sizeof(d));
    d.BaseAddress.QuadPart = (LONGLONG)s->base;
    d.CpuTranslatedAddress.QuadPart = (LONGLONG)s->cpu;
    d.Size = s->size;
    d.NbOfBanks = s->banks;
    d.pBankRangeTable = s->bank_ends;
    d.CommitLimit = s->commit;
    d.Flags = s->flags;
    memcpy(at, &d, sizeof(d));
}

static void write_3(const struct fake_segment *s, void *at) {
    DXGK_SEGMENTDESCRIPTOR3 d;
    memset(&d, 0, sizeof(d));
    d.Flags = s->flags;
    d.BaseAddress.QuadPart = (LONGLONG)s->base;
    d.CpuTranslatedAddress.QuadPart = (LONGLONG)s->cpu;
    d.Size = s->size;
    d.NbOfBanks = s->banks;
    d.pBankRangeTable = s->bank_ends;
    d.CommitLimit = s->commit;
    d.SystemMemoryEndAddress = s->end;
    d.Reserved = s->reserved;
    memcpy(at, &d, sizeof(d));
}

static void write_4(const struct fake_segment *s, void *at) {
    DXGK_SEGMENTDESCRIPTOR4 d;
    memset(&d, 0, sizeof(d));
    d.Flags = s->flags;
    d.BaseAddress.QuadPart = (LONGLONG)s->base;
    d.Size = s->size;
    d.CommitLimit = s->commit;
    d.SystemMemoryEndAddress = s->end;
    d.CpuHostAperture = s->host;
    if (s->cpu != 0)
        d.CpuTranslatedAddress.QuadPart = (LONGLONG)s->cpu;
    d.NumInvalidMemoryRanges = s->invalid;
    d.VprRangeStartOffset = s->vpr_start;
    d.VprRangeSize = s->vpr_size;
    d.VprAlignment = s->vpr_alignment;
    d.VprReserveSize = s->vpr_reserve;
    memcpy(at, &d, sizeof(d));
}

struct layout {
    void (*write)(const struct fake_segment *segment, void *at);
    size_t size;
};

static void fill_segments(struct fake *fake, const struct layout *layout, uint8_t *array,
                          size_t stride, uint32_t asked) {
    uint32_t count = fake->written ? fake->written : asked;
    if (fake->clears_whole_array)
        memset(array, 0, asked * stride);
    for (uint32_t i = 0; i < count; i++)
        layout->write(&fake->segments[i],
                      array + i * (fake->walks_by_sizeof ? layout->size : stride));
    if (fake->writes_beyond)
        layout->write(&fake->segments[0], array + asked * stride);
}

static void answer_segments(struct fake *fake, DXGKARG_QUERYADAPTERINFO *args) {
    static const struct layout layouts[] = {
        {write_1, sizeof(DXGK_SEGMENTDESCRIPTOR)},
        {write_3, sizeof(DXGK_SEGMENTDESCRIPTOR3)},
        {write_4, sizeof(DXGK_SEGMENTDESCRIPTOR4)},
    };
    bool four = args->Type == DXGKQAITYPE_QUERYSEGMENT4;
    const struct layout *layout = &layouts[four                                      ? 2
                                           : args->Type == DXGKQAITYPE_QUERYSEGMENT3 ? 1
                                                                                     : 0];
    DXGK_QUERYSEGMENTOUT4 out;
    memset(&out, 0, sizeof(out));
    memcpy(&out, args->pOutputData, args->OutputDataSize);
    if (!four)
        fake->agp = *(DXGK_QUERYSEGMENTIN *)args->pInputData;
    if (out.NbSegment == 0 || !out.pSegmentDescriptor) {
        assert_int_equal(out.NbSegment, 0);
        assert_null(out.pSegmentDescriptor);
        out.NbSegment = fake->count;
        out.PagingBufferSize += fake->touches_in_count;
    } else {
        assert_int_equal(out.NbSegment, fake->count);
        fill_segments(fake, layout, (uint8_t *)out.pSegmentDescriptor,
                      four ? out.SegmentDescriptorStride : layout->size, out.NbSegment);
        out.NbSegment = fake->second_count;
        if (!fake->fills_no_paging) {
            out.PagingBufferSegmentId = fake->paging_segment;
            out.PagingBufferSize = fake->paging_size;
            out.PagingBufferPrivateDataSize = fake->paging_private;
        }
        if (fake->replaces_array)
            out.pSegmentDescriptor = NULL;
    }
    memcpy(args->pOutputData, &out, args->OutputDataSize);
}

static void answer_memory_state(struct fake *fake, DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTMEMORYSTATE *state = args->pOutputData;
    assert_int_equal(state->NumInvalidMemoryRanges,
                     fake->segments[state->DriverSegmentId - 1].invalid);
    memcpy(state->pMemoryRanges, fake->ranges,
           state->NumInvalidMemoryRanges * sizeof(*fake->ranges));
    state->NumInvalidMemoryRanges += fake->changes_range_count;
}

static NTSTATUS APIENTRY fake_query(const HANDLE adapter,
                                    const DXGKARG_QUERYADAPTERINFO *const_args) {
    struct fake *fake = adapter;
    DXGKARG_QUERYADAPTERINFO copy = *const_args, *args = &copy;
    fake->calls[args->Type]++;
    if (fake->status[args->Type] != STATUS_SUCCESS)
        return fake->status[args->Type];
    switch (args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        fake->caps_size = args->OutputDataSize;
        memcpy(args->pOutputData, &fake->caps, args->OutputDataSize);
        if (fake->writes_behind_caps)
            ((uint8_t *)args->pOutputData)[args->OutputDataSize] = 1;
        return STATUS_SUCCESS;
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
        memcpy(args->pOutputData, &fake->physical, args->OutputDataSize);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT:
    case DXGKQAITYPE_QUERYSEGMENT3:
    case DXGKQAITYPE_QUERYSEGMENT4:
        answer_segments(fake, args);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_SEGMENTMEMORYSTATE:
        answer_memory_state(fake, args);
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

/* 64 MiB of CPU-visible memory and an aperture of 32 MiB that takes the paging buffer. */
static void fake_init(struct fake *fake) {
    memset(fake, 0, sizeof(*fake));
    fake->caps.HighestAcceptableAddress.QuadPart = -1;
    fake->caps.ApertureSegmentCommitLimit = 32 * MIB;
    fake->physical.NumExecutionNodes = 2;
    fake->physical.PagingNodeIndex = 1;
    fake->count = fake->second_count = 2;
    fake->paging_segment = 2;
    fake->paging_size = 65536;
    fake->paging_private = 64;
    struct fake_segment *memory = &fake->segments[0], *aperture = &fake->segments[1];
    memory->flags.CpuVisible = 1;
    memory->base = 0;
    memory->cpu = 0xe0000000;
    memory->size = memory->commit = 64 * MIB;
    aperture->flags.Aperture = 1;
    aperture->base = GIB;
    aperture->size = aperture->commit = 32 * MIB;
}

/* ---- Asking it ------------------------------------------------------------------------------- */

#define V1  0x1u
#define V3  0x2u
#define V4  0x4u
#define OLD (V1 | V3)
#define ALL (V1 | V3 | V4)

static const uint32_t versions[] = {
    DXGKDDI_INTERFACE_VERSION_WIN7,
    DXGKDDI_INTERFACE_VERSION_WIN8,
    DXGKDDI_INTERFACE_VERSION_WDDM2_9,
};

struct asked {
    struct counting_os counting;
    struct vidmm_os os;
    DRIVER_INITIALIZATION_DATA ddi;
    struct query_context context;
    struct adapter_facts facts;
    struct vidmm_error error;
    enum vidmm_status status;
};

static void ask_driver(struct asked *asked, struct fake *fake, uint32_t version, uint64_t fail_at) {
    memset(asked, 0, sizeof(*asked));
    asked->counting.memory_bytes = 4 * GIB;
    asked->counting.memory_highest = 5 * GIB;
    asked->counting.fail_at = fail_at;
    asked->os = counting_os_view(&asked->counting);
    asked->ddi.Version = version;
    asked->ddi.DxgkDdiQueryAdapterInfo = (PDXGKDDI_QUERYADAPTERINFO)fake_query;
    asked->context = (struct query_context){.os = &asked->os,
                                            .ddi = &asked->ddi,
                                            .hadapter = fake,
                                            .agp_base = 0xd0000000,
                                            .agp_size = fake->agp_size};
    memset(&asked->facts, 0xff, sizeof(asked->facts));
    asked->status = query_adapter(&asked->context, &asked->facts, &asked->error);
}

static void check_nothing_left(const struct asked *asked) {
    static const struct adapter_facts nothing;
    assert_memory_equal(&asked->facts, &nothing, sizeof(nothing));
    assert_int_equal(asked->counting.blocks, 0);
    assert_int_equal(asked->counting.bytes, 0);
}

static void let_go(struct asked *asked) {
    query_release(&asked->os, &asked->facts);
    check_nothing_left(asked);
}

static void check_refusal(void (*change)(struct fake *fake), unsigned mask, const char *rule,
                          const char *field) {
    for (size_t i = 0; i < 3; i++) {
        struct fake fake;
        struct asked asked;
        if (!(mask & (1u << i)))
            continue;
        fake_init(&fake);
        change(&fake);
        ask_driver(&asked, &fake, versions[i], 0);
        assert_int_equal(asked.status, VIDMM_DRIVER_BROKE_RULE);
        assert_int_equal(asked.error.status, VIDMM_DRIVER_BROKE_RULE);
        assert_non_null(strstr(asked.error.field, field));
        assert_non_null(asked.error.call);
        assert_non_null(asked.error.expected);
        assert_non_null(asked.error.page);
        if (rule) {
            assert_non_null(asked.error.rule);
            assert_string_equal(asked.error.rule, rule);
        } else {
            assert_null(asked.error.rule);
        }
        check_nothing_left(&asked);
    }
}

static SIZE_T falling_ends[] = {8 * MIB, 4 * MIB, 64 * MIB};
static SIZE_T far_ends[] = {8 * MIB, 64 * MIB, 64 * MIB};
static SIZE_T good_ends[] = {8 * MIB, 16 * MIB};

static void bank(struct fake *fake, SIZE_T *ends, uint32_t count) {
    fake->segments[0].flags.UseBanking = 1;
    fake->segments[0].bank_ends = ends;
    fake->segments[0].banks = count;
}

static void make_agp(struct fake *fake, uint32_t index) {
    memset(&fake->segments[index], 0, sizeof(fake->segments[index]));
    fake->segments[index].flags.Agp = 1;
    fake->segments[index].size = 12345; /* ignored */
}

static void add_segment(struct fake *fake, uint64_t base) {
    struct fake_segment *segment = &fake->segments[fake->count];
    *segment = fake->segments[0];
    segment->base = base;
    fake->count = ++fake->second_count;
}

static void host_aperture(struct fake *fake, uint64_t base, uint32_t pages) {
    struct fake_segment *segment = &fake->segments[0];
    segment->flags.CpuVisible = 0;
    segment->flags.SupportsCpuHostAperture = 1;
    segment->cpu = 0;
    segment->host.PhysicalAddress = base;
    segment->host.SizeInPages = pages;
}

static void invalid_range(struct fake *fake, uint64_t offset, uint64_t size) {
    uint32_t i = fake->segments[0].invalid++;
    fake->ranges[i] = (DXGK_MEMORYRANGE){offset, size};
}

/* A video protected range in steps of 1 MiB. */
static void protect(struct fake *fake, uint64_t start, uint64_t size) {
    struct fake_segment *segment = &fake->segments[0];
    segment->flags.VprSupported = 1;
    segment->vpr_start = start;
    segment->vpr_size = size;
    segment->vpr_alignment = MIB;
}

/* name, versions, rule, member, what the driver does */
/* clang-format off */
#define REFUSALS(X)                                                                                \
    X(low_highest_address, ALL, "R31", "HighestAcceptableAddress",                                 \
      f->caps.HighestAcceptableAddress.QuadPart = 0xffffffff)                                      \
    X(write_behind_the_caps, V1 | V3, "R545", "pOutputData", f->writes_behind_caps = true)           \
    X(dedicated_paging_engine, ALL, "R84", "DedicatedPagingEngine",                                \
      f->caps.MemoryManagementCaps.DedicatedPagingEngine = 1)                                      \
    X(paging_engine_can_swizzle, ALL, "R84", "PagingEngineCanSwizzle",                             \
      f->caps.MemoryManagementCaps.PagingEngineCanSwizzle = 1)                                     \
    X(reserved_vidmm_caps, ALL, "R84", "DXGK_VIDMMCAPS.Reserved",                                   \
      f->caps.MemoryManagementCaps.Value = 1u << 31)                                               \
    X(newer_vidmm_caps, OLD, "R84", "DXGK_VIDMMCAPS.Reserved",                                      \
      f->caps.MemoryManagementCaps.GpuMmuSupported = 1)                                            \
    X(virtual_addressing_without_an_mmu, V4, "R85", "VirtualAddressingSupported",                  \
      f->caps.MemoryManagementCaps.VirtualAddressingSupported = 1)                                 \
    X(cross_adapter_texture_alone, V4, "R86", "CrossAdapterResourceTexture",                       \
      f->caps.MemoryManagementCaps.CrossAdapterResourceTexture = 1)                                \
    X(cross_adapter_scanout_alone, V4, "R86", "CrossAdapterResourceScanout",                       \
      f->caps.MemoryManagementCaps.CrossAdapterResource = 1;                                       \
      f->caps.MemoryManagementCaps.CrossAdapterResourceScanout = 1)                                \
    X(compute_only_with_a_commit_limit, V4, "R25", "ApertureSegmentCommitLimit",                   \
      f->caps.MiscCaps.ComputeOnly = 1)                                                            \
    X(compute_only_with_a_pitch_aligned_segment, V4, "R26", "DXGK_SEGMENTFLAGS",                   \
      f->caps.MiscCaps.ComputeOnly = 1; f->caps.ApertureSegmentCommitLimit = 0;                    \
      f->segments[0].flags.PitchAlignment = 1)                                                     \
    X(many_engines_but_none_counted, OLD, "R89", "NbAsymetricProcessingNodes",                      \
      f->caps.SchedulingCaps.MultiEngineAware = 1)                                                 \
    X(too_many_engines, OLD, "R89", "NbAsymetricProcessingNodes",                                   \
      f->caps.SchedulingCaps.MultiEngineAware = 1;                                                 \
      f->caps.GpuEngineTopology.NbAsymetricProcessingNodes = 65)                                   \
    X(paging_node_out_of_range, OLD, "R89", "PagingNode",                                          \
      f->caps.SchedulingCaps.MultiEngineAware = 1;                                                 \
      f->caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;                                    \
      f->caps.MemoryManagementCaps.PagingNode = 2)                                                 \
    X(no_execution_node, V4, "R89", "NumExecutionNodes", f->physical.NumExecutionNodes = 0)         \
    X(too_many_execution_nodes, V4, "R89", "NumExecutionNodes",                                     \
      f->physical.NumExecutionNodes = 65)                                                          \
    X(paging_node_index_out_of_range, V4, "R89", "PagingNodeIndex",                                \
      f->physical.PagingNodeIndex = 2)                                                             \
    X(no_segment, ALL, "R16", ".NbSegment", f->count = 0)                                          \
    X(thirty_two_segments, ALL, "R16", ".NbSegment", f->count = 32)                                \
    X(a_count_of_all_ones, ALL, "R16", ".NbSegment", f->count = UINT32_MAX)                        \
    X(a_changing_count, ALL, "R7", ".NbSegment", f->second_count = 3)                              \
    X(a_replaced_array, ALL, "R8", ".pSegmentDescriptor", f->replaces_array = true)                \
    X(no_paging_members, ALL, "R10", ".PagingBufferSegmentId", f->fills_no_paging = true)          \
    X(walking_by_sizeof, V4, "R8", ".pSegmentDescriptor", f->walks_by_sizeof = true)               \
    X(walking_a_cleared_array_by_sizeof, V4, "R8", ".pSegmentDescriptor",                          \
      f->walks_by_sizeof = f->clears_whole_array = true)                                           \
    X(an_element_left_out, V4, "R8", ".pSegmentDescriptor", f->written = 1)                        \
    X(an_element_too_many, OLD, "R6", ".pSegmentDescriptor", f->writes_beyond = true)              \
    X(an_element_too_many_in_version_4, V4, "R8", ".pSegmentDescriptor", f->writes_beyond = true)  \
    X(reserved_flags, ALL, "R54", "DXGK_SEGMENTFLAGS.Reserved",                                    \
      f->segments[0].flags.Value |= 1u << 31)                                                      \
    X(flags_of_a_newer_version, V1, "R54", "DXGK_SEGMENTFLAGS.Reserved",                           \
      f->segments[0].flags.DirectFlip = 1)                                                         \
    X(wddm2_flags_before_wddm2, OLD, "R54", "DXGK_SEGMENTFLAGS.Reserved",                          \
      f->segments[0].flags.Use64KBPages = 1)                                                       \
    X(reserved_system_memory, V4, "R58", "ReservedSysMem",                                         \
      f->segments[0].flags.ReservedSysMem = 1)                                                     \
    X(host_aperture_and_cpu_visible, V4, "R59", "SupportsCpuHostAperture",                         \
      f->segments[0].flags.SupportsCpuHostAperture = 1)                                            \
    X(cached_host_aperture_alone, V4, "R60", "SupportsCachedCpuHostAperture",                      \
      f->segments[0].flags.SupportsCachedCpuHostAperture = 1)                                      \
    X(host_aperture_of_no_pages, V4, "R61", ".CpuHostAperture", host_aperture(f, GIB, 0))          \
    X(host_aperture_at_0, V4, "R61", ".CpuHostAperture", host_aperture(f, 0, 16))                  \
    X(unaligned_host_aperture, V4, "R61", ".CpuHostAperture", host_aperture(f, GIB + 1, 16))       \
    X(wrapping_host_aperture, V4, "R61", ".CpuHostAperture",                                       \
      host_aperture(f, 0xfffffffffffff000ull, 2))                                                  \
    X(agp_without_agp, OLD, "R14", ".Agp", make_agp(f, 1))                                         \
    X(agp_in_version_4, V4, "R14", ".Agp", f->agp_size = 16 * MIB; make_agp(f, 1))                 \
    X(agp_with_other_flags, OLD, "R33", ".Agp", f->agp_size = 16 * MIB; make_agp(f, 1);            \
      f->segments[1].flags.CpuVisible = 1)                                                         \
    X(size_of_zero, ALL, "R540", ".Size", f->segments[0].size = 0)                                  \
    X(size_in_wrong_units, ALL, "R32", ".Size", f->segments[0].size = 64)                          \
    X(size_beyond_any_gpu, ALL, NULL, ".Size", f->segments[0].size = 1ull << 50)                   \
    X(wrapping_segment, ALL, "R20", ".BaseAddress",                                                \
      f->segments[0].base = 0xfffffffffffff000ull)                                                 \
    X(segments_at_one_address, ALL, "R20", "BaseAddress", f->segments[1].base = 0)                 \
    X(overlapping_by_a_page, ALL, "R20", "BaseAddress", f->segments[1].base = 64 * MIB - 4096)     \
    X(third_segment_inside_another, ALL, "R20", "BaseAddress",                                     \
      add_segment(f, GIB - 16 * MIB))                                                              \
    X(aperture_commit_limit_above_its_size, ALL, "R63", ".CommitLimit",                            \
      f->segments[1].commit = 33 * MIB)                                                            \
    X(aperture_commit_limit_of_zero, ALL, "R63", ".CommitLimit", f->segments[1].commit = 0)         \
    X(cpu_visible_at_0, ALL, "R39", ".CpuTranslatedAddress", f->segments[0].cpu = 0)               \
    X(cpu_visible_at_an_odd_address, ALL, "R39", ".CpuTranslatedAddress",                          \
      f->segments[0].cpu = 0xe0000100)                                                             \
    X(cpu_view_that_wraps, ALL, "R39", ".CpuTranslatedAddress",                                    \
      f->segments[0].cpu = 0xfffffffffffff000ull)                                                  \
    X(end_address_without_partial_preservation, V3 | V4, "R52", ".SystemMemoryEndAddress",         \
      f->segments[0].end = 4095)                                                                   \
    X(partial_preservation_without_end_address, V3 | V4, "R52", ".SystemMemoryEndAddress",         \
      f->segments[0].flags.PreservedDuringStandby = 1;                                             \
      f->segments[0].flags.PartiallyPreservedDuringHibernate = 1)                                  \
    X(end_address_beyond_the_segment, V3 | V4, "R52", ".SystemMemoryEndAddress",                   \
      f->segments[0].flags.PreservedDuringStandby = 1;                                             \
      f->segments[0].flags.PartiallyPreservedDuringHibernate = 1;                                  \
      f->segments[0].end = 64 * MIB)                                                               \
    X(reserved_member, V3, "R54", "DXGK_SEGMENTDESCRIPTOR3.Reserved", f->segments[0].reserved = 1) \
    X(banking_without_banks, OLD, "R40", ".NbOfBanks", bank(f, good_ends, 0))                      \
    X(more_banks_than_hints_can_name, OLD, "R40", ".NbOfBanks", bank(f, good_ends, 128))           \
    X(banking_without_a_table, OLD, "R40", ".pBankRangeTable", bank(f, NULL, 3))                   \
    X(falling_bank_ends, OLD, "R41", ".pBankRangeTable", bank(f, falling_ends, 3))                 \
    X(bank_end_beyond_the_segment, OLD, "R41", ".pBankRangeTable", bank(f, far_ends, 3))           \
    X(two_apertures_in_wddm2, V4, "R21", ".Aperture", add_segment(f, 2 * GIB);                     \
      f->segments[2] = f->segments[1]; f->segments[2].base = 2 * GIB)                              \
    X(paging_buffer_in_memory, ALL, "R73", ".PagingBufferSegmentId", f->paging_segment = 1)        \
    X(paging_buffer_in_no_segment, ALL, "R73", ".PagingBufferSegmentId", f->paging_segment = 3)    \
    X(paging_buffer_of_no_size, ALL, "R76", ".PagingBufferSize", f->paging_size = 0)               \
    X(huge_paging_buffer, ALL, "R76", ".PagingBufferSize", f->paging_size = UINT32_MAX)            \
    X(paging_buffer_above_the_commit_limit, ALL, "R76", ".PagingBufferSize",                       \
      f->paging_size = 33u << 20)                                                                  \
    X(huge_private_data, ALL, "R77", ".PagingBufferPrivateDataSize",                               \
      f->paging_private = UINT32_MAX)                                                              \
    X(unaligned_invalid_range, V4, "R68", "DXGK_MEMORYRANGE", invalid_range(f, 100, 4096))         \
    X(empty_invalid_range, V4, "R68", "DXGK_MEMORYRANGE", invalid_range(f, 4096, 0))               \
    X(invalid_range_beyond_the_segment, V4, "R68", "DXGK_MEMORYRANGE",                             \
      invalid_range(f, 64 * MIB, 4096))                                                            \
    X(overlapping_invalid_ranges, V4, "R68", "DXGK_MEMORYRANGE", invalid_range(f, 4096, 8192);     \
      invalid_range(f, 8192, 8192))                                                                \
    X(another_number_of_invalid_ranges, V4, "R67", "NumInvalidMemoryRanges",                       \
      f->changes_range_count = true; invalid_range(f, 4096, 4096))                                 \
    X(endless_invalid_ranges, V4, NULL, "NumInvalidMemoryRanges",                                  \
      f->segments[0].invalid = UINT32_MAX)                                                         \
    X(protected_range_before_wddm2, OLD, "R54", "DXGK_SEGMENTFLAGS.Reserved",                      \
      protect(f, 0, MIB))                                                                          \
    X(protected_range_beyond_the_segment, V4, "R429", ".VprRangeSize", protect(f, 60 * MIB, 5 * MIB)) \
    X(protected_range_that_starts_beyond_it, V4, "R429", ".VprRangeSize", protect(f, GIB, MIB))      \
    X(protected_range_that_wraps, V4, "R429", ".VprRangeSize",                                       \
      protect(f, 2 * MIB, UINT64_MAX - MIB + 1))                                                   \
    X(protected_range_at_an_odd_place, V4, "R429", ".VprRangeStartOffset",                           \
      protect(f, MIB + 4096, MIB))                                                                 \
    X(protected_range_of_an_odd_size, V4, "R429", ".VprRangeSize", protect(f, MIB, MIB + 4096))      \
    X(protected_range_in_parts_of_pages, V4, NULL, ".VprRangeStartOffset",                         \
      protect(f, 100, MIB); f->segments[0].vpr_alignment = 0)                                      \
    X(protected_range_all_of_it_reserved_and_more, V4, NULL, ".VprReserveSize",                    \
      protect(f, MIB, MIB); f->segments[0].vpr_reserve = UINT32_MAX)                               \
    X(vpr_paging_node_out_of_range, V4, "R89", "VPRPagingNode",                                     \
      f->physical.Flags.VPRPagingContextRequired = 1; f->physical.VPRPagingNode = 2)               \
    X(an_undocumented_status_for_caps, ALL, "R27", "status",                                       \
      f->status[DXGKQAITYPE_DRIVERCAPS] = STATUS_BUFFER_TOO_SMALL)                                 \
    X(an_undocumented_status_for_segments, V4, "R27", "status",                                    \
      f->status[DXGKQAITYPE_QUERYSEGMENT4] = STATUS_NOT_SUPPORTED)                                 \
    X(a_positive_status, ALL, "R27", "status", f->status[DXGKQAITYPE_DRIVERCAPS] = STATUS_PENDING)

#define DEFINE(name, mask, rule, field, ...)                                                       \
    static void change_##name(struct fake *f) { __VA_ARGS__; }                                     \
    static void refuses_##name(void **state) {                                                     \
        (void)state;                                                                               \
        check_refusal(change_##name, mask, rule, field);                                           \
    }
REFUSALS(DEFINE)
/* clang-format on */

/* ---- Good answers ---------------------------------------------------------------------------- */

static void a_good_driver_is_accepted_in_every_version(void **state) {
    (void)state;
    static const uint32_t all[] = {DXGKDDI_INTERFACE_VERSION_VISTA,
                                   DXGKDDI_INTERFACE_VERSION_VISTA_SP1,
                                   DXGKDDI_INTERFACE_VERSION_WIN7,
                                   DXGKDDI_INTERFACE_VERSION_WIN8,
                                   DXGKDDI_INTERFACE_VERSION_WDDM1_3,
                                   DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
                                   DXGKDDI_INTERFACE_VERSION_WDDM2_0,
                                   DXGKDDI_INTERFACE_VERSION_WDDM2_1,
                                   DXGKDDI_INTERFACE_VERSION_WDDM2_2,
                                   DXGKDDI_INTERFACE_VERSION_WDDM2_6,
                                   DXGKDDI_INTERFACE_VERSION_WDDM2_9,
                                   DXGKDDI_INTERFACE_VERSION_WDDM3_0,
                                   DXGKDDI_INTERFACE_VERSION_WDDM3_1,
                                   DXGKDDI_INTERFACE_VERSION_WDDM3_2};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        ask_driver(&asked, &fake, all[i], 0);
        assert_int_equal(asked.status, VIDMM_OK);
        const struct adapter_facts *facts = &asked.facts;
        bool two = all[i] >= DXGKDDI_INTERFACE_VERSION_WDDM2_0;
        assert_int_equal(facts->query_version, two                                        ? 4
                                               : all[i] >= DXGKDDI_INTERFACE_VERSION_WIN8 ? 3
                                                                                          : 1);
        assert_int_equal(facts->nodes, two ? 2 : 1);
        assert_int_equal(facts->physical[0].paging_node, two ? 1 : 0);
        assert_int_equal(facts->segment_count, 2);
        assert_int_equal(facts->segments[0].id, 1);
        assert_int_equal(facts->segments[0].cpu_base, 0xe0000000);
        assert_int_equal(facts->segments[0].size, 64 * MIB);
        assert_false(facts->segments[0].aperture);
        assert_true(facts->segments[1].aperture);
        assert_int_equal(facts->segments[1].base, GIB);
        assert_int_equal(facts->segments[1].commit_limit, 32 * MIB);
        assert_int_equal(facts->segments[1].cpu_base, 0);
        assert_int_equal(facts->physical[0].paging_segment, 2);
        assert_int_equal(facts->physical[0].paging_size, 65536);
        assert_int_equal(facts->physical[0].paging_private, 64);
        assert_int_equal(facts->shared.limit, 32 * MIB);
        assert_int_equal(facts->dedicated_video, 64 * MIB);
        let_go(&asked);
    }
}

/* Systems go on behind it (W31), and so does the manager, with what the second call says. */
static void other_members_of_the_count_pass_are_not_used(void **state) {
    static const uint32_t versions[] = {DXGKDDI_INTERFACE_VERSION_WIN7,
                                        DXGKDDI_INTERFACE_VERSION_WDDM1_3,
                                        DXGKDDI_INTERFACE_VERSION_WDDM2_0};
    (void)state;
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        fake.touches_in_count = true;
        ask_driver(&asked, &fake, versions[i], 0);
        assert_int_equal(asked.status, VIDMM_OK);
        assert_int_equal(asked.facts.physical[0].paging_size, 65536);
        let_go(&asked);
    }
}

static void caps_buffers_have_the_size_that_systems_use(void **state) {
    (void)state;
    static const struct {
        uint32_t version, size;
    } sizes[] = {{DXGKDDI_INTERFACE_VERSION_WIN7, 0x210},
                 {DXGKDDI_INTERFACE_VERSION_WIN8, 0x220},
                 {DXGKDDI_INTERFACE_VERSION_WDDM1_3, 0x228},
                 {DXGKDDI_INTERFACE_VERSION_WDDM2_0, 0x240},
                 {DXGKDDI_INTERFACE_VERSION_WDDM2_6, 0x248},
                 {DXGKDDI_INTERFACE_VERSION_WDDM2_9, sizeof(DXGK_DRIVERCAPS)}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        ask_driver(&asked, &fake, sizes[i].version, 0);
        assert_int_equal(asked.status, VIDMM_OK);
        assert_int_equal(fake.caps_size, sizes[i].size);
        let_go(&asked);
    }
}

/* Windows is not known to refuse either (R32, R62). */
static void odd_sizes_and_commit_limits_are_used_as_far_as_they_go(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        fake.segments[0].size = 64 * MIB - 1;
        fake.segments[0].commit = 0;
        fake.segments[1].size = 32 * MIB + 1;
        fake.segments[1].commit = 32 * MIB + 1;
        ask_driver(&asked, &fake, versions[i], 0);
        assert_int_equal(asked.status, VIDMM_OK);
        assert_int_equal(asked.facts.segments[0].size, 64 * MIB - 4096);
        assert_int_equal(asked.facts.segments[0].commit_limit, 64 * MIB - 4096);
        assert_int_equal(asked.facts.segments[1].size, 32 * MIB);
        assert_int_equal(asked.facts.segments[1].commit_limit, 32 * MIB);
        let_go(&asked);
    }
}

static void an_unknown_version_is_refused(void **state) {
    (void)state;
    static const uint32_t unknown[] = {0, 1, 0x1051, 0x5024, 0x20000, UINT32_MAX};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        ask_driver(&asked, &fake, unknown[i], 0);
        assert_int_equal(asked.status, VIDMM_DRIVER_BROKE_RULE);
        assert_string_equal(asked.error.field, "DRIVER_INITIALIZATION_DATA.Version");
        assert_int_equal(asked.error.value, unknown[i]);
        check_nothing_left(&asked);
    }
}

static void a_driver_may_refuse_with_a_documented_status(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    fake.status[DXGKQAITYPE_QUERYSEGMENT3] = STATUS_NO_MEMORY;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WIN8, 0);
    assert_int_equal(asked.status, VIDMM_DRIVER_REFUSED);
    assert_int_equal(asked.error.nt, STATUS_NO_MEMORY);
    assert_string_equal(asked.error.call, "DxgkDdiQueryAdapterInfo(QUERYSEGMENT3)");
    check_nothing_left(&asked);
}

static void a_fault_names_the_segment(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    fake.segments[1].size = 1234;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WIN7, 0);
    assert_int_equal(asked.error.index, 2);
    assert_int_equal(asked.error.value, 1234);
    assert_string_equal(asked.error.field, "DXGK_SEGMENTDESCRIPTOR.Size");
    assert_string_equal(asked.error.page, "ns-d3dkmddi-_dxgk_segmentdescriptor");
    check_nothing_left(&asked);
}

static void an_agp_segment_has_the_platforms_place_and_size(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        fake.agp_size = 16 * MIB;
        make_agp(&fake, 1);
        ask_driver(&asked, &fake, versions[i], 0);
        assert_int_equal(asked.status, VIDMM_OK);
        assert_true(asked.facts.segments[1].agp && asked.facts.segments[1].aperture);
        assert_int_equal(asked.facts.segments[1].base, 0xd0000000);
        assert_int_equal(asked.facts.segments[1].size, 16 * MIB);
        assert_int_equal(fake.agp.AgpApertureSize.QuadPart, 16 * MIB);
        let_go(&asked);
        fake.count = fake.second_count = 3;
        make_agp(&fake, 2);
        ask_driver(&asked, &fake, versions[i], 0);
        assert_int_equal(asked.status, VIDMM_DRIVER_BROKE_RULE);
        assert_string_equal(asked.error.rule, "R34");
        check_nothing_left(&asked);
    }
}

static void without_agp_the_agp_input_is_zero(void **state) {
    (void)state;
    static const DXGK_QUERYSEGMENTIN zero;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    memset(&fake.agp, 0xff, sizeof(fake.agp));
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WIN7, 0);
    assert_memory_equal(&fake.agp, &zero, sizeof(zero));
    let_go(&asked);
}

static void the_last_bank_ends_with_the_segment(void **state) {
    (void)state;
    /* A table of two entries for three banks, on the heap: a read of a third is found. */
    SIZE_T *ends = malloc(sizeof(good_ends));
    memcpy(ends, good_ends, sizeof(good_ends));
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    bank(&fake, ends, 3);
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WIN8, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_equal(asked.facts.segments[0].banks, 3);
    assert_int_equal(asked.facts.segments[0].bank_ends[1], 16 * MIB);
    assert_int_equal(asked.facts.segments[0].bank_ends[2], 64 * MIB);
    let_go(&asked);
    free(ends);
}

static void invalid_preserve_bits_preserve_nothing(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 8; bits++) {
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        DXGK_SEGMENTFLAGS *flags = &fake.segments[0].flags;
        flags->PreservedDuringStandby = bits & 1;
        flags->PreservedDuringHibernate = bits >> 1 & 1;
        flags->PartiallyPreservedDuringHibernate = bits >> 2 & 1;
        fake.segments[0].end = bits & 4 ? 4095 : 0;
        ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_0, 0);
        assert_int_equal(asked.status, VIDMM_OK);
        DXGK_SEGMENTFLAGS kept = asked.facts.segments[0].flags;
        bool valid = bits == 0 || bits == 1 || bits == 3 || bits == 5;
        assert_int_equal(kept.PreservedDuringStandby, valid ? bits & 1 : 0);
        assert_int_equal(kept.PreservedDuringHibernate, valid ? bits >> 1 & 1 : 0);
        assert_int_equal(kept.PartiallyPreservedDuringHibernate, valid ? bits >> 2 & 1 : 0);
        let_go(&asked);
    }
}

static void invalid_ranges_are_never_handed_out(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    invalid_range(&fake, 0, 4096);
    invalid_range(&fake, 32 * MIB, 8 * MIB);
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_0, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_equal(fake.calls[DXGKQAITYPE_SEGMENTMEMORYSTATE], 1);
    struct segment *segment = &asked.facts.segments[0];
    struct segment_request request = {.size = 4096};
    struct placement place;
    uint64_t placed = 0;
    while (segment_place(segment, &request, &place) == PLACER_OK) {
        assert_true(place.offset >= 4096);
        assert_false(place.offset >= 32 * MIB && place.offset < 40 * MIB);
        placed += place.size;
    }
    assert_int_equal(placed, 56 * MIB - 4096);
    assert_int_equal(segment->used, placed);
    let_go(&asked);
}

/* All that a request gets, page by page; each page lies in [low, high). */
static uint64_t drain(struct segment *segment, struct segment_request request, uint64_t low,
                      uint64_t high) {
    struct placement place;
    uint64_t placed = 0;
    request.size = 4096;
    while (segment_place(segment, &request, &place) == PLACER_OK) {
        assert_true(place.offset >= low && place.offset + place.size <= high);
        placed += place.size;
    }
    return placed;
}

static void a_protected_range_is_for_what_belongs_there_and_for_nothing_else(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    protect(&fake, 0, 16 * MIB);
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_1, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    struct segment *segment = &asked.facts.segments[0];
    struct segment_request inside = {.in_vpr = true};
    assert_int_equal(segment->kept, 16 * MIB);
    assert_int_equal(drain(segment, inside, 0, 16 * MIB), 16 * MIB);
    assert_int_equal(drain(segment, (struct segment_request){0}, 16 * MIB, 64 * MIB), 48 * MIB);
    assert_int_equal(segment->used, 64 * MIB);
    let_go(&asked);
}

/* No page says at which end of the range the driver's reserve is. */
static void the_reserve_of_a_protected_range_is_left_alone_at_both_ends(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    protect(&fake, 8 * MIB, 16 * MIB);
    fake.segments[0].vpr_reserve = 4097;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_1, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    struct segment_request inside = {.in_vpr = true};
    assert_int_equal(drain(&asked.facts.segments[0], inside, 8 * MIB + 8192, 24 * MIB - 8192),
                     16 * MIB - 16384);
    inside.size = 16 * MIB - 12288;
    assert_false(segment_can_hold(&asked.facts.segments[0], &inside));
    let_go(&asked);
    fake.segments[0].vpr_reserve = 16 * MIB;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_1, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_equal(drain(&asked.facts.segments[0], inside, 0, 0), 0);
    let_go(&asked);
}

static void invalid_ranges_may_lie_in_and_across_the_protected_range(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    protect(&fake, 8 * MIB, 16 * MIB);
    fake.segments[0].vpr_reserve = 8192;
    invalid_range(&fake, 7 * MIB, 2 * MIB);
    invalid_range(&fake, 12 * MIB, 4096);
    invalid_range(&fake, 24 * MIB - 4096, 4096); /* in the reserve */
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_1, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    struct segment *segment = &asked.facts.segments[0];
    struct segment_request inside = {.in_vpr = true};
    assert_int_equal(segment->kept, 17 * MIB);
    assert_int_equal(drain(segment, inside, 9 * MIB, 24 * MIB - 8192), 15 * MIB - 12288);
    assert_int_equal(drain(segment, (struct segment_request){0}, 0, 64 * MIB), 47 * MIB);
    let_go(&asked);
}

static void protection_without_a_range_is_no_range(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    protect(&fake, 0, 0);
    fake.segments[1].flags.VprSupported = 1; /* of an aperture */
    fake.segments[1].vpr_size = MIB;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_1, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    struct segment_request inside = {.size = 4096, .in_vpr = true};
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(segment_can_hold(&asked.facts.segments[i], &inside));
        assert_int_equal(asked.facts.segments[i].kept, 0);
    }
    let_go(&asked);
}

static void a_host_aperture_is_counted_in_pages_of_the_segment(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    host_aperture(&fake, 0xf0000000, 16);
    fake.segments[0].flags.Use64KBPages = 1;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_0, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_equal(asked.facts.segments[0].page_size, 65536);
    assert_int_equal(asked.facts.segments[0].host_aperture_base, 0xf0000000);
    assert_int_equal(asked.facts.segments[0].host_aperture_size, 16 * 65536);
    assert_int_equal(asked.facts.segments[0].cpu_base, 0);
    let_go(&asked);
}

static void a_compute_only_adapter_needs_no_aperture(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    fake.caps.MiscCaps.ComputeOnly = 1;
    fake.caps.ApertureSegmentCommitLimit = 0;
    fake.count = fake.second_count = 1;
    fake.paging_segment = 0;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_9, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    let_go(&asked);
}

/* Systems start such drivers; what their pages say of it the referee says. */
static void a_driver_starts_without_what_systems_do_without(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    fake.count = fake.second_count = 1;
    fake.paging_segment = 0;
    fake.status[DXGKQAITYPE_PHYSICALADAPTERCAPS] = STATUS_NOT_SUPPORTED;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_0, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_equal(asked.facts.segment_count, 1);
    let_go(&asked);
}

static void a_driver_may_state_no_limit_for_its_apertures(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    fake.caps.ApertureSegmentCommitLimit = 0;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM1_3, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_not_equal(asked.facts.shared.limit, 0);
    let_go(&asked);
}

static void a_driver_may_clear_the_whole_array(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    fake.clears_whole_array = true;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM2_9, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    let_go(&asked);
}

static void thirty_one_segments_are_accepted(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    while (fake.count < SEGMENTS_MAX)
        add_segment(&fake, (fake.count + 1) * GIB);
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM3_2, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_equal(asked.facts.segment_count, 31);
    assert_true(segment_in_set(&asked.facts.segments[30], 1u << 30));
    let_go(&asked);
}

static void shared_memory_follows_the_reporting_rules(void **state) {
    (void)state;
    struct fake fake;
    struct asked asked;
    fake_init(&fake);
    fake.segments[0].flags.PopulatedFromSystemMemory = 1;
    fake.segments[1].size = fake.segments[1].commit = 8 * GIB;
    fake.caps.ApertureSegmentCommitLimit = 16 * GIB;
    ask_driver(&asked, &fake, DXGKDDI_INTERFACE_VERSION_WDDM1_3, 0);
    assert_int_equal(asked.status, VIDMM_OK);
    assert_int_equal(asked.facts.dedicated_system, 64 * MIB);
    assert_int_equal(asked.facts.dedicated_video, 0);
    assert_int_equal(asked.facts.shared.limit, 2 * GIB - 64 * MIB);
    let_go(&asked);
}

static void every_failed_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bool done = false;
        for (uint64_t fail_at = 1; !done; fail_at++) {
            struct fake fake;
            struct asked asked;
            fake_init(&fake);
            if (i == 2) {
                invalid_range(&fake, 4096, 4096);
                protect(&fake, MIB, MIB);
            } else {
                bank(&fake, good_ends, 3);
            }
            ask_driver(&asked, &fake, versions[i], fail_at);
            done = asked.status == VIDMM_OK;
            if (!done) {
                assert_int_equal(asked.status, VIDMM_NO_MEMORY);
                assert_int_equal(asked.error.status, VIDMM_NO_MEMORY);
                check_nothing_left(&asked);
            } else {
                assert_true(fail_at > 4);
                let_go(&asked);
            }
        }
    }
}

static uint64_t random64(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * 0x2545f4914f6cdd1dull;
}

static uint64_t interesting(uint64_t *seed) {
    static const uint64_t values[] = {0,          1,          4095,     4096, 65536,
                                      MIB,        32 * MIB,   64 * MIB, GIB,  1ull << 43,
                                      1ull << 63, UINT64_MAX, ~4095ull};
    uint64_t pick = random64(seed) >> 32;
    return values[pick % (sizeof(values) / sizeof(*values))];
}

/* One member of the answer, of all that hold no pointer. */
static void mutate(struct fake *fake, uint64_t *seed) {
    struct fake_segment *segment = &fake->segments[(random64(seed) >> 32) % 3];
    uint64_t value = interesting(seed), bit = random64(seed) >> 58;
    uint64_t *const wide[] = {&segment->base,   &segment->cpu, &segment->size,
                              &segment->commit, &segment->end, &segment->host.PhysicalAddress};
    uint32_t *const narrow[] = {
        &fake->count,          &fake->second_count, &fake->paging_segment,     &fake->paging_size,
        &fake->paging_private, &segment->banks,     &segment->host.SizeInPages};
    uint32_t pick = (uint32_t)(random64(seed) >> 32) % 18;
    if (pick < 6) {
        *wide[pick] = value;
    } else if (pick < 13) {
        *narrow[pick - 6] = (uint32_t)(bit & 1 ? value : bit);
    } else if (pick == 17) {
        protect(fake, value, interesting(seed));
        fake->segments[0].vpr_alignment = (uint32_t)interesting(seed);
        fake->segments[0].vpr_reserve = (uint32_t)interesting(seed);
    } else if (pick == 13) {
        segment->flags.Value ^= 1u << (bit & 31);
    } else if (pick == 14) {
        fake->caps.MemoryManagementCaps.Value ^= 1u << (bit & 31);
    } else if (pick == 15) {
        fake->second_count = fake->count = 3;
        segment->base = random64(seed) & 0xfffffff000ull;
    } else {
        segment->bank_ends = bit & 1 ? falling_ends : NULL;
        segment->banks = 3;
        segment->flags.UseBanking = 1;
    }
}

static void random_answers_are_refused_or_sound(void **state) {
    (void)state;
    for (uint64_t number = 1; number <= 3000; number++) {
        uint64_t seed = number * 0x9e3779b97f4a7c15ull;
        struct fake fake;
        struct asked asked;
        fake_init(&fake);
        for (uint64_t i = 0; i <= number % 3; i++)
            mutate(&fake, &seed);
        fake.written = fake.count > 3 ? 3 : 0;
        ask_driver(&asked, &fake, versions[number % 3], 0);
        if (asked.status != VIDMM_OK) {
            assert_non_null(asked.error.call);
            check_nothing_left(&asked);
            continue;
        }
        for (uint32_t i = 0; i < asked.facts.segment_count; i++) {
            const struct segment *segment = &asked.facts.segments[i];
            assert_true(segment->size != 0 && segment->size % 4096 == 0);
            assert_true(segment->base + segment->size >= segment->base);
            assert_true(segment->commit_limit <= segment->size);
            assert_true(segment->vpr.size <= segment->size &&
                        segment->vpr.start <= segment->size - segment->vpr.size);
        }
        let_go(&asked);
    }
}

#define LIST(name, ...) cmocka_unit_test(refuses_##name),

int main(void) {
    const struct CMUnitTest tests[] = {
        REFUSALS(LIST) cmocka_unit_test(a_good_driver_is_accepted_in_every_version),
        cmocka_unit_test(odd_sizes_and_commit_limits_are_used_as_far_as_they_go),
        cmocka_unit_test(caps_buffers_have_the_size_that_systems_use),
        cmocka_unit_test(an_unknown_version_is_refused),
        cmocka_unit_test(a_driver_may_refuse_with_a_documented_status),
        cmocka_unit_test(a_fault_names_the_segment),
        cmocka_unit_test(an_agp_segment_has_the_platforms_place_and_size),
        cmocka_unit_test(without_agp_the_agp_input_is_zero),
        cmocka_unit_test(the_last_bank_ends_with_the_segment),
        cmocka_unit_test(invalid_preserve_bits_preserve_nothing),
        cmocka_unit_test(invalid_ranges_are_never_handed_out),
        cmocka_unit_test(a_protected_range_is_for_what_belongs_there_and_for_nothing_else),
        cmocka_unit_test(the_reserve_of_a_protected_range_is_left_alone_at_both_ends),
        cmocka_unit_test(invalid_ranges_may_lie_in_and_across_the_protected_range),
        cmocka_unit_test(protection_without_a_range_is_no_range),
        cmocka_unit_test(a_host_aperture_is_counted_in_pages_of_the_segment),
        cmocka_unit_test(a_compute_only_adapter_needs_no_aperture),
        cmocka_unit_test(a_driver_starts_without_what_systems_do_without),
        cmocka_unit_test(a_driver_may_state_no_limit_for_its_apertures),
        cmocka_unit_test(a_driver_may_clear_the_whole_array),
        cmocka_unit_test(other_members_of_the_count_pass_are_not_used),
        cmocka_unit_test(thirty_one_segments_are_accepted),
        cmocka_unit_test(shared_memory_follows_the_reporting_rules),
        cmocka_unit_test(every_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(random_answers_are_refused_or_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
