/*
 * companion_life.c - see companion_life.h.
 */
#include "life/companion_life.h"

#include "address/companion.h"
#include "address/privileged.h"
#include "life/device.h"
#include "life/process.h"

#define CALL "vidmm_va_update"

/* One behind the other, as struct paging_line has them. */
static enum vidmm_status companion_map_buffers(struct vidmm_process *privileged) {
    struct vidmm_adapter *adapter = privileged->adapter;
    struct space *space = privileged->space;
    uint64_t size = page_round(adapter->facts.physical[0].paging_size), at;
    const struct paging *paging = &adapter->physical[0].paging;
    uint32_t count = sizeof(paging->buffers) / sizeof(paging->buffers[0]);
    enum vidmm_status status = VIDMM_OK;
    if (!va_pick(space->va, size * count, PAGE_BYTES, SPACE_RESERVE_UNIT, space->va->limit, &at))
        return error_no_memory(adapter, CALL);
    privileged->buffers = at;
    for (uint32_t i = 0; status == VIDMM_OK && i < count; i++, at += size) {
        const struct va_use use = {.kind = VA_MEMORY,
                                   .pages = paging->buffers[i].mdl,
                                   .origin = at,
                                   .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
        if (use.pages)
            status = space_change(space, at, at + size, &use);
    }
    return status;
}

static enum vidmm_status companion_make_process(struct vidmm_process *process) {
    struct vidmm_process *privileged = NULL;
    enum vidmm_status status = process_make(process->adapter, process->number, &privileged);
    if (status)
        return status;
    privileged->owner = process;
    process->privileged = privileged;
    process_list(privileged); /* a reset writes its tables again */
    status = space_root(privileged->space);
    if (status == VIDMM_OK)
        status = device_create_own(privileged);
    if (status == VIDMM_OK)
        status = companion_map_buffers(privileged);
    if (status)
        process_end(privileged);
    return status;
}

static enum vidmm_status companion_join(struct vidmm_context *context,
                                        struct companion *companion) {
    struct vidmm_process *process = context->device->process;
    struct vidmm_adapter *adapter = process->adapter;
    uint32_t node = context->companion_node;
    if (adapter->facts.linked > 1 ||
        adapter->facts.physical[0].mmu.caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        return VIDMM_OK; /* linked: the tables of several adapters change */
    if (node >= adapter->facts.nodes)
        return FAIL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = "DxgkDdiCreateContext",
                    .field = "DXGK_CONTEXTINFO.PagingCompanionNodeId",
                    .expected = "a node that the adapter has", .rule = "R386",
                    .page = "ns-d3dkmddi-_dxgk_contextinfo", .index = ERROR_NO_INDEX,
                    .value = node);
    enum vidmm_status status = process->privileged ? VIDMM_OK : companion_make_process(process);
    if (status == VIDMM_OK)
        status = context_make(process->privileged->device, node, &companion->context);
    if (status == VIDMM_OK)
        companion->line =
            (struct paging_line){companion->context->handle, node, process->privileged->buffers};
    return status;
}

enum vidmm_status companion_make(struct vidmm_context *context) {
    struct vidmm_adapter *adapter = context->device->adapter;
    struct companion *companion = adapter_alloc(adapter, sizeof(*companion));
    if (!companion)
        return error_no_memory(adapter, CALL);
    enum vidmm_status status = companion_join(context, companion);
    if (status)
        adapter_free(adapter, companion, sizeof(*companion));
    else
        context->companion = companion;
    return status;
}

void companion_end(struct vidmm_context *context) {
    struct companion *companion = context->companion;
    if (!companion)
        return;
    companion_finish(context);
    if (companion->context)
        context_destroy(companion->context);
    adapter_free(context->device->adapter, companion, sizeof(*companion));
    context->companion = NULL;
}
