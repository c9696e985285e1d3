/* SPDX-License-Identifier: MIT */
/*
 * Macros of ntdef.h, minwindef.h and basetsd.h that sources use beside the types: conversions of
 * pointers, halves of words, alignment, constant strings, results of COM.
 */
#ifndef WDDM_NTDEF_MACROS_H
#define WDDM_NTDEF_MACROS_H

#define ARGUMENT_PRESENT(ArgumentPointer) ((CHAR *)((ULONG_PTR)(ArgumentPointer)) != (CHAR *)NULL)

#ifndef _countof
#define _countof(a) ARRAYSIZE(a)
#endif
#ifndef UNREFERENCED_LOCAL_VARIABLE
#define UNREFERENCED_LOCAL_VARIABLE(v) ((void)(v))
#endif
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
#define RTL_NUMBER_OF_FIELD(type, field) (RTL_NUMBER_OF(((type *)0)->field))
#define RTL_CONTAINS_FIELD(Struct, Size, Field)                                                    \
    ((((PCHAR)(&(Struct)->Field)) + sizeof((Struct)->Field)) <= (((PCHAR)(Struct)) + (Size)))
#define RTL_PADDING_BETWEEN_FIELDS(T, F1, F2)                                                      \
    ((FIELD_OFFSET(T, F2) > FIELD_OFFSET(T, F1))                                                   \
         ? (FIELD_OFFSET(T, F2) - FIELD_OFFSET(T, F1) - RTL_FIELD_SIZE(T, F1))                     \
         : (FIELD_OFFSET(T, F1) - FIELD_OFFSET(T, F2) - RTL_FIELD_SIZE(T, F2)))
#define RTL_CONSTANT_STRING(s)                                                                     \
    { sizeof(s) - sizeof((s)[0]), sizeof(s), (PWSTR)(ULONG_PTR)(s) }

/* Alignment to a power of two; the plain forms take a type. */
#define ALIGN_DOWN_BY(length, alignment) ((ULONG_PTR)(length) & ~((ULONG_PTR)(alignment)-1))
#define ALIGN_UP_BY(length, alignment)                                                             \
    (ALIGN_DOWN_BY(((ULONG_PTR)(length) + (alignment)-1), alignment))
#define ALIGN_DOWN(length, type) ALIGN_DOWN_BY(length, sizeof(type))
#define ALIGN_UP(length, type)   ALIGN_UP_BY(length, sizeof(type))
#define ALIGN_DOWN_POINTER_BY(address, alignment)                                                  \
    ((PVOID)ALIGN_DOWN_BY((ULONG_PTR)(address), alignment))
#define ALIGN_UP_POINTER_BY(address, alignment)                                                    \
    ((PVOID)ALIGN_UP_BY((ULONG_PTR)(address), alignment))
#define ALIGN_DOWN_POINTER(address, type) ALIGN_DOWN_POINTER_BY(address, sizeof(type))
#define ALIGN_UP_POINTER(address, type)   ALIGN_UP_POINTER_BY(address, sizeof(type))

/* Handles and pointers as numbers, and back. */
#define PtrToUlong(p)    ((ULONG)(ULONG_PTR)(p))
#define PtrToLong(p)     ((LONG)(LONG_PTR)(p))
#define PtrToUint(p)     ((UINT)(UINT_PTR)(p))
#define PtrToInt(p)      ((INT)(INT_PTR)(p))
#define UlongToPtr(n)    ((PVOID)(ULONG_PTR)(n))
#define LongToPtr(n)     ((PVOID)(LONG_PTR)(n))
#define UintToPtr(n)     ((PVOID)(UINT_PTR)(n))
#define HandleToULong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToUlong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToLong(h)  ((LONG)(LONG_PTR)(h))
#define ULongToHandle(n) ((HANDLE)(ULONG_PTR)(n))
#define UlongToHandle(n) ((HANDLE)(ULONG_PTR)(n))
#define LongToHandle(n)  ((HANDLE)(LONG_PTR)(n))
#define ULongToPtr       UlongToPtr

#ifndef LOWORD
#define LOWORD(l)      ((WORD)(((DWORD_PTR)(l)) & 0xffff))
#define HIWORD(l)      ((WORD)((((DWORD_PTR)(l)) >> 16) & 0xffff))
#define LOBYTE(w)      ((BYTE)(((DWORD_PTR)(w)) & 0xff))
#define HIBYTE(w)      ((BYTE)((((DWORD_PTR)(w)) >> 8) & 0xff))
#define MAKEWORD(a, b) ((WORD)(((BYTE)(a)) | ((WORD)((BYTE)(b))) << 8))
#define MAKELONG(a, b) ((LONG)(((WORD)(a)) | ((DWORD)((WORD)(b))) << 16))
#endif

