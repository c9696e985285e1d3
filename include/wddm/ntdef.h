/* SPDX-License-Identifier: MIT */
/*
 * Basic Windows types and macros (ntdef level) in terms of fixed-width integers.
 *
 * ULONG and LONG are 32 bits on every system; WCHAR is always 16 bits. In C++ a compiler with a
 * 16-bit wchar_t uses it for WCHAR, so that L"..." literals keep working; every other C++ compiler
 * uses char16_t.
 */
#ifndef WDDM_NTDEF_H
#define WDDM_NTDEF_H

#include "wddm_platform.h"
#include "wddm_sal.h"

WDDM_BEGIN_DECLS

/* x86 reads unaligned data as any other; elsewhere the compiler is told at the access. */
#ifndef UNALIGNED
#define UNALIGNED
#endif
#ifndef VOID
#define VOID void
#endif
#ifndef CONST
#define CONST const
#endif
#ifndef NULL
#define NULL 0
#endif
#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

typedef char CHAR, CCHAR, *PCHAR, *PSTR, *LPSTR;
typedef const char *PCSTR, *LPCSTR, *PCSZ;
typedef __INT8_TYPE__ INT8;
typedef __INT16_TYPE__ SHORT, INT16, CSHORT, *PSHORT;
typedef __INT32_TYPE__ INT, INT32, LONG32, *PINT;
typedef __INT64_TYPE__ LONGLONG, INT64, LONG64, *PLONGLONG, *PLONG64, *PINT64;
typedef __UINT8_TYPE__ UCHAR, UINT8, BYTE, BOOLEAN, *PUCHAR, *PUINT8, *PBYTE, *PBOOLEAN;
typedef __UINT16_TYPE__ USHORT, UINT16, WORD, *PUSHORT, *PUINT16, *PWORD;
typedef __UINT32_TYPE__ UINT, UINT32, ULONG32, *PUINT, *PUINT32, *PULONG32;
typedef __UINT64_TYPE__ ULONGLONG, UINT64, ULONG64, DWORD64, DWORDLONG, *PULONGLONG, *PULONG64,
    *PUINT64;
typedef __INT32_TYPE__ BOOL, *PBOOL, *LPBOOL;
typedef float FLOAT;

typedef __INTPTR_TYPE__ LONG_PTR, INT_PTR, SSIZE_T, *PLONG_PTR;
typedef __UINTPTR_TYPE__ ULONG_PTR, UINT_PTR, SIZE_T, DWORD_PTR, KAFFINITY, *PULONG_PTR, *PSIZE_T,
    *PKAFFINITY;
/* 32 bits. Where the compiler's long has them these are other types than INT and UINT, as on
 * Windows: sources pass an `unsigned long *` for a ULONG *. */
#if defined(__SIZEOF_LONG__) && __SIZEOF_LONG__ == 4
typedef long LONG, HRESULT, *PLONG;
typedef unsigned long ULONG, DWORD, *PULONG, *PDWORD, *LPDWORD;
#else
typedef __INT32_TYPE__ LONG, HRESULT, *PLONG;
typedef __UINT32_TYPE__ ULONG, DWORD, *PULONG, *PDWORD, *LPDWORD;
#endif

typedef void *PVOID, *LPVOID, *HANDLE, **PHANDLE;
typedef const void *LPCVOID;

#if defined(__cplusplus) && defined(__SIZEOF_WCHAR_T__) && __SIZEOF_WCHAR_T__ == 2
typedef wchar_t WCHAR;
#elif defined(__cplusplus)
typedef char16_t WCHAR;
#else
typedef __UINT16_TYPE__ WCHAR;
#endif
typedef WCHAR *PWCHAR, *PWSTR, *LPWSTR, *PWCH;
typedef const WCHAR *PCWSTR, *LPCWSTR, *PCWCH;

typedef LONG NTSTATUS, *PNTSTATUS;
typedef ULONG ACCESS_MASK, LOGICAL, LCID;
typedef CHAR KPROCESSOR_MODE;

#define NT_SUCCESS(Status)     (((NTSTATUS)(Status)) >= 0)
#define NT_INFORMATION(Status) ((((ULONG)(Status)) >> 30) == 1)
#define NT_WARNING(Status)     ((((ULONG)(Status)) >> 30) == 2)
#define NT_ERROR(Status)       ((((ULONG)(Status)) >> 30) == 3)

