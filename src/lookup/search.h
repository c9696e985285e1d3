/*
 * search.h - asks every rule and every record for words.
 */
#ifndef LOOKUP_SEARCH_H
#define LOOKUP_SEARCH_H

#include "match.h"
#include "tables.h"

#define SEARCH_WORDS 8

struct search {
    struct match_word words[SEARCH_WORDS]; /* a rule or record has all of them */
    size_t count;
};

/* The words in `text`, which may be any bytes. "DXGK_PTE.Segment" are two, both whole. false: one
 * of them is no word, or there are too many. */
bool search_add(struct search *search, const char *text);
/* Marks the rules and records that have all words; where there are none, looks less closely. */
void search_run(const struct search *search, struct vidmm_lookup *result);
/* Marks as others the rules that have `name` anywhere, and its records. */
void search_name(const char *name, struct vidmm_lookup *result);

/* Marks a member of a set, once. 0 is none. */
void search_mark_rule(struct vidmm_lookup *result, uint32_t number);
void search_mark_record(struct vidmm_lookup *result, uint32_t number);
/* Marks the records that name a rule which is marked. */
void search_records_of_rules(struct vidmm_lookup *result);
/* Marks the rules of a list that ends with 0 or at `size`. */
void search_mark_rules(struct vidmm_lookup *result, const uint16_t *numbers, size_t size);

#endif
