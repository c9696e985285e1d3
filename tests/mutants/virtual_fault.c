/*
 * virtual_fault.c - see virtual_fault.h.
 */
#include "virtual_fault.h"

#define ENTRIES 8192u

struct virtual_fault virtual_fault;

static DXGK_PTE entries[ENTRIES], entries64[ENTRIES];
HANDLE virtual_paging_process;

static const DXGK_PTE *copy_entries(DXGK_PTE *to, const DXGK_PTE *from,
                                    const DXGKARG_BUILDPAGINGBUFFER *args) {
    UINT count = args->UpdatePageTable.Flags.Repeat ? 1 : args->UpdatePageTable.NumPageTableEntries;
    if (!from || count >= ENTRIES)
        return from;
    memcpy(to, from, count * sizeof(*to));
    return to;
}

void virtual_own_entries(DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &args->UpdatePageTable;
    const DXGK_PTE *narrow = update->pPageTableEntries, *wide = update->pPageTableEntries64KB;
    if (args->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE)
        return;
    update->pPageTableEntries = (DXGK_PTE *)copy_entries(entries, narrow, args);
    update->pPageTableEntries64KB =
        (DXGK_PTE *)(wide == narrow ? update->pPageTableEntries
                                    : copy_entries(entries64, wide, args));
}

void virtual_look(const DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && !args->pDmaBuffer &&
        !virtual_paging_process)
        virtual_paging_process = args->UpdatePageTable.hProcess;
}

void virtual_take_room(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *used) {
    args->pDmaBuffer = used->pDmaBuffer;
    args->DmaSize = used->DmaSize;
    args->pDmaBufferPrivateData = used->pDmaBufferPrivateData;
    args->DmaBufferPrivateDataSize = used->DmaBufferPrivateDataSize;
}

static void APIENTRY ask_more(const HANDLE adapter, const DXGKARG_BUILDPAGINGBUFFER *asked,
                              DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER other = *asked;
    UINT used = asked->DmaSize - args->DmaSize;
    virtual_take_room(&other, args);
    other.DmaBufferWriteOffset += used;
    other.MultipassOffset = 0;
    virtual_own_entries(&other);
    virtual_fault.more(&other);
    if (mutants_good.DxgkDdiBuildPagingBuffer(adapter, &other) == STATUS_SUCCESS)
        virtual_take_room(args, &other);
}

NTSTATUS APIENTRY virtual_fault_build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    DXGKARG_BUILDPAGINGBUFFER asked = *args, mine = *args;
    virtual_look(args);
    bool chosen = virtual_fault.again ? virtual_fault.decided
                                      : !virtual_fault.done && virtual_fault.wants(args);
    virtual_fault.again = false;
    if (chosen && virtual_fault.swallow) {
        virtual_fault.done = !virtual_fault.always;
        return STATUS_SUCCESS;
    }
    if (chosen && virtual_fault.spoil) {
        virtual_own_entries(&mine);
        virtual_fault.spoil(&mine);
    }
    NTSTATUS status = mutants_good.DxgkDdiBuildPagingBuffer(adapter, &mine);
    virtual_take_room(args, &mine);
    args->MultipassOffset = mine.MultipassOffset;
    virtual_fault.again = status != STATUS_SUCCESS;
    virtual_fault.decided = chosen;
    if (chosen && status == STATUS_SUCCESS) {
        virtual_fault.done = !virtual_fault.always;
        if (virtual_fault.more)
            ask_more(adapter, &asked, args);
    }
    return status;
}

void virtual_fault_install(DRIVER_INITIALIZATION_DATA *table) {
    virtual_fault.done = virtual_fault.again = false;
    virtual_paging_process = NULL;
    table->DxgkDdiBuildPagingBuffer = virtual_fault_build;
}

void virtual_arm(DXGKARG_BUILDPAGINGBUFFER *args, DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    args->Operation = operation;
    memset(&args->Reserved, 0, sizeof(args->Reserved));
}

NTSTATUS virtual_create_whole(const DRIVER_INITIALIZATION_DATA *table, HANDLE adapter,
                              DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = table->DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++)
        args->pAllocationInfo[i].Size = (args->pAllocationInfo[i].Size + 0xffff) & ~(SIZE_T)0xffff;
    return status;
}

DXGKRNL_INTERFACE virtual_system;

void virtual_reserve(HANDLE process, UINT64 size) {
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE args = {.hDxgkProcess = process, .SizeInBytes = size};
    (void)virtual_system.DxgkCbReserveGpuVirtualAddressRange(virtual_system.DeviceHandle, &args);
}

/* ---- Which operation ------------------------------------------------------------------------- */

bool is_update(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
}

bool of_user(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && virtual_paging_process && UPDATE->hProcess != virtual_paging_process;
}

bool at_once(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && !args->pDmaBuffer;
}

bool leaf(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return is_update(args) && UPDATE->PageTableLevel == 0;
}

bool user_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && leaf(args) && ENTRY.Valid && !ENTRY.Zero;
}

bool user_local(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && ENTRY.Segment != 0;
}

bool large_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && is_update(args) && UPDATE->PageTableLevel == 1 && ENTRY.Valid &&
           ENTRY.LargePage;
}

bool wide_pages(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return user_pages(args) && UPDATE->Flags.Use64KBPages;
}

bool links(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return of_user(args) && UPDATE->PageTableLevel == 1 && ENTRY.Valid;
}

bool flush(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_FLUSH_TLB;
}

bool transfer(const DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
}