#define MINCHAR  0x80
#define MAXCHAR  0x7f
#define MINSHORT 0x8000
#define MAXSHORT 0x7fff
#define MINLONG  0x80000000
#define MAXBYTE  0xff
#define MAXWORD  0xffff
#define MAXDWORD 0xffffffffu
#define MAXUINT  0xffffffffu
#define MAXINT   0x7fffffff
#ifndef MAXULONG_PTR
#define MAXULONG_PTR __UINTPTR_MAX__
#endif
#ifndef SIZE_T_MAX
#define SIZE_T_MAX __UINTPTR_MAX__
#endif
#ifndef UINT_MAX
#define UINT_MAX 0xffffffffu
#define INT_MAX  0x7fffffff
#define INT_MIN  (-INT_MAX - 1)
#endif
#if !defined(ULONG_MAX) && defined(__SIZEOF_LONG__) && __SIZEOF_LONG__ == 4
#define ULONG_MAX 0xffffffffu
#define LONG_MAX  0x7fffffff
#define LONG_MIN  (-LONG_MAX - 1)
#endif
#ifndef UNICODE_NULL
#define UNICODE_NULL ((WCHAR)0)
#define ANSI_NULL    ((CHAR)0)
#endif

#ifndef BIT0
#define BIT0 0x1
#define BIT1 0x2
#define BIT2 0x4
#define BIT3 0x8
#define BIT4 0x10
#define BIT5 0x20
#define BIT6 0x40
#define BIT7 0x80
#endif

#ifndef FlagOn
#define FlagOn(F, SF)        ((F) & (SF))
#define BooleanFlagOn(F, SF) ((BOOLEAN)(((F) & (SF)) != 0))
#define SetFlag(F, SF)       ((F) |= (SF))
#define ClearFlag(F, SF)     ((F) &= ~(SF))
#endif

#ifndef SYSTEM_CACHE_ALIGNMENT_SIZE
#define SYSTEM_CACHE_ALIGNMENT_SIZE 64
#endif
#ifndef DECLSPEC_CACHEALIGN
#define DECLSPEC_CACHEALIGN DECLSPEC_ALIGN(SYSTEM_CACHE_ALIGNMENT_SIZE)
#endif
#ifndef DECLSPEC_NOINLINE
#define DECLSPEC_NOINLINE __attribute__((noinline))
#endif
#ifndef DECLSPEC_SELECTANY
#define DECLSPEC_SELECTANY __attribute__((weak))
#endif
#ifndef DECLSPEC_DEPRECATED
#define DECLSPEC_DEPRECATED
#endif

#ifndef TEXT
#ifdef UNICODE
#define __TEXT(quote) L##quote
#else
#define __TEXT(quote) quote
#endif
#define TEXT(quote) __TEXT(quote)
#endif

/* Results. */
#ifndef SUCCEEDED
#define SUCCEEDED(hr) (((HRESULT)(hr)) >= 0)
#define FAILED(hr)    (((HRESULT)(hr)) < 0)
#endif
#ifndef S_OK
#define S_OK    ((HRESULT)0)
#define S_FALSE ((HRESULT)1)
#define E_FAIL  ((HRESULT)0x80004005)
#endif
#ifndef E_OUTOFMEMORY
#define E_OUTOFMEMORY ((HRESULT)0x8007000E)
#endif
#ifndef E_INVALIDARG
#define E_INVALIDARG ((HRESULT)0x80070057)
#endif
#ifndef FACILITY_NTWIN32
#define FACILITY_NTWIN32 0x7
#define FACILITY_NT_BIT  0x10000000
#endif
#ifndef HRESULT_FROM_NT
#define HRESULT_FROM_NT(x) ((HRESULT)((x) | FACILITY_NT_BIT))
#endif
#ifndef HRESULT_FROM_WIN32
#define HRESULT_FROM_WIN32(x)                                                                      \
    ((HRESULT)(x) <= 0 ? (HRESULT)(x) : (HRESULT)(((x)&0x0000ffff) | 0x80070000))
#endif
#ifndef NTSTATUS_FROM_WIN32
#define NTSTATUS_FROM_WIN32(x)                                                                     \
    ((NTSTATUS)(x) <= 0 ? (NTSTATUS)(x) : (NTSTATUS)(((x)&0x0000ffff) | 0xc0070000))
#endif

#ifndef DEFINE_ENUM_FLAG_OPERATORS
#ifdef __cplusplus
#define DEFINE_ENUM_FLAG_OPERATORS(T)                                                              \
    extern "C++" {                                                                                 \
    inline constexpr T operator|(T a, T b) {                                                       \
        return T((UINT)a | (UINT)b);                                                               \
    }                                                                                              \
    inline constexpr T operator&(T a, T b) {                                                       \
        return T((UINT)a & (UINT)b);                                                               \
    }                                                                                              \
    inline constexpr T operator^(T a, T b) {                                                       \
        return T((UINT)a ^ (UINT)b);                                                               \
    }                                                                                              \
    inline constexpr T operator~(T a) {                                                            \
        return T(~(UINT)a);                                                                        \
    }                                                                                              \
    inline T &operator|=(T &a, T b) {                                                              \
        return a = a | b;                                                                          \
    }                                                                                              \
    inline T &operator&=(T &a, T b) {                                                              \
        return a = a & b;                                                                          \
    }                                                                                              \
    inline T &operator^=(T &a, T b) {                                                              \
        return a = a ^ b;                                                                          \
    }                                                                                              \
    }
#else
#define DEFINE_ENUM_FLAG_OPERATORS(T)
#endif
#endif

#ifndef InlineIsEqualGUID
#define InlineIsEqualGUID(a, b) IsEqualGUID(a, b)
#endif

#endif
