/*
 * segment.c - the protocol of the segment query, how many and then which, and of the memory
 * ranges asked for afterwards; see watch/query.h. What the descriptors say is watch/descriptor.c's.
 */
#include <stdlib.h>
#include <string.h>

#include <vidmm/segment_queries.h>

#include "watch/dirty.h"
#include "watch/query.h"
#include "watch/watch.h"
#include "state/given.h"
#include "state/memory.h"

#define CANARY       0xa5a5a5a5u
#define SEGMENTS_MAX 31u /* ids have five bits */
#define STRIDE_MAX   65536u
#define COUNT_MAX    1024u
#define RANGES_MAX   65536u

void segment_begin(struct vidmm_referee *referee) {
    memset(&referee->segments, 0, sizeof(referee->segments));
}

/* ---- What the manager asks ------------------------------------------------------------------- */

static uint32_t segment_version_of(DXGK_QUERYADAPTERINFOTYPE type) {
    switch ((uint32_t)type) {
#define QUERY(version, suffix, since, strided)                                                     \
    case DXGKQAITYPE_QUERYSEGMENT##suffix:                                                         \
        return version;
        VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
    default:
        return 0;
    }
}

static uint32_t segment_out_size(uint32_t version) {
    return version >= 4 ? sizeof(DXGK_QUERYSEGMENTOUT4) : sizeof(DXGK_QUERYSEGMENTOUT);
}

/* The first five members of the three OUT structures are the same; version 4 adds the stride. */
_Static_assert(sizeof(DXGK_QUERYSEGMENTOUT) == sizeof(DXGK_QUERYSEGMENTOUT3) &&
                   offsetof(DXGK_QUERYSEGMENTOUT, PagingBufferPrivateDataSize) ==
                       offsetof(DXGK_QUERYSEGMENTOUT4, PagingBufferPrivateDataSize),
               "one structure serves all three queries");

