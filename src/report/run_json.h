/*
 * run_json.h - a run as a JSON object, alone or within another report.
 */
#ifndef VIDMM_REPORT_RUN_JSON_H
#define VIDMM_REPORT_RUN_JSON_H

#include <jansson.h>

#include <vidmm/run.h>

json_t *report_run_json(const struct vidmm_run_result *result);

#endif
