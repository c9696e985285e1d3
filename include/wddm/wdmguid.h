/* SPDX-License-Identifier: MIT */
/* Identifiers of bus interfaces (page ns-wdm-_bus_interface_standard). */
#ifndef WDDM_WDMGUID_H
#define WDDM_WDMGUID_H

#include "ntdef.h"

DEFINE_GUID(GUID_BUS_INTERFACE_STANDARD, 0x496b8280, 0x6f25, 0x11d0, 0xbe, 0xaf, 0x08, 0x00, 0x2b,
            0xe2, 0x09, 0x2f);

#endif
