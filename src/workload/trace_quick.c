/*
 * trace_quick.c - lines of allocations, submissions and presents as recorders write them, of which a large
 * recording mostly consists; see trace.h. What is not plain is left to jansson, errors included: a line that is taken here
 * means the same there, which a test holds against each other.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    QUICK_TIME = 1,
    QUICK_QUEUE = 2,
    QUICK_OP = 4,
    QUICK_READS = 8,
    QUICK_WRITES = 16,
    QUICK_ID = 32,
    QUICK_SIZE = 64,
    QUICK_HEAP = 128,
    QUICK_FLAGS = 256,
    QUICK_NAME = 512
};

enum quick_op { QUICK_SUBMIT, QUICK_PRESENT, QUICK_ALLOC };

/* A line, and how far it was read; `at` NULL: it is not plain. */
struct quick {
    struct trace *trace;
    const char *at, *end;
    uint32_t members; /* QUICK_* */
    enum quick_op op;
    size_t reads, writes;
    uint64_t id, size, heap; /* of an allocation */
    uint64_t ignored;        /* of no meaning */
    struct trace_alloc_flags flags;
    bool short_of_memory;
};

static void quick_give_up(struct quick *quick) {
    quick->at = NULL;
}

static void quick_spaces(struct quick *quick) {
    while (quick->at && quick->at < quick->end && *quick->at == ' ')
        quick->at++;
}

/* Whether `c` is next, which is passed then. */
static bool quick_is(struct quick *quick, char c) {
    quick_spaces(quick);
    if (!quick->at || quick->at == quick->end || *quick->at != c)
        return false;
    quick->at++;
    return true;
}

static void quick_expect(struct quick *quick, char c) {
    if (!quick_is(quick, c))
        quick_give_up(quick);
}

/* A whole number from 0 of at most 18 digits, as JSON writes it. */
static uint64_t quick_number(struct quick *quick) {
    uint64_t value = 0;
    quick_spaces(quick);
    if (!quick->at)
        return 0;
    const char *first = quick->at;
    for (; quick->at < quick->end && *quick->at >= '0' && *quick->at <= '9'; quick->at++)
        value = value * 10 + (uint64_t)(*quick->at - '0');
    size_t digits = (size_t)(quick->at - first);
    if (digits == 0 || digits > 18 || (*first == '0' && digits > 1))
        quick_give_up(quick);
    return value;
}

/* A string without an escape; its characters are `*size` from the pointer on. */
static const char *quick_string(struct quick *quick, size_t *size) {
    quick_expect(quick, '"');
    const char *text = quick->at;
    const char *end = text ? memchr(text, '"', (size_t)(quick->end - text)) : NULL;
    *size = end ? (size_t)(end - text) : 0;
    quick->at = end ? end + 1 : NULL;
    return text;
}

