/*
 * descriptor.c - the rules that one segment descriptor must keep on its own.
 *
 * A driver's mistakes here end in a bare "Code 43" on real systems, so each has its own sentence.
 */
#include "reported/descriptor.h"

#include <string.h>

#define PAGE_BYTES       4096u
#define LARGE_PAGE_BYTES 65536u
#define BANKS_MAX        127u /* seven bits in DXGK_SEGMENTBANKPREFERENCE */

#define PAGE_FLAGS "ns-d3dkmddi-_dxgk_segmentflags"

static const char *const descriptor_pages[DESCRIPTOR_VERSIONS] = {
#define QUERY(version, suffix, since, strided) "ns-d3dkmddi-_dxgk_segmentdescriptor" #suffix,
    VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
};

enum field {
    FIELD_SIZE,
    FIELD_BASE,
    FIELD_CPU,
    FIELD_HOST_APERTURE,
    FIELD_COMMIT,
    FIELD_END,
    FIELD_RESERVED,
    FIELD_BANKS,
    FIELD_BANK_TABLE,
    FIELD_VPR_START,
    FIELD_VPR_SIZE,
    FIELD_VPR_RESERVE,
    FIELDS
};

#define NAMES(type)                                                                                \
    {                                                                                              \
        [FIELD_SIZE] = type ".Size", [FIELD_BASE] = type ".BaseAddress",                           \
        [FIELD_CPU] = type ".CpuTranslatedAddress",                                                \
        [FIELD_HOST_APERTURE] = type ".CpuHostAperture", [FIELD_COMMIT] = type ".CommitLimit",     \
        [FIELD_END] = type ".SystemMemoryEndAddress", [FIELD_RESERVED] = type ".Reserved",         \
        [FIELD_BANKS] = type ".NbOfBanks", [FIELD_BANK_TABLE] = type ".pBankRangeTable",           \
        [FIELD_VPR_START] = type ".VprRangeStartOffset", [FIELD_VPR_SIZE] = type ".VprRangeSize",  \
        [FIELD_VPR_RESERVE] = type ".VprReserveSize"                                               \
    }

static const char *const field_names[DESCRIPTOR_VERSIONS][FIELDS] = {
#define QUERY(version, suffix, since, strided) NAMES("DXGK_SEGMENTDESCRIPTOR" #suffix),
    VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
};

/* One descriptor on trial. */
struct trial {
    const struct question *question;
    enum descriptor_version version;
    uint32_t interface_version;
    bool compute_only;
    const struct descriptor *d;
    struct segment *segment;
};

static enum vidmm_status bad_field(const struct trial *trial, enum field field,
                                   const char *expected, const char *rule, uint64_t value) {
    return query_refuse(trial->question,
                        &(struct complaint){.field = field_names[trial->version][field],
                                            .expected = expected,
                                            .rule = rule,
                                            .page = descriptor_pages[trial->version],
                                            .index = trial->segment->driver_id,
                                            .value = value});
}

