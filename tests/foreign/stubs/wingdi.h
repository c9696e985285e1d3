/* SPDX-License-Identifier: MIT */
/* GDI has nothing that the samples' kernel-mode half uses, but this brings an error code along. */
#ifndef STUB_WINGDI_H
#define STUB_WINGDI_H

#ifndef E_OUTOFMEMORY
#define E_OUTOFMEMORY ((HRESULT)0x8007000E)
#endif

#endif
