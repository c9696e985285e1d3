/*
 * records_markdown.c - all records as a document: docs/records.md, at which rules.md and
 * from-a-bugcheck.md point.
 */
#include "markdown.h"

#include <vidmm/report.h>

static void put_cell(FILE *out, const char *text) {
    report_markdown_text(out, text);
    fputs(" | ", out);
}

static void put_next(FILE *out, bool *first) {
    fputs(*first ? "" : "; ", out);
    *first = false;
}

/* The rows that rest on the record. */
static void put_rows(FILE *out, const struct vidmm_record *record, bool *first) {
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        bool severity = vidmm_record_rests(record, &rule->severity_source);
        char id[8];
        if (!severity && !vidmm_record_rests(record, &rule->windows_source))
            continue;
        put_next(out, first);
        vidmm_rule_id(rule->number, id);
        fprintf(out, "%s of [%s](rules.md#%c%s)", severity ? "severity" : "word on Windows", id,
                id[0] - 'A' + 'a', id + 1);
    }
}

/* How vidmm holds to the record: rows of the rule table, a test, or why it cannot. */
static void put_held(FILE *out, const struct vidmm_record *record) {
    bool first = true;
    put_rows(out, record, &first);
    if (record->test) {
        put_next(out, &first);
        fprintf(out, "test `%s`", record->test);
    }
    if (record->cannot) {
        put_next(out, &first);
        report_markdown_text(out, record->cannot);
    }
}

/* An anchor by which other pages point at a record. */
static void put_record(FILE *out, const struct vidmm_record *record) {
    char name[8];
    vidmm_record_name(record, name);
    fprintf(out, "| <a id=\"%c%s\"></a>%s | ", name[0] - 'A' + 'a', name + 1, name);
    put_cell(out, record->done);
    put_cell(out, record->seen);
    if (record->system) {
        put_cell(out, record->system);
        put_cell(out, record->source);
    }
    report_markdown_rules(out, record->rules, VIDMM_RECORD_RULES);
    fputs(" | ", out);
    if (record->system) {
        put_held(out, record);
        fputs(" |", out);
    }
    fputc('\n', out);
}

static void put_record_table(FILE *out, bool mistakes) {
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if ((record->number > VIDMM_RECORD_MISTAKE) == mistakes)
            put_record(out, record);
    }
}

void vidmm_report_records_markdown(FILE *out) {
    fputs(
        "# Records: what systems were seen to do\n\n"
        "Printed by `vidmm rules --records --markdown`; `vidmm rules W21` shows one of them.\n\n"
        "What authors of drivers measured on real systems, from their logs, traces, commit "
        "messages and issues. A page promises; a\n"
        "record holds for the system that it names, and for no other. Rows of the "
        "[rule table](rules.md) name the records that their\n"
        "severity and their word on Windows rest on; where a record contradicts a page the rule is "
        "*disputed*, and both are told.\n\n"
        "That a driver starts does not make each of its answers right, only none of them a start "
        "failure.\n\n"
        "The last column says how vidmm holds to a record: the rows whose severity or word on "
        "Windows it sets, the test (of\n"
        "`tests/`) whose driver does what it tells, or why no process can show it.\n\n"
        "| | when | Windows was seen to | system | source | rules | held by |\n"
        "|---|---|---|---|---|---|---|\n",
        out);
    put_record_table(out, false);
    fputs("\n## What drivers got wrong\n\n"
          "From repositories, logs and commit messages of open miniports. The list is not "
          "complete.\n\n"
          "| | mistake | what it cost | rules |\n|---|---|---|---|\n",
          out);
    put_record_table(out, true);
}
