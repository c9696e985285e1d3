/* SPDX-License-Identifier: MIT */
/* Run-time library, debugging aids, interlocked operations and device register access (wdm
 * reference pages). */
#ifndef WDDM_WDM_RTL_H
#define WDDM_WDM_RTL_H

#include <string.h>

#include "ntdef.h"
#include "ntstatus.h"

#if defined(_KERNEL_MODE) && defined(__cplusplus)
#undef NULL /* a plain 0 also makes a function pure */
#define NULL 0
#endif

WDDM_BEGIN_DECLS

#define RtlCopyMemory(Destination, Source, Length) memcpy((Destination), (Source), (Length))
#define RtlMoveMemory(Destination, Source, Length) memmove((Destination), (Source), (Length))
#define RtlFillMemory(Destination, Length, Fill)   memset((Destination), (Fill), (Length))
#define RtlZeroMemory(Destination, Length)         memset((Destination), 0, (Length))
#define RtlEqualMemory(A, B, Length)               (!memcmp((A), (B), (Length)))

/* The number of leading bytes that are equal. */
FORCEINLINE SIZE_T RtlCompareMemory(const void *A, const void *B, SIZE_T Length) {
    const UCHAR *a = (const UCHAR *)A, *b = (const UCHAR *)B;
    SIZE_T i = 0;
    while (i < Length && a[i] == b[i])
        i++;
    return i;
}

NTSYSAPI VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString);
NTSYSAPI VOID NTAPI RtlCopyUnicodeString(PUNICODE_STRING DestinationString,
                                         PCUNICODE_STRING SourceString);
NTSYSAPI BOOLEAN NTAPI RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                             BOOLEAN CaseInSensitive);
NTSYSAPI VOID NTAPI RtlFreeUnicodeString(PUNICODE_STRING UnicodeString);

NTSYSAPI VOID NTAPI RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString);
NTSYSAPI NTSTATUS NTAPI RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString,
                                                     const ANSI_STRING *SourceString,
                                                     BOOLEAN AllocateDestinationString);
NTSYSAPI NTSTATUS NTAPI RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String);

/* Registry */
#define REG_NONE      0u
#define REG_SZ        1u
#define REG_EXPAND_SZ 2u
#define REG_BINARY    3u
#define REG_DWORD     4u
#define REG_MULTI_SZ  7u
#define REG_QWORD     11u

#define RTL_REGISTRY_ABSOLUTE   0u
#define RTL_REGISTRY_SERVICES   1u
#define RTL_REGISTRY_CONTROL    2u
#define RTL_REGISTRY_WINDOWS_NT 3u
#define RTL_REGISTRY_DEVICEMAP  4u
#define RTL_REGISTRY_USER       5u
#define RTL_REGISTRY_HANDLE     0x40000000u
#define RTL_REGISTRY_OPTIONAL   0x80000000u

#define RTL_QUERY_REGISTRY_SUBKEY          0x00000001u
#define RTL_QUERY_REGISTRY_TOPKEY          0x00000002u
#define RTL_QUERY_REGISTRY_REQUIRED        0x00000004u
#define RTL_QUERY_REGISTRY_NOVALUE         0x00000008u
#define RTL_QUERY_REGISTRY_NOEXPAND        0x00000010u
#define RTL_QUERY_REGISTRY_DIRECT          0x00000020u
#define RTL_QUERY_REGISTRY_DELETE          0x00000040u
#define RTL_QUERY_REGISTRY_TYPECHECK       0x00000100u
#define RTL_QUERY_REGISTRY_TYPECHECK_SHIFT 24
#define RTL_QUERY_REGISTRY_TYPECHECK_MASK  0xff000000u

typedef NTSTATUS NTAPI RTL_QUERY_REGISTRY_ROUTINE(PWSTR ValueName, ULONG ValueType, PVOID ValueData,
                                                  ULONG ValueLength, PVOID Context,
                                                  PVOID EntryContext);
typedef RTL_QUERY_REGISTRY_ROUTINE *PRTL_QUERY_REGISTRY_ROUTINE;

