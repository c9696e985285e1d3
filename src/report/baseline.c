/*
 * baseline.c - reads the identities of findings from a report that check_json.c wrote: what an earlier
 * check found, and a later one knows.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include <vidmm/report.h>

static bool baseline_refuse(const char *path, const char *why, char *text, size_t text_size) {
    snprintf(text, text_size, "%s is no report of vidmm check --format json: %s", path, why);
    return false;
}

static bool no_memory(char *text, size_t text_size) {
    snprintf(text, text_size, "out of memory for the baseline");
    return false;
}

static bool take_findings(const char *path, const json_t *findings, struct vidmm_identities *known,
                          char *text, size_t text_size) {
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding) {
        const char *identity = json_string_value(json_object_get(finding, "identity"));
        if (!identity || !vidmm_identity_parse(identity))
            return baseline_refuse(path, "a finding has no identity", text, text_size);
        if (!vidmm_identities_add(known, identity))
            return no_memory(text, text_size);
    }
    return true;
}

bool vidmm_report_read_baseline(const char *path, struct vidmm_identities *known, char *text,
                                size_t text_size) {
    json_error_t error;
    FILE *in = fopen(path, "r");
    if (!in) {
        snprintf(text, text_size, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    errno = 0;
    json_t *root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
    fclose(in);
    if (!root && errno == ENOMEM) /* jansson blames what it read last */
        return no_memory(text, text_size);
    if (!root)
        return baseline_refuse(path, error.text, text, text_size);
    const json_t *findings = json_object_get(root, "findings");
    bool good = json_is_array(findings)
                    ? take_findings(path, findings, known, text, text_size)
                    : baseline_refuse(path, "it has no list of findings", text, text_size);
    json_decref(root);
    return good;
}
