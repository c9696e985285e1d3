/*
 * find.c - the workload that is named, or which one was meant.
 */
#include "cli.h"

#include <string.h>

#define NAME 64u

/* What is nearest to a name, in memory of its own: names of recordings do not last. */
struct nearest {
    struct vidmm_meant meant;
    char name[NAME];
};

static void try_name(void *ctx, const char *name) {
    struct nearest *nearest = ctx;
    vidmm_meant_try(&nearest->meant, name);
    if (nearest->meant.known != name)
        return;
    (void)snprintf(nearest->name, sizeof(nearest->name), "%s", name);
    nearest->meant.known = nearest->name;
}

bool cli_find_workload(const struct cli_options *options, struct vidmm_workload *workload) {
    struct vidmm_workload_error error;
    struct nearest nearest = {.meant = {.word = options->workload}};
    char meant[NAME + 32];
    size_t count = 0;
    if (vidmm_run_find(options->workload, options->run.seed, workload, &error))
        return true;
    const struct vidmm_generator *generators = vidmm_generators(&count);
    vidmm_run_each_recording(try_name, &nearest);
    for (size_t i = 0; i < count; i++)
        try_name(&nearest, generators[i].name);
    if (nearest.meant.known && nearest.meant.distance == 0) /* the file is what is wrong */
        nearest.meant.known = NULL;
    cli_refuse("%s%s", error.text, vidmm_meant_text(&nearest.meant, "", meant, sizeof(meant)));
    return false;
}
