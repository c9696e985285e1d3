/*
 * break_query.c - drivers of groups A, B and C: what they answer to DxgkDdiQueryAdapterInfo. How
 * managers ask is break_query_manager.c's.
 */
#include "query_spoil.h"

/* ---- A: the driver's half of the protocol ---------------------------------------------------- */

static void APIENTRY writes_paging_size(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (first)
        out->PagingBufferSize = 4096;
}
INSTALL(writes_paging_size, out)

/* The members of the first descriptor, wherever the array is. */
static void APIENTRY fills_at_once(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    const volatile ULONG_PTR flags = offsetof(DXGK_SEGMENTDESCRIPTOR4, Flags);
    volatile BYTE *array = (volatile BYTE *)((ULONG_PTR)out->pSegmentDescriptor + flags + 1);
    if (first)
        *array = 0;
}
INSTALL(fills_at_once, out)

static void APIENTRY counts_differently(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->NbSegment++;
}
INSTALL(counts_differently, out)

/* The DXGK_SEGMENTDESCRIPTOR4 of each segment where sizeof(says). */
static void APIENTRY walks_by_sizeof(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
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

/* Of a system whose descriptors are shorter than its own. */
static void APIENTRY copies_whole_descriptors(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    const SIZE_T own = sizeof(DXGK_SEGMENTDESCRIPTOR4), stride = out->SegmentDescriptorStride;
    if (!first && stride < own)
        memset(out->pSegmentDescriptor + out->NbSegment * stride, 0, own - stride);
}
INSTALL(copies_whole_descriptors, out)

static void APIENTRY writes_behind_array(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->pSegmentDescriptor[out->NbSegment * out->SegmentDescriptorStride] = 0;
}
INSTALL(writes_behind_array, out)

/* What the system passed in PagingBufferSize, to put it back. */
static UINT untouched;
static void APIENTRY looks_first(DXGKARG_QUERYADAPTERINFO *args) {
    if (query_version(args->Type) != 0)
        untouched = ((const DXGK_QUERYSEGMENTOUT *)args->pOutputData)->PagingBufferSize;
}
static void APIENTRY forgets_paging_size(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->PagingBufferSize = untouched;
}
INSTALL2(forgets_paging_size, out, looks_first, asked)

static NTSTATUS writes_behind_output(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    if (query_version(args->Type) != 0 &&
        ((const DXGK_QUERYSEGMENTOUT *)args->pOutputData)->pSegmentDescriptor)
        ((BYTE *)args->pOutputData)[args->OutputDataSize] = 0;
    return status;
}
INSTALL(writes_behind_output, status)

static void APIENTRY sets_agp(struct query_descriptor *d) {
    if (query_aperture(d))
        d->flags->Value = 2; /* Agp */
}
INSTALL(sets_agp, descriptor)

static void APIENTRY reports_no_segment(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (first)
        out->NbSegment = 0;
}
INSTALL(reports_no_segment, out)

static void APIENTRY reports_system_memory(struct query_descriptor *d) {
    if (d->flags->CpuVisible)
        d->cpu->QuadPart = 0x100000;
}
INSTALL(reports_system_memory, descriptor)

static void APIENTRY overlaps(struct query_descriptor *d) {
    static LONGLONG base;
    if (d->id == 1)
        base = d->base->QuadPart;
    else
        d->base->QuadPart = base;
}
INSTALL(overlaps, descriptor)

static void APIENTRY has_no_aperture(struct query_descriptor *d) {
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

static NTSTATUS refuses_caps(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_DRIVERCAPS ? STATUS_INVALID_PARAMETER : status;
}
INSTALL(refuses_caps, status)

static NTSTATUS refuses_physical(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS ? STATUS_INVALID_PARAMETER : status;
}
INSTALL(refuses_physical, status)

static NTSTATUS refuses_mmu(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_GPUMMUCAPS ? STATUS_NO_MEMORY : status;
}
INSTALL(refuses_mmu, status)

static NTSTATUS refuses_count(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return query_version(args->Type) != 0 ? STATUS_INVALID_PARAMETER : status;
}
INSTALL(refuses_count, status)

static NTSTATUS writes_behind_caps(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    if (args->Type == DXGKQAITYPE_DRIVERCAPS)
        ((BYTE *)args->pOutputData)[args->OutputDataSize] = 0;
    return status;
}
INSTALL(writes_behind_caps, status)

/* As much as its own user-mode half asks for, whoever asks. */
static NTSTATUS writes_whole(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    if (args->Type == DXGKQAITYPE_UMDRIVERPRIVATE)
        ((BYTE *)args->pOutputData)[15] = 1;
    return status;
}
INSTALL(writes_whole, status)

static NTSTATUS refuses_second_call(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    bool second = query_version(args->Type) != 0 &&
                  ((const DXGK_QUERYSEGMENTOUT *)args->pOutputData)->pSegmentDescriptor;
    return second ? STATUS_INVALID_PARAMETER : status;
}
INSTALL(refuses_second_call, status)

static NTSTATUS wants_process(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return !args->hKmdProcessHandle ? STATUS_INVALID_HANDLE : status;
}
INSTALL(wants_process, status)

static NTSTATUS refuses_first_call(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return query_version(args->Type) == 4 ? STATUS_INVALID_PARAMETER : status;
}
INSTALL(refuses_first_call, status)

/* Only where the caller has room for all of it: the conformance check asks for less, too. */
static DXGK_DRIVERCAPS *whole_caps(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    bool whole = args->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS &&
                 args->OutputDataSize >= sizeof(DXGK_DRIVERCAPS);
    return whole ? args->pOutputData : NULL;
}

static NTSTATUS answers_at_random(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    static UINT asked;
    DXGK_DRIVERCAPS *caps = whole_caps(args, status);
    if (caps)
        caps->MaxAllocationListSlotId += asked++;
    return status;
}
INSTALL(answers_at_random, status)

static NTSTATUS has_no_physical_caps(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS ? STATUS_NOT_SUPPORTED : status;
}
INSTALL(has_no_physical_caps, status)

static NTSTATUS has_no_history(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    return args->Type == DXGKQAITYPE_HISTORYBUFFERPRECISION ? STATUS_NOT_SUPPORTED : status;
}
INSTALL(has_no_history, status)

static void APIENTRY install_no_query(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = NULL;
}

/* Asked a second time, it has other segments than before. */
static UINT asked_before;
static void APIENTRY changes_its_mind(struct query_descriptor *d) {
    asked_before += d->id == 1;
    if (asked_before > 1 && query_memory(d)) {
        d->flags->Value = 0;
        d->flags->Aperture = 1;
    }
}
static void APIENTRY install_changes_its_mind(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    asked_before = 0;
    query_spoil.descriptor = changes_its_mind;
}

/* In its image, which another start finds as it was left. */
static void APIENTRY moves_when_started_again(struct query_descriptor *d) {
    asked_before += d->id == 1;
    if (asked_before > 1)
        d->base->QuadPart += (LONGLONG)1 << 36;
}
static void APIENTRY install_moves_when_started_again(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    asked_before = 0;
    query_spoil.descriptor = moves_when_started_again;
}

/* ---- A: overlays ----------------------------------------------------------------------------- */

static NTSTATUS APIENTRY answer_without_overlays(const HANDLE adapter,
                                                 const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS &&
        args->OutputDataSize >= offsetof(DXGK_DRIVERCAPS, WDDMVersion))
        caps->MaxOverlays = 0;
    return status;
}

/* Another bit was meant. */
static NTSTATUS APIENTRY create_overlays(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {
        DXGK_ALLOCATIONINFOFLAGS *flags = &args->pAllocationInfo[i].Flags;
        flags->Overlay = flags->FromEndOfSegment;
        flags->FromEndOfSegment = 0;
    }
    return status;
}

static void APIENTRY install_overlays_from_end(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryAdapterInfo = answer_without_overlays;
    table->DxgkDdiCreateAllocation = create_overlays;
}

/* ---- A: compute-only drivers ----------------------------------------------------------------- */

static void APIENTRY compute_only(DXGK_DRIVERCAPS *caps) {
    caps->MiscCaps.ComputeOnly = 1;
    caps->ApertureSegmentCommitLimit = 0;
    caps->NumberOfSwizzlingRanges = 0;
    caps->MaxAllocationListSlotId = 0;
    caps->MaxOverlays = 0;
    caps->SupportNonVGA = FALSE;
    caps->SupportSmoothRotation = FALSE;
    caps->SchedulingCaps.LowIrqlPreemptCommand = 1;
}

static NTSTATUS APIENTRY calibrate(const HANDLE adapter, UINT node, UINT engine,
                                   DXGKARG_CALIBRATEGPUCLOCK *args) {
    (void)adapter, (void)node, (void)engine, (void)args;
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS APIENTRY format_history(const HANDLE adapter, DXGKARG_FORMATHISTORYBUFFER *args) {
    (void)adapter, (void)args;
    return STATUS_NOT_SUPPORTED;
}

/* What a compute-only driver does not have, and what it has: the reference driver's is a table for graphics. */
static void APIENTRY leave_out_displays(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiAcquireSwizzlingRange = NULL;
    table->DxgkDdiReleaseSwizzlingRange = NULL;
    table->DxgkDdiCommitVidPn = NULL;
    table->DxgkDdiControlInterrupt = NULL;
    table->DxgkDdiCreateOverlay = NULL;
    table->DxgkDdiEnumVidPnCofuncModality = NULL;
    table->DxgkDdiGetScanLine = NULL;
    table->DxgkDdiIsSupportedVidPn = NULL;
    table->DxgkDdiPresent = NULL;
    table->DxgkDdiQueryCurrentFence = NULL;
    table->DxgkDdiCalibrateGpuClock = calibrate;
    table->DxgkDdiFormatHistoryBuffer = format_history;
}

#define INSTALL_COMPUTE(name, hook)                                                                \
    static void APIENTRY install_##name(DRIVER_INITIALIZATION_DATA *table) {                       \
        query_install(table);                                                                      \
        leave_out_displays(table);                                                                 \
        query_spoil.hook = name;                                                                   \
    }

static void APIENTRY aligns_rows_to_pages(DXGK_DRIVERCAPS *caps) {
    caps->PresentationCaps.AlignmentShift = 12;
}
INSTALL(aligns_rows_to_pages, caps)

/* In answers of every size that has the member which says so. */
static NTSTATUS computes_without_tables(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status) {
    DXGK_DRIVERCAPS *caps = args->pOutputData;
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && status == STATUS_SUCCESS &&
        args->OutputDataSize >= RTL_SIZEOF_THROUGH_FIELD(DXGK_DRIVERCAPS, MiscCaps)) {
        compute_only(caps);
        caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
        caps->MemoryManagementCaps.GpuMmuSupported = 1;
    }
    bool tables =
        args->Type == DXGKQAITYPE_GPUMMUCAPS || args->Type == DXGKQAITYPE_PAGETABLELEVELDESC;
    return tables ? STATUS_INVALID_PARAMETER : status;
}
INSTALL_COMPUTE(computes_without_tables, status)

