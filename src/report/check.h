/*
 * check.h - functions of all reports of a conformance check: the order of findings, and words for
 * them.
 */
#ifndef VIDMM_REPORT_CHECK_H
#define VIDMM_REPORT_CHECK_H

#include <vidmm/report.h>

/* Causes, the likeliest first and what merely costs time last, each with what follows from it behind
 * it. Fills `order` with indices of findings. */
void report_check_order(const struct vidmm_check_result *result, uint32_t order[VIDMM_FINDINGS]);
/* It follows from no other finding. */
bool report_check_leads(const struct vidmm_check_result *result, uint32_t finding);
/* Findings of a state, of those that lead. */
uint32_t report_check_count(const struct vidmm_check_result *result,
                            enum vidmm_finding_state state);
/* "counts", "known", "ignored" ... */
const char *report_check_state(uint8_t state);
/* What stands behind a count of those that count, of each state that does not and has some: ", 1 known, 2 minor". */
struct report_states {
    uint32_t count[VIDMM_STATE_MINOR + 1];
};
void report_check_states(FILE *out, const struct report_states *states);
/* The result of R`rule` in a word; of one whose findings do not count, their state: "minor". */
const char *report_check_outcome(const struct vidmm_check_result *result, uint32_t rule);
/* Rules that are broken, by what their findings count for: of the table (`host` false), or of what the host sees. */
void report_check_broken(const struct vidmm_check_result *result, bool host,
                         struct report_states *states);
/* "R152", "K13"; returns `text`. */
const char *report_check_id(const struct vidmm_finding *finding, char text[8]);
/* "host", "leak", "crash" ... */
const char *report_check_kind(const struct vidmm_finding *finding);
#define REPORT_AFTER 160u
/* "after R55 broken in DxgkDdiPatch, call 41", or "". */
const char *report_check_after(const struct vidmm_check_result *result,
                               const struct vidmm_finding *finding, char *text, size_t size);
/* The row of the finding's rule of the memory contract, or NULL. */
const struct vidmm_rule *report_check_rule(const struct vidmm_finding *finding);
/* The page that a finding is about: its rule's, or of a refusal that of the function that refused; NULL: none. */
#define REPORT_PAGE 160u
const char *report_check_page(const struct vidmm_finding *finding, char *text, size_t size);
/* "function (file.c:12)", or "driver.sys+0x1234" where there are no symbols. */
#define REPORT_PLACE 320u
const char *report_check_place(const struct vidmm_spot *spot, char *text, size_t size);
/* "passed", "broken", "bad input", "failed" */
const char *report_check_status(enum vidmm_check_status status);
/* "done", "skipped" ... */
const char *report_check_stage(enum vidmm_stage_outcome outcome);

/* The formats, on an open stream. */
void report_check_text(FILE *out, const struct vidmm_check_result *result,
                       const struct vidmm_check_style *style);
/* unseen.c: a line for each operation whose effects were not seen. */
void report_check_unseen(FILE *out, const struct vidmm_check_result *result);
void report_check_json(FILE *out, const struct vidmm_check_result *result);
void report_check_junit(FILE *out, const struct vidmm_check_result *result);
void report_check_sarif(FILE *out, const struct vidmm_check_result *result);

#endif
