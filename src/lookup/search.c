/*
 * search.c - finds rules and records by the words in them.
 *
 * A rule whose statement or page has the words is about them; one whose explanation or code has them
 * only speaks of them and is shown behind the others. A record that matches leads to its rules where
 * no rule matches by itself.
 */
#include "search.h"

#include <string.h>

/* So many rules of a result show their records as well. */
#define FEW_RULES 12u

void search_mark_rule(struct vidmm_lookup *result, uint32_t number) {
    if (!vidmm_rule(number) || result->rules[number])
        return;
    result->rules[number] = true;
    result->rule_count++;
    result->other_count -= result->others[number];
    result->others[number] = false;
}

static void mark_other(struct vidmm_lookup *result, uint32_t number) {
    if (result->rules[number] || result->others[number])
        return;
    result->others[number] = true;
    result->other_count++;
}

void search_mark_record(struct vidmm_lookup *result, uint32_t number) {
    if (!vidmm_record(number) || result->records[number])
        return;
    result->records[number] = true;
    result->record_count++;
}

void search_mark_rules(struct vidmm_lookup *result, const uint16_t *numbers, size_t size) {
    for (size_t i = 0; i < size && numbers[i] != 0; i++)
        search_mark_rule(result, numbers[i]);
}

bool search_add(struct search *search, const char *text) {
    bool dotted = strchr(text, '.') || strstr(text, "->") || strstr(text, "::");
    while (*text != '\0') {
        size_t length = 0;
        while (match_is_word_byte(text[length]))
            length++;
        if (length == 0) {
            text++;
            continue;
        }
        struct match_word *word = &search->words[search->count];
        if (search->count == SEARCH_WORDS || !match_prepare(text, length, word))
            return false;
        word->whole |= dotted;
        search->count++;
        text += length;
    }
    return true;
}

/* Reference pages are named after one call or structure: "nc-d3dkmddi-dxgkddi_patch". */
static bool page_is_of(const struct match_word *word, const char *page) {
    struct match_word whole = *word;
    whole.whole = true;
    const char *header =
        page[0] == 'n' && page[1] != '\0' && page[2] == '-' ? strchr(page + 3, '-') : NULL;
    return header && match_text(&whole, header + 1);
}

static bool rule_states(const struct vidmm_rule *rule, const struct match_word *word) {
    return match_text(word, rule->statement) || page_is_of(word, rule->page) ||
           match_text(word, vidmm_severity_text(rule->severity));
}

static bool rule_explains(const struct vidmm_rule *rule, const struct match_word *word) {
    return match_text(word, rule->how) || match_text(word, rule->why) ||
           match_text(word, rule->windows) || match_text(word, rule->readings) ||
           match_text(word, rule->wrong) || match_text(word, rule->right);
}

static void search_rule(const struct search *search, const struct vidmm_rule *rule,
                        struct vidmm_lookup *result) {
    bool states = true;
    for (size_t i = 0; i < search->count; i++) {
        bool stated = rule_states(rule, &search->words[i]);
        if (!stated && !rule_explains(rule, &search->words[i]))
            return;
        states = states && stated;
    }
    if (states)
        search_mark_rule(result, rule->number);
    else
        mark_other(result, rule->number);
}

static bool record_has(const struct vidmm_record *record, const struct search *search) {
    for (size_t i = 0; i < search->count; i++) {
        const struct match_word *word = &search->words[i];
        if (!match_text(word, record->done) && !match_text(word, record->seen) &&
            !match_text(word, record->source))
            return false;
    }
    return true;
}

static bool search_once(const struct search *search, struct vidmm_lookup *result) {
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule)))
        search_rule(search, rule, result);
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if (record_has(record, search))
            search_mark_record(result, record->number);
    }
    return result->rule_count + result->other_count + result->record_count != 0;
}

/* As written; then also where names only begin like that; then the last word alone. */
static void search_closely_first(const struct search *search, struct vidmm_lookup *result) {
    if (search->count == 0 || search_once(search, result))
        return;
    struct search loose = *search;
    for (size_t i = 0; i < loose.count; i++)
        loose.words[i].whole = false;
    if (search_once(&loose, result) || search->count == 1 || !search->words[0].whole)
        return;
    loose.words[0] = search->words[search->count - 1];
    loose.count = 1;
    search_once(&loose, result);
}

void search_records_of_rules(struct vidmm_lookup *result) {
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        for (size_t i = 0; i < VIDMM_RECORD_RULES; i++) {
            if (result->rules[record->rules[i]])
                search_mark_record(result, record->number);
        }
    }
}

static void rules_of_records(struct vidmm_lookup *result) {
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if (result->records[record->number])
            search_mark_rules(result, record->rules, VIDMM_RECORD_RULES);
    }
}

void search_run(const struct search *search, struct vidmm_lookup *result) {
    search_closely_first(search, result);
    if (result->rule_count == 0)
        rules_of_records(result);
    else if (result->rule_count <= FEW_RULES)
        search_records_of_rules(result);
}

void search_name(const char *name, struct vidmm_lookup *result) {
    struct search search = {.count = 1};
    if (!match_prepare(name, strlen(name), &search.words[0]))
        return;
    search.words[0].whole = true;
    const struct vidmm_rule *rule = NULL;
    while ((rule = vidmm_rule_after(rule))) {
        if (rule_states(rule, &search.words[0]) || rule_explains(rule, &search.words[0]))
            mark_other(result, rule->number);
    }
    const struct vidmm_record *record = NULL;
    while ((record = vidmm_record_after(record))) {
        if (record_has(record, &search))
            search_mark_record(result, record->number);
    }
}
