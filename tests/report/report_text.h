/*
 * report_text.h - the report of a conformance check as a string, for tests of the room and of the
 * check.
 */
#ifndef VIDMM_TESTS_REPORT_TEXT_H
#define VIDMM_TESTS_REPORT_TEXT_H

#include <vidmm/report.h>

/* Until the next call. */
char *report_text(const struct vidmm_check_result *result, enum vidmm_check_format format,
                  bool verbose);

#endif
