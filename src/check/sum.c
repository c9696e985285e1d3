/*
 * sum.c - what the findings and the rules come to: how many rules were seen, which findings count, and
 * the verdict.
 */
#include "stage.h"
#include "unite.h"

#include <string.h>

/* ---- Rules ----------------------------------------------------------------------------------- */

static bool is_examined(const struct vidmm_check_options *options, const struct vidmm_rule *rule) {
    return rule && rule->judged && (rule->side & VIDMM_SIDE_BOTH) != 0 &&
           (!options->only_some || options->only[rule->number] != 0);
}

static void sum_rules(const struct vidmm_check_options *options,
                      struct vidmm_check_result *result) {
    const struct vidmm_ledger *ledger = &result->ledger;
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        if (!is_examined(options, vidmm_rule(number)))
            continue;
        result->examined[number] = 1;
        result->judged++;
        if (ledger->broken[number] != 0)
            result->broken++;
        else if (ledger->kept[number] != 0)
            result->passed++;
        else
            result->not_reached++;
    }
}

/* ---- Findings -------------------------------------------------------------------------------- */

static bool has_identity(const struct vidmm_identities *list, const char *identity) {
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->text[i], identity) == 0)
            return true;
    return false;
}

/* Of a driver that may be right all the same; who asks for such rules has it count. */
static bool is_advice(const struct vidmm_check_options *options,
                      const struct vidmm_finding *finding) {
    const struct vidmm_rule *rule = vidmm_rule(finding->rule);
    return rule && rule->advice && !options->fail_some && !options->only_some;
}

static enum vidmm_finding_state state_of(const struct vidmm_check_options *options,
                                         const struct vidmm_finding *finding,
                                         const char *identity) {
    if (options->only_some && options->only[finding->rule] == 0)
        return VIDMM_STATE_OUTSIDE;
    if (options->ignore[finding->rule] != 0 || has_identity(&options->ignored, identity))
        return VIDMM_STATE_IGNORED;
    if (has_identity(&options->known, identity))
        return VIDMM_STATE_KNOWN;
    if (is_advice(options, finding) ||
        (options->fail_some && vidmm_finding_severity(finding) > options->fail_on))
        return VIDMM_STATE_MINOR;
    return VIDMM_STATE_COUNTS;
}

static void sum_findings(const struct vidmm_check_options *options,
                         struct vidmm_check_result *result) {
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[i];
        struct vidmm_finding_mark *mark = &result->mark[i];
        vidmm_finding_identity(finding, mark->identity);
        mark->state = (uint8_t)state_of(options, finding, mark->identity);
    }
}

/* What follows from a finding that does not count stands alone: the first that counts leads the
 * others. */
static void sum_leads(struct vidmm_check_result *result) {
    uint16_t follows[VIDMM_FINDINGS];
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        struct vidmm_finding_mark *mark = &result->mark[i];
        follows[i] = mark->follows;
        if (mark->follows == 0 || mark->state != VIDMM_STATE_COUNTS ||
            result->mark[mark->follows - 1].state == VIDMM_STATE_COUNTS)
            continue;
        uint32_t lead = 0;
        while (follows[lead] != follows[i] || result->mark[lead].state != VIDMM_STATE_COUNTS)
            lead++;
        mark->follows = (uint16_t)(lead == i ? 0 : lead + 1);
    }
}

/* ---- The verdict ----------------------------------------------------------------------------- */

/* `name`: of the stage that stopped; NULL: the sentence stands alone. */
static void driver_failed(struct vidmm_check_result *result, const char *name, const char *text) {
    result->status = VIDMM_CHECK_DRIVER_FAILED;
    snprintf(result->text, sizeof(result->text), "%s%s%s%s", name ? "stage " : "", name ? name : "",
             name ? ": " : "", text);
}

/* The first refusal that may decide: without what was refused nothing can be said of the rules that
 * were asked for either. */
static const struct vidmm_finding *first_refusal(const struct vidmm_check_result *result) {
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        uint8_t state = result->mark[i].state;
        if (result->ledger.finding[i].kind == VIDMM_FINDING_REFUSED &&
            (state == VIDMM_STATE_COUNTS || state == VIDMM_STATE_OUTSIDE))
            return &result->ledger.finding[i];
    }
    return NULL;
}

/* The stage that ended early, when no finding that does not count tells why; or NULL. */
static const struct vidmm_stage_result *first_stop(const struct vidmm_check_result *result) {
    bool told = result->passed != 0 && result->ledger.findings != 0;
    for (uint32_t i = 0; i < result->stages && !told; i++)
        if (result->stage[i].outcome > VIDMM_STAGE_SKIPPED)
            return &result->stage[i];
    return NULL;
}

static void conclude(struct vidmm_check_result *result) {
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (result->mark[i].state == VIDMM_STATE_COUNTS &&
            result->ledger.finding[i].kind != VIDMM_FINDING_REFUSED)
            result->status = VIDMM_CHECK_BROKEN;
    const struct vidmm_finding *refusal = first_refusal(result);
    const struct vidmm_stage_result *stop = first_stop(result);
    if (result->status == VIDMM_CHECK_BROKEN)
        return;
    if (result->passed != 0 && result->ledger.calls == 0)
        driver_failed(result, NULL, "rules were kept, and no call was made");
    if (result->ledger.short_of_memory)
        driver_failed(result, NULL, VIDMM_LEDGER_SHORT);
    else if (refusal)
        driver_failed(result, NULL, refusal->found);
    else if (stop)
        driver_failed(result, stop->name, stop->text);
}

/* ---- What was not examined ------------------------------------------------------------------- */

/* A stage that was done with most of its work refused; NULL: there is none. */
static const struct vidmm_stage_result *first_unmade(const struct vidmm_check_result *result) {
    for (uint32_t i = 0; i < result->stages; i++)
        if (result->stage[i].unmade && result->stage[i].outcome == VIDMM_STAGE_DONE)
            return &result->stage[i];
    return NULL;
}

/* "paging, power and memory"; how many. */
static uint32_t name_unmade(const struct vidmm_check_result *result, char *names, size_t size) {
    uint32_t count = 0, told = 0;
    size_t used = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < result->stages; i++)
        count += result->stage[i].unmade;
    for (uint32_t i = 0; i < result->stages && used < size; i++) {
        if (!result->stage[i].unmade)
            continue;
        const char *before = told == 0 ? "" : told + 1 == count ? " and " : ", ";
        told++;
        used += (size_t)snprintf(names + used, size - used, "%s%s", before, result->stage[i].name);
    }
    return count;
}

/* So that a driver is not taken for one that was examined where little of it was. */
static void sum_unmade(struct vidmm_check_result *result) {
    static const char part[] = "in part: ";
    const struct vidmm_stage_result *first = first_unmade(result);
    char names[192];
    uint32_t count = name_unmade(result, names, sizeof(names));
    if (!first || result->text[0] != '\0')
        return;
    bool prefixed = strncmp(first->text, part, sizeof(part) - 1) == 0;
    snprintf(result->text, sizeof(result->text),
             "most work of stage%s %s was not made, and not examined: %s", count > 1 ? "s" : "",
             names, first->text + (prefixed ? sizeof(part) - 1 : 0));
}

void check_sum(struct causes *causes, const struct vidmm_check_options *options,
               struct vidmm_check_result *result) {
    sum_rules(options, result);
    sum_findings(options, result);
    causes_conclude(causes, result);
    sum_leads(result);
    unite_followers(result);
    conclude(result);
    sum_unmade(result);
}
