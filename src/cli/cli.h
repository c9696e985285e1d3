/*
 * cli.h - the vidmm command: parses the command line, calls the library, prints its report.
 */
#ifndef VIDMM_CLI_H
#define VIDMM_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vidmm/check.h>
#include <vidmm/fuzz.h>
#include <vidmm/lookup.h>
#include <vidmm/migrate.h>
#include <vidmm/report.h>
#include <vidmm/run.h>

#define CLI_SETTINGS 64

/* The parsed command line. */
struct cli_options {
    struct vidmm_run_options run;
    struct vidmm_host_setting settings[CLI_SETTINGS];
    char inf_names[CLI_SETTINGS][64]; /* of those of settings that an INF file has */
    const char *inf;                  /* NULL: none */
    uint32_t set_count;               /* of settings, those of --set: the first ones */
    const char *device;               /* name of a device (vidmm/device.h); NULL: none */
    const char *workload;
    const char *vram;                     /* NULL: the driver's default */
    const char *json;                     /* NULL: none */
    const char *key;                      /* of a migration: FILE or fd:N */
    const char *plan;                     /* file for the plans; NULL: none */
    const char *calls;                    /* file for the record of events; NULL: none */
    const char *timeline;                 /* file for the same as a timeline; NULL: none */
    const char *html;                     /* file for the HTML report; NULL: none */
    const char *picture;                  /* file for the map of memory alone; NULL: none */
    char command[1024];                   /* as it was given, for reports */
    struct vidmm_report_calls *recording; /* while it is open */
    struct vidmm_report_timeline *timing; /* the same */
    struct vidmm_report_map *map;         /* of an HTML report or a picture, until the end */
    struct vidmm_record *record;          /* of these; NULL: none */
    bool quiet;
    bool no_fork; /* the driver runs in this process, without a deadline */
    bool help;
    bool host;                        /* inspect: the machine and no driver */
    struct vidmm_check_options check; /* options of the conformance check only */
    char stages[512];                 /* the names of all --stage, with commas between them */
    enum vidmm_check_format format;
    const char *output; /* NULL: standard output */
    const char *color;  /* NULL: auto */
    bool verbose;
    struct vidmm_migrate_options migrate; /* options of a migration only */
    struct vidmm_fuzz_options fuzz;       /* options of fuzzing only */
    const char *replay_input;             /* file of an input; NULL: a search */
    const char *model_name, *ddi_name;    /* as they were given; NULL: they were not */
};

/* The sets of options of a command. */
#define CLI_ADAPTER_OPTIONS 0x1u  /* driver, vram, seed, threads, ddi, set, trace */
#define CLI_RUN_OPTIONS     0x2u  /* json, plan, quiet, frames, a workload */
#define CLI_INSPECT_OPTIONS 0x4u  /* json */
#define CLI_CHECK_OPTIONS   0x8u  /* driver, hardware, seed, ddi, set, trace, and its own */
#define CLI_SEND_OPTIONS    0x10u /* of a migration: the source's */
#define CLI_RECV_OPTIONS    0x20u /* the target's */
#define CLI_BOUND_OPTIONS   0x40u /* vram, seed, frames, json, a workload */
#define CLI_FUZZ_OPTIONS    0x80u /* driver, hardware, seed, ddi, model, set, trace, and its own */

/*
 * Reads the words after the command's name. false: one sentence is on standard error; the caller
 * exits with VIDMM_RUN_BAD_INPUT.
 */
bool cli_parse(int argc, char **argv, unsigned takes, struct cli_options *options);
/* settings.c: false: the reference driver has no setting of that name, says one sentence. */
bool cli_settings_known(const struct cli_options *options);
/* One sentence on standard error, after the program's name. Returns VIDMM_RUN_BAD_INPUT. */
int cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports an invalid value of an option. Returns false. */
bool cli_refuse_value(const char *option, const char *value, const char *expected);
/* getopt_long, which says what is wrong in a sentence of ours: 0 then; -1: there is no more option. */
struct option;
int cli_next_option(int argc, char **argv, const char *letters, const struct option *list);

/* calls.c: begins the record of events, if something made of it was asked for. false: one sentence is on standard
 * error. */
bool cli_calls_begin(struct cli_options *options);
/* Ends it with a sentence; the exit code: `code`, unless the file could not be written. */
int cli_calls_end(struct cli_options *options, const char *text, int code);

/* What an HTML report tells beside a result. `workload` NULL: none was played. */
struct vidmm_report_page cli_calls_page(const struct cli_options *options,
                                        const struct vidmm_workload *workload);
/* After the end: the picture, if one was asked for; the exit code, as above. Frees the map. */
int cli_calls_picture(struct cli_options *options, const char *title, int code);

/* crash.c: from now on a crash of the driver ends the command with a report of where it was, and with
 * the exit code. */
void cli_watch_crashes(struct cli_options *options, int code);
/* Chooses the process in which the driver runs: its own, or with --no-fork this one, which is watched
 * for crashes. */
void cli_place_driver(struct cli_options *options);
/* The process of the driver ended as none should: the finding, whose symbols are read, as a sentence with
 * its places and as JSON. `ended` NULL: there was no memory for more than `text`. The exit code. */
int cli_report_end(const struct cli_options *options, struct vidmm_ledger *ended, const char *text);

/* paths.c: whether the files of the driver and of its hardware can be read; false: one sentence is on standard error.
 * A file that is not there is no finding about a driver. */
bool cli_driver_there(const struct cli_options *options);
/* paths.c: whether the reports that were asked for can be written, as far as one can see; false: as above. */
bool cli_outputs_possible(const struct cli_options *options, unsigned takes);
/* find.c: the workload; false: one sentence is on standard error. */
bool cli_find_workload(const struct cli_options *options, struct vidmm_workload *workload);
/* locale.c: whether the terminal reads UTF-8. */
bool cli_is_utf8(void);
/* command_run.c: --vram for the workload; false: one sentence is on standard error. */
bool cli_choose_vram(struct cli_options *options, const struct vidmm_workload *workload);

int cli_run(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_bound(int argc, char **argv);
int cli_workloads(int argc, char **argv);
int cli_rules(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_cc(int argc, char **argv);
int cli_fuzz(int argc, char **argv);
int cli_migrate(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_plot(int argc, char **argv);

void cli_help(FILE *out);
void cli_help_run(FILE *out);
void cli_help_inspect(FILE *out);
void cli_help_bound(FILE *out);
void cli_help_workloads(FILE *out);
void cli_help_rules(FILE *out);
void cli_help_check(FILE *out);
void cli_help_cc(FILE *out);
void cli_help_fuzz(FILE *out);
void cli_help_migrate(FILE *out);
void cli_help_sweep(FILE *out);
void cli_help_plot(FILE *out);

/* progress.c: whether the stream is a terminal that moves its cursor and has colours: not one of TERM=dumb. */
bool cli_is_terminal(int stream);
/* vidmm_run_options.progress: a bar on standard error. */
void cli_progress(void *ctx, uint64_t events_done, uint64_t events);
/* One line in place of the last one, cut to what the terminal has room for. */
void cli_progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Removes the bar, or the line. */
void cli_progress_end(void);

#endif
