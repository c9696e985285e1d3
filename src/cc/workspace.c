/*
 * workspace.c - see workspace.h.
 */
#include "workspace.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paths.h"

bool cc_workspace_open(struct cc_build *build) {
    const char *room = getenv("TMPDIR");
    if (snprintf(build->workspace, sizeof(build->workspace), "%s/vidmm-cc-XXXXXX",
                 room && room[0] == '/' ? room : "/tmp") < (int)sizeof(build->workspace) &&
        mkdtemp(build->workspace))
        return true;
    cc_stop(build, "no directory '%s' for the build: %s", build->workspace, strerror(errno));
    build->workspace[0] = '\0';
    return false;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status, (void)kind, (void)at;
    (void)remove(path);
    return 0;
}

/* A compiler that was killed leaves files of its own. */
void cc_workspace_close(struct cc_build *build) {
    if (build->workspace[0])
        (void)nftw(build->workspace, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

bool cc_workspace_path(struct cc_build *build, char path[PATH_MAX], const char *format, ...) {
    char name[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(name, sizeof(name), format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof(name) ||
        snprintf(path, PATH_MAX, "%s/%s", build->workspace, name) >= PATH_MAX)
        return cc_stop(build, "a path of the build is too long: %s", name);
    return true;
}

bool cc_workspace_write(struct cc_build *build, const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;
    written = file && fclose(file) == 0 && written;
    return written || cc_stop(build, "cannot write '%s': %s", path, strerror(errno));
}

/* Both below the directory: a source tree, or the prefix of an installation. */
static bool has_headers(struct cc_build *build, const char *directory) {
    static const char *const run_times[] = {"src/cc/crt", "share/vidmm/crt"};
    char path[PATH_MAX];
    if (!cc_find_path(directory, "include/wddm", path) || !realpath(path, build->headers))
        return false;
    for (size_t i = 0; i < sizeof(run_times) / sizeof(run_times[0]); i++) {
        if (cc_find_path(directory, run_times[i], path) && realpath(path, build->run_time))
            return true;
    }
    return false;
}

/* An installation has them beside the program's directory, a source tree above a directory that it
 * is built in, however deep. */
bool cc_find_headers(struct cc_build *build) {
    char directory[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", directory, sizeof(directory) - 1);
    directory[length > 0 ? length : 0] = '\0';
    for (char *slash; (slash = strrchr(directory, '/'));) {
        *slash = '\0';
        if (has_headers(build, *directory ? directory : "/"))
            return true;
    }
    return cc_stop(build, "include/wddm and the C functions for drivers are neither beside this "
                          "program nor above it");
}
