/*
 * break_ranges.c - what is broken of swizzling ranges, by which the CPU sees what a segment holds.
 */
#include "mutants.h"
#include "two_threads.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define APERTURE     1u /* segments of the reference driver */

/* ---- Swizzling ranges ------------------------------------------------------------------------ */

static NTSTATUS APIENTRY acquire_unseen(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    args->SegmentId = APERTURE;
    return mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
}

static NTSTATUS APIENTRY acquire_beyond(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    DXGKARG_ACQUIRESWIZZLINGRANGE mine = *args;
    mine.RangeId = 99;
    return mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, &mine);
}

static NTSTATUS APIENTRY acquire_twice(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    DXGKARG_ACQUIRESWIZZLINGRANGE again = *args;
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    if (status == STATUS_SUCCESS)
        (void)mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, &again);
    return status;
}

static NTSTATUS APIENTRY acquire_again(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    for (uint32_t i = 0; i < 2 && status != STATUS_SUCCESS; i++)
        status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    return status;
}

static NTSTATUS APIENTRY acquire_larger(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    args->RangeSize *= 2;
    return status;
}

static NTSTATUS APIENTRY acquire_nowhere(const HANDLE adapter,
                                         DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    args->CPUTranslatedAddress.QuadPart = 0x7ff0000000;
    return status;
}

static NTSTATUS APIENTRY acquire_in_place(const HANDLE adapter,
                                          DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    PHYSICAL_ADDRESS place = args->CPUTranslatedAddress;
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    args->CPUTranslatedAddress = place;
    return status;
}

static NTSTATUS APIENTRY acquire_never(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
}

/* The second of the ranges that are reported is none. */
static NTSTATUS APIENTRY acquire_more(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    return args->RangeId == 1 ? STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED
                              : mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
}

/* The last part is none: what ends with it is not done. */
static NTSTATUS locks_no_end(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args, bool in) {
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    if (args->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER &&
        in == (args->SpecialLockTransfer.Destination.SegmentId != 0))
        mine.SpecialLockTransfer.Flags.TransferEnd = 0;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, &mine);
    args->pDmaBuffer = mine.pDmaBuffer;
    args->pDmaBufferPrivateData = mine.pDmaBufferPrivateData;
    args->MultipassOffset = mine.MultipassOffset;
    return status;
}

static NTSTATUS APIENTRY locks_no_end_out(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return locks_no_end(adapter, args, false);
}
REPLACE(DxgkDdiBuildPagingBuffer, locks_no_end_out)

static NTSTATUS APIENTRY locks_no_end_in(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return locks_no_end(adapter, args, true);
}
REPLACE(DxgkDdiBuildPagingBuffer, locks_no_end_in)

/* The window of the first range for all. */
static NTSTATUS APIENTRY acquire_in_one_window(const HANDLE adapter,
                                               DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    static PHYSICAL_ADDRESS first;
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    if (status == STATUS_SUCCESS && args->RangeId == 0)
        first = args->CPUTranslatedAddress;
    if (status == STATUS_SUCCESS && first.QuadPart != 0)
        args->CPUTranslatedAddress = first;
    return status;
}

/* Takes the place of the last part for that of the surface: a transfer of nothing says that it is there. */
static NTSTATUS APIENTRY last_part_is_place(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    if (status != STATUS_SUCCESS || args->Operation != DXGK_OPERATION_TRANSFER ||
        !args->Transfer.Flags.TransferEnd || args->Transfer.Destination.SegmentId == 0)
        return status;
    DXGKARG_BUILDPAGINGBUFFER place = *args;
    place.MultipassOffset = 0;
    place.Transfer.TransferSize = 0;
    place.Transfer.Destination.SegmentAddress.QuadPart += args->Transfer.TransferOffset;
    (void)mutants_good.DxgkDdiBuildPagingBuffer(adapter, &place);
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, last_part_is_place)

static NTSTATUS APIENTRY acquire_later(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE;
}

/* Ranges that are held are gone when power is back. */
static DXGKARG_RELEASESWIZZLINGRANGE held[2];
static bool holds[2];

static NTSTATUS APIENTRY acquire_noted(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    if (status == STATUS_SUCCESS && args->RangeId < COUNT(held)) {
        held[args->RangeId].hAllocation = args->hAllocation;
        held[args->RangeId].RangeId = args->RangeId;
        holds[args->RangeId] = true;
    }
    return status;
}

