/*
 * lookup.c - what a lookup found, for people: the code and what to look at first, the rules, what
 * Windows was seen to do, what other drivers got wrong.
 *
 * lookup_json.c has the same for programs, codes_markdown.c and records_markdown.c
 * all codes and records as documents.
 */
#include "rules.h"

#include <inttypes.h>
#include <string.h>

/* A page in sections, with an empty line between two. */
struct page {
    FILE *out;
    unsigned columns; /* of prose */
    bool begun;
};

static void put_title(struct page *page, const char *title) {
    fprintf(page->out, "%s%s\n", page->begun ? "\n" : "", title);
    page->begun = true;
}

/* "Bugcheck 0x10E": a line begins with it. */
static void put_code_title(FILE *out, const struct vidmm_code *code) {
    char text[32];
    vidmm_code_text(code, text);
    if (code->kind == VIDMM_CODE_STATUS)
        fprintf(out, "%s, %s\n", code->name, text);
    else
        fprintf(out, "%c%s %s\n", text[0] >= 'a' ? text[0] - 'a' + 'A' : text[0], text + 1,
                code->name);
}

static void put_paragraph(FILE *out, const char *text) {
    fputs("  ", out);
    report_wrapped(out, text, 2, REPORT_PAGE_COLUMNS);
}

static void put_parameter(FILE *out, const struct vidmm_lookup *lookup) {
    if (!lookup->has_parameter || lookup->code->kind > VIDMM_CODE_LIVE_DUMP)
        return;
    fprintf(out, "  parameter 1 is 0x%" PRIX32 ": ", lookup->parameter);
    if (lookup->of)
        report_wrapped(out, lookup->of->meaning, 4, REPORT_PAGE_COLUMNS - 20);
    else
        fputs(lookup->code->cases ? "see the page; no rule is known to end there\n"
                                  : "see the page\n",
              out);
}

static void put_statuses(FILE *out, const struct vidmm_lookup *lookup) {
    for (uint32_t i = 0; i < lookup->status_count; i++) {
        const struct vidmm_code *status = lookup->statuses[i];
        fputc('\n', out);
        put_code_title(out, status);
        if (status->meaning)
            put_paragraph(out, status->meaning);
    }
}

/* What to look at for the case, else for the code. */
static void put_looks(FILE *out, const struct vidmm_lookup *lookup) {
    const char *const *look = lookup->code->look;
    size_t count = VIDMM_CODE_LOOKS;
    if (lookup->of && lookup->of->look[0]) {
        look = lookup->of->look;
        count = VIDMM_CASE_LOOKS;
    }
    if (look[0])
        fputs("\nLook first at\n", out);
    for (size_t i = 0; i < count && look[i]; i++) {
        fprintf(out, "  %zu. ", i + 1);
        report_wrapped(out, look[i], 5, REPORT_PAGE_COLUMNS);
    }
}

/* The values of parameter 1 that lead somewhere. */
static void put_cases(FILE *out, const struct vidmm_code *code) {
    if (code->cases)
        fputs("\nParameter 1\n", out);
    for (size_t i = 0; code->cases && i < code->cases->count; i++) {
        fprintf(out, "  0x%-4" PRIX32 " ", code->cases->rows[i].value);
        report_wrapped(out, code->cases->rows[i].meaning, 9, REPORT_PAGE_COLUMNS);
    }
}

static void put_code(FILE *out, const struct vidmm_lookup *lookup) {
    const struct vidmm_code *code = lookup->code;
    put_code_title(out, code);
    if (code->meaning)
        put_paragraph(out, code->meaning);
    put_parameter(out, lookup);
    if (code->page)
        fprintf(out, "  " REPORT_LEARN "%s\n", code->page);
    put_statuses(out, lookup);
    put_looks(out, lookup);
    if (!lookup->has_parameter)
        put_cases(out, code);
}

/* Rows of some rules, under a title. */
static void put_rules(struct page *page, const char *title, const bool *marks, unsigned columns) {
    put_title(page, title);
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        if (marks[rule->number])
            report_rule_row(page->out, rule, columns);
    }
}

static void put_record(FILE *out, const struct vidmm_record *record, unsigned columns) {
    char name[8];
    fprintf(out, "  %-4s ", vidmm_record_name(record, name));
    if (record->system) {
        fputs("to ", out);
        report_wrapped(out, record->seen, 7, columns);
        fprintf(out, "%7swhen ", "");
        report_wrapped(out, record->done, 7, columns);
        fprintf(out, "%7s(%s; %s)\n", "", record->system, record->source);
    } else {
        report_wrapped(out, record->done, 7, columns);
        fprintf(out, "%7swhat it cost: ", "");
        report_wrapped(out, record->seen, 7, columns);
    }
}

/* The W and the F records of a result. */
static void put_records(struct page *page, const struct vidmm_lookup *lookup) {
    static const char *const titles[] = {"Windows was seen", "What drivers got wrong"};
    for (unsigned mistakes = 0; mistakes < 2; mistakes++) {
        const char *title = titles[mistakes];
        const struct vidmm_record *record = NULL;
        while ((record = vidmm_record_after(record))) {
            if (!lookup->records[record->number] ||
                (record->number > VIDMM_RECORD_MISTAKE) != (mistakes != 0))
                continue;
            if (title)
                put_title(page, title);
            title = NULL;
            put_record(page->out, record, page->columns);
        }
    }
}

static void put_found(struct page *page, const struct vidmm_lookup *lookup, unsigned columns) {
    const char *title = lookup->code     ? "Rules that can end there"
                        : lookup->record ? "Rules that it speaks of"
                                         : "Rules";
    if (lookup->rule_count != 0)
        put_rules(page, title, lookup->rules, columns);
    else if (lookup->code)
        put_title(page, "No rule of the table is known to end there.");
    if (lookup->other_count != 0)
        put_rules(page, "Rules whose explanation speaks of it", lookup->others, columns);
}

void vidmm_report_lookup(FILE *out, const struct vidmm_lookup *lookup, uint32_t columns) {
    struct page page = {.out = out, .columns = REPORT_PAGE_COLUMNS};
    if (columns != 0 && columns < page.columns)
        page.columns = columns;
    page.begun = lookup->rule || lookup->code;
    if (lookup->code)
        put_code(out, lookup);
    if (lookup->rule)
        vidmm_report_rule(out, lookup->rule);
    if (lookup->rule || lookup->record)
        put_records(&page, lookup);
    if (!lookup->rule)
        put_found(&page, lookup, columns);
    if (!lookup->rule && !lookup->record)
        put_records(&page, lookup);
    if (lookup->alike)
        fprintf(out, "\nvidmm rules 0x%" PRIX32 " explains %s.\n", lookup->alike->number,
                lookup->alike->name);
    if (!lookup->rule)
        put_title(&page, "vidmm rules R152 explains one rule.");
}

void vidmm_report_codes(FILE *out) {
    const struct vidmm_code *code;
    for (size_t i = 0; (code = vidmm_code_at(i)); i++) {
        char text[32];
        fprintf(out, "%-16s %s\n", vidmm_code_text(code, text), code->name);
    }
}

void vidmm_report_records(FILE *out, uint32_t columns) {
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record)))
        put_record(out, record, columns);
}
