/*
 * html_check.c - a conformance check as HTML: findings first, then stages, rules, and memory.
 */
#include "html.h"

#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "names.h"

/* Rules that are broken: those that count, and in a fact each those that do not. */
static void check_broken(FILE *out, const struct vidmm_check_result *result) {
    struct report_states broken;
    char name[32];
    report_check_broken(result, false, &broken);
    html_fact_count(out, "Broken", broken.count[VIDMM_STATE_COUNTS]);
    for (uint32_t state = VIDMM_STATE_COUNTS + 1; state <= VIDMM_STATE_MINOR; state++) {
        snprintf(name, sizeof(name), "Broken, %s", report_check_state((uint8_t)state));
        if (broken.count[state] != 0)
            html_fact_count(out, name, broken.count[state]);
    }
}

static void check_summary(FILE *out, const struct vidmm_check_result *result) {
    struct vidmm_check_share share;
    char version[16];
    vidmm_check_share(result, &share);
    html_section(out, "summary", "What was checked");
    html_facts(out);
    html_fact(out, "Driver", "%s", result->driver);
    html_fact(out, "Interface", "%s",
              report_interface(result->ddi_version, version, sizeof(version)));
    html_fact(out, "Seed", "%" PRIu64, result->seed);
    html_fact_count(out, "DDI calls", result->ledger.calls);
    html_fact_count(out, "Findings that count", report_check_count(result, VIDMM_STATE_COUNTS));
    html_fact_count(out, "Rules judged", result->judged);
    html_fact_count(out, "Passed", result->passed);
    check_broken(out, result);
    html_fact_count(out, "Not reached", result->not_reached);
    html_fact_count(out, "Rules of the table", share.rules);
    html_fact_count(out, "Of another interface", share.other);
    html_fact_count(out, "Not judged", share.not_judged);
    html_facts_end(out);
    html_section_end(out);
}

/* What follows from a finding, a line each. */
static void check_followers(FILE *out, const struct vidmm_check_result *result, uint32_t lead) {
    bool begun = false;
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[i];
        if (result->mark[i].follows != lead + 1 || result->mark[i].united)
            continue;
        fputs(begun ? "<li>" : "<ul class=\"follows\">\n<li>", out);
        begun = true;
        html_print(out, "follows from it: %s %s: ", result->mark[i].identity, finding->where);
        html_text(out, finding->found);
        fputs("</li>\n", out);
    }
    fputs(begun ? "</ul>\n" : "", out);
}

static void check_findings(FILE *out, const struct vidmm_check_result *result) {
    uint32_t order[VIDMM_FINDINGS];
    report_check_order(result, order);
    html_section(out, "findings", "Findings");
    if (result->ledger.findings == 0)
        fputs("<p class=\"empty\">Nothing was found.</p>\n", out);
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        if (!report_check_leads(result, order[i]))
            continue;
        html_finding(out, &result->ledger.finding[order[i]], &result->mark[order[i]]);
        check_followers(out, result, order[i]);
    }
    if (result->ledger.dropped != 0)
        html_print(out, "And %" PRIu32 " more that are not listed.", result->ledger.dropped);
    html_section_end(out);
}

static void check_stages(FILE *out, const struct vidmm_check_result *result) {
    static const char *const heads[] = {"Stage", "Outcome", "#Calls", "#Time", "Why"};
    html_section(out, "stages", "Stages");
    html_table(out, "Stages", heads, sizeof(heads) / sizeof(heads[0]));
    for (uint32_t i = 0; i < result->stages; i++) {
        const struct vidmm_stage_result *stage = &result->stage[i];
        bool bad = stage->outcome > VIDMM_STAGE_SKIPPED;
        fputs("<tr>", out);
        html_cell(out, "%s", stage->name);
        fprintf(out, "<td class=\"%s\">%s</td>", bad ? "bad" : "",
                report_check_stage(stage->outcome));
        html_cell_count(out, stage->calls);
        html_number(out, "%" PRIu32 " ms", stage->ms);
        html_cell(out, "%s", stage->text);
        fputs("</tr>\n", out);
    }
    html_table_end(out);
    html_section_end(out);
}