typedef union _LARGE_INTEGER {
    struct WDDM_LAYOUT {
        ULONG LowPart;
        LONG HighPart;
    };
    struct WDDM_LAYOUT {
        ULONG LowPart;
        LONG HighPart;
    } u;
    LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
    struct WDDM_LAYOUT {
        ULONG LowPart;
        ULONG HighPart;
    };
    struct WDDM_LAYOUT {
        ULONG LowPart;
        ULONG HighPart;
    } u;
    ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

typedef LARGE_INTEGER PHYSICAL_ADDRESS, *PPHYSICAL_ADDRESS;

typedef struct WDDM_LAYOUT _LUID {
    ULONG LowPart;
    LONG HighPart;
} LUID, *PLUID;

/* Other headers on Windows compilers define GUID as well; the guard name is the one they use. */
#ifndef GUID_DEFINED
#define GUID_DEFINED
typedef struct WDDM_LAYOUT _GUID {
    __UINT32_TYPE__ Data1;
    __UINT16_TYPE__ Data2;
    __UINT16_TYPE__ Data3;
    __UINT8_TYPE__ Data4[8];
} GUID;
#endif
#ifdef __cplusplus
typedef const GUID &REFGUID;
#define WDDM_GUID_ADDRESS(g) (&(g))
#else
typedef const GUID *REFGUID;
#define WDDM_GUID_ADDRESS(g) (g)
#endif
#ifndef IsEqualGUID
#define IsEqualGUID(a, b)                                                                          \
    (!__builtin_memcmp(WDDM_GUID_ADDRESS(a), WDDM_GUID_ADDRESS(b), sizeof(GUID)))
#endif
typedef const GUID *LPCGUID;
typedef GUID *LPGUID;
#ifndef DEFINE_GUID
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) extern const GUID name
#endif

typedef struct WDDM_LAYOUT _UNICODE_STRING {
    USHORT Length;        /* bytes, without a terminator */
    USHORT MaximumLength; /* bytes */
    PWSTR Buffer;
} UNICODE_STRING, *PUNICODE_STRING;
typedef const UNICODE_STRING *PCUNICODE_STRING;

