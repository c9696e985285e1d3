/*
 * check_finding.c - the order of findings and the words for them; see check.h.
 */
#include "check.h"

#include <ctype.h>
#include <string.h>

const struct vidmm_rule *report_check_rule(const struct vidmm_finding *finding) {
    return finding->kind == VIDMM_FINDING_RULE ? vidmm_rule(finding->rule) : NULL;
}

bool report_check_leads(const struct vidmm_check_result *result, uint32_t finding) {
    return result->mark[finding].follows == 0;
}

static bool is_advice(const struct vidmm_finding *finding) {
    return vidmm_finding_severity(finding) == VIDMM_SEVERITY_PERFORMANCE;
}

/* Of two that lead: a stands before b. */
static bool stands_before(const struct vidmm_check_result *result, uint32_t a, uint32_t b) {
    const struct vidmm_finding *x = &result->ledger.finding[a], *y = &result->ledger.finding[b];
    bool rule = x->kind == VIDMM_FINDING_RULE;
    if (x->who != y->who)
        return x->who == VIDMM_SIDE_DRIVER;
    if (is_advice(x) != is_advice(y))
        return is_advice(y);
    if (rule != (y->kind == VIDMM_FINDING_RULE))
        return rule;
    if (result->mark[a].weight != result->mark[b].weight)
        return result->mark[a].weight > result->mark[b].weight;
    return x->call < y->call;
}

void report_check_order(const struct vidmm_check_result *result, uint32_t order[VIDMM_FINDINGS]) {
    uint32_t leads[VIDMM_FINDINGS], count = 0, filled = 0;
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        if (!report_check_leads(result, i))
            continue;
        uint32_t at = count++;
        for (; at > 0 && stands_before(result, i, leads[at - 1]); at--)
            leads[at] = leads[at - 1];
        leads[at] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        order[filled++] = leads[i];
        for (uint32_t k = 0; k < result->ledger.findings; k++)
            if (result->mark[k].follows == leads[i] + 1)
                order[filled++] = k;
    }
}

uint32_t report_check_count(const struct vidmm_check_result *result,
                            enum vidmm_finding_state state) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        count += report_check_leads(result, i) && result->mark[i].state == (uint8_t)state;
    return count;
}

const char *report_check_state(uint8_t state) {
    static const char *const names[] = {
        [VIDMM_STATE_COUNTS] = "counts",   [VIDMM_STATE_KNOWN] = "known",
        [VIDMM_STATE_IGNORED] = "ignored", [VIDMM_STATE_OUTSIDE] = "not asked for",
        [VIDMM_STATE_MINOR] = "minor",
    };
    return names[state];
}

/* "[nc-d3dkmddi-dxgkddi_createcontext]" of a sentence. */
static bool cited_page(const char *found, char *text, size_t size) {
    const char *at = strstr(found, "[nc-");
    const char *end = at ? strchr(at, ']') : NULL;
    if (end)
        snprintf(text, size, "%.*s", (int)(end - at - 1), at + 1);
    return end;
}

/* The page of the function that a sentence begins with: "DxgkDdiRender failed with ...". */
static bool page_of_function(const char *found, char *text, size_t size) {
    static const char prefix[] = "DxgkDdi";
    size_t length = 0;
    if (strncmp(found, prefix, sizeof(prefix) - 1) != 0)
        return false;
    while (isalnum((unsigned char)found[length]))
        length++;
    snprintf(text, size, "nc-d3dkmddi-dxgkddi_%.*s", (int)(length - (sizeof(prefix) - 1)),
             found + sizeof(prefix) - 1);
    for (char *c = text; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return true;
}

const char *report_check_page(const struct vidmm_finding *finding, char *text, size_t size) {
    const struct vidmm_rule *rule = report_check_rule(finding);
    if (finding->rule == VIDMM_K_REFUSED &&
        (cited_page(finding->found, text, size) || page_of_function(finding->found, text, size)))
        return text;
    return rule ? rule->page : NULL;
}

const char *report_check_id(const struct vidmm_finding *finding, char text[8]) {
    return vidmm_rule_id(finding->rule, text);
}

const char *report_check_kind(const struct vidmm_finding *finding) {
    static const char *const kinds[] = {
        [VIDMM_FINDING_RULE] = "rule",       [VIDMM_FINDING_HOST] = "host",
        [VIDMM_FINDING_LEAK] = "leak",       [VIDMM_FINDING_CRASH] = "crash",
        [VIDMM_FINDING_HANG] = "hang",       [VIDMM_FINDING_EXIT] = "exit",
        [VIDMM_FINDING_REFUSED] = "refused",
    };
    return kinds[finding->kind];
}

const char *report_check_after(const struct vidmm_check_result *result,
                               const struct vidmm_finding *finding, char *text, size_t size) {
    char id[8];
    text[0] = '\0';
    if (finding->after == 0)
        return text;
    const struct vidmm_finding *before = &result->ledger.finding[finding->after - 1];
    snprintf(text, size, "after %s broken in %s, call %llu", report_check_id(before, id),
             before->where[0] != '\0' ? before->where : "no call of the system's",
             (unsigned long long)finding->after_call);
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
