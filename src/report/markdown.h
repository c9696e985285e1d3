/*
 * markdown.h - what the documents share.
 */
#ifndef VIDMM_REPORT_MARKDOWN_H
#define VIDMM_REPORT_MARKDOWN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prose as Markdown prose: what would be markup is escaped. */
void report_markdown_text(FILE *out, const char *text);
/* "[R149](rules.md#r149), [R154](rules.md#r154)", of a list that ends with 0 or at `size`. */
void report_markdown_rules(FILE *out, const uint16_t *rules, size_t size);
/* The same of records. */
void report_markdown_records(FILE *out, const uint16_t *records, size_t size);

#endif
