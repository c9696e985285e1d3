/*
 * command_check.c - vidmm check.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stage_begins(void *ctx, const char *stage) {
    (void)ctx;
    fprintf(stderr, "vidmm: stage %s\n", stage);
}

static void check_tell(void *ctx, const char *sentence) {
    (void)ctx;
    fprintf(stderr, "vidmm: %s\n", sentence);
}

static bool wants_color(const struct cli_options *options) {
    if (options->color && strcmp(options->color, "auto") != 0)
        return strcmp(options->color, "always") == 0;
    bool terminal = !options->output && cli_is_terminal(STDOUT_FILENO);
    return terminal && !getenv("NO_COLOR");
}

static void gather(struct cli_options *options) {
    struct vidmm_check_options *check = &options->check;
    check->driver_path = options->run.driver_path;
    check->model_path = options->run.model_path;
    check->device = options->run.device;
    check->device_log = options->run.device_log;
    check->settings = options->run.settings;
    check->setting_count = options->run.setting_count;
    check->named_settings = options->run.named_settings;
    check->ddi_version = options->run.ddi_version;
    check->linked = options->run.linked;
    check->seed = options->run.seed;
    check->log = options->run.log;
    check->no_fork = options->no_fork;
    check->jobs = options->fuzz.jobs; /* both commands take it */
    check->tell = check_tell;
    check->progress = options->verbose ? stage_begins : NULL;
}

/* How the record of events ends. */
static const char *check_end(const struct vidmm_check_result *result) {
    static const char *const words[] = {[VIDMM_CHECK_PASSED] = "passed",
                                        [VIDMM_CHECK_BROKEN] = "rules were broken",
                                        [VIDMM_CHECK_BAD_INPUT] = "bad input",
                                        [VIDMM_CHECK_DRIVER_FAILED] = "the driver failed"};
    bool examined = result->status <= VIDMM_CHECK_BROKEN;
    return !examined && result->text[0] != '\0' ? result->text : words[result->status];
}

/* The HTML report and the picture; the exit code. */
static int check_draw(struct cli_options *options, const struct vidmm_check_result *result) {
    const struct vidmm_report_page page = cli_calls_page(options, NULL);
    char text[512];
    int code = (int)result->status;
    if (options->html && !vidmm_report_check_html(&page, result, text, sizeof(text)))
        code = cli_refuse("%s", text);
    return cli_calls_picture(options, result->driver, code);
}

static int check_and_report(struct cli_options *options) {
    static struct vidmm_check_result result;
    char text[512];
    gather(options);
    if (!cli_calls_begin(options))
        return VIDMM_CHECK_BAD_INPUT;
    if (options->no_fork || options->check.replay)
        cli_watch_crashes(options, VIDMM_CHECK_BROKEN);
    vidmm_check(&options->check, &result);
    if (cli_calls_end(options, check_end(&result), 0) != 0)
        return VIDMM_CHECK_BAD_INPUT;
    if (result.status == VIDMM_CHECK_BAD_INPUT)
        return cli_refuse("%s%s", result.text,
                          options->check.replay ? "" : "; see vidmm check --help");
    const struct vidmm_check_style style = {.color = wants_color(options),
                                            .verbose = options->verbose};
    const char *path = options->output ? options->output : "-";
    if (!vidmm_report_check(path, options->format, &result, &style, text, sizeof(text)))
        return cli_refuse("%s", text);
    return check_draw(options, &result);
}

int cli_check(int argc, char **argv) {
    struct cli_options options;
    int code = 0;
    if (!cli_parse(argc, argv, CLI_CHECK_OPTIONS, &options))
        code = VIDMM_CHECK_BAD_INPUT;
    else if (options.help)
        cli_help_check(stdout);
    else
        code = check_and_report(&options);
    vidmm_identities_free(&options.check.ignored);
    vidmm_identities_free(&options.check.known);
    return code;
}