static void check_rules(FILE *out, const struct vidmm_check_result *result) {
    static const char *const heads[] = {"Rule", "Outcome", "#Kept", "#Broken", "Statement"};
    html_section(out, "rules", "Rules");
    fputs("<details><summary>All rules that were judged</summary>\n", out);
    html_table(out, "Rules", heads, sizeof(heads) / sizeof(heads[0]));
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        char id[8];
        if (result->examined[number] == 0 || !rule)
            continue;
        const char *outcome = report_check_outcome(result, number);
        fprintf(out, "<tr><td>%s</td><td class=\"%s\">%s</td>", vidmm_rule_id(number, id),
                strcmp(outcome, "broken") == 0 ? "bad" : "", outcome);
        html_cell_count(out, result->ledger.kept[number]);
        html_cell_count(out, result->ledger.broken[number]);
        html_cell(out, "%s", rule->statement);
        fputs("</tr>\n", out);
    }
    html_table_end(out);
    fputs("</details>\n", out);
    html_section_end(out);
}

static void check_body(struct html_page *page, const void *check_result) {
    const struct vidmm_check_result *result = check_result;
    check_summary(page->out, result);
    check_findings(page->out, result);
    check_stages(page->out, result);
    html_maps(page);
    check_rules(page->out, result);
}

/* Which rules were broken, or that none of those was that count. */
static void check_figures(const struct vidmm_check_result *result, char *text, size_t size) {
    struct report_states broken;
    uint32_t findings = report_check_count(result, VIDMM_STATE_COUNTS), others = 0;
    report_check_broken(result, false, &broken);
    uint32_t counts = broken.count[VIDMM_STATE_COUNTS];
    for (uint32_t state = VIDMM_STATE_COUNTS + 1; state <= VIDMM_STATE_MINOR; state++)
        others += broken.count[state];
    if (result->status != VIDMM_CHECK_PASSED)
        snprintf(text, size, "%" PRIu32 " finding%s: %" PRIu32 " rule%s of %" PRIu32 " broken",
                 findings, findings == 1 ? "" : "s", counts, counts == 1 ? "" : "s",
                 result->judged);
    else if (others != 0)
        snprintf(text, size,
                 "the driver kept %" PRIu32
                 " rules of those that it was seen to meet, and broke %" PRIu32
                 " whose findings do not count",
                 result->passed, others);
    else
        snprintf(text, size,
                 "the driver kept each of the %" PRIu32 " rules that it was seen to meet",
                 result->passed);
}

/* The verdict in a sentence; of a driver that was examined, with what was not, if that is much. */
static void check_sentence(const struct vidmm_check_result *result, char *text, size_t size) {
    bool examined = result->status == VIDMM_CHECK_PASSED || result->status == VIDMM_CHECK_BROKEN;
    char figures[256];
    check_figures(result, figures, sizeof(figures));
    if (result->text[0] == '\0')
        snprintf(text, size, "%s", figures);
    else
        snprintf(text, size, "%s%s%s", examined ? figures : "", examined ? "; " : "", result->text);
}

bool vidmm_report_check_html(const struct vidmm_report_page *about,
                             const struct vidmm_check_result *result, char *text,
                             size_t text_size) {
    char sentence[800];
    check_sentence(result, sentence, sizeof(sentence));
    const struct html_report report = {.kind = "check",
                                       .title = result->driver,
                                       .word = report_check_status(result->status),
                                       .sentence = sentence,
                                       .good = result->status == VIDMM_CHECK_PASSED,
                                       .body = check_body,
                                       .result = result};
    return html_write(about, &report, text, text_size);
}
