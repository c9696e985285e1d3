/*
 * outcome.c - the result of one rule, and why it was not reached.
 */
#include "stage.h"

const char *vidmm_check_outcome(const struct vidmm_check_result *result, uint32_t rule) {
    if (rule > VIDMM_RULES_LAST || result->examined[rule] == 0)
        return "not judged";
    if (result->ledger.broken[rule] != 0)
        return "broken";
    return result->ledger.kept[rule] != 0 ? "passed" : "not reached";
}

/* The stage that ended early, or NULL. */
static const struct vidmm_stage_result *cut_short(const struct vidmm_check_result *result) {
    for (uint32_t i = 0; i < result->stages; i++)
        if (result->stage[i].outcome > VIDMM_STAGE_SKIPPED)
            return &result->stage[i];
    return NULL;
}

static bool of_other_interface(const struct vidmm_check_result *result,
                               const struct vidmm_rule *rule) {
    uint32_t spoken = result->ddi_version; /* 0: it did not come to that */
    return spoken != 0 &&
           ((rule->first != 0 && spoken < rule->first) || (rule->last != 0 && spoken > rule->last));
}

/* The part that a rule which is examined belongs to. */
static uint32_t *share_of(const struct vidmm_check_result *result, const struct vidmm_rule *rule,
                          struct vidmm_check_share *share) {
    const struct vidmm_ledger *ledger = &result->ledger;
    if (ledger->kept[rule->number] != 0 || ledger->broken[rule->number] != 0)
        return &share->seen;
    if (of_other_interface(result, rule))
        return &share->other;
    return ledger->unseen[rule->number] != 0 ? &share->not_visible : &share->not_reached;
}

void vidmm_check_share(const struct vidmm_check_result *result, struct vidmm_check_share *share) {
    *share = (struct vidmm_check_share){.rules = 0};
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        if (!rule || (rule->side & VIDMM_SIDE_BOTH) == 0)
            continue;
        share->rules++;
        if (result->examined[number] != 0)
            ++*share_of(result, rule, share);
        else if (rule->judged)
            share->not_asked++;
        else
            share->not_judged++;
    }
}

void vidmm_check_reason(const struct vidmm_check_result *result, uint32_t rule, char *text,
                        size_t size) {
    const struct vidmm_rule *row = vidmm_rule(rule);
    const struct vidmm_stage_result *stage = cut_short(result);
    bool other = row && of_other_interface(result, row);
    if (other && row->first != 0 && result->ddi_version < row->first)
        snprintf(text, size, "it holds from interface version 0x%x on", row->first);
    else if (other)
        snprintf(text, size, "it holds up to interface version 0x%x", row->last);
    else if (row && result->ledger.unseen[rule] != 0)
        snprintf(text, size, "the memory that would show it cannot be seen: %s",
                 "--hardware or --device shows it");
    else if (stage)
        snprintf(text, size, "stage %s did not come to its end", stage->name);
    else
        snprintf(text, size, "nothing that the driver reported or was asked made it apply");
}
