/*
 * break_operation.c - drivers that do something else than a paging operation asks for, and managers
 * that ask for what they must not.
 */
#include "mutants.h"

#include <string.h>

#include <vidmm/umd.h>

#define PAGE      4096u
#define OWN_PAGES 4096u

/* The driver gets `asked`, which differs from what the caller asked for in its arm alone. */
static NTSTATUS ask(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args,
                    DXGKARG_BUILDPAGINGBUFFER *asked) {
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, asked);
    args->pDmaBuffer = asked->pDmaBuffer;
    args->DmaSize = asked->DmaSize;
    args->pDmaBufferPrivateData = asked->pDmaBufferPrivateData;
    args->DmaBufferPrivateDataSize = asked->DmaBufferPrivateDataSize;
    args->MultipassOffset = asked->MultipassOffset;
    return status;
}

/* A mutant that changes the arm: `spoil_NAME` is called with a copy. */
#define SPOILED(NAME)                                                                              \
    static NTSTATUS APIENTRY NAME(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {               \
        DXGKARG_BUILDPAGINGBUFFER asked = *args;                                                   \
        spoil_##NAME(&asked);                                                                      \
        return ask(adapter, args, &asked);                                                         \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiBuildPagingBuffer = NAME;                                                    \
    }

/* A mutant that keeps an operation to itself when `skips_NAME` says so. */
#define SKIPPED(NAME)                                                                              \
    static NTSTATUS APIENTRY NAME(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {               \
        return skips_##NAME(args) ? STATUS_SUCCESS                                                 \
                                  : mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);          \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiBuildPagingBuffer = NAME;                                                    \
    }

static bool copies(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.TransferSize != 0;
}

static bool pages_in(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return copies(args) && args->Transfer.Source.SegmentId == 0;
}

static bool pages_out(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return copies(args) && args->Transfer.Destination.SegmentId == 0;
}

static bool maps(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT &&
           args->MapApertureSegment.hAllocation;
}

static bool unmaps(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT &&
           args->UnmapApertureSegment.hAllocation;
}

/* The offset in the segment, whose base has 40 bits, has 32. */
static void APIENTRY spoil_offset_narrow(DXGKARG_BUILDPAGINGBUFFER *args) {
    const LONGLONG bit = (LONGLONG)1 << 32;
    if (pages_in(args))
        args->Transfer.Destination.SegmentAddress.QuadPart &= ~bit;
    else if (pages_out(args))
        args->Transfer.Source.SegmentAddress.QuadPart &= ~bit;
}
SPOILED(offset_narrow)

/* What is built is no more to be done. */
static NTSTATUS APIENTRY count_in_place(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (status == STATUS_SUCCESS && copies(args)) {
        args->Transfer.TransferOffset += (UINT)args->Transfer.TransferSize;
        args->Transfer.TransferSize = 0;
    }
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, count_in_place)

/* An MDL of our own, with room for what the conformance check's surfaces have. */
static struct {
    MDL mdl;
    PFN_NUMBER frame[OWN_PAGES];
} own;

static uint64_t own_copy(const MDL *mdl) {
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(mdl + 1);
    uint64_t pages = mdl->ByteCount / PAGE;
    pages = pages < OWN_PAGES ? pages : OWN_PAGES;
    own.mdl = *mdl;
    memcpy(own.frame, frames, pages * sizeof(*frames));
    return pages;
}

/* ---- Drivers: transfers ---------------------------------------------------------------------- */

static void APIENTRY spoil_lose_last_page(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args) && args->Transfer.TransferSize > PAGE)
        args->Transfer.TransferSize -= PAGE;
}
SPOILED(lose_last_page)

static bool skips_copy_nothing(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return copies(args);
}
SKIPPED(copy_nothing)

static void APIENTRY spoil_ignore_transfer_offset(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args))
        args->Transfer.TransferOffset = 0;
}
SPOILED(ignore_transfer_offset)

static void APIENTRY spoil_ignore_mdl_offset(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args))
        args->Transfer.MdlOffset = 0;
}
SPOILED(ignore_mdl_offset)

static bool skips_refuse_raw_copies(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return copies(args) && !args->Transfer.hAllocation;
}
SKIPPED(refuse_raw_copies)

