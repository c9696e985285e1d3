/* SPDX-License-Identifier: MIT */
/* Kernel memory services: pool, memory descriptor lists, contiguous memory and I/O space (wdm
 * reference pages). */
#ifndef WDDM_WDM_MEMORY_H
#define WDDM_WDM_MEMORY_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

#ifndef PAGE_SHIFT
#define PAGE_SHIFT 12L
#endif
#ifndef PAGE_SIZE
#define PAGE_SIZE 0x1000
#endif

#define BYTE_OFFSET(Va)      ((ULONG)((ULONG_PTR)(Va) & (PAGE_SIZE - 1)))
#define PAGE_ALIGN(Va)       ((PVOID)((ULONG_PTR)(Va) & ~(ULONG_PTR)(PAGE_SIZE - 1)))
#define BYTES_TO_PAGES(Size) (((Size) >> PAGE_SHIFT) + (((Size) & (PAGE_SIZE - 1)) != 0))
#define ROUND_TO_PAGES(Size) (((ULONG_PTR)(Size) + PAGE_SIZE - 1) & ~(ULONG_PTR)(PAGE_SIZE - 1))
#define ADDRESS_AND_SIZE_TO_SPAN_PAGES(Va, Size)                                                   \
    ((ULONG)((((ULONG_PTR)BYTE_OFFSET(Va)) + (SIZE_T)(Size) + (PAGE_SIZE - 1)) >> PAGE_SHIFT))

typedef ULONG_PTR PFN_NUMBER, *PPFN_NUMBER;

typedef enum _MEMORY_CACHING_TYPE {
    MmNonCached = 0,
    MmCached = 1,
    MmWriteCombined = 2,
    MmHardwareCoherentCached = 3,
    MmNonCachedUnordered = 4,
    MmUSWCCached = 5,
    MmMaximumCacheType = 6,
    MmNotMapped = -1
} MEMORY_CACHING_TYPE,
    *PMEMORY_CACHING_TYPE;

typedef enum _MM_PAGE_PRIORITY {
    LowPagePriority = 0,
    NormalPagePriority = 16,
    HighPagePriority = 32
} MM_PAGE_PRIORITY;

#define MdlMappingNoWrite   0x80000000u
#define MdlMappingNoExecute 0x40000000u

typedef enum _LOCK_OPERATION {
    IoReadAccess = 0,
    IoWriteAccess = 1,
    IoModifyAccess = 2
} LOCK_OPERATION;

/* Where the system's own addresses begin: above every address of this process. */
#define MM_USER_PROBE_ADDRESS ((ULONG_PTR)0x7fffffff0000)

#define KernelMode ((KPROCESSOR_MODE)0)
#define UserMode   ((KPROCESSOR_MODE)1)

/*
 * An MDL is followed in memory by one PFN_NUMBER for each page that [StartVa + ByteOffset, +
 * ByteCount) touches. Layout as on 64-bit Windows: 48 bytes.
 */
typedef struct WDDM_LAYOUT _MDL {
    struct _MDL *Next;
    CSHORT Size; /* of the MDL with its page array, in bytes */
    CSHORT MdlFlags;
    struct _EPROCESS *Process;
    PVOID MappedSystemVa;
    PVOID StartVa; /* page aligned */
    ULONG ByteCount;
    ULONG ByteOffset;
} MDL, *PMDL;

#define MDL_MAPPED_TO_SYSTEM_VA     0x0001
#define MDL_PAGES_LOCKED            0x0002
#define MDL_SOURCE_IS_NONPAGED_POOL 0x0004
#define MDL_ALLOCATED_FIXED_SIZE    0x0008
#define MDL_PARTIAL                 0x0010
#define MDL_PARTIAL_HAS_BEEN_MAPPED 0x0020
#define MDL_IO_PAGE_READ            0x0040
#define MDL_WRITE_OPERATION         0x0080
#define MDL_LOCKED_PAGE_TABLES      0x0100
#define MDL_FREE_EXTRA_PTES         0x0200
#define MDL_DESCRIBES_AWE           0x0400
#define MDL_IO_SPACE                0x0800
#define MDL_MAPPING_CAN_FAIL        0x2000

