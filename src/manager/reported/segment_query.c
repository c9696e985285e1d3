/*
 * segment_query.c - see segment_query.h.
 *
 * Both calls are made with canaries in whatever the driver must leave alone, and version 4 with a
 * stride larger than the descriptor. This finds a driver that walks the array by sizeof instead of
 * by the stride.
 */
#include "reported/segment_query.h"

#include <string.h>

#define CANARY      0xa5u
#define CANARY_WORD 0xa5a5a5a5u
#define STRIDE_GAP  24u /* bytes by which the stride exceeds the descriptor */
#define GUARD_BYTES 256u

/* The first five members of all three OUT structures are the same; version 4 adds the stride. */
#define SAME_OFFSET(member)                                                                        \
    (offsetof(DXGK_QUERYSEGMENTOUT, member) == offsetof(DXGK_QUERYSEGMENTOUT4, member) &&          \
     offsetof(DXGK_QUERYSEGMENTOUT3, member) == offsetof(DXGK_QUERYSEGMENTOUT4, member))
_Static_assert(SAME_OFFSET(NbSegment) && SAME_OFFSET(pSegmentDescriptor) &&
                   SAME_OFFSET(PagingBufferSegmentId) && SAME_OFFSET(PagingBufferSize) &&
                   SAME_OFFSET(PagingBufferPrivateDataSize),
               "one structure serves all three queries");

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
        .name = "QUERYSEGMENT" #suffix,                                                            \
        .call = "DxgkDdiQueryAdapterInfo(QUERYSEGMENT" #suffix ")",                                \
        NAMES("DXGK_QUERYSEGMENTOUT" #suffix, "ns-d3dkmddi-_dxgk_querysegmentout" #suffix)},
    VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
};

enum vidmm_status survey_wrong(const struct survey *survey, const char *field, const char *expected,
                               const char *rule, uint64_t value) {
    return query_refuse(&survey->question, &(struct complaint){.field = field,
                                                               .expected = expected,
                                                               .rule = rule,
                                                               .page = survey->dialect->page,
                                                               .value = value});
}

static enum vidmm_status call_driver(const struct survey *survey, DXGK_QUERYSEGMENTOUT4 *out) {
    const struct query_context *context = survey->question.context;
    DXGK_QUERYSEGMENTIN agp;
    memset(&agp, 0, sizeof(agp));
    if (context->agp_size != 0) {
        agp.AgpApertureBase.QuadPart = (int64_t)context->agp_base;
        agp.AgpApertureSize.QuadPart = (int64_t)context->agp_size;
        agp.AgpFlags.Agp = 1;
    }
    DXGK_QUERYSEGMENTIN4 adapter = {.PhysicalAdapterIndex = survey->index};
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

/* What else the driver writes into the structure is not used: systems were seen to go on (W31). */
static enum vidmm_status survey_ask_count(struct survey *survey) {
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
    enum vidmm_status status = call_driver(survey, &out);
    if (status != VIDMM_OK)
        return status;
    survey->count = out.NbSegment;
    if (!all_are(&element, sizeof(element), CANARY))
        return survey_wrong(survey, survey->dialect->array, "left alone by the first of two calls",
                            "R5", out.NbSegment);
    if (survey->count == 0 || survey->count > SEGMENTS_MAX)
        return survey_wrong(survey, survey->dialect->count,
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
            return survey_wrong(survey, dialect->array, by_stride, "R8", i);
    }
    size_t elements = (size_t)survey->count * dialect->stride;
    if (!left_alone(survey, elements, GUARD_BYTES, false))
        return survey_wrong(survey, dialect->array, "no element written beyond NbSegment",
                            survey->dialect->strided ? "R8" : "R6", survey->count);
    return VIDMM_OK;
}

static enum vidmm_status validate_second_call(const struct survey *survey,
                                              const DXGK_QUERYSEGMENTOUT4 *out) {
    const struct dialect *dialect = survey->dialect;
    if (out->NbSegment != survey->count)
        return survey_wrong(survey, dialect->count, "the number that the first call reported", "R7",
                            out->NbSegment);
    if (out->pSegmentDescriptor != survey->array ||
        (survey->dialect->strided && out->SegmentDescriptorStride != dialect->stride))
        return survey_wrong(survey, dialect->array, "pointer and stride as the system set them",
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
            return survey_wrong(survey, required[i].field, "filled in by the second call", "R10",
                                required[i].value);
    }
    return validate_array(survey);
}

static enum vidmm_status survey_ask_descriptors(struct survey *survey) {
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
        struct physical_facts *physical = &survey->facts->physical[survey->index];
        physical->paging_segment = out.PagingBufferSegmentId;
        physical->paging_size = out.PagingBufferSize;
        physical->paging_private = out.PagingBufferPrivateDataSize;
    }
    return status;
}

static void survey_prepare(struct survey *survey, const struct query_context *context,
                           struct adapter_facts *facts, uint32_t index, struct vidmm_error *error) {
    enum descriptor_version version = descriptor_version_of(facts->interface_version);
    *survey = (struct survey){.question = {context, error, dialects[version].call},
                              .version = version,
                              .dialect = &dialects[version],
                              .facts = facts,
                              .index = index};
}

bool survey_is_answered(const struct query_context *context, struct adapter_facts *facts) {
    struct vidmm_error error = {.nt = STATUS_SUCCESS};
    struct survey survey;
    survey_prepare(&survey, context, facts, 0, &error);
    return survey_ask_count(&survey) == VIDMM_OK || error.nt == STATUS_SUCCESS;
}

const char *survey_name(const struct adapter_facts *facts) {
    return dialects[descriptor_version_of(facts->interface_version)].name;
}

enum vidmm_status survey_begin(struct survey *survey, const struct query_context *context,
                               struct adapter_facts *facts, uint32_t index,
                               struct vidmm_error *error) {
    survey_prepare(survey, context, facts, index, error);
    facts->query_version = survey->dialect->query_version;
    enum vidmm_status status = survey_ask_count(survey);
    return status == VIDMM_OK ? survey_ask_descriptors(survey) : status;
}

void survey_end(struct survey *survey) {
    const struct vidmm_os *os = survey->question.context->os;
    if (survey->array)
        os->free(os->ctx, survey->array, survey->array_size);
}
