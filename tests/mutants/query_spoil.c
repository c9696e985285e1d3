/*
 * query_spoil.c - see query_spoil.h.
 */
#include "query_spoil.h"

struct query_spoiling query_spoil, query_scene;

unsigned query_version(DXGK_QUERYADAPTERINFOTYPE type) {
    return type == DXGKQAITYPE_QUERYSEGMENT    ? 1u
           : type == DXGKQAITYPE_QUERYSEGMENT3 ? 3u
           : type == DXGKQAITYPE_QUERYSEGMENT4 ? 4u
                                               : 0u;
}

static void APIENTRY find_1(struct query_descriptor *d, DXGK_SEGMENTDESCRIPTOR *at) {
    *d = (struct query_descriptor){.flags = &at->Flags,
                                   .base = &at->BaseAddress,
                                   .cpu = &at->CpuTranslatedAddress,
                                   .size = &at->Size,
                                   .commit = &at->CommitLimit,
                                   .banks = &at->NbOfBanks,
                                   .bank_ends = &at->pBankRangeTable};
}

static void APIENTRY find_3(struct query_descriptor *d, DXGK_SEGMENTDESCRIPTOR3 *at) {
    *d = (struct query_descriptor){.flags = &at->Flags,
                                   .base = &at->BaseAddress,
                                   .cpu = &at->CpuTranslatedAddress,
                                   .size = &at->Size,
                                   .commit = &at->CommitLimit,
                                   .end = &at->SystemMemoryEndAddress,
                                   .reserved = &at->Reserved,
                                   .banks = &at->NbOfBanks,
                                   .bank_ends = &at->pBankRangeTable};
}

static void APIENTRY find_4(struct query_descriptor *d, DXGK_SEGMENTDESCRIPTOR4 *at) {
    *d = (struct query_descriptor){.flags = &at->Flags,
                                   .base = &at->BaseAddress,
                                   .cpu = &at->CpuTranslatedAddress,
                                   .size = &at->Size,
                                   .commit = &at->CommitLimit,
                                   .end = &at->SystemMemoryEndAddress,
                                   .invalid = &at->NumInvalidMemoryRanges};
}

static void APIENTRY spoil_descriptors(const struct query_spoiling *by,
                                       const DXGK_QUERYSEGMENTOUT4 *out, unsigned version) {
    for (UINT i = 0; i < out->NbSegment; i++) {
        struct query_descriptor d;
        BYTE *array = out->pSegmentDescriptor;
        if (version == 1)
            find_1(&d, (DXGK_SEGMENTDESCRIPTOR *)(void *)array + i);
        else if (version == 3)
            find_3(&d, (DXGK_SEGMENTDESCRIPTOR3 *)(void *)array + i);
        else
            find_4(&d, (void *)(array + i * out->SegmentDescriptorStride));
        d.id = i + 1;
        by->descriptor(&d);
    }
}

static void APIENTRY spoil_segments(const struct query_spoiling *by,
                                    const DXGKARG_QUERYADAPTERINFO *args, bool first) {
    /* The members before the stride are the same in all versions. */
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (!first && by->descriptor)
        spoil_descriptors(by, out, query_version(args->Type));
    if (by->out)
        by->out(out, first);
}

static NTSTATUS answer(const struct query_spoiling *by, HANDLE adapter,
                       const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_QUERYADAPTERINFO mine = *args;
    const DXGK_QUERYSEGMENTOUT *out = args->pOutputData;
    bool segments = query_version(args->Type) != 0;
    bool first = segments && (out->NbSegment == 0 || !out->pSegmentDescriptor);
    if (by->asked)
        by->asked(&mine);
    NTSTATUS status = by->good(adapter, &mine);
    if (status == STATUS_SUCCESS && segments)
        spoil_segments(by, &mine, first);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_DRIVERCAPS && by->caps)
        by->caps(args->pOutputData);
    if (status == STATUS_SUCCESS && args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS && by->physical)
        by->physical(args->pOutputData);
    return by->status ? by->status(args, status) : status;
}

static NTSTATUS APIENTRY spoiled(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    return answer(&query_spoil, adapter, args);
}

static NTSTATUS APIENTRY staged(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    return answer(&query_scene, adapter, args);
}

void query_install(DRIVER_INITIALIZATION_DATA *table) {
    query_spoil = (struct query_spoiling){.good = table->DxgkDdiQueryAdapterInfo};
    table->DxgkDdiQueryAdapterInfo = spoiled;
}

void query_set_scene(DRIVER_INITIALIZATION_DATA *table) {
    query_scene = (struct query_spoiling){.good = table->DxgkDdiQueryAdapterInfo};
    table->DxgkDdiQueryAdapterInfo = staged;
}

bool query_aperture(const struct query_descriptor *d) {
    return d->flags->Aperture;
}

bool query_memory(const struct query_descriptor *d) {
    return !d->flags->Aperture;
}

void APIENTRY pitch_aligned(struct query_descriptor *d) {
    if (query_memory(d))
        d->flags->PitchAlignment = 1;
}

void APIENTRY announces_range(struct query_descriptor *d) {
    if (query_memory(d))
        *d->invalid = 1;
}

void APIENTRY pitch_in_window(struct query_descriptor *d) {
    if (query_aperture(d))
        d->flags->PitchAlignment = 1;
}

void APIENTRY populated_aperture(struct query_descriptor *d) {
    if (query_aperture(d))
        d->flags->PopulatedFromSystemMemory = 1;
}
