/*
 * match.c - compares a word with the names in a text.
 */
#include "match.h"

#include <string.h>

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char lower(char c) {
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

bool match_is_word_byte(char c) {
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
}

/* Calls, their structures and the kinds of queries have one word in common, which texts use. */
static bool drop_prefix(struct match_word *word) {
    static const char *const prefixes[] = {"dxgkddi", "dxgkcb",      "dxgkargcb",
                                           "dxgkarg", "dxgkqaitype", "dxgkoperation"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t length = strlen(prefixes[i]);
        if (word->length > length + 2 && memcmp(word->text, prefixes[i], length) == 0) {
            word->length -= length;
            memmove(word->text, word->text + length, word->length + 1);
            return true;
        }
    }
    return false;
}

bool match_prepare(const char *bytes, size_t length, struct match_word *word) {
    memset(word, 0, sizeof(*word));
    if (length > MATCH_LONGEST)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '_')
            word->text[word->length++] = lower(bytes[i]);
        word->whole |= i != 0 && (is_upper(bytes[i]) || is_digit(bytes[i]) || bytes[i] == '_');
    }
    word->whole |= drop_prefix(word);
    return word->length != 0;
}

/* A part of a name begins at text[i]. Long words are also found inside of names like QUERYSEGMENT4,
 * which do not show their parts. */
static bool part_begins(const char *text, size_t i, size_t length) {
    if (i == 0 || !match_is_word_byte(text[i - 1]) || text[i - 1] == '_')
        return true;
    if (!is_upper(text[i]))
        return false;
    return !is_upper(text[i - 1]) || is_lower(text[i + 1]) || length >= 5;
}

static bool matches_at(const struct match_word *word, const char *text) {
    size_t found = 0;
    for (; found < word->length; text++) {
        if (*text == '_' && found != 0)
            continue;
        if (*text == '\0' || lower(*text) != word->text[found])
            return false;
        found++;
    }
    return !word->whole || !match_is_word_byte(*text);
}

bool match_text(const struct match_word *word, const char *text) {
    if (!text)
        return false;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (part_begins(text, i, word->length) && matches_at(word, text + i))
            return true;
    }
    return false;
}
