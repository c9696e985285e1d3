/*
 * space_driver.c - the driver and the GPU of space_world.h.
 */
#include "space_driver.h"

#include "dirty_world.h"

#define ENTRY sizeof(DXGK_PTE)

/* ---- The walk -------------------------------------------------------------------------------- */

static uint32_t shift_of(const struct world *world, uint32_t level) {
    uint32_t shift = 12;
    for (uint32_t i = 0; i < level; i++)
        shift += world->bits[i];
    return shift;
}

/* Entries of level 1 are two where leaf tables are. */
static uint32_t words(const struct world *world, uint32_t level) {
    return level == 1 && world->pages == PAGES_DUAL ? 2 : 1;
}

static DXGK_PTE entry_at(struct world *world, uint32_t segment, uint64_t table, uint64_t index) {
    DXGK_PTE entry;
    const uint8_t *at = world_byte(world, segment, table + index * ENTRY);
    assert_non_null(at);
    memcpy(&entry, at, sizeof(entry));
    return entry;
}

static struct world_page page_of(const DXGK_PTE *leaf, bool wide, uint64_t va) {
    struct world_page page = {.known = true, .valid = leaf->Valid, .wide = wide};
    if (!leaf->Valid)
        return page;
    page.zero = leaf->Zero;
    page.read_only = leaf->ReadOnly;
    page.segment = leaf->Segment;
    page.page = leaf->PageAddress;
    if (wide && !leaf->Zero) {
        assert_int_equal(page.page % 16, 0); /* R371 */
        assert_int_equal(page.segment, VRAM);
        page.page += va / PAGE % 16;
    }
    return page;
}

static struct world_page leaf_of(struct world *world, const DXGK_PTE *link, bool wide,
                                 uint64_t va) {
    uint32_t shift = wide ? 16 : 12;
    uint64_t index = (va & ((UINT64_C(1) << shift_of(world, 1)) - 1)) >> shift;
    struct world_page none = {.known = true};
    if (!link->Valid)
        return none;
    DXGK_PTE leaf = entry_at(world, link->Segment, link->PageTableAddress * PAGE, index);
    return page_of(&leaf, wide, va);
}

struct world_page world_walk(struct world_process *process, uint64_t va) {
    struct world *world = process->world;
    uint32_t segment = process->root.SegmentId, level = world->levels - 1;
    uint64_t table = process->root.SegmentOffset, index = va >> shift_of(world, level);
    struct world_page none = {.known = true};
    DXGK_PTE link = {.Flags = 0};
    if (!process->rooted || index >= process->entries)
        return none;
    for (; level > 0; level--) {
        link = entry_at(world, segment, table, index * words(world, level));
        if (level == 1)
            break;
        if (!link.Valid)
            return none;
        segment = link.Segment;
        table = link.PageTableAddress * PAGE;
        index = va >> shift_of(world, level - 1) & ((1u << world->bits[level - 1]) - 1);
    }
    if (world->pages != PAGES_DUAL)
        return leaf_of(world, &link, link.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB, va);
    DXGK_PTE large = entry_at(world, segment, table, index * 2 + 1);
    struct world_page narrow = leaf_of(world, &link, false, va);
    struct world_page wide = leaf_of(world, &large, true, va);
    assert_false(narrow.valid && wide.valid); /* R377 */
    return wide.valid ? wide : narrow;
}

struct world_page world_translate(struct world_process *process, uint64_t va) {
    struct world_page *known = &process->tlb[va / PAGE];
    struct world_page page = *known;
    if (!page.known) {
        page = world_walk(process, va);
        if (page.valid || process->world->invalid_cached)
            *known = page;
    }
    return page;
}

static uint8_t *reach(struct world_process *process, uint64_t va) {
    struct world_page page = world_translate(process, va);
    assert_true(page.valid && !page.zero);
    uint8_t *byte = world_byte(process->world, page.segment, page.page * PAGE + va % PAGE);
    assert_non_null(byte);
    return byte;
}