static void APIENTRY install_compute_refuses(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    leave_out_displays(table);
    query_spoil.caps = compute_only;
    query_spoil.status = refuses_first_call;
}

static void APIENTRY install_compute_ranges(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    leave_out_displays(table);
    query_spoil.caps = compute_only;
    query_spoil.descriptor = announces_range;
}

static void APIENTRY compute_swizzles(DXGK_DRIVERCAPS *caps) {
    compute_only(caps);
    caps->NumberOfSwizzlingRanges = 2;
}
INSTALL_COMPUTE(compute_swizzles, caps)

static void APIENTRY compute_flips(DXGK_DRIVERCAPS *caps) {
    compute_only(caps);
    caps->FlipCaps.FlipOnVSyncMmIo = 1;
}
INSTALL_COMPUTE(compute_flips, caps)

static void APIENTRY compute_at_high_irql(DXGK_DRIVERCAPS *caps) {
    compute_only(caps);
    caps->SchedulingCaps.LowIrqlPreemptCommand = 0;
}
INSTALL_COMPUTE(compute_at_high_irql, caps)

static void APIENTRY install_compute_no_clock(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    leave_out_displays(table);
    query_spoil.caps = compute_only;
    table->DxgkDdiCalibrateGpuClock = NULL;
}

static void APIENTRY install_compute_pitch(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    leave_out_displays(table);
    query_spoil.caps = compute_only;
    query_spoil.descriptor = pitch_aligned;
}

