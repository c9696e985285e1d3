/* SPDX-License-Identifier: MIT */
/*
 * Bitmaps, generic tables, times, versions and the like of the run-time library (wdm, ntddk, ntifs
 * reference pages).
 */
#ifndef WDDM_WDM_LIBRARY_H
#define WDDM_WDM_LIBRARY_H

#include "wdm_io.h"
#include "wdm_sync.h"

WDDM_BEGIN_DECLS

/* ---- Bitmaps: bits in words of 32, the lowest bit first --------------------------------------- */

typedef struct WDDM_LAYOUT _RTL_BITMAP {
    ULONG SizeOfBitMap;
    PULONG Buffer;
} RTL_BITMAP, *PRTL_BITMAP;
typedef const RTL_BITMAP *PCRTL_BITMAP;
typedef struct WDDM_LAYOUT _RTL_BITMAP_RUN {
    ULONG StartingIndex;
    ULONG NumberOfBits;
} RTL_BITMAP_RUN, *PRTL_BITMAP_RUN;

NTSYSAPI VOID NTAPI RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer,
                                        ULONG SizeOfBitMap);
NTSYSAPI VOID NTAPI RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
NTSYSAPI VOID NTAPI RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
NTSYSAPI BOOLEAN NTAPI RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
NTSYSAPI VOID NTAPI RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet);
NTSYSAPI VOID NTAPI RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex,
                                 ULONG NumberToClear);
NTSYSAPI VOID NTAPI RtlSetAllBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI VOID NTAPI RtlClearAllBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI ULONG NTAPI RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                      ULONG HintIndex);
NTSYSAPI ULONG NTAPI RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
NTSYSAPI ULONG NTAPI RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                            ULONG HintIndex);
NTSYSAPI ULONG NTAPI RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                            ULONG HintIndex);
NTSYSAPI ULONG NTAPI RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI ULONG NTAPI RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader);
NTSYSAPI BOOLEAN NTAPI RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
NTSYSAPI BOOLEAN NTAPI RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
NTSYSAPI ULONG NTAPI RtlFindNextForwardRunClear(PRTL_BITMAP BitMapHeader, ULONG FromIndex,
                                                PULONG StartingRunIndex);
NTSYSAPI ULONG NTAPI RtlFindFirstRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex);
NTSYSAPI ULONG NTAPI RtlFindLongestRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex);
NTSYSAPI CCHAR NTAPI RtlFindLeastSignificantBit(ULONGLONG Set);
NTSYSAPI CCHAR NTAPI RtlFindMostSignificantBit(ULONGLONG Set);
#define RtlCheckBit(Header, Bit) ((((PLONG)(Header)->Buffer)[(Bit) / 32] >> ((Bit) % 32)) & 0x1)

/* ---- Generic tables: elements in the order of the caller's comparison ------------------------- */

typedef enum _RTL_GENERIC_COMPARE_RESULTS {
    GenericLessThan,
    GenericGreaterThan,
    GenericEqual
} RTL_GENERIC_COMPARE_RESULTS;

struct _RTL_AVL_TABLE;
typedef RTL_GENERIC_COMPARE_RESULTS NTAPI RTL_AVL_COMPARE_ROUTINE(struct _RTL_AVL_TABLE *Table,
                                                                  PVOID FirstStruct,
                                                                  PVOID SecondStruct);
typedef RTL_AVL_COMPARE_ROUTINE *PRTL_AVL_COMPARE_ROUTINE;
typedef PVOID NTAPI RTL_AVL_ALLOCATE_ROUTINE(struct _RTL_AVL_TABLE *Table, ULONG ByteSize);
typedef RTL_AVL_ALLOCATE_ROUTINE *PRTL_AVL_ALLOCATE_ROUTINE;
typedef VOID NTAPI RTL_AVL_FREE_ROUTINE(struct _RTL_AVL_TABLE *Table, PVOID Buffer);
typedef RTL_AVL_FREE_ROUTINE *PRTL_AVL_FREE_ROUTINE;

