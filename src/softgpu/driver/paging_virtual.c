/*
 * paging_virtual.c - paging operations of an adapter with GPU virtual addresses: page tables
 * and what is copied, filled and signalled through them
 * (ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md and its neighbours).
 *
 * Everything is encoded into the paging buffer, except for what the system wants at once: tables
 * that it updates by the CPU, and flushes without a buffer. Virtual addresses are those of the
 * context that the buffer will run in: the paging process's, or a companion context. A list of
 * entries is cut where the buffer ends; MultipassOffset then counts the entries, ranges or bytes
 * that are done.
 */
#include "driver/writer.h"

static NTSTATUS to_be_continued(DXGKARG_BUILDPAGINGBUFFER *args, ULONGLONG done) {
    args->MultipassOffset = (UINT)done;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* ---- Page tables ----------------------------------------------------------------------------- */

/* Entries of one array, and the words of the table that they become. */
struct part {
    const DXGK_PTE *entry;
    UINT level, count;
    bool repeat;
    UINT first, step; /* word of entry 0; words from one to the next */
};

/*
 * Dual entries are two words: the table of 4 KiB pages, then that of 64 KiB pages, each from an
 * array of its own. Elsewhere there is one array, and Use64KBPages says which of the two it is.
 */
static UINT parts_of(const struct kmd_adapter *adapter, const DXGKARG_BUILDPAGINGBUFFER *args,
                     struct part part[2]) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &args->UpdatePageTable;
    UINT step = gpu_mmu_words(&adapter->mmu.format, update->PageTableLevel), parts = 0;
    bool dual = adapter->mmu.format.pages == GPU_PAGES_DUAL, large = update->Flags.Use64KBPages;
    const DXGK_PTE *entry = update->pPageTableEntries;
    const DXGK_PTE *entry64 = dual ? update->pPageTableEntries64KB : NULL;
    struct part all = {NULL,
                       update->PageTableLevel,
                       update->NumPageTableEntries,
                       update->Flags.Repeat,
                       update->StartIndex * step,
                       step};
    if (step == 1 && large && entry64)
        entry = entry64;
    if (entry) {
        part[parts] = all;
        part[parts].entry = entry;
        part[parts++].first += step == 2 && large && !entry64;
    }
    if (step == 2 && entry64) {
        part[parts] = all;
        part[parts].entry = entry64;
        part[parts++].first += 1;
    }
    return parts;
}

/* One command that makes all entries from `done` on of one; false: it does not fit. */
static bool put_series(struct kmd_writer *writer, struct gpu_write_entries *command,
                       uint64_t word) {
    if (writer->room < sizeof(*command) + sizeof(word))
        return false;
    command->head.flags = GPU_FLAG_REPEAT;
    RtlCopyMemory(writer->at + sizeof(*command), &word, sizeof(word));
    kmd_put_around(writer, command, sizeof(*command), sizeof(word));
    return true;
}

/* One command for the entries from `done` on, or as many of them as fit: so many. */
static UINT put_entries(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                        const struct part *part, ULONGLONG table, UINT done) {
    const DXGK_PTE *entry = part->repeat ? part->entry : part->entry + done;
    uint64_t word;
    struct gpu_write_entries command = {
        .head = {GPU_WRITE_ENTRIES, 0, 0},
        .table = table,
        .first = part->first + done * part->step,
        .count = part->count - done,
        .step = part->step,
    };
    if (part->repeat)
        kmd_mmu_words(adapter, entry, 1, part->level, (UCHAR *)&word);
    if (part->repeat ||
        kmd_mmu_series(adapter, entry, command.count, part->level, &word, &command.each))
        return put_series(writer, &command, word) ? command.count : 0;
    if (writer->room < sizeof(command) + sizeof(word))
        return 0;
    UINT room = (UINT)((writer->room - sizeof(command)) / sizeof(word));
    if (command.count > room)
        command.count = room;
    kmd_mmu_words(adapter, entry, command.count, part->level, writer->at + sizeof(command));
    kmd_put_around(writer, &command, sizeof(command), command.count * (UINT)sizeof(word));
    return command.count;
}

