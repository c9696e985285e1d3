/*
 * raise.c - functions that raise exceptions: what a driver image handles with __except reaches it,
 * everything else ends the system as an exception of a driver does that nobody handles.
 *
 * Pages: nf-wdm-exraisestatus.md, nf-wdm-exraiseaccessviolation.md,
 * nf-wdm-exraisedatatypemisalignment.md, nf-wdm-probeforread.md, nf-wdm-probeforwrite.md.
 */
#include <ntddk.h>

#include <sys/uio.h>
#include <unistd.h>

#include "base/thread.h"
#include "image/seh.h"

#define KMODE_EXCEPTION_NOT_HANDLED 0x1e

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseStatus(NTSTATUS Status) {
    (void)host_irql_at_most(APC_LEVEL, "ExRaiseStatus");
    seh_raise_status(Status);
    KeBugCheckEx(KMODE_EXCEPTION_NOT_HANDLED, (ULONG)Status, 0, 0, 0);
}

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseAccessViolation(VOID) {
    host_irql_at_most(PASSIVE_LEVEL, "ExRaiseAccessViolation");
    ExRaiseStatus(STATUS_ACCESS_VIOLATION);
}

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseDatatypeMisalignment(VOID) {
    host_irql_at_most(PASSIVE_LEVEL, "ExRaiseDatatypeMisalignment");
    ExRaiseStatus(STATUS_DATATYPE_MISALIGNMENT);
}

/* Every page of the range is there and takes a byte: the one that it has, as its page says. */
static bool writable(const volatile void *address, SIZE_T length) {
    uint64_t first = (uintptr_t)address, last = first + length - 1;
    for (uint64_t at = first; at <= last; at = (at | 4095) + 1) {
        char byte;
        struct iovec ours = {&byte, 1}, there = {(void *)(uintptr_t)at, 1};
        if (process_vm_readv(getpid(), &ours, 1, &there, 1, 0) != 1 ||
            process_vm_writev(getpid(), &ours, 1, &there, 1, 0) != 1)
            return false;
    }
    return true;
}

static void probe(const volatile void *address, SIZE_T length, ULONG alignment) {
    if (length == 0)
        return;
    if (alignment != 0 && (uintptr_t)address % alignment != 0)
        ExRaiseStatus(STATUS_DATATYPE_MISALIGNMENT);
    if ((uintptr_t)address + length < (uintptr_t)address)
        ExRaiseStatus(STATUS_ACCESS_VIOLATION);
}

/* Looks at the address alone, as its page says: whether there is memory, reading it shows. */
NTKERNELAPI VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment) {
    (void)host_irql_at_most(APC_LEVEL, "ProbeForRead");
    probe(Address, Length, Alignment);
}

NTKERNELAPI VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment) {
    (void)host_irql_at_most(APC_LEVEL, "ProbeForWrite");
    probe(Address, Length, Alignment);
    if (Length != 0 && !writable(Address, Length))
        ExRaiseStatus(STATUS_ACCESS_VIOLATION);
}

/* Raises when there is no memory, unless it is asked not to. */
NTKERNELAPI PVOID NTAPI ExAllocatePoolWithQuotaTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes,
                                                   ULONG Tag) {
    POOL_TYPE type = (POOL_TYPE)(PoolType & ~POOL_QUOTA_FAIL_INSTEAD_OF_RAISE);
    PVOID block = ExAllocatePoolWithTag(type, NumberOfBytes, Tag);
    if (!block && type == PoolType)
        ExRaiseStatus(STATUS_INSUFFICIENT_RESOURCES);
    return block;
}
