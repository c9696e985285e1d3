/* SPDX-License-Identifier: MIT */
/*
 * Interfaces that reach into a panel or a monitor: DisplayPort's auxiliary channel and MIPI DSI.
 * Pages ns-dispmprt-dxgk_dp_interface, ns-dispmprt-dxgk_mipi_dsi_interface,
 * nc-dispmprt-dxgkddi_dp*, _dsi* and those that they name. A structure whose bit fields or arrays
 * have no printed width is a name here, no more.
 */
#ifndef WDDM_DISPMPRT_PANEL_H
#define WDDM_DISPMPRT_PANEL_H

#include "d3dkmddi_functions.h"
#include "dispmprt_device.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM2_7)

/* ---- DisplayPort ----------------------------------------------------------------------------- */

#define DXGK_DP_INTERFACE_VERSION_1 1

typedef struct WDDM_LAYOUT _DXGKARG_QUERYDPCAPS {
    UINT NumRootPorts;
    UINT DPVersionMajor;
    UINT DPVersionMinor;
} DXGKARG_QUERYDPCAPS, *PDXGKARG_QUERYDPCAPS;

typedef struct _DXGKARG_GETDPADDRESS DXGKARG_GETDPADDRESS, *PDXGKARG_GETDPADDRESS;

typedef struct _DXGKARG_DPAUXIOTRANSMISSION DXGKARG_DPAUXIOTRANSMISSION,
    *PDXGKARG_DPAUXIOTRANSMISSION;

typedef struct _DXGKARG_DPI2CIOTRANSMISSION DXGKARG_DPI2CIOTRANSMISSION,
    *PDXGKARG_DPI2CIOTRANSMISSION;

typedef struct _DXGKARG_DPSBMTRANSMISSION DXGKARG_DPSBMTRANSMISSION, *PDXGKARG_DPSBMTRANSMISSION;

WDDM_DDI(NTSTATUS, QUERYDPCAPS, const PVOID Context, PDXGKARG_QUERYDPCAPS pArgs)
WDDM_DDI(NTSTATUS, GETDPADDRESS, const PVOID Context, PDXGKARG_GETDPADDRESS pArgs)
WDDM_DDI(NTSTATUS, DPAUXIOTRANSMISSION, const PVOID Context, PDXGKARG_DPAUXIOTRANSMISSION pArgs)
WDDM_DDI(NTSTATUS, DPI2CIOTRANSMISSION, const PVOID Context, PDXGKARG_DPI2CIOTRANSMISSION pArgs)
WDDM_DDI(NTSTATUS, DPSBMTRANSMISSION, const PVOID Context, PDXGKARG_DPSBMTRANSMISSION pArgs)

typedef struct WDDM_LAYOUT _DXGK_DP_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    PDXGKDDI_QUERYDPCAPS DxgkDdiQueryDPCaps;
    PDXGKDDI_GETDPADDRESS DxgkDdiGetDPAddress;
    PDXGKDDI_DPAUXIOTRANSMISSION DxgkDdiDPAuxIoTransmission;
    PDXGKDDI_DPI2CIOTRANSMISSION DxgkDdiDPI2CIoTransmission;
    PDXGKDDI_DPSBMTRANSMISSION DxgkDdiDPSBMTransmission;
} DXGK_DP_INTERFACE, *PDXGK_DP_INTERFACE;

/* ---- MIPI DSI -------------------------------------------------------------------------------- */

#define DXGK_MIPI_DSI_INTERFACE_VERSION_1 1

typedef enum _DXGK_DSI_CONTROL_TRANSMISSION_MODE {
    DXGK_DCT_DEFAULT = 0,
    DXGK_DCT_FORCE_LOW_POWER = 1,
    DXGK_DCT_FORCE_HIGH_SPEED = 2
} DXGK_DSI_CONTROL_TRANSMISSION_MODE;

/* From ResultCodeFlags on it is what the peripheral returns, byte for byte. */
typedef struct WDDM_LAYOUT _DXGK_DSI_CAPS {
    UCHAR DSITypeMajor;
    UCHAR DSITypeMinor;
    UCHAR SpecVersionMajor;
    UCHAR SpecVersionMinor;
    UCHAR SpecVersionPatch;
    USHORT TargetMaximumReturnPacketSize;
    UCHAR ResultCodeFlags;
    UCHAR ResultCodeStatus;
    UCHAR Revision;
    UCHAR Level;
    UCHAR DeviceClassHi;
    UCHAR DeviceClassLo;
    UCHAR ManufacturerHi;
    UCHAR ManufacturerLo;
    UCHAR ProductHi;
    UCHAR ProductLo;
    UCHAR LengthHi;
    UCHAR LengthLo;
} DXGK_DSI_CAPS, *PDXGK_DSI_CAPS;

/* A command as it is sent: its fourth byte is the ECC, and the payload follows. */
#pragma pack(push, 1)

typedef struct WDDM_LAYOUT _DXGK_DSI_PACKET {
    union WDDM_LAYOUT {
        UCHAR DataId;
        struct WDDM_LAYOUT {
            UCHAR DataType : 6;
            UCHAR VirtualChannel : 2;
        };
    };
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UCHAR Data0;
            UCHAR Data1;
        };
        USHORT LongWriteWordCount;
    };
    UCHAR EccFiller;
    UCHAR Payload[8];
} DXGK_DSI_PACKET, *PDXGK_DSI_PACKET;

#pragma pack(pop)

typedef struct _DXGK_DSI_TRANSMISSION DXGK_DSI_TRANSMISSION, *PDXGK_DSI_TRANSMISSION;

typedef struct WDDM_LAYOUT _DXGK_DSI_RESET {
    ULONG Flags;
    ULONG MipiErrors;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            ULONG ResetFailed : 1;
            ULONG NeedModeSet : 1;
        };
        ULONG Results;
    };
} DXGK_DSI_RESET, *PDXGK_DSI_RESET;

WDDM_DDI(NTSTATUS, DSICAPS, const PVOID Context, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
         PDXGK_DSI_CAPS pArgs)
WDDM_DDI(NTSTATUS, DSITRANSMISSION, const PVOID Context, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
         PDXGK_DSI_TRANSMISSION pArgs)
WDDM_DDI(NTSTATUS, DSIRESET, const PVOID Context, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
         PDXGK_DSI_RESET pArgs)

typedef struct WDDM_LAYOUT _DXGK_MIPI_DSI_INTERFACE {
    USHORT Size;
    USHORT Version;
    PVOID Context;
    PINTERFACE_REFERENCE InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    PDXGKDDI_DSICAPS DxgkDdiDsiCaps;
    PDXGKDDI_DSITRANSMISSION DxgkDdiDsiTransmission;
    PDXGKDDI_DSIRESET DxgkDdiDsiReset;
} DXGK_MIPI_DSI_INTERFACE, *PDXGK_MIPI_DSI_INTERFACE;

#endif

WDDM_END_DECLS

#endif
