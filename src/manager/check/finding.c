/*
 * finding.c - how adapter_check() says what is wrong: one sentence, made without an operating system.
 */
#include "object/allocation.h"
#include "check/books.h"

#define TEXT_BYTES 192u

struct text {
    char bytes[TEXT_BYTES];
    size_t length;
};

static void text_add(struct text *text, const char *more) {
    while (*more && text->length + 1 < TEXT_BYTES)
        text->bytes[text->length++] = *more++;
    text->bytes[text->length] = 0;
}

static void text_add_number(struct text *text, uint64_t number) {
    char digits[21], *first = digits + sizeof(digits) - 1;
    *first = 0;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    text_add(text, first);
}

void check_failed(const struct vidmm_adapter *adapter, struct check_object object, const char *what,
                  const char *file, int line) {
    struct text text = {.length = 0};
    text_add(&text, object.book);
    text_add(&text, " ");
    text_add_number(&text, object.number);
    text_add(&text, ": ");
    text_add(&text, what);
    assert_failed(&adapter->os, text.bytes, file, line);
}

struct check_object check_allocation(const struct vidmm_allocation *allocation) {
    return check_object("allocation", allocation->kernel);
}
