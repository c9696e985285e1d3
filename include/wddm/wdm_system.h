/* SPDX-License-Identifier: MIT */
/*
 * Work items, callback objects, processors, processes, power settings, bugcheck callbacks, events
 * for tracing (wdm and ntddk reference pages).
 */
#ifndef WDDM_WDM_SYSTEM_H
#define WDDM_WDM_SYSTEM_H

#include "wdm_irp.h"
#include "wdm_sync.h"

WDDM_BEGIN_DECLS

/* ---- Work items ------------------------------------------------------------------------------ */

typedef enum _WORK_QUEUE_TYPE {
    CriticalWorkQueue = 0,
    DelayedWorkQueue,
    HyperCriticalWorkQueue,
    NormalWorkQueue,
    BackgroundWorkQueue,
    RealTimeWorkQueue,
    SuperCriticalWorkQueue,
    MaximumWorkQueue,
    CustomPriorityWorkQueue = 32
} WORK_QUEUE_TYPE;
typedef VOID NTAPI WORKER_THREAD_ROUTINE(PVOID Parameter);
typedef WORKER_THREAD_ROUTINE *PWORKER_THREAD_ROUTINE;
typedef struct WDDM_LAYOUT _WORK_QUEUE_ITEM {
    LIST_ENTRY List;
    PWORKER_THREAD_ROUTINE WorkerRoutine;
    PVOID Parameter;
} WORK_QUEUE_ITEM, *PWORK_QUEUE_ITEM;
#define ExInitializeWorkItem(Item, Routine, Context)                                               \
    ((Item)->WorkerRoutine = (Routine), (Item)->Parameter = (Context), (Item)->List.Flink = NULL)
NTKERNELAPI VOID NTAPI ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType);

typedef struct _IO_WORKITEM *PIO_WORKITEM;
typedef VOID NTAPI IO_WORKITEM_ROUTINE(PDEVICE_OBJECT DeviceObject, PVOID Context);
typedef IO_WORKITEM_ROUTINE *PIO_WORKITEM_ROUTINE;
typedef VOID NTAPI IO_WORKITEM_ROUTINE_EX(PVOID IoObject, PVOID Context, PIO_WORKITEM IoWorkItem);
typedef IO_WORKITEM_ROUTINE_EX *PIO_WORKITEM_ROUTINE_EX;
NTKERNELAPI PIO_WORKITEM NTAPI IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject);
NTKERNELAPI VOID NTAPI IoFreeWorkItem(PIO_WORKITEM IoWorkItem);
NTKERNELAPI VOID NTAPI IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine,
                                       WORK_QUEUE_TYPE QueueType, PVOID Context);
NTKERNELAPI VOID NTAPI IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem,
                                         PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                                         WORK_QUEUE_TYPE QueueType, PVOID Context);
NTKERNELAPI ULONG NTAPI IoSizeofWorkItem(VOID);
NTKERNELAPI VOID NTAPI IoInitializeWorkItem(PVOID IoObject, PIO_WORKITEM IoWorkItem);
NTKERNELAPI VOID NTAPI IoUninitializeWorkItem(PIO_WORKITEM IoWorkItem);

/* ---- Callback objects ------------------------------------------------------------------------ */

typedef struct _CALLBACK_OBJECT *PCALLBACK_OBJECT;
typedef VOID NTAPI CALLBACK_FUNCTION(PVOID CallbackContext, PVOID Argument1, PVOID Argument2);
typedef CALLBACK_FUNCTION *PCALLBACK_FUNCTION;
NTKERNELAPI NTSTATUS NTAPI ExCreateCallback(PCALLBACK_OBJECT *CallbackObject,
                                            POBJECT_ATTRIBUTES ObjectAttributes, BOOLEAN Create,
                                            BOOLEAN AllowMultipleCallbacks);
NTKERNELAPI PVOID NTAPI ExRegisterCallback(PCALLBACK_OBJECT CallbackObject,
                                           PCALLBACK_FUNCTION CallbackFunction,
                                           PVOID CallbackContext);
NTKERNELAPI VOID NTAPI ExUnregisterCallback(PVOID CallbackRegistration);
NTKERNELAPI VOID NTAPI ExNotifyCallback(PVOID CallbackObject, PVOID Argument1, PVOID Argument2);

/* ---- Processors ------------------------------------------------------------------------------ */

