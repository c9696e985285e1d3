/*
 * lookup_json.c - what a lookup found, as JSON. Member names are stable: scripts read them.
 */
#include "json_text.h"
#include "rules.h"
#include "write.h"

#include <jansson.h>

static void put_text(json_t *object, const char *name, const char *text) {
    json_object_set_new(object, name, text ? report_json_text(text) : json_null());
}

static void put_number(json_t *object, const char *name, uint32_t number) {
    json_object_set_new(object, name, json_integer((json_int_t)number));
}

static json_t *texts(const char *const *list, size_t size) {
    json_t *array = json_array();
    for (size_t i = 0; i < size && list[i]; i++)
        json_array_append_new(array, report_json_text(list[i]));
    return array;
}

static json_t *rule_object(const struct vidmm_rule *rule) {
    char url[256], id[8];
    json_t *object = json_object();
    put_text(object, "id", vidmm_rule_id(rule->number, id));
    put_number(object, "number", rule->number);
    put_text(object, "statement", rule->statement);
    put_text(object, "side", vidmm_side_text(rule->side));
    put_text(object, "severity", vidmm_severity_text(rule->severity));
    put_text(object, "confidence", vidmm_confidence_text(rule->confidence));
    json_object_set_new(object, "judged", json_boolean(rule->judged));
    put_text(object, "page", report_rule_url(rule, url, sizeof(url)));
    put_text(object, "why", rule->why);
    put_text(object, "windows", rule->windows);
    return object;
}

static json_t *rules_marked(const bool *marks) {
    json_t *array = json_array();
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        if (marks[rule->number])
            json_array_append_new(array, rule_object(rule));
    }
    return array;
}

static json_t *numbers(const uint16_t *list, size_t size) {
    json_t *array = json_array();
    for (size_t i = 0; i < size && list[i] != 0; i++)
        json_array_append_new(array, json_integer(list[i]));
    return array;
}

static json_t *record_object(const struct vidmm_record *record) {
    char name[8];
    json_t *object = json_object();
    put_text(object, "name", vidmm_record_name(record, name));
    put_text(object, "done", record->done);
    put_text(object, record->system ? "windows" : "cost", record->seen);
    put_text(object, "system", record->system);
    put_text(object, "source", record->source);
    json_object_set_new(object, "rules", numbers(record->rules, VIDMM_RECORD_RULES));
    return object;
}

static json_t *records_marked(const bool *marks) {
    json_t *array = json_array();
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if (marks[record->number])
            json_array_append_new(array, record_object(record));
    }
    return array;
}

static json_t *code_object(const struct vidmm_code *code) {
    static const char *const kinds[VIDMM_CODE_KINDS] = {
        [VIDMM_CODE_BUGCHECK] = "bugcheck",
        [VIDMM_CODE_LIVE_DUMP] = "live dump",
        [VIDMM_CODE_PROBLEM] = "device manager",
        [VIDMM_CODE_STATUS] = "status",
    };
    char url[256];
    json_t *object = json_object();
    put_text(object, "kind", kinds[code->kind]);
    put_number(object, "number", code->number);
    put_text(object, "name", code->name);
    put_text(object, "meaning", code->meaning);
    snprintf(url, sizeof(url), REPORT_LEARN "%s", code->page ? code->page : "");
    put_text(object, "page", code->page ? url : NULL);
    return object;
}

static json_t *statuses(const struct vidmm_lookup *lookup) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < lookup->status_count; i++)
        json_array_append_new(array, code_object(lookup->statuses[i]));
    return array;
}

static json_t *parameter(const struct vidmm_lookup *lookup) {
    if (!lookup->has_parameter)
        return json_null();
    json_t *object = json_object();
    put_number(object, "value", lookup->parameter);
    put_text(object, "meaning", lookup->of ? lookup->of->meaning : NULL);
    return object;
}

static json_t *looks(const struct vidmm_lookup *lookup) {
    if (lookup->of && lookup->of->look[0])
        return texts(lookup->of->look, VIDMM_CASE_LOOKS);
    return lookup->code ? texts(lookup->code->look, VIDMM_CODE_LOOKS) : json_array();
}

bool vidmm_report_lookup_json(const char *path, const struct vidmm_lookup *lookup, char *text,
                              size_t text_size) {
    json_t *root = json_object();
    json_object_set_new(root, "code", lookup->code ? code_object(lookup->code) : json_null());
    json_object_set_new(root, "parameter", parameter(lookup));
    json_object_set_new(root, "statuses", statuses(lookup));
    json_object_set_new(root, "look", looks(lookup));
    json_object_set_new(root, "rules", rules_marked(lookup->rules));
    json_object_set_new(root, "others", rules_marked(lookup->others));
    json_object_set_new(root, "records", records_marked(lookup->records));
    return report_write_json(path, root, text, text_size);
}
