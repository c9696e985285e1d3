/*
 * places.h - where in the driver something was found, in reports of every command.
 */
#ifndef VIDMM_REPORT_PLACES_H
#define VIDMM_REPORT_PLACES_H

#include <jansson.h>

#include <vidmm/report.h>

/* What a violation of the result says, with its place; NULL: that is not known. */
const struct vidmm_finding *report_run_finding(const struct vidmm_run_result *result,
                                               const char *violation);
/* "at:" and "called by" lines, each behind `indent`. */
void report_places(FILE *out, const char *indent, const struct vidmm_finding *finding);
/* Members function, file, line of the innermost place, and stack. */
void report_json_places(json_t *object, const struct vidmm_finding *finding);

#endif
