/* SPDX-License-Identifier: MIT */
/*
 * Features that a driver asks the system to enable, what it says of its device for virtual machines
 * and other versions, and what is saved while a driver is updated. Pages
 * ne-d3dkmddi-_dxgk_feature_id, ns-d3dkmddi-_dxgkargcb_isfeatureenabled,
 * ns-d3dkmddi-_dxgk_wddmdevicecaps, ns-d3dkmddi-dxgkarg_savememoryforhotupdate.
 */
#ifndef WDDM_D3DKMDDI_FEATURE_H
#define WDDM_D3DKMDDI_FEATURE_H

#include "d3dkmddi_adapter.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM2_4)

typedef struct WDDM_LAYOUT _DXGK_VIRTUALMACHINEDATAFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SecureVirtualMachine : 1;
            UINT LinuxVirtualMachine : 1;
        };
        UINT Value;
    };
} DXGK_VIRTUALMACHINEDATAFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_SETVIRTUALMACHINEDATA {
    HANDLE hKmdVmWorkerProcess;
    const GUID *pVmGuid;
    DXGK_VIRTUALMACHINEDATAFLAGS Flags;
} DXGKARG_SETVIRTUALMACHINEDATA;

#endif

#if WDDM_AT_LEAST(WDDM2_5)

typedef struct WDDM_LAYOUT _DXGK_DEVICE_TYPE_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Discrete : 1;
            UINT Detachable : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_DEVICE_TYPE_CAPS;

#endif

#if WDDM_AT_LEAST(WDDM2_6)

typedef enum _DXGK_FEATURE_ID {
    DXGK_FEATURE_HWSCH = 0,
    DXGK_FEATURE_HWFLIPQUEUE = 1,
    DXGK_FEATURE_LDA_GPUPV = 2,
    DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT = 3,
    DXGK_FEATURE_USER_MODE_SUBMISSION = 4,
    DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD = 5,
    DXGK_FEATURE_RESERVED_1 = 6,
    DXGK_FEATURE_RESERVED_2 = 7,
    DXGK_FEATURE_RESERVED_3 = 8,
    DXGK_FEATURE_RESERVED_4 = 9,
    DXGK_FEATURE_RESERVED_5 = 10,
    DXGK_FEATURE_RESERVED_6 = 11,
    DXGK_FEATURE_RESERVED_7 = 12,
    DXGK_FEATURE_RESERVED_8 = 13,
    DXGK_FEATURE_RESERVED_9 = 14,
    DXGK_FEATURE_RESERVED_10 = 15,
    DXGK_FEATURE_RESERVED_11 = 16,
    DXGK_FEATURE_RESERVED_12 = 17,
    DXGK_FEATURE_RESERVED_13 = 18,
    DXGK_FEATURE_RESERVED_14 = 19,
    DXGK_FEATURE_RESERVED_15 = 20,
    DXGK_FEATURE_RESERVED_16 = 21,
    DXGK_FEATURE_RESERVED_17 = 22,
    DXGK_FEATURE_RESERVED_18 = 23,
    DXGK_FEATURE_RESERVED_19 = 24,
    DXGK_FEATURE_RESERVED_20 = 25,
    DXGK_FEATURE_RESERVED_21 = 26,
    DXGK_FEATURE_RESERVED_22 = 27,
    DXGK_FEATURE_RESERVED_23 = 28,
    DXGK_FEATURE_RESERVED_24 = 29,
    DXGK_FEATURE_RESERVED_25 = 30,
    DXGK_FEATURE_SAMPLE = 31,
    DXGK_FEATURE_PAGE_BASED_MEMORY_MANAGER = 32,
    DXGK_FEATURE_KERNEL_MODE_TESTING = 33,
    DXGK_FEATURE_MAX
} DXGK_FEATURE_ID;

typedef struct WDDM_LAYOUT _DXGKARGCB_ISFEATUREENABLED {
    HANDLE DeviceHandle;
    DXGK_FEATURE_ID FeatureId;
    BOOLEAN Enabled; /* out */
} DXGKARGCB_ISFEATUREENABLED;

typedef struct WDDM_LAYOUT _DXGK_WDDMDEVICECAPSIN {
    UINT DxgkrnlInterfaceVersion;
} DXGK_WDDMDEVICECAPSIN;

typedef struct WDDM_LAYOUT _DXGK_WDDMDEVICECAPS {
    DXGK_WDDMVERSION WDDMVersion;
} DXGK_WDDMDEVICECAPS;

/* Bits 0 to 39 are the number of the first page, bits 40 to 63 how many there are. */
typedef struct WDDM_LAYOUT _DXGK_KSR_MEMORY_RANGE {
    UINT64 MemoryRangeDesc;
} DXGK_KSR_MEMORY_RANGE, *PDXGK_KSR_MEMORY_RANGE;

typedef struct WDDM_LAYOUT _DXGK_SAVEMEMORYFORHOTUPDATEFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT CancelHotUpdate : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_SAVEMEMORYFORHOTUPDATEFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_SAVEMEMORYFORHOTUPDATE {
    DXGK_SAVEMEMORYFORHOTUPDATEFLAGS Flags;
} DXGKARG_SAVEMEMORYFORHOTUPDATE;

typedef struct WDDM_LAYOUT _DXGK_RESTOREMEMORYFORHOTUPDATEFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT RestoreComplete : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_RESTOREMEMORYFORHOTUPDATEFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_RESTOREMEMORYFORHOTUPDATE {
    DXGK_RESTOREMEMORYFORHOTUPDATEFLAGS Flags;
    MDL *pDataMdl;
    UINT MetaDataSize;
    VOID *pMetaData;
} DXGKARG_RESTOREMEMORYFORHOTUPDATE;

typedef struct WDDM_LAYOUT _DXGKARGCB_SAVEMEMORYFORHOTUPDATE {
    UINT NumDataMemoryRanges;
    DXGK_KSR_MEMORY_RANGE *pDataMemoryRanges;
    MDL *pDataMdl;
    UINT DataSize;
    VOID *pData;
    UINT MetaDataSize;
    VOID *pMetaData;
} DXGKARGCB_SAVEMEMORYFORHOTUPDATE;

#endif

#if WDDM_AT_LEAST(WDDM2_7)

typedef struct WDDM_LAYOUT _DXGKARGCB_QUERYFEATURESUPPORT {
    HANDLE DeviceHandle;
    DXGK_FEATURE_ID FeatureId;
    UINT DriverSupportState;
    BOOLEAN Enabled; /* out */
} DXGKARGCB_QUERYFEATURESUPPORT;

#endif

#if WDDM_AT_LEAST(WDDM2_9)

typedef struct WDDM_LAYOUT _DXGK_PHYSICAL_MEMORY_CAPS {
    PHYSICAL_ADDRESS HighestVisibleAddress;
} DXGK_PHYSICAL_MEMORY_CAPS;

#endif

WDDM_END_DECLS

#endif
