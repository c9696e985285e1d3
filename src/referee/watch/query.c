/*
 * query.c - watches DxgkDdiQueryAdapterInfo: what every query has in common. The driver gets a
 * guarded copy of the manager's buffer; the kind of the query selects the judge of the content, see
 * watch/query.h. Also judges the driver's table itself.
 */
#include "watch/query.h"

#include <stdio.h>
#include <string.h>

#include <vidmm/interfaces.h>
#include <vidmm/segment_queries.h>

#include "state/world.h"
#include "watch/dirty.h"
#include "watch/watch.h"

#define OUTPUT_MAX (1u << 20)

static const char *query_name_of(DXGK_QUERYADAPTERINFOTYPE type) {
    static const char *const names[] = {
        [DXGKQAITYPE_UMDRIVERPRIVATE] = "UMDRIVERPRIVATE",
        [DXGKQAITYPE_DRIVERCAPS] = "DRIVERCAPS",
#define QUERY(version, suffix, since, strided)                                                     \
    [DXGKQAITYPE_QUERYSEGMENT##suffix] = "QUERYSEGMENT" #suffix,
        VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
            [DXGKQAITYPE_QUERYSEGMENT2] = "QUERYSEGMENT2",
        [DXGKQAITYPE_HISTORYBUFFERPRECISION] = "HISTORYBUFFERPRECISION",
        [DXGKQAITYPE_SEGMENTMEMORYSTATE] = "SEGMENTMEMORYSTATE",
        [DXGKQAITYPE_GPUMMUCAPS] = "GPUMMUCAPS",
        [DXGKQAITYPE_PAGETABLELEVELDESC] = "PAGETABLELEVELDESC",
        [DXGKQAITYPE_PHYSICALADAPTERCAPS] = "PHYSICALADAPTERCAPS",
        [DXGKQAITYPE_PHYSICAL_MEMORY_CAPS] = "PHYSICAL_MEMORY_CAPS",
        [DXGKQAITYPE_IOMMU_CAPS] = "IOMMU_CAPS",
    };
    uint32_t index = (uint32_t)type;
    return index < sizeof(names) / sizeof(*names) ? names[index] : NULL;
}

/* "GPUMMUCAPS", or "type 77". */
#define QUERY_NAME 32u
static const char *query_named(DXGK_QUERYADAPTERINFOTYPE type, char text[QUERY_NAME]) {
    const char *name = query_name_of(type);
    if (name)
        return name;
    snprintf(text, QUERY_NAME, "type %u", (unsigned)type);
    return text;
}

/* ---- Judging what all queries share ---------------------------------------------------------- */

#define LAST_TYPE ((uint32_t)DXGKQAITYPE_PAGINGPROCESSGPUVASIZE)

/* Systems pass as many bytes as the version of the driver's table has: what becomes of fewer, they
 * never learn. */
static bool caps_cut(const struct vidmm_referee *referee, const struct query *query) {
    return query->args->Type == DXGKQAITYPE_DRIVERCAPS &&
           query->args->OutputDataSize <
               vidmm_interface_caps_size(referee->adapter.registered_version);
}

/* nc-d3dkmddi-dxgkddi_queryadapterinfo lists the answers; pages of some types add their own. */
static bool query_status_allowed(const struct vidmm_referee *referee, const struct query *query) {
    DXGK_QUERYADAPTERINFOTYPE type = query->args->Type;
    NTSTATUS status = query->status;
    switch (status) {
    case STATUS_SUCCESS:
    case STATUS_INVALID_PARAMETER:
    case STATUS_NO_MEMORY:
    case STATUS_GRAPHICS_DRIVER_MISMATCH:
        return true;
    default:
        break;
    }
    switch (type) {
    case DXGKQAITYPE_DRIVERCAPS: /* as samples have it */
        return status == STATUS_BUFFER_TOO_SMALL && caps_cut(referee, query);
    case DXGKQAITYPE_UMDRIVERPRIVATE: /* between the two halves of the driver, also its size */
    case DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR:
    case DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2:
    case DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES:
    case DXGKQAITYPE_DISPLAYID_DESCRIPTOR:
        return true;
    case DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS:
        return status == STATUS_NOT_IMPLEMENTED;
    default: /* a type that the driver cannot know has no page */
        return status == STATUS_NOT_SUPPORTED && (uint32_t)type > LAST_TYPE;
    }
}

static void query_judge_status(struct vidmm_referee *referee, const struct query *query) {
    DXGK_QUERYADAPTERINFOTYPE type = query->args->Type;
    NTSTATUS status = query->status;
    char name[QUERY_NAME];
    bool unanswered = type == DXGKQAITYPE_PHYSICALADAPTERCAPS && status == STATUS_NOT_SUPPORTED;
    if (type == DXGKQAITYPE_PHYSICALADAPTERCAPS)
        DRIVER_MUST(535, !unanswered, "an answer to PHYSICALADAPTERCAPS", "status 0x%08x",
                    (unsigned)status);
    DRIVER_MUST(27, unanswered || query_status_allowed(referee, query),
                "STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY or "
                "STATUS_GRAPHICS_DRIVER_MISMATCH",
                "answered otherwise: %s with status 0x%08x", query_named(type, name),
                (unsigned)status);
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_2 &&
        !query->args->hKmdProcessHandle)
        DRIVER_MUST(29, status != STATUS_INVALID_HANDLE && status != STATUS_ACCESS_VIOLATION,
                    "an answer to a question without a process: hKmdProcessHandle may be NULL",
                    "hKmdProcessHandle NULL was answered with status 0x%08x", (unsigned)status);
}