static NTSTATUS APIENTRY release_noted(const HANDLE adapter,
                                       const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    if (args->RangeId < COUNT(held))
        holds[args->RangeId] = false;
    return mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, args);
}

static NTSTATUS APIENTRY power_without_ranges(const PVOID context, ULONG uid,
                                              DEVICE_POWER_STATE state, POWER_ACTION action) {
    NTSTATUS status = mutants_good.DxgkDdiSetPowerState(context, uid, state, action);
    for (uint32_t i = 0; i < COUNT(held) && state == PowerDeviceD0; i++)
        if (holds[i])
            (void)mutants_good.DxgkDdiReleaseSwizzlingRange(context, &held[i]);
    return status;
}

static void APIENTRY install_power_without_ranges(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiAcquireSwizzlingRange = acquire_noted;
    table->DxgkDdiReleaseSwizzlingRange = release_noted;
    table->DxgkDdiSetPowerState = power_without_ranges;
}

/* All that the allocation has. */
#define OWNED 64u
static HANDLE owner[OWNED];

static NTSTATUS APIENTRY acquire_owned(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    NTSTATUS status = mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
    if (status == STATUS_SUCCESS && args->RangeId < OWNED)
        owner[args->RangeId] = args->hAllocation;
    return status;
}

static NTSTATUS APIENTRY release_owned(const HANDLE adapter,
                                       const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    DXGKARG_RELEASESWIZZLINGRANGE each = *args;
    NTSTATUS status = mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, args);
    for (each.RangeId = 0; each.RangeId < OWNED; each.RangeId++)
        if (owner[each.RangeId] == args->hAllocation) {
            owner[each.RangeId] = NULL;
            (void)mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, &each);
        }
    return status;
}

static void APIENTRY install_release_owned(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiAcquireSwizzlingRange = acquire_owned;
    table->DxgkDdiReleaseSwizzlingRange = release_owned;
}

/* A part of a swizzled surface has tiles of its own. */
static NTSTATUS APIENTRY part_is_surface(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER mine = *args;
    if (args->Operation != DXGK_OPERATION_TRANSFER || !args->Transfer.Flags.Swizzle)
        return mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
    mine.Transfer.Destination.SegmentAddress.QuadPart += mine.Transfer.TransferOffset;
    mine.Transfer.TransferOffset = 0;
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, &mine);
    args->pDmaBuffer = mine.pDmaBuffer;
    args->pDmaBufferPrivateData = mine.pDmaBufferPrivateData;
    args->MultipassOffset = mine.MultipassOffset;
    return status;
}
REPLACE(DxgkDdiBuildPagingBuffer, part_is_surface)

static NTSTATUS APIENTRY release_all(const HANDLE adapter,
                                     const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    DXGKARG_RELEASESWIZZLINGRANGE other = *args;
    other.RangeId = 1 - args->RangeId;
    (void)mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, &other);
    return mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, args);
}
REPLACE(DxgkDdiReleaseSwizzlingRange, release_all)

static NTSTATUS APIENTRY release_first(const HANDLE adapter,
                                       const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    DXGKARG_RELEASESWIZZLINGRANGE first = *args;
    first.RangeId = 0;
    (void)mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, &first);
    return mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, args);
}
REPLACE(DxgkDdiReleaseSwizzlingRange, release_first)

/* A supply of ranges that is never filled up. */
#define SUPPLY 40u
static uint32_t supplied;

static NTSTATUS APIENTRY acquire_from_supply(const HANDLE adapter,
                                             DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    return ++supplied > SUPPLY ? STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE
                               : mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
}

static void APIENTRY install_from_supply(DRIVER_INITIALIZATION_DATA *table) {
    supplied = 0;
    table->DxgkDdiAcquireSwizzlingRange = acquire_from_supply;
}

static NTSTATUS APIENTRY release_nothing(const HANDLE adapter,
                                         const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiReleaseSwizzlingRange, release_nothing)

/* A driver that takes its time, so that two threads meet in a range that is free. */
static NTSTATUS APIENTRY release_slowly(const HANDLE adapter,
                                        const DXGKARG_RELEASESWIZZLINGRANGE *args) {
    sleep_a_millisecond();
    return mutants_below.DxgkDdiReleaseSwizzlingRange(adapter, args);
}
REPLACE_BELOW(DxgkDdiReleaseSwizzlingRange, release_slowly)