typedef struct WDDM_LAYOUT _RTL_BALANCED_LINKS {
    struct _RTL_BALANCED_LINKS *Parent;
    struct _RTL_BALANCED_LINKS *LeftChild;
    struct _RTL_BALANCED_LINKS *RightChild;
    CHAR Balance;
    UCHAR Reserved[3];
} RTL_BALANCED_LINKS, *PRTL_BALANCED_LINKS;
typedef struct WDDM_LAYOUT _RTL_AVL_TABLE {
    RTL_BALANCED_LINKS BalancedRoot; /* RightChild: the tree */
    PVOID OrderedPointer;
    ULONG WhichOrderedElement;
    ULONG NumberGenericTableElements;
    ULONG DepthOfTree;
    PRTL_BALANCED_LINKS RestartKey;
    ULONG DeleteCount;
    PRTL_AVL_COMPARE_ROUTINE CompareRoutine;
    PRTL_AVL_ALLOCATE_ROUTINE AllocateRoutine;
    PRTL_AVL_FREE_ROUTINE FreeRoutine;
    PVOID TableContext;
} RTL_AVL_TABLE, *PRTL_AVL_TABLE;

NTSYSAPI VOID NTAPI RtlInitializeGenericTableAvl(PRTL_AVL_TABLE Table,
                                                 PRTL_AVL_COMPARE_ROUTINE CompareRoutine,
                                                 PRTL_AVL_ALLOCATE_ROUTINE AllocateRoutine,
                                                 PRTL_AVL_FREE_ROUTINE FreeRoutine,
                                                 PVOID TableContext);
NTSYSAPI PVOID NTAPI RtlInsertElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                     ULONG BufferSize, PBOOLEAN NewElement);
NTSYSAPI BOOLEAN NTAPI RtlDeleteElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer);
NTSYSAPI PVOID NTAPI RtlLookupElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer);
NTSYSAPI PVOID NTAPI RtlEnumerateGenericTableAvl(PRTL_AVL_TABLE Table, BOOLEAN Restart);
NTSYSAPI PVOID NTAPI RtlEnumerateGenericTableWithoutSplayingAvl(PRTL_AVL_TABLE Table,
                                                                PVOID *RestartKey);
NTSYSAPI PVOID NTAPI RtlGetElementGenericTableAvl(PRTL_AVL_TABLE Table, ULONG I);
NTSYSAPI ULONG NTAPI RtlNumberGenericTableElementsAvl(PRTL_AVL_TABLE Table);
NTSYSAPI BOOLEAN NTAPI RtlIsGenericTableEmptyAvl(PRTL_AVL_TABLE Table);

/* The tables whose tree is splayed behave alike for their callers, so one serves both. */
#define RTL_GENERIC_TABLE                       RTL_AVL_TABLE
#define PRTL_GENERIC_TABLE                      PRTL_AVL_TABLE
#define _RTL_GENERIC_TABLE                      _RTL_AVL_TABLE
#define RTL_GENERIC_COMPARE_ROUTINE             RTL_AVL_COMPARE_ROUTINE
#define RTL_GENERIC_ALLOCATE_ROUTINE            RTL_AVL_ALLOCATE_ROUTINE
#define RTL_GENERIC_FREE_ROUTINE                RTL_AVL_FREE_ROUTINE
#define RtlInitializeGenericTable               RtlInitializeGenericTableAvl
#define RtlInsertElementGenericTable            RtlInsertElementGenericTableAvl
#define RtlDeleteElementGenericTable            RtlDeleteElementGenericTableAvl
#define RtlLookupElementGenericTable            RtlLookupElementGenericTableAvl
#define RtlEnumerateGenericTable                RtlEnumerateGenericTableAvl
#define RtlEnumerateGenericTableWithoutSplaying RtlEnumerateGenericTableWithoutSplayingAvl
#define RtlGetElementGenericTable               RtlGetElementGenericTableAvl
#define RtlNumberGenericTableElements           RtlNumberGenericTableElementsAvl
#define RtlIsGenericTableEmpty                  RtlIsGenericTableEmptyAvl

