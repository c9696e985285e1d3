/* SPDX-License-Identifier: MIT */
/* A kernel-mode driver uses nothing of GDI but this error code. */
#ifndef WDDM_WINGDI_H
#define WDDM_WINGDI_H

#ifndef E_OUTOFMEMORY
#define E_OUTOFMEMORY ((HRESULT)0x8007000E)
#endif

#endif
