/*
 * process.c - processes. A process is a space: the tag that keeps its translations apart from those
 * of others in the TLB, the same on all linked boards.
 */
#include "driver/kmd.h"

/* A free space, or KMD_SPACE_NONE. */
static UINT take_space(struct kmd_mmu *mmu, HANDLE process) {
    UINT space = KMD_SPACE_NONE + 1;
    KIRQL irql;
    KeAcquireSpinLock(&mmu->lock, &irql);
    while (space < mmu->spaces && mmu->taken[space])
        space++;
    if (space < mmu->spaces) {
        mmu->taken[space] = true;
        mmu->process[space] = process;
    } else {
        space = KMD_SPACE_NONE;
    }
    KeReleaseSpinLock(&mmu->lock, irql);
    return space;
}

/* The next process in this space must find no translation of this one in the TLB of any board. */
static void give_space_back(struct kmd_adapter *adapter, UINT space) {
    struct kmd_mmu *mmu = &adapter->mmu;
    KIRQL irql;
    for (UINT i = 0; kmd_board(adapter, i) && kmd_mmu_on(adapter); i++)
        kmd_mmu_flush(kmd_board(adapter, i), GPU_FLUSH_SPACE, space, 0, 0);
    KeAcquireSpinLock(&mmu->lock, &irql);
    mmu->taken[space] = false;
    mmu->process[space] = NULL;
    KeReleaseSpinLock(&mmu->lock, irql);
}

static NTSTATUS process_create(struct kmd_adapter *adapter, DXGKARG_CREATEPROCESS *args) {
    struct kmd_process *process = kmd_alloc(sizeof(*process));
    if (!process)
        return STATUS_NO_MEMORY;
    process->magic = KMD_MAGIC_PROCESS;
    process->space = take_space(&adapter->mmu, args->hDxgkProcess);
    if (process->space == KMD_SPACE_NONE) {
        kmd_free(process);
        return STATUS_NO_MEMORY;
    }
    args->hKmdProcess = process;
    return STATUS_SUCCESS;
}

NTSTATUS APIENTRY kmd_create_process(const HANDLE hAdapter, DXGKARG_CREATEPROCESS *args) {
    if (kmd_virtual_on(hAdapter))
        return process_create(hAdapter, args);
    /* Nothing to know about a process; any handle that is not NULL will do. */
    args->hKmdProcess = hAdapter;
    return STATUS_SUCCESS;
}

static struct kmd_process *process_of(HANDLE handle) {
    struct kmd_process *process = handle;
    return process && process->magic == KMD_MAGIC_PROCESS ? process : NULL;
}

UINT kmd_space_of(HANDLE handle) {
    const struct kmd_process *process = process_of(handle);
    return process ? process->space : KMD_SPACE_NONE;
}

NTSTATUS APIENTRY kmd_destroy_process(const HANDLE hAdapter, const HANDLE hKmdProcess) {
    struct kmd_adapter *adapter = hAdapter;
    if (!kmd_virtual_on(adapter))
        return STATUS_SUCCESS;
    struct kmd_process *process = process_of(hKmdProcess);
    if (!process)
        return STATUS_INVALID_PARAMETER;
    give_space_back(adapter, process->space);
    process->magic = 0;
    kmd_free(process);
    return STATUS_SUCCESS;
}
