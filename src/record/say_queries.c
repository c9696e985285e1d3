/*
 * say_queries.c - what DxgkDdiQueryAdapterInfo is asked for, and what a driver answers about
 * capabilities and segments; DxgkDdiGetNodeMetadata.
 */
#include "fields.h"

#define TYPE(name) [DXGKQAITYPE_##name] = #name

static const char *const types[] = {
    TYPE(UMDRIVERPRIVATE),
    TYPE(DRIVERCAPS),
    TYPE(QUERYSEGMENT),
    TYPE(ALLOCATIONGROUP),
    TYPE(QUERYSEGMENT2),
    TYPE(QUERYSEGMENT3),
    TYPE(NUMPOWERCOMPONENTS),
    TYPE(POWERCOMPONENTINFO),
    TYPE(PREFERREDGPUNODE),
    TYPE(POWERCOMPONENTPSTATEINFO),
    TYPE(HISTORYBUFFERPRECISION),
    TYPE(QUERYSEGMENT4),
    TYPE(SEGMENTMEMORYSTATE),
    TYPE(GPUMMUCAPS),
    TYPE(PAGETABLELEVELDESC),
    TYPE(PHYSICALADAPTERCAPS),
    TYPE(DISPLAY_DRIVERCAPS_EXTENSION),
    TYPE(INTEGRATED_DISPLAY_DESCRIPTOR),
    TYPE(UEFIFRAMEBUFFERRANGES),
    TYPE(QUERYCOLORIMETRYOVERRIDES),
    TYPE(DISPLAYID_DESCRIPTOR),
    TYPE(FRAMEBUFFERSAVESIZE),
    TYPE(HARDWARERESERVEDRANGES),
    TYPE(INTEGRATED_DISPLAY_DESCRIPTOR2),
    TYPE(NODEPERFDATA),
    TYPE(ADAPTERPERFDATA),
    TYPE(ADAPTERPERFDATA_CAPS),
    TYPE(GPUVERSION),
    TYPE(DEVICE_TYPE_CAPS),
    TYPE(WDDMDEVICECAPS),
    TYPE(GPUPCAPS),
    TYPE(QUERYTARGETGAMMACAPS),
    TYPE(SCANOUT_CAPS),
    TYPE(PHYSICAL_MEMORY_CAPS),
    TYPE(IOMMU_CAPS),
    TYPE(HARDWARERESERVEDRANGES2),
    TYPE(NATIVE_FENCE_CAPS),
    TYPE(USERMODESUBMISSION_CAPS),
    TYPE(DIRTYBITTRACKINGCAPS),
    TYPE(DIRTYBITTRACKINGSEGMENTCAPS),
    TYPE(SCATTER_RESERVE),
    TYPE(QUERYPAGINGBUFFERINFO),
    TYPE(QUERYSEGMENTCOUNT),
    TYPE(QUERYSEGMENT5),
    TYPE(QUERYMMUCOUNT),
    TYPE(QUERYMMUS),
    TYPE(64BITONLYCAPS),
    TYPE(PAGINGPROCESSGPUVASIZE),
};

static void say_query(const struct fields *f, const void *args) {
    const DXGKARG_QUERYADAPTERINFO *a = args;
    uint32_t type = (uint32_t)a->Type;
    const char *name = type < sizeof(types) / sizeof(types[0]) ? types[type] : NULL;
    if (name)
        field_text(f, "Type", name);
    else
        NUMBER(Type);
    NUMBER(InputDataSize);
    NUMBER(OutputDataSize);
}

/* ---- Segments -------------------------------------------------------------------------------- */

#define SAY_SEGMENT(a)                                                                             \
    do {                                                                                           \
        field_begin(f, NULL, false);                                                               \
        field_hex(f, "BaseAddress", (uint64_t)(a)->BaseAddress.QuadPart);                          \
        field_hex(f, "CpuTranslatedAddress", (uint64_t)(a)->CpuTranslatedAddress.QuadPart);        \
        field_number(f, "Size", (a)->Size);                                                        \
        field_number(f, "CommitLimit", (a)->CommitLimit);                                          \
        field_hex(f, "Flags", (a)->Flags.Value);                                                   \
        field_end(f);                                                                              \
    } while (0)

/* What the outputs of all segment queries have, but for how they lead to the descriptors. The first query is for the
 * count alone: the driver accesses no other member (ns-d3dkmddi-_dxgk_querysegmentout4.md). */
#define SAY_PAGING_BUFFER(a)                                                                       \
    do {                                                                                           \
        field_number(f, "NbSegment", (a)->NbSegment);                                              \
        if (f->call->kept[0] == 0)                                                                 \
            return;                                                                                \
        field_number(f, "PagingBufferSegmentId", (a)->PagingBufferSegmentId);                      \
        field_number(f, "PagingBufferSize", (a)->PagingBufferSize);                                \
        field_number(f, "PagingBufferPrivateDataSize", (a)->PagingBufferPrivateDataSize);          \
    } while (0)