typedef struct WDDM_LAYOUT _RTL_QUERY_REGISTRY_TABLE {
    PRTL_QUERY_REGISTRY_ROUTINE QueryRoutine;
    ULONG Flags;
    PWSTR Name;
    PVOID EntryContext;
    ULONG DefaultType;
    PVOID DefaultData;
    ULONG DefaultLength;
} RTL_QUERY_REGISTRY_TABLE, *PRTL_QUERY_REGISTRY_TABLE;

NTSYSAPI NTSTATUS NTAPI RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path,
                                               PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                               PVOID Environment);
NTSYSAPI NTSTATUS NTAPI RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName,
                                              ULONG ValueType, PVOID ValueData, ULONG ValueLength);

NTSYSAPI NTSTATUS NTAPI RtlDeleteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName);
NTSYSAPI NTSTATUS NTAPI RtlCreateRegistryKey(ULONG RelativeTo, PWSTR Path);
NTSYSAPI NTSTATUS NTAPI RtlCheckRegistryKey(ULONG RelativeTo, PWSTR Path);

/* Device registers: functions here, so that a test bench can stand behind them. */
NTHALAPI UCHAR NTAPI READ_REGISTER_UCHAR(volatile UCHAR *Register);
NTHALAPI USHORT NTAPI READ_REGISTER_USHORT(volatile USHORT *Register);
NTHALAPI ULONG NTAPI READ_REGISTER_ULONG(volatile ULONG *Register);
NTHALAPI ULONG64 NTAPI READ_REGISTER_ULONG64(volatile ULONG64 *Register);
NTHALAPI VOID NTAPI WRITE_REGISTER_UCHAR(volatile UCHAR *Register, UCHAR Value);
NTHALAPI VOID NTAPI WRITE_REGISTER_USHORT(volatile USHORT *Register, USHORT Value);
NTHALAPI VOID NTAPI WRITE_REGISTER_ULONG(volatile ULONG *Register, ULONG Value);
NTHALAPI VOID NTAPI WRITE_REGISTER_ULONG64(volatile ULONG64 *Register, ULONG64 Value);
NTHALAPI VOID NTAPI READ_REGISTER_BUFFER_UCHAR(volatile UCHAR *Register, PUCHAR Buffer,
                                               ULONG Count);
NTHALAPI VOID NTAPI READ_REGISTER_BUFFER_USHORT(volatile USHORT *Register, PUSHORT Buffer,
                                                ULONG Count);
NTHALAPI VOID NTAPI READ_REGISTER_BUFFER_ULONG(volatile ULONG *Register, PULONG Buffer,
                                               ULONG Count);
NTHALAPI VOID NTAPI READ_REGISTER_BUFFER_ULONG64(volatile ULONG64 *Register, PULONG64 Buffer,
                                                 ULONG Count);
NTHALAPI VOID NTAPI WRITE_REGISTER_BUFFER_UCHAR(volatile UCHAR *Register, PUCHAR Buffer,
                                                ULONG Count);
NTHALAPI VOID NTAPI WRITE_REGISTER_BUFFER_USHORT(volatile USHORT *Register, PUSHORT Buffer,
                                                 ULONG Count);
NTHALAPI VOID NTAPI WRITE_REGISTER_BUFFER_ULONG(volatile ULONG *Register, PULONG Buffer,
                                                ULONG Count);
NTHALAPI VOID NTAPI WRITE_REGISTER_BUFFER_ULONG64(volatile ULONG64 *Register, PULONG64 Buffer,
                                                  ULONG Count);