static void APIENTRY install_compute_displays(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    query_spoil.caps = compute_only;
    table->DxgkDdiCalibrateGpuClock = calibrate;
    table->DxgkDdiFormatHistoryBuffer = format_history;
}

static void APIENTRY compute_early(DXGK_DRIVERCAPS *caps) {
    compute_only(caps);
    caps->WDDMVersion = DXGKDDI_WDDMv2;
}
INSTALL_COMPUTE(compute_early, caps)

static void APIENTRY reaches_everything(DXGK_DRIVERCAPS *caps) {
    caps->HighestAcceptableAddress.QuadPart = INT64_MAX;
}
INSTALL(reaches_everything, caps)

static void APIENTRY reaches_any(DXGK_DRIVERCAPS *caps) {
    caps->HighestAcceptableAddress.QuadPart = -1;
}
INSTALL(reaches_any, caps)

static void APIENTRY odd_version(DXGK_DRIVERCAPS *caps) {
    caps->WDDMVersion = (DXGK_WDDMVERSION)(1 << 28);
}
INSTALL(odd_version, caps)

static void APIENTRY preempts_without_contexts(DXGK_DRIVERCAPS *caps) {
    caps->SchedulingCaps.MultiEngineAware = 0;
    caps->SchedulingCaps.PreemptionAware = 1;
}
INSTALL(preempts_without_contexts, caps)

static void APIENTRY preempts_nothing(DXGK_DRIVERCAPS *caps) {
    caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_NONE;
    caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_NONE;
}
INSTALL(preempts_nothing, caps)

static void APIENTRY preempts_no_graphics(DXGK_DRIVERCAPS *caps) {
    caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_NONE;
}
INSTALL(preempts_no_graphics, caps)

/* ---- C: capabilities and functions ----------------------------------------------------------- */

static void APIENTRY install_no_release(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiReleaseSwizzlingRange = NULL;
}

static void APIENTRY install_no_basis_end(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiDestroyMemoryBasis = NULL;
}

static void APIENTRY install_no_migration_end(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiEndLiveMigration = NULL;
}

static void APIENTRY install_no_reset(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiResetFromTimeout = NULL;
}

static void APIENTRY install_no_restart(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiRestartFromTimeout = NULL;
}

static void APIENTRY install_no_process(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiSubmitCommandVirtual = NULL;
}

static void APIENTRY install_compute_no_render(DRIVER_INITIALIZATION_DATA *table) {
    query_install(table);
    leave_out_displays(table);
    query_spoil.caps = compute_only;
    table->DxgkDdiRender = NULL;
}

static void APIENTRY install_no_preemption(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPreemptCommand = NULL;
}

static void APIENTRY install_no_current_fence(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiQueryCurrentFence = NULL;
}

static void APIENTRY install_no_gdi(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiRenderKm = NULL;
}

static void APIENTRY install_no_patch(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPatch = NULL;
}

/* ---- B: descriptors -------------------------------------------------------------------------- */