static void APIENTRY spoil_copy_for_a_notice(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.TransferSize == 0)
        args->Transfer.TransferSize = PAGE;
}
SPOILED(copy_for_a_notice)

/* ---- Drivers: fill and apertures ------------------------------------------------------------- */

static void APIENTRY spoil_fill_with_ones(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_FILL)
        args->Fill.FillPattern ^= 0xff000000u;
}
SPOILED(fill_with_ones)

static void APIENTRY spoil_fill_all_but_the_end(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_FILL)
        args->Fill.FillSize -= args->Fill.FillSize / 2;
}
SPOILED(fill_all_but_the_end)

static void APIENTRY spoil_fill_too_far(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_FILL)
        args->Fill.FillSize += 4096;
}
SPOILED(fill_too_far)

/* Each page shows the frame of the page behind it. */
static void APIENTRY spoil_map_one_off(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (!maps(args))
        return;
    uint64_t pages = own_copy(args->MapApertureSegment.pMdl);
    PFN_NUMBER first = own.frame[0];
    memmove(own.frame, own.frame + 1, (pages - 1) * sizeof(first));
    own.frame[pages - 1] = first;
    args->MapApertureSegment.pMdl = &own.mdl;
}
SPOILED(map_one_off)

static void APIENTRY spoil_map_narrow(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (!maps(args))
        return;
    uint64_t pages = own_copy(args->MapApertureSegment.pMdl);
    for (uint64_t i = 0; i < pages; i++)
        own.frame[i] &= 0xfffff;
    args->MapApertureSegment.pMdl = &own.mdl;
}
SPOILED(map_narrow)

static void APIENTRY spoil_map_first_page(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT)
        args->MapApertureSegment.NumberOfPages = 1;
}
SPOILED(map_first_page)

static void APIENTRY spoil_unmap_to_page_zero(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)
        args->UnmapApertureSegment.DummyPage.QuadPart = 0;
}
SPOILED(unmap_to_page_zero)

static void APIENTRY spoil_unmap_one_more(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (unmaps(args))
        args->UnmapApertureSegment.NumberOfPages++;
}
SPOILED(unmap_one_more)

static bool skips_leave_mapped(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return unmaps(args);
}
SKIPPED(leave_mapped)

/* The union's other member. A sanitizer would die of the address first, at another one. */
#define AS_IT_IS __attribute__((no_sanitize("address")))

AS_IT_IS static void spoil_list_of_an_address(DXGKARG_BUILDPAGINGBUFFER *args) {
    static volatile PFN_NUMBER first;
    if (args->Operation == DXGK_OPERATION_TRANSFER && args->Transfer.Source.SegmentId != 0)
        first = MmGetMdlPfnArray(args->Transfer.Source.pMdl)[0];
    (void)first;
}
SPOILED(list_of_an_address)

AS_IT_IS static void spoil_fill_by_pointer(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_FILL)
        *(volatile UCHAR *)(uintptr_t)args->Fill.Destination.SegmentAddress.QuadPart = 0;
}
SPOILED(fill_by_pointer)

/* ---- Managers: places ------------------------------------------------------------------------ */

/* The reference driver's memory segment, with the VramBytes of the paging stage. */
#define VRAM_END ((1ll << 40) + (1ll << 20))

static void APIENTRY spoil_reach_out_of_the_segment(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_in(args) && args->Transfer.Flags.TransferStart && !args->Transfer.Flags.TransferEnd)
        args->Transfer.Destination.SegmentAddress.QuadPart =
            VRAM_END - (LONGLONG)args->Transfer.TransferSize;
}
SPOILED(reach_out_of_the_segment)

/* The same place for everything that is new in the segment. */
static void APIENTRY spoil_fill_at_one_place(DXGKARG_BUILDPAGINGBUFFER *args) {
    static UINT segment;
    static LARGE_INTEGER place;
    if (args->Operation != DXGK_OPERATION_FILL)
        return;
    if (segment == 0) {
        segment = args->Fill.Destination.SegmentId;
        place = args->Fill.Destination.SegmentAddress;
    }
    if (segment == args->Fill.Destination.SegmentId)
        args->Fill.Destination.SegmentAddress = place;
}
SPOILED(fill_at_one_place)

