/* SPDX-License-Identifier: MIT */
/*
 * Interlocked operations beside those of wdm_rtl.h, reads and writes with an order, and what the
 * WDK takes from the compiler: bits, bytes, barriers (wdm reference pages, pages of the compiler's
 * intrinsics).
 */
#ifndef WDDM_WDM_INTERLOCKED_H
#define WDDM_WDM_INTERLOCKED_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

FORCEINLINE LONG64 InterlockedAnd64(LONG64 volatile *Destination, LONG64 Value) {
    return __atomic_fetch_and(Destination, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG64 InterlockedOr64(LONG64 volatile *Destination, LONG64 Value) {
    return __atomic_fetch_or(Destination, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG64 InterlockedXor64(LONG64 volatile *Destination, LONG64 Value) {
    return __atomic_fetch_xor(Destination, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE LONG64 InterlockedAdd64(LONG64 volatile *Addend, LONG64 Value) {
    return __atomic_add_fetch(Addend, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE SHORT InterlockedIncrement16(SHORT volatile *Addend) {
    return __atomic_add_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}
FORCEINLINE SHORT InterlockedDecrement16(SHORT volatile *Addend) {
    return __atomic_sub_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}
FORCEINLINE SHORT InterlockedCompareExchange16(SHORT volatile *Destination, SHORT Exchange,
                                               SHORT Comperand) {
    __atomic_compare_exchange_n(Destination, &Comperand, Exchange, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return Comperand;
}
FORCEINLINE CHAR InterlockedExchange8(CHAR volatile *Target, CHAR Value) {
    return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}
/* The bit was set before. */
FORCEINLINE BOOLEAN InterlockedBitTestAndSet(LONG volatile *Base, LONG Bit) {
    LONG mask = (LONG)(1u << (Bit & 31));
    return (__atomic_fetch_or(&Base[Bit >> 5], mask, __ATOMIC_SEQ_CST) & mask) != 0;
}
FORCEINLINE BOOLEAN InterlockedBitTestAndReset(LONG volatile *Base, LONG Bit) {
    LONG mask = (LONG)(1u << (Bit & 31));
    return (__atomic_fetch_and(&Base[Bit >> 5], ~mask, __ATOMIC_SEQ_CST) & mask) != 0;
}
FORCEINLINE BOOLEAN InterlockedBitTestAndComplement(LONG volatile *Base, LONG Bit) {
    LONG mask = (LONG)(1u << (Bit & 31));
    return (__atomic_fetch_xor(&Base[Bit >> 5], mask, __ATOMIC_SEQ_CST) & mask) != 0;
}
/* TRUE: Destination was what ComparandResult says. That then has what Destination was. */
FORCEINLINE BOOLEAN InterlockedCompareExchange128(LONG64 volatile *Destination, LONG64 ExchangeHigh,
                                                  LONG64 ExchangeLow, LONG64 *ComparandResult) {
    struct pair {
        LONG64 low, high;
    };
    BOOLEAN same;
    __asm__ __volatile__("lock cmpxchg16b %1\n\tsete %0"
                         : "=q"(same), "+m"(*(volatile struct pair *)Destination),
                           "+a"(ComparandResult[0]), "+d"(ComparandResult[1])
                         : "b"(ExchangeLow), "c"(ExchangeHigh)
                         : "memory", "cc");
    return same;
}

/* An order weaker than that of a full barrier is allowed to be full. */
#define InterlockedIncrementAcquire       InterlockedIncrement
#define InterlockedIncrementRelease       InterlockedIncrement
#define InterlockedIncrementNoFence       InterlockedIncrement
#define InterlockedDecrementAcquire       InterlockedDecrement
#define InterlockedDecrementRelease       InterlockedDecrement
#define InterlockedDecrementNoFence       InterlockedDecrement
#define InterlockedExchangeAcquire        InterlockedExchange
#define InterlockedExchangeNoFence        InterlockedExchange
#define InterlockedExchangeAddAcquire     InterlockedExchangeAdd
#define InterlockedExchangeAddNoFence     InterlockedExchangeAdd
#define InterlockedCompareExchangeAcquire InterlockedCompareExchange
#define InterlockedCompareExchangeRelease InterlockedCompareExchange
#define InterlockedCompareExchangeNoFence InterlockedCompareExchange
#define InterlockedOrAcquire              InterlockedOr
#define InterlockedOrNoFence              InterlockedOr
#define InterlockedAndNoFence             InterlockedAnd
#define InterlockedIncrement64NoFence     InterlockedIncrement64
#define InterlockedAdd64NoFence           InterlockedAdd64
#define InterlockedIncrementSizeT(a)      ((SIZE_T)InterlockedIncrement64((LONG64 volatile *)(a)))
#define InterlockedDecrementSizeT(a)      ((SIZE_T)InterlockedDecrement64((LONG64 volatile *)(a)))

#define WDDM_ORDERED(suffix, type)                                                                 \
    FORCEINLINE type Read##suffix##Acquire(type const volatile *Source) {                          \
        return __atomic_load_n(Source, __ATOMIC_ACQUIRE);                                          \
    }                                                                                              \
    FORCEINLINE type Read##suffix##NoFence(type const volatile *Source) {                          \
        return __atomic_load_n(Source, __ATOMIC_RELAXED);                                          \
    }                                                                                              \
    FORCEINLINE type Read##suffix##Raw(type const volatile *Source) {                              \
        return *Source;                                                                            \
    }                                                                                              \
    FORCEINLINE VOID Write##suffix##Release(type volatile *Destination, type Value) {              \
        __atomic_store_n(Destination, Value, __ATOMIC_RELEASE);                                    \
    }                                                                                              \
    FORCEINLINE VOID Write##suffix##NoFence(type volatile *Destination, type Value) {              \
        __atomic_store_n(Destination, Value, __ATOMIC_RELAXED);                                    \
    }                                                                                              \
    FORCEINLINE VOID Write##suffix##Raw(type volatile *Destination, type Value) {                  \
        *Destination = Value;                                                                      \
    }
WDDM_ORDERED(, LONG)
WDDM_ORDERED(ULong, ULONG)
WDDM_ORDERED(UShort, USHORT)
WDDM_ORDERED(Short, SHORT)
WDDM_ORDERED(UChar, UCHAR)
WDDM_ORDERED(Pointer, PVOID)
#undef WDDM_ORDERED
FORCEINLINE LONG64 ReadAcquire64(LONG64 const volatile *Source) {
    return __atomic_load_n(Source, __ATOMIC_ACQUIRE);
}
FORCEINLINE LONG64 ReadNoFence64(LONG64 const volatile *Source) {
    return __atomic_load_n(Source, __ATOMIC_RELAXED);
}
FORCEINLINE ULONG64 ReadULong64Acquire(ULONG64 const volatile *Source) {
    return __atomic_load_n(Source, __ATOMIC_ACQUIRE);
}
FORCEINLINE ULONG64 ReadULong64NoFence(ULONG64 const volatile *Source) {
    return __atomic_load_n(Source, __ATOMIC_RELAXED);
}
FORCEINLINE VOID WriteRelease64(LONG64 volatile *Destination, LONG64 Value) {
    __atomic_store_n(Destination, Value, __ATOMIC_RELEASE);
}
FORCEINLINE VOID WriteNoFence64(LONG64 volatile *Destination, LONG64 Value) {
    __atomic_store_n(Destination, Value, __ATOMIC_RELAXED);
}
FORCEINLINE VOID WriteULong64Release(ULONG64 volatile *Destination, ULONG64 Value) {
    __atomic_store_n(Destination, Value, __ATOMIC_RELEASE);
}

#define YieldProcessor() __builtin_ia32_pause()
#ifndef _ReadWriteBarrier
#define _ReadWriteBarrier() __asm__ __volatile__("" ::: "memory")
#define _ReadBarrier()      _ReadWriteBarrier()
#define _WriteBarrier()     _ReadWriteBarrier()
#endif
#ifdef _KERNEL_MODE /* elsewhere a compiler's own headers may have them */
#ifdef __clang__    /* which has them built in; drivers declare them again */
VOID _mm_mfence(VOID);
VOID _mm_lfence(VOID);
VOID _mm_sfence(VOID);
VOID _mm_pause(VOID);
#else
#define _mm_mfence() __builtin_ia32_mfence()
#define _mm_lfence() __builtin_ia32_lfence()
#define _mm_sfence() __builtin_ia32_sfence()
#define _mm_pause()  __builtin_ia32_pause()
#endif
#define ReadTimeStampCounter() ((ULONG64)__builtin_ia32_rdtsc())
#define __rdtsc()              __builtin_ia32_rdtsc()
FORCEINLINE VOID WddmCpuid(int Registers[4], int Leaf, int SubLeaf) {
    __asm__ __volatile__("cpuid"
                         : "=a"(Registers[0]), "=b"(Registers[1]), "=c"(Registers[2]),
                           "=d"(Registers[3])
                         : "a"(Leaf), "c"(SubLeaf));
}
#define __cpuid(Registers, Leaf)            WddmCpuid(Registers, Leaf, 0)
#define __cpuidex(Registers, Leaf, SubLeaf) WddmCpuid(Registers, Leaf, SubLeaf)
FORCEINLINE ULONG64 WddmReadMsr(ULONG Register) {
    ULONG Low, High;
    __asm__ __volatile__("rdmsr" : "=a"(Low), "=d"(High) : "c"(Register));
    return (ULONG64)High << 32 | Low;
}
#define __readmsr(Register) WddmReadMsr(Register)
FORCEINLINE VOID WddmWriteMsr(ULONG Register, ULONG64 Value) {
    __asm__ __volatile__("wrmsr" ::"a"((ULONG)Value), "d"((ULONG)(Value >> 32)), "c"(Register));
}
#define __writemsr(Register, Value) WddmWriteMsr(Register, Value)
FORCEINLINE VOID WddmWriteCr3(ULONG64 Value) {
    __asm__ __volatile__("mov %0, %%cr3" ::"r"(Value) : "memory");
}
#define __writecr3(Value) WddmWriteCr3(Value)
#define __wbinvd()        __asm__ __volatile__("wbinvd" ::: "memory")
/* Elements copied and filled, from the lowest address on, whatever overlaps. */
#define WDDM_STRING(suffix, type, move, store, letter)                                             \
    FORCEINLINE VOID WddmMove##suffix(type *Destination, const type *Source, SIZE_T Count) {       \
        __asm__ __volatile__(move : "+D"(Destination), "+S"(Source), "+c"(Count)::"memory");       \
    }                                                                                              \
    FORCEINLINE VOID WddmStore##suffix(type *Destination, type Data, SIZE_T Count) {               \
        __asm__ __volatile__(store : "+D"(Destination), "+c"(Count) : letter(Data) : "memory");    \
    }
WDDM_STRING(B, UCHAR, "rep movsb", "rep stosb", "a")
WDDM_STRING(W, USHORT, "rep movsw", "rep stosw", "a")
WDDM_STRING(D, ULONG, "rep movsl", "rep stosl", "a")
WDDM_STRING(Q, ULONG64, "rep movsq", "rep stosq", "a")
#undef WDDM_STRING
#define __movsb(Destination, Source, Count) WddmMoveB(Destination, Source, Count)
#define __movsw(Destination, Source, Count) WddmMoveW(Destination, Source, Count)
#define __movsd(Destination, Source, Count) WddmMoveD(Destination, Source, Count)
#define __movsq(Destination, Source, Count) WddmMoveQ(Destination, Source, Count)
#define __stosb(Destination, Data, Count)   WddmStoreB(Destination, Data, Count)
#define __stosw(Destination, Data, Count)   WddmStoreW(Destination, Data, Count)
#define __stosd(Destination, Data, Count)   WddmStoreD(Destination, Data, Count)
#define __stosq(Destination, Data, Count)   WddmStoreQ(Destination, Data, Count)
#endif

/* FALSE, and no index: no bit is set. */
#define WDDM_BIT_SCAN(name, type, expression)                                                      \
    FORCEINLINE UCHAR name(ULONG *Index, type Mask) {                                              \
        if (Mask == 0)                                                                             \
            return FALSE;                                                                          \
        *Index = (ULONG)(expression);                                                              \
        return TRUE;                                                                               \
    }
WDDM_BIT_SCAN(WddmBitScanForward, ULONG, __builtin_ctz(Mask))
WDDM_BIT_SCAN(WddmBitScanReverse, ULONG, 31 - __builtin_clz(Mask))
WDDM_BIT_SCAN(WddmBitScanForward64, ULONG64, __builtin_ctzll(Mask))
WDDM_BIT_SCAN(WddmBitScanReverse64, ULONG64, 63 - __builtin_clzll(Mask))
#undef WDDM_BIT_SCAN
/* Some compilers have functions of these names built in. */
#define BitScanForward       WddmBitScanForward
#define BitScanReverse       WddmBitScanReverse
#define BitScanForward64     WddmBitScanForward64
#define BitScanReverse64     WddmBitScanReverse64
#define _BitScanForward      WddmBitScanForward
#define _BitScanReverse      WddmBitScanReverse
#define _BitScanForward64    WddmBitScanForward64
#define _BitScanReverse64    WddmBitScanReverse64
#define PopulationCount64(n) ((ULONG64)__builtin_popcountll(n))
#define __popcnt(n)          ((UINT)__builtin_popcount(n))
#define __popcnt64(n)        ((ULONG64)__builtin_popcountll(n))

#define RtlUshortByteSwap(n)    ((USHORT)__builtin_bswap16((USHORT)(n)))
#define RtlUlongByteSwap(n)     ((ULONG)__builtin_bswap32((ULONG)(n)))
#define RtlUlonglongByteSwap(n) ((ULONGLONG)__builtin_bswap64((ULONGLONG)(n)))
#define _byteswap_ushort        RtlUshortByteSwap
#define _byteswap_ulong         RtlUlongByteSwap
#define _byteswap_uint64        RtlUlonglongByteSwap

FORCEINLINE ULONG64 UnsignedMultiply128(ULONG64 Multiplier, ULONG64 Multiplicand,
                                        ULONG64 *HighProduct) {
    __extension__ typedef unsigned __int128 wddm_product;
    wddm_product product = (wddm_product)Multiplier * Multiplicand;
    *HighProduct = (ULONG64)(product >> 64);
    return (ULONG64)product;
}
FORCEINLINE ULONG64 UnsignedMultiplyHigh(ULONG64 Multiplier, ULONG64 Multiplicand) {
    ULONG64 high;
    UnsignedMultiply128(Multiplier, Multiplicand, &high);
    return high;
}
#define RtlUnsignedMultiplyHigh UnsignedMultiplyHigh

/* Lists of entries that are pushed and popped whole: 16 bytes, aligned to them. */
typedef struct DECLSPEC_ALIGN(16) _SLIST_ENTRY {
    struct _SLIST_ENTRY *Next;
} SLIST_ENTRY, *PSLIST_ENTRY;
typedef union DECLSPEC_ALIGN(16) _SLIST_HEADER {
    struct {
        ULONGLONG Alignment;
        ULONGLONG Region;
    };
} SLIST_HEADER, *PSLIST_HEADER;

NTKERNELAPI VOID NTAPI InitializeSListHead(PSLIST_HEADER SListHead);
NTKERNELAPI PSLIST_ENTRY NTAPI ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead,
                                                            PSLIST_ENTRY ListEntry);
