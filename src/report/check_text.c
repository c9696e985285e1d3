/*
 * check_text.c - a conformance check as text: findings, causes first, then the figures.
 */
#include "check.h"
#include "names.h"
#include "places.h"

#include <inttypes.h>
#include <string.h>

#include <vidmm/printable.h>

struct ink {
    const char *bad, *warn, *good, *dim, *end;
};

static struct ink ink_of(bool color) {
    static const struct ink none = {"", "", "", "", ""};
    static const struct ink all = {"\033[1;31m", "\033[1;33m", "\033[32m", "\033[2m", "\033[0m"};
    return color ? all : none;
}

static void print_head(FILE *out, const struct vidmm_check_result *result) {
    const char *name = vidmm_run_ddi_name(result->ddi_version);
    char note[REPORT_NOTE], driver[256];
    fputs(vidmm_printable_copy(result->driver, driver, sizeof(driver)), out);
    if (name)
        fprintf(out, ", interface %s", name);
    else if (result->ddi_version != 0)
        fprintf(out, ", interface 0x%" PRIx32, result->ddi_version);
    fprintf(out, ", seed %" PRIu64 "\n", result->seed);
    if (report_interface_note(result->registered_version, result->wddm_version, result->ddi_version,
                              note, sizeof(note)))
        fprintf(out, "%s\n", note);
    fputc('\n', out);
}

static void print_rule(FILE *out, const struct vidmm_finding *finding, const struct ink *ink) {
    const struct vidmm_rule *rule = vidmm_rule(finding->rule);
    char id[8], text[REPORT_PAGE];
    const char *page = report_check_page(finding, text, sizeof(text));
    fprintf(out, "      rule:     %s (%s)\n", rule->statement,
            vidmm_confidence_text(rule->confidence));
    fprintf(out, "      %spage:     %s; vidmm rules %s says how to do it right%s\n", ink->dim,
            page ? page : rule->page, vidmm_rule_id(rule->number, id), ink->end);
    if (rule->confidence == VIDMM_DISPUTED && rule->readings)
        fprintf(out, "      %sreadings: %s%s\n", ink->dim, rule->readings, ink->end);
}

static void print_found(FILE *out, const struct vidmm_check_result *result,
                        const struct vidmm_finding *finding) {
    char after[REPORT_AFTER];
    report_check_after(result, finding, after, sizeof(after));
    fprintf(out, "      found:    %s%s%s\n", finding->found, after[0] != '\0' ? ", " : "", after);
    if (finding->expected[0] != '\0')
        fprintf(out, "      expected: %s\n", finding->expected);
    if (finding->kept_until != 0)
        fprintf(out,
                "      kept:     %" PRIu32 " time%s until %s (call %" PRIu64 "), and never since\n",
                finding->kept_until, finding->kept_until == 1 ? "" : "s",
                vidmm_turn_text(finding->until), finding->until_call);
    report_places(out, "      ", finding);
}

/* ---- What follows from a finding ------------------------------------------------------------- */

static bool is_follower(const struct vidmm_check_result *result, uint32_t lead, uint32_t finding,
                        bool rule) {
    return result->mark[finding].follows == lead + 1 && !result->mark[finding].united &&
           (result->ledger.finding[finding].kind == VIDMM_FINDING_RULE) == rule;
}

#define PLACES_TOLD 6u /* the calls in which a rule was broken that is told in one line */

/* A place that no finding before `end` has told. */
static bool is_new_place(const struct vidmm_check_result *result, uint32_t lead, uint32_t end) {
    const struct vidmm_finding *finding = &result->ledger.finding[end];
    for (uint32_t i = 0; i < end; i++)
        if (is_follower(result, lead, i, true) && result->ledger.finding[i].rule == finding->rule &&
            strcmp(result->ledger.finding[i].where, finding->where) == 0)
            return false;
    return finding->where[0] != '\0';
}

/* "R27 in DxgkDdiQueryAdapterInfo(GPUMMUCAPS), DxgkDdiQueryAdapterInfo(IOMMU_CAPS), 112 times", of
 * all of a rule. */
