/*
 * match.h - whether a text has a word, as a programmer means it.
 *
 * Case and underscores do not count: MAP_APERTURE_SEGMENT is MapApertureSegment. A word is found where a
 * part of a name begins, so "stride" is in SegmentDescriptorStride and "age" is not in page. A word
 * that looks like a name has to end where the name ends: SubmitCommand is not SubmitCommandVirtual.
 */
#ifndef LOOKUP_MATCH_H
#define LOOKUP_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#define MATCH_LONGEST 63

struct match_word {
    char text[MATCH_LONGEST + 1]; /* lower case, without underscores */
    size_t length;
    bool whole; /* has to end where the name ends */
};

/* The bytes of a name or a word: letters, digits, underscores. */
bool match_is_word_byte(char c);
/* false: too long, or no letter or digit in it. */
bool match_prepare(const char *bytes, size_t length, struct match_word *word);
/* NULL has no word. */
bool match_text(const struct match_word *word, const char *text);

#endif
