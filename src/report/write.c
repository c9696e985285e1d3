/*
 * write.c - see write.h. The file is written under a temporary name and renamed: a reader finds it
 * complete or not at all. A device or pipe, such as /dev/stdout, is written in place.
 */
#include "write.h"

#include <vidmm/report.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_fail(const char *path, char *text, size_t size) {
    snprintf(text, size, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static bool stream_fail(const struct report_stream *stream, char *text, size_t size) {
    if (!stream->standard)
        return write_fail(stream->path, text, size);
    snprintf(text, size, "cannot write standard output: %s", strerror(errno));
    return false;
}

/* A device or a pipe, which must not be replaced. */
static bool is_special(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

/* In a signal handler, too. */
static void temporary_remove(void *ctx) {
    const struct report_stream *stream = ctx;
    if (*stream->temporary)
        unlink(stream->temporary);
}

/* Rename needs the same file system: the temporary name is next to the final one. */
bool report_stream_open(struct report_stream *stream, const char *path, char *text, size_t size) {
    *stream = (struct report_stream){.path = path};
    if (strcmp(path, "-") == 0) { /* a number of its own: another process may have lost that one */
        stream->standard = true;
        (void)fflush(stdout);
        stream->file = fdopen(dup(STDOUT_FILENO), "w");
        return stream->file || stream_fail(stream, text, size);
    }
    if (!is_special(path) && snprintf(stream->temporary, sizeof(stream->temporary), "%s.%d.tmp",
                                      path, (int)getpid()) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return write_fail(path, text, size);
    }
    stream->last = (struct vidmm_stop_last){.clean = temporary_remove, .ctx = stream};
    vidmm_stop_remember(&stream->last);
    stream->file = fopen(*stream->temporary ? stream->temporary : path, "w");
    if (stream->file)
        return true;
    vidmm_stop_forget(&stream->last);
    return write_fail(path, text, size);
}

bool report_stream_flush(struct report_stream *stream, char *text, size_t size) {
    if (fflush(stream->file) == 0 && !ferror(stream->file))
        return true;
    return stream_fail(stream, text, size);
}

void report_stream_drop(struct report_stream *stream) {
    (void)fclose(stream->file);
    temporary_remove(stream);
    vidmm_stop_forget(&stream->last);
}

bool report_stream_close(struct report_stream *stream, char *text, size_t size) {
    bool written = fflush(stream->file) == 0 && !ferror(stream->file);
    written = fclose(stream->file) == 0 && written;
    if (written && *stream->temporary)
        written = rename(stream->temporary, stream->path) == 0;
    if (!written) {
        stream_fail(stream, text, size);
        temporary_remove(stream);
    }
    vidmm_stop_forget(&stream->last);
    return written;
}

bool report_write(const char *path, const char *dump, char *text, size_t size) {
    struct report_stream stream;
    if (!report_stream_open(&stream, path, text, size))
        return false;
    (void)fputs(dump, stream.file);
    (void)fputc('\n', stream.file);
    return report_stream_close(&stream, text, size);
}

bool vidmm_report_file(const char *path, const char *content, char *text, size_t text_size) {
    return report_write(path, content, text, text_size);
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
