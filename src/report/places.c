/* places.c - see places.h. What has no symbols is module and offset. */
#include "places.h"

#include <string.h>

#include "check.h"
#include "json_text.h"
#include "write.h"

void report_places(FILE *out, const char *indent, const struct vidmm_finding *finding) {
    char text[REPORT_PLACE];
    for (uint32_t i = 0; i < finding->places; i++)
        if (finding->place[i].function[0] != '\0')
            fprintf(out, "%s%-9s %s\n", indent, i == 0 ? "at:" : "called by",
                    report_check_place(&finding->place[i], text, sizeof(text)));
}

const struct vidmm_finding *report_run_finding(const struct vidmm_run_result *result,
                                               const char *violation) {
    for (uint32_t i = 0; result->ledger && i < result->ledger->findings; i++) {
        const struct vidmm_finding *finding = &result->ledger->finding[i];
        char text[sizeof(result->text)];
        vidmm_finding_text(finding, text, sizeof(text));
        const char *said = finding->kind == VIDMM_FINDING_RULE ? text : finding->found;
        if (strncmp(said, violation, sizeof(finding->found) - 1) == 0)
            return finding;
    }
    return NULL;
}

static void put_place(json_t *object, const struct vidmm_spot *spot) {
    bool named = spot->function[0] != '\0', line = spot->line != 0;
    json_object_set_new(object, "function", named ? report_json_text(spot->function) : json_null());
    json_object_set_new(object, "file", line ? report_json_text(spot->file) : json_null());
    json_object_set_new(object, "line", line ? json_integer(spot->line) : json_null());
}

void report_json_places(json_t *object, const struct vidmm_finding *finding) {
    static const struct vidmm_spot none;
    json_t *stack = json_array();
    for (uint32_t i = 0; i < finding->places; i++) {
        const struct vidmm_spot *spot = &finding->place[i];
        json_t *frame = json_object();
        put_place(frame, spot);
        json_object_set_new(frame, "offset", json_integer((json_int_t)spot->offset));
        json_array_append_new(stack, frame);
    }
    put_place(object, finding->places != 0 ? &finding->place[0] : &none);
    json_object_set_new(object, "stack", stack);
}

/* ---- A crash that ended a command ------------------------------------------------------------ */

/* What became of the driver, in a word. */
static const char *report_end(const struct vidmm_finding *finding) {
    if (finding->kind == VIDMM_FINDING_CRASH)
        return "crashed";
    return finding->kind == VIDMM_FINDING_HANG ? "hung" : "ended";
}

/* In vidmm's own code nobody knows whom a hang is of. */
void vidmm_report_crash(FILE *out, const struct vidmm_finding *finding) {
    bool own = strcmp(finding->where, "vidmm") == 0;
    fprintf(out, "vidmm: the %s %s: %s\n", own ? "run" : "driver", report_end(finding),
            finding->found);
    report_places(out, "  ", finding);
}

bool vidmm_report_crash_json(const char *path, const char *driver,
                             const struct vidmm_finding *finding, char *text, size_t size) {
    json_t *root = json_object(), *crash = json_object();
    json_object_set_new(root, "status", json_string(report_end(finding)));
    json_object_set_new(root, "driver", report_json_text(driver));
    json_object_set_new(crash, "found", report_json_text(finding->found));
    report_json_places(crash, finding);
    json_object_set_new(root, "crash", crash);
    return report_write_json(path, root, text, size);
}
