/*
 * rules_markdown.c - the rule table as a document: docs/rules.md.
 *
 * With a matrix the document also tells of every rule whether a driver or a manager that breaks it
 * was caught. rules.c shows the same rows on a terminal.
 */
#include "markdown.h"
#include "rules.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <vidmm/printable.h>

/* What a column says, and what that rests on. */
static void put_sourced(FILE *out, const char *label, const char *said,
                        const struct vidmm_source *source) {
    char text[128];
    fprintf(out, "**%s**: ", label);
    report_markdown_text(out, said);
    fprintf(out, " (%s)", vidmm_source_text(source, text, sizeof(text)));
}

static void put_line(FILE *out, const char *label, const char *text) {
    fprintf(out, "- **%s**: ", label);
    report_markdown_text(out, text);
    fputc('\n', out);
}

static void put_code(FILE *out, const char *label, const char *code) {
    if (!code)
        return;
    size_t length = strlen(code);
    bool ended = length != 0 && code[length - 1] == '\n';
    fprintf(out, "\n%s:\n\n```c\n%s%s```\n", label, code, ended ? "" : "\n");
}

static void put_intro(FILE *out) {
    uint32_t rules = 0, judged = 0;
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule)) && rule->number <= VIDMM_RULES_LAST) {
        rules++;
        judged += rule->judged;
    }
    fprintf(
        out,
        "# The rules of the memory contract\n\n"
        "Printed by `vidmm rules --markdown`; `vidmm rules R152` shows one of them. Of %" PRIu32
        " rules %" PRIu32 " are judged. Rows\n"
        "K1, K2, ... (group Z) are of what the host sees of a driver and no rule of the contract "
        "is about.\n\n"
        "Who: who must obey. Broken: what comes of breaking the rule. Confidence: *documented* "
        "(a page says it),\n"
        "*implied* (it follows from a page, or is a choice of this project), *disputed* (pages "
        "or drivers contradict\n"
        "each other; `--reading` chooses), *observed* (no page says it). In brackets is what "
        "Broken and Windows rest on:\n"
        "a page, a record of what a system was seen to do ([records.md](records.md)), an "
        "inference, or *not known*.\n",
        rules, judged);
}

static void put_table(FILE *out, char group, const struct vidmm_rule_matrix *matrix) {
    fprintf(out, "\n## %c. %s\n\n", group, vidmm_rule_group(group));
    fprintf(out, "| rule | who | broken | judged | statement |%s\n",
            matrix ? " breaking it |" : "");
    fprintf(out, "|---|---|---|---|---|%s\n", matrix ? "---|" : "");
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        if (rule->group != group)
            continue;
        char id[8];
        vidmm_rule_id(rule->number, id);
        fprintf(out, "| [%s](#%c%s) | %s | %s | %s | ", id, id[0] - 'A' + 'a', id + 1,
                vidmm_side_text(rule->side), vidmm_severity_text(rule->severity),
                rule->judged ? "yes" : "no");
        report_markdown_text(out, rule->statement);
        fputs(" |", out);
        if (matrix)
            fprintf(out, " %s |", matrix->cell[rule->number]);
        fputc('\n', out);
    }
}

/* What of the field speaks of the rule. */
static void put_records(FILE *out, const struct vidmm_rule *rule) {
    uint16_t numbers[VIDMM_RECORDS_SIZE] = {0};
    size_t count = 0;
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if (vidmm_record_names(record, rule->number))
            numbers[count++] = record->number;
    }
    if (count == 0)
        return;
    fputs("- **Records**: ", out);
    report_markdown_records(out, numbers, count);
    fputc('\n', out);
}

static void put_rule(FILE *out, const struct vidmm_rule *rule) {
    char text[256], id[8];
    fprintf(out, "\n### %s\n\n", vidmm_rule_id(rule->number, id));
    report_markdown_text(out, rule->statement);
    fprintf(out, "\n\n- **Who**: %s. ", vidmm_side_text(rule->side));
    put_sourced(out, "Broken", vidmm_severity_text(rule->severity), &rule->severity_source);
    fprintf(out, ". **Confidence**: %s. **Versions**: %s.\n",
            vidmm_confidence_text(rule->confidence),
            report_rule_versions(rule, text, sizeof(text)));
    fprintf(out, "- **Page**: [%s](%s)\n", rule->page, report_rule_url(rule, text, sizeof(text)));
    put_line(out, "Why", rule->why);
    fputs("- ", out);
    put_sourced(out, "Windows", rule->windows, &rule->windows_source);
    fputc('\n', out);
    put_records(out, rule);
    put_line(out, "Judged", rule->how);
    if (rule->readings)
        put_line(out, "Readings", rule->readings);
    put_code(out, "Wrong", rule->wrong);
    put_code(out, "Right", rule->right);
}

void vidmm_report_rules_markdown(FILE *out, const struct vidmm_rule_matrix *matrix) {
    put_intro(out);
    for (char group = 'A'; group <= 'Z'; group++) {
        if (!vidmm_rule_group(group))
            continue;
        put_table(out, group, matrix);
        const struct vidmm_rule *rule = NULL;
        while ((rule = vidmm_rule_after(rule))) {
            if (rule->group == group)
                put_rule(out, rule);
        }
    }
}

/* "R152 driver caught alone" into the rule's cell, after what is there already. */
static bool take_matrix_line(char *line, struct vidmm_rule_matrix *matrix) {
    line[strcspn(line, "\r\n")] = '\0';
    char *number = strtok(line, " \t");
    if (!number)
        return true;
    const struct vidmm_rule *rule = vidmm_rule_parse(number);
    char *who = strtok(NULL, " \t");
    char *what = strtok(NULL, "");
    if (!rule || !what || (strcmp(who, "driver") != 0 && strcmp(who, "manager") != 0))
        return false;
    char *cell = matrix->cell[rule->number];
    size_t used = strlen(cell);
    snprintf(cell + used, sizeof(matrix->cell[0]) - used, "%s%s %s", used != 0 ? "; " : "", who,
             vidmm_printable(what, false));
    return true;
}

bool vidmm_report_read_matrix(const char *path, struct vidmm_rule_matrix *matrix, char *text,
                              size_t text_size) {
    FILE *in = fopen(path, "r");
    if (!in) {
        snprintf(text, text_size, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    memset(matrix, 0, sizeof(*matrix));
    char line[256];
    bool good = true;
    for (unsigned number = 1; good && fgets(line, sizeof(line), in); number++) {
        /* Without an end before the last it is too long, or no text. */
        good = (strchr(line, '\n') || feof(in)) && take_matrix_line(line, matrix);
        if (!good)
            snprintf(text, text_size, "%s:%u: not a line like 'R152 driver caught alone'", path,
                     number);
    }
    if (good && ferror(in)) {
        good = false;
        snprintf(text, text_size, "cannot read %s: %s", path, strerror(errno));
    }
    fclose(in);
    return good;
}
