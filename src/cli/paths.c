/*
 * paths.c - files that a command line names, looked at before the work begins: a wrong name costs no run.
 */
#include "cli.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Why it is no file that can be read; NULL: it is one. A device or a pipe cannot be loaded, and may have no end. */
static const char *unreadable(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0)
        return strerror(errno);
    if (S_ISDIR(about.st_mode))
        return strerror(EISDIR);
    if (!S_ISREG(about.st_mode))
        return "it is no regular file";
    return access(path, R_OK) == 0 ? NULL : strerror(errno);
}

bool cli_driver_there(const struct cli_options *options) {
    const char *paths[] = {options->run.driver_path, options->run.model_path};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const char *why = paths[i] ? unreadable(paths[i]) : NULL;
        if (!why)
            continue;
        cli_refuse("the driver%s '%s' cannot be read: %s", i == 0 ? "" : "'s hardware", paths[i],
                   why);
        return false;
    }
    return true;
}

/* Why no file can be made there; NULL: as far as one can see it can. A file that is there is replaced, a device or a
 * pipe is written in place. */
static const char *unwritable(const char *path) {
    char copy[PATH_MAX];
    struct stat about;
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return strerror(EISDIR);
    if (*path == '\0')
        return strerror(ENOENT);
    const char *changed = path;
    if (!there || S_ISREG(about.st_mode)) {
        if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
            return strerror(ENAMETOOLONG);
        changed = dirname(copy);
    }
    return access(changed, W_OK) == 0 ? NULL : strerror(errno);
}

bool cli_outputs_possible(const struct cli_options *options, unsigned takes) {
    /* That of vidmm fuzz is a directory, which it makes. */
    const char *report = (takes & CLI_CHECK_OPTIONS) != 0 ? options->output : NULL;
    const char *paths[] = {options->json, options->html, options->picture, report};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        bool file = paths[i] && strcmp(paths[i], "-") != 0;
        const char *why = file ? unwritable(paths[i]) : NULL;
        if (!why)
            continue;
        cli_refuse("cannot write '%s': %s", paths[i], why);
        return false;
    }
    return true;
}
