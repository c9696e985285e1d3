/* SPDX-License-Identifier: MIT */
/* From here on DEFINE_GUID defines its GUID instead of declaring it: once in a program, or in every
 * source that includes this, which gives the same one. */
#ifndef INITGUID
#define INITGUID
#endif
#undef DEFINE_GUID
#ifdef __cplusplus
#define WDDM_GUID_LINKAGE extern "C"
#else
#define WDDM_GUID_LINKAGE
#endif
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)                               \
    WDDM_GUID_LINKAGE const GUID name                                                              \
        __attribute__((weak)) = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}
