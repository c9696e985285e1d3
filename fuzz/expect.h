/*
 * expect.h - what the fuzz targets say before they abort, and what a terminal may be shown.
 */
#ifndef VIDMM_FUZZ_EXPECT_H
#define VIDMM_FUZZ_EXPECT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/printable.h>

/* Shows the text with which something does not hold, and aborts. */
static inline void expect(bool holds, const char *what, const char *text) {
    if (holds)
        return;
    fprintf(stderr, "%s does not hold of:\n%s\n", what, text);
    abort();
}

/* Of lines that a terminal may show; `length`: how many bytes were written. */
static inline void expect_lines(const char *what, const char *text, size_t length) {
    expect(strlen(text) == length, what, text);
    for (const char *at = text; *at != '\0';) {
        size_t size = *at == '\n' || *at == '\t' ? 1 : vidmm_printable_size(at);
        expect(size != 0, what, text);
        at += size;
    }
}

#endif
