/*
 * names.h - the stable names of things in reports.
 */
#ifndef VIDMM_REPORT_NAMES_H
#define VIDMM_REPORT_NAMES_H

#include <vidmm/migrate.h>
#include <vidmm/run.h>
#include <vidmm/virtual.h>

#define REPORT_NOTE 320u /* bytes of a note about interface versions */

/* "verified", "wrong" … */
const char *report_status_name(enum vidmm_run_status status);
/* The name of an interface version, else its number in `text`. */
const char *report_interface(uint32_t version, char *text, size_t size);
/* One sentence where a driver's table and its WDDMVersion state different versions; else false. */
bool report_interface_note(uint32_t registered, uint32_t wddm, uint32_t spoken, char *text,
                           size_t size);
/* "done", "stayed", "in doubt" … */
const char *report_migrate_status_name(enum vidmm_migrate_status status);
/* DXGK_SEGMENTFLAGS by bit (0 to 31); `name` is room for one that has none. */
const char *report_segment_flag(unsigned bit, char name[16]);

/* ---- How the GPU translates addresses -------------------------------------------------------- */

/* "physical", "gpummu", "iommu" */
const char *report_model(const struct vidmm_gpummu_info *mmu);
/* DXGK_GPUMMUCAPS by bit; NULL after the last. */
const char *report_mmu_feature(unsigned bit);
/* "cpu_virtual", "gpu_virtual", "gpu_physical" */
const char *report_update_mode(DXGK_PAGETABLEUPDATEMODE mode);
const char *report_page_sizes(const DXGK_GPUMMUCAPS *caps);
/* "system", or the number of a segment, in `text`. */
const char *report_table_home(uint32_t segment, char *text, size_t size);
/* Bytes of addresses that a whole table of `level` translates. */
uint64_t report_level_bytes(const struct vidmm_gpummu_info *mmu, uint32_t level);

#endif