#define MmGetMdlPfnArray(Mdl)       ((PPFN_NUMBER)((Mdl) + 1))
#define MmGetMdlByteCount(Mdl)      ((Mdl)->ByteCount)
#define MmGetMdlByteOffset(Mdl)     ((Mdl)->ByteOffset)
#define MmGetMdlBaseVa(Mdl)         ((Mdl)->StartVa)
#define MmGetMdlVirtualAddress(Mdl) ((PVOID)((PCHAR)((Mdl)->StartVa) + (Mdl)->ByteOffset))
#define MmInitializeMdl(Mdl, Va, Length)                                                           \
    do {                                                                                           \
        (Mdl)->Next = NULL;                                                                        \
        (Mdl)->Size = (CSHORT)(sizeof(MDL) + sizeof(PFN_NUMBER) *                                  \
                                                 ADDRESS_AND_SIZE_TO_SPAN_PAGES((Va), (Length)));  \
        (Mdl)->MdlFlags = 0;                                                                       \
        (Mdl)->StartVa = PAGE_ALIGN(Va);                                                           \
        (Mdl)->ByteOffset = BYTE_OFFSET(Va);                                                       \
        (Mdl)->ByteCount = (ULONG)(Length);                                                        \
    } while (0)

/* Mapping flags of MmAllocatePagesForMdlEx. */
#define MM_DONT_ZERO_ALLOCATION               0x00000001
#define MM_ALLOCATE_FROM_LOCAL_NODE_ONLY      0x00000002
#define MM_ALLOCATE_FULLY_REQUIRED            0x00000004
#define MM_ALLOCATE_NO_WAIT                   0x00000008
#define MM_ALLOCATE_PREFER_CONTIGUOUS         0x00000010
#define MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS 0x00000020

struct _IRP;

NTKERNELAPI PMDL NTAPI IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer,
                                     BOOLEAN ChargeQuota, struct _IRP *Irp);
NTKERNELAPI VOID NTAPI IoFreeMdl(PMDL Mdl);
NTKERNELAPI VOID NTAPI IoBuildPartialMdl(PMDL SourceMdl, PMDL TargetMdl, PVOID VirtualAddress,
                                         ULONG Length);
NTKERNELAPI VOID NTAPI MmBuildMdlForNonPagedPool(PMDL Mdl);
NTKERNELAPI VOID NTAPI MmProbeAndLockPages(PMDL Mdl, KPROCESSOR_MODE AccessMode,
                                           LOCK_OPERATION Operation);
NTKERNELAPI VOID NTAPI MmUnlockPages(PMDL Mdl);
NTKERNELAPI PVOID NTAPI MmMapLockedPages(PMDL Mdl, KPROCESSOR_MODE AccessMode);
NTKERNELAPI PVOID NTAPI MmMapLockedPagesSpecifyCache(PMDL Mdl, KPROCESSOR_MODE AccessMode,
                                                     MEMORY_CACHING_TYPE CacheType,
                                                     PVOID RequestedAddress,
                                                     ULONG BugCheckOnFailure, ULONG Priority);
NTKERNELAPI VOID NTAPI MmUnmapLockedPages(PVOID BaseAddress, PMDL Mdl);
NTKERNELAPI PMDL NTAPI MmAllocatePagesForMdl(PHYSICAL_ADDRESS LowAddress,
                                             PHYSICAL_ADDRESS HighAddress,
                                             PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes);
NTKERNELAPI PMDL NTAPI MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress,
                                               PHYSICAL_ADDRESS HighAddress,
                                               PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes,
                                               MEMORY_CACHING_TYPE CacheType, ULONG Flags);
NTKERNELAPI VOID NTAPI MmFreePagesFromMdl(PMDL Mdl);