static void print_rule_follows(FILE *out, const struct vidmm_check_result *result, uint32_t lead,
                               uint32_t number) {
    uint32_t places = 0;
    uint64_t times = 0;
    char id[8];
    fputs(vidmm_rule_id(number, id), out);
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[i];
        if (!is_follower(result, lead, i, true) || finding->rule != number)
            continue;
        times += finding->times;
        if (is_new_place(result, lead, i) && places++ < PLACES_TOLD)
            fprintf(out, "%s%s", places == 1 ? " in " : ", ", finding->where);
    }
    if (places > PLACES_TOLD)
        fprintf(out, " and %" PRIu32 " more", places - PLACES_TOLD);
    if (times > 1)
        fprintf(out, ", %" PRIu64 " times", times);
}

static void print_rules_follow(FILE *out, const struct vidmm_check_result *result, uint32_t lead) {
    uint8_t told[VIDMM_RULES_SIZE] = {0};
    const char *before = "      also:     ";
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        uint32_t number = result->ledger.finding[i].rule;
        if (!is_follower(result, lead, i, true) || told[number] != 0)
            continue;
        told[number] = 1;
        fputs(before, out);
        print_rule_follows(out, result, lead, number);
        before = "; ";
    }
    if (before[0] == ';')
        fputc('\n', out);
}

/* Where it happened, if that is known and not the place of the finding that it stands under. */
static void print_other_place(FILE *out, const struct vidmm_finding *lead,
                              const struct vidmm_finding *finding) {
    char text[REPORT_PLACE];
    const struct vidmm_spot *spot = &finding->place[0];
    if (finding->places == 0 || (lead->places != 0 && lead->place[0].offset == spot->offset))
        return;
    fprintf(out, ", at %s", report_check_place(spot, text, sizeof(text)));
}

/* What is no rule's, each in its sentence. */
static void print_ends(FILE *out, const struct vidmm_check_result *result, uint32_t lead) {
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding *finding = &result->ledger.finding[i];
        char after[REPORT_AFTER], id[8];
        if (!is_follower(result, lead, i, false))
            continue;
        report_check_after(result, finding, after, sizeof(after));
        fprintf(out, "      then:     %s %s%s%s", report_check_id(finding, id), finding->found,
                after[0] != '\0' ? ", " : "", after);
        if (finding->times > 1)
            fprintf(out, " (%" PRIu32 " times)", finding->times);
        print_other_place(out, &result->ledger.finding[lead], finding);
        fputc('\n', out);
    }
}

/* ---- Findings -------------------------------------------------------------------------------- */

static void print_title(FILE *out, const struct vidmm_check_result *result, uint32_t index,
                        const struct ink *ink) {
    const struct vidmm_finding *finding = &result->ledger.finding[index];
    const struct vidmm_rule *rule = report_check_rule(finding);
    bool disputed = rule && rule->confidence == VIDMM_DISPUTED;
    fprintf(out, "  %s%s%s %s: %s", disputed ? ink->warn : ink->bad, result->mark[index].identity,
            ink->end, vidmm_severity_text((uint8_t)vidmm_finding_severity(finding)),
            vidmm_side_text(finding->who));
    if (finding->where[0] != '\0')
        fprintf(out, " in %s", finding->where);
    fprintf(out, "%s", ink->dim);
    if (finding->call != 0)
        fprintf(out, ", call %" PRIu64, finding->call);
    if (finding->times > 1)
        fprintf(out, ", %" PRIu32 " times", finding->times);
    if (finding->step[0] != '\0')
        fprintf(out, " [%s]", finding->step);
    fprintf(out, "%s\n", ink->end);
}

static void print_finding(FILE *out, const struct vidmm_check_result *result, uint32_t index,
                          const struct ink *ink) {
    const struct vidmm_finding *finding = &result->ledger.finding[index];
    const struct vidmm_rule *rule = vidmm_rule(finding->rule);
    print_title(out, result, index, ink);
    print_found(out, result, finding);
    if (finding->who == VIDMM_SIDE_MANAGER)
        fputs(
            "      note:     this is a mistake of vidmm's own manager, unless one of the driver's "
            "led to it: please report it\n",
            out);
    print_rules_follow(out, result, index);
    print_ends(out, result, index);
    if (rule)
        print_rule(out, finding, ink);
}