/* Of what the driver says is there, what the system gave room for. */
static uint32_t say_list_segments(const struct fields *f, const void *list, uint32_t count) {
    uint64_t room = f->call->kept[0] == (uintptr_t)list && list ? f->call->kept[1] : 0;
    return field_list(f, "Segments", count < room ? count : room);
}

static void say_segments(const struct fields *f, const DXGK_QUERYSEGMENTOUT *a) {
    SAY_PAGING_BUFFER(a);
    uint32_t told = say_list_segments(f, a->pSegmentDescriptor, a->NbSegment);
    for (uint32_t i = 0; i < told; i++)
        SAY_SEGMENT(&a->pSegmentDescriptor[i]);
    field_end(f);
}

static void say_segments3(const struct fields *f, const DXGK_QUERYSEGMENTOUT3 *a) {
    SAY_PAGING_BUFFER(a);
    uint32_t told = say_list_segments(f, a->pSegmentDescriptor, a->NbSegment);
    for (uint32_t i = 0; i < told; i++)
        SAY_SEGMENT(&a->pSegmentDescriptor[i]);
    field_end(f);
}

/* The descriptors are as far from each other as the driver says, behind each other as far as can be
 * known here. */
static void say_segments4(const struct fields *f, const DXGK_QUERYSEGMENTOUT4 *a) {
    bool whole = a->SegmentDescriptorStride == sizeof(DXGK_SEGMENTDESCRIPTOR4);
    SAY_PAGING_BUFFER(a);
    NUMBER(SegmentDescriptorStride);
    uint32_t told = say_list_segments(f, whole ? a->pSegmentDescriptor : NULL, a->NbSegment);
    for (uint32_t i = 0; i < told; i++)
        SAY_SEGMENT((const DXGK_SEGMENTDESCRIPTOR4 *)(const void *)a->pSegmentDescriptor + i);
    field_end(f);
}

/* The outputs of all segment queries begin alike. */
static void say_keep_segments(struct vidmm_host_call *call) {
    const DXGKARG_QUERYADAPTERINFO *a = call->args;
    const DXGK_QUERYSEGMENTOUT *output = a->pOutputData;
    bool segments = a->Type == DXGKQAITYPE_QUERYSEGMENT || a->Type == DXGKQAITYPE_QUERYSEGMENT3 ||
                    a->Type == DXGKQAITYPE_QUERYSEGMENT4;
    if (!segments || !output || a->OutputDataSize < sizeof(*output))
        return;
    call->kept[0] = (uintptr_t)output->pSegmentDescriptor;
    call->kept[1] = output->NbSegment;
}

/* ---- Capabilities ---------------------------------------------------------------------------- */

static void say_caps(const struct fields *f, const DXGK_DRIVERCAPS *a) {
    ADDRESS(HighestAcceptableAddress);
    NUMBER(MaxAllocationListSlotId);
    NUMBER(ApertureSegmentCommitLimit);
    NUMBER(InterruptMessageNumber);
    NUMBER(NumberOfSwizzlingRanges);
    FLAGS(SchedulingCaps);
    FLAGS(MemoryManagementCaps);
    NUMBER(GpuEngineTopology.NbAsymetricProcessingNodes);
}

/* Members that older systems do not ask for are behind the end of a short answer. */
static void say_version(const struct fields *f, const DXGK_DRIVERCAPS *a, uint32_t size) {
    if (size >= offsetof(DXGK_DRIVERCAPS, WDDMVersion) + sizeof(a->WDDMVersion))
        HEX(WDDMVersion);
}

static void say_query_answer(const struct fields *f, const void *args) {
    const DXGKARG_QUERYADAPTERINFO *a = args;
    const void *output = a->pOutputData;
    uint32_t size = a->OutputDataSize;
    if (!f->succeeded || !output)
        return;
    if (a->Type == DXGKQAITYPE_DRIVERCAPS && size >= offsetof(DXGK_DRIVERCAPS, WDDMVersion)) {
        say_caps(f, output);
        say_version(f, output, size);
    } else if (a->Type == DXGKQAITYPE_QUERYSEGMENT && size >= sizeof(DXGK_QUERYSEGMENTOUT)) {
        say_segments(f, output);
    } else if (a->Type == DXGKQAITYPE_QUERYSEGMENT3 && size >= sizeof(DXGK_QUERYSEGMENTOUT3)) {
        say_segments3(f, output);
    } else if (a->Type == DXGKQAITYPE_QUERYSEGMENT4 && size >= sizeof(DXGK_QUERYSEGMENTOUT4)) {
        say_segments4(f, output);
    }
}

static void say_node_answer(const struct fields *f, const void *args) {
    const DXGKARG_GETNODEMETADATA *a = args;
    if (f->succeeded)
        NUMBER(EngineType);
}

const struct said said_queries[] = {
    {.name = "DxgkDdiQueryAdapterInfo",
     .arguments = say_query,
     .answers = say_query_answer,
     .keep = say_keep_segments},
    {.name = "DxgkDdiGetNodeMetadata", .answers = say_node_answer, .others = {"NodeOrdinal"}},
    {.name = NULL},
};