typedef struct WDDM_LAYOUT _PROCESSOR_NUMBER {
    USHORT Group;
    UCHAR Number;
    UCHAR Reserved;
} PROCESSOR_NUMBER, *PPROCESSOR_NUMBER;
typedef struct WDDM_LAYOUT _GROUP_AFFINITY {
    KAFFINITY Mask;
    USHORT Group;
    USHORT Reserved[3];
} GROUP_AFFINITY, *PGROUP_AFFINITY;
#define ALL_PROCESSOR_GROUPS 0xffff
NTKERNELAPI ULONG NTAPI KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber);
NTKERNELAPI ULONG NTAPI KeGetCurrentProcessorIndex(VOID);
NTKERNELAPI ULONG NTAPI KeQueryActiveProcessorCount(PKAFFINITY ActiveProcessors);
NTKERNELAPI ULONG NTAPI KeQueryActiveProcessorCountEx(USHORT GroupNumber);
NTKERNELAPI ULONG NTAPI KeQueryMaximumProcessorCount(VOID);
NTKERNELAPI ULONG NTAPI KeQueryMaximumProcessorCountEx(USHORT GroupNumber);
NTKERNELAPI KAFFINITY NTAPI KeQueryActiveProcessors(VOID);
NTKERNELAPI NTSTATUS NTAPI KeGetProcessorNumberFromIndex(ULONG ProcIndex,
                                                         PPROCESSOR_NUMBER ProcNumber);
NTKERNELAPI VOID NTAPI KeSetSystemAffinityThread(KAFFINITY Affinity);
NTKERNELAPI VOID NTAPI KeRevertToUserAffinityThread(VOID);
NTKERNELAPI KPRIORITY NTAPI KeQueryPriorityThread(PKTHREAD Thread);
NTKERNELAPI LONG NTAPI KeSetBasePriorityThread(PKTHREAD Thread, LONG Increment);
NTKERNELAPI VOID NTAPI KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance);
NTKERNELAPI VOID NTAPI KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number);
NTKERNELAPI NTSTATUS NTAPI KeSetTargetProcessorDpcEx(PRKDPC Dpc, PPROCESSOR_NUMBER ProcNumber);
NTKERNELAPI VOID NTAPI KeInitializeThreadedDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine,
                                               PVOID DeferredContext);
typedef ULONG_PTR NTAPI KIPI_BROADCAST_WORKER(ULONG_PTR Argument);
typedef KIPI_BROADCAST_WORKER *PKIPI_BROADCAST_WORKER;
NTKERNELAPI ULONG_PTR NTAPI KeIpiGenericCall(PKIPI_BROADCAST_WORKER BroadcastFunction,
                                             ULONG_PTR Context);
/* The page (nf-wdm-exisprocessorfeaturepresent) has the names; the numbers are those of the same features in
 * the Win32 reference of IsProcessorFeaturePresent. */
#define PF_FLOATING_POINT_PRECISION_ERRATA 0
#define PF_FLOATING_POINT_EMULATED         1
#define PF_COMPARE_EXCHANGE_DOUBLE         2
#define PF_MMX_INSTRUCTIONS_AVAILABLE      3
#define PF_XMMI_INSTRUCTIONS_AVAILABLE     6
#define PF_3DNOW_INSTRUCTIONS_AVAILABLE    7
#define PF_RDTSC_INSTRUCTION_AVAILABLE     8
#define PF_PAE_ENABLED                     9
#define PF_XMMI64_INSTRUCTIONS_AVAILABLE   10
#define PF_SSE_DAZ_MODE_AVAILABLE          11
#define PF_NX_ENABLED                      12
#define PF_SSE3_INSTRUCTIONS_AVAILABLE     13
#define PF_COMPARE_EXCHANGE128             14
#define PF_COMPARE64_EXCHANGE128           15
#define PF_XSAVE_ENABLED                   17
NTKERNELAPI BOOLEAN NTAPI ExIsProcessorFeaturePresent(ULONG ProcessorFeature);
NTKERNELAPI VOID NTAPI KeEnterGuardedRegion(VOID);
NTKERNELAPI VOID NTAPI KeLeaveGuardedRegion(VOID);
NTKERNELAPI VOID NTAPI KeQueryNodeActiveAffinity(USHORT NodeNumber, PGROUP_AFFINITY Affinity,
                                                 PUSHORT Count);
