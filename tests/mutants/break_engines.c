/*
 * break_engines.c - drivers and managers that get page faults and the reset of one engine wrong.
 */
#include "mutants.h"

/* ---- What drivers answer --------------------------------------------------------------------- */

static UINT off; /* what is wrong with the fence */

static NTSTATUS APIENTRY reset_to_another(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    args->LastAbortedFenceId += off;
    return status;
}

static void APIENTRY install_future_fence(DRIVER_INITIALIZATION_DATA *table) {
    off = 1000;
    table->DxgkDdiResetEngine = reset_to_another;
}

static void APIENTRY install_past_fence(DRIVER_INITIALIZATION_DATA *table) {
    off = (UINT)-1000;
    table->DxgkDdiResetEngine = reset_to_another;
}

/* As if the queue had been empty. */
static NTSTATUS APIENTRY reset_to_completed(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = args->NodeOrdinal,
                                       .EngineOrdinal = args->EngineOrdinal};
    (void)mutants_good.DxgkDdiQueryCurrentFence(adapter, &fence);
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    args->LastAbortedFenceId = fence.CurrentFence;
    return status;
}
REPLACE(DxgkDdiResetEngine, reset_to_completed)

static UINT newest[2]; /* fence of a node's newest work; 0: paging, or none */

static NTSTATUS APIENTRY note_newest(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    newest[args->NodeOrdinal % 2] = args->Flags.Paging ? 0 : args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY reset_to_newest(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (newest[args->NodeOrdinal % 2] != 0)
        args->LastAbortedFenceId = newest[args->NodeOrdinal % 2];
    return status;
}

static void APIENTRY install_reset_to_newest(DRIVER_INITIALIZATION_DATA *table) {
    newest[0] = newest[1] = 0;
    table->DxgkDdiSubmitCommand = note_newest;
    table->DxgkDdiResetEngine = reset_to_newest;
}

/* What the ring of a node had before a reset is there behind the first work after it. */
static struct {
    DXGKARG_SUBMITCOMMAND first; /* to the node since the driver started */
    bool any, reset;
} ring;

static NTSTATUS APIENTRY submit_with_the_rest(const HANDLE adapter,
                                              const DXGKARG_SUBMITCOMMAND *args) {
    NTSTATUS status = mutants_good.DxgkDdiSubmitCommand(adapter, args);
    bool again = ring.reset && args->NodeOrdinal == ring.first.NodeOrdinal;
    if (!ring.any) {
        ring.first = *args;
        ring.first.DmaBufferSubmissionEndOffset = ring.first.DmaBufferSubmissionStartOffset;
        ring.first.DmaBufferPrivateDataSubmissionEndOffset =
            ring.first.DmaBufferPrivateDataSubmissionStartOffset;
    }
    ring.any = true;
    ring.reset = ring.reset && !again;
    if (again)
        (void)mutants_good.DxgkDdiSubmitCommand(adapter, &ring.first);
    return status;
}

static NTSTATUS APIENTRY reset_but_the_ring(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    ring.reset = ring.any && args->NodeOrdinal == ring.first.NodeOrdinal;
    return status;
}

static NTSTATUS APIENTRY reset_the_ring(const HANDLE adapter) {
    ring.reset = false;
    return mutants_good.DxgkDdiResetFromTimeout(adapter);
}

static void APIENTRY install_ring_left(DRIVER_INITIALIZATION_DATA *table) {
    ring.any = ring.reset = false;
    table->DxgkDdiSubmitCommand = submit_with_the_rest;
    table->DxgkDdiResetEngine = reset_but_the_ring;
    table->DxgkDdiResetFromTimeout = reset_the_ring;
}

static NTSTATUS APIENTRY reset_both(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    DXGKARG_RESETENGINE other = {.NodeOrdinal = 1 - args->NodeOrdinal,
                                 .EngineOrdinal = args->EngineOrdinal};
    (void)mutants_good.DxgkDdiResetEngine(adapter, &other);
    return mutants_good.DxgkDdiResetEngine(adapter, args);
}
REPLACE(DxgkDdiResetEngine, reset_both)

static bool virtual_work; /* was submitted */

static NTSTATUS APIENTRY note_virtual(const HANDLE adapter,
                                      const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    virtual_work = true;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static NTSTATUS APIENTRY reset_both_virtual(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    return virtual_work ? reset_both(adapter, args)
                        : mutants_good.DxgkDdiResetEngine(adapter, args);
}

static void APIENTRY install_reset_both_virtual(DRIVER_INITIALIZATION_DATA *table) {
    virtual_work = false;
    table->DxgkDdiSubmitCommandVirtual = note_virtual;
    table->DxgkDdiResetEngine = reset_both_virtual;
}

static bool preempted; /* was asked of node 0 */

static NTSTATUS APIENTRY note_preemption(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    preempted = preempted || args->NodeOrdinal == 0;
    return mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static NTSTATUS APIENTRY reset_preempted(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (preempted && args->NodeOrdinal == 0)
        args->LastAbortedFenceId += 1000;
    return status;
}

static void APIENTRY install_reset_preempted(DRIVER_INITIALIZATION_DATA *table) {
    preempted = false;
    table->DxgkDdiPreemptCommand = note_preemption;
    table->DxgkDdiResetEngine = reset_preempted;
}

static NTSTATUS APIENTRY always_responsive(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryEngineStatus(adapter, args);
    args->EngineStatus.Responsive = 1;
    return status;
}
REPLACE(DxgkDdiQueryEngineStatus, always_responsive)

/* An engine that has nothing to do makes no progress. */
static NTSTATUS APIENTRY never_responsive(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryEngineStatus(adapter, args);
    args->EngineStatus.Responsive = 0;
    return status;
}
REPLACE(DxgkDdiQueryEngineStatus, never_responsive)

static NTSTATUS APIENTRY refuse_status(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *args) {
    (void)adapter, (void)args;
    return STATUS_UNSUCCESSFUL;
}
REPLACE(DxgkDdiQueryEngineStatus, refuse_status)

static uint32_t worked_on; /* a bit for each node that got work since its status was asked for */

static NTSTATUS APIENTRY note_work(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    worked_on |= 1u << args->NodeOrdinal;
    return mutants_good.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS APIENTRY note_virtual_work(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    worked_on |= 1u << args->NodeOrdinal;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

/* Of an engine that is idle it looks at what happened since the question before. */
static NTSTATUS APIENTRY responsive_after_work(const HANDLE adapter,
                                               DXGKARG_QUERYENGINESTATUS *args) {
    uint32_t bit = 1u << args->NodeOrdinal;
    NTSTATUS status = mutants_good.DxgkDdiQueryEngineStatus(adapter, args);
    if (!(worked_on & bit))
        args->EngineStatus.Responsive = 0;
    worked_on &= ~bit;
    return status;
}

static void APIENTRY install_responsive_after_work(DRIVER_INITIALIZATION_DATA *table) {
    worked_on = UINT32_MAX;
    table->DxgkDdiSubmitCommand = note_work;
    if (table->DxgkDdiSubmitCommandVirtual)
        table->DxgkDdiSubmitCommandVirtual = note_virtual_work;
    table->DxgkDdiQueryEngineStatus = responsive_after_work;
}

/* As if there were one node. */
static NTSTATUS APIENTRY group_of_first(const HANDLE adapter,
                                        DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDependentEngineGroup(adapter, args);
    args->DependentNodeOrdinalMask = 1;
    return status;
}
REPLACE(DxgkDdiQueryDependentEngineGroup, group_of_first)

static NTSTATUS APIENTRY group_of_all(const HANDLE adapter,
                                      DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryDependentEngineGroup(adapter, args);
    args->DependentNodeOrdinalMask = UINT64_MAX;
    return status;
}
REPLACE(DxgkDdiQueryDependentEngineGroup, group_of_all)

static NTSTATUS APIENTRY group_refused(const HANDLE adapter,
                                       DXGKARG_QUERYDEPENDENTENGINEGROUP *args) {
    (void)adapter;
    (void)args;
    return STATUS_NOT_SUPPORTED;
}
REPLACE(DxgkDdiQueryDependentEngineGroup, group_refused)

static NTSTATUS APIENTRY one_bit_of_status(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *args) {
    const DXGK_ENGINESTATUS before = args->EngineStatus;
    NTSTATUS status = mutants_good.DxgkDdiQueryEngineStatus(adapter, args);
    UINT responsive = args->EngineStatus.Responsive;
    args->EngineStatus = before;
    args->EngineStatus.Responsive = responsive;
    return status;
}
REPLACE(DxgkDdiQueryEngineStatus, one_bit_of_status)

/* All that there is to say, into whatever the buffer has. */
static NTSTATUS APIENTRY collect_all(const HANDLE adapter, const DXGKARG_COLLECTDBGINFO *args) {
    DXGKARG_COLLECTDBGINFO all = *args;
    all.BufferSize = 1u << 20;
    return mutants_good.DxgkDdiCollectDbgInfo(adapter, &all);
}
REPLACE(DxgkDdiCollectDbgInfo, collect_all)

/* ---- Processes behind an IOMMU ----------------------------------------------------------------- */

static ULONG first_pasid;

/* Whatever process a device is of, its work runs with the PASID of the first. */
static NTSTATUS APIENTRY create_of_first(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    const ULONG pasid = args->Pasid;
    if (first_pasid == 0)
        first_pasid = pasid;
    args->Pasid = pasid != 0 ? first_pasid : 0;
    NTSTATUS status = mutants_good.DxgkDdiCreateDevice(adapter, args);
    args->Pasid = pasid;
    return status;
}

static void APIENTRY install_create_of_first(DRIVER_INITIALIZATION_DATA *table) {
    first_pasid = 0;
    table->DxgkDdiCreateDevice = create_of_first;
}

/* ---- What drivers report --------------------------------------------------------------------- */

static DXGKRNL_INTERFACE system_calls;

static UINT fault_flags_set, fault_flags_left; /* of PageFaultFlags */
static UINT64 fault_address_left;              /* of FaultedVirtualAddress */
static UINT fault_node_left;                   /* of NodeOrdinal */

static VOID APIENTRY other_flags(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        report.DmaPageFaulted.PageFaultFlags =
            (DXGK_PAGE_FAULT_FLAGS)((report.DmaPageFaulted.PageFaultFlags | fault_flags_set) &
                                    fault_flags_left);
        report.DmaPageFaulted.FaultedVirtualAddress &= fault_address_left;
        report.DmaPageFaulted.NodeOrdinal &= fault_node_left;
    }
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static DXGKCB_NOTIFY_INTERRUPT reports; /* the driver's, in the place of the system's */

static NTSTATUS APIENTRY start_reporting(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE calls, PULONG sources,
                                         PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbNotifyInterrupt = reports;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static void APIENTRY report_with(DRIVER_INITIALIZATION_DATA *table,
                                 DXGKCB_NOTIFY_INTERRUPT notify) {
    reports = notify;
    table->DxgkDdiStartDevice = start_reporting;
}

#define REPORTS(NAME, SET, LEFT, ADDRESS, NODE)                                                    \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        fault_flags_set = (SET);                                                                   \
        fault_flags_left = (LEFT);                                                                 \
        fault_address_left = (ADDRESS);                                                            \
        fault_node_left = (NODE);                                                                  \
        report_with(table, other_flags);                                                           \
    }

/* Names work, and says that there is none to be named. */
REPORTS(unsure, DXGK_PAGE_FAULT_FENCE_INVALID, UINT32_MAX, UINT64_MAX, UINT32_MAX)
REPORTS(never_writes, 0, ~(UINT)DXGK_PAGE_FAULT_WRITE, UINT64_MAX, UINT32_MAX)
REPORTS(always_writes, DXGK_PAGE_FAULT_WRITE, UINT32_MAX, UINT64_MAX, UINT32_MAX)
REPORTS(never_shared, 0, ~(UINT)DXGK_PAGE_FAULT_IOMMU, UINT64_MAX, UINT32_MAX)
REPORTS(always_shared, DXGK_PAGE_FAULT_IOMMU, UINT32_MAX, UINT64_MAX, UINT32_MAX)
REPORTS(low_address, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX)
REPORTS(first_node, 0, UINT32_MAX, UINT64_MAX, 0)

static UINT newest_of_first; /* fence that was submitted last to node 0 */

static NTSTATUS APIENTRY note_newest_virtual(const HANDLE adapter,
                                             const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->NodeOrdinal == 0)
        newest_of_first = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static VOID APIENTRY notify_newest(const HANDLE device,
                                   const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
        report.DmaPageFaulted.NodeOrdinal == 0)
        report.DmaPageFaulted.FaultedFenceId = newest_of_first;
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static void APIENTRY install_faults_newest(DRIVER_INITIALIZATION_DATA *table) {
    newest_of_first = 0;
    report_with(table, notify_newest);
    table->DxgkDdiSubmitCommandVirtual = note_newest_virtual;
}

/* The same where the driver does not know whose address it is. */
static VOID APIENTRY notify_newest_alone(const HANDLE device,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        report.DmaPageFaulted.FaultedProcessHandle = NULL;
    notify_newest(device, &report);
}

static void APIENTRY install_faults_newest_alone(DRIVER_INITIALIZATION_DATA *table) {
    install_faults_newest(table);
    report_with(table, notify_newest_alone);
}

/* ---- Whose page faults they are -------------------------------------------------------------- */

#define PROCESSES 256u

/* Of applications, in the order of their creation. */
static struct { HANDLE system, own; /* hDxgkProcess, hKmdProcess */ } processes[PROCESSES];
static UINT processes_known;
static bool blames_own; /* else the first of them all */

static NTSTATUS APIENTRY note_process(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    NTSTATUS status = mutants_good.DxgkDdiCreateProcess(adapter, args);
    if (status == STATUS_SUCCESS && !args->Flags.SystemProcess && processes_known < PROCESSES) {
        processes[processes_known].system = args->hDxgkProcess;
        processes[processes_known++].own = args->hKmdProcess;
    }
    return status;
}

/* The newest of those with the system's handle, which the system may use again. */
static HANDLE own_handle(HANDLE system) {
    HANDLE own = system;
    for (UINT i = 0; i < processes_known; i++)
        if (processes[i].system == system)
            own = processes[i].own;
    return own;
}

static VOID APIENTRY blame_wrongly(const HANDLE device,
                                   const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        report.DmaPageFaulted.FaultedProcessHandle =
            blames_own ? own_handle(report.DmaPageFaulted.FaultedProcessHandle)
                       : processes[0].system;
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static void APIENTRY blame_by(DRIVER_INITIALIZATION_DATA *table, bool own) {
    processes_known = 0;
    blames_own = own;
    table->DxgkDdiCreateProcess = note_process;
    report_with(table, blame_wrongly);
}

/* Keeps hDxgkProcess of the first process only. */
static void APIENTRY install_blames_first(DRIVER_INITIALIZATION_DATA *table) {
    blame_by(table, false);
}

/* Takes its own handle of the process for the system's. */
static void APIENTRY install_blames_own(DRIVER_INITIALIZATION_DATA *table) {
    blame_by(table, true);
}

/* ---- What is left of a reset ----------------------------------------------------------------- */

/* What the engine's reset aborted is not counted as completed. */
static UINT aborted_last; /* on node 0; 0: other work came after it */

static NTSTATUS APIENTRY reset_noting(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (args->NodeOrdinal == 0)
        aborted_last = args->LastAbortedFenceId;
    return status;
}

static NTSTATUS APIENTRY submit_forgetting(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->NodeOrdinal == 0)
        aborted_last = 0;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static VOID APIENTRY notify_unsettled(const HANDLE device,
                                      const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (report.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && aborted_last != 0 &&
        report.DmaPreempted.NodeOrdinal == 0)
        report.DmaPreempted.LastCompletedFenceId = aborted_last - 1;
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static NTSTATUS APIENTRY start_unsettled(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE calls, PULONG sources,
                                         PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbNotifyInterrupt = notify_unsettled;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static void APIENTRY install_unsettled(DRIVER_INITIALIZATION_DATA *table) {
    aborted_last = 0;
    table->DxgkDdiStartDevice = start_unsettled;
    table->DxgkDdiResetEngine = reset_noting;
    table->DxgkDdiSubmitCommandVirtual = submit_forgetting;
}

/* The reset of an engine turned the interrupt of preemptions off; that of the adapter turns it on. */
static bool turned_off;

static NTSTATUS APIENTRY reset_turning_off(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    turned_off = turned_off || status == STATUS_SUCCESS;
    return status;
}

static NTSTATUS APIENTRY restart_turning_on(const HANDLE adapter) {
    turned_off = false;
    return mutants_good.DxgkDdiRestartFromTimeout(adapter);
}

static VOID APIENTRY notify_turned_on(const HANDLE device,
                                      const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (!turned_off || data->InterruptType != DXGK_INTERRUPT_DMA_PREEMPTED)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY install_reset_unready(DRIVER_INITIALIZATION_DATA *table) {
    turned_off = false;
    report_with(table, notify_turned_on);
    table->DxgkDdiResetEngine = reset_turning_off;
    table->DxgkDdiRestartFromTimeout = restart_turning_on;
}

/* A timer reports what the reset of an engine aborted, though nothing completed it. */
static KTIMER late_timer;
static KDPC late_dpc;
static DXGKARGCB_NOTIFY_INTERRUPT_DATA late_report;

static BOOLEAN APIENTRY late_notify(PVOID context) {
    (void)context;
    system_calls.DxgkCbNotifyInterrupt(system_calls.DeviceHandle, &late_report);
    return system_calls.DxgkCbQueueDpc(system_calls.DeviceHandle);
}

static VOID NTAPI late(PKDPC dpc, PVOID context, PVOID first_word, PVOID second_word) {
    BOOLEAN notified = FALSE;
    (void)dpc;
    (void)context;
    (void)first_word;
    (void)second_word;
    (void)system_calls.DxgkCbSynchronizeExecution(system_calls.DeviceHandle, late_notify, NULL, 0,
                                                  &notified);
}

static NTSTATUS APIENTRY reset_reporting_late(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    const LARGE_INTEGER due = {.QuadPart = -10000};
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    late_report = (DXGKARGCB_NOTIFY_INTERRUPT_DATA){.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    late_report.DmaCompleted.SubmissionFenceId = args->LastAbortedFenceId;
    late_report.DmaCompleted.NodeOrdinal = args->NodeOrdinal;
    if (newest[args->NodeOrdinal % 2] != 0)
        (void)KeSetTimer(&late_timer, due, &late_dpc);
    return status;
}

static NTSTATUS APIENTRY start_late(const PVOID context, PDXGK_START_INFO info,
                                    PDXGKRNL_INTERFACE calls, PULONG sources, PULONG children) {
    system_calls = *calls;
    KeInitializeTimer(&late_timer);
    KeInitializeDpc(&late_dpc, late, NULL);
    return mutants_good.DxgkDdiStartDevice(context, info, calls, sources, children);
}

static void APIENTRY install_reset_reporting_late(DRIVER_INITIALIZATION_DATA *table) {
    newest[0] = newest[1] = 0;
    table->DxgkDdiStartDevice = start_late;
    table->DxgkDdiSubmitCommand = note_newest;
    table->DxgkDdiResetEngine = reset_reporting_late;
}

/* ---- Work at GPU virtual addresses --------------------------------------------------------------- */

static UINT newest_of[2]; /* fence of a node's newest virtual work that is no paging; 0: none yet */

static NTSTATUS APIENTRY note_of_node(const HANDLE adapter,
                                      const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (!args->Flags.Paging)
        newest_of[args->NodeOrdinal % 2] = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static void APIENTRY note_nodes(DRIVER_INITIALIZATION_DATA *table) {
    newest_of[0] = newest_of[1] = 0;
    table->DxgkDdiSubmitCommandVirtual = note_of_node;
}

static UINT completed_of(const HANDLE adapter, UINT node) {
    DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = node};
    (void)mutants_good.DxgkDdiQueryCurrentFence(adapter, &fence);
    return fence.CurrentFence;
}

static NTSTATUS APIENTRY responsive_in_work(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryEngineStatus(adapter, args);
    if (newest_of[args->NodeOrdinal % 2] != 0)
        args->EngineStatus.Responsive = 1;
    return status;
}

static void APIENTRY install_responsive_in_work(DRIVER_INITIALIZATION_DATA *table) {
    note_nodes(table);
    table->DxgkDdiQueryEngineStatus = responsive_in_work;
}

/* The same of the paging node alone. */
static UINT newest_paging, paging_node;

static NTSTATUS APIENTRY note_paging(const HANDLE adapter,
                                     const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (args->Flags.Paging)
        paging_node = args->NodeOrdinal;
    if (args->NodeOrdinal == paging_node)
        newest_paging = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

static NTSTATUS APIENTRY responsive_in_paging(const HANDLE adapter,
                                              DXGKARG_QUERYENGINESTATUS *args) {
    NTSTATUS status = mutants_good.DxgkDdiQueryEngineStatus(adapter, args);
    if (newest_paging != 0 && args->NodeOrdinal == paging_node)
        args->EngineStatus.Responsive = 1;
    return status;
}

static void APIENTRY install_responsive_in_paging(DRIVER_INITIALIZATION_DATA *table) {
    newest_paging = 0;
    paging_node = UINT32_MAX;
    table->DxgkDdiSubmitCommandVirtual = note_paging;
    table->DxgkDdiQueryEngineStatus = responsive_in_paging;
}

static NTSTATUS APIENTRY reset_to_newest_virtual(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (newest_of[args->NodeOrdinal % 2] != 0)
        args->LastAbortedFenceId = newest_of[args->NodeOrdinal % 2];
    return status;
}

static void APIENTRY install_reset_to_newest_virtual(DRIVER_INITIALIZATION_DATA *table) {
    note_nodes(table);
    table->DxgkDdiResetEngine = reset_to_newest_virtual;
}

static VOID APIENTRY keep_fault(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        late_report = *data;
    system_calls.DxgkCbNotifyInterrupt(device, data);
}

static bool faults(void) {
    return late_report.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
}

static void APIENTRY note_faults(DRIVER_INITIALIZATION_DATA *table) {
    late_report = (DXGKARGCB_NOTIFY_INTERRUPT_DATA){.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    report_with(table, keep_fault);
}

/* As if there were always work behind that which is completed. */
static NTSTATUS APIENTRY reset_to_next(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    UINT completed = completed_of(adapter, args->NodeOrdinal);
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (newest_of[args->NodeOrdinal % 2] != 0 && args->LastAbortedFenceId == completed && !faults())
        args->LastAbortedFenceId = completed + 1;
    return status;
}

static void APIENTRY install_reset_to_next(DRIVER_INITIALIZATION_DATA *table) {
    note_nodes(table);
    note_faults(table);
    table->DxgkDdiResetEngine = reset_to_next;
}

/* The same of work that hangs. */
static NTSTATUS APIENTRY reset_to_next_fence(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    UINT completed = completed_of(adapter, args->NodeOrdinal);
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (newest_of[args->NodeOrdinal % 2] != 0 && args->LastAbortedFenceId != completed && !faults())
        args->LastAbortedFenceId = completed + 1;
    return status;
}

static void APIENTRY install_reset_to_next_fence(DRIVER_INITIALIZATION_DATA *table) {
    note_nodes(table);
    note_faults(table);
    table->DxgkDdiResetEngine = reset_to_next_fence;
}

static NTSTATUS APIENTRY reset_to_next_by_hand(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    UINT completed = completed_of(adapter, args->NodeOrdinal);
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (newest[args->NodeOrdinal % 2] != 0 && args->LastAbortedFenceId != completed)
        args->LastAbortedFenceId = completed + 1;
    return status;
}

static void APIENTRY install_reset_to_next_by_hand(DRIVER_INITIALIZATION_DATA *table) {
    newest[0] = newest[1] = 0;
    table->DxgkDdiSubmitCommand = note_newest;
    table->DxgkDdiResetEngine = reset_to_next_by_hand;
}

/* Of an idle node there is nothing to be preempted. */
static NTSTATUS APIENTRY preempt_busy_only(const HANDLE adapter,
                                           const DXGKARG_PREEMPTCOMMAND *args) {
    UINT last = newest_of[args->NodeOrdinal % 2];
    return last != 0 && completed_of(adapter, args->NodeOrdinal) == last
               ? STATUS_SUCCESS
               : mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static void APIENTRY install_preempt_busy_only(DRIVER_INITIALIZATION_DATA *table) {
    note_nodes(table);
    table->DxgkDdiPreemptCommand = preempt_busy_only;
}

static VOID APIENTRY completes_faults(const HANDLE device,
                                      const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    system_calls.DxgkCbNotifyInterrupt(device, data);
    if (data->InterruptType != DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        return;
    report.DmaCompleted.SubmissionFenceId = data->DmaPageFaulted.FaultedFenceId;
    report.DmaCompleted.NodeOrdinal = data->DmaPageFaulted.NodeOrdinal;
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static void APIENTRY install_completes_faults(DRIVER_INITIALIZATION_DATA *table) {
    report_with(table, completes_faults);
}

/* What each node had to tell is acknowledged. */
static bool swallows;

static VOID APIENTRY notify_unless_reset(const HANDLE device,
                                         const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    if (!swallows || data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS APIENTRY reset_acknowledging(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    swallows = true;
    (void)completed_of(adapter, args->NodeOrdinal == 0);
    swallows = false;
    return mutants_good.DxgkDdiResetEngine(adapter, args);
}

static void APIENTRY install_reset_acknowledging(DRIVER_INITIALIZATION_DATA *table) {
    swallows = false;
    report_with(table, notify_unless_reset);
    table->DxgkDdiResetEngine = reset_acknowledging;
}

/* A preemption that was asked for before a reset is reported with the next work. */
static UINT asked_of[2]; /* and not reported; 0: none */
static bool reset_since;

static NTSTATUS APIENTRY note_asked(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *args) {
    asked_of[args->NodeOrdinal % 2] = args->PreemptionFenceId;
    reset_since = false;
    return mutants_good.DxgkDdiPreemptCommand(adapter, args);
}

static VOID APIENTRY preempted_stale(const HANDLE device,
                                     const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = {.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED};
    UINT node = data->DmaCompleted.NodeOrdinal % 2;
    system_calls.DxgkCbNotifyInterrupt(device, data);
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED)
        asked_of[data->DmaPreempted.NodeOrdinal % 2] = 0;
    if (data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED || !reset_since || asked_of[node] == 0)
        return;
    report.DmaPreempted.PreemptionFenceId = asked_of[node];
    report.DmaPreempted.LastCompletedFenceId = data->DmaCompleted.SubmissionFenceId;
    report.DmaPreempted.NodeOrdinal = data->DmaCompleted.NodeOrdinal;
    asked_of[node] = 0;
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static void note_preemptions(DRIVER_INITIALIZATION_DATA *table) {
    memset(asked_of, 0, sizeof(asked_of));
    reset_since = false;
    report_with(table, preempted_stale);
    table->DxgkDdiPreemptCommand = note_asked;
}

static NTSTATUS APIENTRY restart_stale(const HANDLE adapter) {
    reset_since = true;
    return mutants_good.DxgkDdiRestartFromTimeout(adapter);
}

/* Of work that hangs: what was asked of other work is reported in the reset, if at all. */
static NTSTATUS APIENTRY reset_stale(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    reset_since = newest[args->NodeOrdinal % 2] != 0;
    return status;
}

static void APIENTRY install_restart_stale(DRIVER_INITIALIZATION_DATA *table) {
    note_preemptions(table);
    table->DxgkDdiRestartFromTimeout = restart_stale;
}

static void APIENTRY install_reset_stale(DRIVER_INITIALIZATION_DATA *table) {
    newest[0] = newest[1] = 0;
    note_preemptions(table);
    table->DxgkDdiSubmitCommand = note_newest;
    table->DxgkDdiResetEngine = reset_stale;
}

/* As if the fences of a node had no gaps. */
static UINT completed_before[2];

static VOID APIENTRY faults_next(const HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
        completed_before[data->DmaCompleted.NodeOrdinal % 2] = data->DmaCompleted.SubmissionFenceId;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
        report.DmaPageFaulted.FaultedFenceId =
            completed_before[data->DmaPageFaulted.NodeOrdinal % 2] + 1;
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static void APIENTRY install_faults_next(DRIVER_INITIALIZATION_DATA *table) {
    memset(completed_before, 0, sizeof(completed_before));
    report_with(table, faults_next);
}

/* Reports of completed work come at the end of the routine, behind that of a preemption. */
static DXGKARGCB_NOTIFY_INTERRUPT_DATA completed_late[2];
static UINT completed_told[2];

static VOID APIENTRY defer_completed(const HANDLE device,
                                     const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA report = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        completed_late[data->DmaCompleted.NodeOrdinal % 2] = *data;
        return;
    }
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
        UINT node = data->DmaPreempted.NodeOrdinal % 2;
        if (completed_late[node].InterruptType == DXGK_INTERRUPT_DMA_COMPLETED)
            report.DmaPreempted.LastCompletedFenceId = completed_told[node];
    }
    system_calls.DxgkCbNotifyInterrupt(device, &report);
}

static BOOLEAN APIENTRY queue_deferred(const HANDLE device) {
    for (UINT node = 0; node < 2; node++) {
        if (completed_late[node].InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
            completed_told[node] = completed_late[node].DmaCompleted.SubmissionFenceId;
            system_calls.DxgkCbNotifyInterrupt(device, &completed_late[node]);
        }
        completed_late[node].InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    }
    return system_calls.DxgkCbQueueDpc(device);
}

static NTSTATUS APIENTRY start_deferring(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE calls, PULONG sources,
                                         PULONG children) {
    DXGKRNL_INTERFACE mine = *calls;
    system_calls = *calls;
    mine.DxgkCbNotifyInterrupt = defer_completed;
    mine.DxgkCbQueueDpc = queue_deferred;
    return mutants_good.DxgkDdiStartDevice(context, info, &mine, sources, children);
}

static void APIENTRY install_preempted_first(DRIVER_INITIALIZATION_DATA *table) {
    completed_late[0].InterruptType = completed_late[1].InterruptType =
        DXGK_INTERRUPT_DMA_PREEMPTED;
    completed_told[0] = completed_told[1] = 0;
    table->DxgkDdiStartDevice = start_deferring;
}

/* One event of a preemption is acknowledged with others, and lost. */
static bool lost_one;

static VOID APIENTRY lose_preempted(const HANDLE device,
                                    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    bool lost = !lost_one && data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
                newest_of[0] != 0 && data->DmaPreempted.NodeOrdinal != 0;
    lost_one = lost_one || lost;
    if (!lost)
        system_calls.DxgkCbNotifyInterrupt(device, data);
}

static void APIENTRY install_preempted_lost(DRIVER_INITIALIZATION_DATA *table) {
    lost_one = false;
    note_nodes(table);
    report_with(table, lose_preempted);
}

/* The work of a page fault is in the ring once more behind the reset, and faults again. */
static NTSTATUS APIENTRY reset_faulting_late(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    const LARGE_INTEGER due = {.QuadPart = -10000};
    NTSTATUS status = mutants_good.DxgkDdiResetEngine(adapter, args);
    if (faults())
        (void)KeSetTimer(&late_timer, due, &late_dpc);
    return status;
}

static NTSTATUS APIENTRY start_faulting_late(const PVOID context, PDXGK_START_INFO info,
                                             PDXGKRNL_INTERFACE calls, PULONG sources,
                                             PULONG children) {
    KeInitializeTimer(&late_timer);
    KeInitializeDpc(&late_dpc, late, NULL);
    return start_reporting(context, info, calls, sources, children);
}

static void APIENTRY install_reset_faulting_late(DRIVER_INITIALIZATION_DATA *table) {
    note_faults(table);
    table->DxgkDdiStartDevice = start_faulting_late;
    table->DxgkDdiResetEngine = reset_faulting_late;
}

/* Names the work, and leaves the hardware in it. */
static NTSTATUS APIENTRY reset_in_words(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    UINT last = newest_of[args->NodeOrdinal % 2],
         completed = completed_of(adapter, args->NodeOrdinal);
    if (last == 0 || completed == last || faults())
        return mutants_good.DxgkDdiResetEngine(adapter, args);
    args->LastAbortedFenceId = completed + 1;
    return STATUS_SUCCESS;
}

static void APIENTRY install_reset_in_words(DRIVER_INITIALIZATION_DATA *table) {
    note_nodes(table);
    note_faults(table);
    table->DxgkDdiResetEngine = reset_in_words;
}

/* ---- Managers -------------------------------------------------------------------------------- */

/* Of work that is no paging: that of two processes in turn comes before the work that faults. */
#define IN_TURN 4u
static UINT first; /* fence of the one that faults */
static UINT works; /* submissions */
static bool left_out;

static NTSTATUS APIENTRY note_fence(const HANDLE adapter,
                                    const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    if (!args->Flags.Paging && works++ == IN_TURN)
        first = args->SubmissionFenceId;
    return mutants_good.DxgkDdiSubmitCommandVirtual(adapter, args);
}

/* All is well, as far as it is concerned, where that work faults, with work of another process behind it. */
static NTSTATUS APIENTRY reset_nothing(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    if (works <= IN_TURN || works > IN_TURN + 2 || left_out)
        return mutants_good.DxgkDdiResetEngine(adapter, args);
    left_out = true;
    args->LastAbortedFenceId = first;
    return STATUS_SUCCESS;
}

static void APIENTRY install_reset_nothing(DRIVER_INITIALIZATION_DATA *table) {
    left_out = false;
    works = 0;
    table->DxgkDdiSubmitCommandVirtual = note_fence;
    table->DxgkDdiResetEngine = reset_nothing;
}

const struct mutant mutants_engines[] = {
    {BREAKS(281, DRIVER, "engines", future_fence,
            "names a fence of a reset engine that was never submitted")},
    {BREAKS(281, DRIVER, "engines", past_fence,
            "names a fence of a reset engine that completed long before, with an aperture alone"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(
         281, DRIVER, "engines", reset_to_completed,
         "names the fence completed last when it aborted work that hung, with an aperture alone"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(281, DRIVER, "engines", past_fence,
            "names a fence of a reset engine that completed long before"),
     .consequences = {161}},
    {BREAKS(281, DRIVER, "engines", reset_to_completed,
            "names the fence completed last when it aborted work that hung")},
    {BREAKS(281, DRIVER, "engines", reset_to_newest,
            "names the newest fence of an engine that hangs in work before it")},
    {BREAKS(281, DRIVER, "engines", reset_reporting_late,
            "reports as completed later what an engine's reset aborted")},
    {BREAKS(617, DRIVER, "engines", ring_left,
            "leaves work in the ring of an engine that it resets")},
    {BREAKS(606, DRIVER, "engines", reset_both,
            "resets another node with one, and does not say so")},
    {BREAKS(606, DRIVER, "engines", reset_both_virtual,
            "resets another node with one that hangs in work at GPU virtual addresses")},
    {BREAKS(606, DRIVER, "engines", reset_acknowledging,
            "acknowledges with the reset of an engine what another one has completed")},
    {BREAKS(606, DRIVER, "engines", reset_acknowledging,
            "acknowledges with the reset of an engine what another one has completed, with GPU "
            "virtual addresses"),
     .settings = {{"MmuLevels", 4}}},
    {BREAKS(281, DRIVER, "engines", reset_preempted,
            "names a fence that was never submitted when an engine that stands still is reset"),
     .consequences = {299}},
    {BREAKS(281, DRIVER, "engines", unsettled,
            "does not count as completed what an engine's reset aborted")},
    {BREAKS(281, DRIVER, "engines", always_responsive, "calls an engine responsive that hangs")},
    {BREAKS(281, DRIVER, "engines", responsive_in_work,
            "calls an engine responsive that hangs in work at GPU virtual addresses")},
    {BREAKS(281, DRIVER, "engines", responsive_in_paging,
            "calls an engine responsive that hangs in work of the paging node at GPU virtual "
            "addresses")},
    {BREAKS(281, DRIVER, "engines", reset_to_newest_virtual,
            "names the newest fence of an engine that hangs in virtual work before it"),
     .consequences = {299}},
    {BREAKS(281, DRIVER, "engines", reset_to_next,
            "names the fence behind the one completed last of an engine without work")},
    {BREAKS(281, DRIVER, "engines", reset_to_next_fence,
            "names the fence behind the one completed last of an engine that hangs in virtual "
            "work")},
    {BREAKS(281, DRIVER, "engines", reset_to_next_by_hand,
            "names the fence behind the one completed last of an engine that hangs")},
    {BREAKS(617, DRIVER, "engines", reset_unready,
            "leaves the interrupt of preemptions off when an engine was reset"),
     .consequences = {281}},
    {BREAKS(617, DRIVER, "engines", reset_in_words,
            "says that it reset an engine, which hangs in its work on"),
     .consequences = {281}},
    {BREAKS(281, DRIVER, "preempt", restart_stale,
            "reports behind a reset of the adapter the preemption asked for before it")},
    {BREAKS(617, DRIVER, "engines", reset_stale,
            "reports behind the reset of an engine the preemption asked for before it")},
    {BREAKS(617, DRIVER, "engines", reset_faulting_late,
            "reports the page fault of work that an engine's reset ended")},
    {BREAKS(632, DRIVER, "engines", completes_faults,
            "reports work as completed behind its page fault")},
    {BREAKS(281, DRIVER, "preempt", preempted_first,
            "reports a preemption before the work that was completed before it")},
    {BREAKS(561, DRIVER, "preempt", preempted_lost,
            "loses the report of a preemption while other nodes work")},
    {BREAKS(561, DRIVER, "engines", preempt_busy_only,
            "does not answer the preemption of an engine without virtual work")},
    {BREAKS(610, DRIVER, "engines", never_responsive,
            "calls an engine without work a hanging one")},
    {BREAKS(610, DRIVER, "engines", responsive_after_work,
            "calls an engine that had no work since its status was asked for a hanging one")},
    {BREAKS(608, DRIVER, "engines", refuse_status, "does not say how an engine is")},
    {BREAKS(606, DRIVER, "query", group_of_first,
            "names the first node as the one that is reset, whichever was asked for")},
    {BREAKS(606, DRIVER, "query", group_of_all,
            "names nodes that do not exist as reset with one that does")},
    {BREAKS(606, DRIVER, "query", group_refused, "does not say what is reset with an engine")},
    {BREAKS(117, DRIVER, "engines", one_bit_of_status,
            "leaves the reserved bits of an engine's status as they came")},
    {BREAKS(533, DRIVER, "engines", collect_all,
            "writes a debug report without looking at the size of the buffer")},
    {BREAKS(380, DRIVER, "engines", unsure,
            "names the work of a page fault and says that it cannot")},
    {BREAKS(380, DRIVER, "engines", faults_newest,
            "names the work submitted last as that of a page fault"),
     .consequences = {281, 299}},
    {BREAKS(380, DRIVER, "engines", faults_newest_alone,
            "names the work submitted last, and no process, in page faults"),
     .consequences = {281, 299}},
    {BREAKS(523, DRIVER, "engines", faults_next,
            "names the fence behind the one completed last in page faults")},
    {BREAKS(380, DRIVER, "engines", low_address, "reports 32 bits of the address of a page fault")},
    {BREAKS(380, DRIVER, "engines", blames_first,
            "names the first process in the page faults of all")},
    {BREAKS(380, DRIVER, "engines", blames_own,
            "names a process by the driver's own handle in page faults")},
    {BREAKS(523, DRIVER, "engines", first_node, "reports each page fault as one of node 0")},
    {BREAKS(380, DRIVER, "engines", low_address,
            "reports 32 bits of the address of a page fault, behind an IOMMU"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(380, DRIVER, "engines", blames_own,
            "names a process by the driver's own handle in page faults behind an IOMMU"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(380, DRIVER, "engines", create_of_first,
            "runs the work of all processes with the PASID of the first"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(596, DRIVER, "engines", never_shared,
            "calls page faults of addresses that an IOMMU maps those of its own MMU"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(596, DRIVER, "engines", always_shared,
            "calls page faults of its own MMU those of an IOMMU")},
    {BREAKS(606, DRIVER, "engines", reset_both_virtual,
            "resets another node with one that hangs in work behind an IOMMU"),
     MUTANTS_APERTURE_ALONE},
    {BREAKS(281, DRIVER, "engines", reset_to_newest_virtual,
            "names the newest fence of an engine that hangs in work behind an IOMMU before it"),
     MUTANTS_APERTURE_ALONE, .consequences = {299}},
    {BREAKS(596, DRIVER, "engines", never_writes, "calls no page fault one of a write")},
    {BREAKS(596, DRIVER, "engines", always_writes, "calls each page fault one of a write")},
    {BREAKS(381, MANAGER, "engines", reset_nothing,
            "takes an engine for reset after a page fault that it did not reset")},
};
const uint32_t mutants_engines_count = sizeof(mutants_engines) / sizeof(mutants_engines[0]);
