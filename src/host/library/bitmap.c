/*
 * bitmap.c - RTL_BITMAP: words of 32 bits, the lowest bit first (pages nf-wdm-rtlfindclearbits and
 * its neighbours). No lock and no level: the caller has both, and the bits may be anywhere.
 */
#include "base/violations.h"
#include "base/world.h"

#define NOT_FOUND 0xffffffffu

NTSYSAPI VOID NTAPI RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer,
                                        ULONG SizeOfBitMap) {
    BitMapHeader->SizeOfBitMap = SizeOfBitMap;
    BitMapHeader->Buffer = BitMapBuffer;
}

static bool bit_at(const RTL_BITMAP *map, ULONG bit) {
    return (map->Buffer[bit / 32] >> (bit % 32) & 1) != 0;
}

/* Whether [start, start + count) lies in the bitmap; a violation of `function` otherwise. */
static bool range_inside(const RTL_BITMAP *map, ULONG start, ULONG count, const char *function) {
    if (start <= map->SizeOfBitMap && count <= map->SizeOfBitMap - start)
        return true;
    host_violation("%s of %u bits from %u on; the bitmap has %u", function, count, start,
                   map->SizeOfBitMap);
    return false;
}

static void change_bits(PRTL_BITMAP map, ULONG start, ULONG count, bool set) {
    for (ULONG bit = start; bit < start + count; bit++) {
        ULONG mask = 1u << (bit % 32);
        map->Buffer[bit / 32] = set ? map->Buffer[bit / 32] | mask : map->Buffer[bit / 32] & ~mask;
    }
}

NTSYSAPI VOID NTAPI RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet) {
    if (range_inside(BitMapHeader, StartingIndex, NumberToSet, "RtlSetBits"))
        change_bits(BitMapHeader, StartingIndex, NumberToSet, true);
}

NTSYSAPI VOID NTAPI RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex,
                                 ULONG NumberToClear) {
    if (range_inside(BitMapHeader, StartingIndex, NumberToClear, "RtlClearBits"))
        change_bits(BitMapHeader, StartingIndex, NumberToClear, false);
}

NTSYSAPI VOID NTAPI RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
    if (range_inside(BitMapHeader, BitNumber, 1, "RtlSetBit"))
        change_bits(BitMapHeader, BitNumber, 1, true);
}

NTSYSAPI VOID NTAPI RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
    if (range_inside(BitMapHeader, BitNumber, 1, "RtlClearBit"))
        change_bits(BitMapHeader, BitNumber, 1, false);
}

NTSYSAPI BOOLEAN NTAPI RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) {
    return range_inside(BitMapHeader, BitNumber, 1, "RtlTestBit") &&
           bit_at(BitMapHeader, BitNumber);
}

NTSYSAPI VOID NTAPI RtlSetAllBits(PRTL_BITMAP BitMapHeader) {
    change_bits(BitMapHeader, 0, BitMapHeader->SizeOfBitMap, true);
}

NTSYSAPI VOID NTAPI RtlClearAllBits(PRTL_BITMAP BitMapHeader) {
    change_bits(BitMapHeader, 0, BitMapHeader->SizeOfBitMap, false);
}

/* The length of the run of bits like `set` at `from`, at most `most`. */
static ULONG run_at(const RTL_BITMAP *map, ULONG from, bool set, ULONG most) {
    ULONG length = 0;
    while (length < most && from + length < map->SizeOfBitMap && bit_at(map, from + length) == set)
        length++;
    return length;
}

static ULONG find_from(const RTL_BITMAP *map, ULONG from, ULONG end, ULONG count, bool set) {
    for (ULONG start = from; start < end;) {
        ULONG length = run_at(map, start, set, count);
        if (length == count)
            return start;
        start += length + 1;
    }
    return NOT_FOUND;
}

/* From the hint on, then from the beginning; no bits are found at the hint's byte. */
static ULONG find_bits(const RTL_BITMAP *map, ULONG count, ULONG hint, bool set) {
    ULONG from = hint < map->SizeOfBitMap ? hint : 0;
    if (count == 0)
        return from & ~7u;
    ULONG found = find_from(map, from, map->SizeOfBitMap, count, set);
    return found == NOT_FOUND ? find_from(map, 0, from, count, set) : found;
}

NTSYSAPI ULONG NTAPI RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                      ULONG HintIndex) {
    return find_bits(BitMapHeader, NumberToFind, HintIndex, false);
}

NTSYSAPI ULONG NTAPI RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
    return find_bits(BitMapHeader, NumberToFind, HintIndex, true);
}

NTSYSAPI ULONG NTAPI RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                            ULONG HintIndex) {
    ULONG found = find_bits(BitMapHeader, NumberToFind, HintIndex, false);
    if (found != NOT_FOUND)
        change_bits(BitMapHeader, found, NumberToFind, true);
    return found;
}

NTSYSAPI ULONG NTAPI RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind,
                                            ULONG HintIndex) {
    ULONG found = find_bits(BitMapHeader, NumberToFind, HintIndex, true);
    if (found != NOT_FOUND)
        change_bits(BitMapHeader, found, NumberToFind, false);
    return found;
}

NTSYSAPI ULONG NTAPI RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader) {
    ULONG count = 0;
    for (ULONG bit = 0; bit < BitMapHeader->SizeOfBitMap; bit++)
        count += bit_at(BitMapHeader, bit);
    return count;
}

NTSYSAPI ULONG NTAPI RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader) {
    return BitMapHeader->SizeOfBitMap - RtlNumberOfSetBits(BitMapHeader);
}

/* FALSE for no bits, and for those beyond the end. */
static BOOLEAN are_bits(const RTL_BITMAP *map, ULONG start, ULONG length, bool set) {
    return length > 0 && run_at(map, start, set, length) == length;
}

NTSYSAPI BOOLEAN NTAPI RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
    return are_bits(BitMapHeader, StartingIndex, Length, true);
}

NTSYSAPI BOOLEAN NTAPI RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex,
                                       ULONG Length) {
    return are_bits(BitMapHeader, StartingIndex, Length, false);
}

NTSYSAPI ULONG NTAPI RtlFindNextForwardRunClear(PRTL_BITMAP BitMapHeader, ULONG FromIndex,
                                                PULONG StartingRunIndex) {
    ULONG size = BitMapHeader->SizeOfBitMap, start = FromIndex;
    while (start < size && bit_at(BitMapHeader, start))
        start++;
    *StartingRunIndex = start;
    return run_at(BitMapHeader, start, false, size);
}

NTSYSAPI ULONG NTAPI RtlFindFirstRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex) {
    return RtlFindNextForwardRunClear(BitMapHeader, 0, StartingIndex);
}

NTSYSAPI ULONG NTAPI RtlFindLongestRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex) {
    ULONG longest = 0, start, length;
    *StartingIndex = 0;
    for (ULONG from = 0; (length = RtlFindNextForwardRunClear(BitMapHeader, from, &start)) > 0;
         from = start + length) {
        if (length > longest) {
            longest = length;
            *StartingIndex = start;
        }
    }
    return longest;
}

/* -1: no bit is set. */
NTSYSAPI CCHAR NTAPI RtlFindLeastSignificantBit(ULONGLONG Set) {
    return (CCHAR)(Set == 0 ? -1 : __builtin_ctzll(Set));
}

NTSYSAPI CCHAR NTAPI RtlFindMostSignificantBit(ULONGLONG Set) {
    return (CCHAR)(Set == 0 ? -1 : 63 - __builtin_clzll(Set));
}
