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

void vidmm_check_reason(const struct vidmm_check_result *result, uint32_t rule, char *text,
                        size_t size) {
    const struct vidmm_rule *row = vidmm_rule(rule);
    const struct vidmm_stage_result *stage = cut_short(result);
    if (row && row->first != 0 && result->ddi_version < row->first)
        snprintf(text, size, "it holds from interface version 0x%x on", row->first);
    else if (row && row->last != 0 && result->ddi_version > row->last)
        snprintf(text, size, "it holds up to interface version 0x%x", row->last);
    else if (stage)
        snprintf(text, size, "stage %s did not come to its end", stage->name);
    else
        snprintf(text, size, "nothing that the driver reported or was asked made it apply");
}