/* Without an order with other accesses, of which a stronger one is allowed to take the place; no page. */
#define READ_REGISTER_NOFENCE_UCHAR           READ_REGISTER_UCHAR
#define READ_REGISTER_NOFENCE_USHORT          READ_REGISTER_USHORT
#define READ_REGISTER_NOFENCE_ULONG           READ_REGISTER_ULONG
#define READ_REGISTER_NOFENCE_ULONG64         READ_REGISTER_ULONG64
#define WRITE_REGISTER_NOFENCE_UCHAR          WRITE_REGISTER_UCHAR
#define WRITE_REGISTER_NOFENCE_USHORT         WRITE_REGISTER_USHORT
#define WRITE_REGISTER_NOFENCE_ULONG          WRITE_REGISTER_ULONG
#define WRITE_REGISTER_NOFENCE_ULONG64        WRITE_REGISTER_ULONG64
#define READ_REGISTER_NOFENCE_BUFFER_UCHAR    READ_REGISTER_BUFFER_UCHAR
#define READ_REGISTER_NOFENCE_BUFFER_USHORT   READ_REGISTER_BUFFER_USHORT
#define READ_REGISTER_NOFENCE_BUFFER_ULONG    READ_REGISTER_BUFFER_ULONG
#define READ_REGISTER_NOFENCE_BUFFER_ULONG64  READ_REGISTER_BUFFER_ULONG64
#define WRITE_REGISTER_NOFENCE_BUFFER_UCHAR   WRITE_REGISTER_BUFFER_UCHAR
#define WRITE_REGISTER_NOFENCE_BUFFER_USHORT  WRITE_REGISTER_BUFFER_USHORT
#define WRITE_REGISTER_NOFENCE_BUFFER_ULONG   WRITE_REGISTER_BUFFER_ULONG
#define WRITE_REGISTER_NOFENCE_BUFFER_ULONG64 WRITE_REGISTER_BUFFER_ULONG64

/* I/O ports, of which the machine here has none: reads give all ones. */
NTHALAPI UCHAR NTAPI READ_PORT_UCHAR(PUCHAR Port);
NTHALAPI USHORT NTAPI READ_PORT_USHORT(PUSHORT Port);
NTHALAPI ULONG NTAPI READ_PORT_ULONG(PULONG Port);
NTHALAPI VOID NTAPI WRITE_PORT_UCHAR(PUCHAR Port, UCHAR Value);
NTHALAPI VOID NTAPI WRITE_PORT_USHORT(PUSHORT Port, USHORT Value);
NTHALAPI VOID NTAPI WRITE_PORT_ULONG(PULONG Port, ULONG Value);

