/*
 * imports.c - the names that a driver image imports, for vidmm_run_inspect.
 */
#include "open.h"

#include <stdlib.h>
#include <string.h>

#include <vidmm/host.h>
#include <vidmm/printable.h>

struct gathering {
    struct vidmm_inspection *to;
    bool short_of_memory;
};

static void run_gather(void *ctx, const struct vidmm_host_import *import) {
    struct gathering *gathering = ctx;
    struct vidmm_inspection *to = gathering->to;
    struct vidmm_run_import one = {strdup(import->library), strdup(import->name), import->known};
    struct vidmm_run_import *all =
        realloc(to->imports, (to->import_count + 1) * sizeof(*to->imports));
    to->imports = all ? all : to->imports;
    if (all && one.library && one.name) {
        vidmm_printable(one.library, false);
        vidmm_printable(one.name, false);
        to->imports[to->import_count++] = one;
        return;
    }
    gathering->short_of_memory = true;
    free(one.library);
    free(one.name);
}

bool run_imports(const struct vidmm_run_options *options, struct vidmm_inspection *inspection,
                 char *text, size_t text_size) {
    struct gathering gathering = {inspection, false};
    struct vidmm_host_error error = {.text = "out of memory"};
    if (!options->driver_path ||
        (vidmm_host_imports(options->driver_path, run_gather, &gathering, &error) &&
         !gathering.short_of_memory))
        return true;
    snprintf(text, text_size, "%s", error.text);
    return false;
}