/* The segment query of the driver's version, which systems ask. */
static bool query_is_newest(const struct vidmm_referee *referee, const struct query *query) {
    uint32_t newest = 0;
#define QUERY(number, suffix, since, strided)                                                      \
    if (referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_##since)                             \
        newest = number;
    VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
    return query->version == newest;
}

/* R625: the questions without whose answers a system has no adapter, as far as no other rule is about a
 * refusal: R5 and R7 for segments, R505 for levels of page tables, R22 and R23 for compute-only drivers. */
static bool query_is_needed(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_DRIVERCAPS *caps = &referee->adapter.caps;
    bool manages = referee->real.DxgkDdiBuildPagingBuffer && !caps->MiscCaps.ComputeOnly;
    if (query->kind == QUERY_COUNT)
        return manages && query->fair && query->addressed && query->version < 4 &&
               query_is_newest(referee, query);
    switch (query->args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        return !caps_cut(referee, query);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
        return referee->adapter.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 &&
               linked_knows_asked(referee, query);
    case DXGKQAITYPE_GPUMMUCAPS:
        return manages && caps->MemoryManagementCaps.GpuMmuSupported &&
               linked_knows_asked(referee, query);
    default:
        return false;
    }
}

static void query_judge_refusal(struct vidmm_referee *referee, const struct query *query) {
    char name[QUERY_NAME];
    bool excused = query->status == STATUS_NO_MEMORY && world_starved(referee);
    if (query_is_needed(referee, query) && query_status_allowed(referee, query) && !excused)
        DRIVER_MUST(625, query->status == STATUS_SUCCESS, "an answer that a system starts with",
                    "refused: %s with status 0x%08x", query_named(query->args->Type, name),
                    (unsigned)query->status);
}

/* mcdm-implementation-guidelines.md: what a compute-only driver answers, and what it does not. */
static void query_judge_compute_only(struct vidmm_referee *referee, const struct query *query) {
    const DXGK_DRIVERCAPS *caps = &referee->adapter.caps;
    bool success = query->status == STATUS_SUCCESS;
    uint32_t type = (uint32_t)query->args->Type;
    if (!caps->MiscCaps.ComputeOnly)
        return;
    if (type == DXGKQAITYPE_QUERYSEGMENT || type == DXGKQAITYPE_QUERYSEGMENT2 ||
        type == DXGKQAITYPE_QUERYSEGMENT3)
        DRIVER_MUST(22, !success, "no answer to the old segment queries from a compute-only driver",
                    "query type %u was answered with success", type);
    if (type == DXGKQAITYPE_QUERYSEGMENT4)
        DRIVER_MUST(22, success, "an answer to QUERYSEGMENT4 from a compute-only driver",
                    "QUERYSEGMENT4 was answered with status 0x%08x", (unsigned)query->status);
    if (caps->MemoryManagementCaps.GpuMmuSupported &&
        (type == DXGKQAITYPE_GPUMMUCAPS || type == DXGKQAITYPE_PAGETABLELEVELDESC))
        DRIVER_MUST(23, success, "GPUMMUCAPS and PAGETABLELEVELDESC, with GpuMmuSupported",
                    "query type %u was answered with status 0x%08x", type, (unsigned)query->status);
    if (query->kind == QUERY_RANGES && query->fair)
        DRIVER_MUST(24, success, "the memory ranges that the driver announced itself",
                    "SEGMENTMEMORYSTATE was answered with status 0x%08x", (unsigned)query->status);
}

/* ns-d3dkmddi-_dxgkarg_historybufferprecision.md: of each node. */
static void query_judge_precision(struct vidmm_referee *referee, const struct query *query) {
    const DXGKARG_HISTORYBUFFERPRECISION *answer = query->passed.pOutputData;
    uint32_t count = query->args->OutputDataSize / (uint32_t)sizeof(*answer);
    if (query->args->Type != DXGKQAITYPE_HISTORYBUFFERPRECISION ||
        query->status != STATUS_SUCCESS || !query->out.block)
        return;
    for (uint32_t i = 0; i < count; i++) {
        UINT bits = answer[i].PrecisionBits;
        DRIVER_MUST(609, bits == 0 || (bits >= 32 && bits <= 64), "0, or 32 to 64",
                    "PrecisionBits of node %u is %u", i, bits);
    }
}

/* Bytes around the caller's buffer belong to the rule about what the driver fills in there. */
static void query_judge_output(struct vidmm_referee *referee, const struct query *query) {
    int64_t at = 0;
    bool whole = guard_whole(&query->out, &at);
    uint32_t size = query->args->OutputDataSize;
    if (query->kind == QUERY_COUNT && query->version != 4)
        DRIVER_MUST(3, whole, "nothing but NbSegment written by the first call",
                    "byte %lld of the %u bytes at pOutputData was written", (long long)at, size);
    else if (query->kind == QUERY_COUNT)
        DRIVER_MUST(5, whole, "nothing but NbSegment written by the first call",
                    "byte %lld of the %u bytes at pOutputData was written", (long long)at, size);
    else if (query->kind == QUERY_FILL)
        DRIVER_MUST(10, whole, "the OUT structure filled in, and nothing around it",
                    "byte %lld of the %u bytes at pOutputData was written", (long long)at, size);
    else if (!caps_cut(referee, query))
        DRIVER_MUST(545, whole, "an answer of no more than OutputDataSize bytes",
                    "byte %lld of the %u bytes at pOutputData was written", (long long)at, size);
}

/* ---- The call -------------------------------------------------------------------------------- */

static void query_begin(struct vidmm_referee *referee, struct query *query,
                        const DXGKARG_QUERYADAPTERINFO *args) {
    memset(query, 0, sizeof(*query));
    query->args = args;
    query->passed = *args;
    linked_judge_query(referee, query);
    if (args->OutputDataSize <= OUTPUT_MAX) {
        guard_make(referee, &query->out, args->pOutputData, args->OutputDataSize);
        query->passed.pOutputData = query->out.bytes;
        segment_ask(referee, query);
        ranges_ask(referee, query);
    }
}

static void query_end(struct vidmm_referee *referee, struct query *query) {
    query_judge_status(referee, query);
    query_judge_refusal(referee, query);
    query_judge_compute_only(referee, query);
    query_judge_output(referee, query);
    query_judge_precision(referee, query);
    segment_answer(referee, query);
    ranges_answer(referee, query);
    linked_judge_answer(referee, query);
    if (query->kind == QUERY_OTHER)
        caps_answer(referee, query);
    dirty_query_answered(referee, query);
    guard_give(&query->out, 0, query->out.size);
    guard_give(&query->array, 0, query->array.size);
    guard_free(referee, &query->out);
    guard_free(referee, &query->array);
}

static NTSTATUS watch_QueryAdapterInfo(struct vidmm_referee *referee, const HANDLE adapter,
                                       const DXGKARG_QUERYADAPTERINFO *args) {
    struct referee_call call;
    struct query query;
    char text[96], name[QUERY_NAME];
    snprintf(text, sizeof(text), "DxgkDdiQueryAdapterInfo(%s)", query_named(args->Type, name));
    referee_enter(referee, &call, text, REFEREE_ALONE);
    query_begin(referee, &query, args);
    if (query.kind == QUERY_COUNT)
        referee_gives_null(&call, query.version == 4 ? 5 : 3, "pSegmentDescriptor");
    referee_leave(referee);
    query.status = referee->real.DxgkDdiQueryAdapterInfo(adapter, &query.passed);
    referee_return(referee);
    query_end(referee, &query);
    referee_exit(referee, &call);
    return query.status;
}
WATCHED_2(NTSTATUS, QueryAdapterInfo, const HANDLE, const DXGKARG_QUERYADAPTERINFO *)

void referee_watch_query(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    segment_begin(referee);
    caps_begin(referee);
    WATCH(table, QueryAdapterInfo);
}
