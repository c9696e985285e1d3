/*
 * query.c - the two-call segment query, and what must hold between segments.
 *
 * initializing-use-of-memory-segments.md: the first call asks how many segments there are, the
 * second fills an array of that many descriptors. Both calls are made with canaries in whatever the
 * driver must leave alone, and version 4 with a stride larger than the descriptor, so that a driver
 * that walks the array by sizeof(is) found here.
 */
#include "reported/query.h"

#include <string.h>

#include "reported/ask.h"
#include "reported/descriptor.h"

#define CANARY             0xa5u
#define CANARY_WORD        0xa5a5a5a5u
#define STRIDE_GAP         24u /* bytes by which the stride exceeds the descriptor */
#define GUARD_BYTES        256u
#define PAGING_BUFFER_MAX  (64u << 20)
#define PAGING_PRIVATE_MAX (16u << 20)
#define INVALID_RANGES_MAX 65536u
#define SHARED_MINIMUM     (64ull << 20)

#define PAGE_SEGMENTS     "using-memory-segments-to-describe-the-gpu-address-space"
#define PAGE_MEMORY_RANGE "ns-d3dkmddi-_dxgk_memoryrange"
#define PAGE_GPU_SEGMENTS "gpu-segments"

/* The first five members of all three OUT structures are the same; version 4 adds the stride. */
#define SAME_OFFSET(member)                                                                        \
    (offsetof(DXGK_QUERYSEGMENTOUT, member) == offsetof(DXGK_QUERYSEGMENTOUT4, member) &&          \
     offsetof(DXGK_QUERYSEGMENTOUT3, member) == offsetof(DXGK_QUERYSEGMENTOUT4, member))
_Static_assert(SAME_OFFSET(NbSegment) && SAME_OFFSET(pSegmentDescriptor) &&
                   SAME_OFFSET(PagingBufferSegmentId) && SAME_OFFSET(PagingBufferSize) &&
                   SAME_OFFSET(PagingBufferPrivateDataSize),
               "one structure serves all three queries");

/* How each version asks, and how its structures are called. */
struct dialect {
    DXGK_QUERYADAPTERINFOTYPE type;
    uint32_t query_version;
    bool strided;
    uint32_t out_size, element, stride; /* bytes */
    const char *call, *page;
    const char *count, *array, *paging_segment, *paging_size, *paging_private;
};

#define NAMES(type, page_name)                                                                     \
    .page = page_name, .count = type ".NbSegment", .array = type ".pSegmentDescriptor",            \
    .paging_segment = type ".PagingBufferSegmentId", .paging_size = type ".PagingBufferSize",      \
    .paging_private = type ".PagingBufferPrivateDataSize"

