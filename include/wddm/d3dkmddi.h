/* SPDX-License-Identifier: MIT */
/* The device driver interface of kernel-mode display drivers; each part has a header of its own. */
#ifndef WDDM_D3DKMDDI_H
#define WDDM_D3DKMDDI_H

#include "d3dkmddi_segment.h"
#include "d3dkmddi_gpummu.h"
#include "d3dkmddi_adapter.h"
#include "d3dkmddi_allocation.h"
#include "d3dkmddi_paging.h"
#include "d3dkmddi_submit.h"
#include "d3dkmddi_engine.h"
#include "d3dkmddi_cpuaccess.h"
#include "d3dkmddi_migration.h"
#include "d3dkmddi_power.h"
#include "d3dkmddi_vidpn.h"
#include "d3dkmddi_functions.h"
#include "d3dkmddi_callbacks.h"

#endif