/* The mapping that the MDL already has, or a new one. */
FORCEINLINE PVOID MmGetSystemAddressForMdlSafe(PMDL Mdl, ULONG Priority) {
    if (Mdl->MdlFlags & (MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL))
        return Mdl->MappedSystemVa;
    return MmMapLockedPagesSpecifyCache(Mdl, KernelMode, MmCached, NULL, FALSE, Priority);
}

NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemory(SIZE_T NumberOfBytes,
                                                   PHYSICAL_ADDRESS HighestAcceptableAddress);
NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(
    SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
    PHYSICAL_ADDRESS HighestAcceptableAddress, PHYSICAL_ADDRESS BoundaryAddressMultiple,
    MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI VOID NTAPI MmFreeContiguousMemory(PVOID BaseAddress);
NTKERNELAPI VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes,
                                                          MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI BOOLEAN NTAPI MmIsAddressValid(PVOID VirtualAddress);
NTKERNELAPI PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID BaseAddress);
NTKERNELAPI PVOID NTAPI MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                                     MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI PVOID NTAPI MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                                       ULONG Protect);
NTKERNELAPI VOID NTAPI MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes);

#ifndef PAGE_READWRITE
#define PAGE_NOACCESS          0x01
#define PAGE_READONLY          0x02
#define PAGE_READWRITE         0x04
#define PAGE_EXECUTE           0x10
#define PAGE_EXECUTE_READ      0x20
#define PAGE_EXECUTE_READWRITE 0x40
#define PAGE_NOCACHE           0x200
#define PAGE_WRITECOMBINE      0x400
#endif

typedef enum _POOL_TYPE {
    NonPagedPool = 0,
    NonPagedPoolExecute = NonPagedPool,
    PagedPool = 1,
    NonPagedPoolMustSucceed = 2,
    DontUseThisType = 3,
    NonPagedPoolCacheAligned = 4,
    PagedPoolCacheAligned = 5,
    NonPagedPoolCacheAlignedMustS = 6,
    MaxPoolType = 7,
    NonPagedPoolSession = 32,
    PagedPoolSession = 33,
    NonPagedPoolNx = 512,
    NonPagedPoolNxCacheAligned = 516,
    NonPagedPoolSessionNx = 544
} POOL_TYPE;

typedef ULONG64 POOL_FLAGS;
#define POOL_FLAG_USE_QUOTA         0x0000000000000001ull
#define POOL_FLAG_UNINITIALIZED     0x0000000000000002ull
#define POOL_FLAG_SESSION           0x0000000000000004ull
#define POOL_FLAG_CACHE_ALIGNED     0x0000000000000008ull
#define POOL_FLAG_RAISE_ON_FAILURE  0x0000000000000020ull
#define POOL_FLAG_NON_PAGED         0x0000000000000040ull
#define POOL_FLAG_NON_PAGED_EXECUTE 0x0000000000000080ull
#define POOL_FLAG_PAGED             0x0000000000000100ull
#define POOL_FLAG_SPECIAL_POOL      0x0000000100000000ull

NTKERNELAPI PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
NTKERNELAPI PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag);
NTKERNELAPI PVOID NTAPI ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes);
NTKERNELAPI VOID NTAPI ExFreePoolWithTag(PVOID P, ULONG Tag);
NTKERNELAPI VOID NTAPI ExFreePool(PVOID P);

