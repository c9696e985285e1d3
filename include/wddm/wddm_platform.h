/* SPDX-License-Identifier: MIT */
/*
 * Compiler and platform switches behind the contract headers: calling convention, structure layout,
 * inlining, asserts.
 *
 * The layouts and the calling convention are those of 64-bit Windows on every compiler, so that one
 * function table serves a driver compiled by this compiler and a driver image compiled for Windows.
 */
#ifndef WDDM_PLATFORM_H
#define WDDM_PLATFORM_H

#include <stddef.h>
#ifndef _KERNEL_MODE /* where drivers have such types of their own */
#include <stdint.h>
#endif

#ifndef __has_attribute
#define __has_attribute(x) 0
#endif

/* Windows x64 calling convention wherever it is not the compiler's default. */
#if defined(__x86_64__) && !defined(_WIN32) && !defined(__CYGWIN__)
#define WDDM_CALL __attribute__((ms_abi))
#else
#define WDDM_CALL
#endif

/* Microsoft structure layout. Only bit-fields of mixed base types differ, but every contract type
 * carries it. */
#if __has_attribute(ms_struct)
#define WDDM_LAYOUT __attribute__((ms_struct))
#elif defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define WDDM_LAYOUT __attribute__((ms_struct))
#else
#define WDDM_LAYOUT
#endif

/* The list of arguments of a variadic function with that convention. */
#if defined(__x86_64__)
typedef __builtin_ms_va_list WDDM_VA_LIST;
#else
typedef __builtin_va_list WDDM_VA_LIST;
#endif

#ifndef APIENTRY
#define APIENTRY WDDM_CALL
#endif
#ifndef NTAPI
#define NTAPI WDDM_CALL
#endif
#ifndef CALLBACK
#define CALLBACK WDDM_CALL
#endif
#ifndef WINAPI
#define WINAPI WDDM_CALL
#endif
#ifndef FASTCALL
#define FASTCALL WDDM_CALL
#endif

#ifdef __cplusplus
#define WDDM_BEGIN_DECLS         extern "C" {
#define WDDM_END_DECLS           }
#define WDDM_STATIC_ASSERT(e, m) static_assert(e, m)
#else
#define WDDM_BEGIN_DECLS
#define WDDM_END_DECLS
#define WDDM_STATIC_ASSERT(e, m) _Static_assert(e, m)
#endif

#ifndef FORCEINLINE
#if defined(__GNUC__) || defined(__clang__)
#define FORCEINLINE static inline __attribute__((always_inline))
#else
#define FORCEINLINE static inline
#endif
#endif

#ifndef DECLSPEC_NORETURN
#define DECLSPEC_NORETURN __attribute__((noreturn))
#endif
#ifndef DECLSPEC_ALIGN
#define DECLSPEC_ALIGN(x) __attribute__((aligned(x)))
#endif
#ifndef DECLSPEC_IMPORT
#define DECLSPEC_IMPORT
#endif
#ifndef DECLSPEC_EXPORT
#define DECLSPEC_EXPORT
#endif
#ifndef NTKERNELAPI
#define NTKERNELAPI
#endif
#ifndef NTSYSAPI
#define NTSYSAPI
#endif
#ifndef NTHALAPI
#define NTHALAPI
#endif
#ifndef __forceinline
#if !defined(_WIN32)
#define __forceinline inline __attribute__((always_inline))
#endif
#endif

#endif