NTKERNELAPI PSLIST_ENTRY NTAPI ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead);
NTKERNELAPI PSLIST_ENTRY NTAPI ExpInterlockedFlushSList(PSLIST_HEADER ListHead);
NTKERNELAPI USHORT NTAPI ExQueryDepthSList(PSLIST_HEADER SListHead);
#define ExInitializeSListHead     InitializeSListHead
#define QueryDepthSList           ExQueryDepthSList
#define InterlockedPushEntrySList ExpInterlockedPushEntrySList
#define InterlockedPopEntrySList  ExpInterlockedPopEntrySList
#define InterlockedFlushSList     ExpInterlockedFlushSList
#define ExInterlockedPushEntrySList(Head, Entry, L)                                                \
    ((void)(L), ExpInterlockedPushEntrySList(Head, Entry))
#define ExInterlockedPopEntrySList(Head, L) ((void)(L), ExpInterlockedPopEntrySList(Head))
#define ExInterlockedFlushSList             ExpInterlockedFlushSList

/* Lists that their owner guards. */
FORCEINLINE VOID PushEntryList(PSINGLE_LIST_ENTRY ListHead, PSINGLE_LIST_ENTRY Entry) {
    Entry->Next = ListHead->Next;
    ListHead->Next = Entry;
}
FORCEINLINE PSINGLE_LIST_ENTRY PopEntryList(PSINGLE_LIST_ENTRY ListHead) {
    PSINGLE_LIST_ENTRY first = ListHead->Next;
    if (first)
        ListHead->Next = first->Next;
    return first;
}
/* The entries around ListToAppend, without a head of their own, behind those of ListHead. */
FORCEINLINE VOID AppendTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListToAppend) {
    PLIST_ENTRY end = ListHead->Blink;
    ListHead->Blink->Flink = ListToAppend;
    ListHead->Blink = ListToAppend->Blink;
    ListToAppend->Blink->Flink = ListHead;
    ListToAppend->Blink = end;
}

WDDM_END_DECLS

#endif