typedef struct WDDM_LAYOUT _XSTATE_SAVE {
    ULONG64 Mask;
    PVOID Reserved[7];
} XSTATE_SAVE, *PXSTATE_SAVE;
#define XSTATE_MASK_LEGACY 3ull
NTKERNELAPI NTSTATUS NTAPI KeSaveExtendedProcessorState(ULONG64 Mask, PXSTATE_SAVE XStateSave);
NTKERNELAPI VOID NTAPI KeRestoreExtendedProcessorState(PXSTATE_SAVE XStateSave);
#define KeFlushIoBuffers(Mdl, ReadOperation, DmaOperation) ((void)0)

/* ---- Processes ------------------------------------------------------------------------------- */

typedef struct WDDM_LAYOUT _KAPC_STATE {
    LIST_ENTRY ApcListHead[2];
    PVOID Process;
    UCHAR Pending[8];
} KAPC_STATE, *PKAPC_STATE, *PRKAPC_STATE;
typedef VOID NTAPI CREATE_PROCESS_NOTIFY_ROUTINE(HANDLE ParentId, HANDLE ProcessId, BOOLEAN Create);
typedef CREATE_PROCESS_NOTIFY_ROUTINE *PCREATE_PROCESS_NOTIFY_ROUTINE;
NTKERNELAPI PEPROCESS NTAPI PsGetCurrentProcess(VOID);
NTKERNELAPI HANDLE NTAPI PsGetProcessId(PEPROCESS Process);
NTKERNELAPI NTSTATUS NTAPI PsLookupProcessByProcessId(HANDLE ProcessId, PEPROCESS *Process);
NTKERNELAPI NTSTATUS NTAPI
PsSetCreateProcessNotifyRoutine(PCREATE_PROCESS_NOTIFY_ROUTINE NotifyRoutine, BOOLEAN Remove);
typedef struct _PS_CREATE_NOTIFY_INFO *PPS_CREATE_NOTIFY_INFO;
typedef VOID NTAPI CREATE_PROCESS_NOTIFY_ROUTINE_EX(PEPROCESS Process, HANDLE ProcessId,
                                                    PPS_CREATE_NOTIFY_INFO CreateInfo);
typedef CREATE_PROCESS_NOTIFY_ROUTINE_EX *PCREATE_PROCESS_NOTIFY_ROUTINE_EX;
NTKERNELAPI NTSTATUS NTAPI
PsSetCreateProcessNotifyRoutineEx(PCREATE_PROCESS_NOTIFY_ROUTINE_EX NotifyRoutine, BOOLEAN Remove);
NTKERNELAPI BOOLEAN NTAPI PsIsSystemThread(PETHREAD Thread);
NTKERNELAPI VOID NTAPI KeStackAttachProcess(PEPROCESS Process, PRKAPC_STATE ApcState);
NTKERNELAPI VOID NTAPI KeUnstackDetachProcess(PRKAPC_STATE ApcState);
#define IoGetCurrentProcess  PsGetCurrentProcess
#define PsGetCurrentThread() ((PETHREAD)KeGetCurrentThread())
#define ExGetPreviousMode()  KernelMode

/* ---- Reserved addresses for mappings ---------------------------------------------------------- */

