/*
 * command_sweep.c - vidmm sweep and vidmm plot.
 */
#include "cli.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vidmm/stop.h>
#include <vidmm/sweep.h>

#include "commit.h"

#define AXES_MOST   16
#define FAILED_SAID 10u /* of failed runs, those that are named at the end */

enum {
    OPTION_AXIS = 256,
    OPTION_SET = 300,
    OPTION_STORE,
    OPTION_CSV,
    OPTION_JOBS,
    OPTION_RETRY,
    OPTION_SLURM,
    OPTION_PER_TASK,
    OPTION_QUIET
};

struct sweep_command {
    struct vidmm_study *study;
    struct vidmm_sweep_options options;
    char store[PATH_MAX], csv[PATH_MAX];
    const char *axis[AXES_MOST], *set[CLI_SETTINGS]; /* values that replace the file's */
    size_t set_count;
    bool quiet, help;
};

static bool take_count(const char *option, const char *text, const char *expected,
                       uint32_t *count) {
    char *end = NULL;
    size_t length = strlen(text);
    uint64_t value = length > 0 && length < 5 ? strtoull(text, &end, 10) : 0;
    *count = (uint32_t)value;
    return (strspn(text, "0123456789") == length && value >= 1 && value <= 1024) ||
           cli_refuse_value(option, text, expected);
}

static bool take_option(int id, const char *value, struct sweep_command *command) {
    if (id >= OPTION_AXIS && id < OPTION_AXIS + AXES_MOST) {
        command->axis[id - OPTION_AXIS] = value;
        return true;
    }
    switch (id) {
    case OPTION_SET:
        if (command->set_count == CLI_SETTINGS)
            return cli_refuse_value("set", value, "one of at most 64 settings");
        command->set[command->set_count++] = value;
        return true;
    case OPTION_STORE:
        command->options.store = value;
        return true;
    case OPTION_CSV:
        command->options.csv = value;
        return true;
    case OPTION_JOBS:
        return take_count("jobs", value, "a number of runs at the same time from 1 to 1024",
                          &command->options.jobs);
    case OPTION_RETRY:
        command->options.retry = true;
        return true;
    case OPTION_SLURM:
        command->options.slurm = true;
        return true;
    case OPTION_PER_TASK:
        return take_count("runs-per-task", value, "a number of runs from 1 to 1024",
                          &command->options.runs_per_task);
    case OPTION_QUIET:
        command->quiet = true;
        return true;
    default:
        command->help = true;
        return true;
    }
}

static bool parse_options(int argc, char **argv, struct sweep_command *command) {
    static const struct option own[] = {{"set", required_argument, NULL, OPTION_SET},
                                        {"store", required_argument, NULL, OPTION_STORE},
                                        {"csv", required_argument, NULL, OPTION_CSV},
                                        {"jobs", required_argument, NULL, OPTION_JOBS},
                                        {"retry", no_argument, NULL, OPTION_RETRY},
                                        {"slurm", no_argument, NULL, OPTION_SLURM},
                                        {"runs-per-task", required_argument, NULL, OPTION_PER_TASK},
                                        {"quiet", no_argument, NULL, OPTION_QUIET},
                                        {"help", no_argument, NULL, 'h'}};
    struct option list[AXES_MOST + sizeof(own) / sizeof(own[0]) + 1] = {{0}};
    size_t count = 0;
    for (; count < AXES_MOST && vidmm_study_option_at(count); count++)
        list[count] = (struct option){vidmm_study_option_at(count), required_argument, NULL,
                                      OPTION_AXIS + (int)count};
    memcpy(list + count, own, sizeof(own));
    opterr = 0;
    int id;
    while ((id = cli_next_option(argc, argv, ":h", list)) != -1)
        if (id == 0 || !take_option(id, optarg, command))
            return false;
    if (argc - optind > 1)
        cli_refuse("one word too many: '%s'; see vidmm %s --help", argv[optind + 1], argv[0]);
    else if (command->options.runs_per_task && !command->options.slurm)
        return cli_refuse_value("runs-per-task", "N", "used with --slurm");
    return argc - optind <= 1;
}

