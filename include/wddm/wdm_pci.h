/* SPDX-License-Identifier: MIT */
/*
 * The configuration space of a PCI device, as DxgkCbReadDeviceSpace gives it: the layout of the PCI
 * standard under the names of the pages ns-wdm-_pci_common_config and
 * ns-wdm-_pci_capabilities_header.
 */
#ifndef WDDM_WDM_PCI_H
#define WDDM_WDM_PCI_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

#define PCI_COMMON_HDR_LENGTH 64
#define PCI_TYPE0_ADDRESSES   6
#define PCI_TYPE1_ADDRESSES   2
#define PCI_TYPE2_ADDRESSES   5

/* HeaderType */
#define PCI_MULTIFUNCTION       0x80
#define PCI_DEVICE_TYPE         0x00
#define PCI_BRIDGE_TYPE         0x01
#define PCI_CARDBUS_BRIDGE_TYPE 0x02

/* Command and Status */
#define PCI_ENABLE_IO_SPACE          0x0001
#define PCI_ENABLE_MEMORY_SPACE      0x0002
#define PCI_ENABLE_BUS_MASTER        0x0004
#define PCI_STATUS_CAPABILITIES_LIST 0x0010

/* Base addresses */
#define PCI_ADDRESS_IO_SPACE            0x00000001
#define PCI_ADDRESS_MEMORY_SPACE        0x00000000
#define PCI_ADDRESS_MEMORY_TYPE_MASK    0x00000006
#define PCI_ADDRESS_MEMORY_PREFETCHABLE 0x00000008
#define PCI_ADDRESS_IO_ADDRESS_MASK     0xfffffffc
#define PCI_ADDRESS_MEMORY_ADDRESS_MASK 0xfffffff0
#define PCI_TYPE_32BIT                  0
#define PCI_TYPE_20BIT                  2
#define PCI_TYPE_64BIT                  4

/* BaseClass and SubClass of displays */
#define PCI_CLASS_DISPLAY_CTLR    0x03
#define PCI_SUBCLASS_VID_VGA_CTLR 0x00
#define PCI_SUBCLASS_VID_XGA_CTLR 0x01
#define PCI_SUBCLASS_VID_3D_CTLR  0x02
#define PCI_SUBCLASS_VID_OTHER    0x80

#define PCI_CAPABILITY_ID_POWER_MANAGEMENT 0x01
#define PCI_CAPABILITY_ID_MSI              0x05
#define PCI_CAPABILITY_ID_VENDOR_SPECIFIC  0x09
#define PCI_CAPABILITY_ID_PCI_EXPRESS      0x10
#define PCI_CAPABILITY_ID_MSIX             0x11

typedef struct WDDM_LAYOUT _PCI_CAPABILITIES_HEADER {
    UCHAR CapabilityID;
    UCHAR Next;
} PCI_CAPABILITIES_HEADER, *PPCI_CAPABILITIES_HEADER;

#define WDDM_PCI_HEADER                                                                            \
    USHORT VendorID;                                                                               \
    USHORT DeviceID;                                                                               \
    USHORT Command;                                                                                \
    USHORT Status;                                                                                 \
    UCHAR RevisionID;                                                                              \
    UCHAR ProgIf;                                                                                  \
    UCHAR SubClass;                                                                                \
    UCHAR BaseClass;                                                                               \
    UCHAR CacheLineSize;                                                                           \
    UCHAR LatencyTimer;                                                                            \
    UCHAR HeaderType;                                                                              \
    UCHAR BIST;                                                                                    \
    union WDDM_LAYOUT {                                                                            \
        struct WDDM_LAYOUT {                                                                       \
            ULONG BaseAddresses[PCI_TYPE0_ADDRESSES];                                              \
            ULONG CIS;                                                                             \
            USHORT SubVendorID;                                                                    \
            USHORT SubSystemID;                                                                    \
            ULONG ROMBaseAddress;                                                                  \
            UCHAR CapabilitiesPtr;                                                                 \
            UCHAR Reserved1[3];                                                                    \
            ULONG Reserved2;                                                                       \
            UCHAR InterruptLine;                                                                   \
            UCHAR InterruptPin;                                                                    \
            UCHAR MinimumGrant;                                                                    \
            UCHAR MaximumLatency;                                                                  \
        } type0;                                                                                   \
        struct WDDM_LAYOUT {                                                                       \
            ULONG BaseAddresses[PCI_TYPE1_ADDRESSES];                                              \
            UCHAR PrimaryBus, SecondaryBus, SubordinateBus, SecondaryLatency;                      \
            UCHAR IOBase, IOLimit;                                                                 \
            USHORT SecondaryStatus;                                                                \
            USHORT MemoryBase, MemoryLimit, PrefetchBase, PrefetchLimit;                           \
            ULONG PrefetchBaseUpper32, PrefetchLimitUpper32;                                       \
            USHORT IOBaseUpper16, IOLimitUpper16;                                                  \
            UCHAR CapabilitiesPtr;                                                                 \
            UCHAR Reserved1[3];                                                                    \
            ULONG ROMBaseAddress;                                                                  \
            UCHAR InterruptLine, InterruptPin;                                                     \
            USHORT BridgeControl;                                                                  \
        } type1;                                                                                   \
        struct WDDM_LAYOUT {                                                                       \
            ULONG SocketRegistersBaseAddress;                                                      \
            UCHAR CapabilitiesPtr;                                                                 \
            UCHAR Reserved;                                                                        \
            USHORT SecondaryStatus;                                                                \
            UCHAR PrimaryBus, SecondaryBus, SubordinateBus, SecondaryLatency;                      \
            struct WDDM_LAYOUT {                                                                   \
                ULONG Base, Limit;                                                                 \
            } Range[PCI_TYPE2_ADDRESSES - 1];                                                      \
            UCHAR InterruptLine, InterruptPin;                                                     \
            USHORT BridgeControl;                                                                  \
        } type2;                                                                                   \
    } u;

/* The first 64 bytes, and all 256. */
typedef struct WDDM_LAYOUT _PCI_COMMON_HEADER {
    WDDM_PCI_HEADER
} PCI_COMMON_HEADER, *PPCI_COMMON_HEADER;

typedef struct WDDM_LAYOUT _PCI_COMMON_CONFIG {
    WDDM_PCI_HEADER
    UCHAR DeviceSpecific[192];
} PCI_COMMON_CONFIG, *PPCI_COMMON_CONFIG;
#undef WDDM_PCI_HEADER

WDDM_END_DECLS

#endif
