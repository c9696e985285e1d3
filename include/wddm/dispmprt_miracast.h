/* SPDX-License-Identifier: MIT */
/*
 * The interface of wireless displays (Miracast): what the driver offers, and the callbacks that it
 * gets. Pages ns-dispmprt-_dxgk_miracast_interface, ns-dispmprt-_dxgk_miracast_display_callbacks,
 * nc-dispmprt-dxgkddi_miracast_*.
 */
#ifndef WDDM_DISPMPRT_MIRACAST_H
#define WDDM_DISPMPRT_MIRACAST_H

#include "d3dukmdt_miracast.h"
#include "d3dkmddi_functions.h"
#include "dispmprt_device.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM1_3)

#define DXGK_MIRACAST_DISPLAY_INTERFACE_VERSION_1 1

typedef struct WDDM_LAYOUT _DXGK_MIRACAST_CAPS {
    UINT MaxChunkPrivateDriverDataSize;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT HdcpSupport : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
} DXGK_MIRACAST_CAPS, *PDXGK_MIRACAST_CAPS;

typedef VOID(APIENTRY *DXGKCB_MIRACAST_SEND_MESSAGE_CALLBACK)(PVOID CallbackContext,
                                                              PIO_STATUS_BLOCK pIoStatusBlock);

typedef NTSTATUS(APIENTRY *DXGKCB_MIRACAST_SEND_MESSAGE)(
    HANDLE MiracastHandle, ULONG InputBufferSize, PVOID pInputBuffer, ULONG OutputBufferSize,
    PVOID pOutputBuffer, DXGKCB_MIRACAST_SEND_MESSAGE_CALLBACK pCallback, PVOID pCallbackContext);

typedef NTSTATUS(APIENTRY *DXGKCB_MIRACAST_REPORT_CHUNK_INFO)(HANDLE MiracastHandle,
                                                              DXGK_MIRACAST_CHUNK_INFO *pChunkInfo,
                                                              PVOID pPrivateDriverData,
                                                              UINT PrivateDataDriverSize);

typedef struct WDDM_LAYOUT _DXGK_MIRACAST_DISPLAY_CALLBACKS {
    HANDLE MiracastHandle;
    DXGKCB_MIRACAST_SEND_MESSAGE DxgkCbMiracastSendMessage;
    DXGKCB_MIRACAST_REPORT_CHUNK_INFO DxgkCbReportChunkInfo;
} DXGK_MIRACAST_DISPLAY_CALLBACKS, *PDXGK_MIRACAST_DISPLAY_CALLBACKS;

WDDM_DDI(NTSTATUS, MIRACAST_QUERY_CAPS, const PVOID DriverContext, ULONG MiracastCapsSize,
         DXGK_MIRACAST_CAPS *MiracastCaps)
WDDM_DDI(NTSTATUS, MIRACAST_CREATE_CONTEXT, const PVOID DriverContext,
         DXGK_MIRACAST_DISPLAY_CALLBACKS *MiracastCallbacks, PVOID *MiracastContext,
         ULONG *TargetId)
WDDM_DDI(NTSTATUS, MIRACAST_HANDLE_IO_CONTROL, const PVOID DriverContext, PVOID MiracastContext,
         ULONG InputBufferSize, const VOID *pInputBuffer, ULONG OutputBufferSize,
         PVOID pOutputBuffer, ULONG *BytesReturned)
WDDM_DDI(VOID, MIRACAST_DESTROY_CONTEXT, const PVOID DriverContext, PVOID MiracastContext)

typedef struct WDDM_LAYOUT _DXGK_MIRACAST_DISPLAY_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    PDXGKDDI_MIRACAST_QUERY_CAPS DxgkDdiMiracastQueryCaps;
    PDXGKDDI_MIRACAST_CREATE_CONTEXT DxgkDdiMiracastCreateContext;
    PDXGKDDI_MIRACAST_HANDLE_IO_CONTROL DxgkDdiMiracastIoControl;
    PDXGKDDI_MIRACAST_DESTROY_CONTEXT DxgkDdiMiracastDestroyContext;
} DXGK_MIRACAST_DISPLAY_INTERFACE, *PDXGK_MIRACAST_DISPLAY_INTERFACE;

#endif

WDDM_END_DECLS

#endif