static const struct dialect dialects[DESCRIPTOR_VERSIONS] = {
#define QUERY(version, suffix, since, strided_)                                                    \
    [DESCRIPTOR_##version] = {                                                                     \
        .type = DXGKQAITYPE_QUERYSEGMENT##suffix,                                                  \
        .query_version = version,                                                                  \
        .strided = strided_,                                                                       \
        .out_size = sizeof(DXGK_QUERYSEGMENTOUT##suffix),                                          \
        .element = sizeof(DXGK_SEGMENTDESCRIPTOR##suffix),                                         \
        .stride = sizeof(DXGK_SEGMENTDESCRIPTOR##suffix) + (strided_ ? STRIDE_GAP : 0u),           \
        .call = "DxgkDdiQueryAdapterInfo(QUERYSEGMENT" #suffix ")",                                \
        NAMES("DXGK_QUERYSEGMENTOUT" #suffix, "ns-d3dkmddi-_dxgk_querysegmentout" #suffix)},
    VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
};

/* One segment query from first call to finished segments. */
struct survey {
    struct question question;
    enum descriptor_version version;
    const struct dialect *dialect;
    struct adapter_facts *facts;
    uint32_t count;
    uint8_t *array; /* `count` elements by stride, then GUARD_BYTES of canary */
    size_t array_size;
};

static enum vidmm_status query_wrong(const struct survey *survey, const char *field,
                                     const char *expected, const char *rule, uint64_t value) {
    return query_refuse(&survey->question, &(struct complaint){.field = field,
                                                               .expected = expected,
                                                               .rule = rule,
                                                               .page = survey->dialect->page,
                                                               .value = value});
}

static enum vidmm_status wrong_segment(const struct survey *survey, const struct segment *segment,
                                       struct complaint complaint) {
    complaint.index = segment->id;
    return query_refuse(&survey->question, &complaint);
}

/* ---- The two calls --------------------------------------------------------------------------- */

static enum vidmm_status call_driver(const struct survey *survey, DXGK_QUERYSEGMENTOUT4 *out) {
    const struct query_context *context = survey->question.context;
    DXGK_QUERYSEGMENTIN agp;
    memset(&agp, 0, sizeof(agp));
    if (context->agp_size != 0) {
        agp.AgpApertureBase.QuadPart = (int64_t)context->agp_base;
        agp.AgpApertureSize.QuadPart = (int64_t)context->agp_size;
        agp.AgpFlags.Agp = 1;
    }
    DXGK_QUERYSEGMENTIN4 adapter = {.PhysicalAdapterIndex = 0};
    bool adapter_index = survey->dialect->strided;
    return query_ask(&survey->question, survey->dialect->type,
                     adapter_index ? (void *)&adapter : (void *)&agp,
                     adapter_index ? sizeof(adapter) : sizeof(agp), out, survey->dialect->out_size);
}

/* True when each of the bytes is `value`. */
static bool all_are(const void *bytes, size_t size, uint8_t value) {
    const uint8_t *at = bytes;
    size_t i = 0;
    while (i < size && at[i] == value)
        i++;
    return i == size;
}

static enum vidmm_status ask_count(struct survey *survey) {
    DXGK_QUERYSEGMENTOUT4 out;
    DXGK_SEGMENTDESCRIPTOR4 element;
    bool with_array =
        survey->dialect->strided && survey->question.context->readings.first_call == 1;
    memset(&out, CANARY, sizeof(out));
    memset(&element, CANARY, sizeof(element));
    out.NbSegment = 0;
    out.pSegmentDescriptor = with_array ? (void *)&element : NULL;
    if (survey->dialect->strided)
        out.SegmentDescriptorStride = survey->dialect->stride;
    DXGK_QUERYSEGMENTOUT4 untouched = out;
    enum vidmm_status status = call_driver(survey, &out);
    if (status != VIDMM_OK)
        return status;
    survey->count = out.NbSegment;
    untouched.NbSegment = out.NbSegment;
    if (memcmp(&out, &untouched, sizeof(out)) != 0 || !all_are(&element, sizeof(element), CANARY))
        return query_wrong(survey, survey->dialect->count,
                           "the only member written by the first of the two calls",
                           survey->dialect->strided ? "R5" : "R3", out.NbSegment);
    if (survey->count == 0 || survey->count > SEGMENTS_MAX)
        return query_wrong(survey, survey->dialect->count,
                           "1 to 31 segments: segment ids have five bits", "R16", survey->count);
    return VIDMM_OK;
}

/* True when [from, from + size) of the array still is canary, or was cleared with the elements. */
static bool left_alone(const struct survey *survey, size_t from, size_t size, bool may_clear) {
    return all_are(survey->array + from, size, CANARY) ||
           (may_clear && all_are(survey->array + from, size, 0));
}

/* The array was written element by element, at the right distance, and nowhere else. */
static enum vidmm_status validate_array(const struct survey *survey) {
    const struct dialect *dialect = survey->dialect;
    const char *by_stride = "element i written at pSegmentDescriptor + i * "
                            "SegmentDescriptorStride, whatever sizeof(says)";
    for (uint32_t i = 0; survey->dialect->strided && i < survey->count; i++) {
        size_t at = (size_t)i * dialect->stride;
        if (!left_alone(survey, at + dialect->element, STRIDE_GAP, true) ||
            (i != 0 && all_are(survey->array + at, dialect->element, 0)))
            return query_wrong(survey, dialect->array, by_stride, "R8", i);
    }
    size_t elements = (size_t)survey->count * dialect->stride;
    if (!left_alone(survey, elements, GUARD_BYTES, false))
        return query_wrong(survey, dialect->array, "no element written beyond NbSegment",
                           survey->dialect->strided ? "R8" : "R6", survey->count);
    return VIDMM_OK;
}

static enum vidmm_status validate_second_call(const struct survey *survey,
                                              const DXGK_QUERYSEGMENTOUT4 *out) {
    const struct dialect *dialect = survey->dialect;
    if (out->NbSegment != survey->count)
        return query_wrong(survey, dialect->count, "the number that the first call reported", "R7",
                           out->NbSegment);
    if (out->pSegmentDescriptor != survey->array ||
        (survey->dialect->strided && out->SegmentDescriptorStride != dialect->stride))
        return query_wrong(survey, dialect->array, "pointer and stride as the system set them",
                           "R8", 0);
    const struct {
        const char *field;
        uint32_t value;
    } required[] = {
        {dialect->paging_segment, out->PagingBufferSegmentId},
        {dialect->paging_size, out->PagingBufferSize},
        {dialect->paging_private, out->PagingBufferPrivateDataSize},
    };
    for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++) {
        if (required[i].value == CANARY_WORD)
            return query_wrong(survey, required[i].field, "filled in by the second call", "R10",
                               required[i].value);
    }
    return validate_array(survey);
}

static enum vidmm_status ask_descriptors(struct survey *survey) {
    const struct dialect *dialect = survey->dialect;
    const struct vidmm_os *os = survey->question.context->os;
    survey->array_size = (size_t)survey->count * dialect->stride + GUARD_BYTES;
    survey->array = os->alloc(os->ctx, survey->array_size);
    if (!survey->array)
        return query_no_memory(&survey->question);
    memset(survey->array, CANARY, survey->array_size);
    for (uint32_t i = 0; i < survey->count; i++)
        memset(survey->array + (size_t)i * dialect->stride, 0, dialect->element);
    DXGK_QUERYSEGMENTOUT4 out;
    memset(&out, CANARY, sizeof(out));
    out.NbSegment = survey->count;
    out.pSegmentDescriptor = survey->array;
    out.SegmentDescriptorStride = dialect->stride;
    enum vidmm_status status = call_driver(survey, &out);
    if (status == VIDMM_OK)
        status = validate_second_call(survey, &out);
    if (status == VIDMM_OK) {
        survey->facts->paging_segment = out.PagingBufferSegmentId;
        survey->facts->paging_size = out.PagingBufferSize;
        survey->facts->paging_private = out.PagingBufferPrivateDataSize;
    }
    return status;
}

/* ---- Invalid ranges -------------------------------------------------------------------------- */

static enum vidmm_status reserve_ranges(const struct question *question, struct segment *segment,
                                        const DXGK_MEMORYRANGE *ranges, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = ranges[i].SegmentOffset, size = ranges[i].SizeInBytes;
        struct complaint complaint = {
            .page = PAGE_MEMORY_RANGE, .rule = "R68", .index = segment->id, .value = at};
        if (at % segment->page_size != 0 || size % segment->page_size != 0 || size == 0) {
            complaint.field = "DXGK_MEMORYRANGE";
            complaint.expected = "SegmentOffset and SizeInBytes in pages of the segment";
            return query_refuse(question, &complaint);
        }
        enum placer_result result = segment_exclude(segment, at, size);
        if (result == PLACER_NO_MEMORY)
            return query_no_memory(question);
        if (result == PLACER_FULL) {
            complaint.field = "DXGK_MEMORYRANGE.SegmentOffset";
            complaint.expected = "ranges that lie in the segment and do not overlap";
            return query_refuse(question, &complaint);
        }
    }
    return VIDMM_OK;
}

/* ns-d3dkmddi-_dxgk_segmentdescriptor4: asked only when the driver announced ranges (R66, R67). */
static enum vidmm_status exclude_invalid_ranges(const struct survey *survey,
                                                struct segment *segment, uint32_t count) {
    struct question question = survey->question;
    question.call = "DxgkDdiQueryAdapterInfo(SEGMENTMEMORYSTATE)";
    const struct vidmm_os *os = question.context->os;
    if (count > INVALID_RANGES_MAX)
        return wrong_segment(
            survey, segment,
            (struct complaint){.field = "DXGK_SEGMENTDESCRIPTOR4.NumInvalidMemoryRanges",
                               .expected = "at most 65536 ranges",
                               .page = "ns-d3dkmddi-_dxgk_segmentdescriptor4",
                               .value = count});
    size_t size = (size_t)count * sizeof(DXGK_MEMORYRANGE);
    DXGK_MEMORYRANGE *ranges = os->alloc(os->ctx, size);
    if (!ranges)
        return query_no_memory(&question);
    DXGK_QUERYSEGMENTMEMORYSTATE state;
    memset(&state, 0, sizeof(state));
    state.DriverSegmentId = (WORD)segment->id;
    state.NumInvalidMemoryRanges = count;
    state.pMemoryRanges = ranges;
    /* ns-d3dkmddi-_dxgk_querysegmentmemorystate.md does not say in which buffer the structure
     * travels: it is passed in both (docs/readings.md). */
    DXGK_QUERYSEGMENTMEMORYSTATE input = state;
    enum vidmm_status status = query_ask(&question, DXGKQAITYPE_SEGMENTMEMORYSTATE, &input,
                                         sizeof(input), &state, sizeof(state));
    if (status == VIDMM_OK &&
        (state.NumInvalidMemoryRanges != count || state.pMemoryRanges != ranges))
        status = query_refuse(
            &question,
            &(struct complaint){.field = "DXGK_QUERYSEGMENTMEMORYSTATE.NumInvalidMemoryRanges",
                                .expected = "the number in DXGK_SEGMENTDESCRIPTOR4",
                                .rule = "R67",
                                .page = "ns-d3dkmddi-_dxgk_querysegmentmemorystate",
                                .index = segment->id,
                                .value = state.NumInvalidMemoryRanges});
    if (status == VIDMM_OK)
        status = reserve_ranges(&question, segment, ranges, count);
    segment->invalid = ranges;
    segment->invalid_count = count;
    return status;
}

/* ---- Segments -------------------------------------------------------------------------------- */

static enum vidmm_status make_segment(const struct survey *survey, uint32_t index) {
    struct adapter_facts *facts = survey->facts;
    struct segment *segment = &facts->segments[index];
    struct descriptor descriptor;
    descriptor_read(&descriptor, survey->version,
                    survey->array + (size_t)index * survey->dialect->stride);
    segment->id = index + 1u;
    enum vidmm_status status =
        descriptor_accept(&survey->question, survey->version, facts->interface_version,
                          facts->caps.MiscCaps.ComputeOnly, &descriptor, segment);
    if (status != VIDMM_OK)
        return status;
    const struct query_context *context = survey->question.context;
    if (!segment_init(segment, context->os, &facts->shared))
        return query_no_memory(&survey->question);
    resident_queue_init(&segment->queue, context->policy);
    if (descriptor.invalid_ranges == 0 || segment->aperture)
        return VIDMM_OK;
    return exclude_invalid_ranges(survey, segment, descriptor.invalid_ranges);
}

static enum vidmm_status validate_overlap(const struct survey *survey, const struct segment *a) {
    const struct adapter_facts *facts = survey->facts;
    for (const struct segment *b = facts->segments; b < a; b++) {
        if (a->agp && b->agp)
            return wrong_segment(survey, a,
                                 (struct complaint){.field = "DXGK_SEGMENTFLAGS.Agp",
                                                    .expected = "set in one segment at most",
                                                    .rule = "R34",
                                                    .page = "ns-d3dkmddi-_dxgk_segmentflags",
                                                    .value = a->flags.Value});
        if (a->base < b->base + b->size && b->base < a->base + a->size)
            return wrong_segment(survey, a,
                                 (struct complaint){.field = "BaseAddress, Size",
                                                    .expected =
                                                        "a range of the GPU address space that no "
                                                        "other segment has",
                                                    .rule = "R20",
                                                    .page = PAGE_SEGMENTS,
                                                    .value = a->base});
    }
    return VIDMM_OK;
}

/* gpu-segments.md: one aperture from WDDM 2.0 on; mcdm-implementation-guidelines.md: a compute-only
 * adapter needs none. */
static enum vidmm_status validate_aperture_count(const struct survey *survey) {
    const struct adapter_facts *facts = survey->facts;
    uint32_t apertures = 0;
    for (uint32_t i = 0; i < facts->segment_count; i++)
        apertures += facts->segments[i].aperture;
    uint32_t least = facts->caps.MiscCaps.ComputeOnly ? 0 : 1;
    if (survey->dialect->strided && (apertures < least || apertures > 1))
        return query_refuse(&survey->question,
                            &(struct complaint){.field = "DXGK_SEGMENTFLAGS.Aperture",
                                                .expected =
                                                    "set in exactly one segment (at most one of "
                                                    "a compute-only adapter)",
                                                .rule = "R21",
                                                .page = PAGE_GPU_SEGMENTS,
                                                .value = apertures});
    return VIDMM_OK;
}

static enum vidmm_status validate_paging_buffer(const struct survey *survey) {
    const struct adapter_facts *facts = survey->facts;
    const struct dialect *dialect = survey->dialect;
    uint32_t id = facts->paging_segment;
    const struct segment *segment = query_segment(facts, id);
    bool zero = id == 0 && survey->question.context->readings.paging_segment == 0;
    if (!zero && (!segment || !segment->aperture))
        return query_wrong(survey, dialect->paging_segment, "an aperture segment, or 0", "R73", id);
    uint64_t size = facts->paging_size;
    if (size == 0 || size > PAGING_BUFFER_MAX)
        return query_wrong(survey, dialect->paging_size, "1 byte to 64 MiB", "R76", size);
    if (segment && size > segment->commit_limit)
        return query_wrong(survey, dialect->paging_size,
                           "at most the CommitLimit of the paging buffer's segment", "R76", size);
    if (facts->paging_private > PAGING_PRIVATE_MAX)
        return query_wrong(survey, dialect->paging_private, "at most 16 MiB of nonpaged memory",
                           "R77", facts->paging_private);
    return VIDMM_OK;
}

/* calculating-graphics-memory.md (R364 to R366). */
static void compute_limits(const struct vidmm_os *os, struct adapter_facts *facts) {
    uint64_t total = os->memory_bytes(os->ctx) / 2u;
    uint64_t apertures = 0;
    total = total > SHARED_MINIMUM ? total : SHARED_MINIMUM;
    facts->available = total;
    for (uint32_t i = 0; i < facts->segment_count; i++) {
        const struct segment *segment = &facts->segments[i];
        if (segment->aperture)
            apertures += segment->commit_limit;
        else if (segment->flags.PopulatedFromSystemMemory)
            facts->dedicated_system += segment->size;
        else
            facts->dedicated_video += segment->size;
    }
    if (facts->dedicated_system > total)
        facts->dedicated_system = total;
    /* 0 states none: a compute-only driver has to leave it so, and others do that systems run. */
    uint64_t limit = facts->caps.ApertureSegmentCommitLimit;
    limit = limit != 0 && limit < apertures ? limit : apertures;
    uint64_t available = total - facts->dedicated_system;
    facts->shared.limit = limit < available ? limit : available;
}

static enum vidmm_status make_segments(struct survey *survey) {
    struct adapter_facts *facts = survey->facts;
    const struct vidmm_os *os = survey->question.context->os;
    facts->segments = os->alloc(os->ctx, survey->count * sizeof(*facts->segments));
    if (!facts->segments)
        return query_no_memory(&survey->question);
    facts->segment_count = survey->count;
    for (uint32_t i = 0; i < survey->count; i++) {
        enum vidmm_status status = make_segment(survey, i);
        if (status == VIDMM_OK)
            status = validate_overlap(survey, &facts->segments[i]);
        if (status != VIDMM_OK)
            return status;
    }
    return VIDMM_OK;
}

static enum vidmm_status query_segments(const struct query_context *context,
                                        struct adapter_facts *facts, struct vidmm_error *error) {
    enum descriptor_version version = descriptor_version_of(facts->interface_version);
    struct survey survey = {.question = {context, error, dialects[version].call},
                            .version = version,
                            .dialect = &dialects[version],
                            .facts = facts};
    facts->query_version = survey.dialect->query_version;
    static enum vidmm_status (*const steps[])(struct survey *) = {ask_count, ask_descriptors,
                                                                  make_segments};
    static enum vidmm_status (*const validations[])(const struct survey *) = {
        validate_aperture_count, validate_paging_buffer};
    enum vidmm_status status = VIDMM_OK;
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && status == VIDMM_OK; i++)
        status = steps[i](&survey);
    for (size_t i = 0; i < sizeof(validations) / sizeof(*validations) && status == VIDMM_OK; i++)
        status = validations[i](&survey);
    if (survey.array)
        context->os->free(context->os->ctx, survey.array, survey.array_size);
    return status;
}

/* ---- Interface ------------------------------------------------------------------------------- */

/* One page prints 0x6002 for WDDM 2.1, drivers use 0x6003. */
static bool version_known(uint32_t version) {
    return IS_OFFICIAL_DDI_INTERFACE_VERSION(version) || version == 0x6002u;
}

static enum vidmm_status query_all(const struct query_context *context, struct adapter_facts *facts,
                                   struct vidmm_error *error) {
    const struct question question = {context, error, "DriverEntry"};
    facts->interface_version = context->ddi->Version;
    if (!version_known(facts->interface_version))
        return query_refuse(&question,
                            &(struct complaint){.field = "DRIVER_INITIALIZATION_DATA.Version",
                                                .expected = "a released DXGKDDI_INTERFACE_VERSION",
                                                .page = "ns-dispmprt-_driver_initialization_data",
                                                .value = facts->interface_version});
    if (!context->ddi->DxgkDdiQueryAdapterInfo)
        return query_refuse(
            &question,
            &(struct complaint){.field = "DRIVER_INITIALIZATION_DATA.DxgkDdiQueryAdapterInfo",
                                .expected = "a function",
                                .rule = "R30",
                                .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo"});
    enum vidmm_status status = query_caps(context, facts, error);
    if (status == VIDMM_OK)
        status = query_segments(context, facts, error);
    if (status == VIDMM_OK)
        status = query_mmu(context, facts, error);
    return status == VIDMM_OK ? query_dirty(context, facts, error) : status;
}

enum vidmm_status query_adapter(const struct query_context *context, struct adapter_facts *facts,
                                struct vidmm_error *error) {
    struct vidmm_error unwanted;
    memset(facts, 0, sizeof(*facts));
    enum vidmm_status status = query_all(context, facts, error ? error : &unwanted);
    if (status != VIDMM_OK) {
        query_release(context->os, facts);
        return status;
    }
    compute_limits(context->os, facts);
    return VIDMM_OK;
}

void query_release(const struct vidmm_os *os, struct adapter_facts *facts) {
    for (uint32_t i = 0; i < facts->segment_count; i++)
        segment_destroy(&facts->segments[i], os);
    if (facts->segments)
        os->free(os->ctx, facts->segments, facts->segment_count * sizeof(*facts->segments));
    memset(facts, 0, sizeof(*facts));
}