/* Interlocked operations; all are full barriers. */
FORCEINLINE LONG InterlockedIncrement(LONG volatile *Addend) {
    return __atomic_add_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedDecrement(LONG volatile *Addend) {
    return __atomic_sub_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedExchange(LONG volatile *Target, LONG Value) {
    return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedExchangeAdd(LONG volatile *Addend, LONG Value) {
    return __atomic_fetch_add(Addend, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedAdd(LONG volatile *Addend, LONG Value) {
    return __atomic_add_fetch(Addend, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedAnd(LONG volatile *Destination, LONG Value) {
    return __atomic_fetch_and(Destination, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedOr(LONG volatile *Destination, LONG Value) {
    return __atomic_fetch_or(Destination, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedXor(LONG volatile *Destination, LONG Value) {
    return __atomic_fetch_xor(Destination, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG InterlockedCompareExchange(LONG volatile *Destination, LONG Exchange,
                                            LONG Comperand) {
    __atomic_compare_exchange_n(Destination, &Comperand, Exchange, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return Comperand;
}
FORCEINLINE LONG64 InterlockedIncrement64(LONG64 volatile *Addend) {
    return __atomic_add_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG64 InterlockedDecrement64(LONG64 volatile *Addend) {
    return __atomic_sub_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG64 InterlockedExchange64(LONG64 volatile *Target, LONG64 Value) {
    return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG64 InterlockedExchangeAdd64(LONG64 volatile *Addend, LONG64 Value) {
    return __atomic_fetch_add(Addend, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG64 InterlockedCompareExchange64(LONG64 volatile *Destination, LONG64 Exchange,
                                                LONG64 Comperand) {
    __atomic_compare_exchange_n(Destination, &Comperand, Exchange, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return Comperand;
}
FORCEINLINE PVOID InterlockedExchangePointer(PVOID volatile *Target, PVOID Value) {
    return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE PVOID InterlockedCompareExchangePointer(PVOID volatile *Destination, PVOID Exchange,
                                                    PVOID Comperand) {
    __atomic_compare_exchange_n(Destination, &Comperand, Exchange, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return Comperand;
}

FORCEINLINE VOID KeMemoryBarrier(VOID) {
    __sync_synchronize();
}
#ifndef MemoryBarrier
#define MemoryBarrier() KeMemoryBarrier()
#endif

/*
 * Structured exceptions. A driver image has them as on Windows. A shared object has none: there its
 * blocks are plain, a bad address ends the process, and the conformance check says in which call.
 */
#if defined(_KERNEL_MODE) || defined(_MSC_VER)
#define EXCEPTION_EXECUTE_HANDLER    1
#define EXCEPTION_CONTINUE_SEARCH    0
#define EXCEPTION_CONTINUE_EXECUTION (-1)
#endif
#if defined(_MSC_VER)
#define GetExceptionCode()        ((NTSTATUS)_exception_code())
#define GetExceptionInformation() (_exception_info())
#define AbnormalTermination()     (_abnormal_termination())
#elif defined(_KERNEL_MODE)
#define GetExceptionCode() ((NTSTATUS)0)
#define WDDM_NEVER(filter) if (0 && (filter))
#define __try
#define __except WDDM_NEVER
#define __finally
#endif
#ifndef __cplusplus /* excpt.h of C */
#define try     __try
#define except  __except
#define finally __finally
#endif

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseStatus(NTSTATUS Status);
NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseAccessViolation(VOID);
NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseDatatypeMisalignment(VOID);
NTKERNELAPI VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment);
NTKERNELAPI VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment);

/* Debugging aids. */
#define DPFLTR_IHVVIDEO_ID   78
#define DPFLTR_IHVDRIVER_ID  77
#define DPFLTR_ERROR_LEVEL   0
#define DPFLTR_WARNING_LEVEL 1
#define DPFLTR_TRACE_LEVEL   2
#define DPFLTR_INFO_LEVEL    3
#define DPFLTR_MASK          0x80000000u

/* Variadic with the Windows convention: an implementation uses __builtin_ms_va_list where that is
 * not the default. */
NTSYSAPI ULONG NTAPI DbgPrint(PCSTR Format, ...);
NTSYSAPI ULONG NTAPI DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...);
NTSYSAPI ULONG NTAPI vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format,
                                 WDDM_VA_LIST Arguments);
NTSYSAPI ULONG NTAPI vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level,
                                           PCSTR Format, WDDM_VA_LIST Arguments);
NTSYSAPI VOID NTAPI DbgBreakPoint(VOID);
NTSYSAPI VOID NTAPI DbgBreakPointWithStatus(ULONG Status);
#ifdef _KERNEL_MODE /* elsewhere a compiler's own headers have it */
#define DebugBreak DbgBreakPoint
#endif
NTSYSAPI ULONG NTAPI DbgPrompt(PCSTR Prompt, PCHAR Response, ULONG Length);
#define DPFLTR_DEFAULT_ID 101
/* No kernel debugger is ever there. */
FORCEINLINE BOOLEAN KdRefreshDebuggerNotPresent(VOID) {
    return TRUE;
}
static BOOLEAN *const KdDebuggerEnabled __attribute__((unused)) = (BOOLEAN *)(ULONG_PTR) "\0";
#define KD_DEBUGGER_ENABLED     FALSE
#define KD_DEBUGGER_NOT_PRESENT TRUE
NTSYSAPI VOID NTAPI RtlAssert(PVOID FailedAssertion, PVOID FileName, ULONG LineNumber,
                              PCHAR Message);

#if defined(DBG) && DBG
#define KdPrint(args)   ((void)DbgPrint args)
#define KdPrintEx(args) ((void)DbgPrintEx args)
#define KdBreakPoint()  DbgBreakPoint()
#ifndef ASSERT
#define ASSERT(e)                                                                                  \
    ((e) ? (void)0 : RtlAssert((PVOID)(ULONG_PTR) #e, (PVOID)(ULONG_PTR)__FILE__, __LINE__, NULL))
#endif
#else
#define KdPrint(args)   ((void)0)
#define KdPrintEx(args) ((void)0)
#define KdBreakPoint()  ((void)0)
#ifndef ASSERT
#define ASSERT(e) ((void)0)
#endif
#endif
#ifndef NT_ASSERT
#define NT_ASSERT(e)       ASSERT(e)
#define NT_ASSERTMSG(m, e) ASSERT(e)
#define NT_VERIFY(e)       ((void)(e))
#define ASSERTMSG(m, e)    ASSERT(e)
#endif

#ifndef PAGED_CODE
#define PAGED_CODE() ((void)0)
#endif
#define PAGED_CODE_LOCKED() ((void)0)

WDDM_END_DECLS

#endif
