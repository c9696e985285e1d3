/*
 * check_junit.c - an examination as JUnit XML: a test case a rule, and one for each other kind of
 * finding.
 */
#include "check.h"

#include <inttypes.h>

/* XML knows no control characters; bytes that are not ASCII could be anything. */
static void put_escaped(FILE *out, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\n':
            fputs("&#10;", out);
            break;
        default:
            fputc(*c < 0x20 || *c > 0x7e ? '?' : *c, out);
        }
    }
}

static void put_attribute(FILE *out, const char *name, const char *value) {
    fprintf(out, " %s=\"", name);
    put_escaped(out, value);
    fputc('"', out);
}

static void put_failure(FILE *out, const struct vidmm_finding *finding) {
    char text[640];
    vidmm_finding_text(finding, text, sizeof text);
    fputs("      <failure", out);
    put_attribute(out, "type", vidmm_severity_text((uint8_t)report_check_severity(finding)));
    put_attribute(out, "message", finding->found);
    fputc('>', out);
    put_escaped(out, text);
    fputs("</failure>\n", out);
}

static void put_rule(FILE *out, const struct vidmm_check_result *result, uint32_t number) {
    const struct vidmm_rule *rule = vidmm_rule(number);
    char name[16], reason[192];
    snprintf(name, sizeof name, "R%" PRIu32, number);
    fputs("    <testcase classname=\"vidmm.rules\"", out);
    put_attribute(out, "name", name);
    if (rule != NULL)
        put_attribute(out, "statement", rule->statement);
    fputs(">\n", out);
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[i];
        if (finding->kind == VIDMM_FINDING_RULE && finding->rule == number)
            put_failure(out, finding);
    }
    if (result->ledger.kept[number] == 0 && result->ledger.broken[number] == 0) {
        vidmm_check_reason(result, number, reason, sizeof reason);
        fputs("      <skipped", out);
        put_attribute(out, "message", reason);
        fputs("/>\n", out);
    }
    fputs("    </testcase>\n", out);
}

/* A finding that is no rule's, or of a rule that is not among the examined. */
static bool stands_alone(const struct vidmm_check_result *result,
                         const struct vidmm_finding *finding) {
    return finding->kind != VIDMM_FINDING_RULE || result->examined[finding->rule] == 0;
}

static void put_alone(FILE *out, const struct vidmm_finding *finding, uint32_t number) {
    char id[16], name[32];
    snprintf(name, sizeof name, "%s %" PRIu32, report_check_id(finding, id, sizeof id), number);
    fputs("    <testcase classname=\"vidmm.examination\"", out);
    put_attribute(out, "name", name);
    fputs(">\n", out);
    put_failure(out, finding);
    fputs("    </testcase>\n", out);
}

void report_check_junit(FILE *out, const struct vidmm_check_result *result) {
    uint32_t alone = 0;
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        alone += stands_alone(result, &result->ledger.finding[i]);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    put_attribute(out, "name", result->driver);
    fprintf(out,
            " tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"0\" skipped=\"%" PRIu32
            "\">\n",
            result->judged + alone, result->broken + alone, result->not_reached);
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++)
        if (result->examined[number] != 0)
            put_rule(out, result, number);
    alone = 0;
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (stands_alone(result, &result->ledger.finding[i]))
            put_alone(out, &result->ledger.finding[i], ++alone);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
