/*
 * segment_query.h - the two calls of the segment query: the first asks how many segments there are,
 * the second fills an array of that many descriptors (initializing-use-of-memory-segments.md).
 *
 * query.c makes segments of what the driver answered.
 */
#ifndef VIDMM_MANAGER_SEGMENT_QUERY_H
#define VIDMM_MANAGER_SEGMENT_QUERY_H

#include "reported/ask.h"
#include "reported/descriptor.h"

/* How each version asks, and how its structures are called. */
struct dialect {
    DXGK_QUERYADAPTERINFOTYPE type;
    uint32_t query_version;
    bool strided;
    uint32_t out_size, element, stride; /* bytes */
    const char *name, *call, *page;
    const char *count, *array, *paging_segment, *paging_size, *paging_private;
};

/* One segment query from first call to finished segments. */
struct survey {
    struct question question;
    enum descriptor_version version;
    const struct dialect *dialect;
    struct adapter_facts *facts;
    uint32_t index; /* of the physical adapter that is asked */
    uint32_t count;
    uint8_t *array; /* `count` elements by stride, then a canary */
    size_t array_size;
};

/* Makes both calls: the array of descriptors, and the paging buffer's part of `facts`, of physical
 * adapter `index`. */
enum vidmm_status survey_begin(struct survey *survey, const struct query_context *context,
                               struct adapter_facts *facts, uint32_t index,
                               struct vidmm_error *error);
/* The first call alone. */
bool survey_is_answered(const struct query_context *context, struct adapter_facts *facts);
/* "QUERYSEGMENT4", of the version that is spoken. */
const char *survey_name(const struct adapter_facts *facts);
/* Frees the array; also after a failure. */
void survey_end(struct survey *survey);
/* Refuses what the driver said in `field` of the structure of its version. */
enum vidmm_status survey_wrong(const struct survey *survey, const char *field, const char *expected,
                               const char *rule, uint64_t value);

#endif
