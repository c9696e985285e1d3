/*
 * descriptor.h - one segment descriptor of the driver, in whichever version, and the rules that it
 * must keep.
 */
#ifndef VIDMM_MANAGER_DESCRIPTOR_H
#define VIDMM_MANAGER_DESCRIPTOR_H

#include <vidmm/segment_queries.h>

#include "reported/ask.h"

/* The descriptor versions; also the rows of the names used in errors. */
enum descriptor_version {
#define QUERY(version, suffix, since, strided) DESCRIPTOR_##version,
    VIDMM_SEGMENT_QUERIES(QUERY)
#undef QUERY
        DESCRIPTOR_VERSIONS
};

/* What all versions say, with 0 for what one does not have. */
struct descriptor {
    DXGK_SEGMENTFLAGS flags;
    uint64_t base, size, commit_limit;
    uint64_t cpu_base;           /* the union read as CpuTranslatedAddress */
    uint64_t host_aperture_base; /* the union read as CpuHostAperture */
    uint32_t host_aperture_pages;
    uint64_t system_memory_end;
    uint64_t reserved;
    uint32_t banks;
    const SIZE_T *bank_ends;
    uint32_t invalid_ranges;
    uint64_t vpr_start, vpr_size;
    uint32_t vpr_alignment, vpr_reserve;
};

enum descriptor_version descriptor_version_of(uint32_t interface_version);
/* Reads one array element. */
void descriptor_read(struct descriptor *descriptor, enum descriptor_version version,
                     const void *element);
/*
 * Judges a descriptor by itself and fills in `segment` up to vpr; bank_ends is allocated. The id is
 * set by the caller; relations between segments are the caller's.
 */
enum vidmm_status descriptor_accept(const struct question *question,
                                    enum descriptor_version version, uint32_t interface_version,
                                    bool compute_only, const struct descriptor *descriptor,
                                    struct segment *segment);

#endif
