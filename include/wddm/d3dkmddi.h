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
#include "d3dkmddi_overlay.h"
#include "d3dkmddi_flipqueue.h"
#include "d3dkmddi_target.h"
#include "d3dkmddi_gdi.h"
#include "d3dkmddi_schedule.h"
#include "d3dkmddi_doorbell.h"
#include "d3dkmddi_feature.h"
#include "d3dkmddi_functions.h"
#include "d3dkmddi_callbacks.h"
#include "d3dkmddi_memoryobject.h"
#include "d3dkmdt_caps.h"
#include "d3dukmdt_resource.h"

#endif
