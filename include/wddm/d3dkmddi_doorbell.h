/* SPDX-License-Identifier: MIT */
/*
 * Submission without the kernel and signals to the CPU: doorbells of hardware queues, events that
 * the GPU signals. Pages ns-d3dkmddi-dxgkarg_*doorbell*, ns-d3dkmddi-dxgkarg_notifyworksubmission,
 * ns-d3dkmddi-dxgkarg_createcpuevent.
 */
#ifndef WDDM_D3DKMDDI_DOORBELL_H
#define WDDM_D3DKMDDI_DOORBELL_H

#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM3_0)

typedef struct WDDM_LAYOUT _DXGK_CREATECPUEVENTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_CREATECPUEVENTFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATECPUEVENT {
    HANDLE hKmdDevice;
    HANDLE hDxgCpuEvent;
    DXGK_CREATECPUEVENTFLAGS Flags;
    HANDLE hKmdCpuEvent; /* out */
} DXGKARG_CREATECPUEVENT;

#endif

#if WDDM_AT_LEAST(WDDM3_1)

/* By the order of the page. */
typedef enum _D3DDDI_DOORBELLSTATUS {
    D3DDDI_DOORBELLSTATUS_CONNECTED = 0,
    D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD = 1,
    D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY = 2,
    D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT = 3
} D3DDDI_DOORBELLSTATUS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEDOORBELL_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT ResizeRingBufferOperation : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKARG_CREATEDOORBELL_FLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEDOORBELL {
    HANDLE hHwQueue;
    HANDLE hDoorbell; /* in and out */
    UINT PrivateDriverDataSize;
    VOID *PrivateDriverData;
    HANDLE hRingBuffer;
    HANDLE hRingBufferControl;
    DXGKARG_CREATEDOORBELL_FLAGS Flags;
} DXGKARG_CREATEDOORBELL;

typedef struct WDDM_LAYOUT _DXGKARG_CONNECTDOORBELL_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT RequireSecondaryAddress : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKARG_CONNECTDOORBELL_FLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_CONNECTDOORBELL {
    HANDLE hDoorbell;
    DXGKARG_CONNECTDOORBELL_FLAGS Flags;
    VOID *KernelCpuVirtualAddress;          /* out */
    VOID *SecondaryKernelCpuVirtualAddress; /* out */
    D3DDDI_DOORBELLSTATUS Status;           /* out */
} DXGKARG_CONNECTDOORBELL;

typedef struct WDDM_LAYOUT _DXGKARG_DISCONNECTDOORBELL_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_DISCONNECTDOORBELL_FLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_DISCONNECTDOORBELL {
    HANDLE hDoorbell;
    DXGKARG_DISCONNECTDOORBELL_FLAGS Flags;
} DXGKARG_DISCONNECTDOORBELL;

typedef struct WDDM_LAYOUT _DXGKARG_DESTROYDOORBELL {
    HANDLE hDoorbell;
} DXGKARG_DESTROYDOORBELL;

typedef struct WDDM_LAYOUT _DXGKARG_NOTIFYWORKSUBMISSION_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_NOTIFYWORKSUBMISSION_FLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_NOTIFYWORKSUBMISSION {
    HANDLE hHwQueue;
    DXGKARG_NOTIFYWORKSUBMISSION_FLAGS Flags;
} DXGKARG_NOTIFYWORKSUBMISSION;

typedef struct WDDM_LAYOUT _DXGKARGCB_DISCONNECTDOORBELL_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARGCB_DISCONNECTDOORBELL_FLAGS;

typedef struct WDDM_LAYOUT _DXGKARGCB_DISCONNECTDOORBELL {
    HANDLE hHwQueue;
    DXGKARGCB_DISCONNECTDOORBELL_FLAGS Flags;
    D3DDDI_DOORBELLSTATUS DisconnectReason;
} DXGKARGCB_DISCONNECTDOORBELL;

#endif

WDDM_END_DECLS

#endif
