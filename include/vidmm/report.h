/*
 * report.h - reports of a run: a table, JSON, a chart of residency over time.
 */
#ifndef VIDMM_REPORT_H
#define VIDMM_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vidmm/check.h>
#include <vidmm/fuzz.h>
#include <vidmm/lookup.h>
#include <vidmm/migrate.h>
#include <vidmm/record.h>
#include <vidmm/rules.h>
#include <vidmm/run.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* What vidmm_fuzz came to. `again`: the command that plays an input again, without its file and the
 * driver. */
void vidmm_report_fuzz(FILE *out, const struct vidmm_fuzz_result *result, const char *again,
                       const char *driver);
/* What vidmm_fuzz_replay found. */
void vidmm_report_fuzz_replay(FILE *out, const struct vidmm_fuzz_result *result);
/* A crash, a hang or an exit of the driver that ended the command: one sentence, and the places; also as
 * JSON. */
void vidmm_report_crash(FILE *out, const struct vidmm_finding *finding);
/* The same as JSON; `driver` is its path. Errors as of vidmm_report_json. */
bool vidmm_report_crash_json(const char *path, const char *driver,
                             const struct vidmm_finding *finding, char *text, size_t size);
/* The table at the end of a run. */
void vidmm_report_text(FILE *out, const struct vidmm_run_result *result,
                       const struct vidmm_report_style *style);
/* Caps, segments, banks, paging buffer and GPU virtual memory of a driver. */
void vidmm_report_inspection(FILE *out, const struct vidmm_inspection *inspection);
/* The names that a driver image imports, unknown ones first; of a shared object, nothing. */
void vidmm_report_imports(FILE *out, const struct vidmm_inspection *inspection);
/* What vidmm_softgpu_copy_rates (softgpu.h) says; as JSON to `path`, "-": standard output. */
struct vidmm_softgpu_copy_rate;
/* Prints `count` rates, a line each, under a headline for each size of pieces. */
void vidmm_report_host(FILE *out, const struct vidmm_softgpu_copy_rate *rate, uint32_t count);
/* The same as JSON. Errors as of vidmm_report_json. */
bool vidmm_report_host_json(const char *path, const struct vidmm_softgpu_copy_rate *rate,
                            uint32_t count, char *text, size_t text_size);

/* As vidmm_report_json. */
bool vidmm_report_bound_json(const char *path, const char *workload, uint64_t vram,
                             const struct vidmm_bound *bound, char *text, size_t text_size);
/*
 * The run as JSON with stable field names (docs/architecture.md lists them). A file appears whole
 * or not at all; "-" is standard output. On failure `text` gets one sentence.
 */
bool vidmm_report_json(const char *path, const struct vidmm_run_result *result, char *text,
                       size_t text_size);
/*
 * The plans of a run as JSON Lines (docs/plan.md): vidmm_report_plan is for vidmm_run_options.plan.
 * A file appears when it is closed, whole or not at all. On failure `text` gets one sentence, and
 * there is nothing to close.
 */
struct vidmm_report_plans;
/*
 * Begins the file. NULL: `text` is one sentence. To be ended by vidmm_report_plans_close or _drop.
 */
struct vidmm_report_plans *vidmm_report_plans_open(const char *path, char *text, size_t text_size);
/*
 * Writes one plan as a line; `plans` is that of vidmm_report_plans_open. One thread at a time.
 * What could not be written shows when the file is closed.
 */
void vidmm_report_plan(void *plans, const struct vidmm_plan *plan);
/* Of vidmm_run_options.plan_done. */
bool vidmm_report_plans_written(void *plans, char *text, size_t text_size);
/* The file does not appear. */
void vidmm_report_plans_drop(struct vidmm_report_plans *plans);
/* The file appears, and `plans` is freed. false: it does not appear, `text` is one sentence. */
bool vidmm_report_plans_close(struct vidmm_report_plans *plans, char *text, size_t text_size);
/*
 * The record of events as JSON Lines (docs/calls.md), for vidmm_harness_record; "-" is standard
 * output. The file grows with the calls: each is in it before the driver is entered. Closing writes
 * the last line, one sentence about how it ended. Errors as above.
 */
struct vidmm_report_calls;
/*
 * Begins the file and its record. NULL: `text` is one sentence. To be ended by
 * vidmm_report_calls_close.
 */
struct vidmm_report_calls *vidmm_report_calls_open(const char *path, char *text, size_t text_size);
/* Its record, which lives as long as `calls`. */
struct vidmm_record *vidmm_report_calls_record(struct vidmm_report_calls *calls);
/*
 * Writes `end` as the last line and frees `calls` and its record. false: a line could not be
 * written, `text` says why.
 */
bool vidmm_report_calls_close(struct vidmm_report_calls *calls, const char *end, char *text,
                              size_t text_size);
/*
 * The record of events as a trace for ui.perfetto.dev (docs/timeline.md), for vidmm_record_create or
 * vidmm_record_also. The file appears when it is closed, after the record has ended. Errors as above.
 */
struct vidmm_report_timeline;
/* Begins the file. NULL: `text` is one sentence. To be ended by vidmm_report_timeline_close. */
struct vidmm_report_timeline *vidmm_report_timeline_open(const char *path, char *text,
                                                         size_t text_size);
/* A sink that leads to `timeline`, and may be used as long as that one is open. */
struct vidmm_record_sink vidmm_report_timeline_sink(struct vidmm_report_timeline *timeline);
/* The file appears, and `timeline` is freed. false: it does not appear, `text` is one sentence. */
bool vidmm_report_timeline_close(struct vidmm_report_timeline *timeline, char *text,
                                 size_t text_size);
