/*
 * raise.c - functions that raise exceptions: what a driver image handles with __except reaches it,
 * everything else ends the system as an exception of a driver does that nobody handles.
 *
 * Pages: nf-wdm-exraisestatus.md, nf-wdm-exraiseaccessviolation.md,
 * nf-wdm-exraisedatatypemisalignment.md, nf-wdm-probeforread.md, nf-wdm-probeforwrite.md.
 */
#include <ntddk.h>

#include "base/thread.h"
#include "image/seh.h"
#include "image/unwind.h"

#define KMODE_EXCEPTION_NOT_HANDLED 0x1e

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseStatus(NTSTATUS Status) {
    (void)host_irql_at_most(APC_LEVEL, "ExRaiseStatus");
    seh_raise_status(Status);
    KeBugCheckEx(KMODE_EXCEPTION_NOT_HANDLED, (ULONG)Status, 0, 0, 0);
}

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseAccessViolation(VOID) {
    ExRaiseStatus(STATUS_ACCESS_VIOLATION);
}

NTKERNELAPI DECLSPEC_NORETURN VOID NTAPI ExRaiseDatatypeMisalignment(VOID) {
    ExRaiseStatus(STATUS_DATATYPE_MISALIGNMENT);
}

/* Every page of the range is there. */
static bool present(const volatile void *address, SIZE_T length) {
    uint64_t value, first = (uintptr_t)address, last = first + length - 1;
    for (uint64_t page = first; page <= last; page = (page | 4095) + 1)
        if (!unwind_peek(page & ~UINT64_C(7), &value))
            return false;
    return true;
}

static void probe(const volatile void *address, SIZE_T length, ULONG alignment) {
    if (length == 0)
        return;
    if ((uintptr_t)address % alignment != 0)
        ExRaiseDatatypeMisalignment();
    if ((uintptr_t)address + length < (uintptr_t)address)
        ExRaiseAccessViolation();
}

/* Looks at the address alone, as its page says: whether there is memory, reading it shows. */
NTKERNELAPI VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment) {
    (void)host_irql_at_most(APC_LEVEL, "ProbeForRead");
    probe(Address, Length, Alignment);
}

NTKERNELAPI VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment) {
    (void)host_irql_at_most(APC_LEVEL, "ProbeForWrite");
    probe(Address, Length, Alignment);
    if (Length != 0 && !present(Address, Length))
        ExRaiseAccessViolation();
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
