/*
 * break_query.c - mutants of groups A, B and C: what the driver answers to
 * DxgkDdiQueryAdapterInfo, and how the manager asks.
 *
 * All but a few go through one spoiled function: it asks the good one, finds the descriptors or
 * caps in the answer, whichever version they have, and lets the mutant's hooks at them. A scene
 * is spoiled in the same way on the driver's side; a manager that does not see what the driver
 * said is spoiled to see what it should have said.
 */
#include "mutants.h"

#include <string.h>

#define VERSION(name) DXGKDDI_INTERFACE_VERSION_##name

/* ---- Spoiling answers ------------------------------------------------------------------------ */

/* One descriptor of whichever version; NULL for what that does not have. */
struct descriptor {
    UINT id;
    DXGK_SEGMENTFLAGS *flags;
    PHYSICAL_ADDRESS *base, *cpu;
    SIZE_T *size, *commit, *end, *reserved;
    UINT *banks, *invalid;
    SIZE_T **bank_ends;
};

/* What is done to answers; hooks that are NULL: nothing. */
struct spoiling {
    PDXGKDDI_QUERYADAPTERINFO good;
    void (*asked)(DXGKARG_QUERYADAPTERINFO *args);       /* before the good function has it */
    void (*out)(DXGK_QUERYSEGMENTOUT4 *out, bool first); /* stride: version 4 only */
    void (*descriptor)(struct descriptor *d);
    void (*caps)(DXGK_DRIVERCAPS *caps);
    void (*physical)(DXGK_PHYSICALADAPTERCAPS *caps);
    NTSTATUS (*status)(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status);
};

/* By the mutant, and by the driver in its scene. */
static struct spoiling spoil, scene;

static unsigned version_of(DXGK_QUERYADAPTERINFOTYPE type) {
    return type == DXGKQAITYPE_QUERYSEGMENT    ? 1u
           : type == DXGKQAITYPE_QUERYSEGMENT3 ? 3u
           : type == DXGKQAITYPE_QUERYSEGMENT4 ? 4u
                                               : 0u;
}

static void find_1(struct descriptor *d, DXGK_SEGMENTDESCRIPTOR *at) {
    *d = (struct descriptor){.flags = &at->Flags,
                             .base = &at->BaseAddress,
                             .cpu = &at->CpuTranslatedAddress,
                             .size = &at->Size,
                             .commit = &at->CommitLimit,
                             .banks = &at->NbOfBanks,
                             .bank_ends = &at->pBankRangeTable};
}

static void find_3(struct descriptor *d, DXGK_SEGMENTDESCRIPTOR3 *at) {
    *d = (struct descriptor){.flags = &at->Flags,
                             .base = &at->BaseAddress,
                             .cpu = &at->CpuTranslatedAddress,
                             .size = &at->Size,
                             .commit = &at->CommitLimit,
                             .end = &at->SystemMemoryEndAddress,
                             .reserved = &at->Reserved,
                             .banks = &at->NbOfBanks,
                             .bank_ends = &at->pBankRangeTable};
}

static void find_4(struct descriptor *d, DXGK_SEGMENTDESCRIPTOR4 *at) {
    *d = (struct descriptor){.flags = &at->Flags,
                             .base = &at->BaseAddress,
                             .cpu = &at->CpuTranslatedAddress,
                             .size = &at->Size,
                             .commit = &at->CommitLimit,
                             .end = &at->SystemMemoryEndAddress,
                             .invalid = &at->NumInvalidMemoryRanges};
}

