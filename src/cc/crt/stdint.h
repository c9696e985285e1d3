/* SPDX-License-Identifier: MIT */
/*
 * The compiler's stdint.h. In C, Microsoft's compiler lets a driver call char int8_t before or after
 * it, and clang does not: such a source is compiled with WDDM_OWN_INT8 (vidmm cc), and keeps its own.
 */
#ifdef WDDM_OWN_INT8
#define int8_t wddm_int8_t
#endif
#include_next <stdint.h>
#ifdef WDDM_OWN_INT8
#undef int8_t
#endif
