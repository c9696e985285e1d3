/*
 * check_junit.c - a conformance check as JUnit XML: a test case a rule, and one for each other
 * kind of finding. Strict readers want the time and place of a suite and at most one failure a
 * case.
 */
#include "check.h"

#include <inttypes.h>
#include <time.h>

/* XML has no control characters, and the encoding of other bytes is not known. */
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

static void open_failure(FILE *out, const struct vidmm_finding *finding) {
    fputs("      <failure", out);
    put_attribute(out, "type", vidmm_severity_text((uint8_t)report_check_severity(finding)));
    put_attribute(out, "message", finding->found);
    fputc('>', out);
}

static void put_sentence(FILE *out, const struct vidmm_finding *finding) {
    char text[640];
    vidmm_finding_text(finding, text, sizeof(text));
    put_escaped(out, text);
    fputs("&#10;", out);
    for (uint32_t i = 0; i < finding->places; i++) {
        fputs(i == 0 ? "  at " : "  called by ", out);
        put_escaped(out, report_check_place(&finding->place[i], text, sizeof(text)));
        fputs("&#10;", out);
    }
}

static void open_case(FILE *out, const char *class, const char *name) {
    fputs("    <testcase", out);
    put_attribute(out, "classname", class);
    put_attribute(out, "name", name);
    fputs(" time=\"0\">\n", out);
}

/* All findings of a rule are one failure. */
static void put_findings(FILE *out, const struct vidmm_check_result *result, uint32_t number) {
    bool any = false;
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[i];
        if (finding->kind != VIDMM_FINDING_RULE || finding->rule != number)
            continue;
        if (!any)
            open_failure(out, finding);
        put_sentence(out, finding);
        any = true;
    }
    if (any)
        fputs("</failure>\n", out);
}

static void put_rule(FILE *out, const struct vidmm_check_result *result, uint32_t number) {
    char name[16], reason[192];
    snprintf(name, sizeof(name), "R%" PRIu32, number);
    open_case(out, "vidmm.rules", name);
    put_findings(out, result, number);
    if (result->ledger.kept[number] == 0 && result->ledger.broken[number] == 0) {
        vidmm_check_reason(result, number, reason, sizeof(reason));
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
    snprintf(name, sizeof(name), "%s %" PRIu32, report_check_id(finding, id, sizeof(id)), number);
    open_case(out, "vidmm.conformance check", name);
    open_failure(out, finding);
    put_sentence(out, finding);
    fputs("</failure>\n    </testcase>\n", out);
}

/* The attributes of a suite that strict readers need. */
static void open_suite(FILE *out, const struct vidmm_check_result *result, uint32_t alone) {
    char timestamp[32] = "";
    uint32_t ms = 0;
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(timestamp, sizeof(timestamp), "%Y-%m-%dT%H:%M:%S", &utc);
    for (uint32_t i = 0; i < result->stages; i++)
        ms += result->stage[i].ms;
    fputs("  <testsuite id=\"0\" package=\"vidmm\" hostname=\"localhost\"", out);
    put_attribute(out, "name", result->driver);
    put_attribute(out, "timestamp", timestamp);
    fprintf(out,
            " tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"0\" skipped=\"%" PRIu32
            "\" time=\"%" PRIu32 ".%03" PRIu32 "\">\n    <properties/>\n",
            result->judged + alone, result->broken + alone, result->not_reached, ms / 1000,
            ms % 1000);
}

void report_check_junit(FILE *out, const struct vidmm_check_result *result) {
    uint32_t alone = 0;
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        alone += stands_alone(result, &result->ledger.finding[i]);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    open_suite(out, result, alone);
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++)
        if (result->examined[number] != 0)
            put_rule(out, result, number);
    alone = 0;
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (stands_alone(result, &result->ledger.finding[i]))
            put_alone(out, &result->ledger.finding[i], ++alone);
    fputs("    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n", out);
}