static uint8_t *reach_to_write(struct world_process *process, uint64_t va) {
    struct world_page page = world_translate(process, va);
    world_wrote(process->world, page.segment, page.page * PAGE + va % PAGE);
    return reach(process, va);
}

/* ---- Commands -------------------------------------------------------------------------------- */

struct command {
    uint32_t operation, size;      /* bytes of all */
    struct world_process *process; /* FLUSH */
    bool physical, repeat;
    uint32_t segment;
    uint64_t table, first, step, count;
    uint64_t from, to, bytes;
    uint32_t pattern;
};

static void execute_update(struct world *world, const struct command *command,
                           const DXGK_PTE *entries) {
    for (uint64_t i = 0; i < command->count; i++) {
        uint64_t at = command->table + (command->first + i * command->step) * ENTRY;
        uint8_t *to = command->physical ? world_byte(world, command->segment, at)
                                        : reach_to_write(world->space, at);
        assert_non_null(to);
        if (command->physical)
            world_wrote(world, command->segment, at);
        memcpy(to, &entries[command->repeat ? 0 : i], ENTRY);
    }
}

/* Every entry is read before one is written (R239). */
static void execute_entries(struct world *world, const struct command *command,
                            const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *ranges) {
    static DXGK_PTE entries[WORLD_VA_PAGES];
    struct world_process *paging = world->space;
    uint32_t n = 0;
    for (uint32_t i = 0; i < command->count; i++) {
        for (uint32_t k = 0; k < ranges[i].NumPageTableEntries; k++)
            memcpy(&entries[n++],
                   reach(paging,
                         ranges[i].SrcPageTableAddress + (ranges[i].SrcStartPteIndex + k) * ENTRY),
                   ENTRY);
    }
    n = 0;
    for (uint32_t i = 0; i < command->count; i++) {
        for (uint32_t k = 0; k < ranges[i].NumPageTableEntries; k++)
            memcpy(reach_to_write(paging, ranges[i].DstPageTableAddress +
                                              (ranges[i].DstStartPteIndex + k) * ENTRY),
                   &entries[n++], ENTRY);
    }
    world->copies++;
}

static void flush(struct world_process *process, uint64_t start, uint64_t end) {
    process->flushes++;
    assert_false(process->world->wants_idle && process->world->busy && !process->system);
    for (uint32_t i = 0; i < WORLD_VA_PAGES; i++) {
        if ((start == 0 && end == 0) || (i * PAGE < end && (i + 1) * PAGE > start))
            process->tlb[i].known = false;
    }
}

static void execute_copy(struct world *world, const struct command *command) {
    for (uint64_t at = 0; at < command->bytes; at += PAGE)
        memcpy(reach_to_write(world->space, command->to + at),
               reach(world->space, command->from + at), PAGE);
    world->transfers++;
}

static void execute_fill(struct world *world, const struct command *command) {
    for (uint64_t at = 0; at < command->bytes; at += PAGE)
        memset(reach_to_write(world->space, command->to + at), (int)command->pattern, PAGE);
    world->fills++;
}