static void spoil_descriptors(const struct spoiling *by, const DXGK_QUERYSEGMENTOUT4 *out,
                              unsigned version) {
    for (UINT i = 0; i < out->NbSegment; i++) {
        struct descriptor d;
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

static void spoil_segments(const struct spoiling *by, const DXGKARG_QUERYADAPTERINFO *args,
                           bool first) {
    /* The members before the stride are the same in all versions. */
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    if (!first && by->descriptor)
        spoil_descriptors(by, out, version_of(args->Type));
    if (by->out)
        by->out(out, first);
}

static NTSTATUS answer(const struct spoiling *by, HANDLE adapter,
                       const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_QUERYADAPTERINFO mine = *args;
    const DXGK_QUERYSEGMENTOUT *out = args->pOutputData;
    bool segments = version_of(args->Type) != 0;
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
    return answer(&spoil, adapter, args);
}

static NTSTATUS APIENTRY staged(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    return answer(&scene, adapter, args);
}

static void install(DRIVER_INITIALIZATION_DATA *table) {
    spoil = (struct spoiling){.good = table->DxgkDdiQueryAdapterInfo};
    table->DxgkDdiQueryAdapterInfo = spoiled;
}

static void set_scene(DRIVER_INITIALIZATION_DATA *table) {
    scene = (struct spoiling){.good = table->DxgkDdiQueryAdapterInfo};
    table->DxgkDdiQueryAdapterInfo = staged;
}

#define INSTALL(name, hook)                                                                        \
    static void install_##name(DRIVER_INITIALIZATION_DATA *table) {                                \
        install(table);                                                                            \
        spoil.hook = name;                                                                         \
    }
#define INSTALL2(name, hook, other, other_hook)                                                    \
    static void install_##name(DRIVER_INITIALIZATION_DATA *table) {                                \
        install(table);                                                                            \
        spoil.hook = name;                                                                         \
        spoil.other_hook = other;                                                                  \
    }

#define SCENE(name, hook)                                                                          \
    static void scene_##name(DRIVER_INITIALIZATION_DATA *table) {                                  \
        set_scene(table);                                                                          \
        scene.hook = name;                                                                         \
    }

static bool aperture(const struct descriptor *d) {
    return d->flags->Aperture;
}

static bool memory(const struct descriptor *d) {
    return !d->flags->Aperture;
}

/* ---- A: the driver's half of the protocol ---------------------------------------------------- */

static void writes_paging_size(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (first)
        out->PagingBufferSize = 4096;
}
INSTALL(writes_paging_size, out)

static void counts_differently(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->NbSegment++;
}
INSTALL(counts_differently, out)

/* The DXGK_SEGMENTDESCRIPTOR4 of each segment where sizeof(says). */
static void walks_by_sizeof(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    BYTE *array = out->pSegmentDescriptor;
    for (UINT i = 1; !first && i < out->NbSegment; i++) {
        BYTE *right = array + i * out->SegmentDescriptorStride;
        DXGK_SEGMENTDESCRIPTOR4 descriptor;
        memcpy(&descriptor, right, sizeof(descriptor));
        memset(right, 0, sizeof(descriptor));
        memcpy(array + i * sizeof(descriptor), &descriptor, sizeof(descriptor));
    }
}
INSTALL(walks_by_sizeof, out)

static void writes_behind_array(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->pSegmentDescriptor[out->NbSegment * out->SegmentDescriptorStride] = 0;
}
INSTALL(writes_behind_array, out)

/* What the system passed in PagingBufferSize, to put it back. */
static UINT untouched;
static void looks_first(DXGKARG_QUERYADAPTERINFO *args) {
    if (version_of(args->Type) != 0)
        untouched = ((const DXGK_QUERYSEGMENTOUT *)args->pOutputData)->PagingBufferSize;
}
static void forgets_paging_size(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->PagingBufferSize = untouched;
}
INSTALL2(forgets_paging_size, out, looks_first, asked)

static NTSTATUS writes_behind_output(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    if (version_of(args->Type) != 0 &&
        ((const DXGK_QUERYSEGMENTOUT *)args->pOutputData)->pSegmentDescriptor)
        ((BYTE *)args->pOutputData)[args->OutputDataSize] = 0;
    return status;
}
INSTALL(writes_behind_output, status)

static void sets_agp(struct descriptor *d) {
    if (aperture(d))
        d->flags->Value = 2; /* Agp */
}
INSTALL(sets_agp, descriptor)

static void reports_no_segment(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (first)
        out->NbSegment = 0;
}
INSTALL(reports_no_segment, out)

static void reports_system_memory(struct descriptor *d) {
    if (d->flags->CpuVisible)
        d->cpu->QuadPart = 0x100000;
}
INSTALL(reports_system_memory, descriptor)

static void overlaps(struct descriptor *d) {
    static LONGLONG base;
    if (d->id == 1)
        base = d->base->QuadPart;
    else
        d->base->QuadPart = base;
}
INSTALL(overlaps, descriptor)

