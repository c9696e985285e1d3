/*
 * check_text.c - a conformance check as text: findings, worst first, then the figures.
 */
#include "check.h"
#include "names.h"

#include <inttypes.h>

struct ink {
    const char *bad, *warn, *good, *dim, *end;
};

static struct ink ink_of(bool color) {
    static const struct ink none = {"", "", "", "", ""};
    static const struct ink all = {"\033[1;31m", "\033[1;33m", "\033[32m", "\033[2m", "\033[0m"};
    return color ? all : none;
}

static void print_head(FILE *out, const struct vidmm_check_result *result) {
    const char *name = vidmm_run_ddi_name(result->ddi_version);
    char note[REPORT_NOTE];
    fprintf(out, "%s", result->driver);
    if (name)
        fprintf(out, ", interface %s", name);
    else if (result->ddi_version != 0)
        fprintf(out, ", interface 0x%" PRIx32, result->ddi_version);
    fprintf(out, ", seed %" PRIu64 "\n", result->seed);
    if (report_interface_note(result->registered_version, result->wddm_version, result->ddi_version,
                              note, sizeof(note)))
        fprintf(out, "%s\n", note);
    fputc('\n', out);
}

static void print_rule(FILE *out, const struct vidmm_rule *rule, const struct ink *ink) {
    fprintf(out, "      rule:     %s (%s)\n", rule->statement,
            vidmm_confidence_text(rule->confidence));
    fprintf(out, "      %spage:     %s; vidmm rules R%u says how to do it right%s\n", ink->dim,
            rule->page, rule->number, ink->end);
    if (rule->confidence == VIDMM_DISPUTED && rule->readings)
        fprintf(out, "      %sreadings: %s%s\n", ink->dim, rule->readings, ink->end);
}

static void print_places(FILE *out, const struct vidmm_finding *finding) {
    char text[REPORT_PLACE];
    for (uint32_t i = 0; i < finding->places; i++)
        if (finding->place[i].function[0] != '\0')
            fprintf(out, "      %-9s %s\n", i == 0 ? "at:" : "called by",
                    report_check_place(&finding->place[i], text, sizeof(text)));
}

static void print_finding(FILE *out, const struct vidmm_finding *finding, const struct ink *ink) {
    char id[16];
    const struct vidmm_rule *rule = report_check_rule(finding);
    bool disputed = rule && rule->confidence == VIDMM_DISPUTED;
    fprintf(out, "  %s%s%s %s", disputed ? ink->warn : ink->bad,
            report_check_id(finding, id, sizeof(id)), ink->end, vidmm_side_text(finding->who));
    if (finding->where[0] != '\0')
        fprintf(out, " in %s", finding->where);
    fprintf(out, "%s", ink->dim);
    if (finding->call != 0)
        fprintf(out, ", call %" PRIu64, finding->call);
    if (finding->times > 1)
        fprintf(out, ", %" PRIu32 " times", finding->times);
    if (finding->step[0] != '\0')
        fprintf(out, " [%s]", finding->step);
    fprintf(out, "%s\n      found:    %s\n", ink->end, finding->found);
    if (finding->expected[0] != '\0')
        fprintf(out, "      expected: %s\n", finding->expected);
    print_places(out, finding);
    if (rule)
        print_rule(out, rule, ink);
}

static void print_findings(FILE *out, const struct vidmm_check_result *result,
                           const struct ink *ink) {
    uint32_t order[VIDMM_FINDINGS];
    int last = -1;
    report_check_order(result, order);
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[order[i]];
        enum vidmm_severity severity = report_check_severity(finding);
        if ((int)severity != last)
            fprintf(out, "%s:\n", vidmm_severity_text((uint8_t)severity));
        last = (int)severity;
        print_finding(out, finding, ink);
    }
    if (result->ledger.dropped != 0)
        fprintf(out, "  and %" PRIu32 " more that are not listed\n", result->ledger.dropped);
    if (result->ledger.findings != 0)
        fputc('\n', out);
}

static void print_stages(FILE *out, const struct vidmm_check_result *result,
                         const struct ink *ink) {
    for (uint32_t i = 0; i < result->stages; i++) {
        const struct vidmm_stage_result *stage = &result->stage[i];
        char calls[32];
        if (stage->outcome == VIDMM_STAGE_LEFT_OUT && stage->text[0] == '\0')
            continue;
        bool bad = stage->outcome > VIDMM_STAGE_SKIPPED;
        fprintf(out, "  %-13s %s%-8s%s %12s calls %7" PRIu32 " ms%s%s\n", stage->name,
                bad ? ink->bad : "", report_check_stage(stage->outcome), bad ? ink->end : "",
                vidmm_report_count(stage->calls, calls, sizeof(calls)), stage->ms,
                stage->text[0] != '\0' ? "  " : "", stage->text);
    }
}

static void print_rules(FILE *out, const struct vidmm_check_result *result) {
    fputc('\n', out);
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        char reason[192] = "";
        if (result->examined[number] == 0 || !rule)
            continue;
        if (result->ledger.kept[number] == 0 && result->ledger.broken[number] == 0)
            vidmm_check_reason(result, number, reason, sizeof(reason));
        fprintf(out, "  R%-4" PRIu32 " %-11s %s%s%s\n", number, vidmm_check_outcome(result, number),
                rule->statement, reason[0] != '\0' ? " - " : "", reason);
    }
}

void report_check_text(FILE *out, const struct vidmm_check_result *result,
                       const struct vidmm_check_style *style) {
    const struct ink ink = ink_of(style->color);
    print_head(out, result);
    print_findings(out, result, &ink);
    print_stages(out, result, &ink);
    if (style->verbose)
        print_rules(out, result);
    fprintf(out,
            "\n%" PRIu32 " rules judged: %" PRIu32 " passed, %" PRIu32 " broken, %" PRIu32
            " not reached\n",
            result->judged, result->passed, result->broken, result->not_reached);
    bool passed = result->status == VIDMM_CHECK_PASSED;
    fprintf(out, "%s%s%s%s%s\n", passed ? ink.good : ink.bad, report_check_status(result->status),
            ink.end, result->text[0] != '\0' ? ": " : "", result->text);
}