static enum vidmm_status bad_flag(const struct trial *trial, const char *field,
                                  const char *expected, const char *rule) {
    return query_refuse(trial->question, &(struct complaint){.field = field,
                                                             .expected = expected,
                                                             .rule = rule,
                                                             .page = PAGE_FLAGS,
                                                             .index = trial->segment->driver_id,
                                                             .value = trial->d->flags.Value});
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum descriptor_version descriptor_version_of(uint32_t interface_version) {
    enum descriptor_version newest = DESCRIPTOR_1;
#define QUERY(version, suffix, since, strided)                                                     \
    if (interface_version >= DXGKDDI_INTERFACE_VERSION_##since)                                    \
        newest = DESCRIPTOR_##version;
    VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
    return newest;
}

/* The members that the structures of all versions have, under the same names. */
#define READ_COMMON(out, in)                                                                       \
    do {                                                                                           \
        (out)->flags = (in).Flags;                                                                 \
        (out)->base = (uint64_t)(in).BaseAddress.QuadPart;                                         \
        (out)->cpu_base = (uint64_t)(in).CpuTranslatedAddress.QuadPart;                            \
        (out)->size = (in).Size;                                                                   \
        (out)->commit_limit = (in).CommitLimit;                                                    \
    } while (0)

static void read_1(struct descriptor *out, const void *element) {
    DXGK_SEGMENTDESCRIPTOR in;
    memcpy(&in, element, sizeof(in));
    READ_COMMON(out, in);
    out->banks = in.NbOfBanks;
    out->bank_ends = in.pBankRangeTable;
}

static void read_3(struct descriptor *out, const void *element) {
    DXGK_SEGMENTDESCRIPTOR3 in;
    memcpy(&in, element, sizeof(in));
    READ_COMMON(out, in);
    out->banks = in.NbOfBanks;
    out->bank_ends = in.pBankRangeTable;
    out->system_memory_end = in.SystemMemoryEndAddress;
    out->reserved = in.Reserved;
}

static void read_4(struct descriptor *out, const void *element) {
    DXGK_SEGMENTDESCRIPTOR4 in;
    memcpy(&in, element, sizeof(in));
    READ_COMMON(out, in);
    out->host_aperture_base = in.CpuHostAperture.PhysicalAddress;
    out->host_aperture_pages = in.CpuHostAperture.SizeInPages;
    out->system_memory_end = in.SystemMemoryEndAddress;
    out->invalid_ranges = in.NumInvalidMemoryRanges;
    out->vpr_start = in.VprRangeStartOffset;
    out->vpr_size = in.VprRangeSize;
    out->vpr_alignment = in.VprAlignment;
    out->vpr_reserve = in.VprReserveSize;
}

void descriptor_read(struct descriptor *descriptor, enum descriptor_version version,
                     const void *element) {
    memset(descriptor, 0, sizeof(*descriptor));
    switch (version) {
#define QUERY(version, suffix, since, strided)                                                     \
    case DESCRIPTOR_##version:                                                                     \
        read_##version(descriptor, element);                                                       \
        break;
        VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
    case DESCRIPTOR_VERSIONS:
        break;
    }
}

/* ---- Judging --------------------------------------------------------------------------------- */

static uint32_t known_flags(uint32_t version) {
    static const struct {
        uint32_t version, bits;
    } gates[] = {
        {DXGKDDI_INTERFACE_VERSION_WDDM2_9, 22},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_1, 21},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_0, 16},
        {DXGKDDI_INTERFACE_VERSION_WIN8, 11},
    };
    for (size_t i = 0; i < sizeof(gates) / sizeof(*gates); i++) {
        if (version >= gates[i].version)
            return (1u << gates[i].bits) - 1u;
    }
    return (1u << 10) - 1u;
}

static enum vidmm_status descriptor_validate_flags(const struct trial *trial) {
    DXGK_SEGMENTFLAGS flags = trial->d->flags;
    if ((flags.Value & ~known_flags(trial->interface_version)) != 0)
        return bad_flag(trial, "DXGK_SEGMENTFLAGS.Reserved",
                        "0 in every bit that the interface version does not define", "R54");
    if (flags.ReservedSysMem)
        return bad_flag(trial, "DXGK_SEGMENTFLAGS.ReservedSysMem", "0: only the system sets it",
                        "R58");
    if (flags.SupportsCpuHostAperture && flags.CpuVisible)
        return bad_flag(trial, "DXGK_SEGMENTFLAGS.SupportsCpuHostAperture",
                        "not set together with CpuVisible", "R59");
    if (flags.SupportsCachedCpuHostAperture && !flags.SupportsCpuHostAperture)
        return bad_flag(trial, "DXGK_SEGMENTFLAGS.SupportsCachedCpuHostAperture",
                        "set only together with SupportsCpuHostAperture", "R60");
    if (trial->compute_only && (flags.Agp || flags.UseBanking || flags.PitchAlignment))
        return bad_flag(trial, "DXGK_SEGMENTFLAGS",
                        "no Agp, UseBanking or PitchAlignment from a compute-only driver", "R26");
    return VIDMM_OK;
}

/* An AGP segment says nothing but that it is one: place and size are the platform's (R33, R35). */
static enum vidmm_status accept_agp(const struct trial *trial) {
    const struct query_context *context = trial->question->context;
    struct segment *segment = trial->segment;
    DXGK_SEGMENTFLAGS agp_only = {.Value = 0};
    agp_only.Agp = 1;
    if (trial->d->flags.Value != agp_only.Value)
        return bad_flag(trial, "DXGK_SEGMENTFLAGS.Agp", "the only flag of its segment", "R33");
    if (context->agp_size == 0 || trial->version >= DESCRIPTOR_4)
        return bad_flag(trial, "DXGK_SEGMENTFLAGS.Agp",
                        "0: DXGK_QUERYSEGMENTIN reports no AGP aperture", "R14");
    uint64_t limit = trial->d->commit_limit;
    segment->aperture = segment->agp = true;
    segment->base = context->agp_base;
    segment->size = context->agp_size;
    segment->commit_limit = limit != 0 && limit < segment->size ? limit : segment->size;
    return VIDMM_OK;
}