static void has_no_aperture(struct descriptor *d) {
    d->flags->Aperture = 0;
    d->flags->CacheCoherent = 0;
}
INSTALL(has_no_aperture, descriptor)

static NTSTATUS answers_not_supported(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_DRIVERCAPS ? STATUS_NOT_SUPPORTED : status;
}
INSTALL(answers_not_supported, status)

static NTSTATUS answers_too_small(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_DRIVERCAPS ? STATUS_BUFFER_TOO_SMALL : status;
}
INSTALL(answers_too_small, status)

static NTSTATUS writes_behind_caps(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    if (args->Type == DXGKQAITYPE_DRIVERCAPS)
        ((BYTE *)args->pOutputData)[args->OutputDataSize] = 0;
    return status;
}
INSTALL(writes_behind_caps, status)

static NTSTATUS wants_process(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return !args->hKmdProcessHandle ? STATUS_INVALID_HANDLE : status;
}
INSTALL(wants_process, status)

static NTSTATUS refuses_first_call(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return version_of(args->Type) == 4 ? STATUS_INVALID_PARAMETER : status;
}
INSTALL(refuses_first_call, status)

/* Only where the caller has room for all of it: the conformance check asks for less, too. */
static DXGK_DRIVERCAPS *whole_caps(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    bool whole = args->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS &&
                 args->OutputDataSize >= sizeof(DXGK_DRIVERCAPS);
    return whole ? args->pOutputData : NULL;
}

/* On the manager's side: it works with other figures than the driver gave. */
static void counts_memory_twice(struct descriptor *d) {
    if (memory(d))
        *d->size *= 2;
}
INSTALL(counts_memory_twice, descriptor)

static void shares_little(struct descriptor *d) {
    if (aperture(d))
        *d->commit /= 16;
}
INSTALL(shares_little, descriptor)

static NTSTATUS answers_at_random(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    static UINT asked;
    DXGK_DRIVERCAPS *caps = whole_caps(args, status);
    if (caps)
        caps->MaxAllocationListSlotId += asked++;
    return status;
}
INSTALL(answers_at_random, status)

static NTSTATUS has_no_history(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_HISTORYBUFFERPRECISION ? STATUS_NOT_SUPPORTED : status;
}
INSTALL(has_no_history, status)

static void install_no_query(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = NULL;
}

/* A second start of the adapter finds other segments than the first. */
static UINT starts;
static void changes_its_mind(struct descriptor *d) {
    starts += d->id == 1;
    if (starts > 1 && memory(d)) {
        d->flags->Value = 0;
        d->flags->Aperture = 1;
    }
}
static void install_changes_its_mind(DRIVER_INITIALIZATION_DATA *table) {
    install(table);
    starts = 0;
    spoil.descriptor = changes_its_mind;
}

/* ---- A: compute-only drivers ----------------------------------------------------------------- */

static void compute_only(DXGK_DRIVERCAPS *caps) {
    caps->MiscCaps.ComputeOnly = 1;
    caps->ApertureSegmentCommitLimit = 0;
    caps->NumberOfSwizzlingRanges = 0;
    caps->MaxAllocationListSlotId = 0;
}

static NTSTATUS computes_without_tables(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    DXGK_DRIVERCAPS *caps = whole_caps(args, status);
    if (caps) {
        compute_only(caps);
        caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
        caps->MemoryManagementCaps.GpuMmuSupported = 1;
    }
    bool tables =
        args->Type == DXGKQAITYPE_GPUMMUCAPS || args->Type == DXGKQAITYPE_PAGETABLELEVELDESC;
    return tables ? STATUS_INVALID_PARAMETER : status;
}
INSTALL(computes_without_tables, status)

static void install_compute_refuses(DRIVER_INITIALIZATION_DATA *table) {
    install(table);
    spoil.caps = compute_only;
    spoil.status = refuses_first_call;
}

static void announces_range(struct descriptor *d) {
    if (memory(d))
        *d->invalid = 1;
}
static void install_compute_ranges(DRIVER_INITIALIZATION_DATA *table) {
    install(table);
    spoil.caps = compute_only;
    spoil.descriptor = announces_range;
}