/* ---- Times ----------------------------------------------------------------------------------- */

typedef struct WDDM_LAYOUT _TIME_FIELDS {
    CSHORT Year;
    CSHORT Month;
    CSHORT Day;
    CSHORT Hour;
    CSHORT Minute;
    CSHORT Second;
    CSHORT Milliseconds;
    CSHORT Weekday; /* 0: Sunday */
} TIME_FIELDS, *PTIME_FIELDS;
NTSYSAPI VOID NTAPI RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields);
NTSYSAPI BOOLEAN NTAPI RtlTimeFieldsToTime(PTIME_FIELDS TimeFields, PLARGE_INTEGER Time);
NTKERNELAPI VOID NTAPI ExSystemTimeToLocalTime(PLARGE_INTEGER SystemTime, PLARGE_INTEGER LocalTime);
NTKERNELAPI VOID NTAPI ExLocalTimeToSystemTime(PLARGE_INTEGER LocalTime, PLARGE_INTEGER SystemTime);

/* ---- Versions -------------------------------------------------------------------------------- */

typedef struct WDDM_LAYOUT _OSVERSIONINFOW {
    ULONG dwOSVersionInfoSize;
    ULONG dwMajorVersion;
    ULONG dwMinorVersion;
    ULONG dwBuildNumber;
    ULONG dwPlatformId;
    WCHAR szCSDVersion[128];
} OSVERSIONINFOW, *POSVERSIONINFOW, RTL_OSVERSIONINFOW, *PRTL_OSVERSIONINFOW;
typedef struct WDDM_LAYOUT _OSVERSIONINFOEXW {
    ULONG dwOSVersionInfoSize;
    ULONG dwMajorVersion;
    ULONG dwMinorVersion;
    ULONG dwBuildNumber;
    ULONG dwPlatformId;
    WCHAR szCSDVersion[128];
    USHORT wServicePackMajor;
    USHORT wServicePackMinor;
    USHORT wSuiteMask;
    UCHAR wProductType;
    UCHAR wReserved;
} OSVERSIONINFOEXW, *POSVERSIONINFOEXW, RTL_OSVERSIONINFOEXW, *PRTL_OSVERSIONINFOEXW;
#define VER_PLATFORM_WIN32_NT 2
#define VER_MINORVERSION      0x01u
#define VER_MAJORVERSION      0x02u
#define VER_BUILDNUMBER       0x04u
#define VER_EQUAL             1
#define VER_GREATER           2
#define VER_GREATER_EQUAL     3
#define VER_LESS              4
#define VER_LESS_EQUAL        5
NTSYSAPI NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW VersionInformation);
NTSYSAPI NTSTATUS NTAPI RtlVerifyVersionInfo(PRTL_OSVERSIONINFOEXW VersionInfo, ULONG TypeMask,
                                             ULONGLONG ConditionMask);
NTSYSAPI ULONGLONG NTAPI VerSetConditionMask(ULONGLONG ConditionMask, ULONG TypeMask,
                                             UCHAR Condition);
#define VER_SET_CONDITION(m, t, c) ((m) = VerSetConditionMask((m), (t), (c)))
NTSYSAPI BOOLEAN NTAPI RtlIsNtDdiVersionAvailable(ULONG Version);
NTKERNELAPI BOOLEAN NTAPI PsGetVersion(PULONG MajorVersion, PULONG MinorVersion, PULONG BuildNumber,
                                       PUNICODE_STRING CSDVersion);

/* ---- Memory and numbers ---------------------------------------------------------------------- */