/*
 * The record of events as a map of memory: which allocation lay where, from when to when, and why it came and
 * left. For vidmm_record_create or vidmm_record_also; its memory does not grow with the events. NULL: out of
 * memory. It is read after the record has ended.
 */
struct vidmm_report_map;
/* An empty map; to be freed by vidmm_report_map_destroy. */
struct vidmm_report_map *vidmm_report_map_create(void);
/* A sink that leads to `map`, and may be used as long as that one exists. */
struct vidmm_record_sink vidmm_report_map_sink(struct vidmm_report_map *map);
/* Frees the map. NULL is allowed. */
void vidmm_report_map_destroy(struct vidmm_report_map *map);
/* What a page tells beside a result; docs/html-report.md. */
struct vidmm_report_page {
    const char *path;                      /* "-": standard output */
    const char *command;                   /* that was given; NULL: not told */
    const struct vidmm_workload *workload; /* that was played; NULL: none */
    struct vidmm_report_map *map;          /* NULL: without maps */
};
/* One HTML file without references to others; the file appears whole or not at all. Errors as above. */
bool vidmm_report_run_html(const struct vidmm_report_page *page,
                           const struct vidmm_run_result *result, char *text, size_t text_size);
/* The same of a check, with its findings first. */
bool vidmm_report_check_html(const struct vidmm_report_page *page,
                             const struct vidmm_check_result *result, char *text, size_t text_size);
/* The same of one side of a migration; `target`: the side that took over. */
bool vidmm_report_migration_html(const struct vidmm_report_page *page,
                                 const struct vidmm_migrate_result *result, bool target, char *text,
                                 size_t text_size);
/* The map alone, as SVG or PNG as the end of the path says; `title` stands above it. Errors as above. */
bool vidmm_report_picture(const char *path, struct vidmm_report_map *map, const char *title,
                          char *text, size_t text_size);
/* The same for what a driver reported. */
bool vidmm_report_inspection_json(const char *path, const struct vidmm_inspection *inspection,
                                  char *text, size_t text_size);

/* Any text and a line's end to a file, whole or not at all; "-" is standard output. Errors as above. */
bool vidmm_report_file(const char *path, const char *content, char *text, size_t text_size);

/* ---- Migration ------------------------------------------------------------------------------- */

/* The report of one side: rounds, bytes, rates, the pause, a full copy; for the target also the run
 * to its end. */
void vidmm_report_migration(FILE *out, const struct vidmm_migrate_result *result, bool target,
                            bool unicode);
/* The same as JSON (docs/migration-stream.md). Errors as of vidmm_report_json. */
bool vidmm_report_migration_json(const char *path, const struct vidmm_migrate_result *result,
                                 bool target, char *text, size_t text_size);

/* ---- The conformance check ------------------------------------------------------------------- */

enum vidmm_check_format {
    VIDMM_CHECK_TEXT,  /* for people: worst first */
    VIDMM_CHECK_JSON,  /* everything, with stable names */
    VIDMM_CHECK_JUNIT, /* a test case a rule */
    VIDMM_CHECK_SARIF, /* SARIF 2.1.0 */
};

struct vidmm_check_style {
    bool color;   /* of the text: escape sequences */
    bool verbose; /* the text lists every rule that was judged */
};

/* "text", "json", "junit", "sarif"; false: none of them. */
bool vidmm_check_format_parse(const char *word, enum vidmm_check_format *format);
/* As vidmm_report_json: whole or not at all, "-" is standard output. */
bool vidmm_report_check(const char *path, enum vidmm_check_format format,
                        const struct vidmm_check_result *result,
                        const struct vidmm_check_style *style, char *text, size_t text_size);

/* Adds the identities of all findings of a report that was written as JSON. On failure `text` gets one
 * sentence. */
bool vidmm_report_read_baseline(const char *path, struct vidmm_identities *known, char *text,
                                size_t text_size);

/* Which rules of the table. */
struct vidmm_rule_filter {
    char group;   /* 'A' to 'U', 'Z'; 0: all */
    uint8_t side; /* those that one of these must obey; 0: all */
    bool judged;  /* only those that are */
};

/* A row for every rule; `columns`: width of the terminal, 0: no statement is broken into lines. */
void vidmm_report_rules(FILE *out, const struct vidmm_rule_filter *filter, uint32_t columns);
/* The page of one rule. */
void vidmm_report_rule(FILE *out, const struct vidmm_rule *rule);

/* Results of the mutants that break a rule, by the number of the rule; empty: no mutants ran. */
struct vidmm_rule_matrix {
    char cell[VIDMM_RULES_SIZE][128];
};
/* Reads lines "R152 driver caught alone". On failure `text` gets one sentence. */
bool vidmm_report_read_matrix(const char *path, struct vidmm_rule_matrix *matrix, char *text,
                              size_t text_size);
/* The whole table as a Markdown document; `matrix` may be NULL. */
void vidmm_report_rules_markdown(FILE *out, const struct vidmm_rule_matrix *matrix);

/* What a lookup found: the code and what to look at first, rules, records. `columns` as above. */
void vidmm_report_lookup(FILE *out, const struct vidmm_lookup *lookup, uint32_t columns);
/* The same as JSON to a file; "-": standard output. On failure `text` gets one sentence. */
bool vidmm_report_lookup_json(const char *path, const struct vidmm_lookup *lookup, char *text,
                              size_t text_size);
/* The codes with an entry, a line each. */
void vidmm_report_codes(FILE *out);
/* All records, the same. */
void vidmm_report_records(FILE *out, uint32_t columns);
/* The codes and the records as Markdown documents. */
void vidmm_report_codes_markdown(FILE *out);
/* The records alone: docs/records.md is what this prints. */
void vidmm_report_records_markdown(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
