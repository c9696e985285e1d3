/*
 * driver.c - an example miniport: VRAM in banks, as hardware with independent memory channels has
 * it (WDDM 1.1, QUERYSEGMENT).
 *
 * A segment with UseBanking is cut into NbOfBanks ranges. The bank table has the offsets at which
 * they end, in ascending order; the last one ends with the segment and needs no entry. A bank is
 * only a hint: an allocation names its preferred banks (HintedBank), and is placed elsewhere if
 * they are full. Here the allocations take the banks in turn, so that surfaces used together come
 * from different channels.
 *
 * The CPU moves everything (../common/cpu_pager.h). It needs a host without a hardware model: the
 * second memory resource is taken for VRAM.
 */
#include "../common/cpu_pager.h"

enum { VRAM = 1, APERTURE = 2, SEGMENTS = 2, BANKS = 4 };

#define VRAM_BASE      0x100000000ull
#define APERTURE_BASE  0x200000000ull
#define APERTURE_PAGES 65536u
#define APERTURE_BYTES ((SIZE_T)APERTURE_PAGES * PAGE_SIZE)

struct adapter {
    struct cpu_adapter cpu;
    SIZE_T bank_end[BANKS - 1]; /* stays: the system may look at it while the device is started */
    volatile LONG hints;        /* given so far */
};

/* Equal banks in whole pages; what does not divide is the last one's. */
static BOOLEAN cut_banks(struct adapter *adapter) {
    SIZE_T bank = adapter->cpu.pager.memory_bytes / BANKS / PAGE_SIZE * PAGE_SIZE;
    for (UINT i = 0; i < BANKS - 1; i++)
        adapter->bank_end[i] = (i + 1) * bank;
    return bank != 0;
}

static NTSTATUS start(struct skeleton *base, const DXGK_DEVICE_INFO *info) {
    struct adapter *adapter = (struct adapter *)base;
    struct cpu_pager *pager = &adapter->cpu.pager;
    *pager = (struct cpu_pager){
        .memory_segment = VRAM, .memory_base = VRAM_BASE, .aperture_base = APERTURE_BASE};
    NTSTATUS status = cpu_pager_start_vram(pager, info, APERTURE_PAGES);
    if (!NT_SUCCESS(status) || cut_banks(adapter))
        return status;
    cpu_pager_stop(pager);
    return STATUS_DEVICE_CONFIGURATION_ERROR;
}

static VOID describe(struct adapter *adapter, DXGK_SEGMENTDESCRIPTOR *segment) {
    segment[VRAM - 1] = (DXGK_SEGMENTDESCRIPTOR){
        .BaseAddress.QuadPart = VRAM_BASE,
        .CpuTranslatedAddress = adapter->cpu.pager.bar,
        .Size = adapter->cpu.pager.memory_bytes,
        .NbOfBanks = BANKS,
        .pBankRangeTable = adapter->bank_end,
        .CommitLimit = adapter->cpu.pager.memory_bytes,
        .Flags.CpuVisible = 1,
        .Flags.UseBanking = 1,
    };
    segment[APERTURE - 1] = (DXGK_SEGMENTDESCRIPTOR){
        .BaseAddress.QuadPart = APERTURE_BASE,
        .Size = APERTURE_BYTES,
        .CommitLimit = APERTURE_BYTES,
        .Flags.Aperture = 1,
        .Flags.CacheCoherent = 1,
    };
}

/* The first version of the query; the later ones have other descriptors, and the last no banks. */
static NTSTATUS segments(struct skeleton *base, const DXGKARG_QUERYADAPTERINFO *args) {
    DXGK_QUERYSEGMENTOUT *out = args->pOutputData;
    if (args->Type != DXGKQAITYPE_QUERYSEGMENT || args->OutputDataSize < sizeof(*out))
        return STATUS_INVALID_PARAMETER;
    if (!out->pSegmentDescriptor) {
        out->NbSegment = SEGMENTS;
        return STATUS_SUCCESS;
    }
    if (out->NbSegment != SEGMENTS)
        return STATUS_INVALID_PARAMETER;
    describe((struct adapter *)base, out->pSegmentDescriptor);
    out->PagingBufferSegmentId = 0;
    out->PagingBufferSize = PAGE_SIZE;
    out->PagingBufferPrivateDataSize = 0;
    return STATUS_SUCCESS;
}

/* Banks have ids from 1; a second choice is the next one. All are searched from their start. */
static VOID hint(struct skeleton *base, DXGK_ALLOCATIONINFO *info) {
    struct adapter *adapter = (struct adapter *)base;
    ULONG turn = (ULONG)InterlockedIncrement(&adapter->hints);
    info->HintedBank.Bank0 = turn % BANKS + 1;
    info->HintedBank.Bank1 = (turn + 1) % BANKS + 1;
}

const struct skeleton_driver skeleton_driver = {
    .version = DXGKDDI_INTERFACE_VERSION_WIN7, /* which is WDDM 1.1 */
    .wddm = DXGKDDI_WDDMv1,
    .adapter_bytes = sizeof(struct adapter),
    .aperture_bytes = APERTURE_BYTES,
    .preferred = VRAM,
    .alternate = APERTURE,
    .start = start,
    .stop = cpu_adapter_stop,
    .segments = segments,
    .hint = hint,
};