/* `path` with another suffix in place of `old`. */
static bool name_after(char out[PATH_MAX], const char *path, const char *old, const char *suffix) {
    size_t length = strlen(path), cut = strlen(old);
    if (length > cut && strcmp(path + length - cut, old) == 0)
        length -= cut;
    return snprintf(out, PATH_MAX, "%.*s%s", (int)length, path, suffix) < PATH_MAX;
}

/* The study of the file, if there is one, with what the options say instead. */
static bool make_study(struct sweep_command *command, const char *path) {
    char text[1024];
    struct vidmm_study *study = command->study = vidmm_study_create();
    struct vidmm_sweep_options *options = &command->options;
    bool done = study && (!path || vidmm_study_read(study, path, text, sizeof(text)));
    for (size_t i = 0; done && i < AXES_MOST; i++)
        done = !command->axis[i] || vidmm_study_set(study, vidmm_study_option_at(i),
                                                    command->axis[i], text, sizeof(text));
    for (size_t i = 0; done && i < command->set_count; i++)
        done = vidmm_study_setting(study, command->set[i], text, sizeof(text));
    if (!done) {
        cli_refuse("%s", study ? text : "out of memory");
        return false;
    }
    if (!options->store && name_after(command->store, path ? path : "sweep", ".json", ".db"))
        options->store = command->store;
    if (options->store && !options->csv && name_after(command->csv, options->store, ".db", ".csv"))
        options->csv = command->csv;
    options->version = VIDMM_VERSION;
    options->commit = VIDMM_COMMIT;
    if (!options->csv)
        cli_refuse("the name of the study is too long");
    else if (strcmp(options->csv, options->store) == 0)
        return cli_refuse_value("csv", options->csv, "another file than the store");
    return options->csv;
}

static void show_progress(void *ctx, const struct vidmm_sweep_progress *progress) {
    (void)ctx;
    char failed[40] = "", rest[40] = "";
    if (progress->failed != 0)
        (void)snprintf(failed, sizeof(failed), ", %" PRIu64 " failed", progress->failed);
    uint64_t left = progress->seconds_left < 0 ? 0 : (uint64_t)(progress->seconds_left + 0.5);
    if (progress->seconds_left >= 0)
        (void)snprintf(rest, sizeof(rest), ", %" PRIu64 ":%02u:%02u left", left / 3600,
                       (unsigned)(left / 60 % 60), (unsigned)(left % 60));
    cli_progress_line("%" PRIu64 " of %" PRIu64 " runs%s%s", progress->done, progress->runs, failed,
                      rest);
}

static void say_failed(void *ctx, const char *command, int64_t code, const char *sentence) {
    uint64_t *said = ctx;
    if ((*said)++ < FAILED_SAID)
        (void)cli_refuse("exit code %" PRId64 ": %s: %s", code, command ? command : "",
                         sentence ? sentence : "");
}

static int sweep_report(const struct sweep_command *command,
                        const struct vidmm_sweep_result *result) {
    char text[512];
    uint64_t said = 0;
    if (!command->quiet)
        printf("%" PRIu64 " of %" PRIu64 " runs in %s and %s, %" PRIu64 " of them new\n",
               result->done, result->runs, command->options.store, command->options.csv,
               result->made);
    if (result->signal != 0) {
        fprintf(
            stderr,
            command->options.slurm
                ? "vidmm: stopped; Slurm goes on, and the same command collects the other %" PRIu64
                  "\n"
                : "vidmm: stopped; the same command goes on with the other %" PRIu64 "\n",
            result->runs - result->done);
        return 128 + result->signal;
    }
    if (result->done < result->runs) {
        fprintf(stderr,
                "vidmm: the jobs of %" PRIu64
                " runs ended without a result; the same command submits them again\n",
                result->runs - result->done);
        return VIDMM_RUN_WRONG;
    }
    if (result->failed == 0)
        return 0;
    if (!vidmm_sweep_failed(command->options.store, say_failed, &said, text, sizeof(text)))
        return cli_refuse("%s", text);
    if (said > FAILED_SAID)
        fprintf(stderr, "vidmm: and %" PRIu64 " more\n", said - FAILED_SAID);
    fprintf(stderr, "vidmm: %" PRIu64 " of %" PRIu64 " runs failed; --retry makes them again\n",
            result->failed, result->runs);
    return VIDMM_RUN_WRONG;
}