static void APIENTRY spoil_misalign(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_out(args))
        args->Transfer.Source.SegmentAddress.QuadPart -= 16;
}
SPOILED(misalign)

/* A list of other frames in the place of that of a transfer. */
#define OTHER_FRAMES 64u
static struct {
    MDL mdl;
    PFN_NUMBER frame[OTHER_FRAMES];
} other_list;

static PFN_NUMBER frame_behind_first(const PFN_NUMBER *frames, SIZE_T first, SIZE_T index) {
    return index < first ? frames[index] : frames[first] + index - first;
}

static PFN_NUMBER frame_of_low_bits(const PFN_NUMBER *frames, SIZE_T first, SIZE_T index) {
    (void)first;
    return frames[index] & 0xfffff;
}

static void give_frames(DXGKARG_BUILDPAGINGBUFFER *args,
                        PFN_NUMBER (*frame)(const PFN_NUMBER *frames, SIZE_T first, SIZE_T index)) {
    bool in = args->Transfer.Source.SegmentId == 0;
    PMDL *list = in ? &args->Transfer.Source.pMdl : &args->Transfer.Destination.pMdl;
    SIZE_T end = args->Transfer.MdlOffset + args->Transfer.TransferSize / 4096;
    if (args->Operation != DXGK_OPERATION_TRANSFER || end > OTHER_FRAMES ||
        (!in && args->Transfer.Destination.SegmentId != 0))
        return;
    const PFN_NUMBER *frames = MmGetMdlPfnArray(*list);
    other_list.mdl = **list;
    for (SIZE_T i = 0; i < end; i++)
        other_list.frame[i] = frame(frames, args->Transfer.MdlOffset, i);
    *list = &other_list.mdl;
}

static void APIENTRY spoil_follow_first_frame(DXGKARG_BUILDPAGINGBUFFER *args) {
    give_frames(args, frame_behind_first);
}
SPOILED(follow_first_frame)

static void APIENTRY spoil_low_frames(DXGKARG_BUILDPAGINGBUFFER *args) {
    give_frames(args, frame_of_low_bits);
}
SPOILED(low_frames)

static void APIENTRY spoil_fill_what_was_asked_for(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_FILL)
        args->Fill.FillSize -= 1;
}
SPOILED(fill_what_was_asked_for)

/* Managers that read DXGK_ALLOCATIONINFO otherwise than the driver wrote it. */
#define MISREAD(NAME, BEFORE, AFTER)                                                               \
    static NTSTATUS APIENTRY NAME(HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {                \
        for (UINT i = 0; i < args->NumAllocations; i++) {                                          \
            struct vidmm_umd_allocation *umd = args->pAllocationInfo[i].pPrivateDriverData;        \
            (void)umd;                                                                             \
            BEFORE;                                                                                \
        }                                                                                          \
        NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);                     \
        for (UINT i = 0; i < args->NumAllocations; i++) {                                          \
            DXGK_ALLOCATIONINFO *info = &args->pAllocationInfo[i];                                 \
            AFTER;                                                                                 \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiCreateAllocation = NAME;                                                     \
    }

MISREAD(forget_alignment, umd->alignment = 8 * PAGE, info->Alignment = 0)
MISREAD(place_elsewhere, , info->PreferredSegment.Value = 0;
        info->SupportedWriteSegmentSet ^= info->SupportedWriteSegmentSet == 3 ? 0 : 3)
MISREAD(take_bits_for_ids, , info->PreferredSegment.Value = 0;
        info->SupportedWriteSegmentSet >>= info->SupportedWriteSegmentSet > 1 ? 1 : 0)
MISREAD(evict_by_aperture, ,
        info->EvictionSegmentSet |= info->SupportedWriteSegmentSet == 2 ? 1 : 0)

/* ---- Managers: transfers --------------------------------------------------------------------- */

static void APIENTRY spoil_two_mdls(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_in(args)) {
        args->Transfer.Destination.SegmentId = 0;
        args->Transfer.Destination.pMdl = args->Transfer.Source.pMdl;
    }
}
SPOILED(two_mdls)