static NTSTATUS update_by_gpu(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                              DXGKARG_BUILDPAGINGBUFFER *args, ULONGLONG table) {
    struct part part[2];
    UINT parts = parts_of(adapter, args, part);
    ULONGLONG done = args->MultipassOffset, before = 0;
    for (UINT i = 0; i < parts; before += part[i++].count) {
        while (done < before + part[i].count) {
            UINT written = put_entries(adapter, writer, &part[i], table, (UINT)(done - before));
            if (written == 0)
                return to_be_continued(args, done);
            done += written;
        }
    }
    return STATUS_SUCCESS;
}

/* At most so many words are made before they are stored. */
#define BATCH 64u

/* Each entry changes in one store: the GPU may be walking the table, and fetch entries beside the one that it uses. */
static void store_word(ULONG64 *at, ULONG64 word) {
    WriteNoFence64((LONG64 *)at, (LONG64)word);
}

static void store_words(const struct kmd_adapter *adapter, const struct part *part, ULONG64 *at) {
    ULONG64 word[BATCH];
    for (UINT n = 0, some; n < part->count; n += some) {
        some = part->count - n < BATCH ? part->count - n : BATCH;
        kmd_mmu_words(adapter, part->entry + n, some, part->level, (UCHAR *)word);
        for (UINT i = 0; i < some; i++, at += part->step)
            store_word(at, word[i]);
    }
}

/* Of dual entries the other halves are between them. */
static void store_part(const struct kmd_adapter *adapter, const struct part *part, ULONG64 *at) {
    ULONG64 word;
    if (!part->repeat || part->count == 0) {
        store_words(adapter, part, at);
        return;
    }
    kmd_mmu_words(adapter, part->entry, 1, part->level, (UCHAR *)&word);
    for (UINT i = 0; i < part->count; i++)
        store_word(at + (SIZE_T)i * part->step, word);
}

static NTSTATUS update_by_cpu(const struct kmd_adapter *adapter,
                              const DXGKARG_BUILDPAGINGBUFFER *args) {
    ULONG64 *table = args->UpdatePageTable.PageTableAddress.CpuVirtual;
    struct part part[2];
    UINT parts = parts_of(adapter, args, part);
    for (UINT i = 0; i < parts; i++)
        store_part(adapter, &part[i], table + part[i].first);
    KeMemoryBarrier();
    return STATUS_SUCCESS;
}

static NTSTATUS virtual_update(const struct kmd_adapter *adapter, struct kmd_writer *writer,
                               DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_PAGETABLEUPDATEADDRESS *table = &args->UpdatePageTable.PageTableAddress;
    if (args->UpdatePageTable.PageTableLevel >= adapter->mmu.format.levels)
        return STATUS_SUCCESS;
    switch (args->UpdatePageTable.UpdateMode) {
    case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL:
        return update_by_cpu(adapter, args);
    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL:
        return update_by_gpu(adapter, writer, args, table->GpuVirtual);
    default:
        writer->flags |= GPU_FLAG_PHYSICAL;
        return update_by_gpu(adapter, writer, args,
                             kmd_gpu_address(adapter, table->GpuPhysical.SegmentId,
                                             table->GpuPhysical.SegmentOffset));
    }
}

/* ---- Copying entries ------------------------------------------------------------------------- */

#define RANGES_COMPARED 256u

/* Does writing what `writes` names change what `reads` has still to read? */
static bool virtual_disturbs(const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *writes,
                             const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *reads) {
    ULONGLONG to = writes->DstPageTableAddress + writes->DstStartPteIndex * sizeof(uint64_t);
    ULONGLONG from = reads->SrcPageTableAddress + reads->SrcStartPteIndex * sizeof(uint64_t);
    return to < from + reads->NumPageTableEntries * sizeof(uint64_t) &&
           from < to + writes->NumPageTableEntries * sizeof(uint64_t);
}

