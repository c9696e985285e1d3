/*
 * names.h - the stable names of things in reports.
 */
#ifndef VIDMM_REPORT_NAMES_H
#define VIDMM_REPORT_NAMES_H

#include <vidmm/run.h>

/* "transfer", "special_lock_transfer" …: a JSON member and a table's label. */
const char *report_op_name(enum vidmm_op_kind kind);
/* "verified", "wrong" … */
const char *report_status_name(enum vidmm_run_status status);

#endif
