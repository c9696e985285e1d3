/*
 * write.c - see write.h. The file is written beside its place and renamed: a reader finds the whole
 * of it or nothing.
 */
#include "write.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fail(const char *path, char *text, size_t size) {
    snprintf(text, size, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static bool write_stream(FILE *out, const char *dump) {
    return fputs(dump, out) >= 0 && fputc('\n', out) >= 0 && fflush(out) == 0;
}

/* Rename needs the same file system: the temporary name is next to the final one. */
static bool write_file(const char *path, const char *dump, char *text, size_t size) {
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.%d.tmp", path, (int)getpid()) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return fail(path, text, size);
    }
    FILE *out = fopen(temporary, "w");
    if (out == NULL)
        return fail(path, text, size);
    bool written = write_stream(out, dump);
    written = fclose(out) == 0 && written;
    if (written && rename(temporary, path) == 0)
        return true;
    fail(path, text, size);
    unlink(temporary);
    return false;
}

bool report_write(const char *path, const char *dump, char *text, size_t size) {
    if (strcmp(path, "-") == 0)
        return write_stream(stdout, dump) || fail(path, text, size);
    return write_file(path, dump, text, size);
}

bool report_write_json(const char *path, json_t *root, char *text, size_t size) {
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(root);
    if (dump == NULL) {
        snprintf(text, size, "out of memory for the JSON report");
        return false;
    }
    bool done = report_write(path, dump, text, size);
    free(dump);
    return done;
}
