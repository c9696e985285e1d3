/*
 * options.h - what becomes of the value of an option: one function an option, named in the table of options.c.
 * Each returns false when one sentence is on standard error. A value stays where it is as long as the command line.
 */
#ifndef VIDMM_CLI_OPTIONS_H
#define VIDMM_CLI_OPTIONS_H

#include "cli.h"

/* options_run.c: values of runs, of the adapter that they have, and of fuzzing. */
bool cli_take_vram(char *text, struct cli_options *options);
bool cli_take_seed(char *text, struct cli_options *options);
bool cli_take_frames(char *text, struct cli_options *options);
bool cli_take_threads(char *text, struct cli_options *options);
bool cli_take_linked(char *text, struct cli_options *options);
bool cli_take_ddi(char *text, struct cli_options *options);
bool cli_take_model(char *text, struct cli_options *options);
bool cli_take_policy(char *text, struct cli_options *options);
bool cli_take_bytes(char *text, struct cli_options *options);
bool cli_take_paging(char *text, struct cli_options *options);
bool cli_take_setting(char *word, struct cli_options *options);
bool cli_take_picture(char *path, struct cli_options *options);
bool cli_take_seconds(char *text, struct cli_options *options);
bool cli_take_jobs(char *text, struct cli_options *options);
/* A whole number of at most a million. */
bool cli_take_count(const char *option, const char *text, uint32_t *count);

/* options_check.c: values of the conformance check's own options. */
bool cli_take_only(char *words, struct cli_options *options);
bool cli_take_stage(char *names, struct cli_options *options);
bool cli_take_ignore(char *words, struct cli_options *options);
bool cli_take_fail_on(char *word, struct cli_options *options);
bool cli_take_baseline(char *path, struct cli_options *options);
bool cli_take_replay(char *identity, struct cli_options *options);
bool cli_take_reading(char *word, struct cli_options *options);
bool cli_take_format(char *word, struct cli_options *options);
bool cli_take_color(char *word, struct cli_options *options);
/* Seconds, as milliseconds. */
bool cli_take_timeout(const char *option, const char *text, uint32_t *ms);

/* options_inf.c: adds the registry values of an INF file to the settings. */
bool cli_take_inf(const char *path, struct cli_options *options);

/* options_device.c: opens the device, or the log of its accesses, for the rest of the command. */
bool cli_take_device(char *name, struct cli_options *options);
bool cli_take_device_log(char *path, struct cli_options *options);

/* options_migrate.c: values of a migration's own options. */
bool cli_take_at(char *text, struct cli_options *options);
bool cli_take_rate(char *text, struct cli_options *options);
bool cli_take_too_dirty(char *text, struct cli_options *options);
/* A time with its unit, as nanoseconds. */
bool cli_take_duration(const char *option, const char *text, uint64_t *ns);

#endif
