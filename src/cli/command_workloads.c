/*
 * command_workloads.c - vidmm workloads.
 */
#include "cli.h"

#include <vidmm/printable.h>

static void print_recording(void *ctx, const char *name) {
    char text[256];
    (void)ctx;
    printf("  %s\n", vidmm_printable_copy(name, text, sizeof(text)));
}

int cli_workloads(int argc, char **argv) {
    struct cli_options options;
    if (!cli_parse(argc, argv, 0, &options))
        return VIDMM_RUN_BAD_INPUT;
    if (options.help) {
        cli_help_workloads(stdout);
        return 0;
    }
    puts("recordings of real applications:");
    vidmm_run_each_recording(print_recording, NULL);
    puts("\ngenerators (--seed chooses):");
    size_t count = 0;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    for (size_t i = 0; i < count; i++)
        printf("  %-16s %s\n", generators[i].name, generators[i].summary);
    return 0;
}
