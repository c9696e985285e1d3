/*
 * verdict.c - see verdict.h.
 */
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/printable.h>

void run_worsen(struct vidmm_run_result *result, enum vidmm_run_status status, const char *text) {
    struct run_worse worse = {.status = (uint32_t)status};
    if (result->status != VIDMM_RUN_VERIFIED || status == VIDMM_RUN_VERIFIED)
        return;
    result->status = status;
    vidmm_printable_copy(text, result->text, sizeof(result->text));
    snprintf(worse.text, sizeof(worse.text), "%s", text);
    vidmm_watch_say(RUN_WORSENS, &worse, sizeof(worse));
}

static void keep_text(char ***list, uint32_t *count, const char *text) {
    char **longer = realloc(*list, (*count + 1u) * sizeof(*longer));
    if (!longer)
        return;
    *list = longer;
    char *copy = strdup(text);
    if (copy)
        longer[(*count)++] = vidmm_printable(copy, false);
}

void run_violation(struct vidmm_run_result *result, const char *text) {
    run_worsen(result, VIDMM_RUN_WRONG, text);
    keep_text(&result->violations, &result->violation_count, text);
    vidmm_watch_say(RUN_VIOLATION, text, strlen(text));
}

void vidmm_run_result_violation(struct vidmm_run_result *result, const char *text) {
    run_violation(result, text);
}

/* The host's sentences may be longer than a finding has room for. */
static bool is_listed(const struct vidmm_run_result *result, const char *found) {
    size_t most = sizeof(((struct vidmm_finding *)0)->found) - 1;
    for (uint32_t i = 0; i < result->violation_count; i++)
        if (strncmp(result->violations[i], found, most) == 0)
            return true;
    return false;
}

/* What merely costs time is advice, and no wrong byte. */
static void add_rule(struct vidmm_run_result *result, const struct vidmm_finding *finding) {
    char text[sizeof(result->text)];
    vidmm_finding_text(finding, text, sizeof(text));
    if (vidmm_finding_severity(finding) == VIDMM_SEVERITY_PERFORMANCE)
        keep_text(&result->advice, &result->advice_count, text);
    else
        run_violation(result, text);
}

void run_findings(struct vidmm_run_result *result, bool all) {
    const struct vidmm_ledger *ledger = result->ledger;
    for (uint32_t i = 0; ledger && i < ledger->findings; i++) {
        const struct vidmm_finding *finding = &ledger->finding[i];
        if (finding->kind == VIDMM_FINDING_RULE)
            add_rule(result, finding);
        else if (all && !is_listed(result, finding->found))
            run_violation(result, finding->found);
    }
}

struct vidmm_ledger *run_ended(const struct vidmm_watch_end *end) {
    struct vidmm_ledger *ledger = calloc(1, sizeof(*ledger));
    if (ledger)
        vidmm_watch_note(end, ledger);
    return ledger;
}
