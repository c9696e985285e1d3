/*
 * json_text.h - text for all JSON reports.
 */
#ifndef VIDMM_REPORT_JSON_TEXT_H
#define VIDMM_REPORT_JSON_TEXT_H

#include <stdint.h>

#include <jansson.h>

#include <vidmm/settings.h>

/* Text from files and drivers may be anything; JSON is UTF-8. */
json_t *report_json_text(const char *text);
/* The members about interface versions: the one that is spoken, those that the driver states, and
 * the note where they differ, else "". */
void report_json_interface(json_t *root, uint32_t registered, uint32_t wddm, uint32_t spoken);

/* The member about settings that nobody read, a list of names. */
void report_json_unread(json_t *root, const struct vidmm_unread *unread);

#endif
