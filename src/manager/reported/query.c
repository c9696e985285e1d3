/*
 * query.c - all that is asked at the start: the segments made of the driver's descriptors, and what
 * must hold between them; then the MMU and dirty tracking.
 */
#include "reported/query.h"

#include <string.h>

#include <vidmm/interfaces.h>

#include "reported/also.h"
#include "reported/physical.h"
#include "reported/segment_query.h"

#define PAGING_BUFFER_MAX  (64u << 20)
#define PAGING_PRIVATE_MAX (16u << 20)
#define INVALID_RANGES_MAX 65536u
#define SHARED_MINIMUM     (64ull << 20)

#define PAGE_SEGMENTS     "using-memory-segments-to-describe-the-gpu-address-space"
#define PAGE_MEMORY_RANGE "ns-d3dkmddi-_dxgk_memoryrange"
#define PAGE_GPU_SEGMENTS "gpu-segments"

static enum vidmm_status wrong_segment(const struct survey *survey, const struct segment *segment,
                                       struct complaint complaint) {
    complaint.index = segment->driver_id;
    return query_refuse(&survey->question, &complaint);
}

/* ---- Invalid ranges -------------------------------------------------------------------------- */

static enum vidmm_status reserve_ranges(const struct question *question, struct segment *segment,
                                        const DXGK_MEMORYRANGE *ranges, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = ranges[i].SegmentOffset, size = ranges[i].SizeInBytes;
        struct complaint complaint = {
            .page = PAGE_MEMORY_RANGE, .rule = "R68", .index = segment->driver_id, .value = at};
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

/* Has the driver fill in `ranges`, as many as it announced. */
static enum vidmm_status ask_invalid_ranges(const struct question *question,
                                            const struct segment *segment, DXGK_MEMORYRANGE *ranges,
                                            uint32_t count) {
    DXGK_QUERYSEGMENTMEMORYSTATE state;
    memset(&state, 0, sizeof(state));
    state.DriverSegmentId = (WORD)segment->driver_id;
    state.PhysicalAdapterIndex = (WORD)segment->physical;
    state.NumInvalidMemoryRanges = count;
    state.pMemoryRanges = ranges;
    /* ns-d3dkmddi-_dxgk_querysegmentmemorystate.md does not say in which buffer the structure
     * travels: it is passed in both (docs/readings.md). */
    DXGK_QUERYSEGMENTMEMORYSTATE input = state;
    enum vidmm_status status = query_ask(question, DXGKQAITYPE_SEGMENTMEMORYSTATE, &input,
                                         sizeof(input), &state, sizeof(state));
    if (status || (state.NumInvalidMemoryRanges == count && state.pMemoryRanges == ranges))
        return status;
    return query_refuse(
        question,
        &(struct complaint){.field = "DXGK_QUERYSEGMENTMEMORYSTATE.NumInvalidMemoryRanges",
                            .expected = "the number in DXGK_SEGMENTDESCRIPTOR4",
                            .rule = "R67",
                            .page = "ns-d3dkmddi-_dxgk_querysegmentmemorystate",
                            .index = segment->driver_id,
                            .value = state.NumInvalidMemoryRanges});
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
    DXGK_MEMORYRANGE *ranges = os->alloc(os->ctx, (size_t)count * sizeof(DXGK_MEMORYRANGE));
    if (!ranges)
        return query_no_memory(&question);
    enum vidmm_status status = ask_invalid_ranges(&question, segment, ranges, count);
    if (status == VIDMM_OK)
        status = reserve_ranges(&question, segment, ranges, count);
    segment->invalid = ranges;
    segment->invalid_count = count;
    return status;
}

/* ---- Segments -------------------------------------------------------------------------------- */

static enum vidmm_status make_segment(const struct survey *survey, uint32_t index,
                                      struct segment *segment) {
    struct adapter_facts *facts = survey->facts;
    struct descriptor descriptor;
    descriptor_read(&descriptor, survey->version,
                    survey->array + (size_t)index * survey->dialect->stride);
    segment->id = (uint32_t)(segment - facts->segments) + 1u;
    segment->physical = survey->index;
    segment->driver_id = index + 1u;
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
    const struct physical_facts *physical = &survey->facts->physical[survey->index];
    for (const struct segment *b = &survey->facts->segments[physical->first_segment]; b < a; b++) {
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

/* gpu-segments.md: one aperture from WDDM 2.0 on. Systems start a driver without one, too: the referee
 * says what it has to say. */
static enum vidmm_status validate_aperture_count(const struct survey *survey) {
    const struct adapter_facts *facts = survey->facts;
    uint32_t apertures = 0;
    for (uint32_t i = facts->physical[survey->index].first_segment; i < facts->segment_count; i++)
        apertures += facts->segments[i].aperture;
    if (survey->dialect->strided && apertures > 1)
        return query_refuse(&survey->question,
                            &(struct complaint){.field = "DXGK_SEGMENTFLAGS.Aperture",
                                                .expected = "set in one segment",
                                                .rule = "R21",
                                                .page = PAGE_GPU_SEGMENTS,
                                                .value = apertures});
    return VIDMM_OK;
}

static enum vidmm_status validate_paging_buffer(const struct survey *survey) {
    struct physical_facts *physical = &survey->facts->physical[survey->index];
    const struct dialect *dialect = survey->dialect;
    uint32_t id = physical->paging_segment;
    const struct segment *segment = physical_segment(survey->facts, survey->index, id);
    bool zero = id == 0 && survey->question.context->readings.paging_segment == 0;
    if (!zero && (!segment || !segment->aperture))
        return survey_wrong(survey, dialect->paging_segment, "an aperture segment, or 0", "R73",
                            id);
    uint64_t size = physical->paging_size;
    if (size == 0 || size > PAGING_BUFFER_MAX)
        return survey_wrong(survey, dialect->paging_size, "1 byte to 64 MiB", "R76", size);
    if (segment && size > segment->commit_limit)
        return survey_wrong(survey, dialect->paging_size,
                            "at most the CommitLimit of the paging buffer's segment", "R76", size);
    if (physical->paging_private > PAGING_PRIVATE_MAX)
        return survey_wrong(survey, dialect->paging_private, "at most 16 MiB of nonpaged memory",
                            "R77", physical->paging_private);
    physical->paging_segment = segment ? segment->id : 0;
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

/* Room for what the physical adapters report, as many as sets of segments have bits. */
static enum vidmm_status make_room(const struct survey *survey) {
    struct adapter_facts *facts = survey->facts;
    const struct vidmm_os *os = survey->question.context->os;
    uint32_t room = facts->linked > 1 ? SEGMENTS_TOTAL : survey->count;
    if (facts->segments && facts->segment_count + survey->count > facts->segment_room)
        return survey_wrong(survey, survey->dialect->count,
                            "at most 32 segments of all linked adapters together", NULL,
                            survey->count);
    if (facts->segments)
        return VIDMM_OK;
    facts->segments = os->alloc(os->ctx, room * sizeof(*facts->segments));
    facts->segment_room = facts->segments ? room : 0;
    return facts->segments ? VIDMM_OK : query_no_memory(&survey->question);
}

static enum vidmm_status make_segments(struct survey *survey) {
    struct adapter_facts *facts = survey->facts;
    struct physical_facts *physical = &facts->physical[survey->index];
    enum vidmm_status status = make_room(survey);
    if (status != VIDMM_OK)
        return status;
    physical->first_segment = facts->segment_count;
    physical->segment_count = survey->count;
    facts->segment_count += survey->count;
    for (uint32_t i = 0; i < survey->count; i++) {
        struct segment *segment = &facts->segments[physical->first_segment + i];
        status = make_segment(survey, i, segment);
        if (status == VIDMM_OK)
            status = validate_overlap(survey, segment);
        if (status != VIDMM_OK)
            return status;
    }
    return VIDMM_OK;
}

static enum vidmm_status query_segments(const struct query_context *context,
                                        struct adapter_facts *facts, uint32_t index,
                                        struct vidmm_error *error) {
    struct survey survey;
    enum vidmm_status status = survey_begin(&survey, context, facts, index, error);
    if (status == VIDMM_OK)
        status = make_segments(&survey);
    if (status == VIDMM_OK)
        status = validate_aperture_count(&survey);
    if (status == VIDMM_OK)
        status = validate_paging_buffer(&survey);
    survey_end(&survey);
    return status;
}

/* ---- Interface ------------------------------------------------------------------------------- */

/* Before WDDM 2.0 no query has the index of a physical adapter. */
static enum vidmm_status query_link(const struct question *question,
                                    const struct adapter_facts *facts) {
    bool serves =
        facts->linked == 1 || (facts->linked <= LINKED_MAX &&
                               facts->interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0);
    if (serves)
        return VIDMM_OK;
    *question->error = (struct vidmm_error){
        .status = VIDMM_BAD_ARGUMENT,
        .call = "vidmm_adapter_config.linked",
        .expected = "one adapter, or up to four linked ones whose driver is of WDDM 2.0 or later",
        .page = "linked-display-adapter",
        .index = UINT32_MAX,
        .value = facts->linked};
    return VIDMM_BAD_ARGUMENT;
}

static enum vidmm_status query_all(const struct query_context *context, struct adapter_facts *facts,
                                   struct vidmm_error *error) {
    const struct question question = {context, error, "DriverEntry"};
    facts->registered_version = facts->interface_version = context->ddi->Version;
    facts->linked = context->linked ? context->linked : 1;
    if (!vidmm_interface(facts->registered_version))
        return query_refuse(&question,
                            &(struct complaint){.field = "DRIVER_INITIALIZATION_DATA.Version",
                                                .expected = "a released DXGKDDI_INTERFACE_VERSION",
                                                .page = "ns-dispmprt-_driver_initialization_data",
                                                .value = facts->registered_version});
    if (!context->ddi->DxgkDdiQueryAdapterInfo)
        return query_refuse(
            &question,
            &(struct complaint){.field = "DRIVER_INITIALIZATION_DATA.DxgkDdiQueryAdapterInfo",
                                .expected = "a function",
                                .rule = "R30",
                                .page = "nc-d3dkmddi-dxgkddi_queryadapterinfo"});
    enum vidmm_status status = query_link(&question, facts);
    if (status == VIDMM_OK)
        status = query_caps(context, facts, error);
    if (status == VIDMM_OK)
        status = query_link(&question, facts); /* by what caps say, too */
    for (uint32_t i = 0; status == VIDMM_OK && i < facts->linked; i++)
        status = query_segments(context, facts, i, error);
    for (uint32_t i = 0; status == VIDMM_OK && i < facts->linked; i++)
        status = query_mmu(context, facts, i, error);
    return status == VIDMM_OK ? query_dirty(context, facts, error) : status;
}

enum vidmm_status query_adapter(const struct query_context *context, struct adapter_facts *facts,
                                struct vidmm_error *error) {
    struct vidmm_error unwanted = {.nt = STATUS_SUCCESS}, *why = error ? error : &unwanted;
    memset(facts, 0, sizeof(*facts));
    enum vidmm_status status = query_all(context, facts, why);
    if (status != VIDMM_OK) {
        if (why->nt != STATUS_SUCCESS && facts->caps_known && facts->linked == 1)
            query_rest(context, facts, why);
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
        os->free(os->ctx, facts->segments, facts->segment_room * sizeof(*facts->segments));
    memset(facts, 0, sizeof(*facts));
}
