/*
 * write.c - see write.h. The file is written beside its place and renamed: a reader finds the whole
 * of it or nothing. What is there and no file, as /dev/stdout, is written in place.
 */
#include "write.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_fail(const char *path, char *text, size_t size) {
    snprintf(text, size, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static bool write_stream(FILE *out, const char *dump) {
    return fputs(dump, out) >= 0 && fputc('\n', out) >= 0 && fflush(out) == 0;
}

static bool write_to(const char *path, const char *dump) {
    FILE *out = fopen(path, "w");
    bool written = out && write_stream(out, dump);
    return out && fclose(out) == 0 && written;
}

/* A device or a pipe: to be written to, and still there afterwards. */
static bool is_special(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

/* Rename needs the same file system: the temporary name is next to the final one. */
static bool write_file(const char *path, const char *dump, char *text, size_t size) {
    char temporary[PATH_MAX];
    if (is_special(path))
        return write_to(path, dump) || write_fail(path, text, size);
    if (snprintf(temporary, sizeof(temporary), "%s.%d.tmp", path, (int)getpid()) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return write_fail(path, text, size);
    }
    if (write_to(temporary, dump) && rename(temporary, path) == 0)
        return true;
    write_fail(path, text, size);
    unlink(temporary);
    return false;
}

bool report_write(const char *path, const char *dump, char *text, size_t size) {
    if (strcmp(path, "-") != 0)
        return write_file(path, dump, text, size);
    if (write_stream(stdout, dump))
        return true;
    snprintf(text, size, "cannot write standard output: %s", strerror(errno));
    return false;
}

bool report_write_json(const char *path, json_t *root, char *text, size_t size) {
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(root);
    if (!dump) {
        snprintf(text, size, "out of memory for the JSON report");
        return false;
    }
    bool done = report_write(path, dump, text, size);
    free(dump);
    return done;
}