static void APIENTRY spoil_name_no_segment(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_out(args))
        args->Transfer.Source.SegmentId = 30;
}
SPOILED(name_no_segment)

static void APIENTRY spoil_half_a_page(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_out(args) && args->Transfer.TransferOffset != 0) {
        args->Transfer.TransferOffset -= PAGE / 2;
        args->Transfer.TransferSize = PAGE;
    }
}
SPOILED(half_a_page)

static void APIENTRY spoil_short_mdl(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (!pages_out(args) || args->Transfer.Destination.pMdl->ByteCount < 2 * PAGE)
        return;
    (void)own_copy(args->Transfer.Destination.pMdl);
    own.mdl.ByteCount -= PAGE;
    args->Transfer.Destination.pMdl = &own.mdl;
}
SPOILED(short_mdl)

static void APIENTRY spoil_stop_early(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_out(args) && args->Transfer.Flags.TransferEnd && args->Transfer.TransferSize > PAGE)
        args->Transfer.TransferSize -= PAGE;
}
SPOILED(stop_early)

static void APIENTRY spoil_start_without_saying(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_out(args))
        args->Transfer.Flags.TransferStart = 0;
}
SPOILED(start_without_saying)

static void APIENTRY spoil_never_end(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (pages_out(args))
        args->Transfer.Flags.TransferEnd = 0;
}
SPOILED(never_end)

static void APIENTRY spoil_both_ways(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args)) {
        args->Transfer.Flags.Swizzle = 1;
        args->Transfer.Flags.Unswizzle = 1;
    }
}
SPOILED(both_ways)

static void APIENTRY spoil_leave_unswizzled(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args))
        args->Transfer.Flags.Swizzle = 0;
}
SPOILED(leave_unswizzled)

static void APIENTRY spoil_reserved_bit(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args))
        args->Transfer.Flags.Reserved = 1;
}
SPOILED(reserved_bit)

/* ---- Managers: fill, discard ----------------------------------------------------------------- */

/* Only the first: nothing was there before. */
static void APIENTRY spoil_fill_system_memory(DXGKARG_BUILDPAGINGBUFFER *args) {
    static HANDLE first;
    if (args->Operation != DXGK_OPERATION_FILL)
        return;
    first = first ? first : args->Fill.hAllocation;
    if (args->Fill.hAllocation == first)
        args->Fill.Destination.SegmentId = 0;
}
SPOILED(fill_system_memory)

/* An MDL of the dummy page alone, once the dummy page is known. */
static bool own_dummies(const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (own.mdl.ByteCount != 0 || args->Operation != DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)
        return own.mdl.ByteCount != 0;
    for (uint64_t i = 0; i < OWN_PAGES; i++)
        own.frame[i] = (PFN_NUMBER)(args->UnmapApertureSegment.DummyPage.QuadPart / PAGE);
    own.mdl.ByteCount = OWN_PAGES * PAGE;
    return true;
}

static void APIENTRY spoil_transfer_what_is_new(DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER fill = *args;
    if (!own_dummies(args) || args->Operation != DXGK_OPERATION_FILL)
        return;
    memset(&args->Transfer, 0, sizeof(args->Transfer));
    args->Operation = DXGK_OPERATION_TRANSFER;
    args->Transfer.hAllocation = fill.Fill.hAllocation;
    args->Transfer.TransferSize = fill.Fill.FillSize;
    args->Transfer.Source.pMdl = &own.mdl;
    args->Transfer.Destination.SegmentId = fill.Fill.Destination.SegmentId;
    args->Transfer.Destination.SegmentAddress = fill.Fill.Destination.SegmentAddress;
    args->Transfer.Flags.TransferStart = args->Transfer.Flags.TransferEnd = 1;
    args->Transfer.Flags.AllocationIsIdle = 1;
}
SPOILED(transfer_what_is_new)

static void APIENTRY spoil_discard_elsewhere(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_DISCARD_CONTENT)
        args->DiscardContent.SegmentAddress.QuadPart ^= PAGE;
}
SPOILED(discard_elsewhere)

/* ---- Managers: apertures --------------------------------------------------------------------- */

