/*
 * markdown.c - what the documents share.
 */
#include "markdown.h"

#include <vidmm/lookup.h>

#include <string.h>

void report_markdown_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (strchr("|<*_`[\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

void report_markdown_rules(FILE *out, const uint16_t *rules, size_t size) {
    for (size_t i = 0; i < size && rules[i] != 0; i++) {
        char id[8];
        vidmm_rule_id(rules[i], id);
        fprintf(out, "%s[%s](rules.md#%c%s)", i == 0 ? "" : ", ", id, id[0] - 'A' + 'a', id + 1);
    }
}

void report_markdown_records(FILE *out, const uint16_t *records, size_t size) {
    for (size_t i = 0; i < size && records[i] != 0; i++) {
        char name[8], anchor[8];
        const struct vidmm_record *record = vidmm_record(records[i]);
        vidmm_record_name(record, name);
        strcpy(anchor, name);
        anchor[0] = (char)(anchor[0] - 'A' + 'a');
        fprintf(out, "%s[%s](records.md#%s)", i == 0 ? "" : ", ", name, anchor);
    }
}