NTKERNELAPI PVOID NTAPI MmAllocateMappingAddress(SIZE_T NumberOfBytes, ULONG PoolTag);
NTKERNELAPI VOID NTAPI MmFreeMappingAddress(PVOID BaseAddress, ULONG PoolTag);
NTKERNELAPI PVOID NTAPI MmMapLockedPagesWithReservedMapping(PVOID MappingAddress, ULONG PoolTag,
                                                            PMDL MemoryDescriptorList,
                                                            MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI VOID NTAPI MmUnmapReservedMapping(PVOID BaseAddress, ULONG PoolTag,
                                              PMDL MemoryDescriptorList);
NTKERNELAPI PVOID NTAPI MmLockPagableDataSection(PVOID AddressWithinSection);
NTKERNELAPI VOID NTAPI MmLockPagableSectionByHandle(PVOID ImageSectionHandle);
NTKERNELAPI VOID NTAPI MmUnlockPagableImageSection(PVOID ImageSectionHandle);
NTKERNELAPI PVOID NTAPI MmPageEntireDriver(PVOID AddressWithinSection);
NTKERNELAPI VOID NTAPI MmResetDriverPaging(PVOID AddressWithinSection);
#define MmLockPagableCodeSection(Address) MmLockPagableDataSection((PVOID)(ULONG_PTR)(Address))

/* ---- Power settings -------------------------------------------------------------------------- */

typedef NTSTATUS NTAPI POWER_SETTING_CALLBACK(LPCGUID SettingGuid, PVOID Value, ULONG ValueLength,
                                              PVOID Context);
typedef POWER_SETTING_CALLBACK *PPOWER_SETTING_CALLBACK;
NTKERNELAPI NTSTATUS NTAPI PoRegisterPowerSettingCallback(PDEVICE_OBJECT DeviceObject,
                                                          LPCGUID SettingGuid,
                                                          PPOWER_SETTING_CALLBACK Callback,
                                                          PVOID Context, PVOID *Handle);
NTKERNELAPI NTSTATUS NTAPI PoUnregisterPowerSettingCallback(PVOID Handle);

/* ---- Bugcheck callbacks ---------------------------------------------------------------------- */

typedef enum _KBUGCHECK_CALLBACK_REASON {
    KbCallbackInvalid = 0,
    KbCallbackReserved1,
    KbCallbackSecondaryDumpData,
    KbCallbackDumpIo,
    KbCallbackAddPages,
    KbCallbackSecondaryMultiPartDumpData,
    KbCallbackRemovePages,
    KbCallbackTriageDumpData
} KBUGCHECK_CALLBACK_REASON;
struct _KBUGCHECK_REASON_CALLBACK_RECORD;
typedef VOID NTAPI KBUGCHECK_REASON_CALLBACK_ROUTINE(
    KBUGCHECK_CALLBACK_REASON Reason, struct _KBUGCHECK_REASON_CALLBACK_RECORD *Record,
    PVOID ReasonSpecificData, ULONG ReasonSpecificDataLength);
typedef KBUGCHECK_REASON_CALLBACK_ROUTINE *PKBUGCHECK_REASON_CALLBACK_ROUTINE;
typedef struct WDDM_LAYOUT _KBUGCHECK_REASON_CALLBACK_RECORD {
    LIST_ENTRY Entry;
    PKBUGCHECK_REASON_CALLBACK_ROUTINE CallbackRoutine;
    PUCHAR Component;
    ULONG_PTR Checksum;
    KBUGCHECK_CALLBACK_REASON Reason;
    UCHAR State;
} KBUGCHECK_REASON_CALLBACK_RECORD, *PKBUGCHECK_REASON_CALLBACK_RECORD;
#define KeInitializeCallbackRecord(Record) ((Record)->State = 0)
NTKERNELAPI BOOLEAN NTAPI
KeRegisterBugCheckReasonCallback(PKBUGCHECK_REASON_CALLBACK_RECORD CallbackRecord,
                                 PKBUGCHECK_REASON_CALLBACK_ROUTINE CallbackRoutine,
                                 KBUGCHECK_CALLBACK_REASON Reason, PUCHAR Component);
NTKERNELAPI BOOLEAN NTAPI
KeDeregisterBugCheckReasonCallback(PKBUGCHECK_REASON_CALLBACK_RECORD CallbackRecord);

/* ---- Events for tracing ---------------------------------------------------------------------- */

typedef ULONGLONG REGHANDLE, *PREGHANDLE;
typedef struct WDDM_LAYOUT _EVENT_DESCRIPTOR {
    USHORT Id;
    UCHAR Version;
    UCHAR Channel;
    UCHAR Level;
    UCHAR Opcode;
    USHORT Task;
    ULONGLONG Keyword;
} EVENT_DESCRIPTOR, *PEVENT_DESCRIPTOR;
typedef const EVENT_DESCRIPTOR *PCEVENT_DESCRIPTOR;
typedef struct WDDM_LAYOUT _EVENT_DATA_DESCRIPTOR {
    ULONGLONG Ptr;
    ULONG Size;
    ULONG Reserved;
} EVENT_DATA_DESCRIPTOR, *PEVENT_DATA_DESCRIPTOR;
typedef VOID NTAPI ETWENABLECALLBACK(LPCGUID SourceId, ULONG ControlCode, UCHAR Level,
                                     ULONGLONG MatchAnyKeyword, ULONGLONG MatchAllKeyword,
                                     PVOID FilterData, PVOID CallbackContext);
typedef ETWENABLECALLBACK *PETWENABLECALLBACK;
NTKERNELAPI NTSTATUS NTAPI EtwRegister(LPCGUID ProviderId, PETWENABLECALLBACK EnableCallback,
                                       PVOID CallbackContext, PREGHANDLE RegHandle);
NTKERNELAPI NTSTATUS NTAPI EtwUnregister(REGHANDLE RegHandle);
NTKERNELAPI BOOLEAN NTAPI EtwEventEnabled(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor);
NTKERNELAPI BOOLEAN NTAPI EtwProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword);
NTKERNELAPI NTSTATUS NTAPI EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                    LPCGUID ActivityId, ULONG UserDataCount,
                                    PEVENT_DATA_DESCRIPTOR UserData);
