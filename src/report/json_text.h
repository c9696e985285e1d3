/*
 * json_text.h - text for all JSON reports.
 */
#ifndef VIDMM_REPORT_JSON_TEXT_H
#define VIDMM_REPORT_JSON_TEXT_H

#include <jansson.h>

/* Text from files and drivers may be anything; JSON is UTF-8. */
json_t *report_json_text(const char *text);

#endif
