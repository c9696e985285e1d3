/*
 * processor.c - processors, priorities, importance and target of DPCs (pages
 * nf-wdm-kesettargetprocessordpc, nf-wdm-kequeryactiveprocessorcountex and their neighbours).
 *
 * In virtual time there is one processor; with threads there are as many as the machine has, at most
 * 64, in one group.
 */
#include <unistd.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "kernel/engines.h"

static ULONG processor_count(void) {
    long online = host_world->engines->threaded ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    return online < 1 ? 1 : online > 64 ? 64 : (ULONG)online;
}

NTKERNELAPI KAFFINITY NTAPI KeQueryActiveProcessors(VOID) {
    ULONG count = processor_count();
    return count == 64 ? ~(KAFFINITY)0 : ((KAFFINITY)1 << count) - 1;
}

NTKERNELAPI ULONG NTAPI KeQueryActiveProcessorCount(PKAFFINITY ActiveProcessors) {
    if (ActiveProcessors)
        *ActiveProcessors = KeQueryActiveProcessors();
    return processor_count();
}

/* 0: there is no such group. */
NTKERNELAPI ULONG NTAPI KeQueryActiveProcessorCountEx(USHORT GroupNumber) {
    return GroupNumber == 0 || GroupNumber == ALL_PROCESSOR_GROUPS ? processor_count() : 0;
}

NTKERNELAPI ULONG NTAPI KeQueryMaximumProcessorCount(VOID) {
    return processor_count();
}

NTKERNELAPI ULONG NTAPI KeQueryMaximumProcessorCountEx(USHORT GroupNumber) {
    return KeQueryActiveProcessorCountEx(GroupNumber);
}

NTKERNELAPI ULONG NTAPI KeGetCurrentProcessorIndex(VOID) {
    return KeGetCurrentProcessorNumber() % processor_count();
}

NTKERNELAPI ULONG NTAPI KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber) {
    ULONG index = KeGetCurrentProcessorIndex();
    if (ProcNumber)
        *ProcNumber = (PROCESSOR_NUMBER){.Number = (UCHAR)index};
    return index;
}

NTKERNELAPI NTSTATUS NTAPI KeGetProcessorNumberFromIndex(ULONG ProcIndex,
                                                         PPROCESSOR_NUMBER ProcNumber) {
    if (ProcIndex >= processor_count())
        return STATUS_INVALID_PARAMETER;
    *ProcNumber = (PROCESSOR_NUMBER){.Number = (UCHAR)ProcIndex};
    return STATUS_SUCCESS;
}

NTKERNELAPI VOID NTAPI KeQueryNodeActiveAffinity(USHORT NodeNumber, PGROUP_AFFINITY Affinity,
                                                 PUSHORT Count) {
    if (Affinity)
        *Affinity = (GROUP_AFFINITY){.Mask = NodeNumber == 0 ? KeQueryActiveProcessors() : 0};
    if (Count)
        *Count = NodeNumber == 0 ? (USHORT)processor_count() : 0;
}

/* A thread of a process has a state of its own, whatever else runs. */
NTKERNELAPI NTSTATUS NTAPI KeSaveExtendedProcessorState(ULONG64 Mask, PXSTATE_SAVE XStateSave) {
    host_irql_at_most(DISPATCH_LEVEL, "KeSaveExtendedProcessorState");
    XStateSave->Mask = Mask;
    return STATUS_SUCCESS;
}

NTKERNELAPI VOID NTAPI KeRestoreExtendedProcessorState(PXSTATE_SAVE XStateSave) {
    (void)XStateSave;
    host_irql_at_most(DISPATCH_LEVEL, "KeRestoreExtendedProcessorState");
}

