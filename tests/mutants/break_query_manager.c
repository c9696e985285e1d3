/*
 * break_query_manager.c - managers of groups A, B and C: how they ask DxgkDdiQueryAdapterInfo, what
 * they make of the answers, and what they tell applications. What drivers answer is break_query.c's.
 */
#include "query_spoil.h"

/* ---- How managers ask ------------------------------------------------------------------------ */

/* What the manager passes to segment queries, spoiled; put back when the driver answered. */
static struct {
    void(APIENTRY *call)(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first);
    void(APIENTRY *after)(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args, bool first);
} bad_manager;

static NTSTATUS APIENTRY asked_badly(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_QUERYADAPTERINFO mine = *args;
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    unsigned version = query_version(args->Type);
    if (version == 0)
        return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    bool first = out->NbSegment == 0;
    BYTE *array = out->pSegmentDescriptor;
    SIZE_T stride = version == 4 ? out->SegmentDescriptorStride : 0;
    UINT count = out->NbSegment;
    if (bad_manager.call)
        bad_manager.call(&mine, out, first);
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, &mine);
    out->pSegmentDescriptor = array;
    if (version == 4)
        out->SegmentDescriptorStride = stride;
    if (!first)
        out->NbSegment = count;
    if (bad_manager.after)
        bad_manager.after(adapter, args, first);
    return status;
}

#define INSTALL_MANAGER(name, hook)                                                                \
    static void APIENTRY install_##name(DRIVER_INITIALIZATION_DATA *table) {                       \
        memset(&bad_manager, 0, sizeof(bad_manager));                                              \
        bad_manager.hook = name;                                                                   \
        table->DxgkDdiQueryAdapterInfo = asked_badly;                                              \
    }

/* Fill at once: the first call already has an array and a number. */
static DXGK_SEGMENTDESCRIPTOR4 room[8];
static void APIENTRY asks_content_first(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                        bool first) {
    if (!first)
        return;
    out->NbSegment = 2;
    out->pSegmentDescriptor = (BYTE *)room;
    if (query_version(args->Type) == 4)
        out->SegmentDescriptorStride = sizeof(*room);
}
INSTALL_MANAGER(asks_content_first, call)

static void APIENTRY counts_with_array(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                       bool first) {
    (void)args;
    if (first)
        out->pSegmentDescriptor = (BYTE *)room;
}
INSTALL_MANAGER(counts_with_array, call)

static void APIENTRY counts_with_number(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                        bool first) {
    (void)args;
    if (first)
        out->NbSegment = 5;
}
INSTALL_MANAGER(counts_with_number, call)

static void APIENTRY asks_for_fewer(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                    bool first) {
    (void)args;
    if (!first)
        out->NbSegment--;
}
INSTALL_MANAGER(asks_for_fewer, call)

static void APIENTRY short_stride(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                  bool first) {
    (void)args;
    if (!first)
        out->SegmentDescriptorStride = 32;
}
INSTALL_MANAGER(short_stride, call)

static void APIENTRY no_input(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                              bool first) {
    (void)out;
    (void)first;
    args->pInputData = NULL;
    args->InputDataSize = 0;
}
INSTALL_MANAGER(no_input, call)

static void APIENTRY other_adapter(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                   bool first) {
    static DXGK_QUERYSEGMENTIN4 in = {.PhysicalAdapterIndex = 7};
    (void)out;
    (void)first;
    args->pInputData = &in;
}
INSTALL_MANAGER(other_adapter, call)

static void APIENTRY half_an_agp(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                 bool first) {
    static DXGK_QUERYSEGMENTIN in;
    (void)out;
    (void)first;
    in.AgpApertureBase.QuadPart = 0xe0000000;
    args->pInputData = &in;
}
INSTALL_MANAGER(half_an_agp, call)

static void APIENTRY ask_ranges(HANDLE adapter, WORD segment, UINT count) {
    DXGK_MEMORYRANGE ranges[4];
    DXGK_QUERYSEGMENTMEMORYSTATE state;
    DXGKARG_QUERYADAPTERINFO args;
    memset(&state, 0, sizeof(state));
    memset(&args, 0, sizeof(args));
    state.DriverSegmentId = segment;
    state.NumInvalidMemoryRanges = count;
    state.pMemoryRanges = ranges;
    args.Type = DXGKQAITYPE_SEGMENTMEMORYSTATE;
    args.pOutputData = &state;
    args.OutputDataSize = sizeof(state);
    mutants_good.DxgkDdiQueryAdapterInfo(adapter, &args);
}

static void APIENTRY asks_needless_ranges(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args,
                                          bool first) {
    (void)args;
    if (!first)
        ask_ranges(adapter, 1, 0);
}
INSTALL_MANAGER(asks_needless_ranges, after)

