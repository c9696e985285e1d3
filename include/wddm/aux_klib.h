/* SPDX-License-Identifier: MIT */
/* The list of loaded modules (pages nf-aux_klib-auxklibinitialize, nf-aux_klib-auxklibquerymoduleinformation):
 * the driver's own. */
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
NTKERNELAPI NTSTATUS NTAPI AuxKlibInitialize(VOID);
NTKERNELAPI NTSTATUS NTAPI AuxKlibQueryModuleInformation(PULONG BufferSize, ULONG ElementSize,
                                                         PVOID QueryInfo);

WDDM_END_DECLS

#endif
