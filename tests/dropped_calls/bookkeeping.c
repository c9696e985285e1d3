/*
 * bookkeeping.c - what user mode asked for, as the manager records it: which addresses lead to
 * which allocations, and which of these a device lists. The manager's records are right even where
 * what it asks of the driver is not.
 */
#include "dropped.h"

#include <stdlib.h>

#include "base/adapter.h"
#include "object/allocation.h"
#include "engine/fence.h"
#include "lists/residency_list.h"
#include "life/process.h"
#include "paging/table.h"

#include <vidmm/services.h>

static struct vidmm_context *context_of(struct vidmm_adapter *adapter, HANDLE handle) {
    for (struct vidmm_device *device = adapter->devices.first; device; device = device->next)
        for (struct vidmm_context *context = device->contexts; context; context = context->next)
            if (context->handle == handle && device->process)
                return context;
    return NULL;
}

static bool lists(const struct vidmm_device *device, const struct vidmm_allocation *allocation) {
    const struct residency_entry *entry = allocation->residency_entries;
    while (entry && entry->device != device)
        entry = entry->other;
    return entry && allocation->segment;
}

/* What the work may use that was submitted last. */
static struct use {
    HANDLE process;
    uint64_t start, end;
    uint32_t node, fence;
} * uses;
static uint32_t use_count, use_room;

static void note_use(const struct vidmm_request_work *work, uint32_t fence) {
    if (use_count == use_room) {
        use_room = use_room ? 2 * use_room : 256;
        uses = realloc(uses, use_room * sizeof(*uses));
        if (!uses)
            abort();
    }
    uses[use_count++] =
        (struct use){work->process, work->va, work->va + work->size, work->node, fence};
}

bool bookkeeping_used(const struct vidmm_harness *harness, HANDLE process, uint64_t start,
                      uint64_t end) {
    for (uint32_t i = harness ? use_count : 0; i > 0; i--) {
        const struct use *use = &uses[i - 1];
        if (fence_passed(harness->adapter, use->node, use->fence))
            uses[i - 1] = uses[--use_count];
        else if (use->process == process && use->start < end && start < use->end)
            return true;
    }
    return false;
}

bool bookkeeping_uses(const struct vidmm_harness *harness, HANDLE allocation) {
    const struct vidmm_process *process = harness ? harness->adapter->processes.first : NULL;
    for (; process; process = process->next) {
        const struct va *va = process->space->va;
        for (const struct mapping *mapping = va_find(va, 0); mapping;
             mapping = va_find(va, mapping->end))
            if (mapping->use.kind == VA_PAGES && mapping->use.allocation->handle == allocation &&
                bookkeeping_used(harness, process->handle, mapping->start, mapping->end))
                return true;
    }
    return false;
}

static void tell_pages(const struct vidmm_harness *harness, const struct vidmm_context *context,
                       const struct mapping *mapping, uint32_t fence) {
    const struct vidmm_allocation *allocation = mapping->use.allocation;
    bool listed = lists(context->device, allocation);
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_WORK};
    for (uint64_t at = mapping->start, row; at < mapping->end; at += row) {
        uint64_t offset = va_offset(mapping, at, &row);
        row = row < mapping->end - at ? row : mapping->end - at;
        record.work = (struct vidmm_request_work){.process = context->device->process->handle,
                                                  .allocation = allocation->handle,
                                                  .node = context->node,
                                                  .va = at,
                                                  .size = row,
                                                  .offset = offset};
        vidmm_referee_judge_request(harness->referee, &record);
        if (listed)
            note_use(&record.work, fence);
    }
}

static void tell_nowhere(const struct vidmm_harness *harness, const struct vidmm_context *context,
                         uint64_t start, uint64_t end) {
    const struct vidmm_request_record record = {
        .service = VIDMM_SERVICE_WORK,
        .work = {.process = context->device->process->handle,
                 .node = context->node,
                 .va = start,
                 .size = end - start}};
    if (start < end)
        vidmm_referee_judge_request(harness->referee, &record);
}