/* Bytes of a descriptor as the newest version knows it. */
static uint32_t segment_element_size(uint32_t version) {
    switch (version) {
#define QUERY(number, suffix, since, strided)                                                      \
    case number:                                                                                   \
        return sizeof(DXGK_SEGMENTDESCRIPTOR##suffix);
        VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
    default:
        return 0;
    }
}

/* Of version 4: what it has to have at the driver's interface version. */
static uint32_t segment_element_least(struct vidmm_referee *referee) {
    return referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1
               ? sizeof(DXGK_SEGMENTDESCRIPTOR4)
               : offsetof(DXGK_SEGMENTDESCRIPTOR4, VprRangeStartOffset);
}

static bool segment_judge_input_4(struct vidmm_referee *referee, struct query *query) {
    const DXGK_QUERYSEGMENTIN4 *in = query->args->pInputData;
    bool enough = in && query->args->InputDataSize >= sizeof(*in);
    bool there = enough && in->PhysicalAdapterIndex < linked_count(referee);
    MANAGER_MUST(12, there, "a DXGK_QUERYSEGMENTIN4 with the index of a physical adapter",
                 "pInputData is %p with %u bytes, PhysicalAdapterIndex %u of %u",
                 query->args->pInputData, query->args->InputDataSize,
                 enough ? in->PhysicalAdapterIndex : 0, linked_count(referee));
    query->physical = there ? in->PhysicalAdapterIndex : 0;
    return there;
}

static bool segment_judge_input(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_QUERYSEGMENTIN *in = query->args->pInputData;
    bool enough = in && query->args->InputDataSize >= sizeof(*in);
    MANAGER_MUST(11, enough, "a DXGK_QUERYSEGMENTIN in both calls",
                 "pInputData is %p with %u bytes", query->args->pInputData,
                 query->args->InputDataSize);
    referee->segments.agp = enough && in->AgpApertureSize.QuadPart > 0;
    referee->segments.agp_base = referee->segments.agp ? (uint64_t)in->AgpApertureBase.QuadPart : 0;
    referee->segments.agp_size = referee->segments.agp ? (uint64_t)in->AgpApertureSize.QuadPart : 0;
    if (enough)
        MANAGER_MUST(13,
                     referee->segments.agp ||
                         (in->AgpApertureSize.QuadPart == 0 && in->AgpApertureBase.QuadPart == 0 &&
                          in->AgpFlags.Value == 0),
                     "zero in all of DXGK_QUERYSEGMENTIN without an AGP aperture",
                     "AgpApertureBase is 0x%llx, AgpApertureSize 0x%llx, AgpFlags 0x%x",
                     (unsigned long long)in->AgpApertureBase.QuadPart,
                     (unsigned long long)in->AgpApertureSize.QuadPart, in->AgpFlags.Value);
    return enough;
}

static void segment_ask_count(struct vidmm_referee *referee, struct query *query) {
    const DXGK_QUERYSEGMENTOUT4 *asked = &query->asked;
    if (query->version >= 4) {
        query->fair = asked->NbSegment == 0;
        MANAGER_MUST(4, asked->NbSegment == 0, "NbSegment 0 in the first call", "NbSegment is %u",
                     asked->NbSegment);
    } else {
        query->fair = !asked->pSegmentDescriptor;
        MANAGER_MUST(2, !asked->pSegmentDescriptor, "pSegmentDescriptor NULL in the first call",
                     "pSegmentDescriptor is %p", (void *)asked->pSegmentDescriptor);
    }
}

static void segment_ask_fill(struct vidmm_referee *referee, struct query *query) {
    const DXGK_QUERYSEGMENTOUT4 *asked = &query->asked;
    uint32_t counts = referee->segments.physical[query->physical].count;
    bool counted = referee->segments.physical[query->physical].counted == query->version;
    MANAGER_MUST(1, counted, "a call for the number of segments before the call for their content",
                 "NbSegment is %u, and no first call was answered", asked->NbSegment);
    query->fair = counted && asked->NbSegment == counts;
    if (counted)
        MANAGER_MUST(6, asked->NbSegment == counts, "the number that the first call reported",
                     "NbSegment is %u, the first call said %u", asked->NbSegment, counts);
    if (query->version >= 4) {
        uint64_t stride = asked->SegmentDescriptorStride;
        bool enough = stride >= segment_element_least(referee);
        MANAGER_MUST(9, enough, "a SegmentDescriptorStride that holds the descriptor",
                     "SegmentDescriptorStride is %llu, the descriptor has %u bytes",
                     (unsigned long long)stride, segment_element_least(referee));
        query->fair = query->fair && enough;
    }
}

/*
 * A driver that leaves a paging-buffer member alone leaves a canary: given back by restore. The
 * elements are cleared, whatever the caller has there, such as the last answer: no descriptor is all
 * zero, and what version 4 does not require of a driver is 0 where it is left alone.
 */
static void segment_put_canaries(struct query *query) {
    DXGK_QUERYSEGMENTOUT4 out = query->asked;
    out.PagingBufferSegmentId = CANARY;
    out.PagingBufferSize = CANARY;
    out.PagingBufferPrivateDataSize = CANARY;
    if (query->array.bytes)
        out.pSegmentDescriptor = query->array.bytes;
    memcpy(query->out.bytes, &out, segment_out_size(query->version));
    for (uint32_t i = 0; query->array.block && i < query->asked.NbSegment; i++) {
        uint8_t *element = query->array.bytes + (size_t)i * query->stride;
        memset(element, 0, query->element);
        memset(element + query->element, VIDMM_REFEREE_GUARD, query->stride - query->element);
    }
}

static void segment_guard_array(struct vidmm_referee *referee, struct query *query) {
    const DXGK_QUERYSEGMENTOUT4 *asked = &query->asked;
    uint64_t stride = query->version >= 4 ? asked->SegmentDescriptorStride : query->element;
    if (query->kind == QUERY_COUNT) {
        guard_make(referee, &query->array, asked->pSegmentDescriptor, 0);
        return;
    }
    query->fair = query->fair && stride <= STRIDE_MAX && asked->NbSegment <= COUNT_MAX;
    if (!query->fair)
        return;
    query->stride = (uint32_t)stride;
    if (query->element > query->stride)
        query->element = query->stride;
    guard_make(referee, &query->array, asked->pSegmentDescriptor,
               (size_t)asked->NbSegment * query->stride);
}

void segment_ask(struct vidmm_referee *referee, struct query *query) {
    uint32_t version = segment_version_of(query->args->Type);
    if (version == 0 || !query->out.bytes || query->out.size < segment_out_size(version))
        return;
    query->version = version;
    query->element = segment_element_size(version);
    memcpy(&query->asked, query->out.bytes, segment_out_size(version));
    bool filling = query->asked.pSegmentDescriptor && query->asked.NbSegment != 0;
    query->kind = filling ? QUERY_FILL : QUERY_COUNT;
    bool input =
        version >= 4 ? segment_judge_input_4(referee, query) : segment_judge_input(referee, query);
    if (filling)
        segment_ask_fill(referee, query);
    else
        segment_ask_count(referee, query);
    query->addressed = input;
    referee->segments.used = false;
    segment_guard_array(referee, query);
    segment_put_canaries(query);
}

/* ---- The first answer ------------------------------------------------------------------------ */

/* The first member besides NbSegment that the driver wrote, or NULL. */
static const char *segment_touched(const struct query *query, const DXGK_QUERYSEGMENTOUT4 *got) {
    int64_t at;
    if (got->pSegmentDescriptor != query->array.bytes)
        return "pSegmentDescriptor";
    if (got->PagingBufferSegmentId != CANARY)
        return "PagingBufferSegmentId";
    if (got->PagingBufferSize != CANARY)
        return "PagingBufferSize";
    if (got->PagingBufferPrivateDataSize != CANARY)
        return "PagingBufferPrivateDataSize";
    if (query->version >= 4 && got->SegmentDescriptorStride != query->asked.SegmentDescriptorStride)
        return "SegmentDescriptorStride";
    return guard_whole(&query->array, &at) ? NULL : "the array";
}

static void segment_answer_count(struct vidmm_referee *referee, const struct query *query,
                                 const DXGK_QUERYSEGMENTOUT4 *got) {
    const char *member = segment_touched(query, got);
    const char *named = member ? member : "";
    bool success = query->status == STATUS_SUCCESS;
    if (query->fair && query->version < 4)
        DRIVER_MUST(3, !member, "nothing but NbSegment written by the first call", "%s was written",
                    named);
    if (query->fair && query->version >= 4) {
        DRIVER_MUST(5, !member, "nothing but NbSegment written by the first call", "%s was written",
                    named);
        DRIVER_MUST(5, success || !query->addressed, "STATUS_SUCCESS from the first call",
                    "the first call returned 0x%08x", (unsigned)query->status);
    }
    if (!success)
        return;
    referee->segments.physical[query->physical].counted = query->version;
    referee->segments.physical[query->physical].count = got->NbSegment;
    DRIVER_MUST(16, got->NbSegment >= 1 && got->NbSegment <= SEGMENTS_MAX,
                "1 to 31 segments: ids count from 1 and have five bits", "NbSegment is %u",
                got->NbSegment);
}

/* ---- The second answer ----------------------------------------------------------------------- */

/* The gap behind element `i` is as it was, or was cleared together with the element. */
static bool segment_gap_left_alone(const struct query *query, uint32_t i) {
    const uint8_t *gap = query->array.bytes + (size_t)i * query->stride + query->element;
    bool canary = true, zero = true;
    for (uint32_t at = 0; at < query->stride - query->element; at++) {
        canary = canary && gap[at] == VIDMM_REFEREE_GUARD;
        zero = zero && gap[at] == 0;
    }
    return canary || zero;
}

static bool segment_element_written(const struct query *query, uint32_t i) {
    const uint8_t *element = query->array.bytes + (size_t)i * query->stride;
    for (uint32_t at = 0; at < query->element; at++)
        if (element[at] != 0)
            return true;
    return false;
}

/* True when the elements are where they should be, and nothing is anywhere else. */
static bool segment_judge_array_4(struct vidmm_referee *referee, const struct query *query) {
    const char *by_stride = "element i at pSegmentDescriptor + i * SegmentDescriptorStride";
    bool good = true;
    int64_t at = 0;
    for (uint32_t i = 0; i < query->asked.NbSegment; i++) {
        bool gap = segment_gap_left_alone(query, i), written = segment_element_written(query, i);
        good = good && gap && written;
        DRIVER_MUST(8, gap, by_stride,
                    "the %u bytes behind element %u were written, the stride is %u",
                    query->stride - query->element, i, query->stride);
        DRIVER_MUST(8, written, by_stride, "element %u was not written, the stride is %u", i,
                    query->stride);
    }
    bool whole = guard_whole(&query->array, &at);
    DRIVER_MUST(8, whole, by_stride, "byte %lld of an array of %llu bytes was written",
                (long long)at, (unsigned long long)query->array.size);
    return good && whole;
}

static bool segment_judge_array(struct vidmm_referee *referee, const struct query *query) {
    bool good = true;
    int64_t at = 0;
    for (uint32_t i = 0; i < query->asked.NbSegment; i++) {
        bool written = segment_element_written(query, i);
        good = good && written;
        DRIVER_MUST(10, written, "all descriptors filled in by the second call",
                    "element %u was not written", i);
    }
    bool whole = guard_whole(&query->array, &at);
    DRIVER_MUST(7, whole, "as many descriptors as the first call announced",
                "byte %lld of an array of %llu bytes was written", (long long)at,
                (unsigned long long)query->array.size);
    return good && whole;
}

static void segment_judge_paging_buffer(struct vidmm_referee *referee, uint32_t physical,
                                        const DXGK_QUERYSEGMENTOUT4 *got) {
    const struct {
        const char *name;
        uint32_t value;
    } members[] = {
        {"PagingBufferSegmentId", got->PagingBufferSegmentId},
        {"PagingBufferSize", got->PagingBufferSize},
        {"PagingBufferPrivateDataSize", got->PagingBufferPrivateDataSize},
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
        DRIVER_MUST(10, members[i].value != CANARY, "every member filled in by the second call",
                    "%s was not written", members[i].name);
    struct shadow_physical *adapter = &referee->adapter.physical[physical];
    adapter->paging_segment = linked_segment(physical, got->PagingBufferSegmentId);
    adapter->paging_size = got->PagingBufferSize;
    adapter->paging_private = got->PagingBufferPrivateDataSize;
}

/* After the segments are known. */
static void segment_judge_paging_segment(struct vidmm_referee *referee, uint32_t physical,
                                         const DXGK_QUERYSEGMENTOUT4 *got) {
    uint32_t id = got->PagingBufferSegmentId;
    const struct shadow_segment *segment = shadow_segment(referee, linked_segment(physical, id));
    bool zero = id == 0 && referee->readings.paging_segment == 0;
    if (id != CANARY)
        DRIVER_MUST(73, zero || (segment && (segment->flags.Aperture || segment->flags.Agp)),
                    "an aperture segment, or 0", "PagingBufferSegmentId is %u: %s", id,
                    id == 0    ? "none"
                    : !segment ? "no segment"
                               : "a memory segment");
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void segment_read_1(struct described *out, const uint8_t *element) {
    DXGK_SEGMENTDESCRIPTOR in;
    memcpy(&in, element, sizeof(in));
    *out = (struct described){.flags = in.Flags,
                              .base = (uint64_t)in.BaseAddress.QuadPart,
                              .size = in.Size,
                              .commit_limit = in.CommitLimit,
                              .cpu_base = (uint64_t)in.CpuTranslatedAddress.QuadPart,
                              .banks = in.NbOfBanks,
                              .bank_ends = in.pBankRangeTable};
}

static void segment_read_3(struct described *out, const uint8_t *element) {
    DXGK_SEGMENTDESCRIPTOR3 in;
    memcpy(&in, element, sizeof(in));
    *out = (struct described){.flags = in.Flags,
                              .base = (uint64_t)in.BaseAddress.QuadPart,
                              .size = in.Size,
                              .commit_limit = in.CommitLimit,
                              .cpu_base = (uint64_t)in.CpuTranslatedAddress.QuadPart,
                              .end = in.SystemMemoryEndAddress,
                              .reserved = in.Reserved,
                              .banks = in.NbOfBanks,
                              .bank_ends = in.pBankRangeTable};
}

static void segment_read_4(struct described *out, const uint8_t *element) {
    DXGK_SEGMENTDESCRIPTOR4 in;
    memset(&in, 0, sizeof(in));
    memcpy(&in, element, offsetof(DXGK_SEGMENTDESCRIPTOR4, VprRangeStartOffset));
    *out = (struct described){.flags = in.Flags,
                              .base = (uint64_t)in.BaseAddress.QuadPart,
                              .size = in.Size,
                              .commit_limit = in.CommitLimit,
                              .cpu_base = (uint64_t)in.CpuTranslatedAddress.QuadPart,
                              .end = in.SystemMemoryEndAddress,
                              .host_base = in.CpuHostAperture.PhysicalAddress,
                              .host_pages = in.CpuHostAperture.SizeInPages,
                              .invalid = in.NumInvalidMemoryRanges};
}

/* Of version 4, where the driver's interface version has them. */
static void segment_read_protected(struct described *out, const uint8_t *element) {
    DXGK_SEGMENTDESCRIPTOR4 in;
    memcpy(&in, element, sizeof(in));
    out->vpr_start = in.VprRangeStartOffset;
    out->vpr_size = in.Flags.VprSupported ? in.VprRangeSize : 0;
    out->vpr_alignment = in.VprAlignment;
}

static void segment_read_descriptor(struct described *out, const uint8_t *element,
                                    uint32_t version) {
    switch (version) {
#define QUERY(number, suffix, since, strided)                                                      \
    case number:                                                                                   \
        segment_read_##number(out, element);                                                       \
        break;
        VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
    default:
        break;
    }
}

static void segment_take_descriptors(struct vidmm_referee *referee, const struct query *query) {
    struct described segments[SEGMENTS_MAX];
    uint32_t count = query->asked.NbSegment;
    if (count > SEGMENTS_MAX)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *element = query->array.bytes + (size_t)i * query->stride;
        segment_read_descriptor(&segments[i], element, query->version);
        if (query->version == 4 &&
            segment_element_least(referee) == sizeof(DXGK_SEGMENTDESCRIPTOR4))
            segment_read_protected(&segments[i], element);
        segments[i].banks_gone = given_gone(referee, query, segments[i].bank_ends);
        uint32_t id = linked_segment(query->physical, i + 1);
        referee->segments.announced[id - 1] = segments[i].invalid;
        referee->segments.ranges[id - 1] = false;
    }
    descriptors_judge(referee, query->physical, segments, count, query->version);
}

/* The number that the first call reported is refused. */
static void segment_judge_refused(struct vidmm_referee *referee, const struct query *query) {
    if (query->fair && query->addressed)
        DRIVER_MUST(7, query->status != STATUS_INVALID_PARAMETER,
                    "descriptors of as many segments as the first call reported",
                    "the second call with NbSegment %u was answered with status 0x%08x",
                    query->asked.NbSegment, (unsigned)query->status);
}

static void segment_answer_fill(struct vidmm_referee *referee, const struct query *query,
                                const DXGK_QUERYSEGMENTOUT4 *got) {
    uint32_t counts = referee->segments.physical[query->physical].count;
    segment_judge_refused(referee, query);
    if (query->status != STATUS_SUCCESS || !query->fair || !query->array.block)
        return;
    DRIVER_MUST(7, got->NbSegment == counts, "the number that the first call reported",
                "NbSegment is %u after the second call, %u after the first", got->NbSegment,
                counts);
    if (query->version >= 4)
        DRIVER_MUST(8,
                    got->pSegmentDescriptor == query->array.bytes &&
                        got->SegmentDescriptorStride == query->stride,
                    "pSegmentDescriptor and SegmentDescriptorStride as the system set them",
                    "the array is at %p after %p, the stride %llu after %u",
                    (void *)got->pSegmentDescriptor, (void *)query->array.bytes,
                    (unsigned long long)got->SegmentDescriptorStride, query->stride);
    segment_judge_paging_buffer(referee, query->physical, got);
    if (query->version >= 4 ? segment_judge_array_4(referee, query)
                            : segment_judge_array(referee, query)) {
        segment_take_descriptors(referee, query);
        segment_judge_paging_segment(referee, query->physical, got);
    }
}

/* The manager's values again where the driver left ours. */
static void segment_restore(struct query *query, DXGK_QUERYSEGMENTOUT4 *got) {
    const DXGK_QUERYSEGMENTOUT4 *asked = &query->asked;
    if (got->PagingBufferSegmentId == CANARY)
        got->PagingBufferSegmentId = asked->PagingBufferSegmentId;
    if (got->PagingBufferSize == CANARY)
        got->PagingBufferSize = asked->PagingBufferSize;
    if (got->PagingBufferPrivateDataSize == CANARY)
        got->PagingBufferPrivateDataSize = asked->PagingBufferPrivateDataSize;
    got->pSegmentDescriptor = guard_original(&query->array, got->pSegmentDescriptor);
    memcpy(query->out.bytes, got, segment_out_size(query->version));
    for (uint32_t i = 0; query->array.block && i < asked->NbSegment; i++) {
        size_t at = (size_t)i * query->stride, gap = at + query->element;
        uint32_t size = query->stride - query->element;
        const uint8_t *original = query->array.original;
        if (!segment_element_written(query, i))
            memcpy(query->array.bytes + at, original + at, query->element);
        if (segment_gap_left_alone(query, i))
            memcpy(query->array.bytes + gap, original + gap, size);
    }
}

void segment_answer(struct vidmm_referee *referee, struct query *query) {
    DXGK_QUERYSEGMENTOUT4 got;
    if (query->kind != QUERY_COUNT && query->kind != QUERY_FILL)
        return;
    memset(&got, 0, sizeof(got));
    memcpy(&got, query->out.bytes, segment_out_size(query->version));
    if (query->kind == QUERY_COUNT)
        segment_answer_count(referee, query, &got);
    else
        segment_answer_fill(referee, query, &got);
    segment_restore(query, &got);
}

/* ---- Memory ranges --------------------------------------------------------------------------- */

void ranges_ask(struct vidmm_referee *referee, struct query *query) {
    DXGK_QUERYSEGMENTMEMORYSTATE *state = &query->state;
    if (query->args->Type != DXGKQAITYPE_SEGMENTMEMORYSTATE || !query->out.bytes ||
        query->out.size < sizeof(*state))
        return;
    query->kind = QUERY_RANGES;
    memcpy(state, query->out.bytes, sizeof(*state));
    bool there = state->PhysicalAdapterIndex < linked_count(referee);
    const struct shadow_segment *segment =
        shadow_segment(referee, linked_segment(linked_index(referee, state->PhysicalAdapterIndex),
                                               state->DriverSegmentId));
    uint32_t announced = segment ? referee->segments.announced[segment->id - 1] : 0;
    MANAGER_MUST(66, !segment || (announced != 0 && !referee->segments.used),
                 "SEGMENTMEMORYSTATE only of segments that announced invalid ranges, and before "
                 "they are used",
                 "segment %u announced %u ranges%s", state->DriverSegmentId, announced,
                 referee->segments.used ? ", and is in use" : "");
    if (segment)
        referee->segments.ranges[segment->id - 1] = true;
    query->fair = segment && announced != 0 && there &&
                  state->NumInvalidMemoryRanges == announced && state->pMemoryRanges;
    MANAGER_MUST(67, query->fair || (segment && announced == 0),
                 "a segment's id from 1, the adapter's index, the number of ranges it announced "
                 "and an array of so many",
                 "DriverSegmentId is %u, PhysicalAdapterIndex %u, NumInvalidMemoryRanges %u after "
                 "%u, pMemoryRanges %p",
                 state->DriverSegmentId, state->PhysicalAdapterIndex, state->NumInvalidMemoryRanges,
                 announced, (void *)state->pMemoryRanges);
    if (!query->fair || announced > RANGES_MAX)
        return;
    guard_make(referee, &query->array, state->pMemoryRanges, announced * sizeof(DXGK_MEMORYRANGE));
    DXGK_QUERYSEGMENTMEMORYSTATE passed = *state;
    passed.pMemoryRanges = (DXGK_MEMORYRANGE *)(void *)query->array.bytes;
    memcpy(query->out.bytes, &passed, sizeof(passed));
    /* No page says in which of the buffers the structure travels: the manager may offer both. */
    if (query->args->pInputData && query->args->InputDataSize >= sizeof(query->input)) {
        memcpy(&query->input, query->args->pInputData, sizeof(query->input));
        if (query->input.pMemoryRanges == state->pMemoryRanges)
            query->input.pMemoryRanges = passed.pMemoryRanges;
        query->passed.pInputData = &query->input;
    }
}

static void segment_keep_ranges(struct shadow_segment *segment, const DXGK_MEMORYRANGE *ranges,
                                uint32_t count) {
    DXGK_MEMORYRANGE *copy = memory_calloc(count, sizeof(*copy));
    if (!copy)
        return;
    memcpy(copy, ranges, count * sizeof(*copy));
    free(segment->invalid);
    segment->invalid = copy;
    segment->invalid_count = count;
}

static void segment_judge_ranges(struct vidmm_referee *referee, const struct query *query,
                                 struct shadow_segment *segment) {
    uint32_t count = query->state.NumInvalidMemoryRanges;
    int64_t at = 0;
    bool whole = guard_whole(&query->array, &at);
    DRIVER_MUST(68, whole, "no more ranges than were announced",
                "byte %lld of an array of %llu bytes was written", (long long)at,
                (unsigned long long)query->array.size);
    for (uint32_t i = 0; i < count; i++) {
        DXGK_MEMORYRANGE range;
        memcpy(&range, query->array.bytes + i * sizeof(range), sizeof(range));
        DRIVER_MUST(68,
                    range.SegmentOffset % segment->page_size == 0 &&
                        range.SizeInBytes % segment->page_size == 0 && range.SizeInBytes != 0 &&
                        range.SegmentOffset <= segment->size &&
                        range.SizeInBytes <= segment->size - range.SegmentOffset,
                    "ranges of whole pages in the segment",
                    "range %u of segment %u is 0x%llx bytes at offset 0x%llx, pages have 0x%x "
                    "bytes, the segment has 0x%llx",
                    i, segment->id, (unsigned long long)range.SizeInBytes,
                    (unsigned long long)range.SegmentOffset, segment->page_size,
                    (unsigned long long)segment->size);
    }
    segment_keep_ranges(segment, (const DXGK_MEMORYRANGE *)(const void *)query->array.bytes, count);
}

void ranges_answer(struct vidmm_referee *referee, struct query *query) {
    if (query->kind != QUERY_RANGES || !query->array.block)
        return;
    uint32_t physical = linked_index(referee, query->state.PhysicalAdapterIndex);
    struct shadow_segment *segment =
        shadow_segment(referee, linked_segment(physical, query->state.DriverSegmentId));
    if (query->status == STATUS_SUCCESS && query->fair && segment)
        segment_judge_ranges(referee, query, segment);
    DXGK_QUERYSEGMENTMEMORYSTATE got;
    memcpy(&got, query->out.bytes, sizeof(got));
    got.pMemoryRanges = guard_original(&query->array, got.pMemoryRanges);
    memcpy(query->out.bytes, &got, sizeof(got));
}

/* ---- Going on -------------------------------------------------------------------------------- */

static void segment_judge_use_of(struct vidmm_referee *referee,
                                 const struct shadow_segment *segment) {
    DXGK_SEGMENTFLAGS f = segment->flags;
    if (f.Agp) {
        DXGK_SEGMENTFLAGS alone = {.Value = 0};
        alone.Agp = 1;
        MANAGER_MUST(15, referee->segments.agp, "no start of an adapter with a stray AGP segment",
                     "segment %u has the Agp flag and there is no AGP aperture", segment->id);
        MANAGER_MUST(33, f.Value == alone.Value,
                     "no start of an adapter whose AGP segment has other flags",
                     "segment %u has flags 0x%x", segment->id, f.Value);
    }
    if (!f.Agp && !f.Aperture && referee->segments.announced[segment->id - 1] != 0)
        MANAGER_MUST(66, referee->segments.ranges[segment->id - 1],
                     "SEGMENTMEMORYSTATE of every segment that announced invalid ranges",
                     "segment %u announced %u ranges and was not asked", segment->id,
                     referee->segments.announced[segment->id - 1]);
}

void query_judge_use(struct vidmm_referee *referee) {
    uint64_t highest = (uint64_t)referee->adapter.caps.HighestAcceptableAddress.QuadPart;
    if (referee->segments.used)
        return;
    referee->segments.used = true;
    dirty_judge_use(referee);
    MANAGER_MUST(31, caps_reach_memory(referee),
                 "no start of an adapter that cannot address all system memory",
                 "HighestAcceptableAddress is 0x%llx with memory up to 0x%llx",
                 (unsigned long long)highest, (unsigned long long)world_memory_end(referee));
    for (uint32_t id = shadow_next_segment(referee, 0); id != 0;
         id = shadow_next_segment(referee, id))
        segment_judge_use_of(referee, shadow_segment(referee, id));
}