typedef enum _EX_POOL_PRIORITY {
    LowPoolPriority = 0,
    LowPoolPrioritySpecialPoolOverrun = 8,
    LowPoolPrioritySpecialPoolUnderrun = 9,
    NormalPoolPriority = 16,
    NormalPoolPrioritySpecialPoolOverrun = 24,
    NormalPoolPrioritySpecialPoolUnderrun = 25,
    HighPoolPriority = 32,
    HighPoolPrioritySpecialPoolOverrun = 40,
    HighPoolPrioritySpecialPoolUnderrun = 41
} EX_POOL_PRIORITY;
#define POOL_QUOTA_FAIL_INSTEAD_OF_RAISE 8
typedef struct _POOL_EXTENDED_PARAMETER POOL_EXTENDED_PARAMETER, *PPOOL_EXTENDED_PARAMETER;
NTKERNELAPI PVOID NTAPI ExAllocatePoolWithTagPriority(POOL_TYPE PoolType, SIZE_T NumberOfBytes,
                                                      ULONG Tag, EX_POOL_PRIORITY Priority);
NTKERNELAPI PVOID NTAPI ExAllocatePoolWithQuotaTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes,
                                                   ULONG Tag);
NTKERNELAPI PVOID NTAPI ExAllocatePool3(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag,
                                        const POOL_EXTENDED_PARAMETER *ExtendedParameters,
                                        ULONG ExtendedParametersCount);
NTKERNELAPI VOID NTAPI ExFreePool2(PVOID P, ULONG Tag,
                                   const POOL_EXTENDED_PARAMETER *ExtendedParameters,
                                   ULONG ExtendedParametersCount);

NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemorySpecifyCacheNode(
    SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
    PHYSICAL_ADDRESS HighestAcceptableAddress, PHYSICAL_ADDRESS BoundaryAddressMultiple,
    MEMORY_CACHING_TYPE CacheType, ULONG PreferredNode);
NTKERNELAPI PVOID NTAPI MmAllocateContiguousNodeMemory(SIZE_T NumberOfBytes,
                                                       PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                       PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                       PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                       ULONG Protect, ULONG PreferredNode);
NTKERNELAPI PVOID NTAPI MmAllocateNonCachedMemory(SIZE_T NumberOfBytes);
NTKERNELAPI VOID NTAPI MmFreeNonCachedMemory(PVOID BaseAddress, SIZE_T NumberOfBytes);
NTKERNELAPI SIZE_T NTAPI MmSizeOfMdl(PVOID Base, SIZE_T Length);
NTKERNELAPI NTSTATUS NTAPI MmAdvanceMdl(PMDL Mdl, ULONG NumberOfBytes);
NTKERNELAPI NTSTATUS NTAPI MmProtectMdlSystemAddress(PMDL MemoryDescriptorList, ULONG NewProtect);
FORCEINLINE VOID MmPrepareMdlForReuse(PMDL Mdl) {
    if (Mdl->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA)
        MmUnmapLockedPages(Mdl->MappedSystemVa, Mdl);
}
typedef enum _MM_SYSTEM_SIZE { MmSmallSystem = 0, MmMediumSystem, MmLargeSystem } MM_SYSTEMSIZE;
NTKERNELAPI MM_SYSTEMSIZE NTAPI MmQuerySystemSize(VOID);
#define MM_COPY_MEMORY_PHYSICAL 0x1u
#define MM_COPY_MEMORY_VIRTUAL  0x2u
typedef struct WDDM_LAYOUT _MM_COPY_ADDRESS {
    union WDDM_LAYOUT {
        PVOID VirtualAddress;
        PHYSICAL_ADDRESS PhysicalAddress;
    };
} MM_COPY_ADDRESS, *PMMCOPY_ADDRESS;
NTKERNELAPI NTSTATUS NTAPI MmCopyMemory(PVOID TargetAddress, MM_COPY_ADDRESS SourceAddress,
                                        SIZE_T NumberOfBytes, ULONG Flags,
                                        PSIZE_T NumberOfBytesTransferred);

FORCEINLINE PVOID ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
    PVOID P = ExAllocatePoolWithTag(PoolType, NumberOfBytes, Tag);
    if (P)
        __builtin_memset(P, 0, NumberOfBytes);
    return P;
}
FORCEINLINE PVOID ExAllocatePoolUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
    return ExAllocatePoolWithTag(PoolType, NumberOfBytes, Tag);
}

WDDM_END_DECLS

#endif