/* One line each: those that do not count. */
static void print_others(FILE *out, const struct vidmm_check_result *result,
                         const uint32_t order[VIDMM_FINDINGS]) {
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        const struct vidmm_finding_mark *mark = &result->mark[order[i]];
        const struct vidmm_finding *finding = &result->ledger.finding[order[i]];
        if (mark->state == VIDMM_STATE_COUNTS || mark->follows != 0)
            continue;
        fprintf(out, "  %s %s: %s%s%s\n", report_check_state(mark->state), mark->identity,
                finding->where, finding->where[0] != '\0' ? ": " : "", finding->found);
    }
}

static void print_findings(FILE *out, const struct vidmm_check_result *result,
                           const struct ink *ink) {
    uint32_t order[VIDMM_FINDINGS];
    report_check_order(result, order);
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (result->mark[order[i]].state == VIDMM_STATE_COUNTS &&
            report_check_leads(result, order[i]))
            print_finding(out, result, order[i], ink);
    print_others(out, result, order);
    if (result->ledger.dropped != 0)
        fprintf(out, "  and %" PRIu32 " more that are not listed\n", result->ledger.dropped);
    if (result->ledger.findings != 0)
        fputc('\n', out);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

/* Not done, for the same reason as the stage before: one line tells of all of them. */
static bool same_reason(const struct vidmm_stage_result *a, const struct vidmm_stage_result *b) {
    return a->outcome == b->outcome && a->text[0] != '\0' && strcmp(a->text, b->text) == 0;
}

/* How many stages from `stage` on have its reason. */
static uint32_t alike(const struct vidmm_check_result *result, uint32_t stage) {
    uint32_t end = stage + 1;
    while (end < result->stages && same_reason(&result->stage[stage], &result->stage[end]))
        end++;
    return end - stage;
}

static void print_stage(FILE *out, const struct vidmm_stage_result *stage, uint32_t count,
                        const struct ink *ink) {
    bool bad = stage->outcome > VIDMM_STAGE_SKIPPED;
    uint64_t calls = 0;
    uint32_t ms = 0;
    char text[32], others[32] = "";
    for (uint32_t i = 0; i < count; i++) {
        calls += stage[i].calls;
        ms += stage[i].ms;
    }
    if (count > 1)
        snprintf(others, sizeof(others), "and %" PRIu32 " more: ", count - 1);
    fprintf(out, "  %-13s %s%-8s%s %12s calls %7" PRIu32 " ms%s%s%s\n", stage->name,
            bad ? ink->bad : "", report_check_stage(stage->outcome), bad ? ink->end : "",
            vidmm_report_count(calls, text, sizeof(text)), ms,
            stage->text[0] != '\0' || count > 1 ? "  " : "", others, stage->text);
}

static void print_stages(FILE *out, const struct vidmm_check_result *result,
                         const struct ink *ink) {
    for (uint32_t i = 0, count; i < result->stages; i += count) {
        count = alike(result, i);
        const struct vidmm_stage_result *stage = &result->stage[i];
        if (stage->outcome != VIDMM_STAGE_LEFT_OUT || stage->text[0] != '\0')
            print_stage(out, stage, count, ink);
    }
}

static void print_rules(FILE *out, const struct vidmm_check_result *result) {
    fputc('\n', out);
    for (uint32_t number = 1; number <= VIDMM_RULES_LAST; number++) {
        const struct vidmm_rule *rule = vidmm_rule(number);
        char reason[192] = "";
        if (result->examined[number] == 0 || !rule)
            continue;
        if (result->ledger.kept[number] == 0 && result->ledger.broken[number] == 0)
            vidmm_check_reason(result, number, reason, sizeof(reason));
        fprintf(out, "  R%-4" PRIu32 " %-11s %s%s%s\n", number,
                report_check_outcome(result, number), rule->statement,
                reason[0] != '\0' ? " - " : "", reason);
    }
}

/* ---- The end --------------------------------------------------------------------------------- */

static void print_share(FILE *out, const struct vidmm_check_result *result) {
    struct vidmm_check_share share;
    vidmm_check_share(result, &share);
    fprintf(out,
            "\n%" PRIu32 " rules of the table: %" PRIu32 " judged and seen, %" PRIu32
            " judged and not reached, %" PRIu32 " not of this interface, %" PRIu32
            " not visible, %" PRIu32 " not judged",
            share.rules, share.seen, share.not_reached, share.other, share.not_visible,
            share.not_judged);
    if (share.not_asked != 0)
        fprintf(out, ", %" PRIu32 " not asked for", share.not_asked);
    fputc('\n', out);
}

static void print_stages_sum(FILE *out, const struct vidmm_check_result *result) {
    uint32_t count[VIDMM_STAGE_HUNG + 1] = {0};
    for (uint32_t i = 0; i < result->stages; i++)
        count[result->stage[i].outcome]++;
    fprintf(out, "%" PRIu32 " stages: %" PRIu32 " done", result->stages, count[VIDMM_STAGE_DONE]);
    for (uint32_t i = 0; i <= VIDMM_STAGE_HUNG; i++)
        if (i != VIDMM_STAGE_DONE && count[i] != 0)
            fprintf(out, ", %" PRIu32 " %s", count[i],
                    report_check_stage((enum vidmm_stage_outcome)i));
    fputc('\n', out);
}

/* How many findings, and which of them do not count. */
static void print_findings_sum(FILE *out, const struct vidmm_check_result *result) {
    struct report_states findings;
    for (uint32_t state = 0; state <= VIDMM_STATE_MINOR; state++)
        findings.count[state] = report_check_count(result, (enum vidmm_finding_state)state);
    uint32_t counts = findings.count[VIDMM_STATE_COUNTS];
    if (result->ledger.findings == 0)
        return;
    fprintf(out, "%" PRIu32 " finding%s", counts, counts == 1 ? "" : "s");
    report_check_states(out, &findings);
    fputc('\n', out);
}

/* What the host sees (K1 and on) is not in the table of rules. */
static void print_host_sum(FILE *out, const struct vidmm_check_result *result) {
    struct report_states broken;
    uint32_t sum = 0;
    report_check_broken(result, true, &broken);
    for (uint32_t state = 0; state <= VIDMM_STATE_MINOR; state++)
        sum += broken.count[state];
    if (sum == 0)
        return;
    fprintf(out, "; of the host's (K) %" PRIu32 " broken", broken.count[VIDMM_STATE_COUNTS]);
    report_check_states(out, &broken);
}

static void print_rules_sum(FILE *out, const struct vidmm_check_result *result) {
    struct report_states broken;
    report_check_broken(result, false, &broken);
    fprintf(out, "%" PRIu32 " rules judged: %" PRIu32 " passed, %" PRIu32 " broken", result->judged,
            result->passed, broken.count[VIDMM_STATE_COUNTS]);
    report_check_states(out, &broken);
    fprintf(out, ", %" PRIu32 " not reached", result->not_reached);
    print_host_sum(out, result);
    fputc('\n', out);
}

void report_check_text(FILE *out, const struct vidmm_check_result *result,
                       const struct vidmm_check_style *style) {
    const struct ink ink = ink_of(style->color);
    print_head(out, result);
    print_findings(out, result, &ink);
    print_stages(out, result, &ink);
    if (style->verbose)
        print_rules(out, result);
    print_share(out, result);
    report_check_unseen(out, result);
    print_stages_sum(out, result);
    print_findings_sum(out, result);
    print_rules_sum(out, result);
    bool passed = result->status == VIDMM_CHECK_PASSED;
    fprintf(out, "%s%s%s%s%s\n", passed ? ink.good : ink.bad, report_check_status(result->status),
            ink.end, result->text[0] != '\0' ? ": " : "", result->text);
}