/*
 * All entries are copied as if they were read before the first is written. The GPU sees to that
 * within a range; between the ranges of one move the right order does: the last goes first when an
 * earlier one would write what a later one reads.
 */
static bool virtual_backwards(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy) {
    for (UINT i = 0; i < copy->NumRanges && i < RANGES_COMPARED; i++)
        for (UINT later = i + 1; later < copy->NumRanges && later < RANGES_COMPARED; later++)
            if (virtual_disturbs(&copy->pRanges[i], &copy->pRanges[later]))
                return true;
    return false;
}

static NTSTATUS copy_entries(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy = &args->CopyPageTableEntries;
    bool last_first = virtual_backwards(copy);
    for (UINT done = args->MultipassOffset; done < copy->NumRanges; done++) {
        UINT i = last_first ? copy->NumRanges - 1 - done : done;
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range = &copy->pRanges[i];
        struct gpu_copy_entries command = {
            .head = {GPU_COPY_ENTRIES, 0, 0},
            .destination = range->DstPageTableAddress + range->DstStartPteIndex * sizeof(uint64_t),
            .source = range->SrcPageTableAddress + range->SrcStartPteIndex * sizeof(uint64_t),
            .words = range->NumPageTableEntries,
        };
        if (!kmd_put(writer, &command, sizeof(command)))
            return to_be_continued(args, done);
    }
    return STATUS_SUCCESS;
}

/* ---- Flushing -------------------------------------------------------------------------------- */

