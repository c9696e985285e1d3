/*
 * find.c - the workload that is named, or which one was meant.
 */
#include "cli.h"

#include <string.h>

static void try_name(void *ctx, const char *name) {
    vidmm_meant_try(ctx, name);
}

bool cli_find_workload(const struct cli_options *options, struct vidmm_workload *workload) {
    struct vidmm_workload_error error;
    struct vidmm_meant meant = {.word = options->workload};
    char text[VIDMM_WORD_LONGEST + 32];
    size_t count = 0;
    if (vidmm_run_find(options->workload, options->run.seed, workload, &error))
        return true;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    vidmm_run_each_recording(try_name, &meant);
    for (size_t i = 0; i < count; i++)
        vidmm_meant_try(&meant, generators[i].name);
    if (meant.distance == 0) /* the file is what is wrong */
        meant.known[0] = '\0';
    cli_refuse("%s%s", error.text, vidmm_meant_text(&meant, "", text, sizeof(text)));
    return false;
}