#define SPOIL_WHERE(name, which, ...)                                                              \
    static void APIENTRY name(struct query_descriptor *d) {                                        \
        if (which(d)) {                                                                            \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }                                                                                              \
    INSTALL(name, descriptor)

SPOIL_WHERE(odd_size, query_memory, *d->size -= 512)
SPOIL_WHERE(page_too_many, query_memory, *d->size += 4096; *d->commit += 4096)
SPOIL_WHERE(agp_and_more, query_aperture, d->flags->Agp = 1)
SPOIL_WHERE(no_cpu_address, query_memory, d->cpu->QuadPart = 0)
SPOIL_WHERE(beyond_bar, query_memory, *d->size *= 2)
static bool hidden_memory(const struct query_descriptor *d) {
    return query_memory(d) && !d->flags->CpuVisible;
}
SPOIL_WHERE(far_base, hidden_memory, d->base->QuadPart += 1ll << 36)
/* Where the CPU found the memory when it was first asked. */
static LONGLONG first_cpu;
SPOIL_WHERE(stays_behind, query_memory, first_cpu = first_cpu != 0 ? first_cpu : d->cpu->QuadPart;
            d->cpu->QuadPart = first_cpu)
SPOIL_WHERE(no_bank_table, query_memory, d->flags->UseBanking = 1; *d->bank_ends = NULL)
static SIZE_T half_of_it[1] = {4096};
static __attribute__((noinline)) void leave_banks(struct query_descriptor *d) {
    SIZE_T ends[1] = {4096};
    const volatile ULONG_PTR address = (ULONG_PTR)ends;
    d->flags->UseBanking = 1;
    *d->banks = 2;
    *d->bank_ends = (SIZE_T *)address;
}
SPOIL_WHERE(banks_on_stack, query_memory, leave_banks(d))
SPOIL_WHERE(banks_unsaid, query_memory, *d->banks = 2; *d->bank_ends = half_of_it)
SPOIL_WHERE(coherent_memory, query_memory, d->flags->CacheCoherent = 1)
INSTALL(populated_aperture, descriptor)
INSTALL(pitch_in_window, descriptor)
SPOIL_WHERE(hibernate_only, query_memory, d->flags->PreservedDuringStandby = 0;
            d->flags->PreservedDuringHibernate = 1)
SPOIL_WHERE(end_without_partial, query_memory, *d->end = 4096)
SPOIL_WHERE(reserved_flag, query_memory, d->flags->Value |= 1u << 31)
SPOIL_WHERE(reserved_member, query_memory, *d->reserved = 1)
SPOIL_WHERE(never_preserved, query_memory, d->flags->PreservedDuringStandby = 0)
SPOIL_WHERE(reserves_system, query_memory, d->flags->ReservedSysMem = 1)
SPOIL_WHERE(visible_host_aperture, query_memory, d->flags->SupportsCpuHostAperture = 1)
SPOIL_WHERE(cached_host_aperture, query_memory, d->flags->SupportsCachedCpuHostAperture = 1)
SPOIL_WHERE(empty_host_aperture, query_memory, d->flags->CpuVisible = 0;
            d->flags->SupportsCpuHostAperture = 1; d->cpu->QuadPart = 0)
SPOIL_WHERE(memory_commit, query_memory, *d->commit -= 4096)
SPOIL_WHERE(aperture_commit, query_aperture, *d->commit += 4096)
SPOIL_WHERE(zero_commit, query_aperture, *d->commit = 0)

static void APIENTRY two_agp(struct query_descriptor *d) {
    d->flags->Value = 2; /* Agp */
}
INSTALL(two_agp, descriptor)

static SIZE_T falling_ends[4];
static void APIENTRY falling_banks(struct query_descriptor *d) {
    if (!query_memory(d))
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

static SIZE_T ends_in_pages[2];
static void APIENTRY banks_in_pages(struct query_descriptor *d) {
    if (!query_memory(d))
        return;
    ends_in_pages[0] = *d->size / 4096 / 2;
    ends_in_pages[1] = *d->size / 4096;
    d->flags->UseBanking = 1;
    *d->banks = 2;
    *d->bank_ends = ends_in_pages;
}
INSTALL(banks_in_pages, descriptor)

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

static void APIENTRY pages_from_memory(DXGK_QUERYSEGMENTOUT4 *out, bool first) {
    if (!first)
        out->PagingBufferSegmentId = 2;
}
INSTALL(pages_from_memory, out)

static void APIENTRY dedicated_engine(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.DedicatedPagingEngine = 1;
}
INSTALL(dedicated_engine, caps)

static void APIENTRY virtual_by_nothing(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
}
INSTALL(virtual_by_nothing, caps)

static void APIENTRY tables_alone(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.VirtualAddressingSupported = 0;
}
INSTALL(tables_alone, caps)

static void APIENTRY texture_alone(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.CrossAdapterResourceTexture = 1;
}
INSTALL(texture_alone, caps)

static void APIENTRY paging_node_too_high(DXGK_PHYSICALADAPTERCAPS *caps) {
    caps->PagingNodeIndex = caps->NumExecutionNodes;
}
INSTALL(paging_node_too_high, physical)

static void APIENTRY paging_node_of_old(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.PagingNode = caps->GpuEngineTopology.NbAsymetricProcessingNodes;
}
INSTALL(paging_node_of_old, caps)

static void APIENTRY newer_memory_caps(DXGK_DRIVERCAPS *caps) {
    caps->MemoryManagementCaps.Value |= 1u << 31;
}
INSTALL(newer_memory_caps, caps)

static void APIENTRY no_size(struct query_descriptor *d) {
    if (query_memory(d))
        *d->size = *d->commit = 0;
}
INSTALL(no_size, descriptor)

static void APIENTRY wrong_handle(DXGK_PHYSICALADAPTERCAPS *caps) {
    caps->DxgkPhysicalAdapterHandle = NULL;
}
INSTALL(wrong_handle, physical)

static void APIENTRY one_node_more(DXGK_PHYSICALADAPTERCAPS *caps) {
    caps->NumExecutionNodes++;
}
INSTALL(one_node_more, physical)

/* ---- The mutants ----------------------------------------------------------------------------- */

/* ---- Nodes ----------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY know_one_node(const HANDLE adapter, UINT node,
                                       DXGKARG_GETNODEMETADATA *args) {
    return node == 0 ? mutants_good.DxgkDdiGetNodeMetadata(adapter, node, args)
                     : STATUS_INVALID_PARAMETER;
}
REPLACE(DxgkDdiGetNodeMetadata, know_one_node)

static NTSTATUS APIENTRY know_all_nodes(const HANDLE adapter, UINT node,
                                        DXGKARG_GETNODEMETADATA *args) {
    return mutants_good.DxgkDdiGetNodeMetadata(adapter, node % 2, args);
}
REPLACE(DxgkDdiGetNodeMetadata, know_all_nodes)

static NTSTATUS APIENTRY leaves_type(const HANDLE adapter, UINT node,
                                     DXGKARG_GETNODEMETADATA *args) {
    DXGK_ENGINE_TYPE type = args->EngineType;
    NTSTATUS status = mutants_good.DxgkDdiGetNodeMetadata(adapter, node, args);
    args->EngineType = type;
    return status;
}
REPLACE(DxgkDdiGetNodeMetadata, leaves_type)

/* As long as a newer system's structure would be. */
static NTSTATUS APIENTRY clears_too_much(const HANDLE adapter, UINT node,
                                         DXGKARG_GETNODEMETADATA *args) {
    memset(args + 1, 0, 8);
    return mutants_good.DxgkDdiGetNodeMetadata(adapter, node, args);
}
REPLACE(DxgkDdiGetNodeMetadata, clears_too_much)

static NTSTATUS APIENTRY forgets_model(const HANDLE adapter, UINT node,
                                       DXGKARG_GETNODEMETADATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiGetNodeMetadata(adapter, node, args);
    args->GpuMmuSupported = FALSE;
    return status;
}
REPLACE(DxgkDdiGetNodeMetadata, forgets_model)

static NTSTATUS APIENTRY pages_elsewhere(const HANDLE adapter, UINT node,
                                         DXGKARG_GETNODEMETADATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiGetNodeMetadata(adapter, node, args);
    args->GpuMmuSupported = args->EngineType == DXGK_ENGINE_TYPE_3D;
    return status;
}
REPLACE(DxgkDdiGetNodeMetadata, pages_elsewhere)

static NTSTATUS APIENTRY draws_elsewhere(const HANDLE adapter, UINT node,
                                         DXGKARG_GETNODEMETADATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiGetNodeMetadata(adapter, node, args);
    args->GpuMmuSupported = args->GpuMmuSupported && node != 0;
    return status;
}
REPLACE(DxgkDdiGetNodeMetadata, draws_elsewhere)

static NTSTATUS APIENTRY names_nothing(const HANDLE adapter, UINT node,
                                       DXGKARG_GETNODEMETADATA *args) {
    NTSTATUS status = mutants_good.DxgkDdiGetNodeMetadata(adapter, node, args);
    if (args->EngineType == DXGK_ENGINE_TYPE_COPY)
        args->EngineType = DXGK_ENGINE_TYPE_OTHER;
    return status;
}
REPLACE(DxgkDdiGetNodeMetadata, names_nothing)

/* A driver of an adapter with a display. */
static NTSTATUS APIENTRY start_display(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    NTSTATUS status = mutants_good.DxgkDdiStartDevice(context, info, calls, sources, children);
    *sources = 1;
    return status;
}

/* The reference driver has SupportNonVGA, and no function for it: it has no display. */
REPLACE(DxgkDdiStartDevice, start_display)

static NTSTATUS APIENTRY keeps_display(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status))
        ((DXGK_DRIVERCAPS *)args->pOutputData)->SupportNonVGA = FALSE;
    return status;
}