static enum vidmm_status accept_extent(const struct trial *trial) {
    const struct descriptor *d = trial->d;
    struct segment *segment = trial->segment;
    /* No page tells that a system refuses a part of a page at the end (R32): it is not used. */
    if (d->size < PAGE_BYTES)
        return bad_field(trial, FIELD_SIZE, "at least a page: nothing could be placed there",
                         d->size != 0 ? "R32" : "R540", d->size);
    if (d->size / segment->page_size > PLACER_PAGES_MAX)
        return bad_field(trial, FIELD_SIZE,
                         segment->page_size == PAGE_BYTES ? "less than 8 TiB" : "less than 128 TiB",
                         NULL, d->size);
    if (d->base > UINT64_MAX - d->size)
        return bad_field(trial, FIELD_BASE, "BaseAddress + Size within 64 bits", "R20", d->base);
    segment->base = d->base;
    segment->size = d->size / PAGE_BYTES * PAGE_BYTES;
    return VIDMM_OK;
}

/*
 * CommitLimit: Size of a memory segment, or what an aperture maps at once. The pages of versions 1
 * and 4 differ (ns-d3dkmddi-_dxgk_segmentdescriptor4.md): reading commit-limit, docs/readings.md.
 */
static enum vidmm_status accept_commit_limit(const struct trial *trial) {
    const struct descriptor *d = trial->d;
    struct segment *segment = trial->segment;
    if (!segment->aperture) {
        segment->commit_limit = segment->size; /* whatever it says (R62): W26 was seen to start */
        return VIDMM_OK;
    }
    if (d->commit_limit > d->size)
        return bad_field(trial, FIELD_COMMIT, "at most Size", "R63", d->commit_limit);
    if (d->commit_limit < segment->page_size)
        return bad_field(trial, FIELD_COMMIT,
                         "at least a page: nothing could be mapped into the aperture", "R63",
                         d->commit_limit);
    segment->commit_limit = d->commit_limit < segment->size ? d->commit_limit : segment->size;
    return VIDMM_OK;
}

/* The CPU's way in: CpuTranslatedAddress or a host aperture, of memory segments only (R38, R61). */
static enum vidmm_status accept_cpu_access(const struct trial *trial) {
    const struct descriptor *d = trial->d;
    struct segment *segment = trial->segment;
    if (segment->aperture)
        return VIDMM_OK;
    if (d->flags.SupportsCpuHostAperture) {
        uint64_t size = (uint64_t)d->host_aperture_pages * segment->page_size;
        if (size == 0 || d->host_aperture_base == 0 || d->host_aperture_base % PAGE_BYTES != 0 ||
            d->host_aperture_base > UINT64_MAX - size)
            return bad_field(trial, FIELD_HOST_APERTURE,
                             "a page-aligned physical range when SupportsCpuHostAperture is set",
                             "R61", d->host_aperture_base);
        segment->host_aperture_base = d->host_aperture_base;
        segment->host_aperture_size = size;
    } else if (d->flags.CpuVisible) {
        if (d->cpu_base == 0 || d->cpu_base % PAGE_BYTES != 0 || d->cpu_base > UINT64_MAX - d->size)
            return bad_field(trial, FIELD_CPU,
                             "the page-aligned physical address at which the CPU sees the segment",
                             "R39", d->cpu_base);
        segment->cpu_base = d->cpu_base;
    }
    return VIDMM_OK;
}

/*
 * Of the eight combinations of the preserve bits four are valid; the system does not recognise the
 * others and keeps nothing (R50).
 */
static bool preserve_bits_valid(DXGK_SEGMENTFLAGS flags) {
    bool hibernate = flags.PreservedDuringHibernate;
    bool partial = flags.PartiallyPreservedDuringHibernate;
    return !(hibernate && partial) && (flags.PreservedDuringStandby || !(hibernate || partial));
}

static enum vidmm_status accept_preservation(const struct trial *trial) {
    const struct descriptor *d = trial->d;
    struct segment *segment = trial->segment;
    bool partial = d->flags.PartiallyPreservedDuringHibernate;
    if (!preserve_bits_valid(d->flags)) {
        segment->flags.PreservedDuringStandby = 0;
        segment->flags.PreservedDuringHibernate = 0;
        segment->flags.PartiallyPreservedDuringHibernate = 0;
    }
    if (trial->version == DESCRIPTOR_1)
        return VIDMM_OK;
    if ((d->system_memory_end != 0) != partial || d->system_memory_end >= d->size)
        return bad_field(trial, FIELD_END,
                         "an offset in the segment with PartiallyPreservedDuringHibernate, else 0",
                         "R52", d->system_memory_end);
    segment->system_memory_end = d->system_memory_end;
    if (d->reserved != 0)
        return bad_field(trial, FIELD_RESERVED, "0", "R54", d->reserved);
    return VIDMM_OK;
}

