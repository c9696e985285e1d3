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

#define LONGEST 48
#define NEAREST 3

struct near {
    char text[LONGEST + 1];
    unsigned distance;
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

static unsigned least(unsigned a, unsigned b, unsigned c) {
    unsigned smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Letters to add, take away or replace; case does not count. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    unsigned row[LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; i < a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < b_length; j++) {
            unsigned changed = diagonal + (lower(a[i]) != lower(b[j]));
            diagonal = row[j + 1];
            row[j + 1] = least(changed, row[j] + 1, row[j + 1] + 1);
        }
    }
    return row[b_length];
}

static bool is_found(const struct nearest *nearest, const char *text, size_t length) {
    for (size_t i = 0; i < nearest->count; i++) {
        const char *found = nearest->found[i].text;
        if (strlen(found) == length && distance(found, length, text, length) == 0)
            return true;
    }
    return false;
}

static void offer(struct nearest *nearest, const char *text, size_t length) {
    if (length < 3 || length > LONGEST || is_found(nearest, text, length))
        return;
    struct near candidate = {.distance = distance(nearest->word, nearest->length, text, length)};
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
