/*
 * rules.h - words of a rule that the page for the terminal and the document share.
 */
#ifndef VIDMM_REPORT_RULES_H
#define VIDMM_REPORT_RULES_H

#include <vidmm/report.h>

/* "from WDDM 2.0 on". Returns `text`. */
char *report_rule_versions(const struct vidmm_rule *rule, char *text, size_t size);
/* Where Microsoft publishes the rule's page. Returns `text`. */
char *report_rule_url(const struct vidmm_rule *rule, char *text, size_t size);

#endif
