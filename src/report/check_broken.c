/*
 * check_broken.c - which of the rules that are broken count, and what becomes of the others; see check.h.
 */
#include "check.h"

/* In the order in which they are told. A rule is of the first that a finding of it is in. */
static const enum vidmm_finding_state uncounted[] = {VIDMM_STATE_KNOWN, VIDMM_STATE_IGNORED,
                                                     VIDMM_STATE_OUTSIDE, VIDMM_STATE_MINOR};

void report_check_states(FILE *out, const struct report_states *states) {
    for (size_t i = 0; i < sizeof(uncounted) / sizeof(uncounted[0]); i++)
        if (states->count[uncounted[i]] != 0)
            fprintf(out, ", %u %s", states->count[uncounted[i]],
                    report_check_state((uint8_t)uncounted[i]));
}

static bool has_state(const struct vidmm_check_result *result, uint32_t rule,
                      enum vidmm_finding_state state) {
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (result->ledger.finding[i].rule == rule && result->mark[i].state == (uint8_t)state)
            return true;
    return false;
}

/* Of a rule that is broken. One whose findings are not listed counts. */
static enum vidmm_finding_state state_of_rule(const struct vidmm_check_result *result,
                                              uint32_t rule) {
    for (size_t i = 0; i < sizeof(uncounted) / sizeof(uncounted[0]); i++)
        if (has_state(result, rule, uncounted[i]) && !has_state(result, rule, VIDMM_STATE_COUNTS))
            return uncounted[i];
    return VIDMM_STATE_COUNTS;
}

const char *report_check_outcome(const struct vidmm_check_result *result, uint32_t rule) {
    bool broken =
        rule <= VIDMM_RULES_LAST && result->examined[rule] != 0 && result->ledger.broken[rule] != 0;
    enum vidmm_finding_state state = broken ? state_of_rule(result, rule) : VIDMM_STATE_COUNTS;
    return state == VIDMM_STATE_COUNTS ? vidmm_check_outcome(result, rule)
                                       : report_check_state((uint8_t)state);
}

void report_check_broken(const struct vidmm_check_result *result, bool host,
                         struct report_states *states) {
    uint32_t first = host ? VIDMM_RULES_LAST + 1 : 1;
    uint32_t end = host ? VIDMM_RULES_SIZE : VIDMM_RULES_LAST + 1;
    *states = (struct report_states){.count = {0}};
    for (uint32_t rule = first; rule < end; rule++)
        if (result->ledger.broken[rule] != 0 && (host || result->examined[rule] != 0))
            states->count[state_of_rule(result, rule)]++;
}