static void execute(struct world *world, const uint8_t *at, uint64_t size) {
    struct command command;
    for (uint64_t done = 0; done < size; done += command.size) {
        memcpy(&command, at + done, sizeof(command));
        if (command.operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
            execute_update(world, &command, (const DXGK_PTE *)(at + done + sizeof(command)));
        else if (command.operation == DXGK_OPERATION_FLUSH_TLB)
            flush(command.process, command.from, command.to);
        else if (command.operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES)
            execute_entries(world, &command, (const void *)(at + done + sizeof(command)));
        else if (command.operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
            execute_copy(world, &command);
        else if (command.operation == DXGK_OPERATION_VIRTUAL_FILL)
            execute_fill(world, &command);
    }
}

/* The paging node fetches its buffer through its own space. */
static void run_paging(struct world *world, const struct world_job *job) {
    uint8_t buffer[65536];
    assert_true(job->size <= sizeof(buffer));
    for (uint64_t at = 0; at < job->size; at += PAGE) {
        uint64_t left = job->size - at;
        memcpy(buffer + at, reach(world->space, job->address + at), left < PAGE ? left : PAGE);
    }
    execute(world, buffer, job->size);
}

bool gpu_step(struct world *world) {
    if (world->job_count == 0 || world->jobs[world->job_head % 64].hangs)
        return false;
    struct world_job job = world->jobs[world->job_head++ % 64];
    world->job_count--;
    world->space = job.space;
    if (job.paging)
        run_paging(world, &job);
    else
        world->busy = false;
    vidmm_notify_completed(world->adapter, job.node, job.fence);
    return true;
}

/* Behind a handle. */
struct object {
    struct world *world;
    struct world_process *process; /* of a device or context */
};

/* ---- Building -------------------------------------------------------------------------------- */

static void check_update(const struct world *world,
                         const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, bool now) {
    const struct world_process *process = update->hProcess;
    bool root = update->PageTableLevel + 1 == world->levels;
    uint32_t bits =
        update->Flags.Use64KBPages ? world->bits[0] - 4 : world->bits[update->PageTableLevel];
    assert_true(update->PageTableLevel < world->levels);
    assert_int_equal(update->UpdateMode, now ? DXGK_PAGETABLEUPDATE_CPU_VIRTUAL : world->mode);
    assert_true(!now || process->system);
    assert_true(update->NumPageTableEntries > 0);
    if (!(root && world->levels == 2))
        assert_true(update->StartIndex + update->NumPageTableEntries <= 1u << bits);
    assert_true(!update->DriverProtection || update->PageTableLevel == 0);
    assert_int_equal(
        update->FirstPteVirtualAddress >>
                (update->Flags.Use64KBPages ? 16 : shift_of(world, update->PageTableLevel)) &
            (root ? UINT32_MAX : (1u << bits) - 1),
        update->StartIndex);
    assert_false(world->wants_idle && world->busy && !process->system);
}

static struct command describe_update(const struct world *world,
                                      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    struct command command = {.operation = DXGK_OPERATION_UPDATE_PAGE_TABLE};
    command.physical = update->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    command.segment = command.physical ? update->PageTableAddress.GpuPhysical.SegmentId : 0;
    command.table = command.physical ? update->PageTableAddress.GpuPhysical.SegmentOffset
                                     : update->PageTableAddress.GpuVirtual;
    command.step = words(world, update->PageTableLevel);
    command.repeat = update->Flags.Repeat;
    return command;
}

static void update_by_cpu(const struct world *world,
                          const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update) {
    DXGK_PTE *table = update->PageTableAddress.CpuVirtual;
    uint32_t step = words(world, update->PageTableLevel);
    for (uint32_t i = 0; i < update->NumPageTableEntries; i++) {
        uint32_t from = update->Flags.Repeat ? 0 : i, to = (update->StartIndex + i) * step;
        table[to] = update->pPageTableEntries[from];
        if (step == 2)
            table[to + 1] = update->pPageTableEntries64KB[from];
    }
}

/* Entries of one array, from the one that is next: as many as fit. */
static uint32_t put(DXGKARG_BUILDPAGINGBUFFER *arg, struct command command, const DXGK_PTE *entries,
                    uint64_t left) {
    uint64_t words = command.repeat ? 1 : left;
    if (arg->DmaSize < sizeof(command) + ENTRY)
        return 0;
    uint64_t room = (arg->DmaSize - sizeof(command)) / ENTRY;
    words = words < room ? words : room;
    command.count = command.repeat ? left : words;
    command.size = (uint32_t)(sizeof(command) + words * ENTRY);
    memcpy(arg->pDmaBuffer, &command, sizeof(command));
    memcpy((uint8_t *)arg->pDmaBuffer + sizeof(command), entries, words * ENTRY);
    arg->pDmaBuffer = (uint8_t *)arg->pDmaBuffer + command.size;
    arg->DmaSize -= command.size;
    return (uint32_t)command.count;
}

static NTSTATUS build_update(struct world *world, DXGKARG_BUILDPAGINGBUFFER *arg) {
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &arg->UpdatePageTable;
    uint64_t count = update->NumPageTableEntries;
    check_update(world, update, !arg->pDmaBuffer);
    world->updates++;
    world->evicted += update->Flags.NotifyEviction;
    if (update->DriverProtection && ((struct world_process *)update->hProcess)->system)
        world->paging_protection = update->DriverProtection;
    if (update->Flags.Use64KBPages && update->pPageTableEntries[0].Valid)
        world->wide_entries += count;
    if (update->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
        update_by_cpu(world, update);
        return STATUS_SUCCESS;
    }
    uint64_t all = count * words(world, update->PageTableLevel);
    while (arg->MultipassOffset < all) {
        bool second = arg->MultipassOffset >= count;
        uint64_t done = arg->MultipassOffset - (second ? count : 0);
        struct command command = describe_update(world, update);
        const DXGK_PTE *entries =
            second ? update->pPageTableEntries64KB : update->pPageTableEntries;
        command.first = (update->StartIndex + done) * command.step + second;
        uint32_t put_now = put(arg, command, entries + (command.repeat ? 0 : done), count - done);
        if (put_now == 0) {
            world->passes++;
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        }
        arg->MultipassOffset += put_now;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS put_command(DXGKARG_BUILDPAGINGBUFFER *arg, struct command command) {
    command.size = sizeof(command);
    if (arg->DmaSize < sizeof(command))
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    memcpy(arg->pDmaBuffer, &command, sizeof(command));
    arg->pDmaBuffer = (uint8_t *)arg->pDmaBuffer + sizeof(command);
    return STATUS_SUCCESS;
}

static NTSTATUS put_ranges(DXGKARG_BUILDPAGINGBUFFER *arg) {
    const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy = &arg->CopyPageTableEntries;
    uint32_t bytes = copy->NumRanges * (uint32_t)sizeof(*copy->pRanges);
    struct command command = {.operation = (uint32_t)arg->Operation,
                              .size = (uint32_t)sizeof(command) + bytes,
                              .count = copy->NumRanges};
    assert_true(copy->NumRanges > 0);
    for (uint32_t i = 0; i < copy->NumRanges; i++) /* R238 */
        assert_int_equal(
            (copy->pRanges[i].SrcPageTableAddress | copy->pRanges[i].DstPageTableAddress) % WIDE,
            0);
    if (arg->DmaSize < command.size)
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    memcpy(arg->pDmaBuffer, &command, sizeof(command));
    memcpy((uint8_t *)arg->pDmaBuffer + sizeof(command), copy->pRanges, bytes);
    arg->pDmaBuffer = (uint8_t *)arg->pDmaBuffer + command.size;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build_paging_buffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg) {
    struct world *world = adapter;
    struct command command = {.operation = (uint32_t)arg->Operation};
    switch (arg->Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        return build_update(world, arg);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        assert_int_not_equal(world->mode, DXGK_PAGETABLEUPDATE_CPU_VIRTUAL); /* R388 */
        world->copied_on = ((struct object *)arg->hSystemContext)->process;
        return put_ranges(arg);
    case DXGK_OPERATION_FLUSH_TLB:
        command.process = arg->FlushTlb.hProcess;
        command.from = arg->FlushTlb.StartVirtualAddress;
        command.to = arg->FlushTlb.EndVirtualAddress;
        if (command.process->rooted)
            assert_int_equal(arg->FlushTlb.RootPageTableAddress.SegmentId,
                             command.process->root.SegmentId);
        return put_command(arg, command);
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        command.from = arg->TransferVirtual.SourceVirtualAddress;
        command.to = arg->TransferVirtual.DestinationVirtualAddress;
        command.bytes = arg->TransferVirtual.TransferSizeInBytes;
        return put_command(arg, command);
    case DXGK_OPERATION_VIRTUAL_FILL:
        command.to = arg->FillVirtual.DestinationVirtualAddress;
        command.bytes = arg->FillVirtual.FillSizeInBytes;
        command.pattern = arg->FillVirtual.FillPattern;
        return put_command(arg, command);
    default:
        return STATUS_SUCCESS;
    }
}

/* ---- The adapter ----------------------------------------------------------------------------- */

static void answer_segments(const struct world *world, DXGK_QUERYSEGMENTOUT4 *out) {
    if (!out->pSegmentDescriptor) {
        out->NbSegment = 3;
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        DXGK_SEGMENTDESCRIPTOR4 *to =
            (DXGK_SEGMENTDESCRIPTOR4 *)(void *)(out->pSegmentDescriptor +
                                                i * out->SegmentDescriptorStride);
        to->BaseAddress.QuadPart = (LONGLONG)(i + 1) << 40;
        to->Size = i == 0 ? world->vram_bytes : i == 1 ? 8 * MIB : world->small_bytes;
        to->CommitLimit = to->Size;
        to->NumInvalidMemoryRanges = i == 0 && world->dirty && world->dirty->invalid_pages;
        to->Flags.Aperture = i == 1;
        to->Flags.CpuVisible = i == 2;
        to->Flags.Use64KBPages = i == 0 && world->pages != PAGES_4K;
        if (i == 2)
            to->CpuTranslatedAddress.QuadPart = 0xe0000000;
    }
    out->PagingBufferSegmentId = 0;
    out->PagingBufferSize = world->paging_size;
    out->PagingBufferPrivateDataSize = 0;
}

static void answer_level(const struct world *world, DXGKARG_QUERYADAPTERINFO *arg) {
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = arg->pInputData;
    DXGK_PAGE_TABLE_LEVEL_DESC *out = arg->pOutputData;
    uint32_t level = in->LevelIndex, bits = world->bits[level];
    uint64_t size = (UINT64_C(1) << bits) * ENTRY * words(world, level);
    out->PageTableIndexBitCount = bits;
    out->PageTableSegmentId = out->PagingProcessPageTableSegmentId = world->table_segment;
    out->PageTableSizeInBytes = (UINT)((size + PAGE - 1) / PAGE * PAGE);
}

static void answer_mmu(const struct world *world, DXGK_GPUMMUCAPS *caps) {
    caps->ReadOnlyMemorySupported = 1;
    caps->ZeroInPteSupported = 1;
    caps->ExplicitPageTableInvalidation = world->explicit_invalidation;
    caps->PageTableUpdateRequireAddressSpaceIdle = world->wants_idle;
    caps->InvalidTlbEntriesNotCached = !world->invalid_cached;
    caps->DualPteSupported = world->pages == PAGES_DUAL;
    caps->PageTableUpdateMode = world->mode;
    caps->VirtualAddressBitCount = WORLD_VA_BITS;
    caps->LeafPageTableSizeFor64KPagesInBytes = world->pages == PAGES_4K ? 0 : (UINT)PAGE;
    caps->PageTableLevelCount = world->levels;
}

static NTSTATUS answer(struct world *world, const DXGKARG_QUERYADAPTERINFO *arg) {
    DXGKARG_QUERYADAPTERINFO copy = *arg;
    DXGK_DRIVERCAPS caps;
    DXGK_PHYSICALADAPTERCAPS *physical = arg->pOutputData;
    switch (arg->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        memset(&caps, 0, sizeof(caps));
        caps.HighestAcceptableAddress.QuadPart = INT64_MAX;
        caps.ApertureSegmentCommitLimit = 1u << 30;
        caps.SchedulingCaps.MultiEngineAware = 1;
        caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
        caps.MemoryManagementCaps.GpuMmuSupported = 1;
        caps.WDDMVersion = DXGKDDI_WDDMv2_6;
        memcpy(arg->pOutputData, &caps,
               arg->OutputDataSize < sizeof(caps) ? arg->OutputDataSize : sizeof(caps));
        return STATUS_SUCCESS;
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
        physical->NumExecutionNodes = 2;
        physical->PagingNodeIndex = 1;
        physical->Flags.GpuMmuSupported = 1;
        return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT4:
        answer_segments(world, arg->pOutputData);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_PAGINGPROCESSGPUVASIZE:
        *(UINT *)arg->pOutputData = world->paging_megabytes;
        return STATUS_SUCCESS;
    case DXGKQAITYPE_GPUMMUCAPS:
        answer_mmu(world, arg->pOutputData);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_PAGETABLELEVELDESC:
        answer_level(world, &copy);
        return STATUS_SUCCESS;
    default:
        return dirty_answer(world, arg);
    }
}

static NTSTATUS APIENTRY query_adapter_info(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *arg) {
    struct world *world = adapter;
    DXGKARG_QUERYADAPTERINFO copy = *arg;
    NTSTATUS status = answer(world, arg);
    if (world->spoil && status == STATUS_SUCCESS)
        world->spoil(&copy);
    return status;
}

/* ---- Objects --------------------------------------------------------------------------------- */

static struct object *new_object(struct world *world, struct world_process *process) {
    struct object *object = calloc(1, sizeof(*object));
    *object = (struct object){world, process};
    world->objects++;
    return object;
}

static NTSTATUS drop(HANDLE handle) {
    struct object *object = handle;
    object->world->objects--;
    free(object);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_process(HANDLE adapter, DXGKARG_CREATEPROCESS *arg) {
    struct world *world = adapter;
    for (uint32_t i = 0; i < WORLD_PROCESSES; i++) {
        struct world_process *process = &world->process[i];
        if (process->used)
            continue;
        memset(process, 0, sizeof(*process));
        process->world = world;
        process->used = true;
        process->system = arg->Flags.SystemProcess;
        arg->hKmdProcess = process;
        world->objects++;
        return STATUS_SUCCESS;
    }
    return STATUS_NO_MEMORY;
}

static NTSTATUS APIENTRY destroy_process(HANDLE adapter, HANDLE handle) {
    struct world_process *process = handle;
    (void)adapter;
    process->used = false;
    process->world->objects--;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_device(HANDLE adapter, DXGKARG_CREATEDEVICE *arg) {
    arg->hDevice = new_object(adapter, arg->hKmdProcess);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_context(HANDLE device, DXGKARG_CREATECONTEXT *arg) {
    const struct object *object = device;
    arg->hContext = new_object(object->world, object->process);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_object(HANDLE handle) {
    return drop(handle);
}

static void APIENTRY set_root(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *arg) {
    struct world_process *process = ((struct object *)arg->hContext)->process;
    (void)adapter;
    assert_false(process->world->busy && process->rooted &&
                 process->root.SegmentOffset != arg->Address.SegmentOffset);
    process->root = arg->Address;
    process->entries = arg->NumEntries;
    process->rooted = true;
    process->world->roots_set++;
}

static SIZE_T APIENTRY get_root_size(HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE *arg) {
    const struct world *world = adapter;
    uint64_t each = ENTRY * words(world, 1), bytes = arg->NumberOfPte * each;
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    arg->NumberOfPte = (arg->NumberOfPte + 15) / 16 * 16; /* fewer than there is room for */
    return bytes;
}

static NTSTATUS APIENTRY create_allocation(HANDLE adapter, DXGKARG_CREATEALLOCATION *arg) {
    for (UINT i = 0; i < arg->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *info = &arg->pAllocationInfo[i];
        struct world_desc desc;
        memcpy(&desc, info->pPrivateDriverData, sizeof(desc));
        info->Size = desc.size;
        info->Alignment = desc.alignment;
        info->PreferredSegment.SegmentId0 = desc.preferred;
        info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = desc.set;
        info->Flags.CpuVisible = 1;
        info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
        info->hAllocation = new_object(adapter, NULL);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_allocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION *arg) {
    (void)adapter;
    for (UINT i = 0; i < arg->NumAllocations; i++)
        (void)drop(arg->pAllocationList[i]);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY open_allocation(HANDLE device, const DXGKARG_OPENALLOCATION *arg) {
    for (UINT i = 0; i < arg->NumAllocations; i++)
        arg->pOpenAllocation[i].hDeviceSpecificAllocation =
            new_object(((struct object *)device)->world, NULL);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY close_allocation(HANDLE device, const DXGKARG_CLOSEALLOCATION *arg) {
    (void)device;
    for (UINT i = 0; i < arg->NumAllocations; i++)
        (void)drop(arg->pOpenHandleList[i]);
    return STATUS_SUCCESS;
}

/* ---- Submission, reset ----------------------------------------------------------------------- */

static NTSTATUS APIENTRY submit_virtual(HANDLE adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL *arg) {
    struct world *world = adapter;
    struct world_job job = {.address = arg->DmaBufferVirtualAddress,
                            .size = arg->DmaBufferSize,
                            .node = arg->NodeOrdinal,
                            .fence = arg->SubmissionFenceId,
                            .paging = arg->Flags.Paging,
                            .space = ((struct object *)arg->hContext)->process};
    if (job.paging && world->hangs_at && --world->hangs_at == 0)
        job.hangs = true;
    world->busy = world->busy || !job.paging;
    assert_true(world->job_count < 64);
    world->jobs[(world->job_head + world->job_count++) % 64] = job;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY submit(HANDLE adapter, const DXGKARG_SUBMITCOMMAND *arg) {
    (void)adapter, (void)arg;
    fail_msg("DxgkDdiSubmitCommand with GPU virtual addresses");
    return STATUS_SUCCESS;
}

/* All memory of the GPU is lost, and no TLB knows anything. */
static NTSTATUS APIENTRY reset_from_timeout(HANDLE adapter) {
    struct world *world = adapter;
    world->resets++;
    world->job_count = 0;
    world->busy = false;
    memset(world->vram, 0xee, world->vram_bytes);
    memset(world->small, 0xee, world->small_bytes);
    for (uint32_t i = 0; i < WORLD_PROCESSES; i++)
        memset(world->process[i].tlb, 0, sizeof(world->process[i].tlb));
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY restart_from_timeout(HANDLE adapter) {
    (void)adapter;
    return STATUS_SUCCESS;
}

struct world_process *world_process(struct world *world, uint32_t index) {
    return &world->process[index];
}

void driver_table(struct world *world) {
    world->ddi = (DRIVER_INITIALIZATION_DATA){
        .Version = world->version,
        .DxgkDdiQueryAdapterInfo = query_adapter_info,
        .DxgkDdiCreateProcess = create_process,
        .DxgkDdiDestroyProcess = destroy_process,
        .DxgkDdiCreateDevice = create_device,
        .DxgkDdiDestroyDevice = destroy_object,
        .DxgkDdiCreateContext = create_context,
        .DxgkDdiDestroyContext = destroy_object,
        .DxgkDdiSetRootPageTable = set_root,
        .DxgkDdiGetRootPageTableSize = world->no_root_size ? NULL : get_root_size,
        .DxgkDdiCreateAllocation = create_allocation,
        .DxgkDdiDestroyAllocation = destroy_allocation,
        .DxgkDdiOpenAllocation = open_allocation,
        .DxgkDdiCloseAllocation = close_allocation,
        .DxgkDdiBuildPagingBuffer = build_paging_buffer,
        .DxgkDdiSubmitCommand = submit,
        .DxgkDdiSubmitCommandVirtual = submit_virtual,
        .DxgkDdiResetFromTimeout = reset_from_timeout,
        .DxgkDdiRestartFromTimeout = restart_from_timeout,
    };
    dirty_table(world);
}