static void APIENTRY install_never_turns(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_display;
    table->DxgkDdiQueryAdapterInfo = keeps_display;
    table->DxgkDdiUpdateActiveVidPnPresentPath = NULL;
}

static NTSTATUS APIENTRY points(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = keeps_display(adapter, args);
    if (args->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status))
        ((DXGK_DRIVERCAPS *)args->pOutputData)->PointerCaps.Color = 1;
    return status;
}

static void APIENTRY install_points_nowhere(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_display;
    table->DxgkDdiQueryAdapterInfo = points;
    table->DxgkDdiSetPointerPosition = NULL;
}

static NTSTATUS APIENTRY answers_everything(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    return (int)args->Type > 0x1000 ? STATUS_SUCCESS : status;
}
REPLACE(DxgkDdiQueryAdapterInfo, answers_everything)

/* The bits of the counter, as they are. */
static NTSTATUS APIENTRY answers_precision(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_HISTORYBUFFERPRECISION *answer = args->pOutputData;
    if (args->Type != DXGKQAITYPE_HISTORYBUFFERPRECISION)
        return mutants_good.DxgkDdiQueryAdapterInfo(adapter, args);
    for (UINT i = 0; i < args->OutputDataSize / sizeof(*answer); i++)
        answer[i].PrecisionBits = 24;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiQueryAdapterInfo, answers_precision)

static void APIENTRY install_no_metadata(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiGetNodeMetadata = NULL;
}

/* ---- Children -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY start_with_two_children(const PVOID context, PDXGK_START_INFO info,
                                                 PDXGKRNL_INTERFACE calls, PULONG sources,
                                                 PULONG children) {
    NTSTATUS status = mutants_good.DxgkDdiStartDevice(context, info, calls, sources, children);
    *children = 2;
    return status;
}

static NTSTATUS APIENTRY describe_one_child(const PVOID context, PDXGK_CHILD_DESCRIPTOR child,
                                            ULONG size) {
    (void)context;
    (void)size;
    child->ChildDeviceType = TypeVideoOutput;
    child->ChildUid = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY describe_one_more(const PVOID context, PDXGK_CHILD_DESCRIPTOR child,
                                           ULONG size) {
    (void)context;
    for (ULONG i = 0; i < size / sizeof(*child); i++) {
        child[i].ChildDeviceType = TypeVideoOutput;
        child[i].ChildUid = i + 1;
    }
    return STATUS_SUCCESS;
}

static void APIENTRY install_one_child(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_with_two_children;
    table->DxgkDdiQueryChildRelations = describe_one_child;
}

static void APIENTRY install_one_child_more(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_with_two_children;
    table->DxgkDdiQueryChildRelations = describe_one_more;
}

static void APIENTRY install_no_description(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiStartDevice = start_with_two_children;
    table->DxgkDdiQueryChildRelations = NULL;
}

/* An EDID of one block, whatever part of it was asked for. */
static NTSTATUS APIENTRY describes_all(const PVOID context, ULONG child,
                                       PDXGK_DEVICE_DESCRIPTOR descriptor) {
    (void)context;
    (void)child;
    memset(descriptor->DescriptorBuffer, 0, 128);
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiQueryDeviceDescriptor, describes_all)

/* Of an EDID without extensions; the byte before that number tells parts of it apart. */
static NTSTATUS describe_from(PDXGK_DEVICE_DESCRIPTOR descriptor, ULONG offset) {
    static const unsigned char edid[128] = {0,    0xff, 0xff,      0xff,        0xff, 0xff,
                                            0xff, 0,    [64] = 64, [125] = 125, 0};
    if (offset >= sizeof(edid))
        return STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA;
    ULONG length = (ULONG)sizeof(edid) - offset;
    if (descriptor->DescriptorLength < length)
        length = descriptor->DescriptorLength;
    memcpy(descriptor->DescriptorBuffer, edid + offset, length);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY describes_start(const PVOID context, ULONG child,
                                         PDXGK_DEVICE_DESCRIPTOR descriptor) {
    (void)context;
    (void)child;
    return describe_from(descriptor, 0);
}
REPLACE(DxgkDdiQueryDeviceDescriptor, describes_start)

static NTSTATUS APIENTRY describes_twice(const PVOID context, ULONG child,
                                         PDXGK_DEVICE_DESCRIPTOR descriptor) {
    (void)context;
    (void)child;
    return describe_from(descriptor, descriptor->DescriptorOffset % 128);
}
REPLACE(DxgkDdiQueryDeviceDescriptor, describes_twice)

const struct mutant mutants_query[] = {
    {BREAKS(3, DRIVER, "start", writes_paging_size,
            "writes PagingBufferSize in the first call of QUERYSEGMENT3"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(3, DRIVER, "start", fills_at_once,
            "fills descriptors in the first call of QUERYSEGMENT3"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(5, DRIVER, "start", fills_at_once,
            "fills descriptors in the first call of QUERYSEGMENT4")},
    {BREAKS(5, DRIVER, "start", writes_paging_size,
            "writes PagingBufferSize in the first call of QUERYSEGMENT4")},
    {BREAKS(5, DRIVER, "start", refuses_first_call, "refuses QUERYSEGMENT4")},
    {BREAKS(7, DRIVER, "start", counts_differently, "counts differently in the second call")},
    {BREAKS(7, DRIVER, "start", refuses_second_call,
            "refuses the number of segments that it reported")},
    {BREAKS(8, DRIVER, "start", walks_by_sizeof, "walks the descriptor array by sizeof")},
    {BREAKS(8, DRIVER, "start", writes_behind_array, "writes a byte behind the descriptor array")},
    {BREAKS(8, DRIVER, "query", copies_whole_descriptors,
            "copies its own descriptor behind the end of a shorter one")},
    {BREAKS(10, DRIVER, "start", forgets_paging_size, "leaves PagingBufferSize unwritten")},
    {BREAKS(10, DRIVER, "start", writes_behind_output,
            "writes a byte behind DXGK_QUERYSEGMENTOUT4")},
    {BREAKS(609, DRIVER, "query", answers_precision, "logs time stamps of 24 bits")},
    {BREAKS(14, DRIVER, "start", sets_agp, "reports an AGP segment without an AGP aperture"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(16, DRIVER, "start", reports_no_segment, "reports no segments")},
    {BREAKS(18, DRIVER, "start", reports_system_memory, "reports system memory as a segment")},
    {BREAKS(601, DRIVER, "start", moves_when_started_again,
            "has its segments elsewhere when it is started again in the same image")},
    {BREAKS(19, DRIVER, "query", changes_its_mind,
            "makes its memory apertures when it is asked again"),
     .consequences = {21}},
    {BREAKS(20, DRIVER, "start", overlaps, "puts two segments at the same address")},
    {BREAKS(21, DRIVER, "start", has_no_aperture, "reports no aperture segment at version 2.0")},
    {BREAKS(22, DRIVER, "start", compute_refuses, "is compute-only and refuses QUERYSEGMENT4"),
     .consequences = {5}, .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(23, DRIVER, "query", computes_without_tables,
            "is compute-only, has GPU virtual addresses and describes no page tables"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}, {"MmuLevels", 4}}},
    {BREAKS(24, DRIVER, "start", compute_ranges,
            "is compute-only and refuses SEGMENTMEMORYSTATE after announcing a range"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(25, DRIVER, "start", compute_swizzles, "is compute-only and has swizzling ranges"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(25, DRIVER, "start", compute_flips, "is compute-only and flips"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(656, DRIVER, "start", compute_at_high_irql,
            "is compute-only and wants preemptions at the IRQL of interrupts"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(26, DRIVER, "start", compute_pitch, "is compute-only and has a PitchAlignment segment"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(477, DRIVER, "query", no_process,
            "has GPU virtual addresses and takes no submissions by them"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(477, DRIVER, "query", no_process,
            "has the CPU's page tables and takes no submissions by virtual addresses"),
     .settings = {{"Iommu", 1}}},
    {BREAKS(477, DRIVER, "query", no_patch, "has neither virtual addresses nor patches")},
    {BREAKS(477, DRIVER, "query", no_gdi, "reports commands of GDI and has no DxgkDdiRenderKm"),
     .settings = {{"Gdi", 1}}},
    {BREAKS(477, DRIVER, "start", compute_no_render,
            "is compute-only, without virtual addresses, and has no DxgkDdiRender"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(477, DRIVER, "start", compute_no_clock,
            "is compute-only and has no DxgkDdiCalibrateGpuClock"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(477, DRIVER, "query", no_release, "has swizzling ranges and cannot release them")},
    {BREAKS(477, DRIVER, "start", start_display, "has SupportNonVGA and gives no display back")},
    {BREAKS(477, DRIVER, "start", never_turns, "has SupportSmoothRotation and updates no path")},
    {BREAKS(477, DRIVER, "start", points_nowhere, "has PointerCaps and places no pointer")},
    {BREAKS(477, DRIVER, "start", no_basis_end, "tracks dirty bits and destroys no memory basis"),
     .settings = {{"InterfaceVersion", VERSION(WDDM3_2)}, {"DirtyPageBytes", 4096}}},
    {BREAKS(477, DRIVER, "start", no_migration_end, "migrates and cannot end it"),
     .settings = {{"InterfaceVersion", VERSION(WDDM3_2)},
                  {"DirtyPageBytes", 4096},
                  {"MmuLevels", 3}}},
    {BREAKS(635, DRIVER, "query", no_reset, "restarts from a time-out and cannot reset")},
    {BREAKS(635, DRIVER, "query", no_restart, "resets and cannot restart")},
    {BREAKS(600, DRIVER, "query", no_preemption, "has no DxgkDdiPreemptCommand")},
    {BREAKS(600, DRIVER, "query", no_current_fence, "has no DxgkDdiQueryCurrentFence")},
    {BREAKS(481, DRIVER, "start", preempts_without_contexts,
            "is PreemptionAware and not MultiEngineAware")},
    {BREAKS(549, DRIVER, "start", preempts_nothing,
            "is PreemptionAware and preempts at no boundary")},
    {BREAKS(549, DRIVER, "query", preempts_no_graphics,
            "is PreemptionAware and preempts no graphics work on its node of type 3D")},
    {BREAKS(478, DRIVER, "start", compute_displays,
            "is compute-only and has swizzling ranges and a current fence"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(480, DRIVER, "start", compute_early, "is compute-only and of WDDM 2.0"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(644, DRIVER, "paging", reaches_everything,
            "takes system memory at 63 bits, of which its bus has 40"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(644, DRIVER, "paging", reaches_any, "takes system memory at any address"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_0)}}},
    {BREAKS(644, DRIVER, "query", reaches_any,
            "takes system memory at any address, and says nothing else of what it reaches"),
     .settings = {{"InterfaceVersion", VERSION(WDDM3_0)}}},
    {BREAKS(636, DRIVER, "query", odd_version, "has 0x10000000 for a WDDMVersion")},
    {BREAKS(27, DRIVER, "start", answers_not_supported,
            "answers DRIVERCAPS with STATUS_NOT_SUPPORTED")},
    {BREAKS(27, DRIVER, "start", answers_too_small,
            "answers DRIVERCAPS with STATUS_BUFFER_TOO_SMALL")},
    {BREAKS(625, DRIVER, "start", refuses_caps, "refuses DRIVERCAPS")},
    {BREAKS(625, DRIVER, "start", refuses_physical, "refuses PHYSICALADAPTERCAPS")},
    {BREAKS(625, DRIVER, "start", refuses_mmu, "has no memory for GPUMMUCAPS"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(625, DRIVER, "start", refuses_count, "refuses QUERYSEGMENT3"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(625, DRIVER, "start", refuses_count, "refuses QUERYSEGMENT"),
     .settings = {{"InterfaceVersion", VERSION(WIN7)}}},
    {BREAKS(545, DRIVER, "start", writes_behind_caps,
            "writes a byte behind OutputDataSize of DRIVERCAPS")},
    {BREAKS(545, DRIVER, "query", writes_whole,
            "writes all of its private answer, however little is asked for")},
    {BREAKS(27, DRIVER, "query", has_no_history,
            "answers HISTORYBUFFERPRECISION with STATUS_NOT_SUPPORTED")},
    {BREAKS(535, DRIVER, "start", has_no_physical_caps,
            "answers PHYSICALADAPTERCAPS with STATUS_NOT_SUPPORTED")},
    {BREAKS(28, DRIVER, "query", answers_at_random,
            "answers the same question differently each time")},
    {BREAKS(29, DRIVER, "start", wants_process, "refuses queries whose hKmdProcessHandle is NULL"),
     .consequences = {27}, .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(477, DRIVER, "start", no_query, "leaves DxgkDdiQueryAdapterInfo NULL before WDDM 2.6")},
    {BREAKS(30, DRIVER, "start", no_query, "leaves DxgkDdiQueryAdapterInfo NULL"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_6)}}},
    {BREAKS(32, DRIVER, "start", odd_size, "reports a segment of half pages")},
    {BREAKS(32, DRIVER, "start", page_too_many, "reports a page more than its memory has")},
    {BREAKS(33, DRIVER, "start", agp_and_more, "sets Agp next to Aperture"), .consequences = {14},
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(34, DRIVER, "start", two_agp, "reports two AGP segments"), .consequences = {14},
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(39, DRIVER, "start", no_cpu_address,
            "leaves CpuTranslatedAddress of a CpuVisible segment 0")},
    {BREAKS(39, DRIVER, "start", beyond_bar,
            "reports a CpuVisible segment twice the size of its BAR"),
     .consequences = {32}},
    {BREAKS(39, DRIVER, "paging", far_base,
            "reports memory that the CPU does not see 64 GB away from where it is"),
     .settings = {{"MmuLevels", 4}, {"VramVisibleBytes", 1 << 19}}},
    {BREAKS(39, DRIVER, "paging", stays_behind,
            "reports the CPU address of before the device was stopped and started again")},
    {BREAKS(540, DRIVER, "start", no_size, "reports a segment without a byte")},
    {BREAKS(40, DRIVER, "start", no_bank_table, "sets UseBanking without a bank table"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(599, DRIVER, "start", banks_on_stack, "leaves a bank table on its stack"),
     .consequences = {41}, .unlike = true, .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(562, DRIVER, "start", banks_unsaid, "reports banks without UseBanking"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(41, DRIVER, "start", falling_banks, "has banks whose ends fall"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(598, DRIVER, "objects", aligns_rows_to_pages,
            "reports an AlignmentShift that the rows of its surfaces do not have")},
    {BREAKS(595, DRIVER, "start", banks_in_pages, "counts the ends of banks in pages"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"VramBytes", 1 << 20}}},
    {BREAKS(45, DRIVER, "start", coherent_memory, "sets CacheCoherent in a memory segment")},
    {BREAKS(46, DRIVER, "paging", pitch_in_window,
            "wants to evict through an aperture with PitchAlignment"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}, {"EvictionApertureBytes", 4 << 20}}},
    {BREAKS(48, DRIVER, "start", populated_aperture,
            "sets PopulatedFromSystemMemory in an aperture segment")},
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
            "sets SupportsCpuHostAperture next to CpuVisible"),
     .consequences = {477}},
    {BREAKS(60, DRIVER, "start", cached_host_aperture, "sets SupportsCachedCpuHostAperture alone")},
    {BREAKS(61, DRIVER, "start", empty_host_aperture,
            "sets SupportsCpuHostAperture and describes none"),
     .consequences = {477}},
    {BREAKS(62, DRIVER, "start", memory_commit,
            "reports a CommitLimit below Size of a memory segment"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(63, DRIVER, "start", aperture_commit,
            "reports a CommitLimit above Size of an aperture")},
    {BREAKS(63, DRIVER, "start", zero_commit, "leaves CommitLimit of an aperture 0")},
    {BREAKS(68, DRIVER, "start", half_a_page, "reports an invalid range of half a page")},
    {BREAKS(73, DRIVER, "start", pages_from_memory,
            "wants its paging buffers in a memory segment")},
    {BREAKS(84, DRIVER, "start", dedicated_engine, "sets DedicatedPagingEngine")},
    {BREAKS(84, DRIVER, "start", newer_memory_caps,
            "sets a bit of DXGK_VIDMMCAPS that no version has")},
    {BREAKS(85, DRIVER, "start", virtual_by_nothing,
            "sets VirtualAddressingSupported without an MMU")},
    {BREAKS(536, DRIVER, "start", tables_alone,
            "has page tables without VirtualAddressingSupported"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(86, DRIVER, "start", texture_alone, "sets CrossAdapterResourceTexture alone"),
     .settings = {{"InterfaceVersion", VERSION(WDDM2_9)}}},
    {BREAKS(89, DRIVER, "start", paging_node_too_high, "names a paging node that does not exist")},
    {BREAKS(89, DRIVER, "start", paging_node_of_old, "names a PagingNode that does not exist"),
     .settings = {{"InterfaceVersion", VERSION(WIN8)}}},
    {BREAKS(524, DRIVER, "query", know_one_node, "tells of its first node alone")},
    {BREAKS(524, DRIVER, "query", know_all_nodes, "tells of nodes that do not exist")},
    {BREAKS(524, DRIVER, "query", no_metadata, "has no DxgkDdiGetNodeMetadata")},
    {BREAKS(616, DRIVER, "paging", overlays_from_end,
            "creates overlays and says that it supports none")},
    {BREAKS(529, DRIVER, "query", answers_everything, "succeeds for queries that nobody knows")},
    {BREAKS(599, DRIVER, "query", clears_too_much,
            "clears 8 bytes behind the structure for the metadata of a node")},
    {BREAKS(599, DRIVER, "query", describes_all,
            "answers with a whole block of an EDID when it is asked for half of it"),
     .settings = {{"Displays", 1}}},
    {BREAKS(655, DRIVER, "query", describes_start,
            "answers with the first bytes of an EDID, whatever DescriptorOffset is"),
     .settings = {{"Displays", 1}}},
    {BREAKS(655, DRIVER, "query", describes_twice, "has the base block of an EDID behind itself"),
     .settings = {{"Displays", 1}}},
    {BREAKS(532, DRIVER, "query", leaves_type, "does not write EngineType")},
    {BREAKS(536, DRIVER, "query", forgets_model, "has page tables, and no node that uses them"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(536, DRIVER, "engines", draws_elsewhere,
            "has no page tables for its first node, whose faults it reports by address"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(536, DRIVER, "start", pages_elsewhere,
            "pages by GPU virtual addresses on a node without page tables"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(630, DRIVER, "query", names_nothing, "has a node of type OTHER without a name")},
    {BREAKS(90, DRIVER, "start", wrong_handle, "reports no DxgkPhysicalAdapterHandle")},
    {BREAKS(623, DRIVER, "query", one_child, "has more children than it describes")},
    {BREAKS(623, DRIVER, "query", one_child_more, "describes more children than it has")},
    {BREAKS(623, DRIVER, "query", no_description,
            "has children and no function that describes them")},
    {BREAKS(580, DRIVER, "start", one_node_more,
            "counts a node more in PHYSICALADAPTERCAPS than in DRIVERCAPS")},
};
const uint32_t mutants_query_count = sizeof(mutants_query) / sizeof(mutants_query[0]);
