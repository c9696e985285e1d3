/*
 * missing.h - the names that a build lacks, each once, with what to do about it.
 */
#ifndef CC_MISSING_H
#define CC_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "list.h"

enum cc_kind {
    CC_HEADER,
    CC_TYPE,
    CC_FUNCTION,
    CC_NAME, /* a constant, a variable, a macro, in C++ also a function */
    CC_MEMBER,
    CC_SYMBOL, /* undefined when all sources are linked */
};

struct cc_missing_name {
    enum cc_kind kind;
    char *name;
    char *place; /* the first, FILE:LINE */
    unsigned uses;
};

struct cc_missing {
    struct cc_missing_name *names;
    size_t count, room;
    struct cc_list errors; /* messages of the compiler that name nothing that is missing */
    struct cc_list files;  /* sources with missing names */
    bool failed;
};

void cc_missing_add(struct cc_missing *missing, enum cc_kind kind, const char *name,
                    const char *place);
bool cc_missing_has(const struct cc_missing *missing, enum cc_kind kind, const char *name);
/* `headers`: the directory of the contract, in which names are looked for. */
void cc_missing_print(const struct cc_missing *missing, const char *headers, FILE *out);
void cc_missing_free(struct cc_missing *missing);

#endif