static void compute_swizzles(DXGK_DRIVERCAPS *caps) {
    compute_only(caps);
    caps->NumberOfSwizzlingRanges = 2;
}
INSTALL(compute_swizzles, caps)

static void pitch_aligned(struct descriptor *d) {
    if (memory(d))
        d->flags->PitchAlignment = 1;
}
static void install_compute_pitch(DRIVER_INITIALIZATION_DATA *table) {
    install(table);
    spoil.caps = compute_only;
    spoil.descriptor = pitch_aligned;
}

/* ---- B: descriptors -------------------------------------------------------------------------- */

#define SPOIL_WHERE(name, which, ...)                                                              \
    static void name(struct descriptor *d) {                                                       \
        if (which(d)) {                                                                            \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }                                                                                              \
    INSTALL(name, descriptor)

SPOIL_WHERE(odd_size, memory, *d->size -= 512)
SPOIL_WHERE(agp_and_more, aperture, d->flags->Agp = 1)
SPOIL_WHERE(no_cpu_address, memory, d->cpu->QuadPart = 0)
SPOIL_WHERE(beyond_bar, memory, *d->size *= 2)
SPOIL_WHERE(no_bank_table, memory, d->flags->UseBanking = 1; *d->bank_ends = NULL)
SPOIL_WHERE(coherent_memory, memory, d->flags->CacheCoherent = 1)
SPOIL_WHERE(populated_aperture, aperture, d->flags->PopulatedFromSystemMemory = 1)
SPOIL_WHERE(hibernate_only, memory, d->flags->PreservedDuringStandby = 0;
            d->flags->PreservedDuringHibernate = 1)
SPOIL_WHERE(end_without_partial, memory, *d->end = 4096)
SPOIL_WHERE(reserved_flag, memory, d->flags->Value |= 1u << 31)
SPOIL_WHERE(reserved_member, memory, *d->reserved = 1)
SPOIL_WHERE(never_preserved, memory, d->flags->PreservedDuringStandby = 0)
SPOIL_WHERE(reserves_system, memory, d->flags->ReservedSysMem = 1)
SPOIL_WHERE(visible_host_aperture, memory, d->flags->SupportsCpuHostAperture = 1)
SPOIL_WHERE(cached_host_aperture, memory, d->flags->SupportsCachedCpuHostAperture = 1)
SPOIL_WHERE(empty_host_aperture, memory, d->flags->CpuVisible = 0;
            d->flags->SupportsCpuHostAperture = 1; d->cpu->QuadPart = 0)
SPOIL_WHERE(memory_commit, memory, *d->commit -= 4096)
SPOIL_WHERE(aperture_commit, aperture, *d->commit += 4096)
SPOIL_WHERE(zero_commit, aperture, *d->commit = 0)

static void two_agp(struct descriptor *d) {
    d->flags->Value = 2; /* Agp */
}
INSTALL(two_agp, descriptor)

static SIZE_T falling_ends[4];
static void falling_banks(struct descriptor *d) {
    if (!memory(d))
        return;
    falling_ends[0] = *d->size / 2;
    falling_ends[1] = *d->size / 4;
    falling_ends[2] = *d->size / 8;
    falling_ends[3] = *d->size;
    d->flags->UseBanking = 1;
    *d->banks = 4;
    *d->bank_ends = falling_ends;
}
INSTALL(falling_banks, descriptor)

/* Answers SEGMENTMEMORYSTATE with half a page. */
static NTSTATUS half_a_page(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    if (args->Type != DXGKQAITYPE_SEGMENTMEMORYSTATE)
        return status;
    DXGK_QUERYSEGMENTMEMORYSTATE *state = args->pOutputData;
    for (UINT i = 0; i < state->NumInvalidMemoryRanges; i++)
        state->pMemoryRanges[i] = (DXGK_MEMORYRANGE){.SegmentOffset = 0, .SizeInBytes = 2048};
    return STATUS_SUCCESS;
}
INSTALL2(half_a_page, status, announces_range, descriptor)

/* ---- C: paging buffer and caps --------------------------------------------------------------- */

static void pages_from_memory(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->PagingBufferSegmentId = 2;
}
INSTALL(pages_from_memory, out)

static void dedicated_engine(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.DedicatedPagingEngine = 1;
}
INSTALL(dedicated_engine, caps)

static void virtual_by_nothing(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
}
INSTALL(virtual_by_nothing, caps)

static void texture_alone(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.CrossAdapterResourceTexture = 1;
}
INSTALL(texture_alone, caps)

static void paging_node_too_high(DXGK_PHYSICALADAPTERCAPS *caps) {
    caps->PagingNodeIndex = caps->NumExecutionNodes;
}
INSTALL(paging_node_too_high, physical)

static void wrong_handle(DXGK_PHYSICALADAPTERCAPS *caps) {
    caps->DxgkPhysicalAdapterHandle = NULL;
}
INSTALL(wrong_handle, physical)

/* ---- The manager's half ---------------------------------------------------------------------- */

/* What the manager passes to segment queries, spoiled; put back when the driver answered. */
static struct {
    void (*call)(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first);
    void (*after)(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args, bool first);
} bad_manager;

static NTSTATUS APIENTRY asked_badly(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_QUERYADAPTERINFO mine = *args;
    DXGK_QUERYSEGMENTOUT4 *out = args->pOutputData;
    unsigned version = version_of(args->Type);
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
    static void install_##name(DRIVER_INITIALIZATION_DATA *table) {                                \
        memset(&bad_manager, 0, sizeof(bad_manager));                                              \
        bad_manager.hook = name;                                                                   \
        table->DxgkDdiQueryAdapterInfo = asked_badly;                                              \
    }

/* Fill at once: the first call already has an array and a number. */
static DXGK_SEGMENTDESCRIPTOR4 room[8];
static void asks_content_first(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                               bool first) {
    if (!first)
        return;
    out->NbSegment = 2;
    out->pSegmentDescriptor = (BYTE *)room;
    if (version_of(args->Type) == 4)
        out->SegmentDescriptorStride = sizeof(*room);
}
INSTALL_MANAGER(asks_content_first, call)

static void counts_with_array(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                              bool first) {
    (void)args;
    if (first)
        out->pSegmentDescriptor = (BYTE *)room;
}
INSTALL_MANAGER(counts_with_array, call)

static void counts_with_number(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out,
                               bool first) {
    (void)args;
    if (first)
        out->NbSegment = 5;
}
INSTALL_MANAGER(counts_with_number, call)

static void asks_for_fewer(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    (void)args;
    if (!first)
        out->NbSegment--;
}
INSTALL_MANAGER(asks_for_fewer, call)

static void short_stride(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    (void)args;
    if (!first)
        out->SegmentDescriptorStride = 32;
}
INSTALL_MANAGER(short_stride, call)

static void no_input(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    (void)out;
    (void)first;
    args->pInputData = NULL;
    args->InputDataSize = 0;
}
INSTALL_MANAGER(no_input, call)

static void other_adapter(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    static DXGK_QUERYSEGMENTIN4 in = {.PhysicalAdapterIndex = 7};
    (void)out;
    (void)first;
    args->pInputData = &in;
}
INSTALL_MANAGER(other_adapter, call)

static void half_an_agp(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    static DXGK_QUERYSEGMENTIN in;
    (void)out;
    (void)first;
    in.AgpApertureBase.QuadPart = 0xe0000000;
    args->pInputData = &in;
}
INSTALL_MANAGER(half_an_agp, call)

static void ask_ranges(HANDLE adapter, WORD segment, UINT count) {
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

static void asks_needless_ranges(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args, bool first) {
    (void)args;
    if (!first)
        ask_ranges(adapter, 1, 0);
}
INSTALL_MANAGER(asks_needless_ranges, after)

static void asks_ranges_of_none(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args, bool first) {
    (void)args;
    if (!first)
        ask_ranges(adapter, 0, 1);
}
INSTALL_MANAGER(asks_ranges_of_none, after)

/* The driver learns in the first call of an AGP aperture, and in the second that there is none. */
static void forgets_agp(DXGKARG_QUERYADAPTERINFO *args, DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    static DXGK_QUERYSEGMENTIN none;
    (void)out;
    if (!first)
        args->pInputData = &none;
}
INSTALL_MANAGER(forgets_agp, call)

/* ---- Managers that start what they must not, or do not see what the driver said -------------- */

static void sees_little(DXGK_DRIVERCAPS *caps) {
    caps->HighestAcceptableAddress.QuadPart = (1 << 20) - 1;
}
SCENE(sees_little, caps)

static void sees_everything(DXGK_DRIVERCAPS *caps) {
    caps->HighestAcceptableAddress.QuadPart = INT64_MAX;
}
INSTALL(sees_everything, caps)

static void caches_agp(struct descriptor *d) {
    if (d->flags->Agp)
        d->flags->CacheCoherent = 1;
}
SCENE(caches_agp, descriptor)

static void overlooks_agp_flags(struct descriptor *d) {
    if (d->flags->Agp)
        d->flags->Value = 2; /* Agp */
}
INSTALL(overlooks_agp_flags, descriptor)

static void pitch_in_window(struct descriptor *d) {
    if (aperture(d))
        d->flags->PitchAlignment = 1;
}
SCENE(pitch_in_window, descriptor)
INSTALL(pitch_in_window, descriptor)

static void overlooks_pitch(struct descriptor *d) {
    d->flags->PitchAlignment = 0;
}
INSTALL(overlooks_pitch, descriptor)

/* Whatever the CPU looks for in memory is a page further on. */
static void looks_further_on(struct descriptor *d) {
    if (!d->flags->CpuVisible)
        return;
    d->cpu->QuadPart += 4096;
    *d->size -= 4096;
    *d->commit -= 4096;
}
INSTALL(looks_further_on, descriptor)

/* An address that means nothing, because the flag is clear. */
static void hides_memory(struct descriptor *d) {
    if (memory(d))
        d->flags->CpuVisible = 0;
}
SCENE(hides_memory, descriptor)

static void overlooks_hiding(struct descriptor *d) {
    if (memory(d))
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

static void scene_wide_pitch(DRIVER_INITIALIZATION_DATA *table) {
    set_scene(table);
    scene.descriptor = pitch_aligned;
    table->DxgkDdiCreateAllocation = create_wide;
}

SCENE(populated_aperture, descriptor)

/* The first half of memory cannot be used; the manager is told of the last page instead. */
static SIZE_T memory_size;
static void breaks_down(struct descriptor *d) {
    announces_range(d);
    if (memory(d))
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

static void scene_half_is_bad(DRIVER_INITIALIZATION_DATA *table) {
    set_scene(table);
    scene.descriptor = breaks_down;
    scene.status = half_is_bad;
}

static NTSTATUS mistakes_range(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return tell_range(args, status, memory_size - 4096, 4096);
}
INSTALL(mistakes_range, status)

/* ---- What managers tell applications --------------------------------------------------------- */

static void counts_all_memory(struct vidmm_referee_sizes *told) {
    told->available *= 2;
}

static void forgets_shared(struct vidmm_referee_sizes *told) {
    told->total -= told->shared_system;
}

static void dedicates_apertures(struct vidmm_referee_sizes *told) {
    told->dedicated_system += told->shared_system;
    told->total += told->shared_system;
}

/* ---- The mutants ----------------------------------------------------------------------------- */

const struct mutant mutants_query[] = {
    {BREAKS(1, MANAGER, "start", asks_content_first,
            "asks for the content of segments before it asks for their number"),
     .consequences = {5}},
    {BREAKS(2, MANAGER, "start", counts_with_array,
            "passes an array in the first call of QUERYSEGMENT3"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(3, DRIVER, "start", writes_paging_size,
            "writes PagingBufferSize in the first call of QUERYSEGMENT3"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(4, MANAGER, "start", counts_with_number,
            "passes a number in the first call of QUERYSEGMENT4")},
    {BREAKS(5, DRIVER, "start", writes_paging_size,
            "writes PagingBufferSize in the first call of QUERYSEGMENT4")},
    {BREAKS(5, DRIVER, "start", refuses_first_call, "refuses QUERYSEGMENT4")},
    {BREAKS(6, MANAGER, "start", asks_for_fewer, "asks for fewer segments than there are")},
    {BREAKS(7, DRIVER, "start", counts_differently, "counts differently in the second call")},
    {BREAKS(8, DRIVER, "start", walks_by_sizeof, "walks the descriptor array by sizeof")},
    {BREAKS(8, DRIVER, "start", writes_behind_array, "writes a byte behind the descriptor array")},
    {BREAKS(9, MANAGER, "start", short_stride, "passes a stride of 32 bytes"), .consequences = {8}},
    {BREAKS(10, DRIVER, "start", forgets_paging_size, "leaves PagingBufferSize unwritten")},
    {BREAKS(10, DRIVER, "start", writes_behind_output,
            "writes a byte behind DXGK_QUERYSEGMENTOUT4")},
    {BREAKS(11, MANAGER, "start", no_input, "passes no DXGK_QUERYSEGMENTIN"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(12, MANAGER, "start", other_adapter, "asks QUERYSEGMENT4 of physical adapter 7")},
    {BREAKS(13, MANAGER, "start", half_an_agp, "passes the base of an AGP aperture of size 0"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(14, DRIVER, "start", sets_agp, "reports an AGP segment without an AGP aperture"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(15, MANAGER, "start", forgets_agp,
            "starts an adapter that has an AGP segment without an AGP aperture"),
     .consequences = {14}, .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"Agp", 1}}},
    {BREAKS(16, DRIVER, "start", reports_no_segment, "reports no segments")},
    {BREAKS(18, DRIVER, "start", reports_system_memory, "reports system memory as a segment")},
    {BREAKS(19, DRIVER, "start", changes_its_mind,
            "makes its memory apertures at the second start"),
     .consequences = {21}},
    {BREAKS(20, DRIVER, "start", overlaps, "puts two segments at the same address")},
    {BREAKS(21, DRIVER, "start", has_no_aperture, "reports no aperture segment at version 2.0")},
    {BREAKS(22, DRIVER, "start", compute_refuses, "is compute-only and refuses QUERYSEGMENT4"),
     .consequences = {5}, .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(23, DRIVER, "query", computes_without_tables,
            "is compute-only, has GPU virtual addresses and describes no page tables"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(24, DRIVER, "start", compute_ranges,
            "is compute-only and refuses SEGMENTMEMORYSTATE after announcing a range"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(25, DRIVER, "start", compute_swizzles, "is compute-only and has swizzling ranges"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(26, DRIVER, "start", compute_pitch, "is compute-only and has a PitchAlignment segment"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(27, DRIVER, "start", answers_not_supported,
            "answers DRIVERCAPS with STATUS_NOT_SUPPORTED")},
    {BREAKS(27, DRIVER, "start", answers_too_small,
            "answers DRIVERCAPS with STATUS_BUFFER_TOO_SMALL")},
    {BREAKS(27, DRIVER, "start", writes_behind_caps,
            "writes a byte behind OutputDataSize of DRIVERCAPS")},
    {BREAKS(27, DRIVER, "query", has_no_history,
            "answers HISTORYBUFFERPRECISION with STATUS_NOT_SUPPORTED")},
    {BREAKS(28, DRIVER, "query", answers_at_random,
            "answers the same question differently each time")},
    {BREAKS(29, DRIVER, "start", wants_process, "refuses queries whose hKmdProcessHandle is NULL"),
     .consequences = {27}, .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(30, DRIVER, "start", no_query, "leaves DxgkDdiQueryAdapterInfo NULL"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {.rule = 31,
     .side = VIDMM_SIDE_MANAGER,
     .what = "starts a driver that reaches 1 MiB of system memory",
     .install = install_sees_everything,
     .scene = scene_sees_little,
     .stage = "paging"},
    {BREAKS(32, DRIVER, "start", odd_size, "reports a segment of half pages")},
    {BREAKS(33, DRIVER, "start", agp_and_more, "sets Agp next to Aperture"), .consequences = {14},
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {.rule = 33,
     .side = VIDMM_SIDE_MANAGER,
     .what = "starts an adapter whose AGP segment has CacheCoherent, too",
     .install = install_overlooks_agp_flags,
     .scene = scene_caches_agp,
     .stage = "paging",
     .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"Agp", 1}}},
    {BREAKS(34, DRIVER, "start", two_agp, "reports two AGP segments"), .consequences = {14},
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {.rule = 38,
     .side = VIDMM_SIDE_MANAGER,
     .what = "uses CpuTranslatedAddress of a segment that is not CpuVisible",
     .install = install_overlooks_hiding,
     .scene = scene_hides_memory,
     .stage = "locks"},
    {BREAKS(39, DRIVER, "start", no_cpu_address,
            "leaves CpuTranslatedAddress of a CpuVisible segment 0")},
    {BREAKS(39, DRIVER, "start", beyond_bar,
            "reports a CpuVisible segment twice the size of its BAR")},
    {BREAKS(39, MANAGER, "locks", looks_further_on,
            "takes CpuTranslatedAddress for a page further on"),
     .consequences = {365}},
    {BREAKS(40, DRIVER, "start", no_bank_table, "sets UseBanking without a bank table"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(41, DRIVER, "start", falling_banks, "has banks whose ends fall"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(45, DRIVER, "start", coherent_memory, "sets CacheCoherent in a memory segment")},
    {BREAKS(46, DRIVER, "paging", pitch_in_window,
            "wants to evict through an aperture with PitchAlignment"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"EvictionApertureBytes", 4 << 20}}},
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
    {BREAKS(48, DRIVER, "start", populated_aperture,
            "sets PopulatedFromSystemMemory in an aperture segment")},
    {.rule = 48,
     .side = VIDMM_SIDE_MANAGER,
     .what = "counts an aperture with PopulatedFromSystemMemory as dedicated memory",
     .scene = scene_populated_aperture,
     .sizes = dedicates_apertures,
     .stage = "paging",
     .consequences = {365}},
    {BREAKS(49, DRIVER, "start", hibernate_only,
            "sets PreservedDuringHibernate without PreservedDuringStandby")},
    {BREAKS(52, DRIVER, "start", end_without_partial,
            "sets SystemMemoryEndAddress without PartiallyPreservedDuringHibernate")},
    {BREAKS(54, DRIVER, "start", reserved_flag, "sets bit 31 of the segment flags")},
    {BREAKS(54, DRIVER, "start", reserved_member, "sets Reserved of DXGK_SEGMENTDESCRIPTOR3"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(55, DRIVER, "start", never_preserved, "sets no preserve flag in any segment")},
    {BREAKS(58, DRIVER, "start", reserves_system, "sets ReservedSysMem")},
    {BREAKS(59, DRIVER, "start", visible_host_aperture,
            "sets SupportsCpuHostAperture next to CpuVisible")},
    {BREAKS(60, DRIVER, "start", cached_host_aperture, "sets SupportsCachedCpuHostAperture alone")},
    {BREAKS(61, DRIVER, "start", empty_host_aperture,
            "sets SupportsCpuHostAperture and describes none")},
    {BREAKS(62, DRIVER, "start", memory_commit,
            "reports a CommitLimit below Size of a memory segment"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(63, DRIVER, "start", aperture_commit,
            "reports a CommitLimit above Size of an aperture")},
    {BREAKS(63, DRIVER, "start", zero_commit, "leaves CommitLimit of an aperture 0")},
    {BREAKS(66, MANAGER, "start", asks_needless_ranges,
            "asks for the ranges of a segment that announced none")},
    {BREAKS(67, MANAGER, "start", asks_ranges_of_none, "asks for the ranges of segment 0")},
    {BREAKS(68, DRIVER, "start", half_a_page, "reports an invalid range of half a page")},
    {.rule = 69,
     .side = VIDMM_SIDE_MANAGER,
     .what = "mistakes the range that cannot be used for another",
     .install = install_mistakes_range,
     .scene = scene_half_is_bad,
     .stage = "paging"},
    {BREAKS(73, DRIVER, "start", pages_from_memory,
            "wants its paging buffers in a memory segment")},
    {BREAKS(84, DRIVER, "start", dedicated_engine, "sets DedicatedPagingEngine")},
    {BREAKS(85, DRIVER, "start", virtual_by_nothing,
            "sets VirtualAddressingSupported without an MMU")},
    {BREAKS(86, DRIVER, "start", texture_alone, "sets CrossAdapterResourceTexture alone"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_9)}}},
    {BREAKS(89, DRIVER, "start", paging_node_too_high, "names a paging node that does not exist")},
    {BREAKS(90, DRIVER, "start", wrong_handle, "reports no DxgkPhysicalAdapterHandle")},
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
const uint32_t mutants_query_count = sizeof(mutants_query) / sizeof(*mutants_query);
