/*
 * lines.c - cuts a byte stream into lines; see lines.h.
 */
#include "lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include <vidmm/printable.h>

bool lines_fail(struct vidmm_workload_error *error, const char *name, uint64_t line,
                uint64_t column, const char *format, ...) {
    char sentence[192];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    error->line = line;
    error->column = column;
    /* A long name is cut at its beginning, so that the sentence fits. */
    size_t length = strlen(name);
    if (length > 40)
        name += length - 40;
    if (line == 0)
        snprintf(error->text, sizeof(error->text), "%s: %s", name, sentence);
    else
        snprintf(error->text, sizeof(error->text), "%s:%llu:%llu: %s", name,
                 (unsigned long long)line, (unsigned long long)column, sentence);
    vidmm_printable(error->text, false);
    return false;
}

void lines_start(struct lines *lines, const char *name, lines_taker *take, void *ctx,
                 struct vidmm_workload_error *error) {
    *lines = (struct lines){.name = name, .take = take, .ctx = ctx, .error = error};
}

void lines_free(struct lines *lines) {
    free(lines->held);
    lines->held = NULL;
}

static bool too_long(struct lines *lines) {
    return lines_fail(lines->error, lines->name, lines->number + 1, LINES_LINE_MAX,
                      "this line is longer than the %u MiB that a line may have",
                      LINES_LINE_MAX >> 20);
}

static bool hold(struct lines *lines, const char *text, size_t size) {
    if (size > LINES_LINE_MAX - lines->held_size)
        return too_long(lines);
    if (lines->held_size + size > lines->held_room) {
        size_t room = 2 * (lines->held_size + size);
        char *held = realloc(lines->held, room);
        if (!held)
            return lines_fail(lines->error, lines->name, 0, 0, "out of memory");
        lines->held = held;
        lines->held_room = room;
    }
    if (size != 0)
        memcpy(lines->held + lines->held_size, text, size);
    lines->held_size += size;
    return true;
}

static bool deliver(struct lines *lines, const char *text, size_t size) {
    if (lines->number == LINES_COUNT_MAX)
        return lines_fail(lines->error, lines->name, lines->number + 1, 1,
                          "there are more than the %u lines that a recording may have",
                          LINES_COUNT_MAX);
    return lines->take(lines->ctx, ++lines->number, text, size);
}

bool lines_feed(struct lines *lines, const char *text, size_t size) {
    lines->bytes += size;
    if (lines->bytes > LINES_BYTES_MAX)
        return lines_fail(lines->error, lines->name, lines->number + 1, 1,
                          "there are more than the %u MiB of text that a recording may have",
                          (unsigned)(LINES_BYTES_MAX >> 20));
    while (size != 0) {
        const char *end = memchr(text, '\n', size);
        if (!end)
            return hold(lines, text, size);
        size_t part = (size_t)(end - text);
        if (lines->held_size != 0) {
            if (!hold(lines, text, part) || !deliver(lines, lines->held, lines->held_size))
                return false;
            lines->held_size = 0;
        } else {
            if (part > LINES_LINE_MAX)
                return too_long(lines);
            if (!deliver(lines, text, part))
                return false;
        }
        text += part + 1;
        size -= part + 1;
    }
    return true;
}

bool lines_end(struct lines *lines) {
    if (lines->held_size == 0)
        return true;
    return deliver(lines, lines->held, lines->held_size);
}

/* ---- Files ----------------------------------------------------------------------------------- */

#define CHUNK (128u << 10)

struct unpacker {
    FILE *file;
    ZSTD_DStream *stream;
    char in[CHUNK], out[CHUNK];
};

static bool failed_to_read(struct lines *lines) {
    return lines_fail(lines->error, lines->name, 0, 0, "cannot be read: %s", strerror(errno));
}

/* One chunk of compressed bytes; `*unfinished` is nonzero while a frame is open. */
static bool unpack_chunk(struct lines *lines, struct unpacker *unpacker, size_t size,
                         size_t *unfinished) {
    ZSTD_inBuffer in = {unpacker->in, size, 0};
    for (;;) {
        ZSTD_outBuffer out = {unpacker->out, sizeof(unpacker->out), 0};
        size_t result = ZSTD_decompressStream(unpacker->stream, &out, &in);
        if (ZSTD_isError(result))
            return lines_fail(lines->error, lines->name, lines->number + 1, lines->held_size + 1,
                              "the zstd stream is damaged after this place (%s)",
                              ZSTD_getErrorName(result));
        if (!lines_feed(lines, unpacker->out, out.pos))
            return false;
        *unfinished = result;
        if (in.pos == in.size && out.pos < out.size)
            return true;
    }
}

static bool unpack(struct lines *lines, struct unpacker *unpacker, size_t size) {
    size_t unfinished = 1;
    while (size != 0) {
        if (!unpack_chunk(lines, unpacker, size, &unfinished))
            return false;
        size = fread(unpacker->in, 1, CHUNK, unpacker->file);
    }
    if (ferror(unpacker->file))
        return failed_to_read(lines);
    if (unfinished != 0)
        return lines_fail(lines->error, lines->name, lines->number + 1, lines->held_size + 1,
                          "the zstd stream ends here, before its end: the file was cut off");
    return lines_end(lines);
}

static bool read_plain(struct lines *lines, struct unpacker *unpacker, size_t size) {
    for (; size != 0; size = fread(unpacker->in, 1, CHUNK, unpacker->file))
        if (!lines_feed(lines, unpacker->in, size))
            return false;
    return ferror(unpacker->file) ? failed_to_read(lines) : lines_end(lines);
}

static bool read_open_file(struct lines *lines, struct unpacker *unpacker) {
    static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t size = fread(unpacker->in, 1, CHUNK, unpacker->file);
    if (size < sizeof(magic) || memcmp(unpacker->in, magic, sizeof(magic)) != 0)
        return read_plain(lines, unpacker, size);
    unpacker->stream = ZSTD_createDStream();
    if (!unpacker->stream)
        return lines_fail(lines->error, lines->name, 0, 0, "out of memory");
    bool ok = unpack(lines, unpacker, size);
    ZSTD_freeDStream(unpacker->stream);
    return ok;
}

bool lines_read_file(struct lines *lines, const char *path) {
    struct unpacker *unpacker = calloc(1, sizeof(*unpacker));
    if (!unpacker)
        return lines_fail(lines->error, lines->name, 0, 0, "out of memory");
    bool ok = false;
    unpacker->file = fopen(path, "rb");
    if (!unpacker->file) {
        failed_to_read(lines);
    } else {
        ok = read_open_file(lines, unpacker);
        fclose(unpacker->file);
    }
    free(unpacker);
    return ok;
}
