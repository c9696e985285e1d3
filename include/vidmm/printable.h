/*
 * printable.h - text from outside (names of files, recordings and drivers, their messages) as a terminal may show it.
 *
 * A byte that a terminal could take for a command, ends of lines among them, becomes a '?', and so does what is no
 * UTF-8 and what turns the direction of text. It is applied where such text comes in, or is written.
 */
#ifndef VIDMM_PRINTABLE_H
#define VIDMM_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character at `text`; 0: none that may be shown. */
static inline size_t vidmm_printable_size(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0x20, 0xa0, 0x800, 0x10000};
    size_t size = at[0] < 0x80   ? 1
                  : at[0] < 0xc0 ? 0
                  : at[0] < 0xe0 ? 2
                  : at[0] < 0xf0 ? 3
                  : at[0] < 0xf8 ? 4
                                 : 0;
    uint32_t value = size < 2 ? at[0] : at[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fu);
    }
    bool turns = (value >= 0x200e && value <= 0x200f) || (value >= 0x2028 && value <= 0x202e) ||
                 (value >= 0x2066 && value <= 0x2069);
    bool good = size != 0 && value >= least[size] && value != 0x7f && value < 0x110000 &&
                (value < 0xd800 || value > 0xdfff) && !turns;
    return good ? size : 0;
}

/* In place, up to the NUL; `lines`: ends of lines and tabs stay. Returns `text`. */
static inline char *vidmm_printable(char *text, bool lines) {
    for (char *at = text; *at != '\0';) {
        size_t size = lines && (*at == '\n' || *at == '\t') ? 1 : vidmm_printable_size(at);
        if (size == 0)
            *at = '?';
        at += size == 0 ? 1 : size;
    }
    return text;
}

/* A copy of one line, cut to `size` bytes with its NUL. Returns `to`. */
static inline const char *vidmm_printable_copy(const char *text, char *to, size_t size) {
    const char *end = (const char *)memchr(text, '\0', size - 1);
    size_t length = end ? (size_t)(end - text) : size - 1;
    memcpy(to, text, length);
    to[length] = '\0';
    return vidmm_printable(to, false);
}

#endif
