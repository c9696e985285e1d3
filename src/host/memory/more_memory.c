/*
 * more_memory.c - names of pool, contiguous memory and MDLs that say the same with other parameters,
 * and small questions (pages nf-wdm-exallocatepool3, nf-wdm-mmadvancemdl, nf-ntddk-mmcopymemory and
 * their neighbours). There is one node.
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/physical.h"

/* ---- Pool ------------------------------------------------------------------------------------------- */

NTKERNELAPI PVOID NTAPI ExAllocatePoolWithTagPriority(POOL_TYPE PoolType, SIZE_T NumberOfBytes,
                                                      ULONG Tag, EX_POOL_PRIORITY Priority) {
    (void)Priority;
    return ExAllocatePoolWithTag(PoolType, NumberOfBytes, Tag);
}

/* No extended parameter is known here; the page: NULL for one that is not. */
NTKERNELAPI PVOID NTAPI ExAllocatePool3(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag,
                                        const POOL_EXTENDED_PARAMETER *ExtendedParameters,
                                        ULONG ExtendedParametersCount) {
    (void)ExtendedParameters;
    return ExtendedParametersCount == 0 ? ExAllocatePool2(Flags, NumberOfBytes, Tag) : NULL;
}

NTKERNELAPI VOID NTAPI ExFreePool2(PVOID P, ULONG Tag,
                                   const POOL_EXTENDED_PARAMETER *ExtendedParameters,
                                   ULONG ExtendedParametersCount) {
    (void)ExtendedParameters;
    (void)ExtendedParametersCount;
    ExFreePoolWithTag(P, Tag);
}

/* ---- Contiguous memory --------------------------------------------------------------------------------- */

NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemorySpecifyCacheNode(
    SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
    PHYSICAL_ADDRESS HighestAcceptableAddress, PHYSICAL_ADDRESS BoundaryAddressMultiple,
    MEMORY_CACHING_TYPE CacheType, ULONG PreferredNode) {
    (void)PreferredNode;
    return MmAllocateContiguousMemorySpecifyCache(NumberOfBytes, LowestAcceptableAddress,
                                                  HighestAcceptableAddress, BoundaryAddressMultiple,
                                                  CacheType);
}

NTKERNELAPI PVOID NTAPI MmAllocateContiguousNodeMemory(SIZE_T NumberOfBytes,
                                                       PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                       PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                       PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                       ULONG Protect, ULONG PreferredNode) {
    (void)Protect;
    return MmAllocateContiguousMemorySpecifyCacheNode(
        NumberOfBytes, LowestAcceptableAddress, HighestAcceptableAddress, BoundaryAddressMultiple,
        MmCached, PreferredNode);
}

NTKERNELAPI PVOID NTAPI MmAllocateNonCachedMemory(SIZE_T NumberOfBytes) {
    PHYSICAL_ADDRESS all = {.QuadPart = -1};
    host_irql_at_most(APC_LEVEL, "MmAllocateNonCachedMemory");
    return MmAllocateContiguousMemory(NumberOfBytes, all);
}

NTKERNELAPI VOID NTAPI MmFreeNonCachedMemory(PVOID BaseAddress, SIZE_T NumberOfBytes) {
    (void)NumberOfBytes;
    host_irql_at_most(APC_LEVEL, "MmFreeNonCachedMemory");
    MmFreeContiguousMemory(BaseAddress);
}

/* ---- MDLs ---------------------------------------------------------------------------------------------- */

NTKERNELAPI SIZE_T NTAPI MmSizeOfMdl(PVOID Base, SIZE_T Length) {
    return sizeof(MDL) + ADDRESS_AND_SIZE_TO_SPAN_PAGES(Base, Length) * sizeof(PFN_NUMBER);
}

/* Pages that it goes behind are given up; the mapping, if there is one, goes along. */
NTKERNELAPI NTSTATUS NTAPI MmAdvanceMdl(PMDL Mdl, ULONG NumberOfBytes) {
    host_irql_at_most(DISPATCH_LEVEL, "MmAdvanceMdl");
    if (NumberOfBytes >= Mdl->ByteCount)
        return STATUS_INVALID_PARAMETER_2;
    ULONG offset = Mdl->ByteOffset + NumberOfBytes, skip = offset / HOST_PAGE;
    ULONG pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(MmGetMdlVirtualAddress(Mdl), Mdl->ByteCount);
    memmove(MmGetMdlPfnArray(Mdl), MmGetMdlPfnArray(Mdl) + skip,
            (pages - skip) * sizeof(PFN_NUMBER));
    Mdl->StartVa = (PCHAR)Mdl->StartVa + skip * HOST_PAGE;
    Mdl->ByteOffset = offset % HOST_PAGE;
    Mdl->ByteCount -= NumberOfBytes;
    if (Mdl->MdlFlags & (MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL))
        Mdl->MappedSystemVa = (PCHAR)Mdl->MappedSystemVa + NumberOfBytes;
    return STATUS_SUCCESS;
}

/* The protection is accepted; the mapping stays readable and writable. */
NTKERNELAPI NTSTATUS NTAPI MmProtectMdlSystemAddress(PMDL MemoryDescriptorList, ULONG NewProtect) {
    host_irql_at_most(DISPATCH_LEVEL, "MmProtectMdlSystemAddress");
    switch (NewProtect) {
    case PAGE_NOACCESS:
    case PAGE_READONLY:
    case PAGE_READWRITE:
    case PAGE_EXECUTE:
    case PAGE_EXECUTE_READ:
    case PAGE_EXECUTE_READWRITE:
        break;
    default:
        return STATUS_INVALID_PAGE_PROTECTION;
    }
    return MemoryDescriptorList->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA ? STATUS_SUCCESS
                                                                    : STATUS_NOT_MAPPED_VIEW;
}

/* ---- Questions ------------------------------------------------------------------------------------------ */

NTKERNELAPI MM_SYSTEMSIZE NTAPI MmQuerySystemSize(VOID) {
    return MmLargeSystem;
}

/* One kind of address; all of the range or nothing. */
NTKERNELAPI NTSTATUS NTAPI MmCopyMemory(PVOID TargetAddress, MM_COPY_ADDRESS SourceAddress,
                                        SIZE_T NumberOfBytes, ULONG Flags,
                                        PSIZE_T NumberOfBytesTransferred) {
    const void *from = NULL;
    *NumberOfBytesTransferred = 0;
    if (!host_irql_at_most(APC_LEVEL, "MmCopyMemory"))
        return STATUS_UNSUCCESSFUL;
    if (Flags == MM_COPY_MEMORY_PHYSICAL)
        from = host_physical_pointer(
            host_world->physical, (uint64_t)SourceAddress.PhysicalAddress.QuadPart, NumberOfBytes);
    else if (Flags == MM_COPY_MEMORY_VIRTUAL)
        from = MmIsAddressValid(SourceAddress.VirtualAddress) ? SourceAddress.VirtualAddress : NULL;
    else
        return STATUS_INVALID_PARAMETER_4;
    if (!from)
        return STATUS_INVALID_ADDRESS;
    memcpy(TargetAddress, from, NumberOfBytes);
    *NumberOfBytesTransferred = NumberOfBytes;
    return STATUS_SUCCESS;
}
