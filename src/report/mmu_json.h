/*
 * mmu_json.h - how the GPU translates addresses, as JSON: for runs and for inspections.
 */
#ifndef VIDMM_REPORT_MMU_JSON_H
#define VIDMM_REPORT_MMU_JSON_H

#include <jansson.h>

#include <vidmm/virtual.h>

/* An object, or null for a driver without GPU virtual addresses. */
json_t *report_mmu_json(const struct vidmm_gpummu_info *mmu);

#endif
