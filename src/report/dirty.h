/*
 * dirty.h - what a workload writes in each frame, for text.c and json.c.
 */
#ifndef VIDMM_REPORT_DIRTY_H
#define VIDMM_REPORT_DIRTY_H

#include <jansson.h>
#include <vidmm/report.h>

/* A line a page size: the mean, the worst, over time. */
void report_dirty_text(FILE *out, const struct vidmm_run_result *result,
                       const struct vidmm_report_style *style);
/* null if not requested. */
json_t *report_dirty_json(const struct vidmm_run_dirty *dirty);

#endif
