/*
 * lookup.h - from what a driver's author has in hand to the rules: a bugcheck with its parameters, a
 * code of the Device Manager, a status, the name of a call or of a field, a word.
 *
 * Beside the rules (rules.h) there are two tables. A code says what a number means and what to look
 * at first. A record is a fact from the field: what Windows was seen to do, or a mistake that a real
 * driver made and what it cost.
 */
#ifndef VIDMM_LOOKUP_H
#define VIDMM_LOOKUP_H

#include <vidmm/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VIDMM_RECORD_RULES 6
#define VIDMM_CASE_RULES   8
#define VIDMM_CODE_RULES   16
#define VIDMM_CODE_RECORDS 12
#define VIDMM_CODE_LOOKS   8
#define VIDMM_CASE_LOOKS   4

/* Number of a record that is a mistake: VIDMM_RECORD_MISTAKE + 20 is F20. Smaller numbers: W21. */
#define VIDMM_RECORD_MISTAKE 100u
#define VIDMM_RECORDS_SIZE   200u

/* Lists of numbers end with 0. */
struct vidmm_record {
    uint16_t number;
    const char *done;   /* what the driver did: "STATUS_... was returned from ..." */
    const char *seen;   /* W: what Windows did, after "Windows was seen to"; F: what it cost */
    const char *system; /* versions of Windows; NULL of a mistake */
    const char *source; /* project and place; NULL of a mistake */
    uint16_t rules[VIDMM_RECORD_RULES]; /* the rules that it speaks of */
    /* How vidmm holds to it, beside the rules that rest on it (vidmm_record_rests): */
    const char *test; /* a test that does what it tells: "check/records_test.c: w2_..."; or NULL */
    const char *cannot; /* why no process can show it; or NULL */
};

enum vidmm_code_kind {
    VIDMM_CODE_BUGCHECK,
    VIDMM_CODE_LIVE_DUMP, /* has a number like a bugcheck, and the system goes on */
    VIDMM_CODE_PROBLEM,   /* of the Device Manager: Code 43 */
    VIDMM_CODE_STATUS,    /* an NTSTATUS */
    VIDMM_CODE_KINDS
};

/* What one value of parameter 1 of a bugcheck means. */
struct vidmm_code_case {
    uint32_t value;
    const char *meaning;
    uint16_t rules[VIDMM_CASE_RULES];   /* none: no rule of the table is known to end there */
    const char *look[VIDMM_CASE_LOOKS]; /* none: what the code's own list says */
};

struct vidmm_case_table {
    const struct vidmm_code_case *rows;
    size_t count;
};

struct vidmm_code {
    uint8_t kind; /* enum vidmm_code_kind */
    uint32_t number;
    const char *name;                   /* "VIDEO_MEMORY_MANAGEMENT_INTERNAL" */
    const char *page;                   /* path of the public page; NULL of a status */
    const char *meaning;                /* one sentence or two; NULL: only the name is known */
    const char *look[VIDMM_CODE_LOOKS]; /* what to look at, in this order */
    uint16_t rules[VIDMM_CODE_RULES];   /* that can end there */
    uint16_t records[VIDMM_CODE_RECORDS];
    const struct vidmm_case_table *cases; /* by parameter 1; NULL: none is known */
};

/* W21 is 21, F20 is VIDMM_RECORD_MISTAKE + 20; NULL: there is none. */
const struct vidmm_record *vidmm_record(uint32_t number);
/* The next one, W before F; NULL: the first, and after the last. */
const struct vidmm_record *vidmm_record_after(const struct vidmm_record *record);
/* "W21" or "F20" into `text`, which is returned. */
char *vidmm_record_name(const struct vidmm_record *record, char text[8]);
/* True when R`rule` is one of the rules that the record is about. Any thread. */
bool vidmm_record_names(const struct vidmm_record *record, uint32_t rule);
/* What a column of a rule's row rests on is this record, among others. */
bool vidmm_record_rests(const struct vidmm_record *record, const struct vidmm_source *source);
/* The index-th code with an entry: those of graphics, bugchecks of any driver, problems, statuses;
 * NULL: after the last. */
const struct vidmm_code *vidmm_code_at(size_t index);
/* "bugcheck 0x10E", "Code 43", "0xC0000017" into `text`, which is returned. */
char *vidmm_code_text(const struct vidmm_code *code, char text[32]);

#define VIDMM_WORD_LONGEST 48

/* Letters to add, take away, replace or exchange with their neighbours to make one word the other; case
 * does not count. Lengths in bytes, at most VIDMM_WORD_LONGEST. Any thread. */
uint32_t vidmm_word_distance(const char *a, size_t a_length, const char *b, size_t b_length);
/* "R8, stride and 0x10E" into `text`: the names (up to NULL) that are most like a word, which may be
 * any bytes; empty: none is near. */
void vidmm_nearest(const char *word, const char *(*name)(size_t index), char *text, size_t size);

/* Which known word was meant by another one. */
struct vidmm_meant {
    const char *word;
    char known[VIDMM_WORD_LONGEST + 1]; /* the nearest so far; empty: none is near */
    uint32_t distance;
};
/*
 * Takes `known` as what `meant->word` may mean, if it is nearer than what was tried before.
 * A copy of `known` is kept. A word longer than VIDMM_WORD_LONGEST is near none.
 */
void vidmm_meant_try(struct vidmm_meant *meant, const char *known);
/* " (did you mean '--quiet'?)", or nothing. Returns `text`. */
const char *vidmm_meant_text(const struct vidmm_meant *meant, const char *before, char *text,
                             size_t size);

/* The sets of a result: marks[number] is true for a member. */
struct vidmm_lookup {
    const struct vidmm_rule *rule;     /* the words were the number of a rule: only it is set */
    const struct vidmm_code *alike;    /* "119" is a rule, and 0x119 a bugcheck; else NULL */
    const struct vidmm_record *record; /* the word was the name of a record */
    const struct vidmm_code *code;     /* the words were a code, and perhaps parameters */
    const struct vidmm_code_case *of;  /* what parameter 1 means; NULL: not given or not known */
    bool has_parameter;                /* parameter 1 was given: */
    uint32_t parameter;
    const struct vidmm_code *statuses[4]; /* parameters that are statuses */
    uint32_t status_count;
    bool rules[VIDMM_RULES_SIZE];  /* that end there, or whose statement or page has the words */
    bool others[VIDMM_RULES_SIZE]; /* whose explanation or code has the words */
    bool records[VIDMM_RECORDS_SIZE];
    uint32_t rule_count, other_count, record_count;
    char text[256]; /* nothing was found, or the words make no sense: one sentence */
};

/*
 * From words to rules: "0x10E" "0xB", "code43", "0xC0000017", "DxgkDdiBuildPagingBuffer",
 * "DXGK_PTE.Segment", "stride", "R152", "W21". The words may be any bytes. false: nothing is found,
 * and `text` says so with the nearest words.
 */
bool vidmm_lookup(const char *const *words, size_t count, struct vidmm_lookup *result);

#ifdef __cplusplus
}
#endif

#endif
