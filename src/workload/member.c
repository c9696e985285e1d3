/*
 * member.c - JSON members and their places; see member.h.
 */
#include "member.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Places ---------------------------------------------------------------------------------- */

/* The text is valid JSON, so these functions do not check it. */

static size_t skip_space(const char *text, size_t size, size_t at) {
    while (at < size && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r'))
        at++;
    return at;
}

static size_t skip_string(const char *text, size_t size, size_t at) {
    for (at++; at < size && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at + 1;
}

static size_t skip_value(const char *text, size_t size, size_t at) {
    size_t depth = 0;
    while (at < size) {
        if (text[at] == '"') {
            at = skip_string(text, size, at);
            continue;
        }
        if (depth == 0 && strchr(",]} \t\r", text[at]))
            return at;
        if (text[at] == '{' || text[at] == '[')
            depth++;
        else if (text[at] == '}' || text[at] == ']')
            depth--;
        at++;
    }
    return at;
}

/* Start of item `item` of the array that starts at `at`. */
static size_t find_item(const char *text, size_t size, size_t at, size_t item) {
    at = skip_space(text, size, at + 1);
    while (item-- != 0) {
        at = skip_space(text, size, skip_value(text, size, at));
        at = skip_space(text, size, at + 1); /* the comma */
    }
    return at;
}

uint64_t member_column(const struct member_line *line, const char *key, size_t item) {
    const char *text = line->text;
    size_t size = line->size, length = strlen(key);
    size_t at = skip_space(text, size, skip_space(text, size, 0) + 1);
    while (at < size && text[at] == '"') {
        size_t name = at + 1;
        at = skip_string(text, size, at);
        bool found = at - 1 - name == length && memcmp(text + name, key, length) == 0;
        at = skip_space(text, size, skip_space(text, size, at) + 1); /* the colon */
        if (found)
            return (item == MEMBER_WHOLE ? at : find_item(text, size, at, item)) + 1;
        at = skip_space(text, size, skip_value(text, size, at));
        at = skip_space(text, size, at + 1); /* the comma, or the end */
    }
    return 1;
}

bool member_fail(const struct member_line *line, const char *key, size_t item, const char *format,
                 ...) {
    char sentence[192];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    return lines_fail(line->error, line->name, line->number, member_column(line, key, item), "%s",
                      sentence);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Jansson gave no object. Where it had no memory it blames what it read last; malloc's errno stays. */
static bool member_refuse(const struct member_line *line, json_error_t *error) {
    if (errno == ENOMEM)
        return lines_fail(line->error, line->name, line->number, 1, "out of memory");
    for (char *c = error->text; *c != 0; c++)
        if ((unsigned char)*c < 0x20)
            *c = '?';
    uint64_t column = error->position < 1 ? 1 : (uint64_t)error->position;
    return lines_fail(line->error, line->name, line->number, column, "this is not JSON: %s",
                      error->text);
}

bool member_parse(struct member_line *line) {
    const char *nul = line->size == 0 ? NULL : memchr(line->text, 0, line->size);
    if (nul)
        return lines_fail(line->error, line->name, line->number, (uint64_t)(nul - line->text) + 1,
                          "there is a NUL byte, expected JSON text");
    json_error_t error;
    errno = 0;
    line->object = json_loadb(line->text, line->size, JSON_REJECT_DUPLICATES, &error);
    if (!line->object)
        return member_refuse(line, &error);
    if (json_is_object(line->object))
        return true;
    json_decref(line->object);
    line->object = NULL;
    return lines_fail(line->error, line->name, line->number, 1, "expected a JSON object");
}

static json_t *member_find(const struct member_line *line, const char *key) {
    json_t *value = json_object_get(line->object, key);
    if (!value)
        lines_fail(line->error, line->name, line->number, 1, "there is no member \"%s\"", key);
    return value;
}

bool member_number(const struct member_line *line, const char *key, uint64_t least, uint64_t most,
                   uint64_t *value) {
    const json_t *number = member_find(line, key);
    if (!number)
        return false;
    if (!json_is_integer(number) || json_integer_value(number) < 0 ||
        (uint64_t)json_integer_value(number) < least || (uint64_t)json_integer_value(number) > most)
        return member_fail(line, key, MEMBER_WHOLE,
                           "\"%s\" must be a whole number from %llu to %llu", key,
                           (unsigned long long)least, (unsigned long long)most);
    *value = (uint64_t)json_integer_value(number);
    return true;
}

const char *member_string(const struct member_line *line, const char *key) {
    const json_t *string = member_find(line, key);
    if (string && !json_is_string(string)) {
        member_fail(line, key, MEMBER_WHOLE, "\"%s\" must be a string", key);
        string = NULL;
    }
    return !string ? NULL : json_string_value(string);
}

json_t *member_array(const struct member_line *line, const char *key) {
    json_t *array = member_find(line, key);
    if (array && !json_is_array(array)) {
        member_fail(line, key, MEMBER_WHOLE, "\"%s\" must be an array", key);
        array = NULL;
    }
    return array;
}
