/*
 * codes.c - finds the row of a code by number or name.
 */
#include "codes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct code_table *const tables[] = {&codes_video, &codes_general, &codes_problem,
                                                  &codes_status};

const struct vidmm_code *vidmm_code_at(size_t index) {
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (index < tables[i]->count)
            return &tables[i]->rows[index];
        index -= tables[i]->count;
    }
    return NULL;
}

const struct vidmm_code *code_named_at(size_t index) {
    return index < codes_named.count ? &codes_named.rows[index] : NULL;
}

/* Codes with an entry, then statuses by name alone. */
static const struct vidmm_code *code_any_at(size_t index) {
    size_t entries = 0;
    for (size_t i = 0; i < COUNT(tables); i++)
        entries += tables[i]->count;
    return index < entries ? vidmm_code_at(index) : code_named_at(index - entries);
}

char *vidmm_code_text(const struct vidmm_code *code, char text[32]) {
    static const char *const format[VIDMM_CODE_KINDS] = {
        [VIDMM_CODE_BUGCHECK] = "bugcheck 0x%" PRIX32,
        [VIDMM_CODE_LIVE_DUMP] = "live dump 0x%" PRIX32,
        [VIDMM_CODE_PROBLEM] = "Code %" PRIu32,
        [VIDMM_CODE_STATUS] = "0x%08" PRIX32,
    };
    snprintf(text, 32, format[code->kind], code->number);
    return text;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool code_number(const char *word, uint64_t *number) {
    if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
        word += 2;
    *number = 0;
    unsigned digits = 0;
    for (; *word != '\0'; word++) {
        int digit = digit_of(*word);
        if (digit >= 0) {
            *number = *number << 4 | (unsigned)digit;
            digits++;
        } else if (*word != '`') {
            return false;
        }
    }
    return digits != 0 && digits <= 16;
}

const struct vidmm_code *code_find_status(uint64_t number) {
    uint32_t high = (uint32_t)(number >> 32);
    if (high != 0 && (high != UINT32_MAX || (number & 0x80000000u) == 0))
        return NULL;
    const struct vidmm_code *code;
    for (size_t i = 0; (code = code_any_at(i)); i++) {
        if (code->kind == VIDMM_CODE_STATUS && code->number == (uint32_t)number)
            return code;
    }
    return NULL;
}

static const struct vidmm_code *code_find_number(uint64_t number) {
    const struct vidmm_code *code;
    for (size_t i = 0; (code = vidmm_code_at(i)); i++) {
        if (code->kind <= VIDMM_CODE_LIVE_DUMP && code->number == number)
            return code;
    }
    return code_find_status(number);
}

/* "code43", "Code-43" or "code 43". */
static const struct vidmm_code *code_find_problem(const char *word) {
    char text[16];
    if (strncasecmp(word, "code", 4) != 0)
        return NULL;
    word += 4;
    word += *word == ' ' || *word == '-' || *word == '_';
    const struct vidmm_code *code;
    for (size_t i = 0; (code = vidmm_code_at(i)); i++) {
        snprintf(text, sizeof(text), "%" PRIu32, code->number);
        if (code->kind == VIDMM_CODE_PROBLEM && strcmp(text, word) == 0)
            return code;
    }
    return NULL;
}

const struct vidmm_code *code_find(const char *word) {
    uint64_t number;
    bool hexadecimal = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    if (hexadecimal && code_number(word, &number))
        return code_find_number(number);
    const struct vidmm_code *code;
    for (size_t i = 0; (code = code_any_at(i)); i++) {
        if (strcasecmp(code->name, word) == 0)
            return code;
    }
    return code_find_problem(word);
}
