/*
 * markdown.c - what the documents share.
 */
#include "markdown.h"

#include <string.h>

void report_markdown_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (strchr("|<*_`[\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

void report_markdown_rules(FILE *out, const uint16_t *rules, size_t size) {
    for (size_t i = 0; i < size && rules[i] != 0; i++)
        fprintf(out, "%s[R%u](rules.md#r%u)", i == 0 ? "" : ", ", rules[i], rules[i]);
}
