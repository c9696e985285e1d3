/*
 * engine.c - single engines as the scheduler sees them: how far each has come, whether it
 * answers, and DxgkDdiResetEngine (tdr-changes-in-windows-8.md). Engines share nothing that a reset
 * of one would touch: VRAM, page tables, the TLB and the other engine go on as they are.
 */
#include "driver/kmd.h"

/* Fence ids wrap; 0: there was none so far. */
static ULONG engine_newer(ULONG fence, ULONG other) {
    if (fence == 0 || other == 0)
        return fence | other;
    return (LONG)(fence - other) > 0 ? fence : other;
}

void kmd_note_submitted(struct kmd_adapter *adapter, ULONG engine, ULONG fence) {
    UINT node = (engine - GPU_ENGINE(0)) / (GPU_ENGINE(1) - GPU_ENGINE(0));
    adapter->submitted[node] = engine_newer(fence, adapter->submitted[node]);
}

static ULONG engine_settled(const struct kmd_adapter *adapter, UINT node) {
    return (ULONG)__atomic_load_n(&adapter->settled[node], __ATOMIC_ACQUIRE);
}

/* What a reset or a page fault ended counts, too (ne-d3dkmdt-_dxgk_page_fault_flags.md). */
ULONG kmd_last_completed(const struct kmd_adapter *adapter, UINT node) {
    ULONG completed = kmd_read(adapter, GPU_ENGINE(node) + GPU_ENGINE_COMPLETED);
    return engine_newer(engine_settled(adapter, node), completed);
}

/* Two may do so at once: the newest stays. */
void kmd_settle(struct kmd_adapter *adapter, UINT node, ULONG fence) {
    ULONG was = engine_settled(adapter, node);
    while (engine_newer(fence, was) != was) {
        ULONG now =
            (ULONG)InterlockedCompareExchange(&adapter->settled[node], (LONG)fence, (LONG)was);
        if (now == was)
            break;
        was = now;
    }
}

void kmd_settle_all(struct kmd_adapter *adapter) {
    for (UINT node = 0; node < adapter->nodes; node++)
        kmd_settle(adapter, node, adapter->submitted[node]);
}

/* The fences of another start of the device are not those of this one. */
void kmd_engines_begin(struct kmd_adapter *adapter) {
    for (UINT node = 0; node < adapter->nodes; node++) {
        kmd_write(adapter, GPU_ENGINE(node) + GPU_ENGINE_COMPLETED, 0);
        adapter->submitted[node] = 0;
        adapter->settled[node] = 0;
    }
}

/* Each engine has a reset line of its own. */
NTSTATUS APIENTRY kmd_query_dependent_engine_group(const HANDLE hAdapter,
                                                   DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    const struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    if (!adapter || args->NodeOrdinal >= adapter->nodes)
        return STATUS_INVALID_PARAMETER;
    args->DependentNodeOrdinalMask = 1ull << args->NodeOrdinal;
    return STATUS_SUCCESS;
}

/* An engine with nothing queued answers for itself; whether a busy one gets anywhere is not to be
 * seen. */
NTSTATUS APIENTRY kmd_query_engine_status(const HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS *args) {
    const struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    if (!adapter || args->NodeOrdinal >= adapter->nodes)
        return STATUS_INVALID_PARAMETER;
    args->EngineStatus.Value = 0;
    args->EngineStatus.Responsive =
        kmd_read(adapter, GPU_ENGINE(args->NodeOrdinal) + GPU_ENGINE_QUEUED) == 0;
    return STATUS_SUCCESS;
}

/* The engine begins anew, with nothing queued; what it was executing is aborted. */
NTSTATUS APIENTRY kmd_reset_engine(const HANDLE hAdapter, DXGKARG_RESETENGINE *args) {
    struct kmd_adapter *adapter = kmd_board(hAdapter, args->EngineOrdinal);
    UINT node = args->NodeOrdinal;
    if (!adapter || node >= adapter->nodes)
        return STATUS_INVALID_PARAMETER;
    kmd_write(adapter, GPU_ENGINE(node) + GPU_ENGINE_STATE, 1);
    ULONG aborted = kmd_read(adapter, GPU_ENGINE(node) + GPU_ENGINE_ABORTED);
    kmd_settle(adapter, node, engine_newer(aborted, kmd_last_completed(adapter, node)));
    args->LastAbortedFenceId = engine_settled(adapter, node);
    return STATUS_SUCCESS;
}