/* A constant string and its UNICODE_STRING, at the place of a declaration. */
#define DECLARE_CONST_UNICODE_STRING(name, text)                                                   \
    const WCHAR name##_text[] = text;                                                              \
    const UNICODE_STRING name = {sizeof(text) - sizeof((text)[0]), sizeof(text),                   \
                                 (PWSTR)(ULONG_PTR)name##_text}

typedef struct WDDM_LAYOUT _STRING {
    USHORT Length;
    USHORT MaximumLength;
    PCHAR Buffer;
} STRING, *PSTRING, ANSI_STRING, *PANSI_STRING;

typedef struct WDDM_LAYOUT _LIST_ENTRY {
    struct _LIST_ENTRY *Flink;
    struct _LIST_ENTRY *Blink;
} LIST_ENTRY, *PLIST_ENTRY;

typedef struct WDDM_LAYOUT _SINGLE_LIST_ENTRY {
    struct _SINGLE_LIST_ENTRY *Next;
} SINGLE_LIST_ENTRY, *PSINGLE_LIST_ENTRY;

typedef struct WDDM_LAYOUT _OBJECT_ATTRIBUTES {
    ULONG Length;
    HANDLE RootDirectory;
    PUNICODE_STRING ObjectName;
    ULONG Attributes;
    PVOID SecurityDescriptor;
    PVOID SecurityQualityOfService;
} OBJECT_ATTRIBUTES, *POBJECT_ATTRIBUTES;

/* An empty string with room for so many characters. */
#define DECLARE_UNICODE_STRING_SIZE(name, characters)                                              \
    WCHAR name##_text[characters];                                                                 \
    UNICODE_STRING name = {0, (USHORT)((characters) * sizeof(WCHAR)), name##_text}

#define OBJ_INHERIT            0x00000002u
#define OBJ_PERMANENT          0x00000010u
#define OBJ_EXCLUSIVE          0x00000020u
#define OBJ_CASE_INSENSITIVE   0x00000040u
#define OBJ_OPENIF             0x00000080u
#define OBJ_KERNEL_HANDLE      0x00000200u
#define OBJ_FORCE_ACCESS_CHECK 0x00000400u

/* Names of nameless members, for compilers that have none. */
#ifndef DUMMYSTRUCTNAME
#define DUMMYSTRUCTNAME
#define DUMMYUNIONNAME
#endif

#ifndef C_ASSERT
#define C_ASSERT(e) WDDM_STATIC_ASSERT(e, #e)
#endif
#ifndef FIELD_OFFSET
#define FIELD_OFFSET(type, field) ((LONG)offsetof(type, field))
#endif
#ifndef UFIELD_OFFSET
#define UFIELD_OFFSET(type, field) ((ULONG)offsetof(type, field))
#endif
#ifndef RTL_FIELD_SIZE
#define RTL_FIELD_SIZE(type, field)           (sizeof(((type *)0)->field))
#define RTL_SIZEOF_THROUGH_FIELD(type, field) (offsetof(type, field) + RTL_FIELD_SIZE(type, field))
#endif
#ifndef CONTAINING_RECORD
#define CONTAINING_RECORD(address, type, field) ((type *)((PCHAR)(address)-offsetof(type, field)))
#endif
#ifndef ARRAYSIZE
#define ARRAYSIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif
#ifndef RTL_NUMBER_OF
#define RTL_NUMBER_OF(a) ARRAYSIZE(a)
#endif
#ifndef UNREFERENCED_PARAMETER
#define UNREFERENCED_PARAMETER(p)          ((void)(p))
#define DBG_UNREFERENCED_PARAMETER(p)      ((void)(p))
#define DBG_UNREFERENCED_LOCAL_VARIABLE(v) ((void)(v))
#endif
#ifndef MAXULONG
#define MAXUCHAR  0xffu
#define MAXUSHORT 0xffffu
#define MAXLONG   0x7fffffff
#define MAXULONG  0xffffffffu
#endif
#ifndef MAXLONGLONG
#define MAXLONGLONG __INT64_MAX__
#endif
#ifndef MAXULONGLONG
#define MAXULONGLONG __UINT64_MAX__
#endif
#ifndef MAXSIZE_T
#define MAXSIZE_T __UINTPTR_MAX__
#endif
#if (!defined(__cplusplus) || defined(_KERNEL_MODE)) && !defined(NOMINMAX)
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif

#define Int32x32To64(a, b)  ((LONGLONG)(LONG)(a) * (LONGLONG)(LONG)(b))
#define UInt32x32To64(a, b) ((ULONGLONG)(ULONG)(a) * (ULONGLONG)(ULONG)(b))

#define InitializeObjectAttributes(p, n, a, r, s)                                                  \
    do {                                                                                           \
        (p)->Length = sizeof(OBJECT_ATTRIBUTES);                                                   \
        (p)->RootDirectory = (r);                                                                  \
        (p)->ObjectName = (n);                                                                     \
        (p)->Attributes = (a);                                                                     \
        (p)->SecurityDescriptor = (s);                                                             \
        (p)->SecurityQualityOfService = NULL;                                                      \
    } while (0)

/* Doubly linked lists: names and behaviour as documented in the wdm reference. */
FORCEINLINE void InitializeListHead(PLIST_ENTRY Head) {
    Head->Flink = Head->Blink = Head;
}

FORCEINLINE BOOLEAN IsListEmpty(const LIST_ENTRY *Head) {
    return (BOOLEAN)(Head->Flink == Head);
}

/* Both neighbours lead back to each other; else the system stops with bug check 0x139, and 3 as its first parameter
 * (bug-check-0x139--kernel-security-check-failure.md). */
static inline void wddm_entries_meet(const LIST_ENTRY *Before, const LIST_ENTRY *After) {
    if (Before->Flink == After && After->Blink == Before)
        return;
#if defined(__x86_64__)
    __asm__ volatile("int $0x29" : : "c"(3) : "memory");
#endif
    __builtin_trap();
}

FORCEINLINE void InsertHeadList(PLIST_ENTRY Head, PLIST_ENTRY Entry) {
    wddm_entries_meet(Head, Head->Flink);
    Entry->Blink = Head;
    Entry->Flink = Head->Flink;
    Head->Flink->Blink = Entry;
    Head->Flink = Entry;
}

FORCEINLINE void InsertTailList(PLIST_ENTRY Head, PLIST_ENTRY Entry) {
    wddm_entries_meet(Head->Blink, Head);
    Entry->Flink = Head;
    Entry->Blink = Head->Blink;
    Head->Blink->Flink = Entry;
    Head->Blink = Entry;
}

/* Returns TRUE if the list is empty afterwards. */
FORCEINLINE BOOLEAN RemoveEntryList(PLIST_ENTRY Entry) {
    PLIST_ENTRY Next = Entry->Flink, Previous = Entry->Blink;
    wddm_entries_meet(Previous, Entry);
    wddm_entries_meet(Entry, Next);
    Previous->Flink = Next;
    Next->Blink = Previous;
    return (BOOLEAN)(Next == Previous);
}

FORCEINLINE PLIST_ENTRY RemoveHeadList(PLIST_ENTRY Head) {
    PLIST_ENTRY Entry = Head->Flink;
    RemoveEntryList(Entry);
    return Entry;
}

FORCEINLINE PLIST_ENTRY RemoveTailList(PLIST_ENTRY Head) {
    PLIST_ENTRY Entry = Head->Blink;
    RemoveEntryList(Entry);
    return Entry;
}

WDDM_END_DECLS

#include "ntdef_macros.h"

#endif
