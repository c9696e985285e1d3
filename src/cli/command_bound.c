/*
 * command_bound.c - vidmm bound.
 */
#include "cli.h"

#include <string.h>

static void bound_row(const char *label, uint64_t bytes) {
    char text[32];
    printf("  %-28s %15s\n", label, vidmm_report_size(bytes, text, sizeof(text)));
}

static int bound_print(const struct vidmm_workload *workload, const struct cli_options *options) {
    struct vidmm_bound bound;
    uint64_t vram = options->run.vram_bytes;
    char text[512];
    if (!vidmm_workload_bound(workload, vram, options->run.frame_limit, &bound))
        return cli_refuse("out of memory");
    if (options->json &&
        !vidmm_report_bound_json(options->json, workload->name, vram, &bound, text, sizeof(text)))
        return cli_refuse("%s", text);
    if (options->json && strcmp(options->json, "-") == 0)
        return 0;
    printf("%s in %s of GPU memory\n\n", workload->name,
           vidmm_report_size(vram, text, sizeof(text)));
    bound_row("referenced", bound.referenced);
    bound_row("referenced for the first time", bound.first);
    bound_row("moved at least, page by page", bound.pages);
    bound_row("moved by Belady, whole", bound.whole);
    return 0;
}

int cli_bound(int argc, char **argv) {
    struct cli_options options;
    if (!cli_parse(argc, argv, CLI_BOUND_OPTIONS, &options))
        return VIDMM_RUN_BAD_INPUT;
    if (options.help) {
        cli_help_bound(stdout);
        return 0;
    }
    struct vidmm_workload workload;
    if (!cli_find_workload(&options, &workload))
        return VIDMM_RUN_BAD_INPUT;
    int code = cli_choose_vram(&options, &workload) ? bound_print(&workload, &options)
                                                    : VIDMM_RUN_BAD_INPUT;
    vidmm_workload_free(&workload);
    return code;
}
