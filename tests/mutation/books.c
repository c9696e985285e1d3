/*
 * books.c - what user mode asked for, as the manager's books have it: which addresses lead to which
 * allocations, and which of these a device lists. Its books are right even where what it asks of
 * the driver is not.
 */
#include "mutation.h"

#include <adapter.h>
#include <allocation.h>
#include <listing.h>
#include <process.h>
#include <table.h>

#include <vidmm/services.h>

static struct vidmm_context *context_of(struct vidmm_adapter *adapter, HANDLE handle) {
    for (struct vidmm_device *device = adapter->devices; device; device = device->next)
        for (struct vidmm_context *context = device->contexts; context; context = context->next)
            if (context->handle == handle && device->process)
                return context;
    return NULL;
}

static bool lists(const struct vidmm_device *device, const struct vidmm_allocation *allocation) {
    const struct listing *listing = allocation->listings;
    while (listing && listing->device != device)
        listing = listing->other;
    return listing != NULL && allocation->segment != NULL;
}

static void tell_pages(const struct vidmm_lab *lab, const struct vidmm_context *context,
                       const struct mapping *mapping) {
    const struct vidmm_allocation *allocation = mapping->use.allocation;
    struct vidmm_told told = {.service = VIDMM_SERVICE_WORK};
    for (uint64_t at = mapping->start, row; at < mapping->end; at += row) {
        uint64_t offset = va_offset(mapping, at, &row);
        row = row < mapping->end - at ? row : mapping->end - at;
        told.work = (struct vidmm_told_work){.process = context->device->process->handle,
                                             .allocation = allocation->handle,
                                             .node = context->node,
                                             .va = at,
                                             .size = row,
                                             .offset = offset};
        vidmm_referee_judge_told(lab->referee, &told);
    }
}

static void tell_nowhere(const struct vidmm_lab *lab, const struct vidmm_context *context,
                         uint64_t start, uint64_t end) {
    const struct vidmm_told told = {.service = VIDMM_SERVICE_WORK,
                                    .work = {.process = context->device->process->handle,
                                             .node = context->node,
                                             .va = start,
                                             .size = end - start}};
    if (start < end)
        vidmm_referee_judge_told(lab->referee, &told);
}

/* Of what is resident and not listed nobody may rely on either. */
static bool leads_nowhere(const struct mapping *mapping) {
    return mapping->use.kind == VA_NOTHING ||
           (mapping->use.kind == VA_PAGES && mapping->use.allocation->segment == NULL);
}

HANDLE books_tell(const struct vidmm_lab *lab, const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    const struct vidmm_context *context = context_of(lab->adapter, args->hContext);
    if (!context)
        return NULL;
    const struct va *va = &context->device->process->space->va;
    uint64_t end = 0; /* of what is told */
    for (const struct mapping *mapping = va_find(va, 0); mapping;
         mapping = va_find(va, mapping->end)) {
        if (leads_nowhere(mapping))
            continue;
        tell_nowhere(lab, context, end, mapping->start);
        end = mapping->end;
        if (mapping->use.kind == VA_PAGES && lists(context->device, mapping->use.allocation))
            tell_pages(lab, context, mapping);
    }
    tell_nowhere(lab, context, end, va->limit);
    return context->device->process->handle;
}
