/*
 * check_junit.c - a conformance check as JUnit XML: a test case a rule and a row of the host. A case
 * fails for the findings that count and follow from no other; of a rule that is broken only because
 * another one is, or that does not count, the case is skipped and says so. Strict readers want the time
 * and place of a suite and at most one failure a case.
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
    put_attribute(out, "type", vidmm_severity_text((uint8_t)vidmm_finding_severity(finding)));
    put_attribute(out, "message", finding->found);
    fputc('>', out);
}

static void put_sentence(FILE *out, const struct vidmm_check_result *result, uint32_t index) {
    const struct vidmm_finding *finding = &result->ledger.finding[index];
    char text[640], after[REPORT_AFTER];
    put_escaped(out, result->mark[index].identity);
    fputc(' ', out);
    vidmm_finding_text(finding, text, sizeof(text));
    put_escaped(out, text);
    put_escaped(out, report_check_after(result, finding, after, sizeof(after)));
    fputs("&#10;", out);
    for (uint32_t i = 0; i < finding->places; i++) {
        fputs(i == 0 ? "  at " : "  called by ", out);
        put_escaped(out, report_check_place(&finding->place[i], text, sizeof(text)));
        fputs("&#10;", out);
    }
}

/* The finding and what follows from it. */
static void put_cause(FILE *out, const struct vidmm_check_result *result, uint32_t index) {
    put_sentence(out, result, index);
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (result->mark[i].follows == index + 1)
            put_sentence(out, result, i);
}

static void open_case(FILE *out, const char *class, const char *name) {
    fputs("    <testcase", out);
    put_attribute(out, "classname", class);
    put_attribute(out, "name", name);
    fputs(" time=\"0\">\n", out);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static bool is_case(const struct vidmm_check_result *result, uint32_t number) {
    return result->examined[number] != 0 || (number >= VIDMM_K_FIRST && vidmm_rule(number));
}

/* Fails its case. */
static bool fails(const struct vidmm_check_result *result, uint32_t index) {
    return result->mark[index].state == VIDMM_STATE_COUNTS && result->mark[index].follows == 0;
}

static bool case_fails(const struct vidmm_check_result *result, uint32_t number) {
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (result->ledger.finding[i].rule == number && fails(result, i))
            return true;
    return false;
}

/* Why a case that does not fail is no success; "": it is one. */
static void skip_reason(const struct vidmm_check_result *result, uint32_t number, char *text,
                        size_t size) {
    bool seen = number >= VIDMM_K_FIRST || result->ledger.kept[number] != 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding_mark *mark = &result->mark[i];
        if (result->ledger.finding[i].rule != number)
            continue;
        if (mark->follows != 0)
            snprintf(text, size, "%s follows from %s", mark->identity,
                     result->mark[mark->follows - 1].identity);
        else
            snprintf(text, size, "%s: %s", report_check_state(mark->state), mark->identity);
        return;
    }
    if (!seen && result->ledger.broken[number] == 0)
        vidmm_check_reason(result, number, text, size);
}

/* All findings of a rule are one failure. */
static void put_failure(FILE *out, const struct vidmm_check_result *result, uint32_t number) {
    bool any = false;
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        if (result->ledger.finding[i].rule != number || !fails(result, i))
            continue;
        if (!any)
            open_failure(out, &result->ledger.finding[i]);
        put_cause(out, result, i);
        any = true;
    }
    if (any)
        fputs("</failure>\n", out);
}

static void put_rule(FILE *out, const struct vidmm_check_result *result, uint32_t number) {
    char id[8], reason[192];
    open_case(out, number >= VIDMM_K_FIRST ? "vidmm.host" : "vidmm.rules",
              vidmm_rule_id(number, id));
    put_failure(out, result, number);
    skip_reason(result, number, reason, sizeof(reason));
    if (reason[0] != '\0' && !case_fails(result, number)) {
        fputs("      <skipped", out);
        put_attribute(out, "message", reason);
        fputs("/>\n", out);
    }
    fputs("    </testcase>\n", out);
}

/* A finding that fails and whose rule has no case. */
static bool stands_alone(const struct vidmm_check_result *result, uint32_t index) {
    return !is_case(result, result->ledger.finding[index].rule) && fails(result, index);
}

static void put_alone(FILE *out, const struct vidmm_check_result *result, uint32_t index) {
    open_case(out, "vidmm.conformance check", result->mark[index].identity);
    open_failure(out, &result->ledger.finding[index]);
    put_cause(out, result, index);
    fputs("</failure>\n    </testcase>\n", out);
}

/* ---- The suite ------------------------------------------------------------------------------- */

struct figures {
    uint32_t tests, failures, skipped;
};

static struct figures figures_of(const struct vidmm_check_result *result) {
    struct figures figures = {0, 0, 0};
    for (uint32_t number = 1; number < VIDMM_RULES_SIZE; number++) {
        char reason[192];
        if (!is_case(result, number))
            continue;
        bool failed = case_fails(result, number);
        skip_reason(result, number, reason, sizeof(reason));
        figures.tests++;
        figures.failures += failed;
        figures.skipped += !failed && reason[0] != '\0';
    }
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        bool alone = stands_alone(result, i);
        figures.tests += alone;
        figures.failures += alone;
    }
    return figures;
}

/* The attributes of a suite that strict readers need. */
static void open_suite(FILE *out, const struct vidmm_check_result *result) {
    const struct figures figures = figures_of(result);
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
            figures.tests, figures.failures, figures.skipped, ms / 1000, ms % 1000);
}

void report_check_junit(FILE *out, const struct vidmm_check_result *result) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    open_suite(out, result);
    for (uint32_t number = 1; number < VIDMM_RULES_SIZE; number++)
        if (is_case(result, number))
            put_rule(out, result, number);
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (stands_alone(result, i))
            put_alone(out, result, i);
    fputs("    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n", out);
}
