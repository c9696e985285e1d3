/*
 * query_segments.c - the segment query of WDDM 2.0, twice to the started driver: number and types of
 * the segments stay as they are (using-memory-segments-to-describe-the-gpu-address-space.md). The
 * referee judges the answers.
 */
#include "stage.h"

#include <stdlib.h>

#define SEGMENTS_MAX 31u

NTSTATUS check_ask_segments(struct check *check, DXGK_QUERYSEGMENTOUT4 *out) {
    DXGK_QUERYSEGMENTIN4 in = {.PhysicalAdapterIndex = 0};
    DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_QUERYSEGMENT4,
                                      .pInputData = &in,
                                      .InputDataSize = sizeof(in),
                                      .pOutputData = out,
                                      .OutputDataSize = sizeof(*out)};
    return check->harness.spoken.DxgkDdiQueryAdapterInfo(vidmm_host_adapter(check->harness.host),
                                                         &query);
}

/* Both calls, how many and which. */
static void segments_ask_both(struct check *check) {
    DXGK_QUERYSEGMENTOUT4 out = {.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4)};
    if (check_ask_segments(check, &out) != STATUS_SUCCESS || out.NbSegment == 0 ||
        out.NbSegment > SEGMENTS_MAX)
        return;
    BYTE *array = check_memory(check, out.NbSegment * sizeof(DXGK_SEGMENTDESCRIPTOR4));
    out.pSegmentDescriptor = array;
    if (array)
        (void)check_ask_segments(check, &out);
    free(array);
}

void query_segments(struct check *check) {
    if (check->harness.spoken.Version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return;
    check_step(check, "query: segments");
    segments_ask_both(check);
    check_step(check, "query: segments again");
    segments_ask_both(check);
}
