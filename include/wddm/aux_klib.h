/* SPDX-License-Identifier: MIT */
/* The list of loaded modules (page aux_klib): there is none, so it cannot be had. */
#ifndef WDDM_AUX_KLIB_H
#define WDDM_AUX_KLIB_H

#include "ntddk.h"

WDDM_BEGIN_DECLS

typedef struct WDDM_LAYOUT _AUX_MODULE_BASIC_INFO {
    PVOID ImageBase;
} AUX_MODULE_BASIC_INFO, *PAUX_MODULE_BASIC_INFO;
#define AUX_KLIB_MODULE_PATH_LEN 256
typedef struct WDDM_LAYOUT _AUX_MODULE_EXTENDED_INFO {
    AUX_MODULE_BASIC_INFO BasicInfo;
    ULONG ImageSize;
    USHORT FileNameOffset;
    UCHAR FullPathName[AUX_KLIB_MODULE_PATH_LEN];
} AUX_MODULE_EXTENDED_INFO, *PAUX_MODULE_EXTENDED_INFO;
FORCEINLINE NTSTATUS AuxKlibInitialize(VOID) {
    return STATUS_SUCCESS;
}
FORCEINLINE NTSTATUS AuxKlibQueryModuleInformation(PULONG BufferSize, ULONG ElementSize,
                                                   PVOID QueryInfo) {
    (void)ElementSize;
    (void)QueryInfo;
    *BufferSize = 0;
    return STATUS_NOT_SUPPORTED;
}

WDDM_END_DECLS

#endif
