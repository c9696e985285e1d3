/*
 * check_finding.c - the order of findings and the words for them; see check.h.
 */
#include "check.h"

#include <string.h>

const struct vidmm_rule *report_check_rule(const struct vidmm_finding *finding) {
    return finding->kind == VIDMM_FINDING_RULE ? vidmm_rule(finding->rule) : NULL;
}

enum vidmm_severity report_check_severity(const struct vidmm_finding *finding) {
    const struct vidmm_rule *rule = report_check_rule(finding);
    if (rule)
        return (enum vidmm_severity)rule->severity;
    switch (finding->kind) {
    case VIDMM_FINDING_LEAK:
        return VIDMM_SEVERITY_PERFORMANCE;
    case VIDMM_FINDING_HANG:
        return VIDMM_SEVERITY_DEVICE_LOST;
    case VIDMM_FINDING_REFUSED:
        return VIDMM_SEVERITY_CREATION_FAILS;
    default:
        return VIDMM_SEVERITY_BUGCHECK;
    }
}

void report_check_order(const struct vidmm_check_result *result, uint32_t order[VIDMM_FINDINGS]) {
    const struct vidmm_finding *finding = result->ledger.finding;
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        enum vidmm_severity severity = report_check_severity(&finding[i]);
        uint32_t at = i;
        for (; at > 0; at--) {
            const struct vidmm_finding *before = &finding[order[at - 1]];
            enum vidmm_severity other = report_check_severity(before);
            if (other < severity || (other == severity && before->call <= finding[i].call))
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

const char *report_check_id(const struct vidmm_finding *finding, char *text, size_t size) {
    static const char *const kinds[] = {
        [VIDMM_FINDING_HOST] = "host",   [VIDMM_FINDING_LEAK] = "leak",
        [VIDMM_FINDING_CRASH] = "crash", [VIDMM_FINDING_HANG] = "hang",
        [VIDMM_FINDING_EXIT] = "exit",   [VIDMM_FINDING_REFUSED] = "refused",
    };
    if (finding->kind == VIDMM_FINDING_RULE)
        snprintf(text, size, "R%u", finding->rule);
    else
        snprintf(text, size, "%s", kinds[finding->kind]);
    return text;
}

const char *report_check_place(const struct vidmm_spot *spot, char *text, size_t size) {
    if (spot->line != 0)
        snprintf(text, size, "%s (%s:%u)", spot->function, spot->file, spot->line);
    else
        snprintf(text, size, "%s", spot->function);
    return text;
}

const char *report_check_status(enum vidmm_check_status status) {
    static const char *const names[] = {
        [VIDMM_CHECK_PASSED] = "passed",
        [VIDMM_CHECK_BROKEN] = "broken",
        [VIDMM_CHECK_BAD_INPUT] = "bad input",
        [VIDMM_CHECK_DRIVER_FAILED] = "failed",
    };
    return names[status];
}

const char *report_check_stage(enum vidmm_stage_outcome outcome) {
    static const char *const names[] = {
        [VIDMM_STAGE_LEFT_OUT] = "left out", [VIDMM_STAGE_DONE] = "done",
        [VIDMM_STAGE_SKIPPED] = "skipped",   [VIDMM_STAGE_STOPPED] = "stopped",
        [VIDMM_STAGE_CRASHED] = "crashed",   [VIDMM_STAGE_HUNG] = "hung",
    };
    return names[outcome];
}

const char *report_check_url(const char *page, char *text, size_t size) {
    bool reference = strncmp(page, "n", 1) == 0 && strstr(page, "-d3d");
    snprintf(text, size, "https://learn.microsoft.com/en-us/windows-hardware/drivers/%s%s",
             reference ? "ddi/" : "display/", page);
    return text;
}
