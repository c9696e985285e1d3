/*
 * filling.c - memory by words, random numbers, memory resources and the place of a driver's state (pages
 * nf-ntifs-rtlfillmemoryulong, nf-ntddk-rtlrandomex, nf-wdm-rtlcmdecodememioresource,
 * nf-ntddk-rtlgetpersistedstatelocation).
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

NTSYSAPI VOID NTAPI RtlFillMemoryUlong(PVOID Destination, SIZE_T Length, ULONG Pattern) {
    for (SIZE_T i = 0; i < Length / sizeof(Pattern); i++)
        memcpy((char *)Destination + i * sizeof(Pattern), &Pattern, sizeof(Pattern));
}

NTSYSAPI VOID NTAPI RtlFillMemoryUlonglong(PVOID Destination, SIZE_T Length, ULONGLONG Pattern) {
    for (SIZE_T i = 0; i < Length / sizeof(Pattern); i++)
        memcpy((char *)Destination + i * sizeof(Pattern), &Pattern, sizeof(Pattern));
}

/* The number of leading bytes that have the pattern, whole words of them. */
NTSYSAPI SIZE_T NTAPI RtlCompareMemoryUlong(PVOID Source, SIZE_T Length, ULONG Pattern) {
    SIZE_T same = 0;
    while (same + sizeof(Pattern) <= Length &&
           memcmp((const char *)Source + same, &Pattern, sizeof(Pattern)) == 0)
        same += sizeof(Pattern);
    return same;
}

/* From 0 to MAXLONG - 1, and the same for the same seed. */
NTSYSAPI ULONG NTAPI RtlRandomEx(PULONG Seed) {
    host_irql_at_most(APC_LEVEL, "RtlRandomEx");
    *Seed = (ULONG)(((ULONGLONG)*Seed * 0x7fffffed + 0x7fffffc3) % 0x7fffffff);
    return *Seed;
}

/* Large ones count in 256 bytes, 64 KB or 4 GB. */
static unsigned length_shift(USHORT flags) {
    return (flags & CM_RESOURCE_MEMORY_LARGE_40) != 0   ? 8
           : (flags & CM_RESOURCE_MEMORY_LARGE_48) != 0 ? 16
           : (flags & CM_RESOURCE_MEMORY_LARGE_64) != 0 ? 32
                                                        : 0;
}

NTSYSAPI ULONGLONG NTAPI RtlCmDecodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor,
                                                  PULONGLONG Start) {
    bool large = Descriptor->Type == CmResourceTypeMemoryLarge;
    if (Start)
        *Start = (ULONGLONG)Descriptor->u.Generic.Start.QuadPart;
    return (ULONGLONG)Descriptor->u.Generic.Length << (large ? length_shift(Descriptor->Flags) : 0);
}

NTSYSAPI NTSTATUS NTAPI RtlCmEncodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor,
                                                 UCHAR Type, ULONGLONG Length, ULONGLONG Start) {
    static const struct {
        unsigned shift;
        USHORT flag;
    } kinds[] = {{8, CM_RESOURCE_MEMORY_LARGE_40},
                 {16, CM_RESOURCE_MEMORY_LARGE_48},
                 {32, CM_RESOURCE_MEMORY_LARGE_64}};
    unsigned shift = 0;
    Descriptor->Flags &= (USHORT)~CM_RESOURCE_MEMORY_LARGE;
    for (size_t i = 0; Type != CmResourceTypePort && Length >> shift > MAXULONG; i++) {
        if (i == sizeof(kinds) / sizeof(kinds[0]))
            return STATUS_INVALID_PARAMETER;
        shift = kinds[i].shift;
        Descriptor->Flags =
            (USHORT)((Descriptor->Flags & ~CM_RESOURCE_MEMORY_LARGE) | kinds[i].flag);
    }
    if (Length >> shift > MAXULONG || (Length & ((1ull << shift) - 1)) != 0)
        return STATUS_INVALID_PARAMETER;
    Descriptor->Type = shift != 0 ? CmResourceTypeMemoryLarge : Type;
    Descriptor->u.Generic.Start.QuadPart = (LONGLONG)Start;
    Descriptor->u.Generic.Length = (ULONG)(Length >> shift);
    return STATUS_SUCCESS;
}

/* The same of a request; what is scaled is the length and the alignment. */
NTSYSAPI ULONGLONG NTAPI RtlIoDecodeMemIoResource(PIO_RESOURCE_DESCRIPTOR Descriptor,
                                                  PULONGLONG Alignment, PULONGLONG MinimumAddress,
                                                  PULONGLONG MaximumAddress) {
    bool large = Descriptor->Type == CmResourceTypeMemoryLarge;
    unsigned shift = large ? length_shift(Descriptor->Flags) : 0;
    if (Alignment)
        *Alignment = (ULONGLONG)Descriptor->u.Generic.Alignment << shift;
    if (MinimumAddress)
        *MinimumAddress = (ULONGLONG)Descriptor->u.Generic.MinimumAddress.QuadPart;
    if (MaximumAddress)
        *MaximumAddress = (ULONGLONG)Descriptor->u.Generic.MaximumAddress.QuadPart;
    return (ULONGLONG)Descriptor->u.Generic.Length << shift;
}

NTSYSAPI NTSTATUS NTAPI RtlGetPersistedStateLocation(PCWSTR SourceID, PCWSTR CustomValue,
                                                     PCWSTR DefaultPath,
                                                     STATE_LOCATION_TYPE StateLocationType,
                                                     PWCHAR TargetPath, ULONG BufferLengthIn,
                                                     PULONG BufferLengthOut) {
    ULONG bytes = sizeof(WCHAR);
    (void)CustomValue;
    if (!SourceID || StateLocationType >= LocationTypeMaximum)
        return STATUS_INVALID_PARAMETER;
    if (!DefaultPath)
        return STATUS_OBJECT_NAME_NOT_FOUND;
    while (DefaultPath[bytes / sizeof(WCHAR) - 1] != 0)
        bytes += (ULONG)sizeof(WCHAR);
    if (BufferLengthOut)
        *BufferLengthOut = bytes;
    if (bytes > BufferLengthIn)
        return STATUS_BUFFER_OVERFLOW;
    memcpy(TargetPath, DefaultPath, bytes);
    return STATUS_SUCCESS;
}
