/*
 * codes_markdown.c - all codes as a document: docs/from-a-bugcheck.md.
 *
 * lookup.c shows one of them on a terminal.
 */
#include "markdown.h"
#include "rules.h"

#include <inttypes.h>
#include <string.h>

static void put_looks(FILE *out, const char *const *look, size_t size) {
    for (size_t i = 0; i < size && look[i]; i++) {
        fprintf(out, "%zu. ", i + 1);
        report_markdown_text(out, look[i]);
        fputc('\n', out);
    }
}

static void put_cases(FILE *out, const struct vidmm_code *code) {
    if (!code->cases)
        return;
    fputs("\n| parameter 1 | means | rules | look first at |\n|---|---|---|---|\n", out);
    for (size_t i = 0; i < code->cases->count; i++) {
        const struct vidmm_code_case *of = &code->cases->rows[i];
        fprintf(out, "| 0x%" PRIX32 " | ", of->value);
        report_markdown_text(out, of->meaning);
        fputs(" | ", out);
        report_markdown_rules(out, of->rules, VIDMM_CASE_RULES);
        fputs(" | ", out);
        for (size_t j = 0; j < VIDMM_CASE_LOOKS && of->look[j]; j++) {
            fputs(j == 0 ? "" : "; ", out);
            report_markdown_text(out, of->look[j]);
        }
        fputs(" |\n", out);
    }
}

static void put_title(FILE *out, const struct vidmm_code *code) {
    char text[32];
    vidmm_code_text(code, text);
    text[0] = (char)(text[0] >= 'a' ? text[0] - 'a' + 'A' : text[0]);
    fputs("\n### ", out);
    if (code->kind == VIDMM_CODE_STATUS) {
        report_markdown_text(out, code->name);
        fprintf(out, ", %s\n\n", text);
    } else {
        fprintf(out, "%s ", text);
        report_markdown_text(out, code->name);
        fputs("\n\n", out);
    }
}

static void put_code(FILE *out, const struct vidmm_code *code) {
    put_title(out, code);
    report_markdown_text(out, code->meaning);
    fputs("\n\n", out);
    put_looks(out, code->look, VIDMM_CODE_LOOKS);
    fputs("\nRules that can end there: ", out);
    report_markdown_rules(out, code->rules, VIDMM_CODE_RULES);
    fputs(code->rules[0] != 0 ? "." : "none of the table.", out);
    if (code->records[0] != 0) {
        fputs(" Records: ", out);
        report_markdown_records(out, code->records, VIDMM_CODE_RECORDS);
        fputc('.', out);
    }
    if (code->page)
        fprintf(out, " Page: [%s](" REPORT_LEARN "%s).", strrchr(code->page, '/') + 1, code->page);
    fputc('\n', out);
    put_cases(out, code);
}

static void put_codes(FILE *out, const char *title, unsigned first, unsigned last) {
    fprintf(out, "\n## %s\n", title);
    const struct vidmm_code *code;
    for (size_t i = 0; (code = vidmm_code_at(i)); i++) {
        if (code->kind >= first && code->kind <= last)
            put_code(out, code);
    }
}

void vidmm_report_codes_markdown(FILE *out) {
    fputs(
        "# From a bugcheck to its rule\n\n"
        "Printed by `vidmm rules --codes --markdown`. `vidmm rules 0x10E 0xB` shows one of these, "
        "`vidmm rules code43`,\n"
        "`vidmm rules STATUS_NO_MEMORY` and `vidmm rules 0xC0000017` too; a call, a field or a "
        "word "
        "finds its rules the same way.\n\n"
        "What a number and its parameters mean is from the public page that is named. Which rules "
        "can end there follows from\n"
        "the rules ([rules.md](rules.md)) and from the records ([records.md](records.md)): W, what "
        "Windows was seen to "
        "do, and F, what authors of\n"
        "drivers got wrong. Where no rule is named, none of the table is known to end there.\n",
        out);
    put_codes(out, "Bugchecks and live dumps", VIDMM_CODE_BUGCHECK, VIDMM_CODE_LIVE_DUMP);
    put_codes(out, "Codes of the Device Manager", VIDMM_CODE_PROBLEM, VIDMM_CODE_PROBLEM);
    put_codes(out, "Statuses", VIDMM_CODE_STATUS, VIDMM_CODE_STATUS);
}