static void APIENTRY asks_ranges_of_none(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args,
                                         bool first) {
    (void)args;
    if (!first)
        ask_ranges(adapter, 0, 1);
}
INSTALL_MANAGER(asks_ranges_of_none, after)

/* The driver learns in the first call of an AGP aperture, and in the second that there is none. */
static void APIENTRY forgets_agp(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                                 bool first) {
    static DXGK_QUERYSEGMENTIN none;
    (void)out;
    if (!first)
        args->pInputData = &none;
}
INSTALL_MANAGER(forgets_agp, call)

/* ---- Managers that start what they must not, or do not see what the driver said -------------- */

static void APIENTRY sees_little(DXGK_DRIVERCAPS *caps) {
    caps->HighestAcceptableAddress.QuadPart = (1 << 20) - 1;
}
SCENE(sees_little, caps)

static void APIENTRY sees_everything(DXGK_DRIVERCAPS *caps) {
    caps->HighestAcceptableAddress.QuadPart = INT64_MAX;
}
INSTALL(sees_everything, caps)

static void APIENTRY caches_agp(struct query_descriptor *d) {
    if (d->flags->Agp)
        d->flags->CacheCoherent = 1;
}
SCENE(caches_agp, descriptor)

static void APIENTRY overlooks_agp_flags(struct query_descriptor *d) {
    if (d->flags->Agp)
        d->flags->Value = 2; /* Agp */
}
INSTALL(overlooks_agp_flags, descriptor)

SCENE(pitch_in_window, descriptor)

static void APIENTRY overlooks_pitch(struct query_descriptor *d) {
    d->flags->PitchAlignment = 0;
}
INSTALL(overlooks_pitch, descriptor)

/* Whatever the CPU looks for in memory is a page further on. */
static void APIENTRY looks_further_on(struct query_descriptor *d) {
    if (!d->flags->CpuVisible)
        return;
    d->cpu->QuadPart += 4096;
    *d->size -= 4096;
    *d->commit -= 4096;
}
INSTALL(looks_further_on, descriptor)

/* An address that means nothing, because the flag is clear. */
static void APIENTRY hides_memory(struct query_descriptor *d) {
    if (query_memory(d))
        d->flags->CpuVisible = 0;
}
SCENE(hides_memory, descriptor)

static void APIENTRY overlooks_hiding(struct query_descriptor *d) {
    if (query_memory(d))
        d->flags->CpuVisible = 1;
}
INSTALL(overlooks_hiding, descriptor)

/* Everything takes twice its size in memory. */
static NTSTATUS APIENTRY create_wide(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_below.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].PitchAlignedSize = 2 * args->pAllocationInfo[i].Size;
    return status;
}

static void APIENTRY scene_wide_pitch(DRIVER_INITIALIZATION_DATA *table) {
    query_set_scene(table);
    query_scene.descriptor = pitch_aligned;
    table->DxgkDdiCreateAllocation = create_wide;
}

SCENE(populated_aperture, descriptor)

/* The first half of memory cannot be used; the manager is told of the last page instead. */
static SIZE_T memory_size;
static void APIENTRY breaks_down(struct query_descriptor *d) {
    announces_range(d);
    if (query_memory(d))
        memory_size = *d->size;
}

static NTSTATUS tell_range(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status, SIZE_T offset,
                           SIZE_T size) {
    if (args->Type != DXGKQAITYPE_SEGMENTMEMORYSTATE)
        return status;
    const DXGK_QUERYSEGMENTMEMORYSTATE *state = args->pOutputData;
    state->pMemoryRanges[0] = (DXGK_MEMORYRANGE){.SegmentOffset = offset, .SizeInBytes = size};
    return STATUS_SUCCESS;
}

static NTSTATUS half_is_bad(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return tell_range(args, status, 0, memory_size / 2);
}

static void APIENTRY scene_half_is_bad(DRIVER_INITIALIZATION_DATA *table) {
    query_set_scene(table);
    query_scene.descriptor = breaks_down;
    query_scene.status = half_is_bad;
}

static NTSTATUS mistakes_range(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return tell_range(args, status, memory_size - 4096, 4096);
}
INSTALL(mistakes_range, status)

/* Works with other figures than the driver gave. */
static void APIENTRY counts_memory_twice(struct query_descriptor *d) {
    if (query_memory(d))
        *d->size *= 2;
}
INSTALL(counts_memory_twice, descriptor)

static void APIENTRY shares_little(struct query_descriptor *d) {
    if (query_aperture(d))
        *d->commit /= 16;
}
INSTALL(shares_little, descriptor)

/* ---- What managers tell applications --------------------------------------------------------- */

