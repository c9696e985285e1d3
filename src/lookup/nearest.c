/*
 * nearest.c - compares an unknown word with codes, statuses and the words of all statements.
 */
#include "nearest.h"

#include <vidmm/lookup.h>

#include "codes.h"
#include "match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LONGEST VIDMM_WORD_LONGEST
#define NEAREST 3

struct near {
    char text[LONGEST + 1];
    uint32_t distance;
};

struct nearest {
    const char *word;
    size_t length;
    struct near found[NEAREST]; /* nearest first */
    size_t count;
};

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

uint32_t vidmm_word_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    uint32_t row[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = (uint32_t)(i + j);
                continue;
            }
            row[i][j] = least(row[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1])),
                              least(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
        }
    }
    return row[a_length][b_length];
}

static bool is_found(const struct nearest *nearest, const char *text, size_t length) {
    for (size_t i = 0; i < nearest->count; i++) {
        const char *found = nearest->found[i].text;
        if (strlen(found) == length && vidmm_word_distance(found, length, text, length) == 0)
            return true;
    }
    return false;
}

static void offer(struct nearest *nearest, const char *text, size_t length) {
    if (length < 3 || length > LONGEST || is_found(nearest, text, length))
        return;
    struct near candidate = {.distance =
                                 vidmm_word_distance(nearest->word, nearest->length, text, length)};
    if (candidate.distance > 1 + nearest->length / 4)
        return;
    memcpy(candidate.text, text, length);
    size_t place = nearest->count;
    while (place != 0 && nearest->found[place - 1].distance > candidate.distance)
        place--;
    if (place == NEAREST)
        return;
    nearest->count += nearest->count < NEAREST;
    memmove(&nearest->found[place + 1], &nearest->found[place],
            (nearest->count - place - 1) * sizeof(candidate));
    nearest->found[place] = candidate;
}

static void offer_words_of(struct nearest *nearest, const char *text) {
    while (*text != '\0') {
        size_t length = 0;
        while (match_is_word_byte(text[length]))
            length++;
        offer(nearest, text, length);
        text += length != 0 ? length : 1;
    }
}

static void offer_codes(struct nearest *nearest) {
    char text[32];
    const struct vidmm_code *code;
    for (size_t i = 0; (code = vidmm_code_at(i)); i++) {
        offer(nearest, code->name, strlen(code->name));
        if (code->kind == VIDMM_CODE_PROBLEM)
            snprintf(text, sizeof(text), "code%" PRIu32, code->number);
        else
            snprintf(text, sizeof(text), "0x%" PRIX32, code->number);
        offer(nearest, text, strlen(text));
    }
    for (size_t i = 0; (code = code_named_at(i)); i++)
        offer(nearest, code->name, strlen(code->name));
}

static void nearest_print(const struct nearest *nearest, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0, used = 0; i < nearest->count && used < size; i++) {
        const char *before = i == 0 ? "" : i + 1 == nearest->count ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, nearest->found[i].text);
    }
}

void vidmm_nearest(const char *word, const char *(*name)(size_t index), char *text, size_t size) {
    struct nearest nearest = {.word = word, .length = strlen(word)};
    if (nearest.length == 0 || nearest.length > LONGEST)
        nearest.length = 0; /* nothing is near */
    const char *one;
    for (size_t i = 0; nearest.length != 0 && (one = name(i)); i++)
        offer(&nearest, one, strlen(one));
    nearest_print(&nearest, text, size);
}

void nearest_words(const char *word, char *text, size_t size) {
    struct nearest nearest = {.word = word, .length = strlen(word)};
    text[0] = '\0';
    if (nearest.length == 0 || nearest.length > LONGEST)
        return;
    offer_codes(&nearest);
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule)))
        offer_words_of(&nearest, rule->statement);
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record)))
        offer_words_of(&nearest, record->done);
    nearest_print(&nearest, text, size);
}
