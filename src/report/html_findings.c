/*
 * html_findings.c - a finding in an HTML report: the rule, what was found and expected, the driver's
 * place with its lines of source where they can be read, and right code.
 */
#include "html.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"

#define AROUND 2u /* lines before and after */

static void finding_fact(FILE *out, const char *name, const char *text) {
    if (text && text[0] != '\0')
        html_fact(out, name, "%s", text);
}

static void code_line(FILE *out, uint32_t number, bool here, const char *line) {
    fprintf(out, "<span class=\"%s\"><i>%" PRIu32 "</i> ", here ? "here" : "line", number);
    html_text(out, line);
    fputs("\n</span>", out);
}

/* The driver says which file it is: one that is none, such as a pipe, is not waited for. NULL: none. */
static FILE *source_open(const char *path) {
    struct stat about;
    bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    return regular ? fopen(path, "r") : NULL;
}

/* The lines around a place. Nothing where the file is not there. */
static void finding_source(FILE *out, const struct vidmm_spot *spot) {
    FILE *file = spot->line != 0 ? source_open(spot->file) : NULL;
    char line[256];
    uint32_t number = 1;
    bool begun = false, whole = true;
    while (file && number <= spot->line + AROUND && fgets(line, sizeof(line), file)) {
        bool begins = whole;
        whole = strchr(line, '\n');
        if (begins && number + AROUND >= spot->line) {
            fputs(begun ? "" : "<pre class=\"code\">", out);
            begun = true;
            line[strcspn(line, "\r\n")] = '\0';
            code_line(out, number, number == spot->line, line);
        }
        number += whole;
    }
    if (begun)
        fputs("</pre>\n", out);
    if (file)
        (void)fclose(file);
}

static void finding_places(FILE *out, const struct vidmm_finding *finding) {
    char text[REPORT_PLACE];
    for (uint32_t i = 0; i < finding->places && i < VIDMM_PLACES; i++)
        if (finding->place[i].function[0] != '\0')
            html_fact(out, i == 0 ? "At" : "Called by", "%s",
                      report_check_place(&finding->place[i], text, sizeof(text)));
}

static void finding_head(FILE *out, const struct vidmm_finding *finding,
                         const struct vidmm_finding_mark *mark) {
    const struct vidmm_rule *rule = report_check_rule(finding);
    const char *severity = vidmm_severity_text((uint8_t)vidmm_finding_severity(finding));
    char id[8], times[32];
    report_check_id(finding, id);
    fputs("<h3><span class=\"rule\">", out);
    html_text(out, mark ? mark->identity : id);
    fprintf(out, "</span> <span class=\"severity\">%s</span> ", severity);
    html_print(out, "%s%s%s", vidmm_side_text(finding->who),
               finding->where[0] != '\0' ? " in " : "", finding->where);
    fputs("</h3>\n<p class=\"when\">", out);
    if (finding->call != 0)
        html_print(out, "call %" PRIu64, finding->call);
    if (finding->times > 1)
        html_print(out, ", %s times", vidmm_report_count(finding->times, times, sizeof(times)));
    if (finding->step[0] != '\0')
        html_print(out, " (%s)", finding->step);
    if (mark && mark->state != VIDMM_STATE_COUNTS)
        html_print(out, "; does not count: %s", report_check_state(mark->state));
    if (rule)
        html_print(out, "; %s", vidmm_confidence_text(rule->confidence));
    fputs("</p>\n", out);
}

static void finding_code(FILE *out, const char *name, const char *code) {
    if (!code)
        return;
    fprintf(out, "<figure class=\"%s\"><figcaption>%s</figcaption><pre class=\"code\">", name,
            name);
    html_text(out, code);
    fputs("</pre></figure>\n", out);
}

static void finding_rule(FILE *out, const struct vidmm_rule *rule) {
    char id[8];
    fputs("<details><summary>", out);
    html_print(out, "Why %s matters, and right code", vidmm_rule_id(rule->number, id));
    fputs("</summary>\n<p>", out);
    html_print(out, "%s", rule->why ? rule->why : "");
    if (rule->windows)
        html_print(out, " In Windows: %s", rule->windows);
    fputs("</p>\n", out);
    finding_code(out, "wrong", rule->wrong);
    finding_code(out, "right", rule->right);
    fputs("</details>\n", out);
}

void html_finding(FILE *out, const struct vidmm_finding *finding,
                  const struct vidmm_finding_mark *mark) {
    const struct vidmm_rule *rule = report_check_rule(finding);
    char page[REPORT_PAGE];
    fprintf(out, "<article class=\"finding %s\">\n",
            vidmm_severity_text((uint8_t)vidmm_finding_severity(finding)));
    finding_head(out, finding, mark);
    html_facts(out);
    finding_fact(out, "Found", finding->found);
    finding_fact(out, "Expected", finding->expected);
    finding_fact(out, "Rule", rule ? rule->statement : NULL);
    finding_fact(out, "Page", report_check_page(finding, page, sizeof(page)));
    finding_places(out, finding);
    html_facts_end(out);
    if (finding->places != 0)
        finding_source(out, &finding->place[0]);
    if (rule)
        finding_rule(out, rule);
    fputs("</article>\n", out);
}