NTSYSAPI ULONG NTAPI RtlRandomEx(PULONG Seed);
#define RtlRandom RtlRandomEx
NTSYSAPI SIZE_T NTAPI RtlCompareMemoryUlong(PVOID Source, SIZE_T Length, ULONG Pattern);
NTSYSAPI VOID NTAPI RtlFillMemoryUlong(PVOID Destination, SIZE_T Length, ULONG Pattern);
NTSYSAPI VOID NTAPI RtlFillMemoryUlonglong(PVOID Destination, SIZE_T Length, ULONGLONG Pattern);
FORCEINLINE PVOID RtlSecureZeroMemory(PVOID ptr, SIZE_T cnt) {
    volatile CHAR *p = (volatile CHAR *)ptr;
    while (cnt-- > 0)
        *p++ = 0;
    return ptr;
}
#define RtlCopyBytes RtlCopyMemory
#define RtlZeroBytes RtlZeroMemory
FORCEINLINE LARGE_INTEGER RtlConvertLongToLargeInteger(LONG SignedInteger) {
    LARGE_INTEGER r;
    r.QuadPart = SignedInteger;
    return r;
}
FORCEINLINE LARGE_INTEGER RtlExtendedIntegerMultiply(LARGE_INTEGER Multiplicand, LONG Multiplier) {
    LARGE_INTEGER r;
    r.QuadPart = Multiplicand.QuadPart * Multiplier;
    return r;
}
/* The length of a memory resource in bytes, and its start. */
NTSYSAPI ULONGLONG NTAPI RtlCmDecodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor,
                                                  PULONGLONG Start);
NTSYSAPI NTSTATUS NTAPI RtlCmEncodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor,
                                                 UCHAR Type, ULONGLONG Length, ULONGLONG Start);
/* A request for a resource (page ns-wdm-_io_resource_descriptor), as far as memory and ports go. */
typedef struct WDDM_LAYOUT _IO_RESOURCE_DESCRIPTOR {
    UCHAR Option;
    UCHAR Type;
    UCHAR ShareDisposition;
    UCHAR Spare1;
    USHORT Flags;
    USHORT Spare2;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            ULONG Length;
            ULONG Alignment;
            PHYSICAL_ADDRESS MinimumAddress;
            PHYSICAL_ADDRESS MaximumAddress;
        } Port, Memory, Generic;
        struct WDDM_LAYOUT {
            ULONG Length40; /* this and the alignment: units of 256 bytes */
            ULONG Alignment40;
            PHYSICAL_ADDRESS MinimumAddress;
            PHYSICAL_ADDRESS MaximumAddress;
        } Memory40;
        struct WDDM_LAYOUT {
            ULONG Length48; /* units of 64 KB */
            ULONG Alignment48;
            PHYSICAL_ADDRESS MinimumAddress;
            PHYSICAL_ADDRESS MaximumAddress;
        } Memory48;
        struct WDDM_LAYOUT {
            ULONG Length64; /* units of 4 GB */
            ULONG Alignment64;
            PHYSICAL_ADDRESS MinimumAddress;
            PHYSICAL_ADDRESS MaximumAddress;
        } Memory64;
        struct WDDM_LAYOUT {
            ULONG Data[3];
        } DevicePrivate;
    } u;
} IO_RESOURCE_DESCRIPTOR, *PIO_RESOURCE_DESCRIPTOR;
NTSYSAPI ULONGLONG NTAPI RtlIoDecodeMemIoResource(PIO_RESOURCE_DESCRIPTOR Descriptor,
                                                  PULONGLONG Alignment, PULONGLONG MinimumAddress,
                                                  PULONGLONG MaximumAddress);

typedef enum _STATE_LOCATION_TYPE {
    LocationTypeRegistry = 0,
    LocationTypeFileSystem = 1,
    LocationTypeMaximum = 2
} STATE_LOCATION_TYPE;
/* No entry is in the map: what a driver gets is its default. */
NTSYSAPI NTSTATUS NTAPI RtlGetPersistedStateLocation(PCWSTR SourceID, PCWSTR CustomValue,
                                                     PCWSTR DefaultPath,
                                                     STATE_LOCATION_TYPE StateLocationType,
                                                     PWCHAR TargetPath, ULONG BufferLengthIn,
                                                     PULONG BufferLengthOut);

WDDM_END_DECLS

#endif
