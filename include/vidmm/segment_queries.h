/*
 * segment_queries.h - the table of the segment queries of DxgkDdiQueryAdapterInfo, one row a
 * version.
 *
 * The manager uses the newest one of the driver's interface version; the referee judges all. Both
 * read the descriptors with a function of their own for each version. docs/changing-it.md says what
 * a new version touches.
 *
 * Columns:
 *
 *   version  the number in reports, and of the functions that read a descriptor (read_<version>)
 *   suffix   of DXGKQAITYPE_QUERYSEGMENT, DXGK_QUERYSEGMENTOUT and DXGK_SEGMENTDESCRIPTOR
 *   since    DXGKDDI_INTERFACE_VERSION_<since>
 *   strided  1: descriptors lie SegmentDescriptorStride bytes apart, NbSegment 0 tells the first
 *            call, and the question names a physical adapter (DXGK_QUERYSEGMENTIN4). 0: an array of
 *            the structure, NULL in the first call, and the question has the AGP aperture
 *
 * The rows are in the order of versions: add at the end. Version 2 was never documented.
 */
#ifndef VIDMM_SEGMENT_QUERIES_H
#define VIDMM_SEGMENT_QUERIES_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define VIDMM_SEGMENT_QUERIES(QUERY)        \
    /*    version suffix since    strided */ \
    QUERY(1,      ,      VISTA,   0)        \
    QUERY(3,      3,     WIN8,    0)        \
    QUERY(4,      4,     WDDM2_0, 1)
/* clang-format on */

/* "DXGKQAITYPE_QUERYSEGMENT4" of version 4; NULL: there is no such version. */
static inline const char *vidmm_segment_query_name(uint32_t version) {
    switch (version) {
#define QUERY_NAME(number, suffix, since, strided)                                                 \
    case number:                                                                                   \
        return "DXGKQAITYPE_QUERYSEGMENT" #suffix;
        VIDMM_SEGMENT_QUERIES(QUERY_NAME)
#undef QUERY_NAME
    default:
        return NULL;
    }
}

#endif
