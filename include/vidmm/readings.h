/*
 * readings.h - the readings of the public pages that manager, referee and conformance check take
 * where pages contradict each other or systems differ. All zero: the default readings.
 * docs/readings.md has the reasons, and the readings without an option.
 */
#ifndef VIDMM_READINGS_H
#define VIDMM_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vidmm_readings {
    /* transfer-offset: 0 "segment": TransferOffset counts on the segment side, MdlOffset on the MDL
     * side; 1 "both": the MDL side starts at MdlOffset + TransferOffset / 4096. */
    uint8_t transfer_offset;
    /* paging-segment: 0 "zero-is-memory": PagingBufferSegmentId 0 is contiguous system memory;
     * 1 "aperture": it must name an aperture segment. */
    uint8_t paging_segment;
    /* hibernate-end: 0 "last-byte": an allocation that ends at or before SystemMemoryEndAddress is
     * kept; 1 "first-byte": one that begins there is. */
    uint8_t hibernate_end;
    /* commit-limit: 0 "aperture-only": version 4 memory segments may leave CommitLimit 0;
     * 1 "equals-size": it must equal Size there too. */
    uint8_t commit_limit;
    /* paging-patch: 0 "yes": DxgkDdiPatch is called for paging buffers; 1 "no". */
    uint8_t paging_patch;
    /* first-call: 0 "null": the first call of QUERYSEGMENT4 has no array; 1 "count-only": it has
     * one; only NbSegment is 0. */
    uint8_t first_call;
    /* insufficient: 0 "keeps": what was written before INSUFFICIENT_DMA_BUFFER is submitted; 1
     * "drops": after other operations it is not; the operation starts again in the next one. */
    uint8_t insufficient;
    /* system-segment: 0 "zero": system memory is segment 0 everywhere; 1 "count-plus-one": the
     * driver's page tables name it NbSegment + 1. */
    uint8_t system_segment;
    /* dma-patch: 0 "always": DxgkDdiPatch is called for each DMA buffer with patch locations; 1
     * "when-moved": not for one whose allocations are where they were when it was built. */
    uint8_t dma_patch;
    /* fence-ids: 0 "increase": fence ids only go up; 1 "wrap": 0 comes behind 2^32 - 1. */
    uint8_t fence_ids;
};

/* "transfer-offset=both" into `readings`; false: no such name or value (`readings` unchanged). */
bool vidmm_reading_parse(const char *text, struct vidmm_readings *readings);
/* The index-th reading that can be chosen: its name, the words of its values in order, NULL after
 * the last; NULL when there are no more. `rule`: the rule it belongs to, 0: none. */
struct vidmm_reading_choice {
    const char *name;
    const char *value[3];
    uint32_t rule;
    const char *meaning[3];
    const char *idle; /* why it has no effect yet; NULL: it has */
};
/* See struct vidmm_reading_choice. A static structure. Any thread. */
const struct vidmm_reading_choice *vidmm_reading_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
