/*
 * report.h - what people read of a run: a table, JSON, a picture of residency over time.
 */
#ifndef VIDMM_REPORT_H
#define VIDMM_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vidmm/run.h>

struct vidmm_report_style {
    bool unicode; /* block characters in charts; otherwise ASCII */
};

/* "512 B", "1.2 MiB": at most four significant digits. Returns `text`. */
char *vidmm_report_size(uint64_t bytes, char *text, size_t size);
/* "12,345,678". Returns `text`. */
char *vidmm_report_count(uint64_t count, char *text, size_t size);
/* One row of a chart: `count` samples as characters from empty to full, where `full` is a full bar.
 */
void vidmm_report_bar(FILE *out, const uint64_t *samples, uint32_t count, uint64_t full,
                      const struct vidmm_report_style *style);

/* The table at the end of a run. */
void vidmm_report_text(FILE *out, const struct vidmm_run_result *result,
                       const struct vidmm_report_style *style);
/* Caps, segments, banks and paging buffer of a driver. */
void vidmm_report_inspection(FILE *out, const struct vidmm_inspection *inspection);

/*
 * The run as JSON with stable field names (docs/architecture.md lists them). A file appears whole
 * or not at all; "-" is standard output. On failure `text` gets one sentence.
 */
bool vidmm_report_json(const char *path, const struct vidmm_run_result *result, char *text,
                       size_t text_size);

#endif