/* The end of the last bank is the segment's and need not be in the table (R41, R42). */
static enum vidmm_status accept_banks(const struct trial *trial) {
    const struct descriptor *d = trial->d;
    struct segment *segment = trial->segment;
    const struct vidmm_os *os = trial->question->context->os;
    if (!d->flags.UseBanking || trial->version >= DESCRIPTOR_4)
        return VIDMM_OK;
    if (d->banks == 0 || d->banks > BANKS_MAX)
        return bad_field(trial, FIELD_BANKS, "1 to 127 with UseBanking", "R40", d->banks);
    if (!d->bank_ends)
        return bad_field(trial, FIELD_BANK_TABLE, "a table with UseBanking", "R40", 0);
    uint64_t *ends = os->alloc(os->ctx, d->banks * sizeof(*ends));
    if (!ends)
        return query_no_memory(trial->question);
    segment->banks = d->banks;
    segment->bank_ends = ends;
    uint64_t previous = 0;
    for (uint32_t i = 0; i + 1u < d->banks; i++) {
        ends[i] = d->bank_ends[i];
        if (ends[i] <= previous || ends[i] >= trial->segment->size)
            return bad_field(trial, FIELD_BANK_TABLE,
                             "end offsets that increase and stay below Size", "R41", ends[i]);
        previous = ends[i];
    }
    ends[d->banks - 1u] = trial->segment->size;
    return VIDMM_OK;
}

/*
 * The video protected range. VprAlignment 0 asks for nothing; a segment may say that it supports
 * protected regions and have no range for them; an aperture is no memory that could be protected.
 */
static enum vidmm_status accept_vpr(const struct trial *trial) {
    const struct descriptor *d = trial->d;
    struct segment *segment = trial->segment;
    uint64_t page = segment->page_size, unit = d->vpr_alignment ? d->vpr_alignment : 1;
    if (!d->flags.VprSupported || segment->aperture || d->vpr_size == 0)
        return VIDMM_OK;
    if (d->vpr_start > segment->size || d->vpr_size > segment->size - d->vpr_start)
        return bad_field(trial, FIELD_VPR_SIZE, "a protected range inside the segment", "R429",
                         d->vpr_size);
    if (d->vpr_start % unit != 0)
        return bad_field(trial, FIELD_VPR_START, "a multiple of VprAlignment", "R429",
                         d->vpr_start);
    if (d->vpr_size % unit != 0)
        return bad_field(trial, FIELD_VPR_SIZE, "a multiple of VprAlignment", "R429", d->vpr_size);
    if (d->vpr_start % page != 0 || d->vpr_size % page != 0)
        return bad_field(trial, d->vpr_start % page != 0 ? FIELD_VPR_START : FIELD_VPR_SIZE,
                         "whole pages of the segment: only these are placed", NULL,
                         d->vpr_start % page != 0 ? d->vpr_start : d->vpr_size);
    if (d->vpr_reserve > d->vpr_size)
        return bad_field(trial, FIELD_VPR_RESERVE, "at most VprRangeSize", NULL, d->vpr_reserve);
    uint64_t reserve = (d->vpr_reserve + page - 1u) / page * page;
    segment->vpr = (struct protected_range){d->vpr_start, d->vpr_size, reserve};
    return VIDMM_OK;
}

enum vidmm_status descriptor_accept(const struct question *question,
                                    enum descriptor_version version, uint32_t interface_version,
                                    bool compute_only, const struct descriptor *descriptor,
                                    struct segment *segment) {
    const struct trial trial = {question,     version,    interface_version,
                                compute_only, descriptor, segment};
    segment->flags = descriptor->flags;
    segment->aperture = descriptor->flags.Aperture;
    segment->page_size = descriptor->flags.Use64KBPages ? LARGE_PAGE_BYTES : PAGE_BYTES;
    if (descriptor->flags.Agp) {
        segment->page_size = PAGE_BYTES;
        return accept_agp(&trial);
    }
    static enum vidmm_status (*const steps[])(const struct trial *) = {
        descriptor_validate_flags, accept_extent, accept_commit_limit, accept_cpu_access,
        accept_preservation,       accept_banks,  accept_vpr,
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        enum vidmm_status status = steps[i](&trial);
        if (status != VIDMM_OK)
            return status;
    }
    return VIDMM_OK;
}
