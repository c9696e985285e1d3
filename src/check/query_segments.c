/*
 * query_segments.c - the segment query of WDDM 2.0, twice to the started driver: number and types of
 * the segments stay as they are (using-memory-segments-to-describe-the-gpu-address-space.md); and with the
 * stride of the oldest system that loads the driver, whose descriptors end where those of its version do.
 * The referee judges the answers.
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
static void segments_ask_both(struct check *check, SIZE_T stride) {
    DXGK_QUERYSEGMENTOUT4 out = {.SegmentDescriptorStride = stride};
    if (check_ask_segments(check, &out) != STATUS_SUCCESS || out.NbSegment == 0 ||
        out.NbSegment > SEGMENTS_MAX)
        return;
    BYTE *array = check_memory(check, out.NbSegment * stride);
    out.pSegmentDescriptor = array;
    if (array)
        (void)check_ask_segments(check, &out);
    free(array);
}

/* Where the descriptor of the driver's interface version ends. */
static SIZE_T segments_least_stride(const struct check *check) {
    return check->shared->told.registered_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_1
               ? sizeof(DXGK_SEGMENTDESCRIPTOR4)
               : offsetof(DXGK_SEGMENTDESCRIPTOR4, VprRangeStartOffset);
}

void query_segments(struct check *check) {
    if (check->harness.spoken.Version < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        return;
    check_step(check, "query: segments");
    segments_ask_both(check, sizeof(DXGK_SEGMENTDESCRIPTOR4));
    check_step(check, "query: segments with a stride of %zu bytes",
               (size_t)segments_least_stride(check));
    segments_ask_both(check, segments_least_stride(check));
}
