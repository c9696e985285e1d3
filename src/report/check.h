/*
 * check.h - functions of all reports of a conformance check: the order of findings, and words for
 * them.
 */
#ifndef VIDMM_REPORT_CHECK_H
#define VIDMM_REPORT_CHECK_H

#include <vidmm/report.h>

/* Worst first; of equals the first that happened. Fills `order` with indices of findings. */
void report_check_order(const struct vidmm_check_result *result, uint32_t order[VIDMM_FINDINGS]);
/* The severity: of a rule its own, of other findings that of their kind. */
enum vidmm_severity report_check_severity(const struct vidmm_finding *finding);
/* "R152", "crash", "leak" ...; returns `text`. */
const char *report_check_id(const struct vidmm_finding *finding, char *text, size_t size);
/* The row of the finding's rule, or NULL. */
const struct vidmm_rule *report_check_rule(const struct vidmm_finding *finding);
/* "passed", "broken", "bad input", "failed" */
/* "function (file.c:12)", or "driver.sys+0x1234" where there are no symbols. */
#define REPORT_PLACE 320u
const char *report_check_place(const struct vidmm_spot *spot, char *text, size_t size);
const char *report_check_status(enum vidmm_check_status status);
/* "done", "skipped" ... */
const char *report_check_stage(enum vidmm_stage_outcome outcome);
/* Where the documentation of a page is. */
const char *report_check_url(const char *page, char *text, size_t size);

/* The formats, on an open stream. */
void report_check_text(FILE *out, const struct vidmm_check_result *result,
                       const struct vidmm_check_style *style);
void report_check_json(FILE *out, const struct vidmm_check_result *result);
void report_check_junit(FILE *out, const struct vidmm_check_result *result);
void report_check_sarif(FILE *out, const struct vidmm_check_result *result);

#endif
