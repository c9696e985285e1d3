/*
 * rules.c - the rule table for people: a table of many rules, and a page that explains one.
 *
 * What both need of a row in words (versions, address of its page) is here too and shared with
 * rules_markdown.c, which writes the same as a document.
 */
#include "rules.h"

#include <inttypes.h>
#include <string.h>

char *report_rule_versions(const struct vidmm_rule *rule, char *text, size_t size) {
    if (rule->first != 0 && rule->last != 0)
        snprintf(text, size, "%s to %s", vidmm_rule_version(rule->first),
                 vidmm_rule_version(rule->last));
    else if (rule->first != 0)
        snprintf(text, size, "from %s on", vidmm_rule_version(rule->first));
    else if (rule->last != 0)
        snprintf(text, size, "up to %s", vidmm_rule_version(rule->last));
    else
        snprintf(text, size, "all");
    return text;
}

/* Reference pages are named after their header, "ns-d3dkmddi-_dxgk_pte"; all others are concepts.
 */
char *report_rule_url(const struct vidmm_rule *rule, char *text, size_t size) {
    static const char root[] = "https://learn.microsoft.com/windows-hardware/drivers";
    const char *page = rule->page;
    if (page[0] == 'n' && page[1] != '\0' && page[2] == '-') {
        size_t header = strcspn(page + 3, "-");
        snprintf(text, size, "%s/ddi/%.*s/%s", root, (int)header, page + 3, page);
    } else if (strchr(page, '/')) {
        snprintf(text, size, "%s/%s", root, page);
    } else {
        snprintf(text, size, "%s/display/%s", root, page);
    }
    return text;
}

void report_wrapped(FILE *out, const char *text, unsigned indent, unsigned columns) {
    unsigned column = indent;
    while (*text != '\0') {
        unsigned length = (unsigned)strcspn(text, " ");
        if (column > indent && columns != 0 && column + 1 + length > columns) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static bool rule_wanted(const struct vidmm_rule *rule, const struct vidmm_rule_filter *filter) {
    return (filter->group == 0 || rule->group == filter->group) &&
           (filter->side == 0 || (rule->side & filter->side) != 0) &&
           (!filter->judged || rule->judged);
}

void report_rule_row(FILE *out, const struct vidmm_rule *rule, unsigned columns) {
    enum { STATEMENT = 6 + 16 + 15 };
    char id[8];
    fprintf(out, "%-5s %-15s %-13s%s ", vidmm_rule_id(rule->number, id),
            vidmm_severity_text(rule->severity), vidmm_side_text(rule->side),
            rule->judged ? "*" : " ");
    report_wrapped(out, rule->statement, STATEMENT, columns);
}

/* The selected rows of a group, under its title; adds judged ones to *judged. */
static uint32_t print_group(FILE *out, char group, const struct vidmm_rule_filter *filter,
                            uint32_t columns, uint32_t *judged) {
    uint32_t shown = 0;
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        if (rule->group != group || !rule_wanted(rule, filter))
            continue;
        if (shown++ == 0)
            fprintf(out, "%c. %s\n", group, vidmm_rule_group(group));
        report_rule_row(out, rule, columns);
        *judged += rule->judged;
    }
    return shown;
}

void vidmm_report_rules(FILE *out, const struct vidmm_rule_filter *filter, uint32_t columns) {
    uint32_t shown = 0, judged = 0;
    for (char group = 'A'; group <= 'Z'; group++) {
        uint32_t more = print_group(out, group, filter, columns, &judged);
        if (more != 0)
            fputc('\n', out);
        shown += more;
    }
    fprintf(out, "%s%" PRIu32 " rule%s, %" PRIu32 " judged (*)\n", shown != 0 ? "" : "\n", shown,
            shown == 1 ? "" : "s", judged);
}

static void print_member(FILE *out, const char *label, const char *text) {
    enum { LABEL = 14 };
    fprintf(out, "  %-*s", LABEL - 2, label);
    report_wrapped(out, text, LABEL, REPORT_PAGE_COLUMNS);
}

static void print_section(FILE *out, const char *title, const char *text) {
    fprintf(out, "\n%s\n  ", title);
    report_wrapped(out, text, 2, REPORT_PAGE_COLUMNS);
}

static void print_code(FILE *out, const char *title, const char *code) {
    if (!code)
        return;
    fprintf(out, "\n%s\n", title);
    while (*code != '\0') {
        int length = (int)strcspn(code, "\n");
        fprintf(out, "    %.*s\n", length, code);
        code += length;
        code += *code == '\n';
    }
}

void vidmm_report_rule(FILE *out, const struct vidmm_rule *rule) {
    char text[256], source[128], id[8];
    fprintf(out, "%s ", vidmm_rule_id(rule->number, id));
    report_wrapped(out, rule->statement, (unsigned)strlen(id) + 1, REPORT_PAGE_COLUMNS);
    fputc('\n', out);
    snprintf(text, sizeof(text), "%c, %s", rule->group, vidmm_rule_group(rule->group));
    print_member(out, "group", text);
    print_member(out, "who", vidmm_side_text(rule->side));
    snprintf(text, sizeof(text), "%s (%s)", vidmm_severity_text(rule->severity),
             vidmm_source_text(&rule->severity_source, source, sizeof(source)));
    print_member(out, "broken", text);
    if (rule->reach != VIDMM_REACH_ALL)
        print_member(out, "reaches", vidmm_reach_text(rule->reach));
    print_member(out, "confidence", vidmm_confidence_text(rule->confidence));
    print_member(out, "versions", report_rule_versions(rule, text, sizeof(text)));
    print_member(out, "page", report_rule_url(rule, text, sizeof(text)));
    print_section(out, "Why", rule->why);
    snprintf(text, sizeof(text), "Windows (%s)",
             vidmm_source_text(&rule->windows_source, source, sizeof(source)));
    print_section(out, text, rule->windows);
    print_code(out, "Wrong", rule->wrong);
    print_code(out, "Right", rule->right);
    print_section(out, "How vidmm judges it", rule->how);
    if (rule->readings)
        print_section(out, "Readings", rule->readings);
}