static void APIENTRY spoil_map_into_agp(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (maps(args))
        args->MapApertureSegment.SegmentId = 3;
    if (unmaps(args))
        args->UnmapApertureSegment.SegmentId = 3;
}
SPOILED(map_into_agp)

/* Everything there is room for, where something is mapped already; with ApertureBytes of OWN_PAGES.
 */
static void APIENTRY spoil_map_too_much(DXGKARG_BUILDPAGINGBUFFER *args) {
    static HANDLE first, second;
    if (!maps(args))
        return;
    HANDLE this = args->MapApertureSegment.hAllocation;
    first = first ? first : this;
    second = !second && this != first ? this : second;
    if (this != second)
        return;
    for (uint64_t i = own_copy(args->MapApertureSegment.pMdl); i < OWN_PAGES; i++)
        own.frame[i] = own.frame[0];
    own.mdl.ByteCount = OWN_PAGES * PAGE;
    args->MapApertureSegment.pMdl = &own.mdl;
    args->MapApertureSegment.OffsetInPages = 0;
    args->MapApertureSegment.NumberOfPages = OWN_PAGES;
}
SPOILED(map_too_much)

static void APIENTRY spoil_unmap_nothing(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (unmaps(args))
        args->UnmapApertureSegment.NumberOfPages = 0;
}
SPOILED(unmap_nothing)

static void APIENTRY spoil_snoop_everything(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (maps(args))
        args->MapApertureSegment.Flags.CacheCoherent = 1;
}
SPOILED(snoop_everything)

static void APIENTRY spoil_snoop_nothing(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT)
        args->MapApertureSegment.Flags.CacheCoherent = 0;
}
SPOILED(snoop_nothing)

static bool skips_never_unmap(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return unmaps(args);
}
SKIPPED(never_unmap)

static void APIENTRY spoil_invent_a_device(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (maps(args))
        args->MapApertureSegment.hDevice = &own;
}
SPOILED(invent_a_device)

/* ---- Drivers: moves inside segments, and operations of several buffers -------------------------- */

static void APIENTRY spoil_forget_source_offset(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args) && args->Transfer.Source.SegmentId != 0 &&
        args->Transfer.Destination.SegmentId != 0)
        args->Transfer.Source.SegmentAddress.QuadPart -= args->Transfer.TransferOffset;
}
SPOILED(forget_source_offset)

static NTSTATUS APIENTRY begin_again(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        args->MultipassOffset = 0;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, begin_again)

static bool skips_swizzle_nothing(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_TRANSFER && !args->Transfer.hAllocation &&
           (args->Transfer.Flags.Swizzle || args->Transfer.Flags.Unswizzle);
}
SKIPPED(swizzle_nothing)

static NTSTATUS APIENTRY count_one_pass(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    const UINT before = args->MultipassOffset;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
        args->MultipassOffset -= before;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, count_one_pass)

static NTSTATUS APIENTRY copy_again(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && copies(args))
        args->MultipassOffset = 0;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, copy_again)

#define UNIT_TAG 0x74696e55u

/* What it has for the transfer that is under way. */
static void *transfer_unit;

static NTSTATUS APIENTRY take_again(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (copies(args) && args->Transfer.Flags.TransferStart)
        transfer_unit = ExAllocatePoolWithTag(NonPagedPoolNx, 16, UNIT_TAG);
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (status != STATUS_SUCCESS || !copies(args) || !args->Transfer.Flags.TransferEnd)
        return status;
    if (transfer_unit)
        ExFreePoolWithTag(transfer_unit, UNIT_TAG);
    transfer_unit = NULL;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, take_again)

/* The newest allocation whose Size ends within a page. */
static struct {
    HANDLE handle;
    SIZE_T size;
} uneven;

static NTSTATUS APIENTRY uneven_create(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        if (args->pAllocationInfo[i].Size % PAGE != 0) {
            uneven.handle = args->pAllocationInfo[i].hAllocation;
            uneven.size = args->pAllocationInfo[i].Size;
        }
    return status;
}

static void APIENTRY spoil_fill_to_its_size(DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_FILL && args->Fill.hAllocation == uneven.handle &&
        args->Fill.FillSize > uneven.size)
        args->Fill.FillSize = uneven.size;
}
SPOILED(fill_to_its_size)

