/*
 * command_inspect.c - vidmm inspect.
 */
#include "cli.h"

#include <vidmm/softgpu.h>

#define RATES 64u

/* The report, then why it is no good; the exit code. */
static int inspect_report(const struct cli_options *options,
                          const struct vidmm_inspection *inspection, enum vidmm_run_status status,
                          const char *text) {
    bool json = options->json;
    char sentence[512];
    if (!json)
        vidmm_report_imports(stdout, inspection);
    if (inspection->segments && !json)
        vidmm_report_inspection(stdout, inspection);
    if ((inspection->segments || inspection->import_count != 0) && json &&
        !vidmm_report_inspection_json(options->json, inspection, sentence, sizeof(sentence)))
        status = (enum vidmm_run_status)cli_refuse("%s", sentence);
    if (status != VIDMM_RUN_VERIFIED && text[0] != '\0')
        fprintf(stderr, "vidmm: %s\n", text);
    return (int)status;
}

/* What the machine does, without a driver; the exit code. */
static int inspect_host(const struct cli_options *options) {
    struct vidmm_softgpu_copy_rate rate[RATES];
    char text[512];
    uint32_t count = vidmm_softgpu_copy_rates(rate, RATES);
    if (count == 0) {
        fprintf(stderr, "vidmm: out of memory for the copies\n");
        return VIDMM_RUN_DRIVER_FAILED;
    }
    if (!options->json)
        vidmm_report_host(stdout, rate, count);
    else if (!vidmm_report_host_json(options->json, rate, count, text, sizeof(text)))
        return cli_refuse("%s", text);
    return 0;
}

int cli_inspect(int argc, char **argv) {
    struct cli_options options;
    if (!cli_parse(argc, argv, CLI_ADAPTER_OPTIONS | CLI_INSPECT_OPTIONS, &options))
        return VIDMM_RUN_BAD_INPUT;
    if (options.help) {
        cli_help_inspect(stdout);
        return 0;
    }
    if (options.host)
        return inspect_host(&options);
    if (options.vram && !vidmm_run_parse_vram(options.vram, 0, &options.run.vram_bytes))
        return cli_refuse("--vram '%s' is not a size (64M, 1.5GiB)", options.vram);

    if (!cli_calls_begin(&options))
        return VIDMM_RUN_BAD_INPUT;
    cli_place_driver(&options);
    struct vidmm_inspection inspection;
    char text[512] = "";
    enum vidmm_run_status status = vidmm_run_inspect(&options.run, &inspection, text, sizeof(text));
    int code = inspection.ended ? cli_report_end(&options, inspection.ended, text)
                                : inspect_report(&options, &inspection, status, text);
    vidmm_inspection_free(&inspection);
    return cli_calls_end(&options, text[0] != '\0' ? text : "inspected", code);
}