NTKERNELAPI NTSTATUS NTAPI EtwWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                            LPCGUID ActivityId, LPCGUID RelatedActivityId,
                                            ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData);
NTKERNELAPI NTSTATUS NTAPI EtwWriteEx(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
                                      ULONG64 Filter, ULONG Flags, LPCGUID ActivityId,
                                      LPCGUID RelatedActivityId, ULONG UserDataCount,
                                      PEVENT_DATA_DESCRIPTOR UserData);
NTKERNELAPI NTSTATUS NTAPI EtwWriteString(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword,
                                          LPCGUID ActivityId, PCWSTR String);
typedef enum _EVENT_INFO_CLASS {
    EventProviderBinaryTrackInfo = 0,
    EventProviderSetReserved1,
    EventProviderSetTraits,
    EventProviderUseDescriptorType,
    MaxEventInfo
} EVENT_INFO_CLASS;
NTKERNELAPI NTSTATUS NTAPI EtwSetInformation(REGHANDLE RegHandle, EVENT_INFO_CLASS InformationClass,
                                             PVOID EventInformation, ULONG InformationLength);
#define EVENT_ACTIVITY_CTRL_GET_ID        1
#define EVENT_ACTIVITY_CTRL_SET_ID        2
#define EVENT_ACTIVITY_CTRL_CREATE_ID     3
#define EVENT_ACTIVITY_CTRL_GET_SET_ID    4
#define EVENT_ACTIVITY_CTRL_CREATE_SET_ID 5
NTKERNELAPI NTSTATUS NTAPI EtwActivityIdControl(ULONG ControlCode, LPGUID ActivityId);

typedef ULONG64 TRACEHANDLE, *PTRACEHANDLE;
typedef enum {
    TraceIdClass = 0,
    TraceHandleClass,
    TraceEnableFlagsClass,
    TraceEnableLevelClass,
    GlobalLoggerHandleClass,
    EventLoggerHandleClass,
    AllLoggerHandlesClass,
    TraceHandleByNameClass
} TRACE_INFORMATION_CLASS;
NTKERNELAPI NTSTATUS NTAPI WmiTraceMessage(TRACEHANDLE LoggerHandle, ULONG MessageFlags,
                                           LPCGUID MessageGuid, USHORT MessageNumber, ...);
NTKERNELAPI NTSTATUS NTAPI WmiQueryTraceInformation(TRACE_INFORMATION_CLASS TraceInformationClass,
                                                    PVOID TraceInformation,
                                                    ULONG TraceInformationLength,
                                                    PULONG RequiredLength, PVOID Buffer);

/* ---- Identifiers, firmware, the registry's callbacks -------------------------------------------- */

typedef GUID UUID;
NTKERNELAPI NTSTATUS NTAPI ExUuidCreate(UUID *Uuid);
NTKERNELAPI NTSTATUS NTAPI ExGetFirmwareEnvironmentVariable(PUNICODE_STRING VariableName,
                                                            GUID *VendorGuid, PVOID Value,
                                                            PULONG ValueLength, PULONG Attributes);
typedef NTSTATUS NTAPI EX_CALLBACK_FUNCTION(PVOID CallbackContext, PVOID Argument1,
                                            PVOID Argument2);
typedef EX_CALLBACK_FUNCTION *PEX_CALLBACK_FUNCTION;
NTKERNELAPI NTSTATUS NTAPI CmRegisterCallbackEx(PEX_CALLBACK_FUNCTION Function,
                                                PCUNICODE_STRING Altitude, PVOID Driver,
                                                PVOID Context, PLARGE_INTEGER Cookie,
                                                PVOID Reserved);
NTKERNELAPI NTSTATUS NTAPI CmUnRegisterCallback(LARGE_INTEGER Cookie);
/* Pool is never executable here. */
#define DrvRtPoolNxOptIn                        0x00000001u
#define ExInitializeDriverRuntime(RuntimeFlags) ((void)(RuntimeFlags))

WDDM_END_DECLS

#endif
