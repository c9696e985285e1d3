/*
 * write.h - writes a report to its file, completely or not at all.
 */
#ifndef VIDMM_REPORT_WRITE_H
#define VIDMM_REPORT_WRITE_H

#include <stdbool.h>
#include <limits.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include <vidmm/stop.h>

/* `dump` and a line's end to `path`, "-": standard output. false: one sentence in `text`. */
bool report_write(const char *path, const char *dump, char *text, size_t size);
/* A report that is written piece by piece; the file appears when it is closed. */
struct report_stream {
    FILE *file;
    const char *path;            /* the caller's */
    char temporary[PATH_MAX];    /* empty: written in place */
    bool standard;               /* standard output */
    struct vidmm_stop_last last; /* a signal leaves no temporary file */
};
bool report_stream_open(struct report_stream *stream, const char *path, char *text, size_t size);
/* Writes what it has so far: a process that was forked does so before it ends. */
bool report_stream_flush(struct report_stream *stream, char *text, size_t size);
/* The file does not appear. */
void report_stream_drop(struct report_stream *stream);
bool report_stream_close(struct report_stream *stream, char *text, size_t size);
/* The same for a JSON document, which is freed. */
bool report_write_json(const char *path, json_t *root, char *text, size_t size);

#endif
