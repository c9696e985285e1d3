/*
 * cli.h - the vidmm command: thin. Words in, a call into the library, its report out.
 */
#ifndef VIDMM_CLI_H
#define VIDMM_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vidmm/report.h>
#include <vidmm/run.h>

#define CLI_SETTINGS 64

/* What the command line said. */
struct cli_options {
    struct vidmm_run_options run;
    struct vidmm_host_setting settings[CLI_SETTINGS];
    const char *workload;
    const char *vram; /* NULL: the driver's default */
    const char *json; /* NULL: none */
    bool quiet;
    bool help;
};

/* Which options a command takes, as a set. */
#define CLI_ADAPTER_OPTIONS 0x1u /* driver, vram, seed, threads, ddi, set, trace */
#define CLI_RUN_OPTIONS     0x2u /* json, quiet, frames, a workload */

/*
 * Reads the words after the command's name. false: one sentence is on standard error; the caller
 * exits with VIDMM_RUN_BAD_INPUT.
 */
bool cli_parse(int argc, char **argv, unsigned takes, struct cli_options *options);
/* One sentence on standard error, after the program's name. Returns VIDMM_RUN_BAD_INPUT. */
int cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

int cli_run(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_workloads(int argc, char **argv);

void cli_help(FILE *out);
void cli_help_run(FILE *out);
void cli_help_inspect(FILE *out);
void cli_help_workloads(FILE *out);

/* vidmm_run_options.progress: a bar on standard error. */
void cli_progress(void *ctx, uint64_t events_done, uint64_t events);
/* Takes the bar away. */
void cli_progress_end(void);

#endif
