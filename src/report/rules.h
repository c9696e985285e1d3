/*
 * rules.h - words of rules and records that the pages for the terminal and the documents share.
 */
#ifndef VIDMM_REPORT_RULES_H
#define VIDMM_REPORT_RULES_H

#include <vidmm/report.h>

#define REPORT_PAGE_COLUMNS 80u
/* Where the pages of codes are. */
#define REPORT_LEARN "https://learn.microsoft.com/"

/* "from WDDM 2.0 on". Returns `text`. */
char *report_rule_versions(const struct vidmm_rule *rule, char *text, size_t size);
/* Where Microsoft publishes the rule's page. Returns `text`. */
char *report_rule_url(const struct vidmm_rule *rule, char *text, size_t size);

/* `text` from column `indent` on, broken between words before `columns`; 0: never broken. The
 * cursor is at `indent` already. */
void report_wrapped(FILE *out, const char *text, unsigned indent, unsigned columns);
/* A row of the table of many rules. */
void report_rule_row(FILE *out, const struct vidmm_rule *rule, unsigned columns);

#endif
