/*
 * cc.c - a build from its words to the driver; see vidmm/cc.h.
 */
#include <vidmm/cc.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vidmm/stop.h>

#include "build.h"
#include "compile.h"
#include "image.h"
#include "instrument.h"
#include "toolchain.h"
#include "words.h"
#include "workspace.h"

static bool out_of_memory(const struct cc_build *build, const struct cc_missing *missing) {
    bool failed =
        build->flags.failed || build->sources.failed || missing->failed || missing->errors.failed;
    for (unsigned i = 0; i <= build->projects; i++) {
        const struct cc_settings *settings = &build->settings[i];
        failed |= settings->includes.failed || settings->defines.failed ||
                  settings->forced.failed || settings->traces.failed || settings->configs.failed;
    }
    return failed;
}

/* The sources are there and so is a compiler. */
static enum vidmm_cc_status build_all(struct cc_build *build, struct cc_missing *missing) {
    struct cc_list objects = {0};
    FILE *report = build->options->report;
    bool compiled = cc_compile(build, missing, &objects);
    if (vidmm_stop_signal() != 0)
        cc_stop(build, "the build was stopped by a signal");
    size_t built = objects.count, sources = build->sources.count;
    bool complete = compiled && built == sources && missing->count == 0;
    if (complete)
        complete = cc_link(build, &objects, missing) && missing->count == 0;
    cc_list_free(&objects);
    if (build->text[0])
        return VIDMM_CC_FAILED;
    if (out_of_memory(build, missing)) {
        cc_stop(build, "no memory for the build");
        return VIDMM_CC_FAILED;
    }
    cc_missing_print(missing, build->headers, report);
    fprintf(report, "%zu of %zu files compile\n", built, sources);
    if (complete) {
        cc_instrument_tell(build);
        return VIDMM_CC_BUILT;
    }
    unlink(build->options->output);
    if (build->image)
        cc_image_remove(build);
    return VIDMM_CC_WRONG;
}

static void build_free(struct cc_build *build) {
    cc_workspace_close(build);
    cc_list_free(&build->flags);
    cc_list_free(&build->sources);
    free(build->settings_of);
    for (unsigned i = 0; i <= CC_PROJECTS; i++) {
        cc_list_free(&build->settings[i].includes);
        cc_list_free(&build->settings[i].defines);
        cc_list_free(&build->settings[i].forced);
        cc_list_free(&build->settings[i].traces);
        cc_list_free(&build->settings[i].configs);
    }
    free(build);
}

/* The driver can be written where it is asked for: known before all is compiled. */
static bool output_has_place(struct cc_build *build) {
    const char *output = build->options->output, *slash = strrchr(output, '/');
    char directory[PATH_MAX];
    int length = slash && slash != output ? (int)(slash - output) : 1;
    snprintf(directory, sizeof(directory), "%.*s", length, slash ? output : ".");
    return access(output, W_OK) == 0 || access(directory, W_OK) == 0 ||
           cc_stop(build, "cannot write '%s': %s", output, strerror(errno));
}

enum vidmm_cc_status vidmm_cc(const struct vidmm_cc_options *options, char *text,
                              size_t text_bytes) {
    struct cc_build *build = calloc(1, sizeof(*build));
    snprintf(text, text_bytes, "%s", build ? "" : "no memory for the build");
    if (!build)
        return VIDMM_CC_FAILED;
    struct vidmm_stop stop;
    vidmm_stop_begin(&stop);
    build->options = options;
    struct cc_missing missing = {0};
    enum vidmm_cc_status status = VIDMM_CC_BAD_INPUT;
    if (cc_take_words(build) && output_has_place(build)) {
        status = VIDMM_CC_FAILED;
        build->image = cc_image_wanted(options->output);
        if (cc_find_headers(build) && cc_find_compiler(build) &&
            (!build->image || cc_image_possible(build)) && cc_workspace_open(build))
            status = build_all(build, &missing);
    }
    snprintf(text, text_bytes, "%s", build->text);
    cc_missing_free(&missing);
    build_free(build);
    vidmm_stop_end(&stop);
    return status;
}