static void counts_all_memory(struct vidmm_referee_sizes *sizes) {
    sizes->available *= 2;
}

static void forgets_shared(struct vidmm_referee_sizes *sizes) {
    sizes->total -= sizes->shared_system;
}

static void dedicates_apertures(struct vidmm_referee_sizes *sizes) {
    sizes->dedicated_system += sizes->shared_system;
    sizes->total += sizes->shared_system;
}

/* ---- The mutants ----------------------------------------------------------------------------- */

const struct mutant mutants_query_manager[] = {
    {BREAKS(1, MANAGER, "start", asks_content_first,
            "asks for the content of segments before it asks for their number"),
     .consequences = {5}},
    {BREAKS(2, MANAGER, "start", counts_with_array,
            "passes an array in the first call of QUERYSEGMENT3"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(4, MANAGER, "start", counts_with_number,
            "passes a number in the first call of QUERYSEGMENT4")},
    {BREAKS(6, MANAGER, "start", asks_for_fewer, "asks for fewer segments than there are")},
    {BREAKS(9, MANAGER, "start", short_stride, "passes a stride of 32 bytes"), .consequences = {8}},
    {BREAKS(11, MANAGER, "start", no_input, "passes no DXGK_QUERYSEGMENTIN"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(12, MANAGER, "start", other_adapter, "asks QUERYSEGMENT4 of physical adapter 7")},
    {BREAKS(13, MANAGER, "start", half_an_agp, "passes the base of an AGP aperture of size 0"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(15, MANAGER, "start", forgets_agp,
            "starts an adapter that has an AGP segment without an AGP aperture"),
     .consequences = {14}, .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"Agp", 1}}},
    {.rule = 31,
     .side = VIDMM_SIDE_MANAGER,
     .what = "starts a driver that reaches 1 MiB of system memory",
     .install = install_sees_everything,
     .scene = scene_sees_little,
     .stage = "paging"},
    {.rule = 33,
     .side = VIDMM_SIDE_MANAGER,
     .what = "starts an adapter whose AGP segment has CacheCoherent, too",
     .install = install_overlooks_agp_flags,
     .scene = scene_caches_agp,
     .stage = "paging",
     .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"Agp", 1}}},
    {.rule = 38,
     .side = VIDMM_SIDE_MANAGER,
     .what = "uses CpuTranslatedAddress of a segment that is not CpuVisible",
     .install = install_overlooks_hiding,
     .scene = scene_hides_memory,
     .stage = "locks"},
    {BREAKS(39, MANAGER, "locks", looks_further_on,
            "takes CpuTranslatedAddress for a page further on"),
     .consequences = {365}},
    {.rule = 46,
     .side = VIDMM_SIDE_MANAGER,
     .what = "evicts through an aperture with PitchAlignment",
     .install = install_overlooks_pitch,
     .scene = scene_pitch_in_window,
     .stage = "paging",
     .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"EvictionApertureBytes", 4 << 20}}},
    {.rule = 47,
     .side = VIDMM_SIDE_MANAGER,
     .what = "gives allocations Size bytes in a segment with PitchAlignment",
     .install = install_overlooks_pitch,
     .scene = scene_wide_pitch,
     .stage = "paging"},
    {.rule = 48,
     .side = VIDMM_SIDE_MANAGER,
     .what = "counts an aperture with PopulatedFromSystemMemory as dedicated memory",
     .scene = scene_populated_aperture,
     .sizes = dedicates_apertures,
     .stage = "paging",
     .consequences = {365}},
    {BREAKS(66, MANAGER, "start", asks_needless_ranges,
            "asks for the ranges of a segment that announced none")},
    {BREAKS(67, MANAGER, "start", asks_ranges_of_none, "asks for the ranges of segment 0")},
    {.rule = 69,
     .side = VIDMM_SIDE_MANAGER,
     .what = "mistakes the range that cannot be used for another",
     .install = install_mistakes_range,
     .scene = scene_half_is_bad,
     .stage = "paging"},
    {.rule = 364,
     .side = VIDMM_SIDE_MANAGER,
     .what = "makes all of system memory available for graphics",
     .sizes = counts_all_memory,
     .stage = "start"},
    {BREAKS(365, MANAGER, "start", counts_memory_twice,
            "tells applications of twice the memory that there is")},
    {BREAKS(366, MANAGER, "start", shares_little, "shares a part of what the apertures may map")},
    {.rule = 367,
     .side = VIDMM_SIDE_MANAGER,
     .what = "leaves shared memory out of the total",
     .sizes = forgets_shared,
     .stage = "start"},
};
const uint32_t mutants_query_manager_count =
    sizeof(mutants_query_manager) / sizeof(mutants_query_manager[0]);