static bool quick_same(const char *text, size_t size, const char *word) {
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

/* An id of a live allocation that is not offered; others are errors, and not found here. */
static uint32_t quick_index(struct quick *quick) {
    const struct builder *builder = &quick->trace->builder;
    uint64_t id = quick_number(quick);
    uint32_t index = trace_ids_find(&quick->trace->ids, id);
    if (!quick->at || index == TRACE_NO_INDEX || !builder->allocations[index].live ||
        builder->allocations[index].offered) {
        quick_give_up(quick);
        return 0;
    }
    return index;
}

/* Behind `first` indices of the scratch list; how many. */
static size_t quick_list(struct quick *quick, size_t first) {
    size_t count = 0;
    quick_expect(quick, '[');
    if (quick_is(quick, ']'))
        return 0;
    do {
        if (!trace_make_room(quick->trace, first + count + 1)) {
            quick->short_of_memory = true;
            quick_give_up(quick);
            break;
        }
        quick->trace->named[first + count++] = quick_index(quick);
    } while (quick_is(quick, ','));
    quick_expect(quick, ']');
    return count;
}

static uint32_t quick_key(struct quick *quick) {
    static const struct {
        const char *key;
        uint32_t member;
    } keys[] = {{"t", QUICK_TIME},      {"op", QUICK_OP},         {"queue", QUICK_QUEUE},
                {"reads", QUICK_READS}, {"writes", QUICK_WRITES}, {"id", QUICK_ID},
                {"size", QUICK_SIZE},   {"heap", QUICK_HEAP},     {"flags", QUICK_FLAGS},
                {"name", QUICK_NAME}};
    size_t size;
    const char *text = quick_string(quick, &size);
    for (size_t i = 0; quick->at && i < sizeof(keys) / sizeof(keys[0]); i++)
        if (quick_same(text, size, keys[i].key))
            return keys[i].member;
    return 0;
}

static void quick_op(struct quick *quick) {
    static const char *const ops[] = {
        [QUICK_SUBMIT] = "submit", [QUICK_PRESENT] = "present", [QUICK_ALLOC] = "alloc"};
    size_t size, i = 0;
    const char *op = quick_string(quick, &size);
    if (!quick->at)
        return;
    while (i < sizeof(ops) / sizeof(ops[0]) && !quick_same(op, size, ops[i]))
        i++;
    if (i == sizeof(ops) / sizeof(ops[0]))
        quick_give_up(quick);
    quick->op = (enum quick_op)i;
}

/* A string of what needs no escape, in ASCII. */
static const char *quick_words(struct quick *quick, size_t *size) {
    const char *text = quick_string(quick, size);
    for (size_t i = 0; quick->at && i < *size; i++)
        if (text[i] < ' ' || text[i] > '~' || text[i] == '\\')
            quick_give_up(quick);
    return text;
}

static void quick_flags(struct quick *quick) {
    size_t size;
    quick_expect(quick, '[');
    if (quick_is(quick, ']'))
        return;
    do {
        const char *flag = quick_words(quick, &size);
        if (!quick->at)
            return;
        quick->flags.in_vpr |= quick_same(flag, size, "protected");
        quick->flags.host_visible |= quick_same(flag, size, "host_visible");
        quick->flags.host_cached |= quick_same(flag, size, "host_cached");
    } while (quick_is(quick, ','));
    quick_expect(quick, ']');
}

static void quick_value(struct quick *quick, uint32_t member) {
    size_t size;
    if (member == QUICK_OP)
        quick_op(quick);
    else if (member == QUICK_READS)
        quick->reads = quick_list(quick, 0);
    else if (member == QUICK_WRITES)
        quick->writes = quick_list(quick, quick->reads);
    else if (member == QUICK_FLAGS)
        quick_flags(quick);
    else if (member == QUICK_NAME)
        (void)quick_words(quick, &size);
    else
        *(member == QUICK_ID     ? &quick->id
          : member == QUICK_SIZE ? &quick->size
          : member == QUICK_HEAP ? &quick->heap
                                 : &quick->ignored) = quick_number(quick);
}

/* Each member once, reads before writes. */
static void quick_member(struct quick *quick) {
    uint32_t member = quick_key(quick);
    if (member == 0 || (quick->members & member) != 0 ||
        (member == QUICK_READS && (quick->members & QUICK_WRITES) != 0))
        quick_give_up(quick);
    quick_expect(quick, ':');
    quick->members |= member;
    quick_value(quick, member);
}

/* It has what its op needs, and nothing of another's. */
static bool quick_complete(const struct quick *quick) {
    static const uint32_t needed[] = {[QUICK_SUBMIT] = QUICK_READS | QUICK_WRITES,
                                      [QUICK_ALLOC] = QUICK_ID | QUICK_SIZE | QUICK_HEAP};
    const uint32_t any = QUICK_TIME | QUICK_QUEUE;
    const uint32_t more = quick->op == QUICK_ALLOC ? QUICK_FLAGS | QUICK_NAME : 0;
    return (quick->members & ~(any | more)) == (QUICK_OP | needed[quick->op]);
}

static bool quick_line(struct quick *quick) {
    quick_expect(quick, '{');
    do
        quick_member(quick);
    while (quick_is(quick, ','));
    quick_expect(quick, '}');
    quick_spaces(quick);
    return quick->at && quick->at == quick->end && quick_complete(quick);
}

/* False: the id was used before, or a number is too large, which is said elsewhere. */
static bool quick_alloc(struct quick *quick, enum builder_result *result) {
    struct trace *trace = quick->trace;
    const struct builder_alloc alloc = {.size = quick->size,
                                        .umd_flags = trace_umd_flags(quick->heap, &quick->flags)};
    uint32_t index;
    if (quick->size < 1 || quick->size > BUILDER_SIZE_MAX || quick->heap > 1 ||
        trace_ids_find(&trace->ids, quick->id) != TRACE_NO_INDEX)
        return false;
    *result = builder_alloc(&trace->builder, &alloc, &index);
    if (*result == BUILDER_OK && !trace_ids_add(&trace->ids, quick->id, index))
        *result = BUILDER_NO_MEMORY;
    return true;
}

bool trace_quick(struct trace *trace, const char *text, size_t size, enum builder_result *result) {
    struct quick quick = {.trace = trace, .at = text, .end = text + size};
    if (!quick_line(&quick)) {
        *result = BUILDER_NO_MEMORY;
        return quick.short_of_memory;
    }
    if (quick.op == QUICK_ALLOC)
        return quick_alloc(&quick, result);
    *result = quick.op == QUICK_PRESENT
                  ? builder_present(&trace->builder, 0)
                  : builder_submit(&trace->builder, 0, trace->named, quick.reads,
                                   quick.reads == 0 ? trace->named : trace->named + quick.reads,
                                   quick.writes);
    return true;
}
