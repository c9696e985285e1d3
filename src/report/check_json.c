/*
 * check_json.c - a conformance check as JSON. Member names are stable: scripts read them.
 */
#include "check.h"

#include "json_text.h"
#include "places.h"

static void put_count(json_t *object, const char *name, uint64_t value) {
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_text(json_t *object, const char *name, const char *text) {
    json_object_set_new(object, name, report_json_text(text));
}

static void put_mark(json_t *object, const struct vidmm_check_result *result, uint32_t index) {
    const struct vidmm_finding_mark *mark = &result->mark[index];
    char after[REPORT_AFTER];
    put_text(object, "identity", mark->identity);
    put_text(object, "state", report_check_state(mark->state));
    json_object_set_new(object, "follows",
                        mark->follows != 0
                            ? report_json_text(result->mark[mark->follows - 1].identity)
                            : json_null());
    put_text(object, "after",
             report_check_after(result, &result->ledger.finding[index], after, sizeof(after)));
}

static json_t *finding_object(const struct vidmm_check_result *result, uint32_t index) {
    const struct vidmm_finding *finding = &result->ledger.finding[index];
    const struct vidmm_rule *rule = report_check_rule(finding);
    char id[8], text[REPORT_PAGE];
    const char *page = report_check_page(finding, text, sizeof(text));
    json_t *object = json_object();
    put_text(object, "id", report_check_id(finding, id));
    put_mark(object, result, index);
    put_text(object, "kind", report_check_kind(finding));
    put_text(object, "side", vidmm_side_text(finding->who));
    put_text(object, "severity", vidmm_severity_text((uint8_t)vidmm_finding_severity(finding)));
    json_object_set_new(object, "confidence",
                        rule ? report_json_text(vidmm_confidence_text(rule->confidence))
                             : json_null());
    put_text(object, "where", finding->where);
    put_text(object, "step", finding->step);
    put_count(object, "call", finding->call);
    put_count(object, "times", finding->times);
    put_text(object, "found", finding->found);
    put_text(object, "expected", finding->expected);
    if (finding->kept_until != 0) {
        put_text(object, "until", vidmm_turn_text(finding->until));
        put_count(object, "until_call", finding->until_call);
        put_count(object, "kept_until", finding->kept_until);
    }
    report_json_places(object, finding);
    json_object_set_new(object, "page", page ? report_json_text(page) : json_null());
    return object;
}

static json_t *findings(const struct vidmm_check_result *result) {
    uint32_t order[VIDMM_FINDINGS];
    json_t *list = json_array();
    report_check_order(result, order);
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        json_array_append_new(list, finding_object(result, order[i]));
    return list;
}

static json_t *rules(const struct vidmm_check_result *result) {
    json_t *list = json_array();
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        char text[192];
        if (result->examined[number] == 0)
            continue;
        json_t *object = json_object();
        snprintf(text, sizeof(text), "R%u", number);
        put_text(object, "id", text);
        put_text(object, "outcome", vidmm_check_outcome(result, number));
        put_count(object, "kept", result->ledger.kept[number]);
        put_count(object, "broken", result->ledger.broken[number]);
        put_count(object, "held_back", result->ledger.held[number]);
        if (result->ledger.kept[number] == 0 && result->ledger.broken[number] == 0) {
            vidmm_check_reason(result, number, text, sizeof(text));
            put_text(object, "reason", text);
        }
        json_array_append_new(list, object);
    }
    return list;
}

/* Of the rules that are broken, how many have findings that count, and how many do not. */
static json_t *broken_as(const struct vidmm_check_result *result) {
    struct report_states broken;
    json_t *object = json_object();
    report_check_broken(result, false, &broken);
    for (uint32_t state = 0; state <= VIDMM_STATE_MINOR; state++)
        if (state != VIDMM_STATE_OUTSIDE) /* rules that were not asked for are not among them */
            put_count(object, report_check_state((uint8_t)state), broken.count[state]);
    return object;
}

/* How much of the table was looked at. */
static json_t *table(const struct vidmm_check_result *result) {
    struct vidmm_check_share share;
    json_t *object = json_object();
    vidmm_check_share(result, &share);
    put_count(object, "rules", share.rules);
    put_count(object, "seen", share.seen);
    put_count(object, "not_reached", share.not_reached);
    put_count(object, "other_interface", share.other);
    put_count(object, "not_visible", share.not_visible);
    put_count(object, "not_judged", share.not_judged);
    put_count(object, "not_asked", share.not_asked);
    return object;
}

static json_t *stages(const struct vidmm_check_result *result) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < result->stages; i++) {
        const struct vidmm_stage_result *stage = &result->stage[i];
        json_t *object = json_object();
        put_text(object, "name", stage->name);
        put_text(object, "outcome", report_check_stage(stage->outcome));
        put_count(object, "calls", stage->calls);
        put_count(object, "ms", stage->ms);
        put_text(object, "text", stage->text);
        json_array_append_new(list, object);
    }
    return list;
}

void report_check_json(FILE *out, const struct vidmm_check_result *result) {
    json_t *root = json_object();
    put_text(root, "status", report_check_status(result->status));
    put_text(root, "text", result->text);
    put_text(root, "driver", result->driver);
    report_json_interface(root, result->registered_version, result->wddm_version,
                          result->ddi_version);
    put_count(root, "seed", result->seed);
    report_json_unread(root, &result->unread);
    put_count(root, "judged", result->judged);
    put_count(root, "passed", result->passed);
    put_count(root, "broken", result->broken);
    json_object_set_new(root, "broken_as", broken_as(result));
    put_count(root, "not_reached", result->not_reached);
    json_object_set_new(root, "table", table(result));
    put_count(root, "calls", result->ledger.calls);
    put_count(root, "dropped_findings", result->ledger.dropped);
    json_object_set_new(root, "findings", findings(result));
    json_object_set_new(root, "stages", stages(result));
    json_object_set_new(root, "rules", rules(result));
    json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(root);
}
