/*
 * lines.h - the lines of a recording, whether the file is plain text or compressed with zstd.
 *
 * Calls a function of the reader (trace.c) with one line at a time; memory use depends on the
 * longest line, not on the size of the file.
 */
#ifndef VIDMM_WORKLOAD_LINES_H
#define VIDMM_WORKLOAD_LINES_H

#include <vidmm/workload.h>

/* Recordings have a few MiB and lines of a few KiB; longer input is refused. */
#define LINES_BYTES_MAX (UINT64_C(1) << 31)
#define LINES_LINE_MAX  (16u << 20)
#define LINES_COUNT_MAX (1u << 25)

/* One line without its end. false stops the reading. */
typedef bool lines_taker(void *ctx, uint64_t number, const char *text, size_t size);

struct lines {
    const char *name; /* for messages */
    lines_taker *take;
    void *ctx;
    struct vidmm_workload_error *error;
    char *held; /* the beginning of an incomplete line */
    size_t held_size, held_room;
    uint64_t number, bytes; /* lines and bytes so far */
};

void lines_start(struct lines *lines, const char *name, lines_taker *take, void *ctx,
                 struct vidmm_workload_error *error);
/* The next bytes of the text, then its end; false: stopped, `error` is filled in. */
bool lines_feed(struct lines *lines, const char *text, size_t size);
bool lines_end(struct lines *lines);
/* All of a file, plain or zstd by its first bytes; calls lines_end too. */
bool lines_read_file(struct lines *lines, const char *path);
void lines_free(struct lines *lines);

/* Fills `error` in: "NAME:LINE:COLUMN: sentence", or "NAME: sentence" when line is 0. Returns
 * false. */
bool lines_fail(struct vidmm_workload_error *error, const char *name, uint64_t line,
                uint64_t column, const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