static int sweep_all(struct sweep_command *command) {
    struct vidmm_sweep_result result;
    char text[1024];
    /* The sweep takes one signal; a second one must not end the program before its last words. */
    vidmm_stop_block();
    bool live = !command->quiet && cli_is_terminal(STDERR_FILENO);
    command->options.progress = live ? show_progress : NULL;
    bool done = vidmm_sweep(command->study, &command->options, &result, text, sizeof(text));
    if (live)
        cli_progress_end();
    return done ? sweep_report(command, &result) : cli_refuse("%s", text);
}

int cli_sweep(int argc, char **argv) {
    struct sweep_command command = {0};
    int code = VIDMM_RUN_BAD_INPUT;
    if (!parse_options(argc, argv, &command))
        return code;
    if (command.help) {
        cli_help_sweep(stdout);
        return 0;
    }
    if (make_study(&command, argv[optind]))
        code = sweep_all(&command);
    vidmm_study_free(command.study);
    return code;
}

/* ---- vidmm plot ------------------------------------------------------------------------------ */

struct plot_command {
    const char *output, *workload, *measure;
    bool help;
};

static bool take_measure(const char *word, struct plot_command *command) {
    struct vidmm_meant meant = {.word = word};
    char near[64];
    for (size_t i = 0; vidmm_sweep_measure_at(i); i++) {
        vidmm_meant_try(&meant, vidmm_sweep_measure_at(i));
        if (strcmp(vidmm_sweep_measure_at(i), word) == 0)
            command->measure = word;
    }
    if (!command->measure)
        cli_refuse("--measure '%s' is not one of moved, remote, frame, bound%s", word,
                   vidmm_meant_text(&meant, "", near, sizeof(near)));
    return command->measure;
}

/* A name without an ending says nothing else, such as - or /dev/stdout. */
static bool is_svg(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return !dot || strcmp(dot, ".svg") == 0;
}

static bool take_plot_option(int id, const char *value, struct plot_command *command) {
    switch (id) {
    case 'o':
        if (!is_svg(value))
            return cli_refuse_value("output", value, "a file that ends in .svg");
        command->output = value;
        return true;
    case 'w':
        command->workload = value;
        return true;
    case 'm':
        return take_measure(value, command);
    default:
        command->help = true;
        return true;
    }
}

int cli_plot(int argc, char **argv) {
    static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                         {"workload", required_argument, NULL, 'w'},
                                         {"measure", required_argument, NULL, 'm'},
                                         {"help", no_argument, NULL, 'h'},
                                         {0}};
    struct plot_command command = {0};
    char text[1024], name[PATH_MAX];
    int id;
    opterr = 0;
    while ((id = cli_next_option(argc, argv, ":ho:", list)) != -1)
        if (id == 0 || !take_plot_option(id, optarg, &command))
            return VIDMM_RUN_BAD_INPUT;
    if (command.help) {
        cli_help_plot(stdout);
        return 0;
    }
    if (argc - optind != 1)
        return cli_refuse(
            "vidmm plot takes one word, a store of vidmm sweep; see vidmm plot --help");
    if (!command.output && name_after(name, argv[optind], ".db", ".svg"))
        command.output = name;
    if (!command.output)
        return cli_refuse("the name of the store is too long");
    if (!vidmm_sweep_plot(argv[optind], command.output, command.workload, command.measure, text,
                          sizeof(text)))
        return cli_refuse("%s", text);
    return 0;
}
