/*
 * lookup.c - decides what the words are: a rule, a record, a code with parameters, or words to look
 * for.
 */
#include "codes.h"
#include "nearest.h"
#include "search.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PARAMETERS 4
#define QUOTED     40

__attribute__((format(printf, 2, 3))) static bool refuse(struct vidmm_lookup *result,
                                                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->text, sizeof(result->text), format, arguments);
    va_end(arguments);
    return false;
}

/* What a terminal can show of any bytes. */
static const char *quote(const char *word, char text[QUOTED + 4]) {
    size_t length = 0;
    for (; word[length] != '\0' && length < QUOTED; length++)
        text[length] = word[length] >= ' ' && word[length] <= '~' ? word[length] : '?';
    strcpy(text + length, word[length] != '\0' ? "..." : "");
    return text;
}

static bool refuse_unknown(struct vidmm_lookup *result, const char *word) {
    char quoted[QUOTED + 4], near[160];
    nearest_words(word, near, sizeof(near));
    if (near[0] != '\0')
        return refuse(result, "no rule, code or word '%s'; did you mean %s?", quote(word, quoted),
                      near);
    return refuse(result,
                  "no rule, code or word '%s'; `vidmm rules` lists the rules, `vidmm rules "
                  "--codes` the codes",
                  quote(word, quoted));
}

/* "R403", "403" and "K3" are meant as rules. */
static bool looks_like_rule(const char *word) {
    word += *word == 'R' || *word == 'r' || *word == 'K' || *word == 'k';
    return *word != '\0' && strspn(word, "0123456789") == strlen(word);
}

/* "W21" or "F20". */
static const struct vidmm_record *find_record(const char *word) {
    char name[8];
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if (strcasecmp(vidmm_record_name(record, name), word) == 0)
            return record;
    }
    return NULL;
}

static const struct vidmm_code_case *find_case(const struct vidmm_code *code, uint32_t value) {
    for (size_t i = 0; code->cases && i < code->cases->count; i++) {
        if (code->cases->rows[i].value == value)
            return &code->cases->rows[i];
    }
    return NULL;
}

/* A parameter that is a status of failure has a meaning of its own. */
static void take_status(struct vidmm_lookup *result, uint64_t number) {
    const struct vidmm_code *status = code_find_status(number);
    if (!status || (status->number & 0x80000000u) == 0)
        return;
    result->statuses[result->status_count++] = status;
}

/* Parameters are hexadecimal, as the debugger prints them: {b, ffff8a04`1c0f3010, ...}. */
static bool take_parameters(struct vidmm_lookup *result, const char *const *words, size_t count) {
    char quoted[QUOTED + 4];
    uint64_t number;
    if (count > PARAMETERS)
        return refuse(result, "one word too many: '%s'", quote(words[PARAMETERS], quoted));
    for (size_t i = 0; i < count; i++) {
        if (!code_number(words[i], &number))
            return refuse(result, "'%s' is no parameter of a bugcheck: a hexadecimal number is",
                          quote(words[i], quoted));
        if (i == 0 && number <= UINT32_MAX) {
            result->has_parameter = true;
            result->parameter = (uint32_t)number;
            result->of = find_case(result->code, result->parameter);
        }
    }
    return true;
}

static void take_statuses(struct vidmm_lookup *result, const char *const *words, size_t count) {
    uint64_t number;
    for (size_t i = 0; i < count; i++) {
        if (code_number(words[i], &number))
            take_status(result, number);
    }
}

/* The code's own records; of one case those that name a rule of it. */
static void take_records(struct vidmm_lookup *result) {
    for (size_t i = 0; !result->of && i < VIDMM_CODE_RECORDS; i++)
        search_mark_record(result, result->code->records[i]);
    if (result->of)
        search_records_of_rules(result);
}

static bool lookup_code(struct vidmm_lookup *result, const char *const *words, size_t count) {
    const struct vidmm_code *code = result->code;
    char number[32];
    if (!take_parameters(result, words, count))
        return false;
    if (result->of)
        search_mark_rules(result, result->of->rules, VIDMM_CASE_RULES);
    else
        search_mark_rules(result, code->rules, VIDMM_CODE_RULES);
    take_records(result);
    take_statuses(result, words, count);
    if (code->kind == VIDMM_CODE_STATUS)
        search_name(code->name, result);
    snprintf(number, sizeof(number), "0x%" PRIX32, code->number);
    if (code->kind <= VIDMM_CODE_LIVE_DUMP && count == 0)
        search_name(number, result);
    if (code->meaning || result->rule_count + result->other_count + result->record_count != 0)
        return true;
    return refuse(result, "no rule and no record speaks of %s (0x%08" PRIX32 ")", code->name,
                  code->number);
}

static bool lookup_record(struct vidmm_lookup *result) {
    search_mark_record(result, result->record->number);
    search_mark_rules(result, result->record->rules, VIDMM_RECORD_RULES);
    return true;
}

static bool lookup_rule(struct vidmm_lookup *result, const char *const *words, size_t count) {
    char quoted[QUOTED + 4];
    result->rule = vidmm_rule_parse(words[0]);
    if (!result->rule)
        return refuse(result, "no rule '%s'; `vidmm rules` lists them", quote(words[0], quoted));
    if (count > 1)
        return refuse(result, "one word too many: '%s'", quote(words[1], quoted));
    search_mark_rule(result, result->rule->number);
    search_records_of_rules(result);
    char bugcheck[16];
    snprintf(bugcheck, sizeof(bugcheck), "0x%s", words[0]);
    result->alike = words[0][0] >= '0' && words[0][0] <= '9' ? code_find(bugcheck) : NULL;
    return true;
}

static bool lookup_words(struct vidmm_lookup *result, const char *const *words, size_t count) {
    struct search search = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        if (!search_add(&search, words[i]))
            return refuse_unknown(result, words[i]);
    }
    search_run(&search, result);
    if (result->rule_count + result->other_count + result->record_count != 0)
        return true;
    return refuse_unknown(result, count == 0 ? "" : words[0]);
}

/* "bugcheck 0x10E" is 0x10E. */
static bool is_lead(const char *word) {
    return strcasecmp(word, "bugcheck") == 0 || strcasecmp(word, "stop") == 0 ||
           strcasecmp(word, "status") == 0;
}

bool vidmm_lookup(const char *const *words, size_t count, struct vidmm_lookup *result) {
    char problem[32];
    memset(result, 0, sizeof(*result));
    if (count > 1 && is_lead(words[0]) && code_find(words[1])) {
        words++;
        count--;
    }
    if (count == 0)
        return refuse_unknown(result, "");
    if (looks_like_rule(words[0]))
        return lookup_rule(result, words, count);
    result->record = count == 1 ? find_record(words[0]) : NULL;
    if (result->record)
        return lookup_record(result);
    if (count == 2) {
        snprintf(problem, sizeof(problem), "%s %s", words[0], words[1]);
        result->code = code_find(problem);
        if (result->code)
            return lookup_code(result, NULL, 0);
    }
    result->code = code_find(words[0]);
    if (result->code && (count == 1 || result->code->kind <= VIDMM_CODE_LIVE_DUMP))
        return lookup_code(result, words + 1, count - 1);
    result->code = NULL;
    return lookup_words(result, words, count);
}