static void APIENTRY install_uneven_filled(DRIVER_INITIALIZATION_DATA *table) {
    uneven.handle = NULL;
    table->DxgkDdiCreateAllocation = uneven_create;
    install_fill_to_its_size(table);
}

/* All page numbers of a map in one buffer. */
static NTSTATUS APIENTRY list_in_one_piece(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT &&
        args->MapApertureSegment.NumberOfPages * sizeof(UINT64) > args->DmaSize)
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, list_in_one_piece)

/* The rest of a map gets the pages of its beginning. */
static void APIENTRY spoil_list_from_the_start(DXGKARG_BUILDPAGINGBUFFER *args) {
    const uint64_t done = args->MultipassOffset;
    if (args->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT || done == 0)
        return;
    uint64_t pages = own_copy(args->MapApertureSegment.pMdl);
    memmove(own.frame + done, own.frame, (pages - done) * sizeof(own.frame[0]));
    args->MapApertureSegment.pMdl = &own.mdl;
}
SPOILED(list_from_the_start)

/* ---- All of them ----------------------------------------------------------------------------- */

#define BREAKER(RULE, SIDE, NAME, WHAT, ...)                                                       \
    {                                                                                              \
        .rule = RULE, .side = SIDE, .what = WHAT, .install = install_##NAME, .stage = "paging",    \
        .consequences = {                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define DRIVER(RULE, ...)  BREAKER(RULE, VIDMM_SIDE_DRIVER, __VA_ARGS__)
#define MANAGER(RULE, ...) BREAKER(RULE, VIDMM_SIDE_MANAGER, __VA_ARGS__)

const struct mutant mutants_operation[] = {
    DRIVER(177, follow_first_frame, "takes the frames of an MDL for consecutive", 161, 176),
    DRIVER(177, low_frames, "cuts the addresses of an MDL's frames to 32 bits", 161, 176),
    DRIVER(161, lose_last_page, "leaves out the last page of every transfer", 184, 185),
    DRIVER(161, copy_nothing, "answers TRANSFER with success and does nothing", 184, 185),
    DRIVER(176, ignore_transfer_offset, "ignores TransferOffset", 184, 185),
    {BREAKS(176, DRIVER, "operations", forget_source_offset,
            "leaves TransferOffset out of the source of a move inside a segment")},
    {BREAKS(
         157, DRIVER, "operations", count_one_pass,
         "counts in MultipassOffset what one pass did, in paging buffers that have room for most"),
     .settings = {{"PagingBufferBytes", 0x10000}}},
    {BREAKS(183, DRIVER, "operations", swizzle_nothing,
            "copies nothing where there is no allocation to swizzle")},
    {BREAKS(157, DRIVER, "operations", begin_again,
            "begins again in each buffer of an operation that takes several"),
     .settings = {{"PagingBufferBytes", 1024}}},
    {BREAKS(157, DRIVER, "operations", copy_again,
            "begins again in each buffer of a transfer of many pages")},
    {BREAKS(157, DRIVER, "operations", list_in_one_piece,
            "wants the page numbers of a map in one buffer")},
    {BREAKS(181, DRIVER, "operations", take_again,
            "takes memory for a transfer in each call with TransferStart, and gives back one")},
    DRIVER(177, ignore_mdl_offset, "ignores MdlOffset of transfers", 184, 185),
    {BREAKS(183, DRIVER, "operations", refuse_raw_copies,
            "does nothing where hAllocation is NULL")},
    DRIVER(186, copy_for_a_notice, "copies a page for a TRANSFER of size 0", 0),
    {BREAKS(183, DRIVER, "operations", offset_narrow,
            "cuts where a transfer goes in the segment to 32 bits"),
     .settings = {{"VramBytes", ((uint64_t)1 << 32) + ((uint64_t)1 << 20)}}},
    DRIVER(188, fill_with_ones, "gets the last byte of the fill pattern wrong", 0),
    DRIVER(188, fill_all_but_the_end, "fills half of what it was asked to", 0),
    {BREAKS(188, DRIVER, "operations", uneven_filled,
            "fills no more than Size of an allocation that ends within a page")},
    {BREAKS(591, DRIVER, "operations", count_in_place,
            "counts what it has built in the members of the operation")},
    {BREAKS(560, DRIVER, "operations", fill_too_far, "fills one page more than it was asked to")},
    DRIVER(194, map_one_off, "maps each page one off", 0),
    DRIVER(194, map_first_page, "maps only the first page of a range", 0),
    DRIVER(194, map_narrow, "cuts frame numbers to 20 bits", 161),
    {BREAKS(194, DRIVER, "room", list_from_the_start,
            "goes on with a map at its first page in another buffer")},
    DRIVER(197, unmap_one_more, "unmaps one page more than asked for", 0),
    DRIVER(200, unmap_to_page_zero, "leaves physical page 0 behind instead of DummyPage", 0),
    DRIVER(200, leave_mapped, "leaves pages mapped that it was asked to unmap", 0),
    {BREAKS(196, DRIVER, "operations", snoop_nothing, "leaves CacheCoherent of mappings out")},
    {BREAKS(553, DRIVER, "operations", list_of_an_address,
            "takes SegmentAddress of a transfer's source for an MDL")},
    {BREAKS(553, DRIVER, "operations", fill_by_pointer,
            "takes SegmentAddress of a fill for a pointer")},
    {BREAKS(36, MANAGER, "paging", map_into_agp, "maps into the AGP aperture"),
     .settings = {{"Agp", 1}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN7}}},
    MANAGER(17, take_bits_for_ids, "takes bit n of a set for segment n", 96, 97),
    MANAGER(43, reach_out_of_the_segment, "starts an allocation too near to the segment's end", 368,
            190, 161),
    {BREAKS(64, MANAGER, "paging", map_too_much, "maps more than CommitLimit"),
     .consequences = {65, 199}, .settings = {{"ApertureBytes", OWN_PAGES *PAGE}}},
    {BREAKS(65, MANAGER, "paging", map_too_much, "maps more than ApertureSegmentCommitLimit"),
     .consequences = {64, 199}, .settings = {{"ApertureBytes", OWN_PAGES *PAGE}}},
    MANAGER(91, fill_what_was_asked_for, "fills a size that is not rounded up", 0),
    MANAGER(93, forget_alignment, "ignores Alignment", 0),
    MANAGER(96, place_elsewhere, "places outside of the supported set", 17),
    MANAGER(100, evict_by_aperture, "evicts through an aperture that the driver did not name", 0),
    MANAGER(170, misalign, "names addresses that are not page-aligned", 0),
    MANAGER(174, two_mdls, "transfers from MDL to MDL", 190),
    MANAGER(175, name_no_segment, "names a segment that does not exist", 0),
    MANAGER(176, half_a_page, "moves half a page too early", 178),
    MANAGER(177, short_mdl, "transfers more pages than the MDL has", 0),
    MANAGER(178, stop_early, "leaves out the last page of an allocation", 0),
    MANAGER(179, start_without_saying, "leaves out TransferStart", 0),
    MANAGER(180, never_end, "leaves out TransferEnd", 178, 179),
    MANAGER(182, both_ways, "sets Swizzle and Unswizzle", 0),
    MANAGER(187, fill_system_memory, "fills system memory", 0),
    MANAGER(189, transfer_what_is_new, "transfers content into a new allocation", 0),
    MANAGER(190, discard_elsewhere, "discards the page next to the allocation", 0),
    MANAGER(193, unmap_nothing, "unmaps no pages", 199),
    MANAGER(195, snoop_everything, "sets CacheCoherent for uncached memory", 0),
    MANAGER(199, never_unmap, "maps again what it did not unmap", 0),
    MANAGER(201, invent_a_device, "passes an hDevice that is none", 0),
    {BREAKS(476, MANAGER, "locks", leave_unswizzled, "swizzles nothing that it pages in"),
     .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN8}}},
    MANAGER(473, reserved_bit, "sets a reserved bit of DXGK_TRANSFERFLAGS", 0),
    MANAGER(368, fill_at_one_place, "gives one place to several allocations", 124, 190),
};
const uint32_t mutants_operation_count = sizeof(mutants_operation) / sizeof(mutants_operation[0]);
