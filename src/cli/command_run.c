/*
 * command_run.c - vidmm run.
 */
#include "cli.h"

#include <string.h>
#include <unistd.h>

bool cli_choose_vram(struct cli_options *options, const struct vidmm_workload *workload) {
    const char *vram = options->vram ? options->vram : "100%";
    bool anything = options->vram || workload->peak_live_bytes != 0;
    if (!anything ||
        vidmm_run_parse_vram(vram, workload->peak_live_bytes, &options->run.vram_bytes))
        return true;
    cli_refuse("--vram '%s' is neither a size (64M, 1.5GiB) nor a share (25%%)", vram);
    return false;
}

/* The driver's process ended as none should: how and where, and the first rule that was broken before. */
static int run_report_end(const struct cli_options *options,
                          const struct vidmm_run_result *result) {
    int code = cli_report_end(options, result->ended, result->text);
    if (result->violation_count != 0)
        fprintf(stderr, "vidmm: before that: %s\n", result->violations[0]);
    return code;
}

/* Report on standard output, and as JSON; the exit code. For a run that did not begin it prints
 * only the reason. */
static int run_report(const struct cli_options *options, const struct vidmm_run_result *result) {
    struct vidmm_report_style style = {.unicode = cli_is_utf8()};
    char text[512];
    bool silent = options->quiet || !result->played;
    if (silent && result->status != VIDMM_RUN_VERIFIED)
        fprintf(stderr, "vidmm: %s\n", result->text);
    if (!silent)
        vidmm_report_text(options->json && strcmp(options->json, "-") == 0 ? stderr : stdout,
                          result, &style);
    if (options->json && !vidmm_report_json(options->json, result, text, sizeof(text)))
        return cli_refuse("%s", text);
    return (int)result->status;
}

/* The plans of a run that did not come to its end are dropped. */
static int run_close_plans(struct vidmm_report_plans *plans, const struct vidmm_run_result *result,
                           int code) {
    char text[512];
    bool whole = !result->ended && result->unwritten[0] == '\0';
    if (plans && !whole)
        vidmm_report_plans_drop(plans);
    if (result->unwritten[0] != '\0')
        return cli_refuse("%s", result->unwritten);
    if (plans && whole && !vidmm_report_plans_close(plans, text, sizeof(text)))
        return cli_refuse("%s", text);
    return code;
}

/* The HTML report and the picture, of a run that began; the exit code. */
static int run_draw(struct cli_options *options, const struct vidmm_workload *workload,
                    const struct vidmm_run_result *result, int code) {
    const struct vidmm_report_page page = cli_calls_page(options, workload);
    char title[400], text[512];
    snprintf(title, sizeof(title), "%s on %s", result->workload, result->driver);
    if (options->html && (result->played || result->ended) &&
        !vidmm_report_run_html(&page, result, text, sizeof(text)))
        code = cli_refuse("%s", text);
    return cli_calls_picture(options, title, code);
}

/* Runs it, with its plans to a file if that was asked for; the exit code. */
static int run_play(struct cli_options *options, const struct vidmm_workload *workload) {
    struct vidmm_run_result result;
    struct vidmm_report_plans *plans = NULL;
    char text[512];
    if (options->plan) {
        plans = vidmm_report_plans_open(options->plan, text, sizeof(text));
        if (!plans)
            return cli_refuse("%s", text);
        options->run.plan = vidmm_report_plan;
        options->run.plan_done = vidmm_report_plans_written;
        options->run.plan_ctx = plans;
    }
    if (!cli_calls_begin(options)) {
        if (plans)
            vidmm_report_plans_drop(plans);
        return VIDMM_RUN_BAD_INPUT;
    }
    cli_place_driver(options);
    vidmm_run(workload, &options->run, &result);
    if (result.ledger && options->run.driver_path)
        vidmm_check_symbols(options->run.driver_path, result.ledger);
    if (options->run.progress)
        cli_progress_end();
    bool ended = result.ended;
    int code = ended ? run_report_end(options, &result) : run_report(options, &result);
    code = run_close_plans(plans, &result, code);
    code = cli_calls_end(options, result.text[0] != '\0' ? result.text : "verified", code);
    code = run_draw(options, workload, &result, code);
    vidmm_run_result_free(&result);
    return code;
}

int cli_run(int argc, char **argv) {
    struct cli_options options;
    if (!cli_parse(argc, argv, CLI_ADAPTER_OPTIONS | CLI_RUN_OPTIONS, &options))
        return VIDMM_RUN_BAD_INPUT;
    if (options.help) {
        cli_help_run(stdout);
        return 0;
    }
    struct vidmm_workload workload;
    if (!cli_find_workload(&options, &workload))
        return VIDMM_RUN_BAD_INPUT;
    int code = VIDMM_RUN_BAD_INPUT;
    if (cli_choose_vram(&options, &workload)) {
        bool bar = !options.quiet && !options.run.trace && cli_is_terminal(STDERR_FILENO);
        options.run.progress = bar ? cli_progress : NULL;
        code = run_play(&options, &workload);
    }
    vidmm_workload_free(&workload);
    return code;
}