/* Which processor runs a thread changes nothing that a driver could see here. */
NTKERNELAPI VOID NTAPI KeSetSystemAffinityThread(KAFFINITY Affinity) {
    host_irql_at_most(DISPATCH_LEVEL, "KeSetSystemAffinityThread");
    if ((Affinity & KeQueryActiveProcessors()) == 0)
        host_violation("KeSetSystemAffinityThread(0x%llx) names no processor of this system",
                       (unsigned long long)Affinity);
}

NTKERNELAPI VOID NTAPI KeRevertToUserAffinityThread(VOID) {
    host_irql_at_most(DISPATCH_LEVEL, "KeRevertToUserAffinityThread");
}

NTKERNELAPI KPRIORITY NTAPI KeQueryPriorityThread(PKTHREAD Thread) {
    (void)Thread;
    host_irql_at_most(PASSIVE_LEVEL, "KeQueryPriorityThread");
    return 8; /* normal */
}

NTKERNELAPI LONG NTAPI KeSetBasePriorityThread(PKTHREAD Thread, LONG Increment) {
    (void)Thread;
    (void)Increment;
    host_irql_at_most(PASSIVE_LEVEL, "KeSetBasePriorityThread");
    return 0; /* the increment before */
}

NTKERNELAPI ULONG_PTR NTAPI KeIpiGenericCall(PKIPI_BROADCAST_WORKER BroadcastFunction,
                                             ULONG_PTR Context) {
    host_irql_at_most(IPI_LEVEL - 1, "KeIpiGenericCall");
    return DRIVER_CALL(BroadcastFunction)(Context);
}

/* What every x86-64 processor has: the page's numbers of floating point, CMPXCHG8B, MMX, SSE, TSC,
 * SSE2, NX, CMPXCHG16B and the like. */
NTKERNELAPI BOOLEAN NTAPI ExIsProcessorFeaturePresent(ULONG ProcessorFeature) {
    host_irql_at_most(PASSIVE_LEVEL, "ExIsProcessorFeaturePresent");
    const ULONGLONG present =
        1ull << PF_COMPARE_EXCHANGE_DOUBLE | 1ull << PF_MMX_INSTRUCTIONS_AVAILABLE |
        1ull << PF_XMMI_INSTRUCTIONS_AVAILABLE | 1ull << PF_RDTSC_INSTRUCTION_AVAILABLE |
        1ull << PF_PAE_ENABLED | 1ull << PF_XMMI64_INSTRUCTIONS_AVAILABLE | 1ull << PF_NX_ENABLED |
        1ull << PF_SSE3_INSTRUCTIONS_AVAILABLE | 1ull << PF_COMPARE_EXCHANGE128;
    return ProcessorFeature < 64 && (present >> ProcessorFeature & 1) != 0;
}

/* ---- DPCs -------------------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance) {
    Dpc->Importance = (UCHAR)Importance;
}

/* The page: a number that is no processor's stops the system. */
static NTSTATUS dpc_target(PRKDPC dpc, ULONG number, const char *function) {
    if (number >= processor_count()) {
        host_violation("%s: there is no processor %u", function, number);
        return STATUS_INVALID_PARAMETER;
    }
    dpc->Number = (USHORT)number;
    return STATUS_SUCCESS;
}

NTKERNELAPI VOID NTAPI KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number) {
    dpc_target(Dpc, (UCHAR)Number, "KeSetTargetProcessorDpc");
}

NTKERNELAPI NTSTATUS NTAPI KeSetTargetProcessorDpcEx(PRKDPC Dpc, PPROCESSOR_NUMBER ProcNumber) {
    if (ProcNumber->Group != 0 || ProcNumber->Number >= processor_count())
        return STATUS_INVALID_PARAMETER;
    return dpc_target(Dpc, ProcNumber->Number, "KeSetTargetProcessorDpcEx");
}

/* Threaded DPCs may run at DISPATCH_LEVEL as well, as all do here. */
NTKERNELAPI VOID NTAPI KeInitializeThreadedDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine,
                                               PVOID DeferredContext) {
    KeInitializeDpc(Dpc, DeferredRoutine, DeferredContext);
}
