/* SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic and conversion that reports overflow. Pages nf-ntintsafe-*: what fits is
 * stored with STATUS_SUCCESS; what does not gives STATUS_INTEGER_OVERFLOW and all bits set.
 */
#ifndef WDDM_NTINTSAFE_H
#define WDDM_NTINTSAFE_H

#include "ntdef.h"
#include "ntstatus.h"

WDDM_BEGIN_DECLS

/* Add, Sub and Mult of one type. */
#define WDDM_SAFE_MATH(name, type)                                                                 \
    FORCEINLINE NTSTATUS Rtl##name##Add(type Left, type Right, type *Result) {                     \
        if (!__builtin_add_overflow(Left, Right, Result))                                          \
            return STATUS_SUCCESS;                                                                 \
        *Result = (type)-1;                                                                        \
        return STATUS_INTEGER_OVERFLOW;                                                            \
    }                                                                                              \
    FORCEINLINE NTSTATUS Rtl##name##Sub(type Left, type Right, type *Result) {                     \
        if (!__builtin_sub_overflow(Left, Right, Result))                                          \
            return STATUS_SUCCESS;                                                                 \
        *Result = (type)-1;                                                                        \
        return STATUS_INTEGER_OVERFLOW;                                                            \
    }                                                                                              \
    FORCEINLINE NTSTATUS Rtl##name##Mult(type Left, type Right, type *Result) {                    \
        if (!__builtin_mul_overflow(Left, Right, Result))                                          \
            return STATUS_SUCCESS;                                                                 \
        *Result = (type)-1;                                                                        \
        return STATUS_INTEGER_OVERFLOW;                                                            \
    }

WDDM_SAFE_MATH(UChar, UCHAR)
WDDM_SAFE_MATH(UShort, USHORT)
WDDM_SAFE_MATH(ULong, ULONG)
WDDM_SAFE_MATH(Long, LONG)
WDDM_SAFE_MATH(UInt, UINT)
WDDM_SAFE_MATH(ULongLong, ULONGLONG)
WDDM_SAFE_MATH(LongLong, LONGLONG)
WDDM_SAFE_MATH(ULongPtr, ULONG_PTR)
WDDM_SAFE_MATH(SIZET, SIZE_T)
#undef WDDM_SAFE_MATH
#define RtlSizeTAdd  RtlSIZETAdd
#define RtlSizeTSub  RtlSIZETSub
#define RtlSizeTMult RtlSIZETMult

/* From one type to another. */
#define WDDM_SAFE_CONVERSION(name, from, to)                                                       \
    FORCEINLINE NTSTATUS Rtl##name(from Operand, to *Result) {                                     \
        if (!__builtin_add_overflow(Operand, 0, Result))                                           \
            return STATUS_SUCCESS;                                                                 \
        *Result = (to)-1;                                                                          \
        return STATUS_INTEGER_OVERFLOW;                                                            \
    }

WDDM_SAFE_CONVERSION(ULongLongToULong, ULONGLONG, ULONG)
WDDM_SAFE_CONVERSION(ULongLongToLong, ULONGLONG, LONG)
WDDM_SAFE_CONVERSION(ULongLongToUInt, ULONGLONG, UINT)
WDDM_SAFE_CONVERSION(ULongLongToSizeT, ULONGLONG, SIZE_T)
WDDM_SAFE_CONVERSION(LongLongToULong, LONGLONG, ULONG)
WDDM_SAFE_CONVERSION(LongLongToLong, LONGLONG, LONG)
WDDM_SAFE_CONVERSION(LongLongToSizeT, LONGLONG, SIZE_T)
WDDM_SAFE_CONVERSION(LongToULong, LONG, ULONG)
WDDM_SAFE_CONVERSION(ULongToLong, ULONG, LONG)
WDDM_SAFE_CONVERSION(ULongToUShort, ULONG, USHORT)
WDDM_SAFE_CONVERSION(ULongToUChar, ULONG, UCHAR)
WDDM_SAFE_CONVERSION(SizeTToULong, SIZE_T, ULONG)
WDDM_SAFE_CONVERSION(SizeTToUShort, SIZE_T, USHORT)
WDDM_SAFE_CONVERSION(SizeTToLong, SIZE_T, LONG)
#undef WDDM_SAFE_CONVERSION

WDDM_END_DECLS

#endif
