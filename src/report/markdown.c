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
