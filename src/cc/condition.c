/*
 * condition.c - conditions of a project: comparisons, Exists, HasTrailingSlash, not, and, or,
 * parentheses, over text in which properties have been replaced.
 *
 * The grammar is that of the page "MSBuild conditions"; a comparison is one of text without case.
 */
#include "properties.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "paths.h"

#define DEPTH_MOST 32
#define VALUE_MOST 4096

struct condition {
    const char *at;
    const char *directory;
    unsigned depth;
    bool wrong; /* it is not understood */
};

static void skip_blanks(struct condition *condition) {
    while (isspace((unsigned char)*condition->at))
        condition->at++;
}

static bool condition_takes(struct condition *condition, const char *word) {
    skip_blanks(condition);
    size_t length = strlen(word);
    if (strncasecmp(condition->at, word, length) != 0 ||
        (isalpha((unsigned char)word[0]) && isalnum((unsigned char)condition->at[length])))
        return false;
    condition->at += length;
    return true;
}

/* A text in quotes, or a word. */
static void take_value(struct condition *condition, char value[VALUE_MOST]) {
    skip_blanks(condition);
    const char *begin = condition->at, *end = begin;
    if (*begin == '\'') {
        end = strchr(++begin, '\'');
        condition->wrong |= !end;
        end = end ? end : begin;
        condition->at = end + (*end == '\'');
    } else {
        while (*end && !isspace((unsigned char)*end) && !strchr("()=!<>'", *end))
            end++;
        condition->wrong |= end == begin;
        condition->at = end;
    }
    size_t length = (size_t)(end - begin);
    condition->wrong |= length >= VALUE_MOST;
    length = condition->wrong ? 0 : length;
    memcpy(value, begin, length);
    value[length] = '\0';
}

static bool condition_or(struct condition *condition);

static bool condition_function(struct condition *condition, bool exists) {
    char value[VALUE_MOST], found[PATH_MAX];
    condition->wrong |= !condition_takes(condition, "(");
    take_value(condition, value);
    condition->wrong |= !condition_takes(condition, ")");
    if (exists)
        return value[0] && cc_find_path(condition->directory, value, found);
    size_t length = strlen(value);
    return length > 0 && strchr("/\\", value[length - 1]);
}

/* Versions and numbers are the only things that are ordered. */
static bool condition_compare(struct condition *condition, const char *left) {
    static const char *const operators[] = {"==", "!=", ">=", "<=", ">", "<"};
    size_t i = 0;
    while (i < sizeof(operators) / sizeof(operators[0]) &&
           !condition_takes(condition, operators[i]))
        i++;
    if (i == sizeof(operators) / sizeof(operators[0]))
        return strcasecmp(left, "true") == 0;
    char right[VALUE_MOST];
    take_value(condition, right);
    if (i < 2)
        return (strcasecmp(left, right) == 0) == (i == 0);
    double a = strtod(left, NULL), b = strtod(right, NULL);
    return i == 2 ? a >= b : i == 3 ? a <= b : i == 4 ? a > b : a < b;
}

static bool condition_factor(struct condition *condition) { /* NOLINT(misc-no-recursion) */
    if (condition->depth++ >= DEPTH_MOST || condition->wrong) {
        condition->wrong = true;
        return false;
    }
    bool holds;
    if (condition_takes(condition, "(")) {
        holds = condition_or(condition);
        condition->wrong |= !condition_takes(condition, ")");
    } else if (condition_takes(condition, "exists"))
        holds = condition_function(condition, true);
    else if (condition_takes(condition, "hastrailingslash"))
        holds = condition_function(condition, false);
    else if (*condition->at == '!' && condition->at[1] != '=') {
        condition->at++;
        holds = !condition_factor(condition);
    } else {
        char left[VALUE_MOST];
        take_value(condition, left);
        holds = condition_compare(condition, left);
    }
    condition->depth--;
    return holds;
}

static bool condition_and(struct condition *condition) { /* NOLINT(misc-no-recursion) */
    bool holds = condition_factor(condition);
    while (!condition->wrong && condition_takes(condition, "and"))
        holds = condition_factor(condition) && holds;
    return holds;
}

static bool condition_or(struct condition *condition) { /* NOLINT(misc-no-recursion) */
    bool holds = condition_and(condition);
    while (!condition->wrong && condition_takes(condition, "or"))
        holds = condition_and(condition) || holds;
    return holds;
}

bool cc_condition(const struct cc_properties *properties, const char *text, const char *directory) {
    if (text[strspn(text, " \t\r\n")] == '\0')
        return true;
    char *expanded = cc_expand(properties, text);
    if (!expanded)
        return false;
    struct condition condition = {.at = expanded, .directory = directory};
    bool holds = condition_or(&condition);
    skip_blanks(&condition);
    holds = holds && !condition.wrong && *condition.at == '\0';
    free(expanded);
    return holds;
}
