/*
 * markdown.h - what the documents share.
 */
#ifndef VIDMM_REPORT_MARKDOWN_H
#define VIDMM_REPORT_MARKDOWN_H

#include <stdio.h>

/* Prose as Markdown prose: what would be markup is escaped. */
void report_markdown_text(FILE *out, const char *text);

#endif