#define RELEASES 50u

static void *release_often(void *adapter) {
    const DXGKARG_RELEASESWIZZLINGRANGE args = {.RangeId = 99};
    for (uint32_t i = 0; i < RELEASES; i++)
        (void)mutants_good.DxgkDdiReleaseSwizzlingRange(adapter, &args);
    return NULL;
}

static NTSTATUS APIENTRY acquire_beside(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *args) {
    static bool done;
    if (!done)
        on_two_threads(release_often, adapter);
    done = true;
    return mutants_good.DxgkDdiAcquireSwizzlingRange(adapter, args);
}

#define ACQUIRE(NAME)                                                                              \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        table->DxgkDdiAcquireSwizzlingRange = acquire_##NAME;                                      \
    }

ACQUIRE(unseen)
ACQUIRE(beside)
ACQUIRE(beyond)
ACQUIRE(twice)
ACQUIRE(again)
ACQUIRE(larger)
ACQUIRE(nowhere)
ACQUIRE(in_place)
ACQUIRE(in_one_window)
ACQUIRE(never)
ACQUIRE(more)
ACQUIRE(later)

/* ---- The table ------------------------------------------------------------------------------- */

#define DRIVER           VIDMM_SIDE_DRIVER
#define MANAGER          VIDMM_SIDE_MANAGER
#define VERSION(VERSION) .settings = {{"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_##VERSION}}

const struct mutant mutants_ranges[] = {
    {349, MANAGER, "asks for a range on an aperture that the CPU does not see", install_unseen,
     "locks", VERSION(WIN8)},
    {350, MANAGER, "asks for a range that the hardware does not have", install_beyond, "locks",
     VERSION(WIN8)},
    {350, MANAGER, "asks for a range that it has", install_twice, "locks", VERSION(WIN8)},
    {483, MANAGER, "releases ranges on two threads", install_beside, "locks",
     .scene = scene_release_slowly, VERSION(WIN8)},
    {351, DRIVER, "makes a range larger than it was asked for", install_larger, "locks",
     VERSION(WIN8)},
    {351, DRIVER, "gives an address where nothing is", install_nowhere, "ranges", VERSION(WIN8)},
    {351, DRIVER, "leaves the address of the surface in the place of the range's", install_in_place,
     "ranges", VERSION(WIN8)},
    {351, DRIVER, "gives two ranges the address of one", install_in_one_window, "ranges",
     VERSION(WIN8)},
    {444, DRIVER, "leaves a range at the place that its surface left", install_locks_no_end_out,
     "ranges", VERSION(WIN8)},
    {444, DRIVER, "leaves a range at the pages when its surface comes back",
     install_locks_no_end_in, "ranges", VERSION(WIN8)},
    {185, DRIVER, "opens a range at the place of the last part that came in",
     install_last_part_is_place, "ranges", VERSION(WIN8)},
    {550, DRIVER, "gives no range back", install_release_nothing, "ranges", VERSION(WIN8)},
    {550, DRIVER, "gives ranges until there were forty", install_from_supply, "ranges",
     VERSION(WIN8)},
    {352, DRIVER, "releases the first range, too, whichever is named", install_release_first,
     "ranges", VERSION(WIN8)},
    {550, DRIVER, "reports a range more than there are", install_more, "ranges", VERSION(WIN8)},
    {550, DRIVER, "refuses each range", install_never, "ranges", VERSION(WIN8)},
    {352, DRIVER, "releases all ranges of the allocation with one", install_release_owned, "ranges",
     VERSION(WIN8)},
    {176, DRIVER, "swizzles each part of a surface as a surface of its own",
     install_part_is_surface, "ranges", VERSION(WIN8)},
    {651, DRIVER, "leaves swizzling ranges off when power returns", install_power_without_ranges,
     "ranges", VERSION(WIN8)},
    {352, DRIVER, "releases all ranges with one", install_release_all, "ranges", VERSION(WIN8)},
    {353, MANAGER, "asks again for what is not supported", install_again, "ranges",
     .scene = install_never, .consequences = {550}, VERSION(WIN8)},
    {353, MANAGER, "asks again without having released anything", install_again, "ranges",
     .scene = install_later, .consequences = {550}, VERSION(WIN8)},
};
const uint32_t mutants_ranges_count = COUNT(mutants_ranges);