/* Both addresses 0: the whole space. hProcess NULL: all processes. */
static NTSTATUS virtual_flush(struct kmd_adapter *adapter, struct kmd_writer *writer,
                              const DXGKARG_BUILDPAGINGBUFFER *args) {
    struct gpu_flush command = {
        .head = {GPU_FLUSH, 0, 0},
        .what = GPU_FLUSH_RANGE,
        .space = kmd_space_of(args->FlushTlb.hProcess),
        .start = args->FlushTlb.StartVirtualAddress,
        .end = args->FlushTlb.EndVirtualAddress,
    };
    if (!args->FlushTlb.hProcess)
        command.what = GPU_FLUSH_ALL;
    else if (command.start == 0 && command.end == 0)
        command.what = GPU_FLUSH_SPACE;
    if (writer->at)
        return kmd_fits(kmd_put(writer, &command, sizeof(command)));
    kmd_mmu_flush(adapter, command.what, command.space, command.start, command.end);
    return STATUS_SUCCESS;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static NTSTATUS virtual_transfer(struct kmd_writer *writer, const DXGKARG_BUILDPAGINGBUFFER *args) {
    struct gpu_copy command = {
        .head = {GPU_COPY, 0, 0},
        .destination = args->TransferVirtual.DestinationVirtualAddress,
        .source = args->TransferVirtual.SourceVirtualAddress,
        .bytes = args->TransferVirtual.TransferSizeInBytes,
    };
    return kmd_fits(command.bytes == 0 || kmd_put(writer, &command, sizeof(command)));
}

static bool put_fill(struct kmd_writer *writer, ULONGLONG address, ULONGLONG bytes, UINT pattern) {
    struct gpu_fill command = {
        .head = {GPU_FILL, 0, 0},
        .pattern = pattern,
        .destination = address,
        .bytes = bytes,
    };
    return bytes == 0 || kmd_put(writer, &command, sizeof(command));
}

static NTSTATUS virtual_fill(struct kmd_writer *writer, const DXGKARG_BUILDPAGINGBUFFER *args) {
    return kmd_fits(put_fill(writer, args->FillVirtual.DestinationVirtualAddress,
                             args->FillVirtual.FillSizeInBytes, args->FillVirtual.FillPattern));
}

/* The state of a context, at its start. */
static bool put_state(struct kmd_writer *writer, ULONGLONG address, struct kmd_saved *saved) {
    struct {
        struct gpu_store store;
        struct gpu_context_state state;
    } command = {
        .store = {.head = {GPU_STORE, 0, 0}, .address = address, .bytes = sizeof(command.state)},
        .state = kmd_saved_state(saved),
    };
    saved->told = true;
    return kmd_put(writer, &command, sizeof(command));
}

NTSTATUS kmd_init_virtual(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args) {
    const struct kmd_allocation *allocation =
        kmd_allocation_of(args->InitContextResource.hAllocation);
    if (!allocation)
        return STATUS_SUCCESS;
    ULONGLONG address = args->InitContextResource.Destination.GpuVirtualAddress;
    writer->flags = 0;
    if (args->MultipassOffset == 0 &&
        !put_fill(writer, address, kmd_round_to_page(allocation->size), 0))
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (allocation->saves && !put_state(writer, address, allocation->saves))
        return to_be_continued(args, 1);
    return STATUS_SUCCESS;
}

/* What the driver itself gave to DxgkCbUpdateContextAllocation, from the start of the
 * allocation. */
static NTSTATUS update_context(struct kmd_writer *writer, DXGKARG_BUILDPAGINGBUFFER *args) {
    const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *update = &args->UpdateContextAllocation;
    const UCHAR *data = update->pDriverPrivateData;
    ULONGLONG bytes = data ? update->DriverPrivateDataSize : 0, done;
    if (bytes > update->ContextAllocationSize)
        bytes = update->ContextAllocationSize;
    for (done = args->MultipassOffset; done < bytes;) {
        struct gpu_store command = {
            .head = {GPU_STORE, 0, 0},
            .address = update->ContextAllocation + done,
        };
        if (writer->room < sizeof(command) + sizeof(uint64_t))
            return to_be_continued(args, done);
        ULONGLONG room = writer->room - sizeof(command);
        command.bytes = bytes - done < room ? bytes - done : room;
        UINT whole = (UINT)(command.bytes + 7) & ~7u;
        RtlZeroMemory(writer->at + sizeof(command), whole);
        RtlCopyMemory(writer->at + sizeof(command), data + done, (SIZE_T)command.bytes);
        kmd_put_around(writer, &command, sizeof(command), whole);
        done += command.bytes;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS virtual_signal(struct kmd_writer *writer, const DXGKARG_BUILDPAGINGBUFFER *args) {
    struct gpu_signal command = {
        .head = {GPU_SIGNAL, GPU_FLAG_NOTIFY, 0},
        .address = args->SignalMonitoredFence.MonitoredFenceGpuVa,
        .value = args->SignalMonitoredFence.MonitoredFenceValue,
    };
    return kmd_fits(kmd_put(writer, &command, sizeof(command)));
}

/* ---- Notices --------------------------------------------------------------------------------- */

/* The paging context is that of the allocation's home. */
static NTSTATUS note_residency(const struct kmd_adapter *adapter,
                               const DXGKARG_BUILDPAGINGBUFFER *args) {
    const D3DGPU_PHYSICAL_ADDRESS *place = &args->NotifyResidency.PhysicalAddress;
    UINT id = args->NotifyResidency.Resident ? place->SegmentId : 0;
    kmd_moved(args->NotifyResidency.hAllocation, id,
              kmd_gpu_address(adapter, id, place->SegmentOffset));
    return STATUS_SUCCESS;
}

NTSTATUS kmd_build_virtual(struct kmd_adapter *adapter, struct kmd_writer *writer,
                           DXGKARG_BUILDPAGINGBUFFER *args) {
    writer->flags = 0;
    switch (args->Operation) {
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        return virtual_transfer(writer, args);
    case DXGK_OPERATION_VIRTUAL_FILL:
        return virtual_fill(writer, args);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        return virtual_update(adapter, writer, args);
    case DXGK_OPERATION_FLUSH_TLB:
        return virtual_flush(adapter, writer, args);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        return copy_entries(writer, args);
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
        return update_context(writer, args);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
        return virtual_signal(writer, args);
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        return note_residency(adapter, args);
    default:
        /* Notices of what this adapter did not ask to be told. */
        return STATUS_SUCCESS;
    }
}
