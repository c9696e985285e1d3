/*
 * html.h - what the HTML reports have in common: one file with its style, script and data in it. What is
 * text of a driver or a recording goes through html_text or html_json_text.
 *
 *   html.c            the page, text, tables
 *   html_map.c        maps of memory, and figures over time, that the script draws
 *   html_costs.c      allocations that cost most, evictions that were undone
 *   html_data.c       the data of the script
 *   html_findings.c   findings with the driver's code
 *   html_run.c, html_check.c, html_migration.c   a report each
 *   html/report.css, html/report.js              style and script
 */
#ifndef VIDMM_REPORT_HTML_H
#define VIDMM_REPORT_HTML_H

#include <vidmm/report.h>

#include "map.h"

/* What a page is about. */
struct html_page {
    FILE *out;
    const struct vidmm_report_page *about;
    const struct map_shared *map; /* NULL: nothing was recorded */
    const struct vidmm_event *
        *made; /* ALLOC events by the workload's allocation; NULL: not known */
};

/* ---- html.c ---------------------------------------------------------------------------------- */

/* Text in an element or in an attribute. */
void html_text(FILE *out, const char *text);
/* The same with a format, at most 1023 bytes. */
void html_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string of JSON, with its quotes, that ends no script element. */
void html_json_text(FILE *out, const char *text);
/* A report from its beginning to its file; `body` writes what is in it. */
struct html_report {
    const char *kind;  /* "run", "check", "migrate send" */
    const char *title; /* what was run */
    const char *word;  /* the verdict */
    const char *sentence;
    bool good;
    void (*body)(struct html_page *page, const void *result);
    const void *result;
};
bool html_write(const struct vidmm_report_page *about, const struct html_report *report, char *text,
                size_t text_size);

/* A section with its heading; `id` is also the target of the navigation. */
void html_section(FILE *out, const char *id, const char *heading);
void html_section_end(FILE *out);
/* Figures of a list: names and values. */
void html_facts(FILE *out);
void html_fact(FILE *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void html_fact_bytes(FILE *out, const char *name, uint64_t bytes);
void html_fact_count(FILE *out, const char *name, uint64_t count);
void html_fact_ns(FILE *out, const char *name, uint64_t ns);
void html_facts_end(FILE *out);
/* A table that scrolls on its own; `heads`: of its columns, those of numbers begin with '#'. */
void html_table(FILE *out, const char *caption, const char *const *heads, size_t count);
void html_table_end(FILE *out);
/* A cell of a row; of a number, aligned to the right. */
void html_cell(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_number(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_cell_bytes(FILE *out, uint64_t bytes);
void html_cell_count(FILE *out, uint64_t count);
/* "1.24 ms" */
const char *html_ns(uint64_t ns, char text[24]);

/* ---- Parts of a page ------------------------------------------------------------------------- */

void html_maps(struct html_page *page);
void html_costs(struct html_page *page);
void html_undone(struct html_page *page);
void html_data(struct html_page *page);
/* "allocation 17", "page table or buffer of the system"; returns `text`. */
#define HTML_NAME 96u
const char *html_owner_name(const struct map_owner *owner, char text[HTML_NAME]);
/* What the workload says of the allocation: where it prefers to be and so on; "": nothing. */
const char *html_owner_kind(const struct html_page *page, const struct map_owner *owner,
                            char text[HTML_NAME]);
/* Bytes that moved for it, and those that were referenced in slower memory. */
uint64_t html_owner_cost(const struct html_page *page, const struct map_owner *owner);
/* How a stay ended. */
const char *html_left(uint8_t left);

/* A finding; `extra`: of a check, what is known beyond it, or NULL. */
void html_finding(FILE *out, const struct vidmm_finding *finding,
                  const struct vidmm_finding_mark *mark);
/* The sections of a run that are also in other reports. */
void html_run_body(struct html_page *page, const void *run_result);

#endif
