/*
 * callbacks.c - what the driver reports (completed, preempted and faulted work) and the context
 * allocations that it makes.
 *
 * DxgkCbNotifyInterrupt comes at the device's IRQL, from any thread and from inside the hardware
 * model: it only puts the report into a ring with a lock of its own. The ring is emptied, in order,
 * before DxgkCbNotifyDpc goes on to the manager and before any call of the GPU scheduler's class or
 * that ends an allocation.
 */
#include "state/allocation.h"
#include "state/work.h"

#include <string.h>

#include <vidmm/interrupt.h>

#define REPORTS 4096u

static struct {
    pthread_mutex_t lock;
    uint32_t first, count;
    struct vidmm_interrupt report[REPORTS];
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put(const struct vidmm_interrupt *report) {
    pthread_mutex_lock(&ring.lock);
    if (ring.count < REPORTS)
        ring.report[(ring.first + ring.count++) % REPORTS] = *report;
    pthread_mutex_unlock(&ring.lock);
}

static bool take(struct vidmm_interrupt *report) {
    pthread_mutex_lock(&ring.lock);
    bool any = ring.count != 0;
    if (any) {
        *report = ring.report[ring.first];
        ring.first = (ring.first + 1) % REPORTS;
        ring.count--;
    }
    pthread_mutex_unlock(&ring.lock);
    return any;
}

/* A page fault of work that the driver cannot name. */
static bool anonymous(const struct vidmm_interrupt *report) {
    return report->type == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
           (report->flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0;
}

/* No rule of the table, and yet nothing that a scheduler could make sense of. */
static bool makes_sense(const struct vidmm_interrupt *report) {
    const struct shadow_node *node;
    if (report->node >= SHADOW_NODES) {
        vidmm_ledger_note(referee->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "an interrupt was reported for node %u, which does not exist",
                          report->node);
        return false;
    }
    node = &referee->node[report->node];
    if (report->type == DXGK_INTERRUPT_DMA_PREEMPTED || anonymous(report) ||
        (node->any && (int32_t)(node->submitted - report->fence) >= 0))
        return true;
    vidmm_ledger_note(referee->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                      "fence %u was reported for node %u, where nothing was submitted with it",
                      report->fence, report->node);
    return false;
}

void callbacks_act(const struct vidmm_interrupt *report) {
    if (!makes_sense(report))
        return;
    if (report->type == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        submit_page_faulted(report);
    else if (report->type == DXGK_INTERRUPT_DMA_PREEMPTED)
        preempt_reported(report->node, report->fence, report->last_completed);
    else if (report->type != DXGK_INTERRUPT_DMA_COMPLETED)
        submit_faulted(report->node, report->fence);
    else if (preempt_judge_completed(report->node, report->fence))
        submit_completed(report->node, report->fence);
}

void callbacks_drain(void) {
    struct vidmm_interrupt report;
    char outer[96];
    memcpy(outer, referee->ledger->calling, sizeof(outer));
    outer[sizeof(outer) - 1] = 0;
    while (take(&report)) {
        vidmm_ledger_calling(referee->ledger, "DxgkCbNotifyInterrupt");
        callbacks_act(&report);
    }
    vidmm_ledger_calling(referee->ledger, outer);
}

static VOID APIENTRY see_NotifyInterrupt(const HANDLE handle,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    struct vidmm_interrupt report;
    if (vidmm_interrupt_read(data, &report))
        put(&report);
    referee->callbacks.DxgkCbNotifyInterrupt(handle, data);
}

static VOID APIENTRY see_NotifyDpc(const HANDLE handle) {
    pthread_mutex_lock(&referee->lock);
    callbacks_drain();
    pthread_mutex_unlock(&referee->lock);
    referee->callbacks.DxgkCbNotifyDpc(handle);
}

/* ---- Context allocations --------------------------------------------------------------------- */

#define CONTEXT_ALLOCATIONS 1024u

/* The driver's handles of those that exist, and the system's. */
static struct { HANDLE driver, system; } context_allocation[CONTEXT_ALLOCATIONS];

/* Paging operations name it before the callback returns. */
static struct shadow_object *
begin_context_allocation(const DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    DXGK_ALLOCATIONINFO info = {0};
    if (!args->hDriverAllocation || shadow_find(SHADOW_ALLOCATION, args->hDriverAllocation))
        return NULL;
    struct shadow_object *object = shadow_add(SHADOW_ALLOCATION, args->hDriverAllocation);
    if (!object)
        return NULL;
    info.hAllocation = args->hDriverAllocation;
    info.Alignment = args->Alignment;
    info.Size = args->Size;
    info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = args->SupportedSegmentSet;
    info.EvictionSegmentSet = args->EvictionSegmentSet;
    info.Flags = args->Flags;
    allocation_take_info(object, &info);
    return object;
}

static void note_context_allocation(HANDLE driver, HANDLE system) {
    for (uint32_t i = 0; i < CONTEXT_ALLOCATIONS; i++) {
        if (context_allocation[i].driver)
            continue;
        context_allocation[i].driver = driver;
        context_allocation[i].system = system;
        return;
    }
}

static NTSTATUS APIENTRY see_CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    pthread_mutex_lock(&referee->lock);
    struct shadow_object *object = begin_context_allocation(args);
    pthread_mutex_unlock(&referee->lock);
    NTSTATUS status = referee->callbacks.DxgkCbCreateContextAllocation(args);
    pthread_mutex_lock(&referee->lock);
    if (object && status == STATUS_SUCCESS)
        note_context_allocation(object->handle, args->hAllocation);
    else if (object)
        shadow_remove(object);
    pthread_mutex_unlock(&referee->lock);
    return status;
}

static NTSTATUS APIENTRY see_DestroyContextAllocation(const HANDLE adapter,
                                                      const HANDLE allocation) {
    NTSTATUS status = referee->callbacks.DxgkCbDestroyContextAllocation(adapter, allocation);
    pthread_mutex_lock(&referee->lock);
    for (uint32_t i = 0; status == STATUS_SUCCESS && i < CONTEXT_ALLOCATIONS; i++) {
        HANDLE driver = context_allocation[i].driver;
        if (!driver || context_allocation[i].system != allocation)
            continue;
        struct shadow_object *object = shadow_find(SHADOW_ALLOCATION, driver);
        if (object)
            shadow_remove(object);
        context_allocation[i].driver = NULL;
        break;
    }
    pthread_mutex_unlock(&referee->lock);
    return status;
}

void referee_watch_callbacks(DXGKRNL_INTERFACE *callbacks) {
    callbacks->DxgkCbNotifyInterrupt = see_NotifyInterrupt;
    callbacks->DxgkCbNotifyDpc = see_NotifyDpc;
    memset(context_allocation, 0, sizeof(context_allocation));
    callbacks->DxgkCbCreateContextAllocation = see_CreateContextAllocation;
    callbacks->DxgkCbDestroyContextAllocation = see_DestroyContextAllocation;
    process_watch_callbacks(callbacks);
}