static bool leads_nowhere(const struct mapping *mapping) {
    return mapping->use.kind == VA_NOTHING ||
           (mapping->use.kind == VA_PAGES && !mapping->use.allocation->segment);
}

/* ---- Tables that companion contexts name ----------------------------------------------------- */

/* The address space that the driver's context runs in if it is a companion; NULL: it is none. */
static const struct vidmm_process *privileged_with(const struct vidmm_harness *harness,
                                                   HANDLE handle) {
    const struct vidmm_process *process = harness ? harness->adapter->processes.first : NULL;
    for (; process; process = process->next) {
        const struct vidmm_context *context = process->device ? process->device->contexts : NULL;
        while (context && context->handle != handle)
            context = context->next;
        if (context)
            return process;
    }
    return NULL;
}

HANDLE bookkeeping_companion(const struct vidmm_harness *harness, HANDLE context) {
    const struct vidmm_process *privileged = privileged_with(harness, context);
    return privileged ? privileged->handle : NULL;
}

bool bookkeeping_privileged(const struct vidmm_harness *harness, HANDLE handle) {
    const struct vidmm_process *process = harness ? harness->adapter->processes.first : NULL;
    while (process && process->handle != handle)
        process = process->next;
    return process && process->owner;
}

/* The memory of a table that the privileged space shows at `address`; NULL: none of this tree. */
static const struct table_memory *memory_at(const struct table *table, uint64_t address) {
    const struct table_memory *found = NULL;
    for (uint32_t i = 0; !found && table && i < 2; i++)
        if (table->memory[i].size && table->memory[i].privileged_va == address)
            found = &table->memory[i];
    for (uint32_t i = 0; !found && table && table->child && i < table->entries; i++)
        found = memory_at(table->child[i], address);
    return found;
}

/* The name that the table has in the operations of the paging process. */
static uint64_t known_as(const struct vidmm_process *privileged, uint64_t address) {
    const struct table_memory *memory = memory_at(privileged->owner->space->root, address);
    if (!memory)
        memory = memory_at(privileged->space->root, address);
    if (!memory || memory->window)
        return memory ? memory->window : address;
    D3DGPU_PHYSICAL_ADDRESS place = table_address(memory);
    return place.SegmentOffset | (uint64_t)place.SegmentId << 56;
}

void bookkeeping_name(const struct vidmm_harness *harness, DXGKARG_BUILDPAGINGBUFFER *args) {
    static DXGK_BUILDPAGINGBUFFER_COPY_RANGE ranges[TABLE_RANGES_MAX];
    const struct vidmm_process *privileged = privileged_with(harness, args->hSystemContext);
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy = &args->CopyPageTableEntries;
    if (!privileged)
        return;
    DXGK_PAGETABLEUPDATEADDRESS *table = &args->UpdatePageTable.PageTableAddress;
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
        args->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
        table->GpuVirtual = known_as(privileged, table->GpuVirtual);
    if (args->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES)
        return;
    for (UINT i = 0; i < copy->NumRanges && i < TABLE_RANGES_MAX; i++) {
        ranges[i] = copy->pRanges[i];
        ranges[i].SrcPageTableAddress = known_as(privileged, ranges[i].SrcPageTableAddress);
        ranges[i].DstPageTableAddress = known_as(privileged, ranges[i].DstPageTableAddress);
    }
    copy->pRanges = ranges;
}

HANDLE bookkeeping_tell(const struct vidmm_harness *harness,
                        const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    const struct vidmm_context *context = context_of(harness->adapter, args->hContext);
    if (!context)
        return NULL;
    const struct va *va = context->device->process->space->va;
    uint64_t end = 0; /* of the ranges that were reported */
    for (const struct mapping *mapping = va_find(va, 0); mapping;
         mapping = va_find(va, mapping->end)) {
        if (leads_nowhere(mapping))
            continue;
        tell_nowhere(harness, context, end, mapping->start);
        end = mapping->end;
        if (mapping->use.kind == VA_PAGES)
            tell_pages(harness, context, mapping, args->SubmissionFenceId);
    }
    tell_nowhere(harness, context, end, va->limit);
    return context->device->process->handle;
}
