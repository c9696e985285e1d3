/*
 * interrupt.h - what a DxgkCbNotifyInterrupt says about submitted work, as plain data. The host
 * passes it to the manager, the referee judges by it.
 */
#ifndef VIDMM_INTERRUPT_H
#define VIDMM_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <d3dkmddi.h>

struct vidmm_interrupt {
    DXGK_INTERRUPT_TYPE type;
    uint32_t physical; /* the physical adapter: EngineOrdinal */
    uint32_t node;
    uint32_t fence;          /* completed, faulted, or the preemption request's */
    uint32_t last_completed; /* DMA_PREEMPTED: the fence of the last work done before it */
    uint64_t address;        /* DMA_PAGE_FAULTED: the GPU virtual address */
    HANDLE process;          /* DMA_PAGE_FAULTED: the process of the fault, or NULL */
    uint32_t flags;          /* DMA_PAGE_FAULTED: DXGK_PAGE_FAULT_* */
};

/* False: `data` says nothing about submitted work, and nothing was filled in but the type. */
static inline bool vidmm_interrupt_read(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data,
                                        struct vidmm_interrupt *interrupt) {
    interrupt->type = data->InterruptType;
    interrupt->physical = interrupt->node = interrupt->fence = interrupt->last_completed = 0;
    interrupt->address = 0;
    interrupt->process = NULL;
    interrupt->flags = 0;
    switch ((uint32_t)data->InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        interrupt->physical = data->DmaCompleted.EngineOrdinal;
        interrupt->node = data->DmaCompleted.NodeOrdinal;
        interrupt->fence = data->DmaCompleted.SubmissionFenceId;
        return true;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        interrupt->physical = data->DmaPreempted.EngineOrdinal;
        interrupt->node = data->DmaPreempted.NodeOrdinal;
        interrupt->fence = data->DmaPreempted.PreemptionFenceId;
        interrupt->last_completed = data->DmaPreempted.LastCompletedFenceId;
        return true;
    case DXGK_INTERRUPT_DMA_FAULTED:
        interrupt->physical = data->DmaFaulted.EngineOrdinal;
        interrupt->node = data->DmaFaulted.NodeOrdinal;
        interrupt->fence = data->DmaFaulted.FaultedFenceId;
        return true;
#if WDDM_AT_LEAST(WDDM2_0)
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
        interrupt->physical = data->DmaPageFaulted.EngineOrdinal;
        interrupt->node = data->DmaPageFaulted.NodeOrdinal;
        interrupt->fence = data->DmaPageFaulted.FaultedFenceId;
        interrupt->address = (uint64_t)data->DmaPageFaulted.FaultedVirtualAddress;
        interrupt->process = data->DmaPageFaulted.FaultedProcessHandle;
        interrupt->flags = (uint32_t)data->DmaPageFaulted.PageFaultFlags;
        return true;
#endif
    default:
        return false;
    }
}

#endif
