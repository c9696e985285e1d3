/*
 * check_sarif.c - a conformance check as SARIF 2.1.0, which code hosts show next to the source.
 */
#include "check.h"

#include <string.h>

#include "json_text.h"
#include "rules.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static json_t *message(const char *text) {
    return json_pack("{s:o}", "text", report_json_text(text));
}

/* A disputed rule is a warning only. */
static const char *level(const struct vidmm_finding *finding) {
    const struct vidmm_rule *rule = report_check_rule(finding);
    if (rule && rule->confidence == VIDMM_DISPUTED)
        return "warning";
    if (finding->kind == VIDMM_FINDING_REFUSED)
        return "note";
    return vidmm_finding_severity(finding) == VIDMM_SEVERITY_PERFORMANCE ? "warning" : "error";
}

static json_t *rule_object(const struct vidmm_rule *rule) {
    char id[8], url[256];
    vidmm_rule_id(rule->number, id);
    return json_pack("{s:s, s:o, s:o, s:o, s:{s:o, s:o, s:o}}", "id", id, "shortDescription",
                     message(rule->statement), "fullDescription", message(rule->why), "helpUri",
                     report_json_text(report_rule_url(rule, url, sizeof(url))), "properties",
                     "side", report_json_text(vidmm_side_text(rule->side)), "confidence",
                     report_json_text(vidmm_confidence_text(rule->confidence)), "severity",
                     report_json_text(vidmm_severity_text(rule->severity)));
}

/* A path as a URI reference. */
static json_t *uri(const char *path) {
    char text[3 * sizeof(((struct vidmm_check_result *)0)->driver)];
    size_t length = 0;
    for (; *path != '\0' && length + 4 < sizeof(text); path++) {
        unsigned char c = (unsigned char)*path;
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                     strchr("-._~/", c);
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, plain ? "%c" : "%%%02X", c);
    }
    text[length] = '\0';
    return json_string(text);
}

/* The rules that were judged, and rows of the host that something was found of. */
static json_t *rules(const struct vidmm_check_result *result) {
    json_t *list = json_array();
    for (uint32_t number = 1; number < VIDMM_RULES_SIZE; number++)
        if (result->examined[number] != 0 ||
            (number >= VIDMM_K_FIRST && result->ledger.broken[number] != 0))
            json_array_append_new(list, rule_object(vidmm_rule(number)));
    return list;
}

/* The line where it is known, else the driver's file. */
static json_t *physical_location(const struct vidmm_check_result *result,
                                 const struct vidmm_finding *finding) {
    const struct vidmm_spot *spot = &finding->place[0];
    if (finding->places == 0 || spot->line == 0)
        return json_pack("{s:{s:o}}", "artifactLocation", "uri", uri(result->driver));
    return json_pack("{s:{s:o}, s:{s:i}}", "artifactLocation", "uri", uri(spot->file), "region",
                     "startLine", (int)spot->line);
}

/* The cause of a consequence; a baseline's finding is unchanged, and what was left out suppressed. */
static void put_mark(json_t *object, const struct vidmm_check_result *result, uint32_t index) {
    const struct vidmm_finding_mark *mark = &result->mark[index];
    json_object_set_new(object, "partialFingerprints",
                        json_pack("{s:s}", "vidmmIdentity/v1", mark->identity));
    json_object_set_new(object, "baselineState",
                        json_string(mark->state == VIDMM_STATE_KNOWN ? "unchanged" : "new"));
    if (mark->state != VIDMM_STATE_COUNTS && mark->state != VIDMM_STATE_KNOWN)
        json_object_set_new(object, "suppressions",
                            json_pack("[{s:s, s:s}]", "kind", "external", "justification",
                                      report_check_state(mark->state)));
    if (mark->follows != 0)
        json_object_set_new(json_object_get(object, "properties"), "follows",
                            json_string(result->mark[mark->follows - 1].identity));
}

static json_t *result_object(const struct vidmm_check_result *result, uint32_t index) {
    const struct vidmm_finding *finding = &result->ledger.finding[index];
    char id[8], text[640];
    vidmm_finding_text(finding, text, sizeof(text));
    json_t *location = json_pack(
        "{s:o, s:[{s:o, s:s}]}", "physicalLocation", physical_location(result, finding),
        "logicalLocations", "fullyQualifiedName",
        report_json_text(finding->where[0] != '\0' ? finding->where : "conformance check"), "kind",
        "function");
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:[o], s:i, s:{s:I, s:o, s:o}}", "ruleId", report_check_id(finding, id),
        "level", level(finding), "message", message(text), "locations", location, "occurrenceCount",
        (int)finding->times, "properties", "call", (json_int_t)finding->call, "step",
        report_json_text(finding->step), "side", report_json_text(vidmm_side_text(finding->who)));
    put_mark(object, result, index);
    return object;
}

static json_t *results(const struct vidmm_check_result *result) {
    uint32_t order[VIDMM_FINDINGS];
    json_t *list = json_array();
    report_check_order(result, order);
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        json_array_append_new(list, result_object(result, order[i]));
    return list;
}

void report_check_sarif(FILE *out, const struct vidmm_check_result *result) {
    json_t *root =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema", SCHEMA, "version",
                  "2.1.0", "runs", "tool", "driver", "name", "vidmm", "version", VIDMM_VERSION,
                  "rules", rules(result), "results", results(result));
    json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(root);
}
