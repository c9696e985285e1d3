/* SPDX-License-Identifier: MIT */
/* Keys of device properties. */
#ifndef WDDM_DEVPKEY_H
#define WDDM_DEVPKEY_H

#include "ntdef.h"

typedef GUID DEVPROPGUID;
typedef ULONG DEVPROPID, DEVPROPTYPE, *PDEVPROPTYPE;
typedef struct WDDM_LAYOUT _DEVPROPKEY {
    DEVPROPGUID fmtid;
    DEVPROPID pid;
} DEVPROPKEY, *PDEVPROPKEY;

#endif
